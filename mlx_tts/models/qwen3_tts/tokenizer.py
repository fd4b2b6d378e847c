"""Text in, text ids out: Qwen2's byte-level BPE and the wrapping that the talker was trained on."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from mlx_tts.checkpoints.config_fields import part_of_checkpoint, read_json, told
from mlx_tts.errors import ModelError
from mlx_tts.files.reading import parse_json, read_text
from mlx_tts.models.qwen3_tts.config import ModelConfig
from mlx_tts.text.phonemes.phones import FIRST_PRIVATE, for_model, places, written

# How Qwen2 cuts text before the merges (transformers, tokenization_qwen2.py).
SPLIT_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SEQUENCES = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "post_processor": "processors",
             "decoder": "decoders"}  # fmt: skip
ALLOWED = {
    "normalizer": ("NFC", "NFD", "NFKC", "NFKD"),
    "pre_tokenizer": ("ByteLevel", "Split"),
    "post_processor": ("ByteLevel",),
    "decoder": ("ByteLevel",),
}
LONGEST_AFFIX = 16
MOST_IDS = 1 << 24
MOST_BYTES = 32_000_000  # of a vocabulary, merges or both; Qwen's have 11
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


def check_parts(data: dict[str, Any], path: Path) -> None:
    """ModelError if a tokenizer.json would do anything but cut, spell and merge as Qwen2's does.

    The tokenizers library obeys whatever the file says. A pattern can take exponential time, a replacement can make a
    letter into megabytes, a template can repeat the text, and dropout makes the ids random.
    """
    for part, allowed in ALLOWED.items():
        for step in _steps(data.get(part), SEQUENCES[part]):
            kind = step.get("type") if isinstance(step, dict) else step
            if kind not in allowed:
                raise _refused(path, part, kind)
            if kind == "Split" and step.get("pattern") != {"Regex": SPLIT_PATTERN}:
                raise _refused(path, f"{part}'s pattern", step.get("pattern"))
    model = data.get("model")
    if not isinstance(model, dict) or model.get("type", "BPE") != "BPE":
        raise _refused(path, "model", model.get("type") if isinstance(model, dict) else model)
    if model.get("dropout"):
        raise _refused(path, "model.dropout", model["dropout"])
    for affix in ("continuing_subword_prefix", "end_of_word_suffix"):
        value = model.get(affix)
        if value is not None and not (isinstance(value, str) and len(value) <= LONGEST_AFFIX):
            raise _refused(path, f"model.{affix}", value)


def _steps(part: Any, inner: str) -> list[Any]:
    """The steps of a part. A sequence within a sequence stays a step, whose kind is not allowed."""
    if part is None:
        return []
    if isinstance(part, dict) and part.get("type") == "Sequence":
        steps = part.get(inner)
        return steps if isinstance(steps, list) else [steps]
    return [part]


def _refused(path: Path, part: str, value: Any) -> ModelError:
    return ModelError(
        f"{path} has the {part} {told(value)}, which Qwen's tokenizer does not have: fetch or copy it again, or "
        "convert the model from a checkpoint with vocab.json and merges.txt"
    )


def build_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a checkpoint: tokenizer.json if it is there, else vocab.json, merges.txt and their config."""
    whole = folder / "tokenizer.json"
    if whole.exists():
        return _whole_tokenizer(whole)
    merges = _read_merges(folder)
    vocabulary = read_json(folder / "vocab.json", MOST_BYTES)
    if not all(type(number) is int and 0 <= number < MOST_IDS for number in vocabulary.values()):
        raise ModelError(f"{folder / 'vocab.json'} gives a token something that is not an id: fetch or copy it again")
    try:
        tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, fuse_unk=False, byte_fallback=False))
    except Exception as error:  # noqa: BLE001 (the library raises plain Exception)
        raise ModelError(
            f"{folder}: vocab.json and merges.txt do not fit each other ({error}): fetch them again"
        ) from None
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT_PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    _add_tokens(tokenizer, folder / "tokenizer_config.json")
    return tokenizer


def _read_merges(folder: Path) -> list[Any]:
    path = folder / "merges.txt"
    if not path.exists():
        raise ModelError(
            f"{folder} has neither tokenizer.json nor merges.txt: fetch or copy the whole checkpoint again"
        )
    with part_of_checkpoint(path):
        lines = read_text(path, MOST_BYTES).split("\n")
    pairs: list[Any] = [tuple(line.split(" ")) for line in lines if line and not line.startswith("#version")]
    bad = next((pair for pair in pairs if len(pair) != 2), None)
    if bad is not None:
        raise ModelError(f"{path} has a line that is not a pair ({told(' '.join(bad))}): fetch or copy it again")
    return pairs


