"""A codec checkpoint whose acoustic latent lies in few of its dimensions -> the same codec with all of them in use.

    python widen.py --checkpoints OLD --data SHARDS --out NEW      OLD/codec_joint.pt -> NEW/codec_joint.pt

The dimensions that carry something are rotated and scaled to be independent, which changes nothing: the decoder's first
layer takes it back. The others are given anew: of all that the encoder's transformer says, the directions that best
predict what the decoder gets wrong today. The acoustic books must be fitted again (`refit` in the checkpoint).
"""

import argparse
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from codec_model import Codec
from codec_watch import PHASES
from discriminators import mel_filters
from pool import read_items
from sizes import FRAME_SAMPLES, PRESETS
from training import load, save

BANDS, WINDOW, COLUMNS = 80, 1024, 4  # of the spectrum in which the decoder's errors are counted; columns a frame
RIDGE = 3e-2
# The decoder meets the new books little by little, by the second half of the quantised phase.
PHASE_STEPS = 1000
FIRST_GAIN = 0.05  # of a new dimension in the decoder's first layer, beside about 0.4 of the others


def items(folder, minutes, generator):
    """Clips [1, samples] from all shards, in random order."""
    found = []
    for index in sorted(Path(folder).glob("*.jsonl")):
        found += [(index.with_suffix(".pcm"), item) for item in read_items(index)[0]]
    frames = 0
    for row in generator.permutation(len(found)):
        path, item = found[row]
        count = min(item["frames"], 100)
        samples = np.fromfile(path, "<i2", count * FRAME_SAMPLES, offset=2 * FRAME_SAMPLES * item["start_frame"])
        yield torch.from_numpy(samples).float()[None] / 32768
        frames += count
        if frames > minutes * 60 * 12.5:
            return


