// Samples in, the same speech faster or slower out, at the same pitch: frames that overlap, each taken from where it
// continues the one before best (WSOLA, waveform similarity overlap-add).

import { RATE } from "./speech.js";

export const HOP = Math.round(0.015 * RATE); // samples that come out in one step; frames are twice as long
const SEARCH = Math.round(0.01 * RATE); // to both sides: together longer than a period of the lowest voices
const COARSE = 4; // places and samples between those that are looked at first
// Two such windows, half a frame apart, add up to one.
const RISE = Float32Array.from({ length: HOP }, (_, i) => 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / HOP));

export class Stretch {
  constructor(pace, sample) {
    this.pace = pace;
    this.sample = sample; // where the next frame is looked for
    this.from = null; // where the last frame was found
  }

  // The next HOP samples; null while too few are made. speech: what has `read`, `length` and `done`.
  next(speech) {
    const needed = this.sample + SEARCH + 2 * HOP;
    if (speech.length < needed && !speech.done) return null;
    const before = this.from === null ? null : padded(speech, this.from + HOP);
    const from = before === null ? this.sample : this.best(speech, before);
    const out = padded(speech, from);
    if (before !== null) for (let i = 0; i < HOP; i += 1) out[i] = before[i] + (out[i] - before[i]) * RISE[i];
    this.from = from;
    this.sample = Math.round(this.sample + HOP * this.pace);
    return out;
  }

  // The place near `sample` whose sound is most like `before`, which the last frame would go on with.
  best(speech, before) {
    const first = Math.max(0, this.sample - SEARCH);
    const last = this.sample - first + SEARCH;
    const there = speech.read(first, last + HOP);
    const likeness = (at, step) => {
      let product = 0, energy = 1e-6;
      for (let i = 0; i < HOP; i += step) {
        const value = there[at + i] ?? 0;
        product += value * before[i];
        energy += value * value;
      }
      return product / Math.sqrt(energy);
    };
    const most = (middle, reach, by, step) => {
      let [found, highest] = [middle, likeness(middle, step)]; // in silence all are alike: then it stays there
      for (let at = Math.max(0, middle - reach); at <= Math.min(last, middle + reach); at += by) {
        const value = likeness(at, step);
        if (value > highest) [found, highest] = [at, value];
      }
      return found;
    };
    const near = most(this.sample - first, SEARCH, COARSE, COARSE);
    return first + most(near, COARSE, 1, 1);
  }
}

// HOP samples, with silence where the speech is over.
function padded(speech, start) {
  const out = new Float32Array(HOP);
  out.set(speech.read(start, HOP));
  return out;
}
