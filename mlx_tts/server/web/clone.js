// The section Clone: a recording in, a voice that is kept under a name out.

import { facts, nameOf } from "./facts.js";
import { ask } from "./http.js";
import { passage, PASSAGES, sampleSentence } from "./passages.js";
import { canRecord, Recorder } from "./recorder.js";
import { hearBlob, hearVoice } from "./sample.js";
import { byId, capital, clock, element, hueOf, icon, say, size } from "./words.js";

const CONSENT = "Said on the page: this is my voice, or its owner agrees that I use it.";
const BARS = 240;

export class Clone {
  constructor(speak, showTab) {
    Object.assign(this, { speak, showTab, recorder: null, sample: null, bars: [], read: null, drawing: null });
    byId("record").addEventListener("click", () => (this.recorder ? this.endRecording() : this.record()));
    byId("choose-sample").addEventListener("click", () => byId("sample-file").click());
    byId("sample-file").addEventListener("change", () => {
      const [file] = byId("sample-file").files;
      byId("sample-file").value = "";
      if (file) this.take(file, file.name);
    });
    byId("hear-sample").addEventListener("click", () => hearBlob(byId("hear-sample"), this.sample));
    byId("passage-language").addEventListener("change", () => this.showPassage());
    byId("transcript").addEventListener("change", () => this.sample && this.check());
    byId("clone-model").addEventListener("change", () => this.fillLanguages());
    for (const id of ["clone-name", "consent"]) byId(id).addEventListener("input", () => this.showReady());
    byId("make-voice").addEventListener("click", () => this.make());
    new ResizeObserver(() => this.draw()).observe(byId("sample"));
    facts.addEventListener("change", () => this.fill());
    this.fill();
  }

  shown(visible) {
    if (!visible && this.recorder) this.endRecording();
    if (visible) this.draw();
  }

  fill() {
    const { cloners } = facts;
    byId("cloning").hidden = !cloners.length;
    byId("no-cloner").hidden = Boolean(cloners.length);
    if (!cloners.length) this.showWay();
    byId("clone-model-field").hidden = cloners.length < 2;
    const chosen = byId("clone-model").value;
    byId("clone-model").replaceChildren(...cloners.map((model) => element("option", { value: model.id }, nameOf(model))));
    if (facts.model(chosen)) byId("clone-model").value = chosen;
    if (!canRecord()) byId("record").disabled = true;
    this.fillLanguages();
    this.showVoices();
  }

  // What to do where no served model can clone.
  showWay() {
    const known = facts.catalogue.filter((model) => model.can?.clones && (model.on_disk || model.recommended));
    const served = facts.models.map((model) => `--model ${model.id}`).join(" ");
    byId("no-cloner").replaceChildren(
      element("h2", {}, "This server's models speak with their own voices only"),
      element("p", {}, "Voices are cloned by other models. The person who started the server can add one of these:"),
      element("ul", {}, ...known.sort((a, b) => b.on_disk - a.on_disk).map((model) => element("li", {},
        element("strong", {}, model.id),
        element("span", { class: "soft" }, model.on_disk ? " is on this machine already: " : ` has to be fetched once, ${size(model.size_bytes)}: `),
        element("code", {}, `mlx-tts serve ${served} --model ${model.id}`)))),
    );
  }

  get model() {
    return facts.model(byId("clone-model").value) ?? facts.cloners[0];
  }

  fillLanguages() {
    const known = Object.keys(PASSAGES).filter((name) => this.model?.languages.includes(name));
    const list = known.length ? known : ["english"];
    const before = byId("passage-language").value;
    byId("passage-language").replaceChildren(...list.map((name) => element("option", { value: name }, capital(name))));
    byId("passage-language").value = list.includes(before) ? before : list.includes("english") ? "english" : list[0];
    this.showPassage();
  }

  showPassage() {
    byId("passage").textContent = passage(byId("passage-language").value);
  }

  async record() {
    const recorder = new Recorder();
    try {
      this.bars = [];
      await recorder.start((level, seconds, full) => this.hearing(level, seconds, full));
    } catch (error) {
      const refused = error.name === "NotAllowedError";
      return say(refused ? "The browser was not allowed to use the microphone. Allow it next to the address, then try again."
        : "No microphone was found. Plug one in, or choose a recording.", true);
    }
    this.recorder = recorder;
    this.read = byId("passage").textContent;
    this.showRecord("Stop recording", "stop");
    byId("sample").hidden = false;
    byId("report").replaceChildren();
    say("Recording. Read the passage aloud.");
  }

