// A speech in, heard: play, pause, go to a time. Also while the speech is still being made.

import { openOutput } from "./output.js";
import { RATE } from "./speech.js";

const AHEAD = 8 * RATE; // samples that the output holds; more would be thrown away at each jump
const BLOCK = RATE / 4;
const FIRST_WAIT = 0.2, NEXT_WAIT = 1.5; // seconds that must be there to begin, and to go on after a hole

export class Player extends EventTarget {
  constructor() {
    super();
    this.speech = null;
    this.playing = false;
    this.start = 0; // sample that the output began with
    this.cursor = 0; // next sample that it gets
    this.played = 0;
    this.reported = 0; // when
    this.needed = FIRST_WAIT * RATE;
    this.waiting = true;
    this.fill = () => this.feed();
  }

  // Browsers let a page sound only within a click: call this there, before anything is awaited.
  unlock() {
    if (!this.context) {
      this.context = new AudioContext({ sampleRate: RATE, latencyHint: "playback" });
      this.opening = openOutput(this.context, (played) => this.report(played)).then((output) => (this.output = output));
    }
    this.context.resume();
    return this.opening;
  }

  async load(speech) {
    this.speech?.removeEventListener("grow", this.fill);
    this.speech?.removeEventListener("done", this.fill);
    await this.opening;
    this.speech = speech;
    speech.addEventListener("grow", this.fill);
    speech.addEventListener("done", this.fill);
    this.needed = FIRST_WAIT * RATE;
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
    this.played = 0;
    this.reported = performance.now();
    this.frozen = this.start / RATE;
    this.waiting = true;
    this.output?.clear();
  }

  feed() {
    if (!this.output || !this.speech || !this.playing) return;
    const there = this.speech.length - this.cursor;
    if (this.waiting && there < this.needed && !this.speech.done) return;
    if (this.waiting && there > 0) {
      this.waiting = false;
      this.reported = performance.now();
    }
    while (this.cursor < this.speech.length && this.cursor - this.start - this.played < AHEAD) {
      const block = this.speech.read(this.cursor, BLOCK);
      this.cursor += block.length;
      this.output.push(block);
    }
  }

  report(played) {
    if (!this.playing) return;
    this.played = played;
    this.reported = performance.now();
    if (this.start + played >= this.cursor && !this.waiting) {
      if (this.speech.done && this.cursor >= this.speech.length) {
        this.pause();
        this.frozen = this.speech.seconds;
        this.tell("end");
        return;
      }
      this.waiting = true; // the maker is slower than the listener: let some sound gather first
      this.needed = NEXT_WAIT * RATE;
    }
    this.feed();
  }

  get sample() {
    return this.playing ? Math.min(this.start + this.played, this.cursor) : Math.round(this.frozen * RATE);
  }

  // What is heard now: between two reports the clock goes on, and the way to the ear takes a while.
  get seconds() {
    if (!this.playing) return this.frozen ?? 0;
    if (this.waiting) return this.sample / RATE;
    const since = Math.min(0.2, (performance.now() - this.reported) / 1000);
    const latency = this.context.outputLatency || this.context.baseLatency || 0;
    return Math.max(this.start / RATE, Math.min(this.sample / RATE + since - latency, this.cursor / RATE));
  }

  tell(name) {
    this.dispatchEvent(new Event(name));
  }
}
