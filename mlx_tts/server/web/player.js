// A speech in, heard: play, pause, go to a time. Also while the speech is still being made.

import { listening } from "./listening.js";
import { openOutput } from "./output.js";
import { RATE } from "./speech.js";
import { Stretch } from "./stretch.js";

const AHEAD = 8 * RATE; // samples that the output holds; more would be thrown away at each jump
const STRETCHED_AHEAD = 2 * RATE; // each of them takes work, which must not hold up the page
const BLOCK = RATE / 4;
const HASTE = 0.2, NEXT_HASTE = 1.5; // seconds that must be there to begin, and to go on, for who cannot wait

export class Player extends EventTarget {
  constructor() {
    super();
    this.speech = null;
    this.playing = false;
    this.start = 0; // sample that the output began with
    this.cursor = 0; // next sample that is read for it
    this.pace = 1; // samples of the speech for each one that is heard
    this.pushed = this.played = 0; // samples that the output got and let be heard
    this.reported = 0; // when
    this.haste = null; // seconds that are enough for a listener who asked to begin now
    this.waiting = true;
    this.fill = () => this.feed();
    listening.addEventListener("change", () => this.listenAnew());
  }

  listenAnew() {
    this.gain?.gain.setTargetAtTime(listening.volume, this.context.currentTime, 0.01); // at once it would click
    if (this.pace === listening.pace || !this.speech) return;
    this.jump(Math.round(this.seconds * RATE));
    this.feed();
  }

  // Browsers let a page sound only within a click: call this there, before anything is awaited.
  unlock() {
    if (!this.context) {
      this.context = new AudioContext({ sampleRate: RATE, latencyHint: "playback" });
      this.gain = this.context.createGain();
      this.gain.gain.value = listening.volume;
      this.gain.connect(this.context.destination);
      this.opening = openOutput(this.gain, (played) => this.report(played)).then((output) => (this.output = output));
    }
    this.context.resume();
    return this.opening;
  }

  leave() {
    this.speech?.removeEventListener("grow", this.fill);
    this.speech?.removeEventListener("done", this.fill);
  }

  // Nothing is there to be heard any more.
  unload() {
    this.pause();
    this.leave();
    this.jump(0);
    this.speech = null;
    this.tell("load");
  }

  async load(speech) {
    this.leave();
    await this.opening;
    this.speech = speech;
    speech.addEventListener("grow", this.fill);
    speech.addEventListener("done", this.fill);
    this.haste = null;
    this.jump(0);
    this.tell("load");
  }

  async play() {
    await this.unlock();
    if (!this.speech) return;
    if (this.speech.done && this.sample >= this.speech.length - 1) this.jump(0);
    this.playing = true;
    this.reported = performance.now();
    this.feed();
    this.tell("state");
  }

  pause() {
    this.frozen = this.seconds;
    this.playing = false;
    this.context?.suspend();
    this.tell("state");
  }

  // All was handed to the speakers, but a part of it is still on its way to the ear.
  end() {
    this.playing = false;
    this.frozen = this.speech.seconds;
    setTimeout(() => this.playing || this.context.suspend(), 200 + 1000 * (this.context.outputLatency || 0));
    this.tell("end");
  }

  // Whoever cannot wait until it will be heard without a hole.
  beginNow() {
    this.haste = HASTE;
    this.feed();
  }

  // Seconds until it begins or goes on by itself; null where it does not wait.
  get wait() {
    const { speech } = this;
    if (!this.playing || !this.waiting || !speech || speech.done) return null;
    return speech.arrivals.wait(this.there, speech.expectedSeconds - speech.seconds, this.pace);
  }

  // Seconds of sound from here on.
  get there() {
    return (this.speech.length - this.cursor) / RATE;
  }

  get isEnough() {
    const { speech } = this;
    const rest = speech.expectedSeconds - speech.seconds;
    return speech.done || this.there >= (this.haste ?? speech.arrivals.needed(rest, this.pace));
  }

  toggle() {
    return this.playing ? this.pause() : this.play();
  }

  seek(seconds) {
    if (!this.speech) return;
    this.jump(Math.round(Math.max(0, Math.min(seconds, this.speech.seconds - 0.05)) * RATE));
    this.feed();
    this.tell("state");
  }

  jump(sample) {
    this.start = this.cursor = Math.max(0, sample);
    this.pushed = this.played = 0;
    this.pace = listening.pace;
    this.stretch = this.pace === 1 ? null : new Stretch(this.pace, this.start);
    this.reported = performance.now();
    this.frozen = this.start / RATE;
    this.waiting = true;
    this.output?.clear();
  }

  feed() {
    if (!this.output || !this.speech || !this.playing) return;
    if (this.waiting && !this.isEnough) return;
    if (this.waiting && this.there > 0) {
      this.waiting = false;
      this.reported = performance.now();
      this.tell("begin");
    }
    const ahead = this.stretch ? STRETCHED_AHEAD : AHEAD;
    while (this.cursor < this.speech.length && this.pushed - this.played < ahead) {
      const block = this.stretch ? this.stretch.next(this.speech) : this.speech.read(this.cursor, BLOCK);
      if (!block) return;
      this.cursor = this.stretch ? this.stretch.sample : this.cursor + block.length;
      this.pushed += block.length; // first, for a block that was handed over is empty
      this.output.push(block);
    }
  }

  report(played) {
    if (!this.playing) return;
    this.played = played;
    this.reported = performance.now();
    if (played >= this.pushed) {
      // Also where the last sound was heard before the server said that it was the last.
      if (this.speech.done && this.cursor >= this.speech.length) return this.end();
      if (!this.waiting && this.haste) this.haste = NEXT_HASTE;
      this.waiting = true; // the maker is slower than was measured: let some sound gather first
    }
    this.feed();
  }

  get sample() {
    if (!this.playing) return Math.round(this.frozen * RATE);
    return Math.min(this.start + Math.round(this.played * this.pace), this.cursor, this.speech.length);
  }

  // What is heard now: between two reports the clock goes on, and the way to the ear takes a while.
  get seconds() {
    if (!this.playing) return this.frozen ?? 0;
    if (this.waiting) return this.sample / RATE;
    const since = Math.min(0.2, (performance.now() - this.reported) / 1000);
    const latency = this.context.outputLatency || this.context.baseLatency || 0;
    const now = this.sample / RATE + (since - latency) * this.pace;
    return Math.max(this.start / RATE, Math.min(now, this.cursor / RATE, this.speech.seconds));
  }

  tell(name) {
    this.dispatchEvent(new Event(name));
  }
}
