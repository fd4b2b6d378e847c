// Groups of voices in, faces to choose from out: each has a play sign, which lets its voice be heard.

import { byId, element, hueOf, icon } from "./words.js";

const LONGEST = 8; // letters of a word that a face of ordinary width has room for

// chosen: takes the value of a choice. hear: takes the button and the choice.
export class Voices {
  constructor(chosen, hear) {
    this.hear = hear;
    this.shown = "";
    byId("voice").addEventListener("change", ({ target }) => chosen(target.value));
  }

  // The same groups again change nothing: a sample may be playing, and a face may have the focus.
  fill(groups) {
    const shown = JSON.stringify(groups);
    if (shown === this.shown) return;
    this.shown = shown;
    byId("faces").replaceChildren(...groups.map(({ name, choices }, at) =>
      element("div", { role: "group", "aria-labelledby": `voices-${at}` },
        element("p", { class: "soft", id: `voices-${at}` }, name),
        element("ul", {}, ...choices.map((choice) => this.tile(choice))))));
  }

  tile(choice) {
    const { value, name, usable } = choice;
    const face = element("span", { class: "face", "aria-hidden": "true" }, name.charAt(0).toUpperCase());
    face.style.setProperty("--hue", hueOf(name));
    const isLong = name.split(" ").some((word) => word.length > LONGEST);
    return element("li", { class: isLong ? "voice long" : "voice", title: choice.facts },
      element("label", {},
        element("input", { type: "radio", name: "voice", value, disabled: !usable }), face, element("span", {}, name)),
      element("button", {
        class: "hear", "aria-label": `Hear ${name}`, disabled: !usable, tabindex: -1,
        click: ({ currentTarget }) => this.hear(currentTarget, choice),
      }, icon("play")));
  }

  // One stop of the Tab key for the faces, which the arrow keys choose, and one for the play sign of the chosen one.
  select(value) {
    for (const tile of byId("faces").querySelectorAll(".voice")) {
      const input = tile.querySelector("input");
      input.checked = input.value === value;
      tile.querySelector("button").tabIndex = input.checked ? 0 : -1;
      if (input.checked) bringIntoView(tile);
    }
  }
}

// Within the faces alone: scrollIntoView would move the page as well.
function bringIntoView(tile) {
  const faces = byId("faces");
  const isAbove = tile.offsetTop < faces.scrollTop;
  const isBelow = tile.offsetTop + tile.offsetHeight > faces.scrollTop + faces.clientHeight;
  if (isAbove || isBelow) faces.scrollTop = tile.offsetTop - (faces.clientHeight - tile.offsetHeight) / 2;
}
