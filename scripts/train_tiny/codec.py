"""Train the codec: stage `joint` (encoder, quantiser, decoder), then stage `decoder` (decoder alone, frozen codes).

run.py starts it, one process a GPU; alone:  python codec.py joint --data DATA --out OUT --seconds 600
"""

import argparse
import math
import time
from pathlib import Path

import layers
import torch
from codec_model import Codec
from codec_steps import CodecSteps, initialise, scale_to_data
from codec_watch import Watchdog
from discriminators import Discriminators, compile_activation
from pool import Pool
from sizes import FRAME_SAMPLES, LABELS_PER_FRAME, PRESETS
from speakers import SPEAKERS
from training import Clock, Curves, FlatParameters, Ranks, RecordedSteps, load, note, save

# Phases of the joint stage go by steps (time says little while teachers share the GPUs); the shares of the stage's time
# are the latest ends, for a stage too short for the steps.
CONTINUOUS_STEPS, CONTINUOUS_UNTIL = 600, 0.25
QUANTISED_STEPS, QUANTISED_UNTIL = 2000, 0.5
PHASES = ("continuous", "quantised", "adversarial")
# After the k-means fit the decoder meets quantisation little by little, at a rate the books can follow.
RAMP_STEPS, RAMP_FROM = 200, 0.1
MIXED_STEPS, MIXED_SHARE = 1500, 0.5
FEWER_BOOKS_SHARE = 0.2  # of the clips get a random number of acoustic books: the first ones must carry the most
CODEBOOK_DECAY = 0.99
# The latent's scale moves fast at first; later its running moments should be still.
MOMENT_DECAY = {"continuous": 0.95, "quantised": 0.98, "adversarial": 0.995}
AGREE_EVERY = 10


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=["joint", "decoder"])
    parser.add_argument("--data", required=True, help="folder of shards (and codes, for stage decoder)")
    parser.add_argument("--out", required=True, help="folder of checkpoints and curves")
    parser.add_argument("--seconds", type=float, help="length of the stage, from the first step")
    parser.add_argument("--deadline", type=float, help="Unix time at which the stage must have ended")
    parser.add_argument("--wait-for", type=Path, help="warm up, then wait until this file exists (the codes are ready)")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--preset", choices=list(PRESETS), default="full")
    parser.add_argument("--clips", type=int, default=12, help="clips a GPU and step")
    parser.add_argument("--clip-frames", type=int, default=30, help="80 ms frames a clip")
    parser.add_argument("--long-frames", type=int, default=160, help="frames of the long clips of every fourth step")
    parser.add_argument("--crop-frames", type=int, default=16, help="frames a crop that the waveform decoder computes")
    parser.add_argument("--learning-rate", type=float, help="peak (default 6e-4 joint, 4e-4 decoder)")
    parser.add_argument("--start-hours", type=float, default=1.0, help="begin when every speaker has this much audio")
    parser.add_argument("--wait-seconds", type=float, default=120, help="but begin after this long in any case")
    parser.add_argument("--hours", type=float, default=12.0, help="most audio a speaker held on each GPU")
    parser.add_argument("--save-seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--eager", action="store_true", help="no CUDA graphs, no compiled kernels")
    return parser.parse_args()


