// A request for speech in, the same request as a command line and as programs out.

const OPENAI_FIELDS = ["model", "voice", "input", "response_format", "speed", "instructions"]; // its package knows no others

// base: the address with /v1. key: null where the server asks for none.
export function curl(base, key, body) {
  const lines = [`curl --fail ${shellQuoted(`${base}/audio/speech`)}`];
  if (key) lines.push(`-H ${shellQuoted(`Authorization: Bearer ${key}`)}`);
  lines.push("-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(body, null, 2))}`);
  lines.push(`-o ${fileName(body)}`);
  return lines.join(" \\\n  ");
}

export function python(base, key, body) {
  const { model, voice = "", ...rest } = body; // the package insists on a voice; an empty one is none
  const all = Object.entries({ model, voice, ...rest });
  const known = all.filter(([name]) => OPENAI_FIELDS.includes(name)).map(([name, value]) => `${name}=${pythonLiteral(value)}`);
  const others = all.filter(([name]) => !OPENAI_FIELDS.includes(name)).map(([name, value]) => `"${name}": ${pythonLiteral(value)}`);
  if (others.length) known.push(`extra_body={${others.join(", ")}}`);
  return [
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url=${JSON.stringify(base)}, api_key=${JSON.stringify(key ?? "none")})`,
    "speech = client.audio.speech.create(",
    ...known.map((line) => `    ${line},`),
    ")",
    `speech.write_to_file("${fileName(body)}")`,
  ].join("\n");
}

export function javascript(base, key, body) {
  const headers = { "Content-Type": "application/json", ...(key ? { Authorization: `Bearer ${key}` } : {}) };
  const indented = (value) => JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");
  return [
    "// speech.mjs, for Node 18 or newer",
    'import { writeFile } from "node:fs/promises";',
    "",
    `const answer = await fetch(${JSON.stringify(`${base}/audio/speech`)}, {`,
    '  method: "POST",',
    `  headers: ${indented(headers)},`,
    `  body: JSON.stringify(${indented(body)}),`,
    "});",
    "if (!answer.ok) throw new Error(await answer.text());",
    `await writeFile("${fileName(body)}", Buffer.from(await answer.arrayBuffer()));`,
  ].join("\n");
}

const fileName = ({ response_format: format }) => `speech.${format}`;
const shellQuoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
// Strings and numbers of JSON are Python's as well.
const pythonLiteral = (value) => (value === true ? "True" : JSON.stringify(value));
