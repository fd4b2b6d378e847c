# ruff: noqa: E402 (a BLAS is loaded before mlx)
"""Names of oracle cases in, a line for each out: codes that Core ML packages sample where the official codes are fed.

python scripts/coreml_cases.py custom_voice_tiny base_wide [--half]

Packages are made of each case's random checkpoint in a temporary folder, in float32 or, with --half, in float16 with
both forms of the norm, and run by the evaluator from their files.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mlx_tts.runtime import blas

blas.preload()  # before mlx

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts" / "oracle")]

from coreml_gates import frames_with_codes_fed
from materialise import materialise

from mlx_tts import Sampling
from mlx_tts.api import load_folder
from mlx_tts.export.coreml.evaluator import EvaluatedModel
from mlx_tts.models import families
from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.qwen3_tts.coreml import conversion, engine
from tests.conftest import Case
from tests.helpers.oracle_cases import request_for

CASES = ROOT / "tests" / "fixtures" / "oracle"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", default=sorted(path.name for path in CASES.iterdir()))
    parser.add_argument("--half", action="store_true")
    options = parser.parse_args()
    for name in options.cases:
        with TemporaryDirectory() as scratch:
            folder = Path(scratch) / name
            folder.mkdir()
            materialise(CASES / name, folder)
            for norm in ("layer", "scaled") if options.half else ("layer",):
                print(json.dumps(compared(name, folder, Path(scratch) / norm, norm, options.half)), flush=True)


def compared(name: str, folder: Path, packages: Path, norm: str, half: bool) -> dict[str, Any]:
    requests = json.loads((CASES / name / "requests.json").read_text(encoding="utf-8"))
    case = Case(folder, np.load(CASES / name / "golden.npz"), requests)
    options = ConvertOptions(format="coreml", context=512, norm=norm)
    conversion.convert(families.open_checkpoint(folder), packages, options, lambda _line: None, half)
    checkpoint = families.open_checkpoint(packages)
    synthesizer = engine.open_packages(checkpoint, EvaluatedModel, lambda _line: None)
    checked, right, seen = load_folder(folder), 0, 0
    for asked in requests:
        codes = case.golden[f"{asked['name']}/codes"]
        request = checked.check(request_for(case, asked["name"], sampling=Sampling(temperature=0)))
        same = frames_with_codes_fed(synthesizer, request, codes)
        right, seen = right + int(same.sum()), seen + same.size
    percent = round(100 * right / seen, 2)
    return {
        "case": name,
        "half": half,
        "norm": norm,
        "requests": len(requests),
        "codes": f"{right}/{seen}",
        "percent": percent,
    }


if __name__ == "__main__":
    main()
