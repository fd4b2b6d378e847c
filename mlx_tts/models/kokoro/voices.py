"""Names of voices in, style vectors out: a voice is a table of styles, one for each length of the phonemes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from mlx_tts.checkpoints.torch_zip import read_torch_zip
from mlx_tts.errors import ModelError, RequestError
from mlx_tts.generation.requests import preset_voice
from mlx_tts.shortened import reason_of, shown

MOST_MIXED = 16
KEY = "voice"  # of the tensor in a .safetensors
PART = re.compile(r"([^()]+?)(?:\((\d+(?:\.\d+)?)\))?")  # name, or name(weight)


def mixed_voice(voice: str, voices: tuple[str, ...]) -> str:
    """A voice as the model spells it: a name, or several with their weights, `af_heart(2)+am_michael(1)`."""
    parts = [part.strip() for part in re.split(r"[+,]", voice)]
    if len(parts) == 1 and "(" not in voice:
        return str(preset_voice(voice, voices))
    if len(parts) > MOST_MIXED:
        raise RequestError(f"{len(parts)} voices are mixed; {MOST_MIXED} are the most")
    spelled = []
    for part in parts:
        match = PART.fullmatch(part)
        if match is None or (match[2] is not None and not float(match[2])):
            raise RequestError(
                f"{shown(voice)} is not a mix of voices: write af_heart+am_michael or af_heart(2)+af_sky(1)"
            )
        name = str(preset_voice(match[1].strip(), voices))
        spelled.append(name if match[2] is None else f"{name}({match[2]})")
    return "+".join(spelled)


def parts_of(voice: str) -> list[tuple[str, float]]:
    """The names in a voice that was checked, with their weights."""
    found = []
    for part in voice.split("+"):
        match = PART.fullmatch(part)
        assert match is not None
        found.append((match[1], float(match[2] or 1)))
    return found


class VoicePacks:
    """Reads each voice once. width: numbers of a style."""

    def __init__(self, files: dict[str, Path], width: int):
        self._files, self._width = files, width
        self._packs: dict[str, np.ndarray] = {}

    def style(self, voice: str, phonemes: int) -> np.ndarray:
        """Of a voice, or of the mean of several, for a piece of so many symbols: [width]."""
        total, weights = np.zeros(self._width, np.float64), 0.0
        for name, weight in parts_of(voice):
            pack = self._pack(name)
            total += weight * pack[min(max(phonemes - 1, 0), len(pack) - 1)]
            weights += weight
        return (total / weights).astype(np.float32)

    def _pack(self, name: str) -> np.ndarray:
        if name not in self._packs:
            self._packs[name] = read_voice(self._files[name], self._width)
        return self._packs[name]


def read_voice(path: Path, width: int) -> np.ndarray:
    """A voice's file, float32 [rows, width]; ModelError where it is damaged or of another shape."""
    if path.suffix == ".safetensors":
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        try:
            found = load_file(path)
        except (SafetensorError, OSError, ValueError, TypeError) as error:
            raise ModelError(f"{path} is damaged or incomplete ({reason_of(error, 80)}): fetch it again") from None
        pack = found.get(KEY, next(iter(found.values()), np.zeros(0)))
    elif path.suffix == ".bin":
        flat = np.fromfile(path, "<f4")
        pack = flat.reshape(-1, width) if len(flat) % width == 0 else flat
    else:
        found = read_torch_zip(path, parts=True)
        pack = found.get("", np.zeros(0))
    if pack.ndim == 3 and pack.shape[1] == 1:
        pack = pack[:, 0]
    if pack.ndim != 2 or pack.shape[1] != width or not len(pack) or pack.dtype.kind != "f":
        raise ModelError(
            f"{path} holds numbers of shape {pack.shape}, not [rows, {width}]: it is not a voice of this model"
        )
    pack = np.array(pack, np.float32)
    if not np.isfinite(pack).all():
        raise ModelError(f"{path} holds a voice that is not numbers (NaN or infinity): fetch it again")
    return pack
