"""Begin from the shipped voice: its decoder, its books and its talker; only the encoders are new.

    python warm.py --model TINY --codes CODES.npz --out OUT --seconds 90

TINY is a folder written by `mlx-tts convert` (or export.py), CODES what `speak_codes.py` let it say. OUT/codec_joint.pt
then holds decoder and books as they are, and an encoder that was trained to find the codes which the decoder had been
given (the codec's own training moves them all on from there); OUT/talker.pt the talker, with layers more that add nothing yet. OUT/READY is there when both are.

A talker of other voices must not learn to read again: it goes on from one that reads, if the codes stay what they were.
"""

import argparse
import json
import math
import re
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from codec_model import Codec
from codec_steps import initialise, scale_to_data
from codec_watch import PHASES
from degrade import degrade, level
from dequantise import laid_out, plain
from export import codec_tensors, with_plain_projection
from pack import talker_to_go_on_from
from sizes import PRESETS
from speaker_model import SpeakerEncoder
from speakers import SPEAKERS
from talker_model import Talker
from training import save

RATE, LEAST_RATE, RISE_STEPS = 1e-3, 5e-5, 100
MOST_NORM = 5.0
COUNTED_BATCHES, LEAST_COUNT = 20, 4
SAY_SECONDS = 10
DECODER_BOOKS = {"semantic": "decoder.quantizer.rvq_first.", "acoustic": "decoder.quantizer.rvq_rest."}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, type=Path)
    parser.add_argument(
        "--codes", required=True, type=Path, help="what the model said: `codes` and where each clip ends"
    )
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--preset", choices=list(PRESETS), default="clone")
    parser.add_argument("--seconds", type=float, default=90)
    parser.add_argument("--clips", type=int, default=32)
    parser.add_argument("--clip-frames", type=int, default=40)
    parser.add_argument("--clean", action="store_true", help="the encoder hears the speech as it is")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    return parser.parse_args()


def load_decoder(codec, tensors, sizes):
    """Decoder and books of a shipped codec, in place."""
    official = codec_tensors(with_plain_projection(codec.state_dict()), sizes)
    decoder = {name: value for name, value in official.items() if name.startswith("decoder.")}
    if missing := sorted(set(decoder) - set(tensors)):
        raise SystemExit(f"the codec lacks {missing[0]}: are the sizes those of --preset?")
    found = {name: laid_out(tensors[name], value.shape) for name, value in decoder.items()}
    state = {name: value for name, value in found.items() if ".quantizer." not in name}
    for ours, theirs in DECODER_BOOKS.items():
        state[f"decoder.out_{'first' if ours == 'semantic' else 'rest'}.weight"] = found[theirs + "output_proj.weight"]
        books = []
        for book in range(len(getattr(codec, ours).codebooks)):
            stem = f"{theirs}vq.layers.{book}._codebook."
            books.append(found[stem + "embedding_sum"] / found[stem + "cluster_usage"].clamp(min=1e-5)[:, None])
        state[f"{ours}.codebooks"] = state[f"{ours}.sums"] = torch.stack(books)
    codec.load_state_dict(state, strict=False)


