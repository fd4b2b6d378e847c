// Speeches in and out of the browser's own store (IndexedDB). Nothing of it leaves this browser.

import { Speech } from "./speech.js";

const MOST = 30, MOST_BYTES = 500e6;

function open() {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open("mlx-tts", 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore("speeches", { keyPath: "id" });
      asked.result.createObjectStore("list", { keyPath: "id" });
    };
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

async function withStores(mode, work) {
  const base = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = base.transaction(["speeches", "list"], mode);
      const answer = work(transaction.objectStore("speeches"), transaction.objectStore("list"));
      transaction.oncomplete = () => resolve(answer?.result);
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    base.close();
  }
}

// The newest first: {id, when, title, text, voice, seconds, bytes}.
export async function listed() {
  const entries = await withStores("readonly", (_speeches, list) => list.getAll());
  return entries.sort((a, b) => b.when - a.when);
}

export async function keep(speech) {
  const packed = await speech.packed();
  const id = speech.about.id ?? crypto.randomUUID?.() ?? String(Math.random());
  speech.about.id = id;
  const { title, text, voiceName, language } = speech.about;
  const entry = {
    id, when: Date.now(), title, text: text.slice(0, 300), voiceName, language,
    seconds: speech.seconds, bytes: packed.sound.size,
  };
  await withStores("readwrite", (speeches, list) => {
    speeches.put({ id, ...packed });
    list.put(entry);
  });
  let bytes = 0;
  for (const [number, old] of (await listed()).entries()) {
    bytes += old.bytes;
    if (number >= MOST || (number && bytes > MOST_BYTES)) await remove(old.id);
  }
}

export async function load(id) {
  return Speech.unpacked(await withStores("readonly", (speeches) => speeches.get(id)));
}

export function remove(id) {
  return withStores("readwrite", (speeches, list) => {
    speeches.delete(id);
    list.delete(id);
  });
}

export function removeAll() {
  return withStores("readwrite", (speeches, list) => {
    speeches.clear();
    list.clear();
  });
}
