// A written dialogue in, the same text with the markup that gives each of two speakers a voice out.

import { facts } from "./facts.js";
import { byId, element } from "./words.js";

const STORED = "mlx-tts.dialogue";
const NUMBERS = [1, 2];

export class Dialogue {
  // changed: called when the text will be spoken otherwise.
  constructor(settings, changed) {
    this.settings = settings;
    this.stored = { names: ["Ann", "Ben"], voices: {}, ...JSON.parse(localStorage.getItem(STORED) ?? "{}") };
    for (const number of NUMBERS) {
      byId(`speaker-${number}`).value = this.stored.names[number - 1];
      byId(`speaker-${number}`).addEventListener("input", () => this.keep());
      byId(`speaker-voice-${number}`).addEventListener("change", () => this.keep());
    }
    byId("dialogue-on").checked = Boolean(this.stored.on);
    byId("dialogue").open = byId("dialogue-on").checked;
    byId("dialogue-on").addEventListener("change", () => this.keep());
    this.changed = changed;
  }

  keep() {
    const voices = NUMBERS.map((number) => byId(`speaker-voice-${number}`).value);
    this.stored = {
      on: byId("dialogue-on").checked, names: NUMBERS.map((number) => byId(`speaker-${number}`).value),
      voices: { ...this.stored.voices, [this.model]: voices },
    };
    localStorage.setItem(STORED, JSON.stringify(this.stored));
    this.changed();
  }

  // The voices of the model that speaks: one request has one model. Those that were chosen for it are chosen again.
  fill() {
    const { choice } = this.settings;
    const choices = facts.groups().flatMap((group) => group.choices)
      .filter(({ model, voice, usable }) => usable && voice !== null && model === choice?.model);
    const shown = JSON.stringify(choices);
    byId("dialogue").hidden = choices.length < 2;
    if (shown === this.shown) return;
    [this.shown, this.model] = [shown, choice?.model];
    const names = choices.map((one) => (one.own ? one.name : one.voice)); // as the markup names them
    const others = names.filter((_name, at) => choices[at].value !== choice.value); // the chosen one reads the rest
    for (const number of NUMBERS) {
      const select = byId(`speaker-voice-${number}`);
      select.replaceChildren(...choices.map(({ name }, at) => element("option", { value: names[at] }, name)));
      const kept = this.stored.voices[this.model]?.[number - 1];
      select.value = names.includes(kept) ? kept : others[number - 1] ?? names[number - 1];
    }
  }

  get speakers() {
    if (byId("dialogue").hidden || !byId("dialogue-on").checked) return [];
    return NUMBERS.map((number) => ({ name: byId(`speaker-${number}`).value.trim(), voice: byId(`speaker-voice-${number}`).value }))
      .filter(({ name, voice }) => name && voice);
  }

  marked(text) {
    this.fill(); // a voice that was just made may have been chosen since
    const { speakers } = this;
    const { marked, turns } = withVoices(text, speakers);
    byId("dialogue-found").textContent = speakers.length ? speakers.map(({ name }, at) => `${name}: ${count(turns[at])}`).join(", ") : "";
    return marked;
  }
}

const count = (turns) => (turns === 1 ? "1 turn" : `${turns} turns`);

// A turn begins with a name and a colon, and goes on until the next one or an empty line. SSML has voices of its own.
// turns: how many each speaker has.
export function withVoices(text, speakers) {
  const turns = speakers.map(() => 0);
  if (!speakers.length || text.trimStart().startsWith("<speak")) return { marked: text, turns };
  const names = speakers.map(({ name }) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const label = new RegExp(`^[ \\t]*(\\*\\*|__)?(${names.join("|")})\\1?[ \\t]*[:：]\\1?[ \\t]*`, "iu");
  const lines = [];
  let speaks = false;
  const end = () => {
    if (speaks) lines.push(`${lines.pop()}[/voice]`);
    speaks = false;
  };
  for (const line of text.split("\n")) {
    const found = label.exec(line);
    if (found || !line.trim()) end();
    if (!found) {
      lines.push(line);
      continue;
    }
    const at = speakers.findIndex(({ name }) => name.toLowerCase() === found[2].toLowerCase());
    turns[at] += 1;
    lines.push(`[voice:${speakers[at].voice}]${line.slice(found[0].length)}`);
    speaks = true;
  }
  end();
  return { marked: lines.join("\n"), turns };
}
