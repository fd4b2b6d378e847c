"""Texts whose words are said as phones tell: names, words with several readings, and invented words, for phonemise.py.

    python name_texts.py --out name_texts.jsonl --wordnet /usr/share/wordnet [--leave-out LIST]

A line is {"text", "said": {word: [American, British phones]}}, with "always": [words] where the spelling tells nothing. Names
are the rarer entries of the package's dictionary that WordNet lacks. LIST has words, one a line, that a judge will ask for:
they are in no text.
"""

import argparse
import json
import random
import re
from pathlib import Path

from phone_tokens import COMMON as DICTIONARY
from phone_tokens import phones as phone_set
from text import ODD, key
from text_templates import Templates

SENTENCES = Path(__file__).with_name("phone_sentences.txt")
ONSETS = [
    "p",
    "b",
    "t",
    "d",
    "k",
    "ɡ",
    "f",
    "v",
    "θ",
    "s",
    "z",
    "ʃ",
    "ʧ",
    "ʤ",
    "h",
    "m",
    "n",
    "l",
    "ɹ",
    "w",
    "j",
    "pl",
    "bl",
    "kl",
    "ɡl",
    "fl",
    "pɹ",
    "bɹ",
    "tɹ",
    "dɹ",
    "kɹ",
    "ɡɹ",
    "fɹ",
    "st",
    "sp",
    "sk",
    "sl",
    "sm",
    "sn",
    "sw",
    "tw",
]
VOWELS = ["A", "I", "O", "W", "Y", "i", "u", "ɑ", "ɔ", "ɪ", "ʊ", "ɛ", "æ", "ʌ"]
CODAS = [
    "",
    "",
    "",
    "",
    *["n", "m", "l", "k", "t", "d", "s", "ɡ", "z", "v", "ʃ", "nd", "nt", "st", "sk", "lm", "ŋ", "p", "b", "f", "θ"],
]
SPELLED = {
    "A": "ay",
    "I": "y",
    "O": "o",
    "W": "ow",
    "Y": "oy",
    "i": "ee",
    "u": "oo",
    "ɑ": "a",
    "ɔ": "au",
    "ɪ": "i",
    "ʊ": "u",
}
SPELLED |= {
    "ɛ": "e",
    "æ": "a",
    "ʌ": "u",
    "ə": "a",
    "ɡ": "g",
    "θ": "th",
    "ʃ": "sh",
    "ʧ": "ch",
    "ʤ": "j",
    "ɹ": "r",
    "j": "y",
    "ŋ": "ng",
}


# What is put together from ordinary parts is no name, and rarely read wrongly.
DERIVED = re.compile(
    r"(?:non|un|re|pre|over|out|sub|anti|semi|inter|super|multi|under|mis|dis|de|counter|hyper|ultra|pseudo|trans|photo|micro).*"
    r"|.*(?:ness|ship|less|ful|able|ible|ly|ish|ism|ist|ize|ise|ization|ing|ed|like|hood|ward|wise|some|ment|ation|ability|ically|ers?)"
)


def sections(path):
    found, current = {}, None
    for line in path.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            current = found.setdefault(heading[1], [])
        elif line and not line.startswith("#"):
            current.append(line)
    return found


def wordnet_words(folder):
    """Every single word that WordNet has, in small letters."""
    lines = (
        line for kind in ("noun", "verb", "adj", "adv") for line in (folder / f"index.{kind}").open(encoding="utf-8")
    )
    return {line.split(" ", 1)[0] for line in lines if not line.startswith(" ")}


def names(wordnet, left_out):
    """{name: [American, British phones]}: rarer words of the dictionary with one reading, none of them put together of parts."""
    lines = [line.split("\t") for line in DICTIONARY.read_text(encoding="utf-8").splitlines()]
    ordinary = {word.lower() for word, *_, mark in lines if mark == "c"} | wordnet
    found = {}
    for word, american, other, *_ in lines:
        usual = (
            re.fullmatch(r"[A-Za-z][a-z]{2,12}", word)
            and american
            and not re.search("[;=]", american + other.strip("="))
        )
        stem = re.sub(r"(?:es|s|ed|ing)$", "", word.lower())
        if (
            usual
            and not DERIVED.fullmatch(word.lower())
            and not {word.lower(), stem, stem + "e"} & ordinary
            and word.lower() not in left_out
        ):
            british = other if other not in ("", "=") else phone_set.british(american)
            found.setdefault(word.capitalize(), [american, british])
    return found


def invented(chance):
    """A word that nobody has heard: how it is written, and its American and British phones."""
    syllables = [
        [chance.choice(ONSETS), chance.choice(VOWELS), chance.choice(CODAS)] for _ in range(chance.choice((1, 2, 2, 3)))
    ]
    stressed = chance.randrange(len(syllables))
    parts = []
    for number, (onset, vowel, coda) in enumerate(syllables):
        weak = number != stressed and chance.random() < 0.4
        parts.append(onset + ("ə" if weak else phone_set.PRIMARY * (number == stressed) + vowel) + coda)
    american = "".join(parts)
    written = "".join(SPELLED.get(letter, letter) for letter in american if letter != phone_set.PRIMARY)
    return written.capitalize(), [american, phone_set.british(american)]


class Maker:
    def __init__(self, options):
        self.make, self.chance = Templates(options.seed), random.Random(options.seed)
        self.left_out = (
            set(options.leave_out.read_text(encoding="utf-8").lower().split()) if options.leave_out else set()
        )
        self.names = names(wordnet_words(options.wordnet), self.left_out)
        self.listed = sorted(self.names)
        self.sections = sections(SENTENCES)

    def filled(self, template):
        text = re.sub(
            r"\{([^{}]*)\}", lambda slot: "{NAME}" if slot[1] == "NAME" else self.make.fill(slot[1]), template
        )
        return re.sub(r"\b([Aa]) (?=[aeio]\w)", r"\1n ", text)

    def named(self, kind):
        text, said = self.filled(self.chance.choice(self.sections[kind])), {}
        while "{NAME}" in text:
            word, phones = (
                (name := self.chance.choice(self.listed), self.names[name])
                if kind == "names"
                else invented(self.chance)
            )
            said[word] = phones
            text = text.replace("{NAME}", word, 1)
        return {"text": text, "said": said} | ({"always": list(said)} if kind == "invented" else {})

    def heteronym(self):
        word, american, templates = self.chance.choice(self.sections["heteronyms"]).split("\t")
        said = [american, phone_set.british(american)]
        template = self.chance.choice(
            re.split(r"\|(?![^{]*\})", templates)
        )  # a bar within braces parts the fillings of a slot
        return {"text": self.filled(template), "said": {word: said, word.capitalize(): said}}


def main(options):
    maker = Maker(options)
    makers = [lambda: maker.named("names")] * options.names + [maker.heteronym] * options.heteronyms
    makers += [lambda: maker.named("invented")] * options.invented
    rows = {}
    for make in makers:
        row = make()
        if not ODD.search(row["text"]) and not set(re.findall(r"[a-z]+", row["text"].lower())) & maker.left_out:
            rows.setdefault(key(row["text"]), row)
    rows = list(rows.values())
    maker.chance.shuffle(rows)
    options.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    print(f"{len(rows)} texts, {len(maker.names)} names")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--leave-out", type=Path, help="words, one a line, that are in no text")
    parser.add_argument("--names", type=int, default=8000, help="sentences with names")
    parser.add_argument("--heteronyms", type=int, default=3000)
    parser.add_argument("--invented", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=5)
    main(parser.parse_args())
