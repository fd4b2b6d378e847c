"""A checkpoint's small files, read once, as one value: what everything else of the family takes. Reads no weights."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlx_tts.errors import ModelError
from mlx_tts.models.kokoro.config import SAMPLE_RATE, KokoroConfig, model_config
from mlx_tts.speech import Capabilities, FamilyOption, ModelInfo

FAMILY = "kokoro"
PRESETS = "preset voices"
CAN = Capabilities(presets=True, word_times=True, reads_phones=True, mixes=True)
KINDS = {PRESETS: CAN}
LONGEST_TEXT = 220  # characters of a piece: 100 to 200 phonemes sound best, and more than 400 rushed
SUFFIXES = (".pt", ".safetensors", ".bin")  # of a voice's file, in the order in which they are taken
LANGUAGES = {  # the first letter of a voice's name -> what it speaks
    "a": "english", "b": "english", "e": "spanish", "f": "french", "h": "hindi",
    "i": "italian", "j": "japanese", "p": "portuguese", "z": "chinese",
}  # fmt: skip
FIRST_VOICE = "af_heart"  # the release's best
OPTIONS = (
    FamilyOption("speed", float, "1", "How fast the model itself speaks: 0.5 to 2 times as fast."),
    FamilyOption("phonemes", bool, "off", "Whether the text is phonemes of the model, not words: on or off."),
)


@dataclass(frozen=True)
class Checkpoint:
    """raw: config.json. weights: the file. voices: of each voice by name."""

    folder: Path
    raw: dict[str, Any]
    model: KokoroConfig
    weights: Path
    voices: dict[str, Path]
    info: ModelInfo

    @property
    def quantization(self) -> dict[str, Any] | None:
        """What config.json says of quantised weights."""
        found = self.raw.get("quantization")
        return found if isinstance(found, dict) else None


def open_checkpoint(folder: Path, raw: dict[str, Any]) -> Checkpoint:
    """Read the small files of a folder; ModelError when they are missing, damaged or of another kind of model."""
    model = model_config(raw, folder / "config.json")
    voices = voice_files(folder / "voices")
    languages = dict.fromkeys([*(LANGUAGES[name[0]] for name in voices if name[0] in LANGUAGES), "english"])
    quantization = raw.get("quantization")
    bits = quantization.get("bits") if isinstance(quantization, dict) else None
    info = ModelInfo(
        folder=folder,
        family=FAMILY,
        kind=PRESETS,
        size="82M",
        voices=tuple(voices),
        languages=("auto", *languages),
        sample_rate=SAMPLE_RATE,
        frame_rate=SAMPLE_RATE / model.frame_samples,
        codebooks=model.frame_samples,
        quantisation=f"{bits}-bit" if isinstance(bits, int) else "",
        longest_text=LONGEST_TEXT,
        british_voices=tuple(name for name in voices if name.startswith("b")),
        whole_pieces=True,
        can=CAN,
        options=OPTIONS,
    )
    return Checkpoint(folder, raw, model, weights_file(folder), voices, info)


def weights_file(folder: Path) -> Path:
    """The file of the weights: a .safetensors before a .pth."""
    for pattern in ("*.safetensors", "*.pth"):
        found = sorted(path for path in folder.glob(pattern) if path.is_file())
        if len(found) > 1:
            raise ModelError(
                f"{folder} has {len(found)} files of weights: keep one of {', '.join(p.name for p in found)}"
            )
        if found:
            return found[0]
    return folder / "kokoro-v1_0.pth"


def voice_files(folder: Path) -> dict[str, Path]:
    """Name -> file, the best voice first and the others by name."""
    found: dict[str, Path] = {}
    for suffix in SUFFIXES:
        for path in sorted(folder.glob(f"*{suffix}")):
            if path.stem.isascii() and path.stem.isidentifier():
                found.setdefault(path.stem, path)
    if not found:
        raise ModelError(f"{folder} has no voices: fetch the model again")
    order = sorted(found, key=lambda name: (name != FIRST_VOICE, name))
    return {name: found[name] for name in order}
