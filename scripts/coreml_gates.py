# ruff: noqa: E402 (a BLAS is loaded before mlx)
"""A checkpoint and folders of packages made from it in, a line each out: what packages keep of MLX's codes and sound.

python scripts/coreml_gates.py CHECKPOINT DEST... [--sentences 4] [--harsh]
python scripts/coreml_gates.py CHECKPOINT DEST... --words 20

MLX speaks the sentences greedily; its codes are then fed to the packages, position by position, and every code that
the packages would have sampled is compared. With --words they speak by themselves, and a recogniser listens to both.
The evaluator runs the packages, from their files. Allow a minute or two a folder for the built-in voice.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from mlx_tts.runtime import blas

blas.preload()  # before mlx

import mlx.core as mx
import numpy as np

from mlx_tts import Sampling, SpeechRequest
from mlx_tts.api import TextToSpeech, load_folder
from mlx_tts.export.coreml.evaluator import EvaluatedModel
from mlx_tts.generation.sampling import RowSampling, penalise
from mlx_tts.models import families
from mlx_tts.models.qwen3_tts.coreml import engine
from mlx_tts.models.qwen3_tts.coreml.manifest import read_manifest
from mlx_tts.models.qwen3_tts.frames import MIN_FRAMES
from mlx_tts.runtime import mlx_thread

SENTENCES = (
    "Good morning, how are you today?",
    "The train to the coast leaves at nine.",
    "She sells fresh bread in the market.",
    "Please close the window before the rain.",
    "My brother plays the piano every evening.",
    "We found an old map under the bed.",
    "The doctor will call you tomorrow.",
    "Snow covered the road to the village.",
    "He forgot his keys on the table.",
    "They built a small house near the river.",
    "The teacher asked a difficult question.",
    "Can you help me carry this box?",
    "A red bird sang in the garden.",
    "The film begins at half past seven.",
    "I would like a cup of hot tea.",
    "Her sister works in a large hospital.",
    "The children ran across the field.",
    "Nobody knows the end of the story.",
    "The ship left the harbor at dawn.",
    "Thank you for your kind letter.",
)
GREEDY = Sampling(temperature=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--sentences", type=int, default=4)
    parser.add_argument("--harsh", action="store_true", help="harsh arithmetic, which shows what may overflow")
    parser.add_argument("--words", type=int, default=0, help="how many sentences to speak and have recognised")
    options = parser.parse_args()
    model = load_folder(options.checkpoint)
    voice = next(iter(model.voices), None)
    if options.words:
        for folder in options.folders:
            print(json.dumps(listen(model, voice, SENTENCES[: options.words], folder)), flush=True)
        return
    texts = SENTENCES[: options.sentences]
    requests = [SpeechRequest(text, voice=voice, sampling=GREEDY, seed=1, max_frames=80) for text in texts]
    spoken = [(request, model.generate_codes(request)) for request in requests]
    for folder in options.folders:
        print(json.dumps(measure(model, spoken, folder, "harsh" if options.harsh else "declared")), flush=True)


def measure(model: Any, spoken: list[Any], folder: Path, mode: Any) -> dict[str, Any]:
    start = time.monotonic()
    opened: list[EvaluatedModel] = []

    def open_model(package: Path) -> EvaluatedModel:
        opened.append(EvaluatedModel(package, mode))
        return opened[-1]

    synthesizer = engine.open_packages(families.open_checkpoint(folder), open_model, lambda _line: None)
    manifest = read_manifest(folder)
    right = whole = codes_seen = frames_seen = 0
    sound = []
    for request, codes in spoken:
        same = frames_with_codes_fed(synthesizer, model.check(request), codes)
        right, codes_seen = right + int(same.sum()), codes_seen + same.size
        whole, frames_seen = whole + int(same.all(axis=1).sum()), frames_seen + len(same)
        if len(sound) < 1:
            fed = codes[:16]
            wanted, found = model.decode_codes(fed), synthesizer.decode_codes(fed)
            sound = [float(np.abs(found - wanted).max()), decibels(wanted, found)]
    return {
        "folder": folder.name,
        "arithmetic": mode,
        "half": manifest.half,
        "norm": manifest.norm,
        "bits": manifest.bits,
        "codes": f"{right}/{codes_seen}",
        "percent": round(100 * right / codes_seen, 2),
        "frames": f"{whole}/{frames_seen}",
        "codec_error": sound[0],
        "codec_db": round(sound[1], 1),
        "largest": round(max(one.evaluator.peak for one in opened)),
        "seconds": round(time.monotonic() - start),
    }


def listen(model: Any, voice: str | None, texts: tuple[str, ...], folder: Path) -> dict[str, Any]:
    """Word error rates of both, in percent: the packages and MLX speak the same texts with the same seeds."""
    from tests.helpers.hearing import recognised, word_errors, words

    checkpoint = families.open_checkpoint(folder)

    def work() -> TextToSpeech:
        synthesizer = engine.open_packages(checkpoint, EvaluatedModel, lambda _line: None)
        return TextToSpeech(checkpoint, synthesizer, blas.threads())

    errors = {"mlx": 0, "coreml": 0}
    for name, speaking in (("mlx", model), ("coreml", mlx_thread.run(work))):
        for seed, text in enumerate(texts):
            chunk = speaking.speak(SpeechRequest(text, voice=voice, seed=seed))
            heard = recognised(chunk.samples, chunk.sample_rate)
            errors[name] += word_errors(words(text), heard)
            print(f"{name}: {text} -> {' '.join(heard)}", file=sys.stderr, flush=True)
    spoken = sum(len(words(text)) for text in texts)
    return {"folder": folder.name, "words": spoken, **{name: 100 * wrong / spoken for name, wrong in errors.items()}}


def frames_with_codes_fed(synthesizer: Any, request: Any, codes: np.ndarray) -> np.ndarray:
    """[T, K] bool: whether the packages sample each code where all codes before it are given."""
    loop, utterance = synthesizer._loop, synthesizer._utterance(request)
    row = drained(loop.begin(utterance))
    sampling = RowSampling.of([request.params], loop.config.vocab_size, loop.config.code_predictor_config.vocab_size)
    same = np.zeros(codes.shape, bool)
    used = mx.zeros((1, loop.config.vocab_size), mx.bool_)
    for frame, wanted in enumerate(codes):
        found = loop.decoder.read(row.x, row.position, row.caches)
        logits = penalise(mx.array(found["logits"].reshape(1, -1)), used, sampling.penalty)
        first = int(mx.argmax(logits + loop.masks[frame >= MIN_FRAMES]).item())
        hidden = np.array(found["hidden"], np.float32).reshape(-1)
        sampled, embedding = loop.rest_of_frame(hidden, int(wanted[0]), None, sampling, wanted[1:].tolist())
        same[frame] = np.array([first, *sampled[1:]]) == wanted
        used = used | (mx.arange(used.shape[1]) == int(wanted[0]))
        row.x = embedding + np.array(utterance.text_after(frame).astype(mx.float32))
        row.position += 1
    return same


def drained(steps: Any) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value


def decibels(wanted: np.ndarray, found: np.ndarray) -> float:
    noise = float(np.square(found - wanted).sum())
    return 10 * float(np.log10(float(np.square(wanted).sum()) / noise)) if noise else float("inf")


if __name__ == "__main__":
    main()
