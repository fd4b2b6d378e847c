// Paths and bodies in, the server's answers out: with the key where one is needed, and errors as sentences.

const KEY_NAME = "mlx-tts.key";
let key = sessionStorage.getItem(KEY_NAME) ?? "";

export class ServerError extends Error {
  constructor(status, message, code = null, retryAfter = 0) {
    super(message);
    Object.assign(this, { status, code, retryAfter });
  }
}

export function setKey(value) {
  key = value;
  sessionStorage.setItem(KEY_NAME, value);
}

export const typedKey = () => key;

export async function ask(path, options = {}) {
  const headers = new Headers(options.headers);
  if (key) headers.set("Authorization", `Bearer ${key}`);
  let answer;
  try {
    answer = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError(0, "The server does not answer. Is it still running?");
  }
  if (answer.ok) return answer;
  const body = await answer.json().catch(() => null);
  const message = sentence(body?.error?.message ?? `the server answered ${answer.status}`);
  throw new ServerError(answer.status, message, body?.error?.code, Number(answer.headers.get("Retry-After")) || 0);
}

export function askJson(path, body, options = {}) {
  const headers = { "Content-Type": "application/json" };
  return ask(path, { ...options, method: "POST", headers, body: JSON.stringify(body) });
}

// Waits where the server says that it is busy or still loading, and tells `waiting` why.
export async function askPatiently(path, body, { signal, waiting }) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await askJson(path, body, { signal });
    } catch (error) {
      const soon = error.code === "loading" || error.status === 429;
      if (!soon || tries >= 30) throw error;
      waiting(error.message);
      await pause(1000 * Math.min(5, error.retryAfter || 1), signal);
    }
  }
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("stopped", "AbortError"));
    }, { once: true });
  });
}

// The objects of a stream of server-sent events.
export async function* eventsOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) if (part.startsWith("data: ")) yield JSON.parse(part.slice(6));
  }
}

export function samplesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return new Int16Array(bytes.buffer);
}

export function sentence(text) {
  const isWord = /^\p{L}+[\s,:]/u.test(text); // the name of a file stays as it is
  const full = isWord ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(full) ? full : `${full}.`;
}
