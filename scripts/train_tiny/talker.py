"""Train the talker and the code predictor on encoded shards.

run.py starts it, one process a GPU; alone:  python talker.py --data DATA --out OUT --tokenizer TOKENIZER --seconds 420
"""

import argparse
import itertools
import math
import time
from pathlib import Path

import numpy as np
import tokenizer as text_tokenizer
import torch
import torch.nn.functional as F
from prompt_tracks import TrackBuilder
from sizes import PRESETS
from speakers import SPEAKERS
from talker_data import EDGES, TalkerData
from talker_model import Talker
from training import Clock, Curves, FlatParameters, Ranks, differentiate, load, note, save

PREDICTOR_WEIGHT = 2.0
WORST_CORRUPTION = 0.25
BLURRED_SHARE, MOST_KEPT = 0.8, 4
# The guide shows the way to the text and then lets go.
GUIDE_WEIGHT, GUIDED_UNTIL = 0.5, 0.5
AGREE_EVERY = 10
AVERAGED_FROM = 0.4


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of shards with NAME.codes.npy")
    parser.add_argument("--out", required=True, help="folder of checkpoints and curves")
    parser.add_argument("--tokenizer", required=True, help="folder written by tokenizer.py")
    parser.add_argument("--seconds", type=float, help="length of the stage, from the first step")
    parser.add_argument("--deadline", type=float, help="Unix time at which the stage must have ended")
    parser.add_argument("--wait-for", help="warm up, then wait until this file exists (the codes are ready)")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--preset", choices=list(PRESETS), default="full")
    parser.add_argument("--positions", type=int, default=40000, help="positions a GPU and step")
    parser.add_argument(
        "--predictor-share", type=float, default=0.25, help="share of the frames the predictor learns from"
    )
    parser.add_argument("--learning-rate", type=float, default=1.5e-3)
    parser.add_argument("--save-seconds", type=float, default=60)
    parser.add_argument("--validate-seconds", type=float, default=45)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--eager", action="store_true", help="no compiled layers")
    return parser.parse_args()


def corrupt(track):
    """Replace some of the spoken history by frames from elsewhere: the talker must survive its own errors.

    A random share of each item's frames as a whole; and in most items, in every frame, all books but the first few:
    sixteen codes name a frame of the training data exactly, and what follows it is then learned by heart.
    """
    codes, spoken = track["codes"], track["codes_on"] > 0
    B, T, books = codes.shape
    share = torch.rand(B, 1, device=codes.device) * WORST_CORRUPTION
    wrong = (torch.rand(B, T, device=codes.device) < share) & spoken
    blurred = torch.rand(B, 1, 1, device=codes.device) < BLURRED_SHARE
    kept = torch.randint(1, min(books, MOST_KEPT) + 1, (B, T, 1), device=codes.device)
    blurred = blurred & (torch.arange(books, device=codes.device) >= kept) & spoken[..., None]
    other = _elsewhere(codes)
    return track | {
        "codes": torch.where(wrong[..., None] | blurred, other, codes),
        "codec": torch.where(wrong, other[..., 0], track["codec"]),
    }


def _elsewhere(codes):
    """Of [B, T, books], the same in random order of frames, repeats and silence included."""
    B, T, books = codes.shape
    chosen = torch.randint(0, B * T, (B * T,), device=codes.device)
    return codes.reshape(-1, books)[chosen].view(B, T, books)


