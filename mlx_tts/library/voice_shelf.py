"""A voice's name -> its file, in the folder of the user's voices and in that of voices uploaded to the server.

A name is never a path: it is compared with the names of the files that are there, and a new one is checked first.
"""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.library.catalog import models, voice_key
from mlx_tts.library.voice_store import SUFFIX, SavedVoice, load_voice, write_voice
from mlx_tts.shortened import listed, shown

NAME = re.compile(r"\w[\w .-]{0,63}")
NAMES_ARE = "1 to 64 letters, digits, spaces, dots, dashes or underscores"


@dataclass(frozen=True)
class KeptVoice:
    """A voice in a file. id: random where it was uploaded; name: what its owner calls it."""

    id: str
    name: str
    created_at: int
    saved: SavedVoice
    path: Path
    uploaded: bool = False


class VoiceShelf:
    """The files of two folders: those that the user saved, and uploaded ones, which clients may add and remove."""

    def __init__(self, uploaded: Path, saved: Path):
        self.uploaded, self.saved = uploaded, saved
        self._read: dict[Path, tuple[int, KeptVoice]] = {}

    def voices(self) -> list[KeptVoice]:
        """All of them, the oldest first. A damaged file is not a voice."""
        found = [kept for path in self._files() if (kept := self._kept(path)) is not None]
        return sorted(found, key=lambda kept: (kept.created_at, kept.name))

    def damaged(self) -> list[str]:
        """A line for each file in the user's folder that is not a voice."""
        lines = []
        for path in sorted(self.saved.glob(f"*{SUFFIX}")):
            try:
                load_voice(path)
            except MlxTtsError as error:
                lines.append(str(error))
        return lines

    def find(self, name: str) -> KeptVoice | None:
        """By its id, else by its name. Nothing that a client sends is a path here."""
        voices = self.voices()
        by_id = next((kept for kept in voices if kept.id == name), None)
        return by_id or next((kept for kept in voices if voice_key(kept.name) == voice_key(name)), None)

    def get(self, name: str) -> KeptVoice | None:
        """As `find`, with an error for a damaged file and for a name that two voices have; a user's own comes first."""
        key = _key(name)
        files = [path for path in sorted(self.saved.glob(f"*{SUFFIX}")) if _key(path.stem) == key]
        exact = [path for path in files if path.stem == name]
        if len(files) > 1 and not exact:
            raise RequestError(
                f"two voices are called {shown(name)}: {' and '.join(path.name for path in files)}; use the exact name"
            )
        for path in exact[:1] or files:
            return KeptVoice(path.stem, path.stem, _seconds(path), load_voice(path), path)
        return next((kept for kept in self.voices() if kept.uploaded and key in (_key(kept.name), _key(kept.id))), None)

    def must_get(self, name: str) -> KeptVoice:
        kept = self.get(name)
        if kept is None:
            known = listed([kept.name for kept in self.voices()]) or "none yet"
            raise RequestError(
                f"no voice of yours is called {shown(name, 64)}: there are {known} (`mlx-tts voice list`)"
            )
        return kept

    def must_get_file(self, name: str) -> Path:
        """The file of a voice, which may be damaged: it can be removed all the same."""
        files = [path for path in self._files() if path.stem == name]
        return files[-1] if files else self.must_get(name).path

    def new_path(self, name: str) -> Path:
        """Where a voice of this name is to be kept; RequestError for a name that is taken or not allowed."""
        check_name(name)
        if (kept := self.get(name)) is not None:
            raise RequestError(f"a voice is called {shown(kept.name)} already: choose another name, or remove it first")
        folder = self.saved
        while not folder.exists():
            folder = folder.parent
        if not folder.is_dir() or not os.access(folder, os.W_OK):
            raise RequestError(f"voices cannot be kept: the folder {folder} is not writable (MLX_TTS_HOME moves it)")
        return self.saved / f"{unicodedata.normalize('NFC', name)}{SUFFIX}"

    def add(self, name: str, saved: SavedVoice) -> KeptVoice:
        """Keep a voice under a name of its own."""
        path = self.new_path(name)
        try:
            self.saved.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MlxTtsError(f"cannot make {self.saved}: {error.strerror}") from None
        write_voice(replace(saved, voice=replace(saved.voice, name=path.stem)), path)
        return KeptVoice(path.stem, path.stem, _seconds(path), saved, path)

    def rename(self, name: str, other: str) -> KeptVoice:
        """Give a voice another name; the file that has the old one goes when the new one is there."""
        kept = self.must_get(name)
        if _key(name) == _key(other) and not kept.uploaded:
            raise RequestError(f"{shown(kept.name)} and {shown(other, 64)} are one name: choose another")
        renamed = self.add(other, kept.saved)
        self._unlink(kept.path)
        return renamed

    def remove(self, name: str) -> None:
        self._unlink(self.must_get_file(name))

    @staticmethod
    def _unlink(path: Path) -> None:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise MlxTtsError(f"{path} cannot be removed: {error.strerror}") from None

    def _files(self) -> list[Path]:
        return [path for folder in (self.uploaded, self.saved) for path in sorted(folder.glob(f"*{SUFFIX}"))]

    def _kept(self, path: Path) -> KeptVoice | None:
        try:
            changed = path.stat().st_mtime_ns
            known = self._read.get(path)
            if known is not None and known[0] == changed:
                return known[1]
            saved = replace(
                load_voice(path), recording=None, style_recordings={}
            )  # megabytes, which a server would keep for ever
        except (MlxTtsError, OSError):
            return None
        uploaded = path.parent == self.uploaded
        name = saved.voice.name if uploaded else path.stem
        kept = KeptVoice(path.stem, name, changed // 1_000_000_000, saved, path, uploaded)
        self._read[path] = changed, kept
        return kept


def _seconds(path: Path) -> int:
    return int(path.stat().st_mtime)


def _key(name: str) -> str:
    return voice_key(unicodedata.normalize("NFC", name))


def check_name(name: str) -> None:
    """RequestError for what cannot be the name of a voice: it would leave the folder, or means something else."""
    name = unicodedata.normalize("NFC", name)
    if not NAME.fullmatch(name) or name != name.strip() or name.endswith("."):
        raise RequestError(f"{shown(name, 64)} is not a name for a voice: use {NAMES_ARE}, the first a letter or digit")
    if name.casefold().endswith(SUFFIX):
        raise RequestError(f"{shown(name)} is the name of a file: leave {SUFFIX} out")
    preset = next((preset for spec in models() for preset in spec.voices if _key(preset) == _key(name)), None)
    if preset is not None:
        raise RequestError(f"{shown(preset)} is a preset voice: choose another name")


def user_shelf() -> VoiceShelf:
    """The folders of this user: voices/ and uploaded-voices/."""
    from mlx_tts.runtime.folders import data_folder

    return VoiceShelf(data_folder() / "uploaded-voices", data_folder() / "voices")
