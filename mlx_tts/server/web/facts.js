// What the server says of its models and voices, in; lists and answers about them, out.

import { ask } from "./http.js";
import { capital } from "./words.js";

class Facts extends EventTarget {
  models = [];
  voices = [];
  catalogue = [];
  formats = []; // of files: {name, title, note, streams}
  fetches = false; // whether the server fetches models for this page
  key_needed = false;
  max_input = Infinity; // characters of a request

  async refresh() {
    const answer = await ask("/page/api/facts");
    Object.assign(this, await answer.json());
    this.dispatchEvent(new Event("change"));
  }

  model(id) {
    return this.models.find((model) => model.id === id);
  }

  get cloners() {
    return this.models.filter((model) => model.can.clones);
  }

  // Groups of choices: {name, choices: [{value, name, model, voice, facts, usable}]}.
  groups() {
    const own = this.voices.map((voice) => ({
      value: `own:${voice.id}`, name: voice.name, voice: voice.id, model: voice.model ?? this.cloners[0]?.id,
      facts: "A voice of yours.", language: null, usable: Boolean(voice.model ?? this.cloners.length), own: voice,
    }));
    const groups = own.length ? [{ name: "Your voices", choices: own }] : [];
    for (const model of this.models) {
      const choices = model.voices.map((voice) => ({
        value: `preset:${model.id}:${voice.name}`, name: capital(voice.name), voice: voice.name, model: model.id,
        facts: factsOf(voice), language: voice.language, usable: true,
      }));
      if (model.can.designs) {
        choices.push({
          value: `design:${model.id}`, name: "A voice that you describe", voice: null, model: model.id,
          facts: "Say below what it is like.", language: null, usable: true,
        });
      }
      if (choices.length) groups.push({ name: nameOf(model), choices });
    }
    return groups;
  }
}

export const facts = new Facts();

const FAMILIES = { qwen3_tts: "Qwen3-TTS", magpie: "Magpie", voxcpm2: "VoxCPM", kokoro: "Kokoro" };

// A family of another package has the name that it gives itself.
export const familyOf = ({ family }) => FAMILIES[family] ?? capital(family ?? "");

export function nameOf(model) {
  if (model.id === "tiny") return "Built-in voices";
  if (model.id === "tiny-base") return `Built-in cloning${model.experimental ? " (experimental)" : ""}`;
  return [`${familyOf(model)} ${model.size}`.trim(), model.kind?.replaceAll("_", " "), model.quantisation].filter(Boolean).join(", ");
}

function factsOf(voice) {
  if (!voice.sex) return "";
  const accents = { US: "American", GB: "British" };
  const accent = accents[voice.accent] ?? (voice.accent === "standard" ? "" : voice.accent);
  const language = capital(voice.language);
  return `${capital(voice.sex)}, ${[accent, language].filter(Boolean).join(" ")}. ${capital(voice.character)}.`;
}
