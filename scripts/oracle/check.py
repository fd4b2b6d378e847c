"""Compare this package with the golden data of cases: `python check.py [--device gpu] CASE_FOLDER...`

Each case is materialised in a temporary folder; all that it holds is compared, a line a request. Exit code 0 when all
agree, 1 on a difference, 2 for a folder that is not a case. Needs the package's own dependencies alone. On a GPU set
MLX_ENABLE_TF32=0: MLX on CUDA otherwise multiplies float32 matrices with 10 bits of fraction.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]


def compare_case(case: Path, scratch: Path) -> Iterator[tuple[str, list[str]]]:
    """(request or part, what differs), for all that the case holds."""
    config = json.loads((case / "checkpoint" / "config.json").read_text(encoding="utf-8"))
    if config.get("model_type") == "magpie_tts":
        from magpie.compare import compare
    elif "audio_vae_config" in config:
        from voxcpm2.compare import compare
    elif "istftnet" in config:
        from kokoro.compare import compare
    else:
        from compare_qwen3 import compare
    yield from compare(case, scratch)


def check(case: Path) -> bool:
    with tempfile.TemporaryDirectory(prefix="mlx-tts-case-") as scratch:
        good = True
        for name, differences in compare_case(case, Path(scratch)):
            print(f"{case.name}/{name}: {'; '.join(differences) or 'equal'}", flush=True)
            good = good and not differences
        return good


def choose_device(name: str) -> None:
    import mlx_tts.runtime  # noqa: F401 (it loads a fast BLAS before mlx is imported)

    import mlx.core as mx  # isort: skip

    mx.set_default_device(getattr(mx, name))


def main(arguments: list[str]) -> int:
    device = "cpu"
    if len(arguments) > 1 and arguments[0] == "--device" and arguments[1] in ("cpu", "gpu"):
        device, arguments = arguments[1], arguments[2:]
    cases = [Path(argument) for argument in arguments]
    wrong = [str(case) for case in cases if not (case / "manifest.json").is_file()]
    if wrong or not cases:
        print(
            __doc__ if not cases else f"no case in {', '.join(wrong)}: give folders with a manifest.json",
            file=sys.stderr,
        )
        return 2
    choose_device(device)
    good = [check(case) for case in cases]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
