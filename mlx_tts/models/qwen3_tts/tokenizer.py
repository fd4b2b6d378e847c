"""Text in, text ids out: Qwen2's byte-level BPE and the wrapping that the talker was trained on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from mlx_tts.checkpoints.config_fields import read_json
from mlx_tts.errors import ModelError
from mlx_tts.models.qwen3_tts.config import ModelConfig

# How Qwen2 cuts text before the merges (transformers, tokenization_qwen2.py).
SPLIT_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def build_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a checkpoint: tokenizer.json if it is there, else vocab.json, merges.txt and their config."""
    whole = folder / "tokenizer.json"
    if whole.exists():
        try:
            return Tokenizer.from_file(str(whole))
        except Exception as error:  # noqa: BLE001 (the library raises plain Exception)
            raise ModelError(f"{whole} is no tokenizer ({error}): fetch or copy it again") from None
    vocabulary = read_json(folder / "vocab.json")
    merges_path = folder / "merges.txt"
    if not merges_path.exists():
        raise ModelError(
            f"{folder} has neither tokenizer.json nor merges.txt: fetch or copy the whole checkpoint again"
        )
    lines = merges_path.read_text(encoding="utf-8").split("\n")
    pairs: list[Any] = [tuple(line.split(" ")) for line in lines if line and not line.startswith("#version")]
    bad = next((pair for pair in pairs if len(pair) != 2), None)
    if bad is not None:
        raise ModelError(f"{merges_path} has a line that is no pair ({' '.join(bad)!r}): fetch or copy it again")
    try:
        tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=pairs, fuse_unk=False, byte_fallback=False))
    except Exception as error:  # noqa: BLE001 (the library raises plain Exception)
        raise ModelError(f"{folder}: vocab.json and merges.txt do not fit each other ({error})") from None
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT_PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    added = read_json(folder / "tokenizer_config.json").get("added_tokens_decoder", {})
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    for _, entry in sorted(added.items(), key=lambda item: int(item[0])):
        token = AddedToken(entry["content"], **{flag: entry.get(flag, False) for flag in flags})
        if entry.get("special", False):
            tokenizer.add_special_tokens([token])
        else:
            tokenizer.add_tokens([token])
    wrong = [e["content"] for i, e in added.items() if tokenizer.token_to_id(e["content"]) != int(i)]
    if wrong:
        raise ModelError(
            f"{folder}/tokenizer_config.json gives {json.dumps(wrong[0])} another id than vocab.json allows"
        )
    return tokenizer


class TextTokenizer:
    """Ids of texts as the talker reads them. What a user writes never becomes a control token."""

    def __init__(self, folder: Path, config: ModelConfig):
        self._tokenizer = build_tokenizer(folder)
        self._tokenizer.encode_special_tokens = True  # "<|im_end|>" typed by a user is text, not the end of the prompt
        self._start, self._end = config.im_start_token_id, config.im_end_token_id
        self._turn = [self._start, *self._plain("assistant\n")]

    def _plain(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def count(self, text: str) -> int:
        """How many ids a text has."""
        return len(self._plain(text))

    def assistant(self, text: str) -> list[int]:
        """Ids of `<|im_start|>assistant\\n{text}<|im_end|>\\n<|im_start|>assistant\\n`."""
        return [*self.reference(text), *self._turn]

    def reference(self, text: str) -> list[int]:
        """Ids of `<|im_start|>assistant\\n{text}<|im_end|>\\n`."""
        return [self._start, *self._plain(f"assistant\n{text}"), self._end, *self._plain("\n")]

    def instruct(self, text: str) -> list[int]:
        """Ids of `<|im_start|>user\\n{text}<|im_end|>\\n`."""
        return [self._start, *self._plain(f"user\n{text}"), self._end, *self._plain("\n")]
