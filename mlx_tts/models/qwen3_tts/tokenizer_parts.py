"""The object of a tokenizer.json in; ModelError if it would do anything but cut, spell and merge as Qwen2's does.

The tokenizers library obeys whatever the file says. A pattern can take exponential time, a replacement can make a
letter into megabytes, a template can repeat the text, and dropout makes the ids random.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mlx_tts.checkpoints.config_fields import shown
from mlx_tts.errors import ModelError

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


def check_parts(data: dict[str, Any], path: Path) -> None:
    """Look at every part that works on a text."""
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
        f"{path} has the {part} {shown(value)}, which Qwen's tokenizer does not have: fetch or copy it again, or "
        "convert the model from a checkpoint with vocab.json and merges.txt"
    )
