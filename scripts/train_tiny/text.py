"""Collect the texts that the teacher voices will read: one a line, one word to 300 characters.

Sentences come from WordNet's examples and glosses, the Jargon File and The Devil's Dictionary (Debian
packages wordnet-base, dict-jargon, dict-devil: free to use) and from the templates in text_templates.py.
About a third of the lines hold two to five sentences, about one in twenty one to three words.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from text_templates import Templates

LONGEST, LONGEST_SENTENCE = 299, 220
SEVERAL_SENTENCES = 0.35
SHORT_COPIES = 6  # the commonest utterances deserve several voices each
LONE_WORDS, LONE_NAMES = 3000, 500
UNPOLISHED, TYPOGRAPHIC = 0.03, 0.04
ALLOWED = re.compile(r"[A-Za-z0-9 ,.;:!?'\"()\-$£€%&@/+]+")
ODD = re.compile(r"\d{7,}|[A-Za-z]{22,}|\.\.\.\.|[bcdfghjklmnpqrstvwxz]{7}|(?<!\w)['\"]{2}|\b[A-Z]{5,}\b")
SENTENCE_BREAK = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[\"'(]?[A-Z0-9])")
PLAIN_QUOTES = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2019": "'", "\u2018": "'"})


def clean(sentence: str) -> str:
    sentence = sentence.translate(PLAIN_QUOTES).replace("--", ", ")
    sentence = re.sub(r"[{}_*|`]", "", sentence)
    sentence = re.sub(r"\s+", " ", sentence).strip()
    sentence = re.sub(r" ([,.;:!?])", r"\1", sentence)
    return re.sub(r",+", ",", sentence).replace(",.", ".")


def usable(sentence: str) -> bool:
    if not 2 <= len(sentence) <= LONGEST_SENTENCE or not ALLOWED.fullmatch(sentence) or ODD.search(sentence):
        return False
    letters = sum(char.isalpha() for char in sentence)
    capitals = sum(char.isupper() for char in sentence)
    balanced = sentence.count("(") == sentence.count(")") and sentence.count('"') % 2 == 0
    return (
        letters >= 2
        and letters >= 0.6 * len(sentence)
        and (capitals <= 0.3 * letters or len(sentence) <= 12)
        and balanced
    )


def key(sentence: str) -> str:
    """What makes two sentences the same for keeping held-out text out of training."""
    return re.sub(r"[^a-z0-9]", "", sentence.lower())


def capitalised(text: str) -> str:
    return text[0].upper() + text[1:]


def wordnet(folder: Path, rng: random.Random) -> Iterator[str]:
    """Quoted examples, and glosses turned into definitions."""
    for kind in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{kind}").read_text(encoding="utf-8", errors="ignore").splitlines():
            if line.startswith("  ") or "|" not in line:
                continue
            head, gloss = line.split("|", 1)
            for example in re.findall(r'"([^"]+)"', gloss):
                if len(example.split()) > 2:
                    example = capitalised(example.strip())
                    yield example if example[-1] in ".!?" else example + "."
            meaning = re.sub(r"\s*\([^)]*\)\s*", " ", re.split(r';\s*"', gloss)[0]).strip(" ;")
            word = re.sub(r"\(.*?\)", "", head.split()[4].replace("_", " "))
            if len(meaning.split()) > 2:
                yield rng.choice(
                    (
                        f"{capitalised(meaning)}.",
                        f"{capitalised(word)}: {meaning}.",
                        f"{capitalised(word)} means {meaning}." if kind == "noun" else f"{capitalised(meaning)}.",
                    )
                )


def dictionary(path: Path) -> Iterator[str]:
    """Whole sentences of a dictd dictionary."""
    with gzip.open(path, "rt", encoding="utf-8", errors="ignore") as file:
        for paragraph in re.split(r"\n\s*\n", file.read()):
            for sentence in SENTENCE_BREAK.split(re.sub(r"\s+", " ", paragraph).strip()):
                sentence = re.sub(r"\s*\[[^\]]*\]\s*", " ", sentence).strip()
                if sentence[:1].isupper() and sentence[-1:] in ".!?" and len(sentence.split()) > 2:
                    yield sentence


def lone_words(sentences: list[str], make: Templates, rng: random.Random) -> list[str]:
    """Single words that occur in several sentences, alone, as people type them."""
    seen = Counter(word for sentence in sentences for word in set(re.findall(r"\b[a-z]{2,14}\b", sentence)))
    words = sorted(word for word, count in seen.items() if count >= 8)
    pairs = [f"{rng.choice(words)} {rng.choice(words)}" for _ in range(LONE_WORDS // 6)]
    chosen = rng.sample(words, min(LONE_WORDS, len(words))) + pairs
    names = [make(rng.choice(("first_name", "place"))) for _ in range(LONE_NAMES)]
    ending = [".", ".", ".", "", "!", "?"]
    return [capitalised(word) + rng.choice(ending) for word in chosen + names]


def in_groups(sentences: list[str], rng: random.Random) -> Iterator[str]:
    """Single sentences, and at the wanted rate two to five joined, none above the greatest length."""
    waiting = iter(sentences)
    for sentence in waiting:
        wanted = rng.randint(2, 5) if rng.random() < SEVERAL_SENTENCES and sentence[-1] in ".!?" else 1
        parts = [sentence]
        for following in waiting if wanted > 1 else ():
            if following[-1] not in ".!?" or len(" ".join([*parts, following])) > LONGEST:
                yield " ".join(parts)
                parts, wanted = [following], 1
            else:
                parts.append(following)
            if len(parts) >= wanted:
                break
        yield " ".join(parts)


def as_typed(text: str, rng: random.Random) -> str:
    """Sometimes without capital and full stop, sometimes with typographic quotes and dashes."""
    chance = rng.random()
    if chance < UNPOLISHED and len(text) > 3:
        text = text.removesuffix(".")
        return text if re.match(r"I\b", text) else text[0].lower() + text[1:]
    if chance < UNPOLISHED + TYPOGRAPHIC:
        text = re.sub(r"(?<=\w)'(?=\w)", "\u2019", text)
        text = re.sub(r'"([^"]*)"', "\u201c\\1\u201d", text)
        return text.replace(", ", " — ", 1) if rng.random() < 0.2 else text.replace("...", "…")
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--held-out",
        type=Path,
        default=Path(__file__).with_name("held_out.txt"),
        help="sentences that must not be in the output",
    )
    parser.add_argument("--templates", type=int, default=330_000, help="sentences to make from templates")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--dictd", type=Path, default=Path("/usr/share/dictd"))
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    rng = random.Random(arguments.seed)
    held_out = {key(line) for line in arguments.held_out.read_text(encoding="utf-8").splitlines()}
    collected: dict[str, str] = {}

    def collect(sentences: Iterator[str], source: str) -> None:
        for sentence in map(clean, sentences):
            if usable(sentence) and key(sentence) not in held_out:
                collected.setdefault(sentence, source)

    collect(wordnet(arguments.wordnet, rng), "WordNet")
    for name in ("jargon", "devil"):
        collect(dictionary(arguments.dictd / f"{name}.dict.dz"), name)
    make = Templates(arguments.seed + 1)
    words = lone_words(list(collected), make, rng)
    collect((make() for _ in range(arguments.templates)), "templates")
    print(Counter(collected.values()))

    sentences = list(collected)
    rng.shuffle(sentences)
    texts = [as_typed(text, rng) for text in in_groups(sentences, rng)]
    texts += [text for text in words + make.grammar["short"][0] * SHORT_COPIES if key(text) not in held_out]
    rng.shuffle(texts)
    arguments.out.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    characters = sum(map(len, texts))
    several = sum(len(SENTENCE_BREAK.split(text)) > 1 for text in texts) / len(texts)
    short = sum(len(text.split()) <= 3 for text in texts) / len(texts)
    print(
        f"{len(texts)} texts, {characters / 1e6:.1f} M characters (about {characters / 15 / 3600:.0f} h), "
        f"{several:.0%} of several sentences, {short:.1%} of one to three words, longest {max(map(len, texts))}"
    )


if __name__ == "__main__":
    main()