def _whole_tokenizer(path: Path) -> Tokenizer:
    with part_of_checkpoint(path):
        text = read_text(path, MOST_BYTES)
        parts = parse_json(text)
    check_parts(parts if isinstance(parts, dict) else {}, path)
    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception as error:  # noqa: BLE001 (the library raises plain Exception)
        raise ModelError(f"{path} is not a tokenizer ({told(str(error))}): fetch or copy it again") from None
    tokenizer.no_truncation()  # the file may ask for them, and a text would lose its end
    tokenizer.no_padding()
    return tokenizer


def _add_tokens(tokenizer: Tokenizer, path: Path) -> None:
    """Those of added_tokens_decoder: id -> token, with the flags that say how it is found in a text."""
    added = read_json(path).get("added_tokens_decoder", {})
    if not isinstance(added, dict):
        raise ModelError(f"{path}.added_tokens_decoder is {told(added)}, not an object: fetch or copy it again")
    for number, entry in added.items():
        content = entry.get("content") if isinstance(entry, dict) else None
        flags = [entry.get(flag, False) for flag in FLAGS] if isinstance(entry, dict) else [None]
        is_number = number.isdecimal() and number.isascii() and len(number) < 10
        if not (is_number and isinstance(content, str) and content) or not all(type(flag) is bool for flag in flags):
            raise ModelError(f"{path}.added_tokens_decoder.{told(number)} is not a token: fetch or copy it again")
    for _, entry in sorted(added.items(), key=lambda item: int(item[0])):
        token = AddedToken(entry["content"], **{flag: entry.get(flag, False) for flag in FLAGS})
        if entry.get("special", False):
            tokenizer.add_special_tokens([token])
        else:
            tokenizer.add_tokens([token])
    for number, entry in added.items():
        if tokenizer.token_to_id(entry["content"]) != int(number):
            raise ModelError(f"{path} gives {told(entry['content'])} another id than vocab.json allows: fetch it again")


class TextTokenizer:
    """Ids of texts as the talker reads them. What a user writes never becomes a control token."""

    def __init__(self, folder: Path, config: ModelConfig):
        self._tokenizer = build_tokenizer(folder)
        self._tokenizer.encode_special_tokens = True  # "<|im_end|>" typed by a user is text, not the end of the prompt
        self._start, self._end = config.im_start_token_id, config.im_end_token_id
        self._reads_phones = self._tokenizer.token_to_id(chr(FIRST_PRIVATE)) is not None
        self._turn = [self._start, *self._plain("assistant\n")]

    def _plain(self, text: str) -> list[int]:
        text = for_model(text) if self._reads_phones else written(text)
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def count(self, text: str) -> int:
        """How many ids a text has."""
        return len(self._plain(text))

    def word_begins(self, text: str) -> tuple[tuple[str, ...], tuple[int, ...], int]:
        """The words of a text, which of its ids each begins with, and how many ids it has."""
        before = len("assistant\n")
        plain, for_talker, places_of = places(text)
        if not self._reads_phones:
            for_talker, places_of = plain, list(range(len(plain)))
        encoded = self._tokenizer.encode(f"assistant\n{for_talker}", add_special_tokens=False)
        ends = [end - before for _, end in encoded.offsets[len(self._turn) - 1 :]]
        words = list(re.finditer(r"\S+", plain))
        starts = [places_of[word.start()] for word in words]
        begins = [next((at for at, end in enumerate(ends) if end > start), len(ends)) for start in starts]
        return tuple(word.group() for word in words), tuple(begins), len(ends)

    def signs(self, text: str) -> tuple[bool, ...]:
        """Of each id of a text, whether all that it stands for is punctuation or space. A small vocabulary has three
        ids for a quotation mark."""
        for_talker = for_model(text) if self._reads_phones else written(text)
        whole = f"assistant\n{for_talker}"
        encoded = self._tokenizer.encode(whole, add_special_tokens=False)
        return tuple(
            all(unicodedata.category(character)[0] in "PZ" for character in whole[begin:end])
            for begin, end in encoded.offsets[len(self._turn) - 1 :]
        )

    def assistant(self, text: str) -> list[int]:
        """Ids of `<|im_start|>assistant\\n{text}<|im_end|>\\n<|im_start|>assistant\\n`."""
        return [*self.reference(text), *self._turn]

    def reference(self, text: str) -> list[int]:
        """Ids of `<|im_start|>assistant\\n{text}<|im_end|>\\n`."""
        return [self._start, *self._plain(f"assistant\n{text}"), self._end, *self._plain("\n")]

    def instruct(self, text: str) -> list[int]:
        """Ids of `<|im_start|>user\\n{text}<|im_end|>\\n`."""
        return [self._start, *self._plain(f"user\n{text}"), self._end, *self._plain("\n")]
