// The controls next to the text: voice, language, speed and manner; what is chosen is remembered by this browser.

import { facts, nameOf } from "./facts.js";
import { sampleSentence } from "./passages.js";
import { hearVoice } from "./sample.js";
import { Voices } from "./voices.js";
import { byId, capital, element } from "./words.js";

const STORED = "mlx-tts.settings";

export class Settings {
  constructor() {
    this.stored = JSON.parse(localStorage.getItem(STORED) ?? "{}");
    facts.addEventListener("change", () => this.fill());
    this.voices = new Voices((value) => this.choose(value), (button, choice) => this.hear(button, choice));
    for (const id of ["language", "speed", "instructions", "temperature", "seed"]) {
      byId(id).value = this.stored[id] ?? byId(id).value;
      byId(id).addEventListener("input", () => {
        this.remember(id, byId(id).value);
        this.show();
      });
    }
    this.show();
  }

  remember(name, value) {
    this.stored[name] = value;
    localStorage.setItem(STORED, JSON.stringify(this.stored));
  }

  fill() {
    const groups = facts.groups();
    this.choices = groups.flatMap((group) => group.choices);
    this.voices.fill(groups);
    const wanted = this.choices.find(({ value, usable }) => usable && value === this.stored.voice);
    const first = wanted ?? this.choices.find(({ usable, model }) => usable && facts.model(model)?.default) ?? this.choices[0];
    this.choose(first?.value);
  }

  // Called from outside as well, as when a voice was made.
  choose(value) {
    this.choice = this.choices.find((choice) => choice.value === value);
    if (!this.choice) {
      byId("voice-facts").textContent = "There is no voice yet: make one under Clone a voice.";
      return;
    }
    this.voices.select(value);
    this.remember("voice", value);
    this.fillLanguages();
    this.show();
  }

  get model() {
    return facts.model(this.choice?.model);
  }

  fillLanguages() {
    const languages = this.model?.languages ?? [];
    const wanted = this.stored.language;
    byId("language").replaceChildren(
      element("option", { value: "" }, "As the text is"),
      ...languages.map((name) => element("option", { value: name }, capital(name))),
    );
    byId("language").value = languages.includes(wanted) ? wanted : "";
  }

  show() {
    const { choice, model } = this;
    byId("speed-shown").textContent = `${Number(byId("speed").value).toFixed(2).replace(/0$/, "")} ×`;
    const temperature = Number(byId("temperature").value);
    byId("temperature-shown").textContent = temperature ? temperature.toFixed(2) : "the model's own";
    if (!choice || !model) return;
    const where = facts.models.length > 1 || choice.own ? ` ${nameOf(model)}.` : "";
    byId("voice-facts").replaceChildren(element("strong", {}, choice.name), element("br"), `${choice.facts}${where}`);
    byId("manner").hidden = !(model.can.instructs || model.can.designs);
    byId("manner-name").textContent = model.can.designs ? "Describe the voice" : "How to speak";
    byId("instructions").placeholder = model.can.designs ? "An old sailor, hoarse and kind" : "Warmly, a little amused";
  }

  // What a request for speech needs; null where there is no voice.
  order(choice = this.choice) {
    if (!choice) return null;
    const { can } = facts.model(choice.model);
    const manner = can.instructs || can.designs ? byId("instructions").value.trim() : "";
    const seed = byId("seed").value.trim();
    return {
      model: choice.model, voice: choice.voice, language: byId("language").value || null,
      speed: Number(byId("speed").value), instructions: manner || (can.designs ? "A clear, friendly voice." : null),
      seed: /^\d{1,15}$/.test(seed) ? Number(seed) : null, temperature: Number(byId("temperature").value) || null,
    };
  }

  get language() {
    return this.languageOf(this.choice);
  }

  // The one that is chosen, where the model has it, else that of the voice.
  languageOf(choice) {
    const known = facts.model(choice?.model)?.languages ?? [];
    const chosen = byId("language").value;
    if (known.includes(chosen)) return chosen;
    return choice?.language || (known.includes("english") || !known.length ? "english" : known[0]);
  }

  hear(button, choice) {
    const language = this.languageOf(choice);
    return hearVoice(button, `This is ${choice.name}.`, { ...this.order(choice), language, speed: 1, seed: 7, input: sampleSentence(language) });
  }
}
