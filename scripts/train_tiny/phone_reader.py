"""Which phones a take has: a small network that hears, learned from the talker's own takes, for own_takes.py.

The recogniser of words in batched_judges.py writes a name as it likes. This one is asked how well a take has the phones that its
text stands for. It learns them from the takes of the shipped talker, whose texts are known as phones: a talker that says one name in
ten badly says each phone rightly in most of its words. Each output hears a third of a second and no more, so it cannot guess a phone
from the words around it. It is not taught again while the talker learns, or the two would agree on something that nobody understands.

Graves et al. 2006, Connectionist Temporal Classification: the loss, in nats a take, sums over all alignments.
"""

import itertools

import numpy as np
import torch
import torch.nn.functional as F
from phone_tokens import phones
from sizes import SAMPLE_RATE
from speaker_model import BANDS, HOP, MEL_DEVIATION, MEL_MEAN, LogMel
from torch import nn

SYMBOLS = (*phones.VOWELS, *phones.CONSONANTS)  # stress and length are not asked for
NUMBERS = {symbol: number for number, symbol in enumerate(SYMBOLS, 1)}  # 0: none
WIDTH, KERNEL, BLOCKS = 256, 5, 4
STEP = 2 * HOP  # samples of an output: 47 a second
DROPPED = 0.1
NOISE_DB = (-60.0, -25.0)  # under the level of speech, while it learns
CLEAN_SHARE = 0.4
BATCH = 64
MOST_NATS = 10.0  # of a phone, when takes are judged
HELD_SHARE = 0.06


def numbers_of(said):
    """Phones as a string -> the network's numbers."""
    return np.array([NUMBERS[letter] for letter in said if letter in NUMBERS], np.int64)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.conv = nn.Conv1d(width, width, KERNEL, padding=KERNEL // 2, groups=width)
        self.wide, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.drop = nn.Dropout(DROPPED)

    def forward(self, x):  # [B, T, width]
        y = self.conv(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return x + self.drop(self.narrow(F.gelu(self.wide(y))))


class PhoneReader(nn.Module):
    def __init__(self, width=WIDTH):
        super().__init__()
        self.log_mel = LogMel()
        self.first = nn.Conv1d(BANDS, width, KERNEL, stride=STEP // HOP, padding=KERNEL // 2)
        self.blocks = nn.Sequential(*(Block(width) for _ in range(BLOCKS)))
        self.last = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, len(SYMBOLS) + 1))

    def forward(self, audio):
        """[B, N] at 24 kHz -> log probabilities [B, T, symbols]; the first one is that of none."""
        with torch.autocast(audio.device.type, enabled=False):
            mel = (self.log_mel(audio) - MEL_MEAN) / MEL_DEVIATION
        return F.log_softmax(self.last(self.blocks(F.gelu(self.first(mel)).transpose(1, 2))).float(), -1)

    def losses(self, audio, lengths, said):
        """Nats of each take: [B]. lengths: samples [B]; said: numbers of each take."""
        found = self(audio)
        times = (lengths // STEP).clamp(1, found.shape[1])
        counts = torch.tensor([len(one) for one in said], device=audio.device)
        wanted = torch.from_numpy(np.concatenate([*said, np.zeros(0, np.int64)])).to(audio.device)
        # A take that is too short for its phones has no alignment at all: nothing to learn from, and as bad as can be.
        loss = F.ctc_loss(found.transpose(0, 1), wanted, times, counts, reduction="none", zero_infinity=self.training)
        return loss if self.training else loss.clamp(max=MOST_NATS * counts)

    @torch.no_grad()
    def nats(self, audio, lengths, said):
        """The same for judging; 0 where no phones are known, as of clones."""
        asked, found = np.flatnonzero([len(one) for one in said]), np.zeros(len(said))
        if len(asked):
            rows = torch.from_numpy(asked).to(audio.device)
            found[asked] = self.losses(audio[rows], lengths[rows], [said[row] for row in asked]).cpu().numpy()
        return found

    @torch.no_grad()
    def heard(self, audio, lengths):
        """The likeliest symbol of each moment, without those that follow their like: B lists of numbers."""
        best, times = self(audio).argmax(-1).tolist(), (lengths // STEP).tolist()
        return [[key for key, _ in itertools.groupby(row[:time]) if key] for row, time in zip(best, times, strict=True)]


def errors(said, heard):
    """Phones left out, put in or changed, at least."""
    before = np.arange(len(said) + 1)
    for at, one in enumerate(heard, 1):
        now = np.minimum(before[1:] + 1, before[:-1] + (np.asarray(said) != one))
        row = np.concatenate([[at], now])
        # Insertions run along the row: the least of what is left of each place, and one more for each step.
        before = np.minimum.accumulate(row - np.arange(len(row))) + np.arange(len(row))
    return int(before[-1])


class Lesson:
    """Takes to learn from, held as bytes of sound on the host."""

    def __init__(self):
        self.takes = []  # (samples as int16, numbers)

    def add(self, audio, lengths, said):
        whole = (audio.clamp(-1, 1) * 32767).to(torch.int16).cpu().numpy()
        self.takes += [
            (row[:length], one) for row, length, one in zip(whole, lengths.tolist(), said, strict=True) if len(one)
        ]

    def batch(self, rows, device):
        takes = [self.takes[row] for row in rows]
        lengths = torch.tensor([len(samples) for samples, _ in takes])
        audio = torch.zeros(len(takes), int(lengths.max()))
        for row, (samples, _) in enumerate(takes):
            audio[row, : len(samples)] = torch.from_numpy(samples.astype(np.float32) / 32767)
        return audio.to(device), lengths.to(device), [said for _, said in takes]


def noisy(audio):
    """With noise far under it, some without, and a little louder or softer."""
    low, high = NOISE_DB
    level = audio.square().mean(1, keepdim=True).sqrt()
    under = 10 ** (torch.empty_like(level).uniform_(low, high) / 20) * (torch.rand_like(level) > CLEAN_SHARE)
    return (audio + torch.randn_like(audio) * level * under) * torch.empty_like(level).uniform_(0.7, 1.3)


def learn(reader, lesson, steps, rate=1.5e-3, seed=0, tell=print):
    """Some steps on the takes of a lesson; the share of wrong phones of those that were kept aside, in percent."""
    device = next(reader.parameters()).device
    random = np.random.default_rng(seed)
    order = random.permutation(len(lesson.takes))
    held, learned = np.split(order, [max(1, int(HELD_SHARE * len(order)))])
    optimizer = torch.optim.AdamW(reader.parameters(), rate, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps + 1)
    reader.train()
    for step in range(steps):
        rows = random.choice(learned, min(BATCH, len(learned)), replace=False)
        audio, lengths, said = lesson.batch(rows, device)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
            loss = reader.losses(noisy(audio), lengths, said).sum() / sum(map(len, said))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 99:
            tell(f"phone reader: step {step + 1}, {loss.item():.3f} nats a phone")
    reader.eval()
    reader.requires_grad_(False)
    wrong = total = 0
    for at in range(0, len(held), BATCH):
        audio, lengths, said = lesson.batch(held[at : at + BATCH], device)
        wrong += sum(errors(one, two) for one, two in zip(said, reader.heard(audio, lengths), strict=True))
        total += sum(map(len, said))
    return 100 * wrong / max(1, total)


assert SAMPLE_RATE / STEP > 40, (
    "phones follow each other at up to 25 a second, and CTC needs a moment between like ones"
)
