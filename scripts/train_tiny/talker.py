"""Train the talker, the code predictor and the speaker encoder on encoded shards, with three kinds of prompts.

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
from copies import Copies
from degrade import CLEAN_SHARE, degrade, level
from listener import Listener
from people import People
from phone_tokens import ALL, COPIES, LETTERS
from prompt_tracks import TrackBuilder
from sizes import PRESETS
from speaker_model import LogMel, SpeakerEncoder
from speakers import SPEAKERS
from talker_data import BY_ID, EDGES, GROUP_SHARES, PROMPT_SHARES, PROMPTS, VECTOR_SHARES, TalkerData, on
from talker_model import Talker
from training import Clock, Curves, FlatParameters, Ranks, differentiate, load, moved, note, save

PREDICTOR_WEIGHT = 2.0
WORST_CORRUPTION = 0.25
BLURRED_SHARE, MOST_KEPT = 0.8, 4
# The guide shows the way to the text; a little of it stays, for word times are read off these heads.
GUIDE_WEIGHT, GUIDED_UNTIL, LEAST_GUIDE = 0.5, 0.5, 0.1
ENCODER_RATE = 0.3  # of the learning rate: nothing normalises between the speaker encoder's convolutions
# Two clips of a speaker must have vectors more alike than two speakers: the encoder learns what to listen for.
IDENTITY_WEIGHT, IDENTITY_SCALE, IDENTITY_ROWS = 0.1, 10.0, 96
PEOPLE_ROWS = 32  # of recordings, beside the batch's own: synthetic speakers alone are soon told apart
LISTENER_WEIGHT = 1.0
REFERENCE_FRAMES = (25, 38, 50, 75)  # 2 to 6 seconds
VECTORS_AT_ONCE = 32
AGREE_EVERY = 10
AVERAGED_FROM = 0.4


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of shards with NAME.codes.npy")
    parser.add_argument("--out", required=True, help="folder of checkpoints and curves")
    parser.add_argument("--tokenizer", required=True, help="folder written by tokenizer.py")
    parser.add_argument("--seconds", type=float, help="length of the stage, from the first step")
    parser.add_argument("--deadline", type=float, help="Unix time at which the stage must have ended")
    parser.add_argument("--deadline-file", type=Path, help="a file that may hold another deadline, read while training")
    parser.add_argument("--wait-for", help="warm up, then wait until this file exists (the codes are ready)")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--preset", choices=list(PRESETS), default="full")
    parser.add_argument("--positions", type=int, default=40000, help="positions a GPU and step")
    parser.add_argument(
        "--predictor-share", type=float, default=0.25, help="share of the frames the predictor learns from"
    )
    parser.add_argument("--learning-rate", type=float, default=1.5e-3)
    parser.add_argument("--flat", type=float, default=0.3, help="share of the training before the rate falls")
    parser.add_argument("--last-rate", type=float, default=0.02, help="the last rate, as a share of the learning rate")
    parser.add_argument("--copies", type=Path, help="each text in several copies, with phones: what copies.py writes")
    parser.add_argument(
        "--preset-share", type=float, default=GROUP_SHARES["preset"], help="share of the batches that presets speak"
    )
    parser.add_argument("--keep-encoder", action="store_true", help="the speaker encoder stays as it is")
    parser.add_argument("--save-seconds", type=float, default=60)
    parser.add_argument("--validate-seconds", type=float, default=45)
    parser.add_argument("--no-context", action="store_true", help="clones by the speaker's vector alone")
    parser.add_argument(
        "--listener", help="weights of a model that tells people apart: the vector must tell what it hears"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--eager", action="store_true", help="no compiled layers")
    return parser.parse_args()


def corrupt(track):
    """Replace some of the spoken history by frames from elsewhere: the talker must survive its own errors.

    A random share of each item's frames as a whole; and in most items, in every frame, all books but the first few:
    sixteen codes name a frame of the training data exactly, and what follows it is then learned by heart.
    """
    codes, spoken = track["codes"], track["own"]  # a reference is never at fault
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


def places(mask, count):
    """Where a mask is true, as `count` flat indices; the host knows the count, so that it need not wait for the device."""
    mask = mask.flatten()
    number = torch.where(mask, mask.cumsum(0) - 1, count)
    result = torch.zeros(count + 1, dtype=torch.long, device=mask.device)
    return result.scatter_(0, number, torch.arange(len(mask), device=mask.device))[:count]


def summed(first, rest, guide, identity, apart, guide_weight):
    losses = (PREDICTOR_WEIGHT, rest), (guide_weight, guide), (IDENTITY_WEIGHT, identity), (LISTENER_WEIGHT, apart)
    return first + sum(weight * loss for weight, loss in losses)


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
        torch.backends.cudnn.benchmark = False  # too many sizes to try every algorithm
        self.model = Talker(self.sizes, self.text_ids["vocabulary"]).to(ranks.device)
        width = self.sizes.talker.talker.hidden
        self.speaker_encoder = SpeakerEncoder(self.sizes.speaker_encoder, width).to(ranks.device)
        self.log_mel = LogMel().to(ranks.device)
        self.random = np.random.default_rng(options.seed + 1000 + ranks.rank)
        self.parts = torch.nn.ModuleDict({"talker": self.model, "speaker_encoder": self.speaker_encoder})
        builder = TrackBuilder(self.sizes, self.text_ids, self.speakers, ranks.device)
        groups = {"preset": options.preset_share, "synthetic": 1 - options.preset_share}
        prompts = VECTOR_SHARES if options.no_context else PROMPT_SHARES
        self.data = TalkerData(builder, ranks.device, prompts, groups)
        self.listener = Listener(options.listener).to(ranks.device) if options.listener else None
        # From our vector to what the listener hears.
        self.ear = torch.nn.Linear(width, Listener.VECTOR).to(ranks.device) if self.listener else None
        self.people = None
        self.step, self.done, self.restored = 0, 0.0, False
        decayed = [p for name, p in self.model.named_parameters() if p.ndim == 2 and "embedding" not in name]
        others = [p for name, p in self.model.named_parameters() if p.ndim != 2 or "embedding" in name]
        listening = [*self.speaker_encoder.parameters(), *(self.ear.parameters() if self.ear else ())]
        self.groups = [
            FlatParameters(decayed, ranks, options.learning_rate, (0.9, 0.98), 0.05),
            FlatParameters(others, ranks, options.learning_rate, (0.9, 0.98), 0.0),
            FlatParameters(listening, ranks, options.learning_rate, (0.9, 0.98), 0.0),
        ]
        self.shares_of_rate = (1.0, 1.0, 0.0 if options.keep_encoder else ENCODER_RATE)
        self.averages = [group.values.data.clone() for group in self.groups]
        self.best, self.best_loss = None, float("inf")
        self.restore()
        torch.manual_seed(options.seed + 1000 + ranks.rank)
        if not options.eager and ranks.device.type == "cuda":
            self.speaker_encoder.compile(dynamic=True)
            for transformer in (self.model.model, self.model.code_predictor.model):
                for layer in (*transformer.layers, transformer.norm):
                    layer.compile(dynamic=True)

    def restore(self):
        """Go on from the checkpoint, if there is one: this run's own, or the packed one of an earlier stage, which has
        weights alone and may arrive while the teachers speak."""
        if self.restored or not self.checkpoint.exists():
            return
        state, self.restored = load(self.checkpoint), True
        self.model.load_state_dict(state["talker"])  # in place: the flat tensors hold them
        self.speaker_encoder.load_state_dict(state["speaker_encoder"])
        self.step, self.done = state["step"], state["progress"]
        for average, group in zip(self.averages, self.groups, strict=True):
            average.copy_(group.values.data)
        for group, average, optimizer, flat in zip(
            self.groups, self.averages, state["optimizers"], state["averages_flat"], strict=False
        ):
            group.optimizer.load_state_dict(optimizer)
            average.copy_(flat)
        note(self.ranks, "goes on from", self.checkpoint.name, "step", self.step)

    def vectors(self, references, training, random, poor_first=True):
        """Speaker vectors of reference clips."""
        return self.vectors_of(self.audio_of(references, training, random), training, poor_first)[: len(references)]

    def audio_of(self, references, training, random):
        """Random pieces of reference clips; some come twice."""
        frames = random.choice(REFERENCE_FRAMES) if training else REFERENCE_FRAMES[-1]
        # Few sizes of batches, because cuBLAS and cuFFT plan anew for each: some references come twice.
        filled = np.resize(references, -(-len(references) // VECTORS_AT_ONCE) * VECTORS_AT_ONCE)
        return self.data.reference_audio(filled, int(frames), random)

    def vectors_of(self, audio, training, poor_first=True):
        """[B, samples] -> [B, vector]; in training some of them, the first or the last, as poor recordings sound."""
        if self.options.keep_encoder:
            with torch.no_grad(), self.ranks.autocast():
                return self.speaker_encoder(self.log_mel(audio))
        if training:
            audio = level(audio)
            poor = int(len(audio) * (1 - CLEAN_SHARE))
            poor = slice(0, poor) if poor_first else slice(len(audio) - poor, None)
            audio[poor] = degrade(audio[poor], 0.0)
        mel = self.log_mel(audio)
        with self.ranks.autocast():
            return self.speaker_encoder(mel)

    def identity(self, plan, vectors, random):
        """Which of the batch's speakers, and of some people, speaks another clip? Vectors against as many others. And
        how far those are from what the listener hears in the same clips."""
        plan, vectors = plan[:IDENTITY_ROWS], vectors[:IDENTITY_ROWS]
        clips = self.audio_of(self.data.other_clips(plan.reference, random), True, random)
        others = self.vectors_of(clips, True, poor_first=False)[: len(plan)]
        apart = [self.apart(clips[: len(plan)], others)]
        speaker = self.data.speaker[plan.item]
        if self.people:
            frames = int(random.choice(REFERENCE_FRAMES))
            first, second, people = self.people.pairs(PEOPLE_ROWS, frames, random)
            vectors = torch.cat([vectors, self.vectors_of(first, True)])
            second_vectors = self.vectors_of(second, True, poor_first=False)
            apart.append(self.apart(second, second_vectors))
            others = torch.cat([others, second_vectors])
            speaker = np.concatenate([speaker, -1 - people])
        likeness = F.normalize(vectors, dim=1) @ F.normalize(others, dim=1).T * IDENTITY_SCALE
        rows = torch.arange(len(likeness), device=likeness.device)
        speaker = on(speaker, likeness.device)
        twice = (speaker[:, None] == speaker[None]) & (rows[:, None] != rows[None])
        likeness = likeness.masked_fill(twice, -1e4)
        told = (F.cross_entropy(likeness, rows) + F.cross_entropy(likeness.T, rows)) / 2
        return told, torch.cat(apart).mean()

    def apart(self, audio, vectors):
        """[B]: 1 - cosine between what the vectors tell the ear and what the listener hears; nothing without one."""
        if self.listener is None:
            return torch.zeros(len(vectors), device=vectors.device)
        return 1 - F.cosine_similarity(self.ear(vectors), self.listener(audio), dim=1)

    def losses(self, length, plan, training, random):
        """Cross entropy of code 0 (with eos) and of the other books, the guide's loss, and the two of the speakers."""
        track = self.data.tracks(length, plan)
        track["vectors"] = torch.zeros(len(plan), self.sizes.talker.talker.hidden, device=self.ranks.device)
        asked = np.flatnonzero(plan.prompt != BY_ID)
        identity = apart = torch.zeros((), device=self.ranks.device)
        if len(asked):
            vectors = self.vectors(plan.reference[asked], training, random)
            track["vectors"] = track["vectors"].index_copy(0, on(asked, self.ranks.device), vectors)
            if training and not self.options.keep_encoder:
                identity, apart = self.identity(plan[asked], vectors, random)
        if training:
            track = corrupt(track)
        with self.ranks.autocast():
            hidden, guide = self.model.hidden_and_guide(track)
            hidden = hidden.flatten(0, 1)
            spoken = int(self.data.frames[plan.item].sum())
            labelled = places(track["label"] != -100, spoken + len(plan))  # every frame and an end
            logits = self.model.codec_head(hidden.index_select(0, labelled))
            due = places(track["due"], spoken)
            if training:
                count = max(8, int(self.options.positions * 0.55 * self.options.predictor_share))
                due = due[torch.randint(0, spoken, (count,), device=due.device)]
            codes = track["next"].flatten(0, 1).index_select(0, due)
            others = self.model.predict(hidden.index_select(0, due), codes)
        first = F.cross_entropy(logits.float(), track["label"].flatten().index_select(0, labelled))
        rest = F.cross_entropy(others.float().flatten(0, 1), codes[:, 1:].flatten())
        return first, rest, guide, identity, apart

    def warm_up(self):
        """Compile while the codec still trains; random data, no step taken."""
        self.data.fake(self.sizes)
        batches = self.data.batches(0, self.options.positions, self.ranks.rank, self.ranks.world)
        for edge, plan in itertools.islice(batches, 3):
            first, rest, *others = self.losses(edge, plan, True, self.random)
            loss = summed(first, rest, *others, GUIDE_WEIGHT)
            differentiate(loss, self.groups)
            note(self.ranks, "warm-up", edge, round(float(first), 3), round(float(rest), 3))

    def wait_for_codes(self):
        said = time.time()
        while self.options.wait_for and not Path(self.options.wait_for).exists():
            time.sleep(0.2)
            if time.time() - said > 20:
                said = time.time()
                note(self.ranks, "waiting for codes")
        self.restore()
        data = self.data
        data.load(self.options.data, self.tokenizer, Copies(self.options.copies) if self.options.copies else None)
        hours = {
            name: round(float(data.frames[data.speaker == row].sum()) / 45000, 2) for row, name in enumerate(SPEAKERS)
        }
        hours["others"] = round(float(data.frames[data.speaker >= len(SPEAKERS)].sum()) / 45000, 2)
        note(self.ranks, len(data.frames), "items, hours", hours, "held out", int(data.held.sum()))
        note(
            self.ranks,
            len(data.names),
            "speakers,",
            len(data.references),
            "references,",
            int(data.unseen.sum()),
            "unseen",
        )
        self.people = People(self.options.data, self.ranks.device)
        note(self.ranks, len(self.people), "people among the speakers to tell apart")

    def validation_groups(self):
        """(name, items, prompt, copy of the text): presets by id; known and unseen speakers by vector and in context."""
        data = self.data
        synthetic, able = ~data.preset[data.speaker], data.reference_count[data.speaker] > 1
        kinds = [kind for kind, _, _ in COPIES]
        for row, name in enumerate(self.speakers):
            yield name, data.held & (data.speaker == row), BY_ID, kinds.index(LETTERS)
            if self.options.copies:
                yield f"{name}/phones", data.held & (data.speaker == row), BY_ID, kinds.index(ALL)
        for name, among in (("known", ~data.unseen), ("unseen", data.unseen)):
            for prompt in range(BY_ID + 1, len(PROMPTS) - self.options.no_context):
                items = data.held & synthetic & able & among[data.speaker]
                yield f"{name}/{PROMPTS[prompt]}", items, prompt, kinds.index(LETTERS)

    def validate(self):
        """Held-out items, whole text and streamed: {"hazel": [code 0, others, guide], ...}.

        Not under no_grad: compiled layers would be compiled a second time for it.
        """
        result = {}
        for name, among, prompt, copy in self.validation_groups():
            for streamed in (False, True)[: 1 if COPIES[copy][0] == ALL else 2]:
                random = np.random.default_rng(0)
                items = np.flatnonzero(among)
                items = random.permutation(items)[:96]
                no = np.zeros(len(items), bool)
                prompts, copies = np.full(len(items), prompt), np.full(len(items), copy)
                plan = self.data.plan(items, prompts, no, no | streamed, random, copies)
                plan = plan[self.data.positions(plan) <= EDGES[-1]]
                if len(plan) == 0:
                    continue
                losses = self.losses(int(self.data.positions(plan).max()), plan, False, random)[:3]
                result[name + ("/streamed" if streamed else "")] = [round(float(loss.detach()), 4) for loss in losses]
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
        seen = [losses for name, losses in result.items() if not name.startswith("unseen")]
        loss = sum(first + rest for first, rest, _ in seen) / max(1, len(seen))
        if loss < self.best_loss:
            self.best, self.best_loss = [average.clone() for average in self.averages], loss
        return result

    def learning_rate(self, progress):
        last, share = self.options.last_rate, max(0.0, progress - self.options.flat) / (1 - self.options.flat)
        return (
            self.options.learning_rate
            * min(1.0, (self.step + 1) / 300)
            * (last + (1 - last) * 0.5 * (1 + math.cos(math.pi * share)))
        )

    def train(self):
        options, ranks = self.options, self.ranks
        clock = Clock(ranks.agree(options.deadline or time.time() + options.seconds), self.done)
        curves = Curves(self.out / "talker.jsonl", ranks)
        progress = ranks.agree(clock.progress())
        last_save = last_validation = time.time()
        batches = self.data.batches(options.seed + self.step, options.positions, ranks.rank, ranks.world)
        while progress < 1.0:
            first, rest, guide, identity, apart = self.losses(*next(batches), True, self.random)
            guided = GUIDE_WEIGHT * max(LEAST_GUIDE, 1 - progress / GUIDED_UNTIL)
            loss = summed(first, rest, guide, identity, apart, guided)
            differentiate(loss, self.groups)
            rate = self.learning_rate(progress)
            norms = [
                group.step(rate * share, 1.0) for group, share in zip(self.groups, self.shares_of_rate, strict=True)
            ]
            self.step += 1
            if self.step % 5 == 0 and progress > AVERAGED_FROM - 0.2:
                for average, group in zip(self.averages, self.groups, strict=False):
                    average.lerp_(group.values.data, 0.02 if progress > AVERAGED_FROM - 0.05 else 0.2)
            curves.track({"first": first, "rest": rest, "guide": guide, "identity": identity, "apart": apart})
            curves.track({"norm": norms[0], "encoder_norm": norms[2]})
            if self.step % AGREE_EVERY == 0:
                clock.deadline = moved(options.deadline_file, clock.deadline)
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
        """State dicts of talker and speaker encoder, of a list of flat tensors, one a group."""
        pieces = {
            id(parameter): piece
            for group, flat in zip(self.groups, flats, strict=False)
            for parameter, piece in zip(group.parameters, group.pieces(flat), strict=False)
        }
        return {
            part: {name: pieces[id(parameter)].cpu().clone() for name, parameter in module.named_parameters()}
            for part, module in self.parts.items()
        }

    def save(self, progress):
        # Before there are averages worth the name, the newest weights are the best.
        newest = [group.values.data for group in self.groups]
        best = self.best or (self.averages if progress > AVERAGED_FROM else newest)
        now, best = self.named(newest), self.named(best)
        save(
            self.checkpoint,
            {
                "preset": self.options.preset,
                "step": self.step,
                "progress": progress,
                "speakers": self.speakers,
                "talker": now["talker"],
                "average": best["talker"],
                "speaker_encoder": now["speaker_encoder"],
                "speaker_encoder_average": best["speaker_encoder"],
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