class TalkerTraining:
    def __init__(self, options, ranks):
        self.options, self.ranks = options, ranks
        self.out = Path(options.out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.checkpoint = self.out / "talker.pt"
        self.sizes = PRESETS[options.preset]
        self.speakers = list(SPEAKERS)
        self.tokenizer, self.text_ids = text_tokenizer.load(options.tokenizer)
        torch.manual_seed(options.seed)
        torch.set_float32_matmul_precision("high")
        self.model = Talker(self.sizes, self.text_ids["vocabulary"]).to(ranks.device)
        self.data = TalkerData(TrackBuilder(self.sizes, self.text_ids, self.speakers, ranks.device), ranks.device)
        self.step, self.done = 0, 0.0
        state = load(self.checkpoint) if self.checkpoint.exists() else None
        if state is not None:
            self.model.load_state_dict(state["talker"])
            self.step, self.done = state["step"], state["progress"]
        decayed = [p for name, p in self.model.named_parameters() if p.ndim == 2 and "embedding" not in name]
        others = [p for name, p in self.model.named_parameters() if p.ndim != 2 or "embedding" in name]
        self.groups = [
            FlatParameters(decayed, ranks, options.learning_rate, (0.9, 0.98), 0.05),
            FlatParameters(others, ranks, options.learning_rate, (0.9, 0.98), 0.0),
        ]
        self.averages = [group.values.data.clone() for group in self.groups]
        self.best, self.best_loss = None, float("inf")
        if state is not None:
            for group, average, optimizer, flat in zip(
                self.groups, self.averages, state["optimizers"], state["averages_flat"], strict=False
            ):
                group.optimizer.load_state_dict(optimizer)
                average.copy_(flat)
        torch.manual_seed(options.seed + 1000 + ranks.rank)
        if not options.eager and ranks.device.type == "cuda":
            for transformer in (self.model.model, self.model.code_predictor.model):
                for layer in transformer.layers:
                    layer.compile(dynamic=True)

    def losses(self, track, training):
        """Cross entropy of code 0 (with eos) and of the other books, and the guide's loss."""
        if training:
            track = corrupt(track)
        with self.ranks.autocast():
            hidden, guide = self.model.hidden_and_guide(track)
            labelled = track["label"] != -100
            logits = self.model.codec_head(hidden[labelled])
            frames, codes = hidden[track["due"]], track["next"][track["due"]]
            if training:
                keep = torch.randint(
                    0,
                    len(frames),
                    (max(8, int(self.options.positions * 0.55 * self.options.predictor_share)),),
                    device=frames.device,
                )
                frames, codes = frames[keep], codes[keep]
            others = self.model.predict(frames, codes)
        first = F.cross_entropy(logits.float(), track["label"][labelled])
        rest = F.cross_entropy(others.float().flatten(0, 1), codes[:, 1:].flatten())
        return first, rest, guide

    def warm_up(self):
        """Compile while the codec still trains; random data, no step taken."""
        self.data.fake(self.sizes)
        batches = self.data.batches(0, self.options.positions, self.ranks.rank, self.ranks.world)
        for edge, *batch in itertools.islice(batches, 3):
            first, rest, guide = self.losses(self.data.tracks(edge, *batch), True)
            differentiate(first + PREDICTOR_WEIGHT * rest + GUIDE_WEIGHT * guide, self.groups)
            note(self.ranks, "warm-up", edge, round(float(first), 3), round(float(rest), 3))

    def wait_for_codes(self):
        said = time.time()
        while self.options.wait_for and not Path(self.options.wait_for).exists():
            time.sleep(0.2)
            if time.time() - said > 20:
                said = time.time()
                note(self.ranks, "waiting for codes")
        self.data.load(self.options.data, self.tokenizer, self.speakers)
        hours = {
            name: round(float(self.data.frames[self.data.speaker == row].sum()) / 45000, 2)
            for row, name in enumerate(self.speakers)
        }
        note(self.ranks, len(self.data.frames), "items, hours", hours, "held out", int(self.data.held.sum()))

    def validate(self):
        """Held-out items, whole text and streamed, each speaker apart: {"hazel": [code 0, others, guide], ...}.

        Not under no_grad: compiled layers would be compiled a second time for it.
        """
        result = {}
        for row, name in enumerate(self.speakers):
            items = np.flatnonzero(self.data.held & (self.data.speaker == row))[:96]
            for streamed in (False, True):
                flags = np.full(len(items), streamed)
                fits = self.data.positions(items, flags & False, flags) <= EDGES[-1] if len(items) else flags
                items, flags = items[fits], flags[fits]
                if len(items) == 0:
                    continue
                length = int(self.data.positions(items, flags & False, flags).max())
                losses = self.losses(self.data.tracks(length, items, flags & False, flags), False)
                result[name + ("/streamed" if streamed else "")] = [round(float(loss), 4) for loss in losses]
        return result

    def validate_average(self, progress):
        """The same with the averaged weights, once there are some; keeps the best of them, for a talker in the end
        learns the smaller speakers by heart."""
        if progress < AVERAGED_FROM:
            return self.validate()
        raw = [group.values.data.clone() for group in self.groups]
        for group, average in zip(self.groups, self.averages, strict=True):
            group.values.data.copy_(average)
        result = self.validate()
        for group, values in zip(self.groups, raw, strict=True):
            group.values.data.copy_(values)
        loss = sum(first + rest for first, rest, _ in result.values()) / max(1, len(result))
        if loss < self.best_loss:
            self.best, self.best_loss = [average.clone() for average in self.averages], loss
        return result

    def learning_rate(self, progress):
        share = max(0.0, progress - 0.3) / 0.7
        return (
            self.options.learning_rate
            * min(1.0, (self.step + 1) / 300)
            * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * share)))
        )

    def train(self):
        options, ranks = self.options, self.ranks
        clock = Clock(ranks.agree(options.deadline or time.time() + options.seconds), self.done)
        curves = Curves(self.out / "talker.jsonl", ranks)
        progress = ranks.agree(clock.progress())
        last_save = last_validation = time.time()
        batches = self.data.batches(options.seed + self.step, options.positions, ranks.rank, ranks.world)
        while progress < 1.0:
            length, *batch = next(batches)
            first, rest, guide = self.losses(self.data.tracks(length, *batch), True)
            guided = GUIDE_WEIGHT * max(0.0, 1 - progress / GUIDED_UNTIL)
            differentiate(first + PREDICTOR_WEIGHT * rest + guided * guide, self.groups)
            rate = self.learning_rate(progress)
            norms = [group.step(rate, 1.0) for group in self.groups]
            self.step += 1
            if self.step % 5 == 0 and progress > AVERAGED_FROM - 0.2:
                for average, group in zip(self.averages, self.groups, strict=False):
                    average.lerp_(group.values.data, 0.02 if progress > AVERAGED_FROM - 0.05 else 0.2)
            curves.track({"first": first, "rest": rest, "guide": guide, "norm": norms[0]})
            if self.step % AGREE_EVERY == 0:
                progress = ranks.agree(clock.progress())
            if curves.due():
                extra = {}
                if time.time() - last_validation > options.validate_seconds:
                    extra, last_validation = {"held_out": self.validate_average(progress)}, time.time()
                curves.write("talker", self.step, learning_rate=round(rate, 6), progress=round(progress, 4), **extra)
            if ranks.first and time.time() - last_save > options.save_seconds:
                self.save(progress)
                last_save = time.time()
        if ranks.first:
            curves.write("talker", self.step, progress=1.0, held_out=self.validate_average(1.0))
            self.save(1.0)
            note(ranks, "talker ended after", self.step, "steps")

    def named(self, flats):
        """State dict of a list of flat tensors, one a group."""
        pieces = {
            id(parameter): piece
            for group, flat in zip(self.groups, flats, strict=False)
            for parameter, piece in zip(group.parameters, group.pieces(flat), strict=False)
        }
        return {name: pieces[id(parameter)].cpu().clone() for name, parameter in self.model.named_parameters()}

    def save(self, progress):
        save(
            self.checkpoint,
            {
                "preset": self.options.preset,
                "step": self.step,
                "progress": progress,
                "speakers": self.speakers,
                "talker": self.named([group.values.data for group in self.groups]),
                "average": self.named(self.best or self.averages),
                "optimizers": [group.optimizer.state_dict() for group in self.groups],
                "averages_flat": [average.cpu() for average in self.averages],
            },
        )


if __name__ == "__main__":
    options = parse()
    ranks = Ranks(options.device)
    training = TalkerTraining(options, ranks)
    if options.wait_for:
        training.warm_up()
    training.wait_for_codes()
    training.train()
    ranks.close()
