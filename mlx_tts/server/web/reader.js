// A speech in, its text to read along: the sentence and the word that are heard stand out, a click goes there.

import { element, say } from "./words.js";

const PATIENCE = 4000; // milliseconds after somebody scrolled by hand

export class Reader {
  constructor(box, player) {
    Object.assign(this, { box, player, now: -1, word: -1, scrolled: 0 });
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Text being read. Arrow keys go from sentence to sentence.");
    box.addEventListener("click", (event) => this.click(event));
    box.addEventListener("keydown", (event) => this.key(event));
    for (const kind of ["wheel", "touchmove"]) {
      box.addEventListener(kind, () => (this.scrolled = performance.now()), { passive: true });
    }
  }

  show(speech) {
    this.speech = speech;
    this.box.replaceChildren();
    this.spans = [];
    this.paragraph = null;
    this.now = this.word = -1;
    this.chapter = -1;
    this.shown = 0;
    speech.addEventListener("plan", () => speech === this.speech && this.extend());
    this.extend();
  }

  extend() {
    for (; this.shown < this.speech.pieces.length; this.shown += 1) {
      const piece = this.speech.pieces[this.shown];
      if (piece.chapter !== this.chapter) {
        this.chapter = piece.chapter;
        this.paragraph = this.heading(piece);
      }
      this.paragraph ??= this.box.appendChild(element("p"));
      for (let at = piece.first; at < piece.first + piece.count; at += 1) {
        const span = element("span", { class: "sentence", "data-at": at }, this.speech.sentences[at].text);
        this.spans[at] = span;
        this.paragraph.append(span, " ");
      }
      if (piece.paragraphEnds) this.paragraph = null;
    }
  }

  // Most chapters speak their title first; then that sentence stands as the heading. Else the title stands unspoken.
  heading(piece) {
    const title = this.speech.chapters[piece.chapter]?.title;
    if (!title) return null;
    const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
    const spoken = piece.count === 1 && plain(this.speech.sentences[piece.first].text) === plain(title);
    const heading = this.box.appendChild(element("h2", {}, spoken ? "" : title));
    return spoken ? heading : null;
  }

  // Called many times a second.
  follow(seconds) {
    if (!this.speech || this.box.hidden) return;
    const at = this.speech.sentenceAt(seconds);
    if (at !== this.now) this.enter(at);
    if (at < 0) return;
    const sentence = this.speech.sentences[at];
    if (this.words !== sentence.words) this.split(at);
    const word = sentence.words.findLastIndex((mark) => mark.start <= seconds + 0.02);
    if (word !== this.word) {
      this.marks?.[this.word]?.classList.remove("now");
      this.marks?.[word]?.classList.add("now");
      this.word = word;
    }
  }

  enter(at) {
    const before = this.spans[this.now];
    if (before) {
      before.classList.remove("now");
      before.removeAttribute("aria-current");
      before.textContent = this.speech.sentences[this.now].text;
    }
    const [low, high] = [Math.max(0, Math.min(this.now, at)), Math.max(this.now, at)];
    for (let number = low; number <= high; number += 1) this.spans[number]?.classList.toggle("heard", number < at);
    [this.now, this.word, this.words, this.marks] = [at, -1, null, null];
    const span = this.spans[at];
    if (!span) return;
    span.classList.add("now");
    span.setAttribute("aria-current", "true");
    this.keepInView(span);
  }

  // The words of the sentence as elements, at the places that they have in it.
  split(at) {
    const { text, words } = this.speech.sentences[at];
    const span = this.spans[at];
    const parts = [];
    let from = 0;
    this.marks = words.map((word) => {
      const place = text.indexOf(word.text, from);
      if (place < 0) return null;
      const mark = element("span", { class: "word" }, word.text);
      parts.push(text.slice(from, place), mark);
      from = place + word.text.length;
      return mark;
    });
    span.replaceChildren(...parts, text.slice(from));
    this.words = words;
    this.word = -1;
  }

  keepInView(span) {
    if (performance.now() - this.scrolled < PATIENCE) return;
    const box = this.box.getBoundingClientRect(), place = span.getBoundingClientRect();
    if (place.top > box.top + box.height * 0.1 && place.bottom < box.top + box.height * 0.75) return;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const top = this.box.scrollTop + place.top - box.top - box.height * 0.3;
    this.box.scrollTo({ top, behavior: calm ? "auto" : "smooth" });
  }

  click(event) {
    const span = event.target.closest(".sentence");
    if (span && getSelection().isCollapsed) this.go(Number(span.dataset.at));
  }

  key(event) {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (event.key === " ") this.player.toggle();
    else if (event.key in steps) this.step(steps[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  step(by) {
    if (!this.speech) return;
    const now = this.speech.sentenceAt(this.player.seconds);
    // Back begins the sentence again first, as players do, unless it has only just begun.
    const again = by < 0 && now >= 0 && this.player.seconds - this.speech.sentences[now].start > 1.5;
    this.go(Math.max(0, Math.min(again ? now : now + by, this.speech.sentences.length - 1)));
  }

  go(at) {
    const sentence = this.speech?.sentences[at];
    if (!sentence) return;
    if (sentence.start === null || sentence.start > this.speech.seconds) {
      say("That sentence is not made yet.");
      return;
    }
    this.scrolled = 0;
    this.player.seek(Math.max(0, sentence.start - 0.02));
    if (!this.player.playing) this.player.play();
  }
}