def widened_talker(talker, tensors):
    """The state of `talker` with the shipped one inside: what it has more of layers adds nothing at first.

    New layers stand in front of the watched one and at the end, so that it stays the middle one.
    """
    tensors = {name.removeprefix("talker."): value for name, value in tensors.items() if name.startswith("talker.")}
    had = 1 + max(int(found[1]) for name in tensors if (found := re.match(r"model\.layers\.(\d+)\.", name)))
    layers = len(talker.model.layers)
    new = {layers // 2 - 1 - row for row in range(layers // 2 - had // 2)}
    new |= {layers - 1 - row for row in range(layers - had - len(new))}
    place = dict(enumerate(sorted(set(range(layers)) - new)))
    state = talker.state_dict()
    for layer in new:
        for part in ("self_attn.o_proj", "mlp.down_proj"):
            state[f"model.layers.{layer}.{part}.weight"].zero_()
    for name, value in tensors.items():
        name = re.sub(r"^model\.layers\.(\d+)\.", lambda found: f"model.layers.{place[int(found[1])]}.", name)
        if name == "model.text_embedding.weight" and len(value) < len(state[name]):
            state[name] = lengthened(value, len(state[name]))
            continue
        state[name] = value.reshape(state[name].shape)
    return state


NEW_ROWS = 0.5  # the deviation of new rows from the mean of those that are there, in theirs


def lengthened(table, rows):
    """A table of text tokens with new rows behind: near the mean of the others, each a little apart."""
    generator = torch.Generator().manual_seed(0)
    noise = torch.randn(rows - len(table), table.shape[1], generator=generator)
    return torch.cat([table, table.mean(0) + NEW_ROWS * table.std(0) * noise.to(table)])


def save_talker(options, tensors, text_tokens):
    sizes = PRESETS[options.preset]
    talker = Talker(sizes, text_tokens)
    encoder = SpeakerEncoder(sizes.speaker_encoder, sizes.talker.talker.hidden).state_dict()
    state = talker_to_go_on_from(options.preset, list(SPEAKERS), widened_talker(talker, tensors), encoder)
    save(options.out / "talker.pt", state)


class Spoken:
    """Random clips of what the model said: codes, and the sound that its decoder makes of them."""

    def __init__(self, path, codec, options):
        with np.load(path) as found:
            codes, ends = found["codes"].astype(np.int64), found["ends"]
        starts = np.concatenate([[0], ends[:-1]])
        self.starts = np.concatenate(
            [np.arange(a, max(a, b - options.clip_frames + 1)) for a, b in zip(starts, ends, strict=True)]
        )
        self.codes = torch.from_numpy(codes).to(options.device)
        self.codec, self.options = codec, options
        self.random = np.random.default_rng(0)

    @torch.no_grad()
    def clips(self):
        first = torch.from_numpy(self.random.choice(self.starts, self.options.clips)).to(self.options.device)
        frames = torch.arange(self.options.clip_frames, device=self.options.device)
        codes = self.codes[first[:, None] + frames].transpose(1, 2)
        with torch.autocast(self.options.device, dtype=torch.bfloat16):
            audio = self.codec.decode(codes)
        return codes, audio.float() if self.options.clean else degrade(level(audio.float()))


def distance(codec, codes, heard):
    """How far the encoder's latent is from the vectors it stands for, and the share of code 0 that comes out right."""
    with torch.autocast(heard.device.type, dtype=torch.bfloat16):
        latent = codec.latent(heard)
    loss, right = 0.0, None
    for quantiser, wanted in ((codec.semantic, codes[:, :1]), (codec.acoustic, codes[:, 1:])):
        z = quantiser.project(latent)
        loss = loss + F.mse_loss(z, quantiser.vectors(wanted).transpose(1, 2))
        if right is None:
            right = (quantiser.codes(latent.detach())[:, 0] == wanted[:, 0]).float().mean()
    return loss, right


def find_codes(codec, spoken, seconds):
    """Train the encoder; the decoder and the books stand still."""
    parameters = [p for name, p in codec.named_parameters() if not name.startswith(("decoder.", "phones."))]
    optimizer = torch.optim.AdamW(parameters, RATE, betas=(0.8, 0.99), weight_decay=1e-3)
    begin, said, step = time.time(), 0.0, 0
    while (done := (time.time() - begin) / seconds) < 1:
        rate = LEAST_RATE + (RATE - LEAST_RATE) * 0.5 * (1 + math.cos(math.pi * done))
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / RISE_STEPS)
        loss, right = distance(codec, *spoken.clips())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, MOST_NORM)
        optimizer.step()
        step += 1
        if time.time() - said > SAY_SECONDS:
            said = time.time()
            tell(step, loss, right)
    tell(step, loss, right)


def tell(step, loss, right):
    print(json.dumps({"step": step, "distance": round(loss.item(), 4), "right": round(right.item(), 4)}), flush=True)


@torch.no_grad()
def count_entries(codec, spoken):
    """How often a step sees each entry: the books' averages go on from there."""
    codes = torch.cat([spoken.clips()[0] for _ in range(COUNTED_BATCHES)]).transpose(0, 1).flatten(1)
    for quantiser, used in ((codec.semantic, codes[:1]), (codec.acoustic, codes[1:])):
        for counts, book in zip(quantiser.counts, used, strict=True):
            counts.copy_(torch.bincount(book, minlength=len(counts)).clamp(min=LEAST_COUNT) / COUNTED_BATCHES)
        quantiser.sums.copy_(quantiser.codebooks * quantiser.counts[..., None])


def main(options):
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    options.out.mkdir(parents=True, exist_ok=True)
    talker, tensors, config = plain(options.model)
    sizes = PRESETS[options.preset]
    codec = Codec(sizes.codec)
    initialise(codec)
    load_decoder(codec, tensors, sizes)
    codec = codec.to(options.device)
    spoken = Spoken(options.codes, codec, options)
    _, heard = spoken.clips()
    scale_to_data(codec, heard, decoder=False)
    find_codes(codec, spoken, options.seconds)
    count_entries(codec, spoken)
    state = {
        "preset": options.preset,
        "frozen": False,
        "step": 0,
        "progress": 0.0,
        "counters": {"phase": PHASES.index("adversarial"), "phase_steps": 0, "judged": 0},
        "codec": {name: value.cpu() for name, value in codec.state_dict().items()},
        "discriminators": None,
        "optimizers": None,
    }
    save(options.out / "codec_joint.pt", state)
    save_talker(options, talker, config["talker_config"]["text_vocab_size"])
    (options.out / "READY").touch()


if __name__ == "__main__":
    main(parse())
