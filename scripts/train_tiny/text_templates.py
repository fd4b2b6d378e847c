"""Make sentences from sentences.grammar: what dictionaries' example sentences lack.

Numbers, prices, dates, times, abbreviations, names, spelled letters, questions, requests, lists, messages.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

GRAMMAR = Path(__file__).with_name("sentences.grammar")
SLOT = re.compile(r"\{([^{}]*)\}")
NUMBER = re.compile(r"(\d+)-(\d+)(,|th)?")
ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def plural(noun: str) -> str:
    if noun.endswith(("ry", "ty")):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "sh", "ch")) else "s")


def read_grammar(path: Path) -> dict[str, tuple[list[str], list[float]]]:
    """Name -> the ways to fill it and their weights."""
    grammar: dict[str, tuple[list[str], list[float]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            options, weights = grammar.setdefault(heading[1], ([], []))
        elif line and not line.startswith("#"):
            weighted = re.match(r"(\d+) \* ", line)
            text = line[weighted.end() :] if weighted else line
            words = [text] if "{" in text else [word for word in text.split(" | ") if word]
            options += [word.strip(" |") for word in words]
            weights += [float(weighted[1]) if weighted else 1.0] * len(words)
    return grammar


class Templates:
    def __init__(self, seed: int, path: Path = GRAMMAR):
        self.random, self.grammar = random.Random(seed), read_grammar(path)

    def __call__(self, name: str = "sentence") -> str:
        options, weights = self.grammar[name]
        text = self.random.choices(options, weights)[0]
        text = SLOT.sub(lambda match: self.fill(match[1]), text)
        return re.sub(r"\b([Aa]) (?=[aeio]\w)", r"\1n ", text)

    def fill(self, slot: str) -> str:
        if "|" in slot:
            return self.random.choice(slot.split("|"))
        if number := NUMBER.fullmatch(slot):
            return self.number(number[1], number[2], number[3] or "")
        if slot == "spelled":
            return self.spelled()
        if slot.startswith("^"):
            text = self.fill(slot[1:])
            return text[0].upper() + text[1:]
        if slot.startswith("_"):
            return self.fill(slot[1:]).lower()
        return self(slot) if slot in self.grammar else plural(self(slot.removesuffix("s")))

    def number(self, low: str, high: str, form: str) -> str:
        value = self.random.randint(int(low), int(high))
        if form == "th":
            return f"{value}{'th' if 10 < value % 100 < 20 else ENDINGS.get(value % 10, 'th')}"
        return f"{value:,}" if form else f"{value:0{len(low)}d}" if low.startswith("0") else str(value)

    def spelled(self) -> str:
        word = self(self.random.choice(("first_name", "object")))
        return f"{word.capitalize()} is spelled {self.random.choice((', ', '-')).join(word.upper())}"
