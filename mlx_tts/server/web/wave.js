// A speech in, its waveform out: it fills while the speech is made, shows what is heard, and goes where it is clicked.

import { RATE } from "./speech.js";
import { clock, spokenTime } from "./words.js";

const BAR = 3, GAP = 2; // CSS pixels
const STEP = 5; // seconds that an arrow key goes

export class Wave {
  constructor(box, canvas, player) {
    Object.assign(this, { box, canvas, player });
    box.addEventListener("pointerdown", (event) => this.drag(event));
    box.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  get total() {
    return this.player.speech?.expectedSeconds ?? 0;
  }

  drag(event) {
    this.box.setPointerCapture(event.pointerId);
    const go = ({ clientX }) => {
      const { left, width } = this.box.getBoundingClientRect();
      this.player.seek(((clientX - left) / width) * this.total);
      this.draw();
    };
    go(event);
    this.box.onpointermove = go;
    this.box.onpointerup = this.box.onpointercancel = () => (this.box.onpointermove = null);
  }

  key(event) {
    const { seconds, speech } = this.player;
    const places = {
      ArrowLeft: seconds - STEP, ArrowRight: seconds + STEP, ArrowDown: seconds - STEP, ArrowUp: seconds + STEP,
      PageDown: seconds - 6 * STEP, PageUp: seconds + 6 * STEP, Home: 0, End: speech?.seconds ?? 0,
    };
    if (!(event.key in places)) return;
    event.preventDefault();
    event.stopPropagation();
    this.player.seek(places[event.key]);
    this.draw();
  }

  draw() {
    const { canvas, box, player } = this;
    const { speech } = player;
    const { clientWidth: width, clientHeight: height } = box;
    if (!speech || !width) return;
    const scale = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const { color, caretColor, outlineColor } = getComputedStyle(canvas);
    const bars = Math.max(1, Math.floor(width / (BAR + GAP)));
    const made = this.total ? speech.seconds / this.total : 0;
    const heard = this.total ? player.seconds / this.total : 0;
    for (let bar = 0; bar < bars; bar += 1) {
      const from = bar / bars, to = (bar + 1) / bars;
      const level = from < made ? this.level(from, to) : 0;
      const size = Math.max(BAR, Math.sqrt(level) * (height - 6));
      pen.fillStyle = from >= made ? outlineColor : from < heard ? color : caretColor;
      pen.beginPath();
      pen.roundRect(bar * (BAR + GAP), (height - size) / 2, BAR, size, BAR / 2);
      pen.fill();
    }
    pen.fillStyle = color;
    for (const { start } of speech.chapters.slice(1)) pen.fillRect((start / RATE / this.total) * width - 1, 0, 1, 6);
    this.say();
  }

  level(from, to) {
    const { peaks } = this.player.speech;
    const first = Math.floor(from * this.total * 50);
    const last = Math.max(first + 1, Math.floor(to * this.total * 50));
    let level = 0;
    for (let at = first; at < last && at < peaks.length; at += 1) level = Math.max(level, peaks[at]);
    return level;
  }

  say() {
    const { seconds, speech } = this.player;
    const about = speech.done ? "" : "about ";
    this.box.setAttribute("aria-valuemax", Math.max(1, Math.round(this.total)));
    this.box.setAttribute("aria-valuenow", Math.round(seconds));
    this.box.setAttribute("aria-valuetext", `${spokenTime(seconds)} of ${about}${spokenTime(this.total)}`);
    this.box.title = clock(seconds);
  }
}
