"""Numbers, Roman numerals, fractions, ratios, ranges and arithmetic -> English words."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextvars import ContextVar

from mlx_tts.text.normalise.engine import UnspeakableError, one_of, rule, words_of
from mlx_tts.text.normalise.number_words import number_words

LARGER = words_of("quadrillion quintillion sextillion septillion")  # where the library's rules end
MOST_DIGITS = 27  # longer ones are read digit by digit
BRITISH: ContextVar[bool] = ContextVar("british", default=False)  # whether a text is read as in Britain

# A number as it is written; what stands before may not be part of one.
START = r"(?<![\w.,^])(?<!\d[-–/:])"
WHOLE = r"(?:\d{1,3}(?:,\d{3})+|\d+)"
NUMBER = rf"{WHOLE}(?:\.\d+)?"
MAGNITUDES = {
    "k": "thousand", "K": "thousand", "M": "million", "mn": "million", "mil": "million", "bn": "billion",
    "B": "billion", "T": "trillion", "tn": "trillion",
    **{word: word for word in ("hundred", "thousand", "million", "billion", "trillion")},
}  # fmt: skip


def cardinal(number: int) -> str:
    """American: "one hundred one"; British: "one hundred and one"."""
    if number < 10**15:
        return _spelled(number, "cardinal-verbose" if BRITISH.get() else "cardinal")
    rest, groups = number % 10**15, []
    number //= 10**15
    for scale in LARGER:
        number, group = divmod(number, 1000)
        if group:
            groups.append(f"{cardinal(group)} {scale}")
    return " ".join([*reversed(groups), *([cardinal(rest)] if rest else [])])


def ordinal(number: int) -> str:
    return _spelled(number, "ordinal-verbose" if BRITISH.get() else "ordinal")


def _spelled(number: int, rules: str) -> str:
    return number_words("en", number, rules).replace("-", " ").replace(",", "")


def digits(written: str) -> str:
    """ "0199" -> "zero one nine nine"; anything but digits is left out."""
    return " ".join(cardinal(int(digit)) for digit in written if digit.isdecimal())


def year(number: int) -> str:
    century, rest = divmod(number, 100)
    if not 1000 < number < 10_000 or number % 1000 == 0 or 2000 <= number < 2010:
        return cardinal(number)
    if not rest:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"


def spoken(written: str) -> str:
    """ "1,234.50" -> its words; a leading zero or too many digits: one by one."""
    whole, _, fraction = written.replace(",", "").partition(".")
    by_digit = len(whole) > MOST_DIGITS or (len(whole) > 1 and whole[0] == "0")
    words = digits(whole) if by_digit else cardinal(int(whole or "0"))
    return f"{words} point {digits(fraction)}" if fraction else words


def plural(word: str) -> str:
    """ "sixty" -> "sixties", "six" -> "sixes"."""
    if word.endswith("y"):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith("x") else f"{word}s"


def is_one(written: str) -> bool:
    return written in ("1", "1.0")


YEAR_BEFORE = re.compile(
    r"(?:\bca?\.|\b(?:in|since|from|until|till|by|before|after|during|of|year|early|late|mid|circa|summer|winter|"
    r"spring|fall"
    r"|autumn|and|to|class|around|between|copyright)|[(’'])[ -]?\Z",
    re.IGNORECASE,
)
PLURAL_AFTER = re.compile(
    r" (?:more |other |new |of |different )?(?:[a-z]{2,}(?<!s)s|people|men|women|children|percent)\b"
)


def _plain(match: re.Match[str]) -> str:
    """A number with nothing around it that tells its kind: four digits are a year unless things are counted."""
    written, text = match["number"], match.string
    sign = "minus " if match["sign"] else ""
    if len(written) == 4 and written.isdecimal() and "1000" < written < "2100" and not sign:
        before = text[max(0, match.start() - 12) : match.start()]
        if YEAR_BEFORE.search(before) or (
            written > "1099" and not PLURAL_AFTER.match(text[match.end() : match.end() + 40])
        ):
            return year(int(written))
    return sign + spoken(written)


SMALL_GREEK = {"σ": "sigma", "µ": "mu", "λ": "lambda", "θ": "theta"}


def _subsection(match: re.Match[str]) -> str:
    """ "12(b)(6)"; "401(k)" is a name."""
    number = match["n"]
    head = label_digits(number) if len(number) == 3 else spoken(number)
    said = [f"{head} {match['letter']}".strip()]
    for mark in re.findall(r"[A-Za-z\d]+", match["marks"]):
        roman = re.fullmatch(r"[ivx]{2,4}", mark) and re.fullmatch(NUMERAL, mark.upper())
        if mark.isdecimal() or roman:
            said.append(cardinal(int(mark) if mark.isdecimal() else value(mark.upper())))
        elif len(mark) > 2 or (re.search(r"[A-Za-z]", mark) and re.search(r"\d", mark)):
            raise UnspeakableError(mark)
        else:
            said.append(" ".join(mark))
    return " ".join(said)


def decade(match: re.Match[str]) -> str:
    number = int(match["decade"])
    century = f"{cardinal(number // 100)} " if number >= 100 else ""
    if number >= 100 and number % 1000 == 0:
        return plural(cardinal(number))
    return century + ("hundreds" if number % 100 == 0 and century else plural(cardinal(number % 100)))


VOWEL = re.compile("[AEIOUYaeiouy]")
COUNTED_BY_MILLIONS = (
    r"(?= (?:people|users|views|viewers|readers|copies|followers|subscribers|jobs|homes|customers|years|shares|"
    r"downloads|units|"
    r"members|visitors|barrels|acres|tons|tonnes|records|rows|tokens|parameters|lines|songs|cars|vehicles|cases|votes|"
    r"children|students|households|Americans|Britons|square)\b)"
)
NUMBER_RULES = (
    rule(rf"{START}(?P<n>{WHOLE})(?:st|nd|rd|th|ˢᵗ|ⁿᵈ|ʳᵈ|ᵗʰ)(?P<several>s?)\b",
         lambda m: _in_words(m["n"], ordinal) + m["several"]),
    rule(rf"{START}(?P<n>{NUMBER}) ?(?P<m>bn|mn|tn)\b", lambda m: f"{spoken(m['n'])} {MAGNITUDES[m['m']]}"),
    rule(rf"{START}(?P<n>{NUMBER})(?P<m>[kK])(?![\w(])",
         lambda m: None if m[0] in ("1k", "1K", "2K", "4K", "5K", "5k", "8K", "10K", "10k")
         and not re.match(r" (?:people|users|views|followers|words|steps)", m.string[m.end() : m.end() + 12])
         else f"{spoken(m['n'])} thousand"),
    rule(rf"{START}(?P<n>{NUMBER}) ?[mM]{COUNTED_BY_MILLIONS}", lambda m: f"{spoken(m['n'])} million"),
    rule(rf"{START}(?P<n>{NUMBER}) ?B(?= (?:people|users|views|parameters|tokens|stars|years)\b)",
         lambda m: f"{spoken(m['n'])} billion"),
    rule(rf"{START}(?P<n>{WHOLE}\.\d+|\.\d+) ?(?P<m>[BT])(?!\w)", lambda m: f"{spoken(m['n'])} {m['m']}"),
    rule(rf"{START}(?P<n>{NUMBER})[x×](?= (?:faster|slower|more|less|as|the|better|larger|smaller|bigger)\b|[ .,;!?)"
         rf"]|\Z)"
         r"(?! ?\d)(?! [-+=])",
         lambda match: f"{spoken(match['n'])} times"),
    rule(rf"{START}(?P<n>{WHOLE})\+(?![\w+])", lambda match: f"{spoken(match['n'])} plus"),
    rule(rf"(?<![\w.,])(?<![A-Za-z]-)(?P<sign>[-−](?=\.?\d))?(?P<number>{WHOLE}(?:\.\d+)?|\.\d+)(?!\w|\.\d|,\d)",
         _plain),
    rule(r"(?<![\w.,])(?P<n>[1-9]\d{0,3})(?P<letter>[A-Z]?)(?P<marks>(?:\([A-Za-z\d]{1,4}\)){1,6})(?!\w)",
        lambda m: _subsection(m)),
    rule(r"(?<![\w.,-])(?P<n>\d{1,3}(?:,000){1,2})s\b", lambda m: plural(cardinal(int(m["n"].replace(",",
        "")))).replace("one ", "", 1)),
    rule(rf"{START}(?P<n>{NUMBER})(?P<letter>[σµλθ])(?!\w)", lambda m: f"{spoken(m['n'])} {SMALL_GREEK[m['letter']]}"),
    rule(rf"{START}(?P<n>{WHOLE}\.\d+) ?[mM](?= [a-z]{{3,}}s\b)", lambda m: f"{spoken(m['n'])} million"),
    rule(r"(?<![\w.,-])(?P<a>\d)[-–](?P<b>\d) ?\((?P<c>\d{1,2})(?:[-–](?P<d>\d{1,2}))?\)(?!\w)",
         lambda m: f"{spoken(m['a'])} to {spoken(m['b'])}, {spoken(m['c'])}" + (f" to {spoken(m['d'])}" if m["d"]
         else "")),
    rule(rf"{START}(?P<a>{NUMBER})x? ?[-–] ?(?P<b>{NUMBER})x(?!\w)",
         lambda m: f"{spoken(m['a'])} to {spoken(m['b'])} x"),
    rule(r"(?<![\w.,-])100(?P<zeros>0?)s(?= of\b)", lambda m: "thousands" if m["zeros"] else "hundreds"),
    rule(r"(?<![\w/.])(?P<name>[A-Z]{2,6})/(?P<n>\d{1,2}(?:\.\d)?)(?![\w/]|\.\d)",
         lambda m: f"{m['name'] if VOWEL.search(m['name']) else ' '.join(m['name'])} {spoken(m['n'])}"),
    rule(r"(?<![\w.,-])(?P<n>\d{1,3})-(?P<unit>yr|year|mo|month|wk|week|day)s?\.?-old(?!\w)",
         lambda m: f"{spoken(m['n'])}-{ {'yr': 'year', 'mo': 'month', 'wk': 'week'}.get(m['unit'], m['unit'])}-old"),
    # A plural: "in his 20s" is a decade, "the 747s" are things.
    rule(r"(?<![\w.,-])(?P<n>\d{2,4})(?P<mark>[’']?)s\b", lambda m: plural(label_digits(m["n"]))),
    # Letters and digits in one word: 5G, A320, MP3, GPT-4, 221B, F-16s.
    rule(r"(?<![\w.,])(?=[A-Za-z-]{0,40}\d)[A-Za-z\d]{1,40}(?:-[A-Za-z\d]{1,40}){0,6}(?![\w@])(?!\.\w)",
         lambda match: label(match[0])),
    rule(r"(?<![\w.])(?P<minus>[-+]?)(?P<n>\d{1,4}\.\d{1,4})(?P<letters>[A-Za-z]{1,3})(?!\w)",
         lambda m: f"{ {'-': 'minus ', '+': 'plus '}.get(m['minus'], '')}{spoken(m['n'])} {m['letters']}"),
)  # fmt: skip
LABEL_PARTS = re.compile(r"\d+(?:st|nd|rd|th)(?![A-Za-z])|\d+|[A-Za-z]+|-")
PREFIXES = ("mid", "pre", "post", "late", "early", "non", "anti", "sub", "ex", "mini")


def label(written: str) -> str | None:
    """ "B2A23C" -> "B two A twenty three C": letters and digits that are one name."""
    parts = LABEL_PARTS.findall(written)
    if parts[0] in PREFIXES and parts[1:2] == ["-"]:
        return None
    if not any(part[0].isalpha() for part in parts):
        return None
    words: list[str] = []
    for place, part in enumerate(parts):
        before = parts[place - 1] if place else ""
        after = parts[place + 1] if place + 1 < len(parts) else ""
        if part == "-":
            # "covid-19-related" keeps its second hyphen, and GPT-4 has none to the ear.
            joins = after.islower() and len(after) > 2
            words.append("-" if joins else " ")
        elif part[0].isdecimal():
            if part[-1].isalpha():
                words.append(f" {ordinal(int(part[:-2]))}")
            elif not place and after == "-" and len("".join(parts[2:3])) > 2 and len(part) < 10:
                words.append(f" {spoken(part)}" if parts[place + 2].islower() else f" {label_digits(part)}")
            else:
                words.append(f" {label_digits(part)}")
        elif part == "s" and before.isdecimal() and len(before) > 1 and not after:
            words.append("\bs")
        else:
            words.append(f" {part if VOWEL.search(part) or part.islower() else ' '.join(part)}")
    said = " ".join("".join(words).split(" ")).strip()
    head, mark, _ = said.partition("\b")
    said = re.sub(r"\w+\Z", lambda m: plural(m[0]), head) if mark else said
    return re.sub(r"\s*-\s*", "-", re.sub(r"\s+", " ", said))


def _in_words(written: str, say: Callable[[int], str]) -> str:
    plain = written.replace(",", "")
    if len(plain) > 15:
        raise UnspeakableError(plain[:20])
    return say(int(plain))


def label_digits(written: str) -> str:
    """ "221" -> "two twenty one": a number that is a name."""
    if len(written) > 4 or written[0] == "0":
        return digits(written)
    if len(written) == 3 and written[1:] != "00":
        middle = "oh " if written[1] == "0" else ""
        return f"{cardinal(int(written[0]))} {middle}{cardinal(int(written[1:]))}"
    return year(int(written)) if len(written) == 4 else cardinal(int(written))


# Roman numerals -> English words, where what stands before says that they are numbers.

VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
NUMERAL = r"(?=[IVXLCDM]+\b)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
COUNTED = words_of(
    "Chapter Part Book Volume Section Act Scene Article Title Appendix Figure Table Plate Canto Stage Phase Type "
    "Class Grade Level Group Division Mark Unit Lesson Exercise Problem Theorem Amendment Annex Schedule Step "
    "Round Game Episode Season Saturn Apollo Gemini Rocky Rambo Opus War Bowl Olympiad Symphony Sonata Concerto "
    "Legion Count Exhibit Tier Class Wave Ring Tower Area Zone Factor Platform Vatican Titan Polaris Schedule "
    "CHAPTER PART BOOK VOLUME SECTION ACT SCENE ARTICLE"
)
REIGNED = words_of(
    "Henry Louis Charles Elizabeth George William James Edward Richard John Paul Pius Benedict Leo Catherine "
    "Peter Alexander Nicholas Frederick Philip Ferdinand Francis Napoleon Wilhelm Ivan Mary Ramesses Ramses "
    "Ptolemy Darius Xerxes Gregory Innocent Clement Urban Boniface Victor Margaret Harald Gustav Carl Christian "
    "Olaf Haakon Leopold Albert Rudolf Otto Maximilian Joseph Franz Mehmed Murad Selim Suleiman Robert David "
    "Kenneth Constantine Justinian Theodosius Artaxerxes Thutmose Amenhotep Mithridates Antiochus Cosimo "
    "Lorenzo Alfonso Sancho Pedro Manuel Afonso Stephen Casimir Sigismund Vladislaus Adrian Hadrian Julius Sixtus "
    "Martin Eugene Celestine Cleopatra Harold Alfred Edmund Baldwin Conrad Ludwig Umberto Basil Tiberius Abdullah "
    "Hussein Faisal Hassan Rama Eric Erik Canute Cnut Valdemar Magnus Nebuchadnezzar Seti Sargon Cyrus Shapur Alexius "
    "Isaac Michael Callixtus Paschal Honorius Andrew Ladislaus Matthias Wenceslaus Boris Menelik Montezuma Moctezuma "
    "Felipe Fernando Isabella Christina Matilda Wilhelmina Rainier Philippe Baudouin Bela Andronicus Emmanuel Ethelred"
)
NOT_NUMBERS = frozenset(("MIX", "DIM", "MM", "CD", "DC", "MD", "DI", "CV", "MC", "CC", "DM", "ID", "LCD", "DVD", "MI"))


def value(numeral: str) -> int:
    numbers = [VALUES[letter] for letter in numeral]
    return sum(-n if i + 1 < len(numbers) and n < numbers[i + 1] else n for i, n in enumerate(numbers))


def _counted(match: re.Match[str]) -> str:
    return f"{match['word']} {cardinal(value(match['numeral']))}"


def _reigned(match: re.Match[str]) -> str | None:
    numeral = match["numeral"]
    after = match.string[match.end() : match.end() + 12]
    if numeral == "I" and not re.match(
        r"(?:[’']s)?(?:[.,;:!?)]|\Z| (?:of|was|ruled|reigned|and|had|became|died|landed|won|lost|built|gave|"
        r"[a-z]{3,}ed)\b)",
        after,
    ):
        return None
    return f"{match['word']} the {ordinal(value(numeral))}"


def _small(match: re.Match[str]) -> str | None:
    numeral = match["numeral"].upper()
    if not re.fullmatch(NUMERAL, numeral) or numeral in ("X", "I"):
        return None
    return f"{match['word']} {cardinal(value(numeral))}"


def _century(match: re.Match[str]) -> str:
    return f"{ordinal(value(match['numeral']))} {match['noun']}"


def _sequel(match: re.Match[str]) -> str | None:
    numeral = match["numeral"]
    if numeral in NOT_NUMBERS or len(numeral) < 2 or set(numeral) - set("IVX"):
        return None
    return f"{match['word']} {cardinal(value(numeral))}"


LIST = r"(?P<more>(?:,? ?(?:and|or|to|–|-|&|,) ?[IVX]{1,6}\b){0,5})"
ROMAN_RULES = (
    rule(rf"\b(?P<word>(?:{one_of(COUNTED)})s?|(?:chapter|part|book|volume|section|act|scene|phase|type|stage|article"
         rf"|appendix))"
         rf" (?P<numeral>{NUMERAL})\b(?!['’-]?\w){LIST}",
         lambda m: _counted(m) + re.sub(r"[IVX]+", lambda n: cardinal(value(n[0])), re.sub(r" ?[-–] ?", " to ",
         m["more"]))),
    rule(r"\b(?P<word>(?i:scene|part|section|chapter|act|pages?|article|paragraph|book|volume)) (?P<numeral>[ivx]{1,6})"
         r"\b(?!['’-]?\w)", lambda m: _small(m)),
    rule(r"\b(?P<word>[Ss]tage|[Tt]ype|[Cc]lass|[Gg]rade|[Pp]hase) (?P<numeral>[IVX]{1,4})(?P<letter>[A-Ea-e])(?!['’"
         r"-]?\w)",
         lambda m: f"{m['word']} {cardinal(value(m['numeral']))} {m['letter'].upper()}"
         if re.fullmatch(NUMERAL, m["numeral"]) else None),
    rule(rf"\b(?P<word>{one_of(REIGNED)}) (?P<numeral>{NUMERAL})\b", _reigned),
    rule(r"\b(?P<numeral>[IVX]{1,5})(?:st|nd|rd|th|e)? (?P<noun>century|centuries|dynasty|legion)\b", _century),
    rule(r"\b(?P<word>[A-Z][a-z]+) (?P<numeral>[IVX]{2,6})\b(?!['’-]?\w)",
         lambda m: _sequel(m) if re.fullmatch(NUMERAL, m["numeral"]) else None),
    rule(rf"\A(?P<numeral>{NUMERAL})\.(?=\s*\Z|\s+[A-Z“\"])",
         lambda m: f"{cardinal(value(m['numeral'])).capitalize()}." if m["numeral"] not in ("C", "D", "M",
         "L") else None),
    rule(r"\A(?P<numeral>[IVX]{1,6})\Z", lambda m: cardinal(value(m["numeral"])) if re.fullmatch(NUMERAL,
         m[0]) else None),
)  # fmt: skip


# Fractions, ratios, scores, ranges and arithmetic -> English words.

VULGAR = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5),
          "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8)}  # fmt: skip
FIXED = {"24/7": "twenty four seven", "9/11": "nine eleven", "10/10": "ten out of ten", "50/50": "fifty fifty",
    "50-50": "fifty fifty",
         "20/20": "twenty twenty", "360°": "three hundred sixty degrees"}  # fmt: skip
SIGNS = {"+": "plus", "×": "times", "·": "times", "*": "times", "÷": "divided by", "=": "equals", "==": "equals",
         "<": "is less than", ">": "is greater than", "≤": "is at most", "<=": "is at most", "≥": "is at least",
         ">=": "is at least", "≠": "is not equal to", "!=": "is not equal to", "≈": "is about", "±": "plus or minus",
         "−": "minus", "-": "minus", "/": "divided by", "→": "to", "->": "to", "%": "modulo"}  # fmt: skip
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
POWERS = {"2": "squared", "3": "cubed"}


def fraction(top: int, bottom: int) -> str:
    if bottom == 2:
        part = "half" if top == 1 else "halves"
    elif bottom == 4:
        part = "quarter" if top == 1 else "quarters"
    elif bottom > 20 and bottom % 10 and bottom != 100:
        return f"{cardinal(top)} over {cardinal(bottom)}"
    else:
        part = ordinal(bottom) + ("" if top == 1 else "s")
    return f"{cardinal(top)} {part}"


def mixed(whole: str | None, top: int, bottom: int) -> str:
    if not whole:
        return fraction(top, bottom)
    part = fraction(top, bottom).replace("one ", "a ", 1) if top == 1 and bottom in (2, 3, 4) else fraction(top, bottom)
    return f"{spoken(whole)} and {part}"


def _fraction(match: re.Match[str]) -> str | None:
    top, bottom = int(match["top"]), int(match["bottom"])
    if re.fullmatch(r"(?:19|20)\d\d", match["top"]) and bottom in ((top + 1) % 100, top + 1) and not match["whole"]:
        return f"{year(top)} {year(bottom) if bottom > 99 else cardinal(bottom)}"  # a season
    if bottom < 2 or (top > bottom and bottom > 16):
        return None
    if match["end"] and bottom > 20:
        return f"{cardinal(top)} {ordinal(bottom)}{'' if top == 1 else 's'}"
    return mixed(match["whole"], top, bottom)


def _power(match: re.Match[str]) -> str:
    exponent = match["power"].translate(SUPERSCRIPTS).replace("−", "-")
    sign, number = ("minus ", exponent[1:]) if exponent.startswith("-") else ("", exponent)
    words = POWERS.get(exponent)
    if words is None:
        words = f"to the power of {sign}{cardinal(int(number)) if number.isdecimal() else number}"
    base = match["base"] if match["base"].isalpha() else spoken(match["base"].rstrip(".,"))
    return f"{base} {words}"


def _ten_to_the(written: str) -> str:
    exponent = written.translate(SUPERSCRIPTS).replace("⁺", "").lstrip("+")
    sign, number = ("minus ", exponent[1:]) if exponent.startswith("-") else ("", exponent)
    return f"ten to the power of {sign}{cardinal(int(number))}"


def _year_or_number(written: str) -> str:
    return year(int(written)) if re.fullmatch(r"1[1-9]\d\d|20\d\d", written) else spoken(written)


BIBLE = words_of(
    "Genesis Exodus Leviticus Numbers Deuteronomy Joshua Judges Ruth Samuel Kings Chronicles Ezra Nehemiah Esther Job "
    "Psalm Psalms Proverbs Ecclesiastes Isaiah Jeremiah Lamentations Ezekiel Daniel Hosea Joel Amos Jonah Micah "
    "Habakkuk Zechariah Malachi Matthew Mark Luke John Acts Romans Corinthians Galatians Ephesians Philippians "
    "Colossians Thessalonians Timothy Titus Hebrews James Peter Jude Revelation Quran Surah Sura"
)
OPERAND = r"(?:[A-Za-zπ]|\d)"
MATHS_RULES = (
    rule(
        rf"(?<![\w.,])(?P<n>{NUMBER})[eE](?P<sign>[+-]?)(?P<power>\d{{1,3}})(?!\w)",
        lambda m: (
            f"{spoken(m['n'])} times ten to the power of "
            f"{'minus ' if m['sign'] == '-' else ''}{cardinal(int(m['power']))}"
        ),
    ),
    rule(rf"(?<![\w/.]){one_of(FIXED).join(('(?:', ')'))}(?![\w/])", lambda match: FIXED[match[0]]),
    rule(rf"(?<![\w.,])(?P<whole>\d{{1,9}})? ?(?P<sign>[{''.join(VULGAR)}])",
         lambda match: f"{mixed(match['whole'], *VULGAR[match['sign']])}"),
    rule(r"(?<![\w./-])(?:(?P<whole>\d{1,9})[ -])?(?P<top>\d{1,9})/(?P<bottom>\d{1,9})(?P<end>(?:ths?|rds?|nds?|"
         r"st)?)(?![\w/])"
         r"(?!\.\d)",
         _fraction),
    rule(r"(?<![\w.,])(?P<base>[A-Za-z]{1,3}|\d{1,15}(?:\.\d{1,9})?)(?P<power>[⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4})", _power),
    rule(r"(?<!\w)(?P<base>[A-Za-z]|\d{1,15}(?:\.\d{1,9})?) ?\^ ?\(?(?P<power>[-−]?\d{1,4}|[a-z])\)?", _power),
    rule(rf"√ ?\(?(?P<n>{NUMBER}|[a-z])\)?",
         lambda m: f"the square root of {m['n'] if m['n'].isalpha() else spoken(m['n'])}"),
    rule(r"(?<=\b[Ii]n )(?P<m>\d{2}):(?P<s>[0-5]\d)(?![\w:]|\.\d)|(?<=\btime of )(?P<k>\d{2}):(?P<l>[0-5]\d)(?!"
         r"[\w:]|\.\d)",
         lambda m: f"{spoken(m['m'] or m['k'])} {_seconds(m['s'] or m['l'])}"),
    rule(rf"\b(?P<book>(?:[123] )?(?:{one_of(BIBLE)})) (?P<c>\d{{1,3}}):(?P<v>\d{{1,3}})(?:[-–](?P<w>\d{{1,3}}))?(?!"
         rf"[\w:])",
         lambda m: f"{_book(m['book'])} {spoken(m['c'])} {spoken(m['v'])}" + (f" to {spoken(m['w'])}" if m["w"]
         else "")),
    rule(r"(?<![\w.,:])(?P<m>\d{1,2}):(?P<s>[0-5]\d)\.(?P<part>\d{1,3})(?!\w|[.:]\d)",
         lambda m: f"{spoken(m['m'])} {_seconds(m['s'])} point {digits(m['part'])}"),
    rule(rf"{START}(?P<a>\d+\.\d+):(?P<b>\d{{1,3}})(?![\w:])(?!\.\d)|{START}(?P<c>\d{{1,3}}):(?P<d>\d{{4,6}}|"
         rf"\d{{1,3}}(?:,\d{{3}})+)(?![\w:])(?!\.\d)",
         lambda m: f"{spoken(m['a'] or m['c'])} to {spoken(m['b'] or m['d'])}"),
    rule(rf"{START}(?P<a>\d{{1,3}}):(?P<b>\d{{1,3}})(?![\w:])(?!\.\d)",
         lambda m: f"{spoken(m['a'])} to {spoken(m['b'])}"),
    rule(rf"{START}(?P<a>{NUMBER}) ?[x×] ?(?P<b>{NUMBER})(?: ?[x×] ?(?P<c>{NUMBER}))?(?=(?P<tight>))(?![\w])",
         lambda m: _by(m)),
    rule(rf"{START}(?P<a>{NUMBER}) ?[-–] ?(?P<b>{NUMBER})(?= ?(?:=|equals))",
         lambda m: f"{spoken(m['a'])} minus {spoken(m['b'])}"),
    rule(rf"{START}(?P<a>{NUMBER}) [-−] (?P<b>{NUMBER})(?![\w-])",
         lambda m: f"{spoken(m['a'])} minus {spoken(m['b'])}"),
    rule(rf"(?<![\w.,/–-])(?P<a>{NUMBER})(?P<mark> ?– ?|-)(?P<b>{NUMBER})(?![\w–-])(?!\.\d)",
         lambda m: f"{_year_or_number(m['a'])} to {_year_or_number(m['b'])}"),
    rule(rf"(?<=[A-Za-zπ\d)²³]) ?(?P<sign>==|<=|>=|!=|->|[+×·÷=<>≤≥≠≈±−→]|(?<=[\d ])\*(?=[\d ])) ?(?={OPERAND}|\("
         rf"|[-−√$])",
         lambda m: _compared(m)),
    rule(r"(?<=[A-Za-zπ\d)]) (?P<sign>[-/%]) (?=\d|[A-Za-z]\b|\()", lambda m: _spaced_sign(m)),
    rule(
        rf"{START}(?P<n>{NUMBER}) ?[x×·*] ?10(?:\^(?P<power>[-+]?\d{{1,3}})|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}}))"
            rf"(?:/(?P<per>L|l|mL|µL|m))?(?!\w)",
        lambda m: f"{spoken(m['n'])} times {_ten_to_the(m['power'] or m['raised'])}"
        + (f" per { {'mL': 'milliliter', 'µL': 'microliter', 'm': 'meter'}.get(m['per'], 'liter')}" if m["per"]
            else ""),
    ),
    rule(rf"(?<![\w.])(?P<name>[A-Za-z]{{1,20}})=(?P<n>-?{NUMBER})(?P<unit>(?:ms|s|m|h|GB|MB)?)(?![\w=]|\.\d)",
         lambda m: f"{m['name']} equals {'minus ' if m['n'][0] == '-' else ''}{spoken(m['n'].lstrip('-'))} "
         f"{' '.join(m['unit']) if m['unit'] else ''}".rstrip()),
    rule(r"π", "pi"),
    rule(r"∞", "infinity"),
    rule(r"(?<!\w)[±](?=\d)", "plus or minus "),
    rule(r"(?<![\w)])[~≈] ?(?=\$?\d)", "about "),
    rule(r"(?<![\w<])< ?(?=\d)", "less than "),
    rule(r"(?<![\w>-])> ?(?=\d)", "more than "),
    rule(r"(?<!\w)≥ ?(?=\d)", "at least "),
    rule(r"(?<!\w)≤ ?(?=\d)", "at most "),
)  # fmt: skip


def _compared(match: re.Match[str]) -> str:
    """Behind a word a comparison is no sentence: "Python at least three"."""
    said = SIGNS[match["sign"]]
    word = re.search(r"[A-Za-z]{3,20}\Z", match.string[max(0, match.start() - 20) : match.start()])
    return f" {said.removeprefix('is ') if word else said} "


def _seconds(written: str) -> str:
    return f"oh {spoken(written[1])}" if written[0] == "0" and written != "00" else spoken(written.lstrip("0") or "0")


def _book(name: str) -> str:
    """ "1 Corinthians" is the first of two letters."""
    return f"{('First', 'Second', 'Third')[int(name[0]) - 1]} {name[2:]}" if name[0].isdecimal() else name


def _by(match: re.Match[str]) -> str:
    """Sizes are "by", sums with an equals sign or a plus are "times"."""
    around = match.string[max(0, match.start() - 6) : match.start()] + match.string[match.end() : match.end() + 4]
    word = "times" if "×" in match[0] or re.search(r"[=+÷^]|equals|plus|minus", around) else "by"
    return f" {word} ".join(spoken(part) for part in (match["a"], match["b"], match["c"]) if part)


def _spaced_sign(match: re.Match[str]) -> str | None:
    """A dash between words is a dash; between two operands of a sum it is a minus."""
    before = match.string[max(0, match.start() - 2) : match.start()]
    if match["sign"] == "-" and not (before[-1].isdigit() or before[0].isdigit() or not before[:1].isalnum()):
        return None
    return f" {SIGNS[match['sign']]} "
