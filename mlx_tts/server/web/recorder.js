// The microphone in, one recording out as a WAV file: what was said as it was, without the browser's own clean-up.

const MOST_SECONDS = 30;

export const canRecord = () => Boolean(navigator.mediaDevices?.getUserMedia && window.AudioWorkletNode);

export class Recorder {
  // level: told of each block's highest level and of the seconds so far.
  async start(level) {
    const plain = { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: false };
    this.stream = await navigator.mediaDevices.getUserMedia({ audio: plain });
    this.context = new AudioContext();
    await this.context.audioWorklet.addModule("/page/worklet.js");
    this.parts = [];
    this.length = 0;
    const source = this.context.createMediaStreamSource(this.stream);
    const node = new AudioWorkletNode(this.context, "mlx-tts-input", { numberOfOutputs: 0 });
    node.port.onmessage = ({ data }) => {
      if (!this.stream) return;
      this.parts.push(data);
      this.length += data.length;
      const seconds = this.length / this.context.sampleRate;
      level(data.reduce((most, value) => Math.max(most, Math.abs(value)), 0), seconds, seconds >= MOST_SECONDS);
    };
    source.connect(node);
  }

  async stop() {
    for (const track of this.stream.getTracks()) track.stop();
    this.stream = null;
    const { sampleRate } = this.context;
    await this.context.close();
    const samples = new Int16Array(this.length);
    let at = 0;
    for (const part of this.parts) {
      for (const value of part) samples[at++] = Math.max(-1, Math.min(1, value)) * 32767;
    }
    return new Blob([wavHeader(samples.length, sampleRate), samples], { type: "audio/wav" });
  }
}

// The 44 bytes before mono 16-bit samples.
export function wavHeader(samples, rate) {
  const view = new DataView(new ArrayBuffer(44));
  const put = (at, text) => [...text].forEach((letter, i) => view.setUint8(at + i, letter.charCodeAt(0)));
  const numbers = [[4, 36 + 2 * samples], [16, 16], [24, rate], [28, 2 * rate], [40, 2 * samples]];
  for (const [at, value] of numbers) view.setUint32(at, value, true);
  for (const [at, value] of [[20, 1], [22, 1], [32, 2], [34, 16]]) view.setUint16(at, value, true);
  put(0, "RIFF");
  put(8, "WAVEfmt ");
  put(36, "data");
  return view.buffer;
}
