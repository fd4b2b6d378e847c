"""Train the codec: stage `joint` (all of it, at last the decoder alone), or `decoder` (more of the latter).

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
from codec_watch import PHASES, Watchdog
from degrade import degrade, level
from discriminators import Discriminators, compile_activation
from pool import Pool, taught
from sizes import FRAME_SAMPLES, LABELS_PER_FRAME, PRESETS
from speakers import CLEAN_SHARES, CODEC_SHARES, WARM_SHARES
from training import Clock, Curves, FlatParameters, Ranks, RecordedSteps, load, note, save

# Phases of the joint stage go by steps (time says little while teachers share the GPUs); the shares of the stage's time
# are the latest ends, for a stage too short for the steps.
CONTINUOUS_STEPS, CONTINUOUS_UNTIL = 600, 0.25
QUANTISED_STEPS, QUANTISED_UNTIL = 2000, 0.5
# After the k-means fit the decoder meets quantisation little by little, at a rate the books can follow.
RAMP_STEPS, RAMP_FROM = 200, 0.1
MIXED_STEPS, MIXED_SHARE = 1500, 0.5
FEWER_BOOKS_SHARE = 0.2  # of the clips get a random number of acoustic books: the first ones must carry the most
CODEBOOK_DECAY = 0.99
JUDGES_ALONE_STEPS, JUDGES_FULL_STEPS = 50, 300
# A decoder that is good already must not follow discriminators that know nothing: without theirs it stands still, then its
# rate rises.
NEW_JUDGES_STEPS, NEW_JUDGES_FULL_STEPS = 400, 1500
AVERAGE_RATE = 0.002
# The latent's scale moves fast at first; later its running moments should be still.
MOMENT_DECAY = {"continuous": 0.95, "quantised": 0.98, "adversarial": 0.995}
AGREE_EVERY = 10
WARM_CORRELATION_WEIGHT = 0.2  # a shipped latent lies in fewer dimensions, and a talker knows it so


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=["joint", "decoder"])
    parser.add_argument("--data", required=True, help="folder of shards")
    parser.add_argument("--out", required=True, help="folder of checkpoints and curves")
    parser.add_argument("--seconds", type=float, help="length of the stage, from the first step")
    parser.add_argument("--deadline", type=float, help="Unix time at which the stage must have ended")
    parser.add_argument("--wait-for", type=Path, help="warm up, then wait until this file exists")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--preset", choices=list(PRESETS), default="full")
    parser.add_argument("--clips", type=int, default=12, help="clips a GPU and step")
    parser.add_argument("--clip-frames", type=int, default=30, help="80 ms frames a clip")
    parser.add_argument("--long-frames", type=int, default=160, help="frames of the long clips of every fourth step")
    parser.add_argument("--crop-frames", type=int, default=16, help="frames a crop that the waveform decoder computes")
    parser.add_argument(
        "--polish-from", type=float, default=0.75, help="share of the time at which the encoder is done"
    )
    parser.add_argument("--learning-rate", type=float, help="peak (default 6e-4 joint, 4e-4 decoder)")
    parser.add_argument(
        "--start-hours",
        type=float,
        default=1.0,
        help="begin when the teachers have spoken so much for a group of speakers",
    )
    parser.add_argument("--wait-seconds", type=float, default=120, help="but begin after this long in any case")
    parser.add_argument("--hours", type=float, default=36.0, help="most synthetic audio held on each GPU")
    parser.add_argument("--save-seconds", type=float, default=60)
    parser.add_argument(
        "--phases-from", choices=PHASES, default=PHASES[0], help="the first phase to record; of a resumed stage its own"
    )
    parser.add_argument("--warm", action="store_true", help="the codec to go on with is a shipped one (see warm.py)")
    parser.add_argument(
        "--clean", action="store_true", help="the encoder hears the teachers alone, as they are: it will not be shipped"
    )
    parser.add_argument("--preset-clips", type=float, help="share of the clips that are of the presets' voices")
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
        seed = options.seed * 100 + ranks.rank
        shares = CLEAN_SHARES if options.clean else WARM_SHARES if options.warm else CODEC_SHARES
        if options.preset_clips is not None:
            shares = {"synthetic": 1 - options.preset_clips, "preset": options.preset_clips}
        self.pool = Pool(options.data, shares, options.hours, ranks.device, seed)
        self.codec = Codec(self.sizes.codec).to(ranks.device)
        self.discriminators = Discriminators(self.sizes.discriminators).to(ranks.device)
        self.step, self.done, self.average = 0, 0.0, None
        self.counters = {"phase": 0 if self.joint else PHASES.index("polish"), "phase_steps": 0, "judged": 0}
        self.rate_factor = 1.0
        self.new_judges = False

        self.peak = options.learning_rate or (6e-4 if self.joint else 4e-4)
        decoder = list(self.codec.decoder.parameters())
        encoder = [p for name, p in self.codec.named_parameters() if not name.startswith("decoder.")]
        groups = (encoder, decoder, self.discriminators.parameters())
        self.flat = [FlatParameters(group, ranks, self.peak, (0.8, 0.99), 1e-3) for group in groups]
        self.encoder_side, self.decoder_side, self.judges = self.flat
        steps = CodecSteps(self.codec, self.discriminators, self.flat[:2], self.judges, ranks, options.crop_frames)
        if options.warm:
            steps.correlation_weight = WARM_CORRELATION_WEIGHT
        self.run_step = RecordedSteps(steps, ranks, not options.eager)
        changing = (*(group.values for group in self.flat), *self.codec.buffers())
        self.watchdog = Watchdog(ranks, changing, [group.optimizer for group in self.flat])

    def shape(self, kind):
        """Clips, frames a clip and crops of a short or long batch. Long clips: the encoder attends to the whole past."""
        options = self.options
        if kind == "long":
            return max(1, options.clips // 4), options.long_frames, max(1, options.clips // 4) * 4
        return options.clips, options.clip_frames, options.clips

    def warm_up(self):
        """Record or compile every kind of step on noise, before there is audio; no weight is moved."""
        begin, device = time.time(), self.ranks.device
        phases = PHASES[PHASES.index(self.options.phases_from) :] if self.joint else PHASES[-1:]
        if self.joint and self.options.polish_from >= 1:
            phases = phases[:-1]  # it will not come, and a phase costs some ten seconds to record
        for phase in phases:
            for kind in ("short", "long"):
                clips, frames, crops = self.shape(kind)
                audio = 0.05 * torch.randn(clips, frames * FRAME_SAMPLES, device=device)
                inputs = {
                    "audio": audio,
                    "heard": audio,
                    "first": torch.zeros(crops, dtype=torch.long, device=device),
                    "adversarial_weight": torch.ones((), device=device),
                    "labels": torch.zeros(clips, frames * LABELS_PER_FRAME, dtype=torch.long, device=device),
                }
                self.run_step((phase, kind), inputs | self.quantiser_inputs(clips))
                note(self.ranks, "warm", phase, kind, round(time.time() - begin, 1), "s")

    def wait_for_audio(self):
        """Until the wanted file and enough audio exist; says so now and then, for a silent program is started again."""
        options, begin, said = self.options, time.time(), time.time()
        while options.wait_for and not options.wait_for.exists():
            time.sleep(0.2)
            begin, said = time.time(), self.still_waiting("for a file", said)
        while True:
            self.pool.refresh()
            hours = self.ranks.smallest(max(self.pool.hours().values()))
            spoken = self.ranks.smallest(taught(self.pool.hours()))
            waited = self.ranks.agree(time.time() - begin)
            if spoken >= options.start_hours or (waited > options.wait_seconds and hours * 3600 > 60):
                break
            time.sleep(0.5)
            said = self.still_waiting(f"for audio, hours {self.pool.hours()}", said)
        note(self.ranks, "audio hours", self.pool.hours())

    def still_waiting(self, what, said):
        if time.time() - said < 15:
            return said
        note(self.ranks, "waiting", what)
        return time.time()

    def set_weights(self):
        """Fresh weights fitted to the data, those of the other stage, or the resumed ones; always in place."""
        state = load(self.checkpoint) if self.checkpoint.exists() else None
        if state is None and not self.joint:
            state = load(self.out / "codec_joint.pt")
            state |= {"codec": state["codec"] | state.get("average", {}), "step": 0, "progress": 0.0}
            state |= {"optimizers": None, "counters": self.counters, "rate_factor": 1.0, "average_flat": None}
        if state is None:
            initialise(self.codec)
            scale_to_data(self.codec, self.heard())
        else:
            self.restore(state)
        for tensor in (*(group.values.data for group in self.flat), *self.codec.buffers()):
            self.ranks.broadcast(tensor)
        if self.phase == "polish" and self.average is None:
            self.average = self.decoder_side.values.data.clone()

    def restore(self, state):
        self.codec.load_state_dict(state["codec"])
        judges = self.out / "judges.pt"  # a packed checkpoint keeps them apart
        self.step, self.done = state["step"], state["progress"]
        self.counters = {"judged": 0} | state.get("counters", self.counters)
        self.rate_factor = state.get("rate_factor", 1.0)
        if state["discriminators"] or judges.exists():
            self.discriminators.load_state_dict(state["discriminators"] or load(judges))
            self.counters["judged"] = max(self.counters["judged"], JUDGES_FULL_STEPS)
        else:
            self.new_judges = not self.joint
        for group, optimizer in zip(self.flat, state["optimizers"] or (), strict=False):
            group.optimizer.load_state_dict(optimizer)
        if state.get("average_flat") is not None:
            self.average = state["average_flat"].to(self.ranks.device)
        if state.get("refit"):  # widen.py gave the acoustic books another latent
            self.fit_codebooks([self.codec.acoustic])

    def quantiser_inputs(self, clips):
        """Which clips skip the books, and how many books each of the others gets."""
        device, books = self.ranks.device, self.sizes.codec.books - 1
        share = MIXED_SHARE * max(0.0, 1 - self.counters["phase_steps"] / MIXED_STEPS) * (self.phase == "quantised")
        fewer = torch.rand(clips, device=device) < FEWER_BOOKS_SHARE
        return {
            "unquantised": torch.rand(clips, device=device) < share,
            "books": torch.where(fewer, torch.randint(1, books + 1, (clips,), device=device), books),
        }

    def heard(self):
        """Clips as the encoder hears them, to fit weights or books."""
        audio = self.pool.clips(self.options.clips, self.options.clip_frames)[0]
        return audio if self.options.clean else degrade(level(audio))

    def batch(self, kind):
        clips, frames, crops = self.shape(kind)
        audio, labels = self.pool.clips(clips, frames)
        heard = audio
        if not self.options.clean:
            levelled = level(audio)
            heard = degrade(levelled)
            if not self.options.warm:  # whose codes know one level only: the encoder must find it
                audio = levelled
        # A new discriminator says nothing yet: let it learn for a while before it steers.
        judged = self.counters["judged"]
        weight = 0.0 if judged < JUDGES_ALONE_STEPS else min(1.0, judged / JUDGES_FULL_STEPS)
        if self.new_judges:
            weight = 1.0  # the decoder's rate rises instead
        inputs = {
            "audio": audio,
            "heard": heard,
            "first": torch.randint(0, frames - self.options.crop_frames + 1, (crops,), device=self.ranks.device),
            "adversarial_weight": torch.full((), weight, device=self.ranks.device),
            "labels": labels,
        }
        return inputs | self.quantiser_inputs(clips)

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
        elif phase == "adversarial" and progress >= self.options.polish_from:
            self.average = self.decoder_side.values.data.clone()
        elif not (phase == "quantised" and (steps >= QUANTISED_STEPS or progress >= QUANTISED_UNTIL)):
            return
        self.counters |= {"phase": self.counters["phase"] + 1, "phase_steps": 0}

    def fit_codebooks(self, quantisers=None):
        with torch.no_grad(), self.ranks.autocast():
            latent = torch.cat([self.codec.latent(self.heard()) for _ in range(60)])
        for quantiser in quantisers or (self.codec.semantic, self.codec.acoustic):
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
            kind = "long" if self.step % 4 == 3 else "short"
            values = self.run_step((self.phase, kind), self.batch(kind))
            rate = self.learning_rate(progress)
            norm = self.update(values, rate)
            self.curves.track({name: value for name, value in values.items() if value.ndim == 0} | {"norm": norm})
            self.step += 1
            self.counters["phase_steps"] += 1
            if self.step % AGREE_EVERY == 0:
                self.pool.refresh(100_000)
                progress = self.ranks.agree(clock.progress())
                self.watch(progress)
            if self.curves.due():
                self.write_curves(progress, learning_rate=round(rate, 6))
            if self.ranks.first and time.time() - last_save > self.options.save_seconds:
                self.save(progress)
                last_save = time.time()
        if self.ranks.first:
            self.save(1.0)
            note(self.ranks, self.options.stage, "ended after", self.step, "steps")

    def trust(self):
        """The share of the rate at which the decoder follows discriminators that began anew."""
        if not self.new_judges:
            return 1.0
        judged = self.counters["judged"] - NEW_JUDGES_STEPS
        return min(1.0, max(0.0, judged / (NEW_JUDGES_FULL_STEPS - NEW_JUDGES_STEPS)))

    def update(self, values, rate):
        """Move the weights by the gradients of a step, and what follows them."""
        norm = self.decoder_side.step(rate * self.trust(), 200.0)
        if self.phase in ("adversarial", "polish"):
            self.judges.step(rate * 0.6, 10.0)
            self.counters["judged"] += 1
        if self.phase == "polish":
            weight = max(AVERAGE_RATE, 1 / (self.counters["phase_steps"] + 1))
            self.average.lerp_(self.decoder_side.values.data, weight)
            self.watchdog.track({"mel": values["mel"]})
        else:
            self.encoder_side.step(rate, 200.0)
            self.follow_latent(values)
            self.watchdog.track({"mel": values["mel"], "explained": values["explained"]})
        return norm

    def watch(self, progress):
        quantised = self.phase in ("quantised", "adversarial")
        result = self.watchdog.check(self.step, quantised, self.counters)
        if result:
            self.counters, why = result
            self.rate_factor /= 2
            if self.ranks.first:
                self.write_curves(progress, rolled_back=why)

    def write_curves(self, progress, **extra):
        if self.phase != "polish":
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
            "optimizers": [group.optimizer.state_dict() for group in self.flat],
        }
        if self.average is not None:
            names = [f"decoder.{name}" for name, _ in self.codec.decoder.named_parameters()]
            state["average"] = dict(
                zip(names, (piece.cpu() for piece in self.decoder_side.pieces(self.average)), strict=False)
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
