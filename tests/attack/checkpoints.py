"""Checkpoints with damaged configs, bytes, kinds of files, tensors, indexes and ids: loaded, and spoken with if they load."""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
from pathlib import Path

import numpy as np

from tests.attack.edits import NUMBERS, change_kind, edit_bytes, edit_json, nasty
from tests.attack.harness import ROOT, Attack, command

CASES = ("custom_voice_tiny", "base_tiny")
JSONS = ("config.json", "generation_config.json", "tokenizer_config.json", "vocab.json", "speech_tokenizer/config.json")
SMALL = (*JSONS, "merges.txt")
WEIGHTS = ("model.safetensors", "speech_tokenizer/model.safetensors")


def link_or_copy(source: str, to: str) -> None:
    """Weights are linked; whoever damages them copies them first."""
    (os.link if source.endswith(".safetensors") else shutil.copyfile)(source, to)


class Checkpoints(Attack):
    name, count, quick = "checkpoints", 10_000, 60

    def prepare(self, place: Path) -> None:
        sys.path.insert(0, str(ROOT / "scripts" / "oracle"))
        from materialise import materialise

        self.bases = []
        for case in CASES:
            self.bases.append(place / f"base-{case}")
            if not self.bases[-1].exists():
                materialise(ROOT / "tests" / "fixtures" / "oracle" / case, self.bases[-1])
        self.sample = place / "sample.wav"
        if not self.sample.exists():
            import soundfile

            soundfile.write(self.sample, np.sin(np.arange(16_000) / 9), 24_000)

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        at = rng.choice((0, 0, 1))
        model = folder / "model"
        shutil.copytree(self.bases[at], model, copy_function=link_or_copy)
        damage = rng.choices(
            (self._json, self._bytes, self._kind, self._tensors, self._index, self._ids, self._tokenizer),
            (45, 12, 8, 15, 5, 10, 5),
        )[0]
        damage(model, rng)
        ending = ("--model", str(model), "--max-seconds", "0.16", "-o", str(folder / "out.wav"), "--seed", "1", "-q")
        if at == 0:
            code, error = command("speak", "Hi.", *ending)
        else:
            words = ("--transcript", "hum") if rng.random() < 0.5 else ()
            code, error = command("clone", "Hi.", "--voice-sample", str(self.sample), *words, *ending)
        return self.check(folder, code, error) or self._sound(folder, code)

    def _sound(self, folder: Path, code: int) -> str | None:
        """A sound that was promised is there."""
        if code == 0 and not (folder / "out.wav").is_file():
            return "exit code 0 and no file"
        return None

    def _json(self, model: Path, rng: random.Random) -> None:
        edit_json(model / rng.choice(JSONS + JSONS[:1] * 4), rng)

    def _bytes(self, model: Path, rng: random.Random) -> None:
        name = rng.choice(SMALL + WEIGHTS)
        edit_bytes(model / name, rng, first=20_000 if name in WEIGHTS else None)

    def _kind(self, model: Path, rng: random.Random) -> None:
        change_kind(model / rng.choice(SMALL + WEIGHTS), rng)

    def _tokenizer(self, model: Path, rng: random.Random) -> None:
        """A tokenizer in one file, with patterns of exponential time, replacements that grow, or other damage."""
        from mlx_tts.models.qwen3_tts.tokenizer import build_tokenizer

        path = model / "tokenizer.json"
        build_tokenizer(model).save(str(path))
        data, how = json.loads(path.read_text()), rng.randrange(4)
        if how == 0:
            pattern = {"Regex": rng.choice(("(i+)+$", "(.|..)+x", r"(.*)*\1x", "(?:.?){30}.{30}", "((((", ""))}
            data["pre_tokenizer"] = {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}
        elif how == 1:
            content = "x" * rng.choice((1, 1_000_000))
            data["normalizer"] = {
                "type": "Replace",
                "pattern": {rng.choice(("String", "Regex")): "i"},
                "content": content,
            }
        elif how == 2:
            data[rng.choice([name for name in data if name != "model"])] = nasty(rng)
        path.write_text(json.dumps(data))
        if how == 3:
            edit_json(path, rng)

    def _ids(self, model: Path, rng: random.Random) -> None:
        path = model / "config.json"
        config = json.loads(path.read_text())
        talker = config["talker_config"]
        ids = [key for key in talker if key.endswith(("_id", "token_id")) and isinstance(talker[key], int)]
        group = rng.choice(("codec_language_id", "spk_id", None))
        if group and talker[group]:
            talker[group][rng.choice(list(talker[group]))] = rng.choice(NUMBERS)
        elif rng.random() < 0.5:
            talker[rng.choice(ids)] = rng.choice(NUMBERS)
        else:
            config[rng.choice([key for key in config if key.endswith("token_id")])] = rng.choice(NUMBERS)
        path.write_text(json.dumps(config))

    def _tensors(self, model: Path, rng: random.Random) -> None:
        from safetensors.numpy import load_file, save_file

        path = model / rng.choice(WEIGHTS)
        tensors = load_file(path)
        for _ in range(rng.choice((1, 1, 3))):
            name = rng.choice(list(tensors))
            value, how = tensors[name], rng.randrange(9)
            if how == 0:
                del tensors[name]
            elif how == 1:
                tensors[name + rng.choice((".x", "\x1b[2J", "é" * 200))] = value
            elif how == 2:
                tensors[name] = np.full_like(value, rng.choice((float("nan"), float("inf"), 1e38, -1e38, 0)))
            elif how == 3:
                tensors[name] = value.astype(
                    rng.choice((np.int8, np.int64, np.uint8, np.float16, np.float64, np.bool_))
                )
            elif how == 4:
                tensors[name] = np.zeros(rng.choice(((), (0,), (1,), (2, 3, 4, 5), (0, 0), (1, 1, 1))), value.dtype)
            elif how == 5:
                tensors[name] = np.ascontiguousarray(value.T)
            elif how == 6:
                tensors[name] = np.concatenate([value, value]) if value.ndim else value
            elif how == 7:
                spoilt = value.copy()
                if spoilt.size:
                    spoilt.flat[rng.randrange(spoilt.size)] = rng.choice((np.nan, np.inf, 1e30))
                tensors[name] = spoilt
            else:
                tensors[name.rpartition(".")[0] + ".scales"] = value
        path.unlink()
        metadata = rng.choice(({"format": "mlx"}, {"format": "pt"}, None, {"format": "\x1b"}))
        save_file(tensors, path, metadata)

    def _index(self, model: Path, rng: random.Random) -> None:
        path = model / "model.safetensors"
        path.rename(model / "model-1.safetensors")
        from safetensors import safe_open

        with safe_open(model / "model-1.safetensors", "np") as file:
            names = list(file.keys())
        index = {"weight_map": dict.fromkeys(names, "model-1.safetensors")}
        (model / "model.safetensors.index.json").write_text(json.dumps(index))
        how = rng.randrange(4)
        if how == 0:
            edit_json(model / "model.safetensors.index.json", rng)
        elif how == 1:
            index["weight_map"][rng.choice(names)] = nasty(rng)
            (model / "model.safetensors.index.json").write_text(json.dumps(index))
        elif how == 2:
            edit_bytes(model / "model.safetensors.index.json", rng)
        else:
            change_kind(model / rng.choice(("model-1.safetensors", "model.safetensors.index.json")), rng)
