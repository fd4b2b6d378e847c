"""Send 16-bit 24 kHz wav files through the trained codec, to be measured by evaluate.py.

python reconstruct.py --checkpoints OUT --source TEACHER --out RECONSTRUCTED      (TEACHER/SPEAKER/III.wav)
"""

import argparse
import wave
from pathlib import Path

import numpy as np
import torch
from codec_model import Codec
from export import codec_state
from sizes import FRAME_SAMPLES, SAMPLE_RATE


def read(path):
    with wave.open(str(path)) as file:
        if (file.getframerate(), file.getsampwidth(), file.getnchannels()) != (SAMPLE_RATE, 2, 1):
            raise SystemExit(f"{path}: not 16-bit mono at {SAMPLE_RATE} Hz")
        return np.frombuffer(file.readframes(file.getnframes()), "<i2")


def write(path, samples):
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setframerate(SAMPLE_RATE)
        file.setsampwidth(2)
        file.setnchannels(1)
        file.writeframes(samples.astype("<i2").tobytes())


@torch.no_grad()
def run(options):
    state, sizes = codec_state(options.checkpoints)
    codec = Codec(sizes.codec).eval()
    codec.load_state_dict({name: value.float() for name, value in state.items()})
    codec = codec.to(options.device)
    for path in sorted(options.source.rglob("*.wav")):
        samples = read(path)
        whole = np.zeros(-(-len(samples) // FRAME_SAMPLES) * FRAME_SAMPLES, np.int16)
        whole[: len(samples)] = samples
        audio = torch.from_numpy(whole)[None].to(options.device).float() / 32768
        result = codec.decode(codec.encode(audio))[0].cpu().numpy()
        write(options.out / path.relative_to(options.source), np.round(result[: len(samples)] * 32767))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--checkpoints", required=True, type=Path, help="folder with codec_joint.pt or codec_decoder.pt"
    )
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cpu")
    run(parser.parse_args())
