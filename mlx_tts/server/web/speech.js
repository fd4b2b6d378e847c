// Samples and marks as they come in, one speech out: what the player plays, the reader shows and a download holds.

import { Arrivals } from "./arrivals.js";

export const RATE = 24000; // of the samples that the server sends as pcm
const PEAK_SAMPLES = RATE / 50;

export class Speech extends EventTarget {
  constructor(about) {
    super();
    this.about = about; // title, author, cover, voice, model, text
    this.blocks = []; // Int16Array
    this.starts = []; // first sample of each block
    this.length = 0; // samples
    this.peaks = []; // highest level of each PEAK_SAMPLES, 0 to 1
    this.chapters = []; // {title, start} in samples
    this.pieces = []; // {text, sentences, paragraphEnds, estimated, made}
    this.sentences = []; // {text, piece, start, end, words, known}; start is null until its sound begins
    this.estimatedRest = 0; // seconds of chapters whose pieces are not known yet
    this.arrivals = new Arrivals();
    this.done = false;
    this.stopped = false;
  }

  get seconds() {
    return this.length / RATE;
  }

  // What it will be in the end, as far as can be said now.
  get expectedSeconds() {
    if (this.done) return this.seconds;
    let said = 0, meant = 0, left = this.estimatedRest;
    for (const piece of this.pieces) {
      if (piece.made) [said, meant] = [said + piece.made, meant + piece.estimated];
      else left += piece.estimated;
    }
    const pace = meant > 2 ? said / meant : 1;
    const finished = this.pieces.findLast((piece) => piece.made)?.end ?? 0;
    return Math.max(this.seconds, finished + left * pace);
  }

  append(samples) {
    this.arrivals.add(samples.length / RATE);
    this.keep(samples);
  }

  keep(samples) {
    this.blocks.push(samples);
    this.starts.push(this.length);
    for (let at = 0; at < samples.length; at += 1) {
      const slot = Math.floor((this.length + at) / PEAK_SAMPLES);
      const level = Math.abs(samples[at]) / 32768;
      if (!(this.peaks[slot] >= level)) this.peaks[slot] = level;
    }
    this.length += samples.length;
    this.tell("grow");
  }

  appendSilence(seconds) {
    this.keep(new Int16Array(Math.round(seconds * RATE))); // nobody had to make it
  }

  beginChapter(title) {
    this.chapters.push({ title, start: this.length });
  }

  // The pieces that will be spoken, before any of them is. Gives the number of the first.
  plan(pieces) {
    const first = this.pieces.length;
    for (const piece of pieces) {
      const number = this.pieces.length;
      const texts = piece.sentences;
      this.pieces.push({
        first: this.sentences.length, count: texts.length, chapter: this.chapters.length - 1,
        paragraphEnds: piece.pause_after_seconds > 0.5 || piece.pause_after_seconds === 0,
        estimated: piece.estimated_seconds / this.about.speed, made: 0, end: 0,
      });
      for (const text of texts) {
        this.sentences.push({ text, piece: number, start: null, end: null, words: [], known: false });
      }
    }
    this.tell("plan");
    return first;
  }

  // Marks of a piece: worked out before it is spoken, known behind it.
  mark(number, marks, offset, known) {
    const piece = this.pieces[number];
    if (!piece) return;
    let at = piece.first - 1;
    for (const mark of marks) {
      const times = { text: mark.text, start: mark.start + offset, end: mark.end + offset, estimated: mark.estimated };
      if (mark.level === "sentence") {
        at += 1;
        if (at >= piece.first + piece.count) break;
        Object.assign(this.sentences[at], times, { text: this.sentences[at].text, words: [], known });
      } else if (at >= piece.first) {
        this.sentences[at].words.push(times);
      }
    }
    if (known && marks.length) {
      piece.end = Math.max(...marks.map((mark) => mark.end)) + offset;
      piece.made = Math.max(0.1, piece.end - Math.min(...marks.map((mark) => mark.start)) - offset);
    }
    this.tell("marks");
  }

  finish(stopped = false) {
    this.done = true;
    this.stopped = stopped;
    this.estimatedRest = 0;
    this.tell("done");
  }

  // The number of the sentence that is heard at this time, or -1.
  sentenceAt(seconds) {
    let low = 0, high = this.sentences.length - 1, found = -1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const { start } = this.sentences[middle];
      if (start !== null && start <= seconds + 0.02) [found, low] = [middle, middle + 1];
      else high = middle - 1;
    }
    return found;
  }

  // Up to `count` samples from `start` on, as numbers between -1 and 1.
  read(start, count) {
    const end = Math.min(start + count, this.length);
    const out = new Float32Array(Math.max(0, end - start));
    let block = this.blockOf(start);
    for (let at = start; at < end; block += 1) {
      const samples = this.blocks[block];
      const from = at - this.starts[block];
      const size = Math.min(samples.length - from, end - at);
      for (let i = 0; i < size; i += 1) out[at - start + i] = samples[from + i] / 32768;
      at += size;
    }
    return out;
  }

  blockOf(sample) {
    let low = 0, high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= sample) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  tell(name) {
    this.dispatchEvent(new Event(name));
  }

  // For the browser's own store, and back.
  async packed() {
    const { about, chapters, pieces, sentences, peaks, stopped } = this;
    return { about, chapters, pieces, sentences, peaks, stopped, sound: new Blob(this.blocks) };
  }

  static async unpacked(stored) {
    const speech = new Speech(stored.about);
    const { chapters, pieces, sentences, stopped } = stored;
    Object.assign(speech, { chapters, pieces, sentences, stopped });
    speech.keep(new Int16Array(await stored.sound.arrayBuffer()));
    speech.finish(stopped);
    return speech;
  }
}
