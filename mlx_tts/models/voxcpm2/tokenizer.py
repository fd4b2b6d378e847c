"""Text in, ids out: the checkpoint's BPE without its start token, and Chinese words cut into characters."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path

from mlx_tts.checkpoints.config_fields import part_of_checkpoint, told
from mlx_tts.errors import ModelError
from mlx_tts.files.reading import read_bytes

FILE = "tokenizer.json"
MOST_BYTES = 64_000_000
SPACE = "\u2581"  # stands for a space in tokens
CHINESE_WORD = re.compile("[\u4e00-\u9fff]{2,}")


def cleaned(text: str) -> str:
    """Every run of white space becomes one space."""
    return re.sub(r"\s+", " ", text)


class TextTokenizer:
    """Ids of texts. What a user writes never becomes a control token."""

    def __init__(self, folder: Path, vocab_size: int):
        self._path, self._vocab_size = folder / FILE, vocab_size

    def encode(self, text: str) -> list[int]:
        """The ids of a text, without the ends around it.

        Space in front goes: versions of the official tokenizer make one token of it, or two.
        """
        ids = self._tokenizer.encode(text.lstrip(), add_special_tokens=False).ids
        return [part for number in ids for part in self._characters.get(number, (number,))]

    def check(self) -> None:
        """Read the file now; ModelError for what is wrong with it."""
        self._characters  # noqa: B018

    @cached_property
    def _tokenizer(self):  # type: ignore[no-untyped-def]  # of a library that is imported when it is needed
        from tokenizers import Tokenizer

        with part_of_checkpoint(self._path):
            data = read_bytes(self._path, MOST_BYTES)
        try:
            tokenizer = Tokenizer.from_buffer(data)
        except Exception as error:  # noqa: BLE001 (the library raises plain Exception)
            raise ModelError(f"{self._path} is not a tokenizer ({told(str(error))}): fetch or copy it again") from None
        tokenizer.no_truncation()  # the file may ask for them, and a text would lose its end
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # "<|audio_start|>" typed by a user is text
        largest = max(tokenizer.get_vocab(with_added_tokens=True).values(), default=0)
        if largest >= self._vocab_size:
            raise ModelError(f"{self._path} has ids up to {largest}, config.json allows {self._vocab_size}")
        return tokenizer

    @cached_property
    def _characters(self) -> dict[int, tuple[int, ...]]:
        """Tokens of several Chinese characters -> the ids of these: the model was trained without such words."""
        vocabulary = self._tokenizer.get_vocab(with_added_tokens=False)
        unknown = vocabulary.get("<unk>", 0)
        found = {}
        for token, number in vocabulary.items():
            word = token.replace(SPACE, "")
            if word in vocabulary and CHINESE_WORD.fullmatch(word):
                found[number] = tuple(vocabulary.get(character, unknown) for character in word)
        return found
