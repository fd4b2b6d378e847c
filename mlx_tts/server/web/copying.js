// A text -> a button that copies it.

import { element } from "./words.js";

const COPIED = 1500; // milliseconds

// what: its name for listeners. text: a function that gives it. tell: is given a sentence about how it went.
export function copyButton(what, text, tell) {
  const button = element("button", { class: "quiet copy", "aria-label": `Copy ${what}`, click: async () => {
    const done = await copied(text(), button);
    tell(done ? `Copied: ${what}.` : "The browser does not let the page copy: select the text and copy it.");
    button.textContent = done ? "Copied" : "Not copied";
    setTimeout(() => (button.textContent = "Copy"), COPIED);
  } }, "Copy");
  return button;
}

// Browsers have a clipboard for pages on https and on the server's own machine; elsewhere a selection is copied.
async function copied(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", { class: "unseen", "aria-hidden": "true", tabindex: -1 }, text);
    const before = document.activeElement;
    button.parentElement.append(area); // an open dialog lets nothing outside of it be selected
    area.focus({ preventScroll: true });
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    before.focus();
    return done;
  }
}
