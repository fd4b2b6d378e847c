// A speech in, a file to keep out: wav and subtitles are made here, the rest by the server from the same samples.

import { facts } from "./facts.js";
import { ask } from "./http.js";
import { wavHeader } from "./recorder.js";
import { RATE } from "./speech.js";
import { byId, element, say } from "./words.js";

const TIMES = [
  { name: "srt", title: "Subtitles, SRT", note: "sentences with times" },
  { name: "vtt", title: "Subtitles, VTT", note: "for web pages" },
  { name: "json", title: "Marks, JSON", note: "every word with its time" },
];

export function fillMenu(menu, current) {
  const list = () => menu.replaceChildren(
    ...[...facts.formats, ...TIMES].map(({ name, title, note }) =>
      element("button", { role: "menuitem", click: () => choose(name, title, current()) },
        element("span", {}, title), element("span", { class: "soft" }, note))),
  );
  facts.addEventListener("change", list);
  menu.addEventListener("toggle", ({ newState }) => newState === "open" && menu.querySelector("button").focus());
  menu.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const buttons = [...menu.querySelectorAll("button")];
    buttons.at((buttons.indexOf(document.activeElement) + step) % buttons.length).focus();
    event.preventDefault();
  });
}

async function choose(kind, name, speech) {
  byId("downloads").hidePopover();
  if (!speech?.length) return;
  try {
    say(`Making the ${name} file.`);
    save(await fileOf(kind, speech), `${fileName(speech)}.${kind}`);
    say(speech.done ? `${name} file saved.` : `${name} file saved, with what is made so far.`);
  } catch (error) {
    say(error.message, true);
  }
}

export async function fileOf(kind, speech) {
  if (kind === "wav") return new Blob([wavHeader(speech.length, RATE), ...speech.blocks], { type: "audio/wav" });
  if (kind in SUBTITLES) return new Blob([SUBTITLES[kind](speech)], { type: "text/plain" });
  const { title, author, cover } = speech.about;
  const head = new TextEncoder().encode(JSON.stringify({
    format: kind, sample_rate: RATE, title, author: author ?? null, cover: cover ?? null, chapters: speech.chapters,
  }));
  const length = new DataView(new ArrayBuffer(4));
  length.setUint32(0, head.length, true);
  const body = new Blob([length.buffer, head, ...speech.blocks]);
  const headers = { "Content-Type": "application/octet-stream" };
  return (await ask("/page/api/file", { method: "POST", headers, body })).blob();
}

const SUBTITLES = {
  srt: (speech) => spoken(speech)
    .map(({ text, start, end }, i) => `${i + 1}\n${time(start, ",")} --> ${time(end, ",")}\n${line(text)}\n`).join("\n"),
  vtt: (speech) => ["WEBVTT\n", ...spoken(speech)
    .map(({ text, start, end }) => `${time(start, ".")} --> ${time(end, ".")}\n${escaped(text)}\n`)].join("\n"),
  json: (speech) => `${JSON.stringify(spoken(speech).flatMap((sentence) => [
    mark(sentence, "sentence"), ...sentence.words.map((word) => mark(word, "word"))]), null, 1)}\n`,
};

function spoken(speech) {
  return speech.sentences.filter(({ start, known }) => start !== null && known);
}

function mark({ text, start, end, estimated }, level) {
  const round = (seconds) => Math.round(seconds * 1e4) / 1e4;
  return { text, start: round(start), end: round(end), level, estimated: Boolean(estimated) };
}

function time(seconds, point) {
  const all = Math.round(seconds * 1000);
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  return `${two(all / 3_600_000)}:${two((all / 60_000) % 60)}:${two((all / 1000) % 60)}${point}${String(all % 1000).padStart(3, "0")}`;
}

const line = (text) => text.split(/\s+/).filter(Boolean).join(" ");
const escaped = (text) => line(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function fileName({ about }) {
  const words = about.title || about.text || "speech";
  return words.replace(/[^\p{L}\p{N} _-]/gu, "").trim().split(/\s+/).slice(0, 6).join(" ").slice(0, 60) || "speech";
}

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
