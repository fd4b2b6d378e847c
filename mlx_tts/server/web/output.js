// Blocks of samples in, sound out of the speakers, and a report of how much was played.
// An AudioWorklet where the browser has one (https or this machine), else buffers that are scheduled one by one.

import { RATE } from "./speech.js";

const REPORT_SECONDS = 0.05;

export async function openOutput(context, report) {
  if (!context.audioWorklet) return new ScheduledOutput(context, report);
  await context.audioWorklet.addModule("/page/worklet.js");
  return new WorkletOutput(context, report);
}

class WorkletOutput {
  constructor(context, report) {
    this.turn = 0;
    this.node = new AudioWorkletNode(context, "mlx-tts-output", { numberOfInputs: 0, outputChannelCount: [1] });
    this.node.port.onmessage = ({ data }) => data.turn === this.turn && report(data.played);
    this.node.connect(context.destination);
  }

  push(block) {
    this.node.port.postMessage({ block }, [block.buffer]);
  }

  clear() {
    this.turn += 1;
    this.node.port.postMessage({ clear: this.turn });
  }
}

class ScheduledOutput {
  constructor(context, report) {
    this.context = context;
    this.clear();
    setInterval(() => report(this.played()), 1000 * REPORT_SECONDS);
  }

  push(block) {
    const buffer = this.context.createBuffer(1, block.length, RATE);
    buffer.copyToChannel(block, 0);
    const source = this.context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.context.destination);
    const start = Math.max(this.end, this.context.currentTime + 0.05);
    source.start(start);
    this.end = start + buffer.duration;
    this.scheduled.push({ source, start, end: this.end, samples: block.length });
  }

  clear() {
    for (const { source } of this.scheduled ?? []) source.stop();
    this.scheduled = [];
    this.end = this.finished = 0;
  }

  played() {
    const now = this.context.currentTime;
    while (this.scheduled.length && this.scheduled[0].end <= now) this.finished += this.scheduled.shift().samples;
    const [first] = this.scheduled;
    return this.finished + (first ? Math.round(Math.max(0, now - first.start) * RATE) : 0);
  }
}
