"""Checked request in, sound out, a block for each piece of phonemes: ties text, voices and network together."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.generation.seeds import frame_key
from mlx_tts.generation.synthesizer import ANY_FRAMES, Decoded, FrameBlock, FrameSynthesizer, PreparedRequest
from mlx_tts.models.kokoro.checkpoint import Checkpoint
from mlx_tts.models.kokoro.network import Kokoro, PhonemePiece, PieceSound, seeded_noise
from mlx_tts.models.kokoro.text.languages import phonemes_of
from mlx_tts.models.kokoro.text.phonemes import Phonemes, check_spoken, given
from mlx_tts.models.kokoro.voices import VoicePacks
from mlx_tts.models.kokoro.weights import load_kokoro
from mlx_tts.runtime.device import policy
from mlx_tts.speech import CheckedRequest, Mark

ROW_BYTES = 400 << 20  # of a piece of fifteen seconds, while it is made
PIECES_AT_ONCE = 8  # of about one length, on a GPU
SECONDS_A_PHONEME = 5.0  # 50 sigmoids of half a frame each, and speed 0.25: more than any length


@dataclass(frozen=True)
class Utterance:
    """A request as the model reads it."""

    request: CheckedRequest
    pieces: tuple[Phonemes, ...]


@dataclass
class KokoroRow:
    """An utterance on its way. number: of the piece that comes next. sound: of it, where it is made already. lengths:
    frames of each symbol of the pieces that are made, 0s before and behind included."""

    utterance: Utterance
    take: int
    number: int = 0
    sound: PieceSound | None = None
    lengths: list[NDArray[np.int64]] = field(default_factory=list)
    ready: bool = True

    @property
    def over(self) -> bool:
        return self.number >= len(self.utterance.pieces)


class PieceLoop:
    """Makes the sound of rows, a piece of each at a time. Holds no row."""

    def __init__(self, checkpoint: Checkpoint, network: Kokoro):
        self.network, self._model = network, checkpoint.model
        self._voices = VoicePacks(checkpoint.voices, 2 * checkpoint.model.style_dim)

    def begin(self, utterance: Utterance, take: int) -> Generator[int, None, KokoroRow]:
        """On the CPU the first piece is made here, with turns for others between its stages."""
        row = KokoroRow(utterance, take)
        if not policy().shares_pieces:
            yield from self._make([row])
        return row

    def open_batch(self) -> PieceLoop:
        return self

    def step(self, rows: Sequence[KokoroRow]) -> MadeBlocks:
        """The next piece of each row, as one block of frames."""
        waiting = [row for row in rows if row.sound is None and not row.over]
        most = PIECES_AT_ONCE if policy().shares_pieces else 1  # on the CPU a row's bits would depend on the others
        waiting.sort(key=lambda row: len(row.utterance.pieces[row.number].symbols))
        for at in range(0, len(waiting), most):
            for _ in self._make(waiting[at : at + most]):
                pass
        return MadeBlocks([self._block(row) for row in rows])

    def _make(self, rows: Sequence[KokoroRow]) -> Generator[int, None, None]:
        sounds = yield from self.network.speak([self._piece(row) for row in rows])
        for row, sound in zip(rows, sounds, strict=True):
            row.sound = sound

    def _block(self, row: KokoroRow) -> FrameBlock | None:
        if row.sound is None:
            return None
        sound, row.sound, row.number = row.sound, None, row.number + 1
        row.lengths.append(sound.frames)
        return FrameBlock(sound.samples.reshape(-1, self._model.frame_samples), last=row.over)

    def _piece(self, row: KokoroRow) -> PhonemePiece:
        request, phonemes = row.utterance.request, row.utterance.pieces[row.number]
        assert request.seed is not None
        assert isinstance(request.voice, str)
        known = [self._model.vocab[symbol] for symbol in phonemes.symbols if symbol in self._model.vocab]
        noise = seeded_noise(frame_key(request.seed, row.take, row.number))
        style = self._voices.style(request.voice, len(phonemes.symbols))
        return PhonemePiece(np.array([0, *known, 0]), style, request.params.speed, noise)


@dataclass(frozen=True)
class MadeBlocks:
    """Blocks that need no further computing when they are read."""

    made: list[FrameBlock | None]

    def read(self) -> list[FrameBlock | None]:
        return self.made


class KokoroTTS(FrameSynthesizer):
    """A loaded Kokoro checkpoint. It belongs to the MLX thread and holds no stream. A frame is its own sound."""

    decoded_frames = ANY_FRAMES
    row_bytes = ROW_BYTES

    def __init__(self, checkpoint: Checkpoint, network: Kokoro):
        self.info = checkpoint.info
        self._checkpoint = checkpoint
        self._loop = PieceLoop(checkpoint, network)
        self._told: set[str] = set()

    # What the engine calls: generation/synthesizer.py.

    def count_tokens(self, text: str) -> int:
        return len(text)

    def most_frames(self, request: CheckedRequest) -> int:
        return round(self.info.frame_rate * SECONDS_A_PHONEME * (10 + 10 * len(request.text)))

    def decoder_state(self, _prepared: PreparedRequest) -> Any:
        return ()

    def decode(self, pieces: Sequence[tuple[NDArray[Any], Any]]) -> Decoded:
        """Frames are sound."""
        return Decoded([(np.ascontiguousarray(frames).reshape(-1), state) for frames, state in pieces])

    def continuation(self, _row: KokoroRow) -> None:
        return None

    def marks(self, row: KokoroRow, frames: NDArray[Any]) -> tuple[Mark, ...]:
        """When each word is spoken, from the lengths of its symbols."""
        marks, before = [], 0
        known, rate = self._checkpoint.model.vocab, self.info.frame_rate
        for phonemes, lengths in zip(row.utterance.pieces, row.lengths, strict=False):
            # Where each symbol begins: those that the model does not know take no time.
            steps, at = [lengths[0]], 1
            for symbol in phonemes.symbols:
                steps.append(lengths[at] if symbol in known else 0)
                at += symbol in known
            begins = before + np.cumsum(steps)
            for word in phonemes.words:
                start, end = begins[word.start] / rate, begins[word.end] / rate
                if start < len(frames) / rate:
                    marks.append(Mark(word.written, round(float(start), 3), round(float(end), 3), level="word"))
            before += int(lengths.sum())
        return tuple(marks)

    def prompt(self, request: CheckedRequest) -> list[str]:
        """The phonemes of each piece of a request: for looking at, and for tests."""
        return [piece.symbols for piece in self._utterance(request).pieces]

    # From the request to what the loop reads.

    def _utterance(self, request: CheckedRequest) -> Utterance:
        model = self._checkpoint.model
        phonemes = self._phonemes(request)
        check_spoken(phonemes, model.vocab, request.text)
        self._tell_unknown(phonemes)
        return Utterance(request, tuple(phonemes.cut(model.most_phonemes)))

    def _phonemes(self, request: CheckedRequest) -> Phonemes:
        if request.params.phonemes:
            return given(request.text)
        return phonemes_of(request.text, request.language, str(request.voice), self._checkpoint.model.vocab)

    def _tell_unknown(self, phonemes: Phonemes) -> None:
        """Say once of each symbol that the model does not have that it is left out."""
        unknown = sorted(set(phonemes.symbols) - set(self._checkpoint.model.vocab) - self._told)
        if unknown:
            self._told.update(unknown)
            logging.getLogger("mlx_tts").warning("this model has no sound for %s: left out", " ".join(unknown))


def load(checkpoint: Checkpoint, *, dtype: str | None, log: Callable[[str], None]) -> KokoroTTS:
    """Load a checkpoint's weights; ModelError names what does not fit."""
    if dtype not in (None, "float32"):
        log(f"Kokoro computes in float32: {dtype} would change how long sounds last")
    network = load_kokoro(checkpoint, log)
    mx.clear_cache()
    return KokoroTTS(checkpoint, network)
