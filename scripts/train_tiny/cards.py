"""What gate.py measured -> the model cards of `tiny` and `tiny-base`, from the texts in cards/.

    python cards.py --judged OUT --trained-on "310 hours of Kokoro-82M, 5,000 synthetic speakers" --out ../../mlx_tts/builtin

OUT is gate.py's: its exports, presets.json, clones.json and gate.json, and word_times.json of word_times.py and readings.json where they are.
A figure that is not there ends it: a card is not written with a gap.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from string import Template
from typing import Any

from evaluate_clones import summary as clone_table
from gate import CONVERSION, limits_met, limits_table
from safetensors import safe_open
from ship import size_of

HERE = Path(__file__).resolve().parent
PEOPLE = """Recordings of people from Debian's packages were heard in training by the speaker encoder alone:
`asterisk-core-sounds-*-g722` (CC BY-SA 3.0; Russian and Italian CC BY 3.0), `ktuberling-data`,
`klettres-data`, `tuxpaint-stamps-default` and `fillets-ng-data-{cs,nl}` (all GPL). The judges heard five people more, and
`pocketsphinx-testdata`."""


def parameters(folder: Path, *starts: str) -> str:
    """Millions of numbers in the tensors whose names start so (all, without); of an export."""
    with safe_open(str(folder / "model.safetensors"), framework="np") as file:
        names = [name for name in file.keys() if name.startswith(starts or "")]  # noqa: SIM118 (no dict)
        return f"{sum(math.prod(file.get_slice(name).get_shape()) for name in names) / 1e6:.1f}"


def voice_table(rows: dict[str, dict[str, Any]]) -> str:
    lines = ["| | clips | word error rate % | DistillMOS | length / expected |", "|---|---|---|---|---|"]
    for name, row in rows.items():
        shown = f"**{name}**" if name == "all" else name
        lines.append(f"| {shown} | {row['clips']} | {row['WER %']:.2f} | {row['DistillMOS']} | {row['length']} |")
    return "\n".join(lines)


def word_times(path: Path) -> str:
    if not path.exists():
        return "Times of words are estimates: they were not measured against the teacher's durations."
    told = json.loads(path.read_text())
    return (
        f"Times of words: {told['words']} words against the teacher's own durations, median {told['median']:.3f} s, 95 % within "
        f"{told['most']:.3f} s. They count as {'measured' if told['measured'] else 'estimates'}."
    )


def readings(path: Path) -> str:
    """How many words of the lists in judged/ are said rightly: list -> [right, all] from letters, and with their IPA given."""
    if not path.exists():
        return "How names, rare words and words with several readings are said was not measured."
    lines = [
        "Forced choice by PocketSphinx between how a word is said and how it is often said instead, lists of `judged/`, two voices:",
        "",
        "| | right as written | right with their IPA given |",
        "|---|---|---|",
    ]
    for name, ways in json.loads(path.read_text()).items():
        shown = (f"{right} of {count} ({100 * right / count:.0f} %)" for right, count in ways)
        lines.append(f"| {name} | {' | '.join(shown)} |")
    return "\n".join(lines)


def fields(judged: Path, built_in: Path, trained_on: str, experimental: bool) -> dict[str, str]:
    """Every place of both cards."""
    values = json.loads((judged / "gate.json").read_text())
    presets = json.loads((judged / "presets.json").read_text())
    config = json.loads((judged / "export-base" / "config.json").read_text())
    own, shared = (size_of(built_in / name) / 1e6 for name in ("tiny-base", "tiny"))
    missed = [name for name, met in limits_met(values).items() if not met]
    base, codec = judged / "export-base", judged / "export-base" / "speech_tokenizer"
    return {
        "talker_parameters": parameters(base, "talker."),
        "speaker_parameters": parameters(base, "speaker_encoder."),
        "encoder_parameters": parameters(codec, "encoder."),
        "decoder_parameters": parameters(codec, "decoder."),
        "vector_width": str(config["speaker_encoder_config"]["enc_dim"]),
        "size": f"{shared:.1f}",
        "own": f"{own:.1f}",
        "both": f"{own + shared:.1f}",
        "trained_on": trained_on,
        "clips": str(presets["rows"]["all"]["clips"]),
        "voices": voice_table(presets["rows"]),
        "clones": "\n".join(clone_table(json.loads((judged / "clones.json").read_text()))),
        "limits": "\n".join(limits_table(values)),
        "missed": f"Missed: {'; '.join(missed)}." if missed else "All limits are met.",
        "experimental": "**Experimental:** it misses limits that were set for it (below). " if experimental else "",
        "word_times": word_times(judged / "word_times.json"),
        "readings": readings(judged / "readings.json"),
        "people": PEOPLE,
        "conversion": " ".join(CONVERSION),
    }


def write(judged: Path, built_in: Path, trained_on: str, experimental: bool = False) -> None:
    """README.md of both models in `built_in`."""
    for name in ("tiny", "tiny-base"):
        # Sizes are in the text itself: the second writing counts the first one's.
        for _ in range(2):
            text = Template((HERE / "cards" / f"{name}.md").read_text(encoding="utf-8"))
            card = text.substitute(fields(judged, built_in, trained_on, experimental))
            (built_in / name / "README.md").write_text(card, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judged", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder of tiny and tiny-base, as ship.py wrote them")
    parser.add_argument("--trained-on", required=True, help="for the cards: hours, speakers, texts")
    parser.add_argument("--experimental", action="store_true")
    options = parser.parse_args()
    write(options.judged, options.out, options.trained_on, options.experimental)
