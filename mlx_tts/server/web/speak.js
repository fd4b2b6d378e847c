// The section Speak: a text or the chosen chapters of a file -> speech that is heard, read along, kept and saved.

import { Book } from "./book.js";
import { Dialogue } from "./dialogue.js";
import { fillMenu } from "./download.js";
import { facts } from "./facts.js";
import * as history from "./history.js";
import { listening } from "./listening.js";
import { make } from "./maker.js";
import { Player } from "./player.js";
import { Reader } from "./reader.js";
import { SayAs } from "./say_as.js";
import { Settings } from "./settings.js";
import { Speech } from "./speech.js";
import { Tries } from "./tries.js";
import { Wave } from "./wave.js";
import { byId, clock, element, icon, likelySeconds, say, spokenTime } from "./words.js";

const DRAFT = "mlx-tts.text";

export class Speak {
  constructor() {
    this.settings = new Settings();
    this.player = new Player();
    this.wave = new Wave(byId("progress"), byId("wave"), this.player);
    this.reader = new Reader(byId("reader"), this.player);
    this.book = new Book(byId("book"), () => this.settings.order(), () => this.showLength());
    this.dialogue = new Dialogue(this.settings, () => this.showLength());
    new SayAs(this.settings);
    this.tries = new Tries((text) => this.take(text));
    byId("text").value = localStorage.getItem(DRAFT) ?? "";
    byId("text").addEventListener("input", () => this.typed());
    byId("go").addEventListener("click", () => this.speak());
    byId("stop").addEventListener("click", () => this.stop());
    byId("edit").addEventListener("click", () => this.show("write"));
    byId("open").addEventListener("click", () => byId("file").click());
    byId("file").addEventListener("change", () => this.openFile(byId("file").files[0]));
    byId("close-book").addEventListener("click", () => this.closeBook());
    byId("toggle").addEventListener("click", () => this.player.toggle());
    byId("before").addEventListener("click", () => this.reader.step(-1));
    byId("after").addEventListener("click", () => this.reader.step(1));
    byId("forget").addEventListener("click", () => this.forgetAll());
    byId("speed").addEventListener("input", () => this.showLength());
    for (const id of ["voice", "language"]) byId(id).addEventListener("change", () => this.showLength());
    byId("begin-now").addEventListener("click", () => this.player.beginNow());
    byId("close-player").addEventListener("click", () => this.closePlayer());
    for (const name of ["pace", "volume"]) {
      byId(name).value = listening[name];
      byId(name).addEventListener("input", () => listening.set(name, byId(name).value));
    }
    fillMenu(byId("downloads"), () => this.player.speech);
    for (const name of ["state", "end", "load"]) this.player.addEventListener(name, () => this.showPlayer());
    document.addEventListener("keydown", (event) => this.key(event));
    facts.addEventListener("change", () => this.showLength());
    this.show("write");
    this.showHistory();
    this.tick = this.tick.bind(this);
  }

  typed() {
    localStorage.setItem(DRAFT, byId("text").value.slice(0, 500_000));
    this.showLength();
  }

  take(text) {
    byId("text").value = text;
    byId("go").focus(); // the sentences to try are about to be hidden
    this.typed();
  }

