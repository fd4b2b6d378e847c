// Blocks of samples in, sound out; and the microphone in, blocks of samples out. Runs on the browser's audio thread.
// Real-time callback: it allocates as little as it can.

const REPORT_BLOCKS = 8; // of 128 samples: 43 ms at 24 kHz
const INPUT_SAMPLES = 2048; // 43 ms at 48 kHz: a message for each 128 would keep a slow page from its buttons

class Output extends AudioWorkletProcessor {
  constructor() {
    super();
    this.queue = [];
    this.at = 0; // within the first block
    this.played = 0; // samples since the last clear
    this.turn = 0; // of clearing; reports of earlier turns are of no use
    this.calls = 0;
    this.port.onmessage = ({ data }) => {
      if (data.clear !== undefined) {
        this.queue = [];
        this.at = this.played = 0;
        this.turn = data.clear;
      } else {
        this.queue.push(data.block);
      }
    };
  }

  process(_inputs, outputs) {
    const out = outputs[0][0];
    let filled = 0;
    while (filled < out.length && this.queue.length) {
      const block = this.queue[0];
      const size = Math.min(block.length - this.at, out.length - filled);
      for (let i = 0; i < size; i += 1) out[filled + i] = block[this.at + i];
      filled += size;
      this.at += size;
      if (this.at === block.length) {
        this.queue.shift();
        this.at = 0;
      }
    }
    this.played += filled;
    this.calls += 1;
    if (this.calls % REPORT_BLOCKS === 0) this.port.postMessage({ played: this.played, turn: this.turn });
    return true;
  }
}

class Input extends AudioWorkletProcessor {
  constructor() {
    super();
    this.block = new Float32Array(INPUT_SAMPLES);
    this.at = 0;
  }

  process(inputs) {
    const channel = inputs[0][0];
    if (!channel) return true;
    this.block.set(channel, this.at);
    this.at += channel.length;
    if (this.at === INPUT_SAMPLES) {
      this.port.postMessage(this.block.slice());
      this.at = 0;
    }
    return true;
  }
}

registerProcessor("mlx-tts-output", Output);
registerProcessor("mlx-tts-input", Input);
