"""Resume folders that are damaged or foreign, and output places of every kind."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

from tests.attack.edits import change_kind, edit_bytes, edit_json
from tests.attack.harness import Attack, command

TEXT = "One two three. Four five six."
SPEAK = ("speak", TEXT, "--model", "tiny", "--seed", "3", "--sentence-pause", "0", "-q")


class Resumes(Attack):
    """After damage to the pieces: the same sound, or a refusal that leaves everything where it is."""

    name, count, quick = "resumes", 500, 6

    def prepare(self, place: Path) -> None:
        self.whole, self.pieces = place / "whole.wav", place / "kept.pieces"
        if self.pieces.exists():
            return
        from mlx_tts.narration.piece_store import PieceStore

        remove = PieceStore.remove
        PieceStore.remove = lambda store: None  # type: ignore[method-assign]  # as if killed just before its end
        try:
            assert command(*SPEAK, "-o", str(self.whole))[0] == 0
        finally:
            PieceStore.remove = remove  # type: ignore[method-assign]
        shutil.move(place / "whole.wav.pieces", self.pieces)

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        pieces = folder / "whole.wav.pieces"
        shutil.copytree(self.pieces, pieces)
        for _ in range(rng.choice((1, 1, 2))):
            names = sorted(pieces.iterdir()) if pieces.is_dir() and not pieces.is_symlink() else []
            path, how = (rng.choice(names) if names else pieces), rng.randrange(7)
            is_file = path.is_file() and not path.is_symlink()  # a link leads to devices, which no attack reads
            if how == 0 and path.name == "manifest.json" and is_file:
                edit_json(path, rng)
            elif how < 3 and is_file:
                edit_bytes(path, rng, first=100)
            elif how == 3:
                change_kind(path, rng)
            elif how == 4 and path.is_file():
                path.unlink()
            elif how == 5 and pieces.is_dir():
                (pieces / f".{path.name}.unfinished").write_bytes(b"half")
            elif pieces.is_dir():
                (pieces / rng.choice(("diary.txt", "000099.flac", "é"))).write_text("mine")
        code, error = command(*SPEAK, "--resume", "-o", str(folder / "whole.wav"))
        fault = self.check(folder, code, error)
        if pieces.exists() and code != 0 and fault and fault.startswith("left behind"):
            fault = None  # what was in a folder that is refused is not touched
        if fault is None and code == 0 and (folder / "whole.wav").read_bytes() != self.whole.read_bytes():
            manifest_is_whole = (pieces / "manifest.json").exists()
            fault = None if manifest_is_whole else self._differs(folder)
        return fault

    def _differs(self, folder: Path) -> str | None:
        """A flipped byte inside a piece of FLAC can pass every check but a listener; lengths must agree."""
        import soundfile

        mine, whole = soundfile.info(folder / "whole.wav").frames, soundfile.info(self.whole).frames
        return None if mine == whole else f"{mine} samples instead of {whole}"


class Outputs(Attack):
    name, count, quick = "outputs", 300, 8

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        import soundfile

        name = rng.choice(("out.wav", "out.FLAC", "out.mp3", "out.ogg", "out.opus", "é 😀.wav", "-x.wav", "a" * 251 + ".wav",
                           "a" * 239 + ".wav", "a" * 300 + ".wav", ".wav", "out", "out.aac", "", "~nobody/out.wav", "\udcff.wav",
                           "a\x1b[2J.wav", "new/out.wav", "CON.wav", "a\nb.wav", " .wav", "..wav"))  # fmt: skip
        path = folder / name
        how, secret = rng.randrange(8), folder / "mine"
        secret.write_bytes(b"mine")
        try:
            if how == 0:
                path.symlink_to(rng.choice(("mine.wav", "/nowhere/x.wav", name, "..", "mine")))
            elif how == 1:
                path.mkdir()
            elif how == 2:
                path.write_bytes(b"old")
                path.chmod(rng.choice((0o444, 0o000, 0o666)))
            elif how == 3 and path.suffix:
                path.symlink_to(rng.choice(("/dev/null", "/dev/full")))
            elif how == 4:
                (folder / f".{name}.unfinished").symlink_to("mine")
            elif how == 5:
                (folder / f".{name}.run").write_bytes(b"")
        except OSError:
            pass
        options = rng.choice(((), ("--chapters",), ("--no-clobber",), ("--resume",)))
        where = os.path.relpath(path) if rng.random() < 0.3 else str(path)
        code, error = command("speak", "Hi.", "--model", "tiny", "--max-seconds", "0.16", "-q", *options, "-o", where)
        fault = self.check(folder, code, error)
        if how in (4, 5) and fault and fault.startswith("left behind"):
            fault = None  # it was there before
        if fault is None and secret.read_bytes() != b"mine" and how != 0:
            fault = "a file of the user's was changed"
        if fault is None and code == 0 and path.is_file() and not options and path.suffix == ".aac":
            fault = None if path.stat().st_size else "a file without sound"  # libsndfile has no AAC
        elif fault is None and code == 0 and path.is_file() and not options:
            with path.open("rb") as sound:  # by its bytes: soundfile takes only names that are UTF-8
                fault = None if soundfile.info(sound).frames else "a file without sound"
        return fault
