"""Fractions, ratios, verses, ranges and arithmetic -> English words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.numbers import NUMBER, START, cardinal, digits, label_digits, ordinal, spoken, year
from mlx_tts.text.normalise.engine import one_of, rule, text_after, text_before, words_of

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
    if top + bottom == 100 and not match["whole"] and top > bottom:
        return f"{cardinal(top)} {cardinal(bottom)}"  # a share of two
    if match["whole"] is None and bottom > 20 and re.search(r"\b[A-Z]{2,}[ -]\Z", text_before(match, 12)):
        return f"{_numbered(match['top'])} slash {_numbered(match['bottom'])}"  # "VAX 11/780"
    if not match["whole"] and not match["end"] and (999 < bottom < 10_000 or NUMBERED.search(text_before(match, 12))):
        if top < 100 and bottom > 999 and bottom % 1000 == 0:
            return f"{cardinal(top)} {ordinal(bottom)}{'' if top == 1 else 's'}"
        return f"{_numbered(match['top'])} slash {_numbered(match['bottom'])}"
    if bottom < 2 or (top > bottom and bottom > 16):
        return None
    if match["end"] and bottom > 20:
        return f"{cardinal(top)} {ordinal(bottom)}{'' if top == 1 else 's'}"
    return ("minus " if match["minus"] else "") + mixed(match["whole"], top, bottom)


NUMBERED = re.compile(
    r"(?i)\b(?:no|nos|number|ref|reference|invoice|order|case|cat|file|claim|policy)\b[.:]? ?#?\Z|#\Z"
)


def _numbered(written: str) -> str:
    """A part of a number that counts nothing: "cat. no. 482/7719"."""
    return cardinal(int(written)) if len(written) < 3 and written[0] != "0" else label_digits(written)


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
SHORT_BOOKS = {
    "Gen": "Genesis", "Exod": "Exodus", "Lev": "Leviticus", "Num": "Numbers", "Deut": "Deuteronomy", "Josh": "Joshua",
    "Judg": "Judges", "Sam": "Samuel", "Kgs": "Kings", "Chron": "Chronicles", "Chr": "Chronicles", "Neh": "Nehemiah",
    "Ps": "Psalm", "Prov": "Proverbs", "Eccl": "Ecclesiastes", "Isa": "Isaiah", "Jer": "Jeremiah",
    "Lam": "Lamentations", "Ezek": "Ezekiel", "Dan": "Daniel", "Hos": "Hosea", "Mic": "Micah", "Zech": "Zechariah",
    "Mal": "Malachi", "Matt": "Matthew", "Mt": "Matthew", "Mk": "Mark", "Lk": "Luke", "Jn": "John", "Rom": "Romans",
    "Cor": "Corinthians", "Gal": "Galatians", "Eph": "Ephesians", "Phil": "Philippians", "Col": "Colossians",
    "Thess": "Thessalonians", "Tim": "Timothy", "Heb": "Hebrews", "Jas": "James", "Pet": "Peter", "Rev": "Revelation",
}  # fmt: skip
# Behind a power of ten.
UNITS = {"m": "meters", "km": "kilometers", "cm": "centimeters", "mm": "millimeters", "kg": "kilograms", "g": "grams",
"mg": "milligrams",
         "s": "seconds", "mbar": "millibars",
             "bar": "bars", "ms": "milliseconds", "Pa": "pascals", "J": "joules", "K": "kelvins", "Hz": "hertz",
             "W": "watts", "V": "volts",
         "m/s": "meters per second", "C": "coulombs", "N": "newtons", "mol": "moles", "eV": "electronvolts",
         "T": "teslas",
         "A": "amps", "L": "liters", "years": "years"}  # fmt: skip
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
    rule(rf"(?<![\w.,])(?:(?P<whole>\d{{1,9}}) ?)?(?P<sign>[{''.join(VULGAR)}])",
         lambda match: f"{mixed(match['whole'], *VULGAR[match['sign']])}"),
    rule(r"(?<![\w./-])(?P<minus>[-−](?=\d))?(?:(?P<whole>\d{1,9})[ -])?(?P<top>\d{1,9})/(?P<bottom>\d{1,9})(?P<end>("
    r"?:ths?|rds?|nds?|"
         r"st)?)(?![\w/])"
         r"(?!\.\d)",
         _fraction),
    rule(r"(?<![\w.,])(?P<n>\d{1,4})(?P<base>[xyzn])(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4})(?!\w)",
         lambda m: f"{spoken(m['n'])} {_power(m)}"),
    rule(r"(?<![\w.,])(?P<base>[A-Za-z]{1,3}|\d{1,15}(?:\.\d{1,9})?)(?P<power>[⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4})", _power),
    rule(r"(?<!\w)(?P<base>[A-Za-z]|\d{1,15}(?:\.\d{1,9})?) ?\^ ?\(?(?P<power>[-−]?\d{1,4}|[a-z])\)?", _power),
    rule(rf"√ ?\(?(?P<n>{NUMBER}|[a-z])\)?",
         lambda m: f"the square root of {m['n'] if m['n'].isalpha() else spoken(m['n'])}"),
    rule(r"(?:(?<=\b[Ii]n )|(?<=\bplayed ))(?P<m>\d{2}):(?P<s>[0-5]\d)(?![\w:]|\.\d)"
         r"|(?:(?<=\btime of )|(?<=\bpossession was )"
        r"|(?<=\bpossession: )|(?<=\bpossession of ))(?P<k>\d{2}):(?P<l>[0-5]\d)(?!"
         r"[\w:]|\.\d)",
         lambda m: f"{spoken(m['m'] or m['k'])} {_seconds(m['s'] or m['l'])}"),
    rule(rf"\b(?P<book>(?:[123] )?(?:{one_of(BIBLE)})) (?P<c>\d{{1,3}}):(?P<v>\d{{1,3}})(?:[-–](?P<w>\d{{1,3}}))?(?!"
         rf"[\w:])",
         lambda m: f"{_book(m['book'])} {spoken(m['c'])} {spoken(m['v'])}" + (f" to {spoken(m['w'])}" if m["w"]
         else "")),
    rule(rf"\b(?P<of>[123] )?(?P<book>{one_of(SHORT_BOOKS)})\.? (?P<c>\d{{1,3}}):(?P<v>\d{{1,3}})"
         rf"(?:[-–](?P<w>\d{{1,3}}))?(?![\w:])",
         lambda m: f"{_book((m['of'] or '') + SHORT_BOOKS[m['book']])} {spoken(m['c'])} {spoken(m['v'])}"
         + (f" to {spoken(m['w'])}" if m["w"] else "")),
    rule(r"(?<![\w.,-])(?P<of>[123] )(?P<book>Sam|Kgs|Chron|Chr|Cor|Thess|Tim|Pet|Jn)\. (?P<c>\d{1,3})(?![\w:]|[.,]\d)",
         lambda m: f"{_book(m['of'] + SHORT_BOOKS[m['book']])} {spoken(m['c'])}"),
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
    rule(rf"(?<![\w.,/–-])(?P<a>{NUMBER})(?P<mark> ?– ?|--?)(?P<b>{NUMBER})(?![\w–-])(?!\.\d)",
         lambda m: f"{_year_or_number(m['a'])} to {_year_or_number(m['b'])}"),
    rule(rf"(?<=[A-Za-zπ\d)²³]) ?(?P<sign>==|<=|>=|!=|->|[+×·÷=<>≤≥≠≈±−→]|(?<=[\d ])\*(?=[\d ])) ?(?={OPERAND}|\("
         rf"|[-−√$])",
         lambda m: _compared(m)),
    rule(r"(?<=[A-Za-zπ\d)²³]) (?P<sign>[-−/%]) (?=\d|[A-Za-z]\b|\()", lambda m: _spaced_sign(m)),
    rule(
        rf"{START}(?:(?P<n>{NUMBER}) ?[x×·*] ?)?10(?:\^(?P<power>[-+]?\d{{1,3}})|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}})"
        rf"|(?:(?<=[x×·] 10)|(?<=[x×·]10))(?P<plain>-\d{{1,2}})(?!\d)|(?P<minus>⁻\d{{1,2}})(?!\d))"
            rf"(?:/(?P<per>L|l|mL|µL|m)| ?(?P<unit>{one_of(UNITS)}))?(?!\w)",
        lambda m: (f"{spoken(m['n'])} times " if m["n"] else "") + _ten_to_the(m['power'] or m['raised']
        or m['plain'] or m['minus'])
        + (f" {UNITS[m['unit']]}" if m["unit"] else "")
        + (f" per { {'mL': 'milliliter', 'µL': 'microliter', 'm': 'meter'}.get(m['per'], 'liter')}" if m["per"]
            else ""),
    ),
    rule(rf"(?<![\w.])(?P<name>[A-Za-z]{{1,20}})=(?P<n>-?{NUMBER})(?P<unit>(?:ms|s|m|h|GB|MB)?)(?![\w=]|\.\d)",
         lambda m: f"{m['name']} equals {'minus ' if m['n'][0] == '-' else ''}{spoken(m['n'].lstrip('-'))} "
         f"{' '.join(m['unit']) if m['unit'] else ''}".rstrip()),
    rule(r"(?<![\w.,])(?P<n>\d{1,4})\((?P<inside>[a-z](?: ?[-+] ?[a-z\d]){1,4})\)(?![\w(])",
         lambda m: f"{spoken(m['n'])} times " + re.sub(r" ?([-+]) ?", lambda s: f" {SIGNS[s[1]]} ",
             _numbers_in(m["inside"]))),
    rule(r"(?<![\u0300-\u03ff\u1f00-\u1fff])π(?![\u0300-\u03ff\u1f00-\u1fff])", "pi"),  # no letter of a Greek word
    rule(r"∞", "infinity"),
    rule(r"(?<!\w)(?:±|\+/- ?)(?=\d)", "plus or minus "),
    rule(r"(?<![\w)])[~≈] ?(?=\$?\d)", "about "),
    rule(r"(?<![\w<])< ?(?=\d)", "less than "),
    rule(r"(?<![\w>-])> ?(?=\d)", "more than "),
    rule(r"(?<!\w)≥ ?(?=\d)", "at least "),
    rule(r"(?<!\w)≤ ?(?=\d)", "at most "),
)  # fmt: skip


def _numbers_in(written: str) -> str:
    return re.sub(r"\d+", lambda number: spoken(number[0]), written)


def _compared(match: re.Match[str]) -> str | None:
    """Behind a word a comparison does not make a sentence: "Python at least three"."""
    said = SIGNS[match["sign"]]
    if match["sign"] == "*" and re.search(r"[A-Za-z]{2}\Z", text_before(match, 2)):
        return None  # a star behind a word begins an item
    word = re.search(r"[A-Za-z]{3,20}\Z|\b(?:in|to|of|by|at|or|if|on|is)\Z", text_before(match, 20))
    return f" {said.removeprefix('is ') if word else said} "


def _seconds(written: str) -> str:
    return f"oh {spoken(written[1])}" if written[0] == "0" and written != "00" else spoken(written.lstrip("0") or "0")


def _book(name: str) -> str:
    """ "1 Corinthians" is the first of two letters."""
    return f"{('First', 'Second', 'Third')[int(name[0]) - 1]} {name[2:]}" if name[0].isdecimal() else name


def _by(match: re.Match[str]) -> str:
    """Sizes are "by", sums with an equals sign or a plus are "times"."""
    around = text_before(match, 6) + text_after(match, 4)
    word = "times" if "×" in match[0] or re.search(r"[=+÷^]|equals|plus|minus", around) else "by"
    return f" {word} ".join(spoken(part) for part in (match["a"], match["b"], match["c"]) if part)


def _spaced_sign(match: re.Match[str]) -> str | None:
    """A dash between words is a dash; between two operands of a sum it is a minus."""
    before = text_before(match, 2)
    if match["sign"] in "-−" and not (before[-1].isdigit() or before[0].isdigit() or not before[:1].isalnum()):
        return None
    return f" {SIGNS[match['sign']]} "