  hearing(level, seconds, full) {
    byId("record-clock").textContent = clock(seconds);
    const slot = Math.floor(seconds * 12);
    this.bars[slot] = Math.max(this.bars[slot] ?? 0, level);
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = null;
      this.draw();
    });
    if (full) this.endRecording();
  }

  async endRecording() {
    const { recorder } = this;
    this.recorder = null;
    this.showRecord("Record again", "mic");
    const blob = await recorder.stop();
    // Only what was meant to be read is known to be said; other words the speaker puts right.
    if (!byId("transcript").value.trim()) byId("transcript").value = this.read;
    await this.take(blob, "recording.wav");
  }

  showRecord(name, picture) {
    byId("record").replaceChildren(icon(picture), element("span", {}, name));
  }

  async take(blob, name) {
    if (!facts.cloners.length) return say("No served model can clone a voice. See how to add one below.", true);
    if (blob.size > facts.sample.bytes) return say(`${name} has more than 10 MB: choose a shorter recording.`, true);
    [this.sample, this.sampleName] = [blob, name];
    await this.check();
  }

  async check() {
    const transcript = byId("transcript").value.trim() ? "1" : "0";
    byId("sample").hidden = false;
    try {
      const headers = { "Content-Type": "application/octet-stream" };
      const answer = await ask(`/page/api/sample?transcript=${transcript}`, { method: "POST", headers, body: this.sample });
      const report = await answer.json();
      this.bars = report.bars;
      this.good = true;
      this.showReport(report);
    } catch (error) {
      this.good = false;
      this.bars = [];
      byId("report").replaceChildren(element("li", { class: "bad" }, error.message));
      say(error.message, true);
    }
    this.draw();
    this.showReady();
  }

  showReport({ seconds, used_seconds: used, steps, warnings }) {
    const line = (kind, text) => element("li", { class: kind }, capital(text).replace(/([^.])$/, "$1."));
    const length = used < seconds - 0.05 ? `${seconds.toFixed(1)} s long, ${used.toFixed(1)} s of it are used` : `${seconds.toFixed(1)} s long`;
    byId("report").replaceChildren(
      line("fine", length), ...steps.map((text) => line("fine", text)), ...warnings.map((text) => line("bad", text)),
      ...(warnings.length ? [] : [line("good", "no noise, clipping, music, echo or second speaker was found")]));
    say(warnings.length ? `The recording was checked: ${warnings[0]}.` : "The recording was checked, and it is good.");
  }

  draw() {
    const canvas = byId("sample-wave"), { clientWidth: width, clientHeight: height } = canvas;
    if (!width) return;
    const scale = devicePixelRatio || 1;
    [canvas.width, canvas.height] = [width * scale, height * scale];
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.fillStyle = getComputedStyle(canvas).color;
    const bars = this.recorder ? this.bars.slice(-BARS) : this.bars;
    const step = width / (this.recorder ? BARS : Math.max(BARS, bars.length));
    bars.forEach((level, at) => {
      const tall = Math.max(1.5, level * (height - 4));
      pen.fillRect(at * step, (height - tall) / 2, Math.max(1, step * 0.65), tall);
    });
  }

  showReady() {
    byId("make-voice").disabled = !(this.sample && this.good && byId("clone-name").value.trim() && byId("consent").checked);
  }

  async make() {
    const name = byId("clone-name").value.trim();
    const form = new FormData();
    const fields = { name, consent: CONSENT, model: this.model.id, transcript: byId("transcript").value.trim() };
    for (const [key, value] of Object.entries(fields)) if (value) form.set(key, value);
    form.set("audio_sample", this.sample, this.sampleName);
    byId("make-voice").disabled = true;
    say(`Making the voice ${name}.`);
    try {
      const { id } = await (await ask("/v1/audio/voices", { method: "POST", body: form })).json();
      await facts.refresh();
      this.speak.settings.choose(`own:${id}`);
      say(`${name} is ready. Hear it here, or use it under Speak.`);
      byId("clone-name").value = "";
      byId("consent").checked = false;
      byId(`hear-${id}`)?.focus();
    } catch (error) {
      say(error.message, true);
    }
    this.showReady();
  }

  showVoices() {
    const voices = facts.voices;
    byId("own-voices").replaceChildren(...(voices.length ? voices.map((voice) => this.row(voice))
      : [element("li", { class: "soft" }, "None yet. A voice is kept on the server's machine, under the name that you give it.")]));
  }

  row(voice) {
    const { id, name, model } = voice;
    const face = element("span", { class: "face", "aria-hidden": "true" }, name.charAt(0).toUpperCase());
    face.style.setProperty("--hue", hueOf(name));
    const order = { voice: id, model: model ?? facts.cloners[0]?.id, input: sampleSentence("english"), seed: 7 };
    return element("li", { class: "own" }, face,
      element("button", { class: "quiet name", "aria-label": `Use ${name}`, click: () => this.use(id) }, name),
      element("button", {
        class: "quiet icon", id: `hear-${id}`, "aria-label": `Hear ${name}`,
        click: (event) => hearVoice(event.currentTarget, `This is ${name}.`, order),
      }, icon("ear")),
      voice.deletable ? element("button", { class: "quiet icon", "aria-label": `Delete ${name}`, click: () => this.delete(voice) }, icon("trash")) : null);
  }

  use(id) {
    this.speak.settings.choose(`own:${id}`);
    this.showTab("speak");
    byId("text").focus();
  }

  async delete({ id, name }) {
    if (!confirm(`Delete the voice ${name}? It cannot be brought back.`)) return;
    try {
      await ask(`/v1/audio/voices/${encodeURIComponent(id)}`, { method: "DELETE" });
      await facts.refresh();
      say(`${name} is deleted.`);
    } catch (error) {
      say(error.message, true);
    }
  }
}
