// A file in, its chapters to choose from out; what will be spoken of each can be looked at first.

import { ask, askJson } from "./http.js";
import { lexicon } from "./lexicon.js";
import { byId, element, spokenTime } from "./words.js";

export class Book {
  constructor(box, order, changed) {
    Object.assign(this, { box, order, changed, document: null });
  }

  async open(file) {
    const path = `/page/api/document?name=${encodeURIComponent(file.name)}`;
    const headers = { "Content-Type": "application/octet-stream" };
    const answer = await ask(path, { method: "POST", headers, body: file });
    this.document = await answer.json();
    this.draw();
    return this.document;
  }

  close() {
    this.document = null;
    this.box.replaceChildren();
  }

  chosen() {
    return this.document.chapters.filter((_chapter, number) => this.ticks[number].checked);
  }

  draw() {
    const { title, author, cover, chapters, left_out: leftOut } = this.document;
    const total = chapters.reduce((sum, chapter) => sum + chapter.seconds, 0);
    this.ticks = chapters.map((_chapter, number) =>
      element("input", { type: "checkbox", id: `chapter-${number}`, checked: true, change: () => this.counted() }));
    this.box.replaceChildren(
      element("div", { class: "book-head" },
        cover ? element("img", { src: cover, alt: "", width: 64 }) : null,
        element("div", {}, element("h2", {}, title),
          element("p", { class: "soft" }, [author, `${chapters.length} chapters`, `about ${spokenTime(total)}`].filter(Boolean).join(" · ")),
          leftOut.length ? element("p", { class: "soft" }, `Left out: ${leftOut.join(", ")}.`) : null)),
      element("div", { class: "book-tools" },
        element("button", { class: "quiet", click: () => this.tickAll(true) }, "Choose all"),
        element("button", { class: "quiet", click: () => this.tickAll(false) }, "Choose none")),
      element("ol", { class: "chapters", "aria-label": "Chapters" }, ...chapters.map((chapter, number) => this.row(chapter, number))),
    );
  }

  row(chapter, number) {
    const name = chapter.title ?? (number ? `Part ${number + 1}` : "Before the first chapter");
    const words = element("div", { class: "spoken", hidden: true });
    const look = element("button", {
      class: "quiet", "aria-expanded": "false", "aria-label": `What will be spoken of ${name}`,
      click: () => this.look(chapter, look, words),
    }, "Preview");
    return element("li", {},
      this.ticks[number],
      element("label", { for: `chapter-${number}` }, name, element("span", { class: "soft" }, spokenTime(chapter.seconds))),
      look, words);
  }

  async look(chapter, button, words) {
    words.hidden = !words.hidden;
    button.setAttribute("aria-expanded", String(!words.hidden));
    button.textContent = words.hidden ? "Preview" : "Close";
    if (words.hidden || words.childElementCount) return;
    words.append(element("p", { class: "soft" }, "One moment."));
    try {
      const order = Object.fromEntries(Object.entries(this.order() ?? {}).filter(([, value]) => value !== null));
      const beginning = chapter.text.slice(0, 20_000);
      const answer = await askJson("/page/api/plan", { ...order, input: beginning, plain: chapter.plain, lexicon: lexicon.within(beginning) ?? [] });
      const { pieces } = await answer.json();
      words.replaceChildren(...pieces.map((piece) => element("p", {}, piece.spoken)));
      if (chapter.text.length > 20_000) words.append(element("p", { class: "soft" }, "And so on."));
    } catch (error) {
      words.replaceChildren(element("p", { class: "error" }, error.message));
    }
  }

  tickAll(on) {
    for (const tick of this.ticks) tick.checked = on;
    this.counted();
  }

  counted() {
    this.changed();
    byId("go").disabled = false;
  }
}
