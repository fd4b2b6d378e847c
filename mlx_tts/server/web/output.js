// Blocks of samples in, sound into an audio node (`target`) out, and a report of how much was played.
// An AudioWorklet where the browser has one (https or this machine), else buffers that are scheduled one by one.

import { RATE } from "./speech.js";

const REPORT_SECONDS = 0.05;

export async function openOutput(target, report) {
  const { audioWorklet } = target.context;
  if (!audioWorklet) return new ScheduledOutput(target, report);
  await audioWorklet.addModule("/page/worklet.js");
  return new WorkletOutput(target, report);
}

class WorkletOutput {
  constructor(target, report) {
    this.turn = 0;
    this.node = new AudioWorkletNode(target.context, "mlx-tts-output", { numberOfInputs: 0, outputChannelCount: [1] });
    this.node.port.onmessage = ({ data }) => data.turn === this.turn && report(data.played);
    this.node.connect(target);
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
  constructor(target, report) {
    this.target = target;
    this.context = target.context;
    this.clear();
    setInterval(() => report(this.played()), 1000 * REPORT_SECONDS);
  }

  push(block) {
    const buffer = this.context.createBuffer(1, block.length, RATE);
    buffer.copyToChannel(block, 0);
    const source = this.context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.target);
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
