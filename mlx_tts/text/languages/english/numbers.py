"""Numbers and Roman numerals -> English words."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextvars import ContextVar

from mlx_tts.text.normalise.engine import UnspeakableError, mentions, one_of, rule, text_after, text_before, words_of
from mlx_tts.text.normalise.number_words import number_words
from mlx_tts.text.roman import value

LARGER = words_of("quadrillion quintillion sextillion septillion")  # where the library's rules end
MOST_DIGITS = 27  # longer ones are read digit by digit
BRITISH: ContextVar[bool] = ContextVar("british", default=False)  # whether a text is read as in Britain
# What only texts of Britain and Ireland have, and what only those of America have.
FROM_BRITAIN = re.compile(
    r"£|\.(?:co|gov|ac|org|nhs)\.uk\b|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b"
    r"|\b(?:NHS|HMRC|Ofsted|postcode|GP surgery|bank hols?|QDS|TDS|A&E|pcm|INSET|half-term|WCC|U&Es?|TCI|MOT"
    r"|GMT|BST|(?:[Cc]olour|[Ff]avour|[Nn]eighbour|[Hh]onour)\w*|whilst|fortnight\w*|tyres?|kerb|cheques?|Cllr"
    r"|solicitors?"
    r"|(?:[Oo]rgan|[Rr]eal|[Rr]ecogn|[Aa]polog)is(?:e|ed|es|ing|ation)|Tesco|Sainsbury['’]s|Waitrose|[Mm]um)\b"
    r"|\b0\d{3,4} \d{3} \d{3,4}\b|(?<![\d/])(?:1[3-9]|2\d|3[01])/(?:0?[1-9]|1[0-2])/(?:20)?\d\d(?![\d/])"
    r"|\b(?:on|by|until|from|before|after|dated|due) (?:1[3-9]|2\d|3[01])/(?:0?[1-9]|1[0-2])(?![\d/])"
)
FROM_AMERICA = re.compile(r"\$|\b(?:ZIP|IRS|[A-Z]{2} \d{5})\b")


def day_first(text: str) -> bool:
    """Whether 1/4 is in April: asked for by the variant, or said by what else stands in the text."""
    return BRITISH.get() or (mentions(FROM_BRITAIN, text) and not mentions(FROM_AMERICA, text))


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


COUNTS = re.compile(
    r"\b(?:volumes?|circulation|audiences?|populations?|users|viewers|viewership|views|subscribers|followers|sales"
    r"|downloads|shares|copies|turnover|readership|attendance|held|home to|some|visitors|members)"
    r"(?: (?:of|at|to|reached|hit|was|were|is|rose to|fell to|about|around|over|nearly|almost)){0,2} \Z"
)
WAITED = re.compile(
    r"\b(?:after|within|every|takes|took|waits?|waited|timeout(?: of)?|lasts?|lasted|than|runs? for|holds? for|for) \Z"
)


LIVES = re.compile(
    r" (?:[A-Z][a-z]+ )?(?:people|lives|users|views|viewers|jobs|homes|votes|children|women|men|workers|voters|patients"
    r"|soldiers|deaths|Britons|Americans|customers|households|copies|barrels)\b"
)


COUNTED_THINGS = re.compile(
    r" (?:(?:more|others|fewer) (?:will|would|are|were|have|had|people|could|may)\b|(?:(?:new|more|active|daily"
    r"|monthly|registered|paying|metric|extra) )?(?:visitors|tourists|passengers|pupils|tons?|tonnes|barrels|years"
    r"|copies|shares|downloads|units|tokens|households|cars|vehicles|acres|litres|liters|doses|doors|euros|dollars"
    r"|pounds|francs|marks|lire|kroner|rubles|guilders|crowns|yuan|pesos|yen|rupees)\b)"
)


def counts_millions(match: re.Match[str]) -> bool:
    """ "on volume of 3.1m": what stands before counts people or things, and m is no length."""
    before = text_before(match, 40)
    end = match.end()
    return any((COUNTS.search(before), LIVES.match(match.string, end), COUNTED_THINGS.match(match.string, end)))


FROM_TO = re.compile(r"\b(?:from|to|in|by|at|under|only|about|around) \Z")


def in_seconds(match: re.Match[str]) -> bool:
    """ "returns 502 after 30s" is no decade, and "from 94s to 41.5s" none either: no decade ends in a four."""
    number = re.match(r"\d+", match[0])
    odd = number is not None and len(number[0]) < 4 and number[0][-1] != "0"
    return WAITED.search(text_before(match, 16)) is not None or (
        odd and FROM_TO.search(text_before(match, 16)) is not None
    )


def decade(match: re.Match[str]) -> str | None:
    if len(match["decade"]) == 2 and match[0][-2:-1].isdigit() and match[0][0].isdigit() and in_seconds(match):
        return None
    number = int(match["decade"])
    century = f"{cardinal(number // 100)} " if number >= 100 else ""
    if number >= 100 and number % 1000 == 0:
        return plural(cardinal(number))
    return century + ("hundreds" if number % 100 == 0 and century else plural(cardinal(number % 100)))


VOWEL = re.compile("[AEIOUYaeiouy]")
COUNTED_BY_MILLIONS = (
    r"(?=\+? (?:(?:in|of) (?:funding|revenue|sales|damages?|aid|grants?|cash|debt|losses|savings|profits?|assets)"
    r"|(?:dollars|euros|pounds|yen|rupees|francs|marks|lire|kroner|rubles|guilders|crowns|yuan|won|pesos|zloty)\b)"
    r"|\+? (?:(?!and|or|in|at|on|to|for|from)[a-z-]+ ){0,2}"
    r"(?:people|users|views|viewers|readers|copies|followers|subscribers|jobs|homes|customers|years|shares|"
    r"downloads|units|members|visitors|barrels|acres|lbs?|tons|tonnes|records|rows|tokens|parameters|lines|songs|cars|"
    r"vehicles|cases|votes|children|students|households|Americans|Britons|square)\b)"
)
NUMBER_RULES = (
    rule(rf"{START}(?P<n>{WHOLE})(?:st|nd|rd|th|ˢᵗ|ⁿᵈ|ʳᵈ|ᵗʰ)(?P<several>s?)\b",
         lambda m: _in_words(m["n"], ordinal) + m["several"]),
    rule(r"(?<![\w.,/-])(?P<n>\d{1,3}(?: \d{3})* 000)(?![\w/-]|[.,]?\d| \d)", lambda m: spoken(m["n"].replace(" ",
        ""))),
    rule(rf"{START}(?P<n>{NUMBER}) ?(?P<m>bn|mn|tn)\b", lambda m: f"{spoken(m['n'])} {MAGNITUDES[m['m']]}"),
    rule(rf"{START}(?P<n>{NUMBER})(?P<m>[kK])(?![\w(])",
         lambda m: None if m[0] in ("1k", "1K", "2K", "4K", "5K", "5k", "8K", "10K", "10k")
         and not re.match(r" (?:people|users|views|followers|words|steps)", text_after(m, 12))
         else f"{spoken(m['n'])} thousand"),
    rule(rf"{START}(?P<n>{NUMBER}) ?[mM](?:{COUNTED_BY_MILLIONS})(?P<more>\+?)",
         lambda m: f"{spoken(m['n'])} million{' plus' if m['more'] else ''}"),
    rule(rf"{START}(?P<n>{NUMBER}) ?m(?![\w²³/])",
         lambda m: f"{spoken(m['n'])} million" if counts_millions(m) else None),
    rule(r"(?<![\w.,'’])(?P<n>\d{1,3})\+(?P<more>\d{1,2})[’'′](?!\w)",
         lambda m: f"{spoken(m['n'])} plus {spoken(m['more'])} minute"),
    rule(r"(?<![\w.,-])(?P<n>[2-9])x (?=[A-Z]{2}|[A-Z][a-z]+\w*s\b)", lambda m: f"{spoken(m['n'])} "),
    rule(rf"{START}(?P<n>{NUMBER}) ?B(?= (?:people|users|views|parameters|tokens|stars|years)\b)",
         lambda m: f"{spoken(m['n'])} billion"),
    rule(rf"{START}(?P<n>{WHOLE}\.\d+|\.\d+) ?(?P<m>[BT])(?!\w)", lambda m: f"{spoken(m['n'])} {m['m']}"),
    rule(rf"{START}(?P<n>{NUMBER})[x×](?= (?:faster|slower|more|less|as|the|better|larger|smaller|bigger)\b|[ .,;!?)"
         rf"]|\Z)"
         r"(?! ?\d)(?! [-+=])",
         lambda match: f"{spoken(match['n'])} times"),
    rule(rf"{START}(?P<n>{WHOLE})\+(?![\w+])", lambda match: f"{spoken(match['n'])} plus"),
    rule(r"(?<=[\s(][’'‘])0(?P<n>\d)(?![\w'’])", lambda m: f"oh {cardinal(int(m['n']))}" if m["n"] != "0" else "oh oh"),
    rule(r"(?<!\w)[’'‘]00[’']?s\b", "two thousands"),
    rule(rf"(?<![\w.,])(?<![A-Za-z]-)(?P<sign>(?<![?)\]-])[-−](?=\.?\d))?(?P<number>{WHOLE}(?:\.\d+)?"
        rf"|\.\d+)(?!\w|\.\d|,\d)",
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
         lambda m: f"{spoken(m['a'])} to {spoken(m['b'])} "
         + ("times" if re.match(" (?:faster|slower|more|less|as|the|better|larger|smaller|bigger|higher|longer)\\b",
         text_after(m, 40)) else "x")),
    rule(r"(?<![\w.,-])100(?P<zeros>0?)s(?= of\b)", lambda m: "thousands" if m["zeros"] else "hundreds"),
    rule(r"(?<![\w/.])(?P<name>[A-Z]{2,6})/(?P<n>\d{1,2}(?:\.\d)?)(?![\w/]|\.\d)",
         lambda m: f"{m['name'] if VOWEL.search(m['name']) else ' '.join(m['name'])} {spoken(m['n'])}"),
    rule(r"(?<![\w.,-])(?P<n>\d{1,3})-(?P<unit>yr|year|mo|month|wk|week|day)s?\.?-old(?!\w)",
         lambda m: f"{spoken(m['n'])}-{ {'yr': 'year', 'mo': 'month', 'wk': 'week'}.get(m['unit'], m['unit'])}-old"),
    rule(r"(?<![\w.,-])(?P<a>\d{1,3})-(?P<word>for|of|in|out-of|by|on)-(?P<b>\d{1,3})(?![\w-]|[.,]\d)",
         lambda m: f"{spoken(m['a'])} {m['word'].replace('-', ' ')} {spoken(m['b'])}"),
    rule(r"(?<![\w.,])(?P<n>\d{1,2}(?:\.\d)?) ?[★⭐](?!\w)(?![★☆⭐])",
         lambda m: f"{spoken(m['n'])} star{'' if is_one(m['n']) else 's'}"),
    rule(r"(?<![\w.,-])(?P<n>49|76)ers\b", lambda m: f"{cardinal(int(m['n'])).removesuffix('e')}ers"),
    rule(r"(?<![\w.,-])(?P<n>[23])d(?= (?:Cavalry|Infantry|Battalion|Regiment|Division|Brigade|Marine|Armored|"
    r"Artillery|Lt|Cir|Lieutenant)\b)",
         lambda m: ordinal(int(m["n"]))),
    # A plural: "in his 20s" is a decade, "the 747s" are things.
    rule(r"(?<![\w.,-])(?P<n>\d{2,4})(?P<mark>[’']?)s\b",
         lambda m: None if not m["mark"] and in_seconds(m) else plural(label_digits(m["n"]))),
    rule(r"\b(?P<which>[Uu]nder|[Oo]ver)-(?P<n>\d)s\b", lambda m: f"{m['which']} {plural(cardinal(int(m['n'])))}"),
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
    if re.match(r"\d{2,4}s-", written):
        return None  # "1970s-era" is a decade
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
    said = "".join(words).strip()
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
    "Felipe Fernando Isabella Christina Matilda Wilhelmina Rainier Philippe Baudouin Bela Andronicus Emmanuel Ethelred "
    "Leonidas Seleucus Cambyses Tigranes Senusret Amenemhat Mentuhotep Osorkon Ashurnasirpal Khosrow Bayezid Clovis "
    "Dagobert Lothair Kamehameha Radama Mswati Norodom"
)
# Nobody else bears these: "I" behind them never speaks of oneself.
ONLY_RULERS = frozenset(words_of(
    "Ramesses Ramses Ptolemy Darius Xerxes Artaxerxes Thutmose Amenhotep Mithridates Antiochus Nebuchadnezzar Seti "
    "Sargon Shapur Leonidas Seleucus Cambyses Tigranes Senusret Amenemhat Mentuhotep Osorkon Ashurnasirpal Khosrow "
    "Bayezid Dagobert Lothair Kamehameha Andronicus Theodosius Justinian"))  # fmt: skip


# Other rulers in a text tell that "James I" is one as well.
RULERS = re.compile(rf"\b(?:{one_of(REIGNED)}) (?:II|III|IV|VI{{0,3}}|IX|XI{{1,3}}|XIV|XVI?)\b")
NOT_NUMBERS = frozenset(("MIX", "DIM", "MM", "CD", "DC", "MD", "DI", "CV", "MC", "CC", "DM", "ID", "LCD", "DVD", "MI"))


def _counted(match: re.Match[str]) -> str | None:
    goes_on = r" (?!(?:of|and|or|to|in|is|has|the|by|at|from|with|for|on|as)\b)[a-z]|['’]"
    if (
        match["numeral"] == "I"
        and match["word"][0].islower()
        and re.match(goes_on, match.string[match.end("numeral") :])
    ):
        return None  # "that book I didn't want"
    return f"{match['word']} {cardinal(value(match['numeral']))}"


def _reigned(match: re.Match[str]) -> str | None:
    numeral = match["numeral"]
    after = text_after(match, 12)
    if set(numeral) - set("IVX"):
        return None  # "John C. Breckinridge": nobody reigned as the hundredth
    if numeral == "I" and match["word"] in ONLY_RULERS:
        return f"{match['word']} the first"
    if (
        len(numeral) == 1
        and not (numeral == "I" and mentions(RULERS, match.string))
        and re.match(
            r"\. (?!(?:The|He|She|It|In|His|Her|They|This|That|After|At|When|But|On|A|As|By)\b)"
            r"(?:[A-Z]|(?:de|van|von|du)\b)",
            after,
        )
    ):
        return None  # an initial
    if (
        numeral == "I"
        and mentions(RULERS, match.string)
        and not re.match(r" (?:am|was|have|had|will|would|do)\b", after)
    ):
        return f"{match['word']} the first"
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


# Older books have a full stop behind every numeral: "of Louis XVI., and".
OLD_STOP = (
    r"(?<=[IVX]{2})\.(?=[,;:)!?]|['’]s\b| (?:[a-z]|\())|(?<= [IVX])\.(?=[,;:)]|['’]s\b| \(|"
    r" (?:of|was|had|has|is|and|in|to|who|by|as|for|at|himself|herself|from|with)\b)"
)
LIST = r"(?P<more>(?:,? ?(?:and|or|to|–|-|&|,) ?[IVX]{1,6}\b){0,5})"
ROMAN_RULES = (
    rule(rf"\b(?P<word>(?:{one_of(COUNTED)})s?|(?:chapter|part|book|volume|section|act|scene|phase|type|stage|article"
         rf"|appendix))"
         rf" (?P<numeral>{NUMERAL})\b(?!['’-]?\w){LIST}",
         lambda m: (said := _counted(m)) and said + re.sub(r"[IVX]+", lambda n: cardinal(value(n[0])),
         re.sub(r" ?[-–] ?", " to ",
         m["more"]))),
    rule(r"\b(?P<word>(?i:scene|part|section|chapter|act|pages?|article|paragraph|book|volume)) (?P<numeral>[ivx]{1,6})"
         r"\b(?!['’-]?\w)", lambda m: _small(m)),
    rule(r"\b(?P<word>[Ss]tage|[Tt]ype|[Cc]lass|[Gg]rade|[Pp]hase) (?P<numeral>[IVX]{1,4})(?P<letter>[A-Ea-e])(?!['’"
         r"-]?\w)",
         lambda m: f"{m['word']} {cardinal(value(m['numeral']))} {m['letter'].upper()}"
         if re.fullmatch(NUMERAL, m["numeral"]) else None),
    rule(rf"\b(?P<word>{one_of(REIGNED)}) (?P<numeral>{NUMERAL})\b(?:{OLD_STOP})?", _reigned),
    rule(r"\b(?P<numeral>[IVX]{1,5})(?:st|nd|rd|th|e)? (?P<noun>century|centuries|dynasty|legion)\b", _century),
    rule(r"\b(?P<word>[A-Z][a-z]+) (?P<numeral>[IVX]{2,6})\b(?!['’-]?\w)",
         lambda m: _sequel(m) if re.fullmatch(NUMERAL, m["numeral"]) else None),
    rule(rf"\A(?P<numeral>{NUMERAL})\.(?=\s*\Z|\s+[A-Z“\"])",
         lambda m: f"{cardinal(value(m['numeral'])).capitalize()}." if m["numeral"] not in ("C", "D", "M",
         "L") else None),
    rule(r"\A(?P<numeral>[IVX]{1,6})\Z", lambda m: cardinal(value(m["numeral"])) if re.fullmatch(NUMERAL,
         m[0]) else None),
)  # fmt: skip
