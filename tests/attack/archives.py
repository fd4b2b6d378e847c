"""Checkpoints whose weights are torch archives or stand beside one: damaged, and with pickles that want to run things."""

from __future__ import annotations

import io
import pickle
import random
import shutil
import sys
import zipfile
from pathlib import Path

import numpy as np

from tests.attack.checkpoints import link_or_copy
from tests.attack.edits import change_kind, edit_bytes, edit_json
from tests.attack.harness import ROOT, Attack, command

CASES = ("first", "text", "clone")
SMALL = ("config.json", "tokenizer.json")
MARKER = "executed"


class Runs:
    """Unpickled by Python's own reader, it makes a file."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self) -> tuple:
        return open, (str(self.path), "w")


class Archives(Attack):
    name, count, quick = "archives", 10_000, 30

    def prepare(self, place: Path) -> None:
        sys.path.insert(0, str(ROOT / "scripts" / "oracle"))
        from voxcpm2.materialise import materialise

        self.bases = []
        for case in CASES:
            self.bases.append(place / f"base-{case}")
            if not self.bases[-1].exists():
                materialise(ROOT / "tests" / "fixtures" / "oracle_voxcpm2" / case, self.bases[-1])
                for path in self.bases[-1].iterdir():
                    path.chmod(0o644)
        self.sample = place / "sample.wav"
        if not self.sample.exists():
            import soundfile

            soundfile.write(self.sample, np.sin(np.arange(16_000) / 9), 16_000)

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        at = rng.choice((0, 0, 1, 1, 2))
        model = folder / "model"
        shutil.copytree(self.bases[at], model, copy_function=link_or_copy)
        damage = rng.choices((self._json, self._bytes, self._kind, self._pickle, self._zip), (40, 20, 5, 25, 10))[0]
        damage(model, rng, folder)
        ending = ("--model", str(model), "--max-seconds", "0.2", "-o", str(folder / "out.wav"), "--seed", "1", "-q")
        if rng.random() < 0.5:
            code, error = command("speak", "Hi.", "--option", "steps=2", *ending)
        else:
            words = ("--transcript", "hum") if at == 0 or rng.random() < 0.5 else ()
            code, error = command("clone", "Hi.", "--voice-sample", str(self.sample), *words, *ending)
        if (folder / MARKER).exists():
            return "something in an archive was run"
        if code == 0 and not (folder / "out.wav").is_file():
            return "exit code 0 and no file"
        return self.check(folder, code, error)

    @staticmethod
    def _archives(model: Path) -> list[Path]:
        return [*model.glob("*.bin"), *model.glob("*.pth")] or [model / "audiovae.pth"]

    def _json(self, model: Path, rng: random.Random, _folder: Path) -> None:
        edit_json(model / rng.choice((*SMALL, *SMALL[:1] * 4)), rng)

    def _bytes(self, model: Path, rng: random.Random, _folder: Path) -> None:
        files = sorted(path for path in model.iterdir() if path.suffix in (".bin", ".pth", ".safetensors"))
        path = rng.choice([*files, *(model / name for name in SMALL)])
        whole = rng.random() < 0.5  # the end of a zip says where everything is
        edit_bytes(path, rng, first=20_000 if path in files and not whole else None)

    def _kind(self, model: Path, rng: random.Random, _folder: Path) -> None:
        change_kind(rng.choice(sorted(model.iterdir())), rng)

    def _pickle(self, model: Path, rng: random.Random, folder: Path) -> None:
        """Another description of the tensors: a few bytes, or an object that makes a file."""
        path = rng.choice(self._archives(model))
        members = self._members(path)
        description = bytearray(members["archive/data.pkl"])
        how = rng.randrange(4)
        if how == 0 or not description:
            state = {"a": Runs(folder / MARKER)}
            description = bytearray(pickle.dumps({"state_dict": state} if rng.random() < 0.5 else state, protocol=2))
        elif how == 1:
            run = pickle.dumps(Runs(folder / MARKER), protocol=2)[2:-1]
            description[2:2] = run + b"0"  # made first, and dropped
        else:
            for _ in range(rng.choice((1, 2, 8))):
                description[rng.randrange(len(description))] = rng.randrange(256)
        members["archive/data.pkl"] = bytes(description)
        self._write(path, members)

    def _zip(self, model: Path, rng: random.Random, _folder: Path) -> None:
        """Other members: missing, short, renamed, compressed."""
        path = rng.choice(self._archives(model))
        members = self._members(path)
        name = rng.choice(sorted(members) or ["archive/data/0"])
        how, compression = rng.randrange(5), zipfile.ZIP_STORED
        if how == 0:
            members.pop(name, None)
        elif how == 1:
            members[name] = members.get(name, b"")[: rng.randrange(100)]
        elif how == 2:
            members[rng.choice(("../up", "/abs", "a/data.pkl", "archive/data/x", "\x1b[2J"))] = members.pop(name, b"")
        elif how == 3:
            compression = zipfile.ZIP_DEFLATED
        else:
            members[name] = bytes(rng.randrange(256) for _ in range(64))
        self._write(path, members, compression)

    @staticmethod
    def _members(path: Path) -> dict[str, bytes]:
        if not path.is_file():
            return {"archive/data.pkl": b""}
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    @staticmethod
    def _write(path: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", compression) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
        path.unlink(missing_ok=True)
        path.write_bytes(packed.getvalue())
