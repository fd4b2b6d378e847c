"""Put a judged pair into the package: shared files, catalogue, model cards. Then `walk_box.py` walks through it.

    python box.py --judged OUT --trained-on "310 hours of Kokoro-82M, 5,000 synthetic speakers" [--experimental]

OUT is gate.py's, after `word_times.py --model OUT/tiny --judged OUT`. Writes mlx_tts/builtin/tiny and tiny-base anew, and
their sizes and the mark `experimental` in models.toml. Nothing is written where the pair is too large. `git diff` shows
it all, and `git checkout` takes it back.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from pathlib import Path

import cards
import ship

MOST_BYTES = 48_000_000
CATALOGUE = ship.ROOT / "models.toml"
BUILT_IN = ship.ROOT / "mlx_tts" / "builtin"
ENTRY = """
[[variant]]
family = "qwen3_tts"
kind = "base"
size = "tiny"
licence = "Apache-2.0"
voice_width = 256
languages = ["english"]
models = [
  { alias = "tiny-base", folder = "builtin/tiny-base", quantisation = "8bit", size_bytes = 0 },
]
"""


def with_entry(table: str) -> str:
    """The catalogue with tiny-base behind the last Base model; as it is where it has one."""
    if '"tiny-base"' in table:
        return table
    place = table.index("\n]\n", table.rindex('kind = "base"')) + len("\n]\n")
    return table[:place] + ENTRY + table[place:]


def with_facts(table: str, name: str, size_bytes: int, experimental: bool) -> str:
    """The catalogue with the size of a built-in model, rounded, and its mark."""
    mark = ", experimental = true" if experimental else ""
    pattern = rf'(alias = "{name}", .*?size_bytes = )[\d_]+(?:, experimental = true)?( }})'
    changed, count = re.subn(pattern, rf"\g<1>{round(size_bytes, -5):_}{mark}\g<2>", table)
    if count != 1:
        raise SystemExit(f"{CATALOGUE} has {count} entries of {name}: mend its line")
    return changed


def put(options: argparse.Namespace) -> None:
    judged = options.judged.resolve()
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        ship.ship(judged / "tiny", judged / "tiny-base", made)
        cards.write(judged, made, options.trained_on, options.experimental)
        tiny, both = ship.size_of(made / "tiny"), ship.size_of(made)
        print(f"both together: {both / 1e6:.1f} MB")
        if both > MOST_BYTES:
            raise SystemExit(f"that is more than {MOST_BYTES / 1e6:.0f} MB: nothing was changed")
        table = with_entry(CATALOGUE.read_text(encoding="utf-8"))
        table = with_facts(table, "tiny", tiny, False)
        table = with_facts(table, "tiny-base", both, options.experimental)
        for name in ("tiny", "tiny-base"):
            ship.replace_folder(made / name, BUILT_IN / name)
    CATALOGUE.write_text(table, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judged", type=Path, required=True)
    parser.add_argument("--trained-on", required=True, help="for the cards: hours, speakers, texts")
    parser.add_argument("--experimental", action="store_true", help="limits are missed: say so wherever it is named")
    put(parser.parse_args())
