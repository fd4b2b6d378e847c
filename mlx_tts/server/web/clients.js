// Where the server is, in; the programs of docs/clients.md, each with the line that it needs, out.

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;

// origin: of the page. key: what stands for the key. voice: a name, or null. Gives {name, where, line}.
export function clients(origin, key, voice) {
  const { hostname } = new URL(origin);
  const base = `${origin}/v1`;
  const fromContainer = LOOPBACK.test(hostname) ? base.replace(hostname, "host.docker.internal") : base;
  const access = `base_url="${base}", api_key=${JSON.stringify(key)}`;
  const name = JSON.stringify(voice ?? "alloy"); // which stands for a voice of any model
  return [
    { name: "OpenAI's SDKs", where: "Python; in JavaScript it is baseURL and apiKey", line: `OpenAI(${access})` },
    { name: "LangChain", where: "OpenAI's client, in a step of your chain", line: `OpenAI(${access})` },
    { name: "ElevenLabs' SDK", where: "Without /v1", line: `ElevenLabs(base_url="${origin}", api_key=${JSON.stringify(key)})` },
    { name: "LiveKit", where: "The plugin for OpenAI", line: `openai.TTS(${access}, voice=${name})` },
    {
      name: "Pipecat", where: "The service for ElevenLabs, which takes any voice",
      line: `ElevenLabsTTSService(url="${origin.replace(/^http/, "ws")}", api_key=${JSON.stringify(key)}, settings=ElevenLabsTTSService.Settings(voice=${name}))`,
    },
    {
      name: "Home Assistant and other programs with Wyoming", where: "Start the server so; then give them its host and port 10200",
      line: "mlx-tts serve --wyoming 10200",
    },
    { name: "Open WebUI", where: "Admin, Settings, Audio: engine OpenAI, model tts-1", line: fromContainer },
    { name: "SillyTavern", where: "TTS, OpenAI Compatible", line: `${base}/audio/speech` },
    { name: "Read Aloud", where: 'Options, custom voices, OpenAI; serve with --cors-origin "chrome-extension://*"', line: base },
    { name: "AnythingLLM", where: "Voice & Speech, OpenAI compatible: model tts-1", line: fromContainer },
    { name: "LibreChat", where: "librechat.yaml, under speech, tts, openai", line: `url: "${fromContainer}/audio/speech"` },
    { name: "n8n", where: "The credential of OpenAI, base URL; only OpenAI's names of voices", line: fromContainer },
    { name: "Agents that know MCP", where: "Prints what Claude Code needs; no server is asked", line: "mlx-tts mcp --print-config claude" },
    { name: "Orca and other screen readers", where: "On Linux; no server is asked", line: "mlx-tts screen-reader --install" },
  ];
}
