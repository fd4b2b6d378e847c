// The dialog Connect: what is chosen on the page -> its address, and the same request as code to copy.

import { clients } from "./clients.js";
import { copyButton } from "./copying.js";
import { facts } from "./facts.js";
import { typedKey } from "./http.js";
import { lexicon } from "./lexicon.js";
import { sampleSentence } from "./passages.js";
import { curl, javascript, python } from "./snippets.js";
import { byId, element } from "./words.js";

const STAND_IN = "YOUR-KEY";
const BEGINNING = 500; // characters of a chapter
const LANGUAGES = [["curl", curl], ["Python", python], ["JavaScript", javascript]];

export class Connect {
  constructor(speak) {
    this.speak = speak;
    byId("connect").addEventListener("click", () => this.open());
    byId("connect-close").addEventListener("click", () => byId("connect-dialog").close());
    byId("connect-format").addEventListener("change", () => this.draw());
    byId("reveal-key").addEventListener("change", () => this.draw());
    byId("connect-address").after(copyButton("the address", () => byId("connect-address").textContent, tell));
  }

  open() {
    const kept = byId("connect-format").value || "mp3";
    const formats = facts.formats.filter(({ streams }) => streams);
    byId("connect-format").replaceChildren(...formats.map(({ name, title }) => element("option", { value: name }, title)));
    byId("connect-format").value = kept;
    byId("reveal-key").checked = false;
    this.draw();
    byId("connect-dialog").showModal();
  }

  get key() {
    if (!facts.key_needed) return null;
    return byId("reveal-key").checked ? typedKey() : STAND_IN;
  }

  // The text, whether it is plain, and what is to be said about it.
  text() {
    const [first] = this.speak.chapters();
    if (!first) {
      const note = this.speak.book.document
        ? "No chapter is chosen, so a sentence stands for your text." : "The sheet is empty, so a sentence stands for your text.";
      return { text: sampleSentence(this.speak.settings.language), note };
    }
    if (this.speak.book.document) {
      const note = "The text is the beginning of the first chapter that is chosen. Each chapter can be a request of its own.";
      return { text: first.text.slice(0, BEGINNING), plain: first.plain, note };
    }
    const most = facts.max_input;
    const note = first.text.length > most ? `One request may have ${most.toLocaleString("en")} characters: send this text in parts.` : "";
    return { text: first.text, note };
  }

  draw() {
    const { text, plain, note } = this.text();
    const { model, voice, ...others } = this.speak.settings.order() ?? { model: facts.models.find((one) => one.default)?.id };
    const wanted = { model, voice, input: text, response_format: byId("connect-format").value, ...others, plain: plain || null, lexicon: lexicon.within(text) };
    const body = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== null && value !== undefined));
    const base = `${location.origin}/v1`;
    byId("connect-address").textContent = base;
    byId("connect-key").textContent = facts.key_needed
      ? "This server needs one. The person who started it knows it."
      : "None is needed. Where a program insists on one, any word will do.";
    byId("connect-reveal").hidden = !facts.key_needed || !typedKey();
    byId("connect-note").textContent = note;
    byId("connect-code").replaceChildren(...LANGUAGES.map(([name, write]) => this.block(name, write(base, this.key, body))));
    byId("connect-clients").replaceChildren(...clients(location.origin, this.key ?? "none", voice).map((client) => this.tile(client)));
  }

  block(name, code) {
    return element("div", {},
      element("div", { class: "code-head" }, element("h3", {}, name), copyButton(name, () => code, tell)),
      element("pre", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${name}, code` }, element("code", {}, code)));
  }

  tile({ name, where, line }) {
    return element("li", {},
      element("div", { class: "code-head" }, element("h4", {}, name), copyButton(`the line for ${name}`, () => line, tell)),
      element("p", { class: "soft" }, where), element("code", {}, line));
  }
}

// In the dialog its own line of messages is read out, for the page's stands behind it.
const tell = (message) => (byId("copied").textContent = message);