class Spectrum:
    def __init__(self):
        self.window, self.filters = torch.hann_window(WINDOW), mel_filters(WINDOW, BANDS)

    def __call__(self, audio):  # [1, T x FRAME_SAMPLES] -> [T, COLUMNS x BANDS]
        hop = FRAME_SAMPLES // COLUMNS
        padded = F.pad(audio, (WINDOW // 2 - hop // 2, WINDOW // 2 - hop // 2 + hop))
        magnitude = torch.stft(padded, WINDOW, hop, window=self.window, center=False, return_complex=True).abs()
        columns = (self.filters @ magnitude + 0.01).log10()[0].t()
        return columns[: len(columns) // COLUMNS * COLUMNS].reshape(-1, COLUMNS * BANDS)


@torch.no_grad()
def observe(codec, clips):
    """Windows the downsampling sees [N, K x H], both projections [N, D] and the decoder's errors [N, COLUMNS x BANDS]."""
    spectrum, rows = Spectrum(), [[], [], [], []]
    for audio in clips:
        stream = codec.encoder(audio[:, None])
        x = codec.encoder_transformer(stream.transpose(1, 2)).transpose(1, 2)
        padded = F.pad(x, (codec.downsample.span - codec.downsample.stride, 0), mode="replicate")
        windows = padded.unfold(2, codec.downsample.span, codec.downsample.stride)[0]  # [H, T, K]
        latent = codec.downsample(x)
        error = spectrum(audio) - spectrum(codec.decode(codec.encode(audio)))
        T = min(latent.shape[2], len(error))
        seen = (
            windows.permute(1, 0, 2).flatten(1),
            codec.semantic.project(latent)[0],
            codec.acoustic.project(latent)[0],
            error,
        )
        for row, value in zip(rows, seen, strict=True):
            row.append(value[:T])
    return [torch.cat(row).double() for row in rows]


def predictors(windows, known, errors, count):
    """[K x H, count]: directions of the windows, free of what `known` says, that predict most of the errors.

    Reduced-rank ridge regression. Also how much of the errors' variance they explain.
    """
    scale = windows.std(0) + 1e-6
    x = (windows - windows.mean(0)) / scale
    k = known - known.mean(0)
    slope = torch.linalg.lstsq(k, x).solution  # [D, K x H]
    free = x - k @ slope
    y = errors - errors.mean(0)
    y = y - k @ torch.linalg.lstsq(k, y).solution
    ridge = RIDGE * len(x) * torch.eye(x.shape[1], dtype=x.dtype)
    beta = torch.linalg.solve(free.t() @ free + ridge, free.t() @ y)
    _, _, right = torch.linalg.svd(free @ beta, full_matrices=False)
    chosen = beta @ right[:count].t()
    explained = 1 - (y - free @ chosen @ right[:count]).pow(2).sum() / y.pow(2).sum()
    # `known` is itself linear in the windows, so taking it away keeps the direction linear.
    back = torch.linalg.lstsq(x, k).solution
    return (chosen - back @ (slope @ chosen)) / scale[:, None], float(explained)


@torch.no_grad()
def widen(codec, clips, least_share=2e-3):
    """In place. A direction with a smaller share of the latent's variance than `least_share` is not in use."""
    windows, semantic, acoustic, errors = observe(codec, clips)
    D = acoustic.shape[1]
    H = codec.sizes.encoder.hidden
    energy, axes = torch.linalg.eigh(torch.cov(acoustic.t()))
    live = energy > least_share * energy.sum()
    if live.all():
        raise SystemExit(f"all {D} dimensions of the acoustic latent are in use: nothing to widen")
    energy, axes = energy[live], axes[:, live]
    fresh = D - len(energy)
    known = torch.cat([semantic, acoustic @ axes], 1)
    directions, explained = predictors(windows, known, errors, fresh)
    print(
        f"{len(acoustic)} frames, {D - fresh} of {D} dimensions in use; {fresh} new ones explain {explained:.3f} of the error"
    )

    quantiser, projection = codec.acoustic, codec.acoustic.input_proj.weight[:, :, 0].double()
    kept = axes.t() @ (projection / quantiser.deviation.double()[:, None])
    kept = kept / kept.norm(dim=1, keepdim=True)
    used = torch.cat([codec.semantic.input_proj.weight[:, :, 0].double(), kept])
    spare = torch.linalg.qr(used.t(), mode="complete").Q[:, len(used) : len(used) + fresh]  # [H, fresh]
    down = codec.downsample.conv.weight.double()
    rows = directions.t().reshape(fresh, H, -1)
    rows = rows / rows.flatten(1).norm(dim=1)[:, None, None] * down.flatten(1).norm(dim=1).mean()
    down = down - torch.einsum("hf,gf,gik->hik", spare, spare, down) + torch.einsum("hf,fik->hik", spare, rows)
    codec.downsample.conv.weight.copy_(down)
    quantiser.input_proj.weight.copy_(torch.cat([kept, spare.t()])[:, :, None])

    raw = F.linear(windows, down.flatten(1)) @ torch.cat([kept, spare.t()]).t()
    quantiser.mean.copy_(raw.mean(0))
    quantiser.deviation.copy_(raw.std(0))
    z = (raw - raw.mean(0)) / raw.std(0)
    # The decoder's first layer: what it made of the old dimensions, now from the new ones.
    first = codec.decoder.out_rest.weight[:, :, 0].double()
    old = acoustic - acoustic.mean(0)
    back = torch.linalg.lstsq(z[:, : D - fresh], old).solution  # [live, D]
    new = FIRST_GAIN * torch.randn(len(first), fresh, dtype=first.dtype)
    codec.decoder.out_rest.weight.copy_(torch.cat([first @ back.t(), new], 1)[:, :, None])
    quantiser.codebooks.zero_()


def main(options):
    torch.manual_seed(options.seed)
    state = load(options.checkpoints / "codec_joint.pt")
    codec = Codec(PRESETS[state["preset"]].codec).eval()
    codec.load_state_dict({name: value.float() for name, value in state["codec"].items()})
    widen(codec, items(options.data, options.minutes, np.random.default_rng(options.seed)), options.least_share)
    state["codec"] = {name: value.to(state["codec"][name].dtype) for name, value in codec.state_dict().items()}
    state |= {"refit": True, "counters": {"phase": PHASES.index("quantised"), "phase_steps": PHASE_STEPS}}
    options.out.mkdir(parents=True, exist_ok=True)
    save(options.out / "codec_joint.pt", state)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoints", required=True, type=Path)
    parser.add_argument("--data", required=True, type=Path, help="folder of shards")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--minutes", type=float, default=12, help="of audio to look at")
    parser.add_argument("--least-share", type=float, default=2e-3, help="of the variance, for a direction in use")
    parser.add_argument("--seed", type=int, default=0)
    main(parser.parse_args())
