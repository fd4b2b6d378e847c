// The dialog Say it as: a selected word and how it is said -> an entry of this browser's lexicon, heard before it is kept.

import { askJson } from "./http.js";
import { entryOf, lexicon, soundOf } from "./lexicon.js";
import { hearVoice } from "./sample.js";
import { byId, element, icon, say } from "./words.js";

const LONGEST = 100; // characters of a word or phrase

export class SayAs {
  constructor(settings) {
    this.settings = settings;
    let selected = "";
    // A click may take the selection away: it is read before.
    byId("say-as").addEventListener("pointerdown", () => (selected = selection()));
    byId("say-as").addEventListener("click", () => {
      this.open(selected || selection());
      selected = "";
    });
    byId("say-as-close").addEventListener("click", () => byId("say-as-dialog").close());
    byId("say-as-hear").addEventListener("click", () => this.hear());
    byId("say-as-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.keep();
    });
  }

  open(word) {
    const known = lexicon.find(word);
    byId("say-as-word").value = word;
    byId("say-as-sound").value = known ? soundOf(known) : "";
    this.tell("");
    this.list();
    byId("say-as-dialog").showModal();
    byId(word ? "say-as-sound" : "say-as-word").focus();
  }

  // What is wrong stands in the dialog, above which no other message is seen.
  tell(text, isError = false) {
    byId("say-as-said").textContent = text;
    byId("say-as-said").classList.toggle("error", isError);
  }

  // The entry as it is typed; null where something is missing.
  entry() {
    for (const [id, what] of [["say-as-word", "Which word?"], ["say-as-sound", "How is it said?"]]) {
      if (byId(id).value.trim()) continue;
      this.tell(what, true);
      byId(id).focus();
      return null;
    }
    return entryOf(byId("say-as-word").value, byId("say-as-sound").value);
  }

  order(entry) {
    const { model, voice, language, instructions } = this.settings.order() ?? {};
    const body = { model, voice, language, instructions, input: entry.match, lexicon: [entry] };
    return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined));
  }

  hear() {
    const entry = this.entry();
    if (!entry) return;
    this.tell("");
    const tell = (text, isError) => this.tell(text, isError);
    hearVoice(byId("say-as-hear"), `${entry.match} is said like this.`, { ...this.order(entry), seed: 7 }, tell);
  }

  // The server reads the word first: an entry that it refuses would have it refuse every text with that word.
  async keep() {
    const entry = this.entry();
    if (!entry) return;
    try {
      await askJson("/page/api/plan", this.order(entry));
    } catch (error) {
      return this.tell(error.message, true);
    }
    lexicon.put(entry.match, soundOf(entry));
    byId("say-as-dialog").close();
    say(`${entry.match} will be said as ${soundOf(entry)}.`);
  }

  list() {
    byId("say-as-kept").hidden = !lexicon.entries.length;
    byId("say-as-list").replaceChildren(...lexicon.entries.map((entry) => element("li", { class: "own" },
      element("p", { class: "name" }, element("strong", {}, entry.match), ` as ${soundOf(entry)}`),
      element("button", {
        class: "quiet icon", "aria-label": `Forget ${entry.match}`,
        click: () => {
          lexicon.remove(entry.match);
          this.tell(`${entry.match} will be said as it is written.`);
          this.list();
          byId("say-as-word").focus();
              },
      }, icon("trash")))));
  }
}

// The words that are selected in the text box, or in the text as it is read; "" for none, and for more than a phrase.
function selection() {
  const box = byId("text");
  const text = box.hidden ? String(getSelection()) : box.value.slice(box.selectionStart, box.selectionEnd);
  const words = text.trim().replace(/\s+/g, " ").replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
  return words.length > LONGEST ? "" : words;
}