  key(event) {
    if (document.querySelector("dialog[open]")) return; // its keys are its own
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && !byId("speak").hidden) this.speak();
    else if (event.key === "Escape" && this.making) this.stop();
    else if (event.key === " " && event.target === document.body && this.player.speech) this.player.toggle();
    else return;
    event.preventDefault();
  }

  chapters() {
    if (this.book.document) return this.book.chosen();
    const text = byId("text").value;
    return text.trim() ? [{ title: null, text: this.dialogue.marked(text), written: text, plain: false, seconds: likelySeconds(text) }] : [];
  }

  async speak() {
    const chapters = this.chapters(), settings = this.settings.order();
    if (!settings) return say("Make a voice first, under Clone a voice.", true);
    if (!chapters.length) {
      say(this.book.document ? "Choose a chapter to be read." : "Write a text first.", true);
      return byId("text").focus();
    }
    const opening = this.player.unlock();
    await this.stop();
    const { document } = this.book;
    const speech = new Speech({
      title: document?.title ?? null, author: document?.author ?? null, cover: document?.cover ?? null,
      text: (chapters[0].written ?? chapters[0].text).trim().slice(0, 400), voiceName: this.settings.choice.name, speed: settings.speed,
      language: settings.language,
    });
    this.making = new AbortController();
    const { signal } = this.making;
    this.began = performance.now();
    byId("stop").disabled = false;
    byId("go").disabled = true;
    say("Speaking begins.");
    try {
      await opening;
      await this.player.load(speech);
      this.reader.show(speech);
      this.show("read");
      await this.player.play();
      speech.addEventListener("grow", () => speech.seconds && say("Speaking."), { once: true });
      await make(speech, chapters, settings, { signal, waiting: say, mostCharacters: facts.max_input });
      speech.finish();
      say(`Done: ${spokenTime(speech.seconds)} of speech.`);
    } catch (error) {
      speech.finish(true);
      if (error.name === "AbortError") say("Stopped.");
      else say(error.message, true);
      if (!speech.length) this.show("write");
    } finally {
      if (this.making?.signal === signal) this.making = null;
      byId("stop").disabled = true;
      byId("go").disabled = false;
      if (speech.seconds > 0.3) await this.keep(speech);
      this.showPlayer();
    }
  }

  // Ends the making on the server as well as the sound.
  async stop() {
    if (this.making) {
      this.making.abort();
      this.making = null;
    }
    this.player.pause();
    await new Promise((resolve) => setTimeout(resolve)); // what the abort does comes first
  }

  // Ends the speech as well if it is still being made; what is there of it stays under "Spoken before".
  async closePlayer() {
    await this.stop();
    this.player.unload();
    this.show("write");
    const next = byId("speak").hidden ? document.querySelector("[role=tab][aria-selected=true]") : byId("go");
    next.focus();
  }

  async keep(speech) {
    try {
      await history.keep(speech);
      await this.showHistory();
    } catch {
      // A private window or a full disk keeps nothing: the speech can still be heard and saved.
    }
  }

  show(mode) {
    const reading = mode === "read", { document } = this.book;
    byId("reader").hidden = !reading;
    byId("text").hidden = reading || Boolean(document);
    byId("book").hidden = reading || !document;
    byId("edit").hidden = !reading;
    byId("edit").textContent = document ? "Back to the chapters" : "Back to the text";
    byId("close-book").hidden = reading || !document;
    byId("open").hidden = reading;
    byId("source-name").classList.toggle("untitled", reading && !this.player.speech?.about.title);
    byId("source-name").textContent = reading ? (this.player.speech?.about.title ?? "Reading") : (document?.title ?? "Your text");
    this.showLength();
  }

  showLength() {
    this.dialogue.fill();
    const isEmpty = !byId("text").hidden && !byId("text").value.trim();
    this.tries.show(isEmpty && Boolean(this.settings.choice), this.settings.language);
    const chapters = this.chapters();
    const seconds = chapters.reduce((sum, chapter) => sum + chapter.seconds, 0) / Number(byId("speed").value);
    const letters = chapters.reduce((sum, chapter) => sum + (chapter.written ?? chapter.text).length, 0);
    byId("length").textContent = letters ? `${letters.toLocaleString("en")} characters, about ${spokenTime(seconds)} of speech` : "";
  }

  showPlayer() {
    const { playing, speech } = this.player;
    byId("player").hidden = !speech;
    document.body.classList.toggle("with-player", Boolean(speech));
    if (!speech) return;
    byId("toggle").replaceChildren(icon(playing ? "pause" : "play"));
    byId("toggle").setAttribute("aria-label", playing ? "Pause" : "Play");
    this.wave.draw();
    if (!this.ticking) {
      this.ticking = true;
      requestAnimationFrame(this.tick);
    }
  }

  tick() {
    const { speech, seconds, playing } = this.player;
    this.ticking = Boolean(speech) && (playing || Boolean(this.making));
    if (!speech) return;
    byId("clock").textContent = `${clock(seconds)} / ${speech.done ? "" : "about "}${clock(speech.expectedSeconds)}`;
    const wait = this.player.wait;
    byId("begin-now").hidden = wait === null || speech.length === 0;
    byId("left").textContent = wait === null || !speech.length ? this.timeLeft(speech) : waitWords(wait);
    this.reader.follow(seconds);
    this.wave.draw();
    if (this.ticking) requestAnimationFrame(this.tick);
  }

  timeLeft(speech) {
    if (speech.done || !this.making) return "";
    const worked = (performance.now() - this.began) / 1000;
    if (speech.seconds < 1 || worked < 2) return "being made";
    const left = ((speech.expectedSeconds - speech.seconds) * worked) / speech.seconds;
    return left < 2 ? "nearly made" : `made in ${spokenTime(left)}`;
  }

  async openFile(file) {
    byId("file").value = "";
    if (!file) return;
    await this.stop();
    try {
      say(`Reading ${file.name}.`);
      const document = await this.book.open(file);
      if (document.chapters.length > 1 || document.chapters[0]?.text.length > 20_000) {
        say(`${document.title}: ${document.chapters.length} chapters.`);
      } else {
        byId("text").value = document.chapters[0]?.text ?? "";
        this.book.close();
        this.typed();
        say(`${file.name} is in the text box.`);
      }
      this.show("write");
    } catch (error) {
      say(error.message, true);
    }
  }

  closeBook() {
    this.book.close();
    this.show("write");
    byId("text").focus();
  }

  async showHistory() {
    const entries = await history.listed().catch(() => []);
    byId("history").hidden = !entries.length;
    byId("history-list").replaceChildren(...entries.map((entry) => {
      const name = entry.title ?? entry.text;
      const when = new Date(entry.when).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
      return element("li", {},
        element("button", { class: "quiet icon", "aria-label": `Play: ${name.slice(0, 60)}`, click: () => this.again(entry.id) }, icon("play")),
        element("p", {}, element("span", { class: "clip" }, name),
          element("span", { class: "soft" }, `${entry.voiceName}, ${clock(entry.seconds)}, ${when}`)),
        element("button", {
          class: "quiet icon", "aria-label": `Forget: ${name.slice(0, 60)}`,
          click: async () => {
            await history.remove(entry.id);
            this.showHistory();
          },
        }, icon("trash")));
    }));
  }

  async again(id) {
    const opening = this.player.unlock();
    await this.stop();
    const speech = await history.load(id);
    await opening;
    await this.player.load(speech);
    this.reader.show(speech);
    this.show("read");
    this.player.play();
  }

  async forgetAll() {
    await history.removeAll();
    await this.showHistory();
    say("All of them are forgotten.");
  }
}

// A wait shorter than a blink of the clock needs no number.
function waitWords(seconds) {
  return seconds < 1.5 ? "begins in a moment" : `begins in ${spokenTime(seconds)}`;
}
