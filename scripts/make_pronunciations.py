"""Dictionaries of pronunciations -> mlx_tts/text/phonemes/english.txt, the sorted text that the package looks words up in.

    pip download misaki==0.9.4 --no-deps && unzip misaki-0.9.4-py3-none-any.whl -d misaki
    git clone https://github.com/cmusphinx/cmudict
    apt-get download scowl && dpkg -x scowl_*.deb scowl
    python scripts/make_pronunciations.py --misaki misaki/misaki/data --cmudict cmudict/cmudict.dict \\
        --scowl scowl/usr/share/dict/scowl

misaki (Apache-2.0) comes first, its checked entries ("gold") before the others ("silver"); CMUdict (BSD) adds the American
readings of words that it lacks. SCOWL's lists of sizes 10 and 20 say which words are common. A line is word TAB
American TAB British TAB mark: several readings of a word stand behind each other as `phones;VERB=phones`, "=" is a
British reading that `phones.british` makes of the American one, the mark is c for a common word.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from mlx_tts.text.phonemes.notations import from_arpabet
from mlx_tts.text.phonemes.phones import british, is_phones

OUT = ROOT / "mlx_tts" / "text" / "phonemes" / "english.txt"
COMMON_SIZES = (10, 20)


def one_line(value: Any) -> str:
    """A dictionary's value as it stands in the text: one reading, or the usual one and those of kinds of words."""
    if isinstance(value, str):
        return value if is_phones(value) else ""
    usual = value.get("DEFAULT") or ""
    others = [f"{kind}={said}" for kind, said in sorted(value.items()) if kind not in ("DEFAULT", "None") and said]
    others = [other for other in others if other.partition("=")[2] != usual and is_phones(other.partition("=")[2])]
    return ";".join([usual, *others]) if is_phones(usual) else ""


def misaki(folder: Path, accent: str) -> dict[str, str]:
    merged: dict[str, Any] = {}
    for kind in ("silver", "gold"):
        merged |= json.loads((folder / f"{accent}_{kind}.json").read_text(encoding="utf-8"))
    lines = {word: one_line(value) for word, value in merged.items() if "\t" not in word}
    return {word: line for word, line in lines.items() if line}


def cmudict(path: Path) -> dict[str, str]:
    """The first reading of each word."""
    found: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        word, _, said = line.partition("#")[0].strip().partition(" ")
        if "(" not in word and word and not any(c in word for c in ".\t0123456789"):
            found[word] = from_arpabet(said)
    return found


def common_words(folder: Path) -> set[str]:
    kinds = ("english", "american", "british")
    lists = [folder / f"{kind}-words.{size}" for kind in kinds for size in COMMON_SIZES]
    lists += [folder / f"{kind}-upper.{size}" for kind in kinds for size in (10, 20, 35)]  # Monday, English, London
    return {word for path in lists if path.exists() for word in path.read_text(encoding="latin-1").split()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misaki", type=Path, required=True, help="folder with us_gold.json and its three neighbours")
    parser.add_argument("--cmudict", type=Path, required=True, help="cmudict.dict")
    parser.add_argument("--scowl", type=Path, required=True, help="folder with english-words.10 and its neighbours")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    american, other = misaki(options.misaki, "us"), misaki(options.misaki, "gb")
    known = {word.lower() for word in (*american, *other)}
    added = {word: said for word, said in cmudict(options.cmudict).items() if word not in known}
    american |= added
    common = common_words(options.scowl)
    lines = []
    for word in sorted({*american, *other}, key=lambda word: word.encode()):
        us, gb = american.get(word, ""), other.get(word, "")
        if us and (word in added or gb == british(us)):
            gb = "="
        mark = "\tc" if word in common else ""
        lines.append(f"{word}\t{us}\t{gb}{mark}\n")
    options.out.write_text("".join(lines), encoding="utf-8")
    print(f"{len(lines):,} words, {len(added):,} of them from CMUdict, {options.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