class CodecTraining:
    def __init__(self, options, ranks):
        self.options, self.ranks = options, ranks
        self.joint = options.stage == "joint"
        self.out = Path(options.out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.checkpoint = self.out / f"codec_{options.stage}.pt"
        self.sizes = PRESETS[options.preset]
        torch.manual_seed(options.seed)
        torch.set_float32_matmul_precision("high")
        if not options.eager and ranks.device.type == "cuda":
            layers.compile_snake()
            compile_activation()
        self.pool = Pool(
            options.data,
            list(SPEAKERS),
            options.hours,
            ranks.device,
            options.seed * 100 + ranks.rank,
            books=0 if self.joint else self.sizes.codec.books,
        )
        self.codec = Codec(self.sizes.codec).to(ranks.device)
        self.discriminators = Discriminators(self.sizes.discriminators).to(ranks.device)
        self.step, self.done, self.average = 0, 0.0, None
        self.counters = {"phase": 0 if self.joint else PHASES.index("adversarial"), "phase_steps": 0}
        self.rate_factor = 1.0

        trained = self.codec if self.joint else self.codec.decoder
        self.codec.requires_grad_(False)
        trained.requires_grad_(True)
        self.peak = options.learning_rate or (6e-4 if self.joint else 4e-4)
        self.generator = FlatParameters(trained.parameters(), ranks, self.peak, (0.8, 0.99), 1e-3)
        self.judges = FlatParameters(self.discriminators.parameters(), ranks, self.peak, (0.8, 0.99), 1e-3)
        steps = CodecSteps(self.codec, self.discriminators, self.generator, self.judges, ranks, options.crop_frames)
        self.run_step = RecordedSteps(steps.joint if self.joint else steps.decoder, ranks, not options.eager)
        changing = (self.generator.values, self.judges.values, *self.codec.buffers())
        self.watchdog = Watchdog(ranks, changing, (self.generator.optimizer, self.judges.optimizer))

    def shape(self, kind):
        """Clips, frames a clip and crops of a short or long batch. Long clips: the encoder attends to the whole past."""
        options = self.options
        if kind == "long":
            return max(1, options.clips // 4), options.long_frames, max(1, options.clips // 4) * 4
        return options.clips, options.clip_frames, options.clips

    def warm_up(self):
        """Record or compile every kind of step on noise, before there is audio; no weight is moved."""
        begin, device = time.time(), self.ranks.device
        for phase in PHASES if self.joint else ("adversarial",):
            for kind in ("short", "long") if self.joint else ("short",):
                clips, frames, crops = self.shape(kind)
                inputs = {
                    "audio": 0.05 * torch.randn(clips, frames * FRAME_SAMPLES, device=device),
                    "first": torch.zeros(crops, dtype=torch.long, device=device),
                    "adversarial_weight": torch.ones((), device=device),
                }
                if self.joint:
                    inputs["labels"] = torch.zeros(clips, frames * LABELS_PER_FRAME, dtype=torch.long, device=device)
                    inputs |= self.quantiser_inputs(clips)
                else:
                    inputs["codes"] = torch.zeros(
                        clips, frames, self.sizes.codec.books, dtype=torch.long, device=device
                    )
                self.run_step((phase, kind), inputs)
                note(self.ranks, "warm", phase, kind, round(time.time() - begin, 1), "s")

    def wait_for_audio(self):
        begin = time.time()
        while self.options.wait_for and not self.options.wait_for.exists():
            time.sleep(0.2)
            if time.time() - begin > 20:
                begin = time.time()
                note(self.ranks, "waiting for codes")
        begin = time.time()
        while True:
            self.pool.refresh()
            least = self.ranks.smallest(min(self.pool.hours().values()))
            most = self.ranks.smallest(max(self.pool.hours().values()))
            waited = self.ranks.agree(time.time() - begin)
            if least >= self.options.start_hours or (waited > self.options.wait_seconds and most * 3600 > 60):
                break
            time.sleep(0.5)
        note(self.ranks, "audio hours", self.pool.hours())

    def set_weights(self):
        """Fresh weights fitted to the data, those of the other stage, or the resumed ones; always in place."""
        state = load(self.checkpoint) if self.checkpoint.exists() else None
        if state is None and not self.joint:
            fresh = {"step": 0, "progress": 0.0, "optimizers": None, "counters": self.counters, "rate_factor": 1.0}
            state = load(self.out / "codec_joint.pt") | fresh
        if state is None:
            initialise(self.codec)
            scale_to_data(self.codec, self.pool.clips(self.options.clips, self.options.clip_frames)[0])
        else:
            self.codec.load_state_dict(state["codec"])
            judges = self.out / "judges.pt"  # a packed checkpoint keeps them apart
            if state["discriminators"] or judges.exists():
                self.discriminators.load_state_dict(state["discriminators"] or load(judges))
            self.step, self.done = state["step"], state["progress"]
            self.counters = state.get("counters", self.counters)
            self.rate_factor = state.get("rate_factor", 1.0)
        if state is not None and state["optimizers"]:
            self.generator.optimizer.load_state_dict(state["optimizers"][0])
            self.judges.optimizer.load_state_dict(state["optimizers"][1])
        if not self.joint:
            self.average = self.generator.values.data.clone()
            if state.get("average_flat") is not None:
                self.average.copy_(state["average_flat"])
        for tensor in (self.generator.values.data, self.judges.values.data, *self.codec.buffers()):
            self.ranks.broadcast(tensor)

    def quantiser_inputs(self, clips):
        """Which clips skip the books, and how many books each of the others gets."""
        device, books = self.ranks.device, self.sizes.codec.books - 1
        share = MIXED_SHARE * max(0.0, 1 - self.counters["phase_steps"] / MIXED_STEPS) * (self.phase == "quantised")
        fewer = torch.rand(clips, device=device) < FEWER_BOOKS_SHARE
        return {
            "unquantised": torch.rand(clips, device=device) < share,
            "books": torch.where(fewer, torch.randint(1, books + 1, (clips,), device=device), books),
        }

    def batch(self, kind):
        clips, frames, crops = self.shape(kind)
        audio, labels, codes = self.pool.clips(clips, frames, aligned=not self.joint)
        first = torch.randint(0, frames - self.options.crop_frames + 1, (crops,), device=self.ranks.device)
        # A new discriminator says nothing yet: let it learn for a while before it steers.
        steps = self.counters["phase_steps"]
        weight = 0.0 if steps < 50 and not self.done else min(1.0, steps / 300)
        inputs = {
            "audio": audio,
            "first": first,
            "adversarial_weight": torch.full((), weight, device=self.ranks.device),
        }
        return inputs | ({"labels": labels} | self.quantiser_inputs(clips) if self.joint else {"codes": codes})

    def learning_rate(self, progress):
        fall_from = 0.5 if self.joint else 0.1
        least = 0.1 if self.joint else 0.02
        share = max(0.0, progress - fall_from) / (1 - fall_from)
        rate = self.peak * self.rate_factor * (least + (1 - least) * 0.5 * (1 + math.cos(math.pi * share)))
        if self.phase == "quantised":
            rate *= min(1.0, RAMP_FROM + (1 - RAMP_FROM) * self.counters["phase_steps"] / RAMP_STEPS)
        return rate * min(1.0, (self.step + 1) / 100)

    @property
    def phase(self):
        return PHASES[self.counters["phase"]]

    def change_phase(self, progress):
        """On to the next phase when this one has had its steps, or must end for want of time."""
        steps, phase = self.counters["phase_steps"], self.phase
        if phase == "continuous" and (steps >= CONTINUOUS_STEPS or progress >= CONTINUOUS_UNTIL):
            self.fit_codebooks()
            self.watchdog.forget_explained()
        elif not (phase == "quantised" and (steps >= QUANTISED_STEPS or progress >= QUANTISED_UNTIL)):
            return
        self.counters = {"phase": self.counters["phase"] + 1, "phase_steps": 0}

    def fit_codebooks(self):
        with torch.no_grad(), self.ranks.autocast():
            latent = torch.cat(
                [self.codec.latent(self.pool.clips(self.options.clips, self.options.clip_frames)[0]) for _ in range(60)]
            )
        for quantiser in (self.codec.semantic, self.codec.acoustic):
            quantiser.fit(latent, self.options.clips * self.options.clip_frames * self.ranks.world)
            for buffer in quantiser.buffers():
                self.ranks.broadcast(buffer)
        note(self.ranks, "k-means on", latent.shape[0] * latent.shape[2], "vectors")

    def follow_latent(self, values):
        """Running moments of the latent, and the codebooks once there are any."""
        moments = self.ranks.sum(values["moments"].clone()) / self.ranks.world
        quantisers = (self.codec.semantic, self.codec.acoustic)
        for quantiser, pair in zip(quantisers, moments, strict=True):
            quantiser.follow(pair, MOMENT_DECAY[self.phase])
        if self.phase == "continuous":
            return
        statistics = self.ranks.sum(values["statistics"].clone())
        rows = values["rows"]
        chosen = torch.randint(0, rows.shape[1], (self.sizes.codec.entries,), device=rows.device)
        spares = self.ranks.broadcast(rows[:, chosen].contiguous())
        self.codec.semantic.update(statistics[:1], spares[:1], CODEBOOK_DECAY)
        self.codec.acoustic.update(statistics[1:], spares[1:], CODEBOOK_DECAY)

    def train(self):
        clock = Clock(self.ranks.agree(self.options.deadline or time.time() + self.options.seconds), self.done)
        self.curves = Curves(self.out / f"codec_{self.options.stage}.jsonl", self.ranks)
        progress = self.ranks.agree(clock.progress())
        last_save = time.time()
        while progress < 1.0:
            self.change_phase(progress)
            kind = "long" if self.joint and self.step % 4 == 3 else "short"
            values = self.run_step((self.phase, kind), self.batch(kind))
            rate = self.learning_rate(progress)
            norm = self.generator.step(rate, 200.0)
            if self.phase == "adversarial":
                self.judges.step(rate * 0.6, 10.0)
            if self.joint:
                self.follow_latent(values)
                self.watchdog.track(values["mel"], values["explained"])
            if self.average is not None:
                self.average.lerp_(self.generator.values.data, max(0.002, 1 / (self.step + 1)))
            self.curves.track({name: value for name, value in values.items() if value.ndim == 0} | {"norm": norm})
            self.step += 1
            self.counters["phase_steps"] += 1
            if self.step % AGREE_EVERY == 0:
                self.pool.refresh(100_000)
                progress = self.ranks.agree(clock.progress())
                if self.joint:
                    self.watch(progress)
            if self.curves.due():
                self.write_curves(progress, learning_rate=round(rate, 6))
            if self.ranks.first and time.time() - last_save > self.options.save_seconds:
                self.save(progress)
                last_save = time.time()
        if self.ranks.first:
            self.save(1.0)
            note(self.ranks, self.options.stage, "ended after", self.step, "steps")

    def watch(self, progress):
        result = self.watchdog.check(self.step, self.phase != "continuous", self.counters)
        if result:
            self.counters, why = result
            self.rate_factor /= 2
            if self.ranks.first:
                self.write_curves(progress, rolled_back=why)

    def write_curves(self, progress, **extra):
        if self.joint:
            perplexity = torch.cat([self.codec.semantic.perplexity(), self.codec.acoustic.perplexity()])
            extra |= {
                "perplexity": [round(value) for value in perplexity.tolist()],
                "rollbacks": self.watchdog.rollbacks,
            }
        self.curves.write(self.options.stage, self.step, phase=self.phase, progress=round(progress, 4), **extra)

    def save(self, progress):
        state = {
            "preset": self.options.preset,
            "step": self.step,
            "progress": progress,
            "counters": self.counters,
            "rate_factor": self.rate_factor,
            "codec": {name: value.cpu() for name, value in self.codec.state_dict().items()},
            "discriminators": {name: value.cpu() for name, value in self.discriminators.state_dict().items()},
            "optimizers": [self.generator.optimizer.state_dict(), self.judges.optimizer.state_dict()],
        }
        if self.average is not None:
            names = [f"decoder.{name}" for name, _ in self.codec.decoder.named_parameters()]
            state["average"] = dict(
                zip(names, (piece.cpu() for piece in self.generator.pieces(self.average)), strict=False)
            )
            state["average_flat"] = self.average.cpu()
        save(self.checkpoint, state)


if __name__ == "__main__":
    options = parse()
    ranks = Ranks(options.device)
    training = CodecTraining(options, ranks)
    training.warm_up()
    training.wait_for_audio()
    training.set_weights()
    training.train()
    ranks.close()
