"""Folders of Core ML packages in, a line a package out: Core ML on this Mac against the evaluator; exit 1 if far.

python scripts/coreml_device.py FOLDER...
python scripts/coreml_device.py --heard FILE TEXT      what a recogniser hears in a recording; exit 1 if other words

Inputs are random but small, and masks are open, so that every operation has something to do.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from mlx_tts.export.coreml import runtime
from mlx_tts.export.coreml.evaluator import CACHES, EvaluatedModel

MOST_ERROR = 0.02  # of the largest value: both round to float16, at other places
MOST_WRONG_WORDS = 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--heard", nargs=2, metavar=("FILE", "TEXT"))
    options = parser.parse_args()
    if options.heard:
        return listen(*options.heard)
    errors = {package: error(package) for folder in options.folders for package in sorted(folder.glob("*.mlpackage"))}
    for package, value in errors.items():
        print(f"{package}: {value:.1e}")
    return int(not all(value <= MOST_ERROR for value in errors.values()))


def error(package: Path) -> float:
    """The largest difference of any output, over the output's largest value."""
    ours, theirs = EvaluatedModel(package), runtime.opener()(package)
    program, random = ours.evaluator.program, np.random.default_rng(0)
    inputs = {}
    for name, (shape, dtype) in program.inputs.items():
        value = random.integers(0, 4, shape) if dtype == np.int32 else 0.1 * random.standard_normal(shape)
        inputs[name] = np.zeros(shape, np.float32) if name == "mask" else value.astype(dtype)
    caches = [model.open_cache() if program.states else None for model in (ours, theirs)]
    for name in CACHES if program.states else ():
        (_, channels, _, columns), _ = program.states[name]
        for column in range(columns):
            value = 0.1 * random.standard_normal((1, channels, 1, 1))
            for cache in caches:
                cache.write(name, column, value)
    wanted, found = ours.predict(inputs, caches[0]), theirs.predict(inputs, caches[1])
    return max(float(np.abs(found[name] - value).max() / np.abs(value).max()) for name, value in wanted.items())


def listen(file: str, text: str) -> int:
    import soundfile

    from tests.helpers.hearing import recognised, word_errors, words

    samples, rate = soundfile.read(file, dtype="float32")
    heard = recognised(samples, rate)
    print(" ".join(heard))
    return int(word_errors(words(text), heard) > MOST_WRONG_WORDS)


if __name__ == "__main__":
    sys.exit(main())
