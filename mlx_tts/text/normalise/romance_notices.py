"""Rules for forms that French, Italian, Spanish and Portuguese write alike; each language gives its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from mlx_tts.text.normalise.engine import Rule, mentions, rule, text_before
from mlx_tts.text.normalise.european import FEMININE
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.roman import value


def place_rules(
    own: Romance, parts: tuple[str, str, str], lines: Mapping[str, str], sides: str, joint: str = " "
) -> tuple[Rule, ...]:
    """ "lat. 45°40'12\" N", "long. 10,5° E". parts: one and several degrees, minutes, seconds. lines: "lat" and its
    like. sides: their letters. joint: between the parts."""

    def place(match: re.Match[str]) -> str:
        line = match["line"] or ""
        word = f"{lines[line.lower()]} " if line else ""
        said = [match["d"]]
        if match["m"]:
            said.append(str(int(match["m"])))
        if match["s"]:
            said.append(match["s"].replace(".", ","))
        numbers = joint.join(own.counted(n, part.split("|")) for n, part in zip(said, parts, strict=False))
        side = match["side"] if match["side"] in own.compass else "O"
        return f"{word.capitalize() if line[:1].isupper() else word}{numbers} {own.compass[side]}"

    return (
        rule(rf"(?:\b(?P<line>[Ll]at|[Ll]ong?)\. ?)?(?<![\w.,-])(?P<d>\d{{1,3}})° ?(?P<m>[0-5]?\d)['’′] ?"
             rf"(?:(?P<s>[0-5]?\d(?:[.,]\d{{1,2}})?)(?:[\"”″]|['’]{{2}}) ?)?(?P<side>[{sides}])(?!\w)", place),
        rule(r"\b(?P<line>[Ll]at|[Ll]ong?)\. ?(?P<d>\d{1,3}(?:,\d{1,6})?)° ?(?P<m>)(?P<s>)"
             rf"(?P<side>[{sides}])(?!\w)", place),
    )  # fmt: skip


def zone_rule(own: Romance, joint: str) -> Rule:
    """ "UTC-5", "GMT+5:30". joint: "and", between hours and minutes."""
    return rule(
        r"\b(?P<zone>UTC|GMT) ?(?P<sign>[-+−–]) ?(?P<n>1[0-4]|0?\d)(?::(?P<m>[0-5]\d))?(?![\w:]|[.,]\d)",
        lambda m: (
            f"{m['zone']} {own.plus if m['sign'] == '+' else own.minus} {own.cardinal(int(m['n']))}"
            + (f" {joint} {own.cardinal(int(m['m']))}" if int(m["m"] or 0) else "")
        ),
    )


def year_of_month_rule(own: Romance, months: str, joint: str, longer: Mapping[str, str] | None = None) -> Rule:
    """ "gen/27". months: a pattern. joint: between month and year. longer: short forms that the language's lack."""

    def said(match: re.Match[str]) -> str:
        year = int(match["y"]) + (2000 if len(match["y"]) == 2 else 0)
        month = (longer or {}).get(match["month"], match["month"])
        return f"{own.month_names[own.month_numbers[month] - 1]}{joint}{own.year(year)}"

    return rule(rf"(?<![\w/])(?P<month>{months})/(?P<y>20\d\d|[0-3]\d)(?![\w/])", said)


def extreme_rule(measured: Mapping[str, str], extremes: Mapping[str, str]) -> Rule:
    """ "prof. max"."""
    return rule(
        rf"(?<![\w.])(?P<what>{'|'.join(measured)})\. (?P<how>{'|'.join(extremes)})(?:\.|(?!\w))",
        lambda m: f"{measured[m['what']]} {extremes[m['how']]}",
    )


def oxygen_rule(own: Romance) -> Rule:
    return rule(r"\b(?P<what>Sat|Sp)O₂", lambda m: f"{m['what']}O {own.cardinal(2)}")


def dust_rule(own: Romance) -> Rule:
    """ "PM2.5"."""
    return rule(r"\bPM ?(?P<n>2[.,]5|10)(?!\w|[.,]\d)", lambda m: f"PM {own.spoken(m['n'].replace('.', ','))}")


def minutes_rule(own: Romance) -> Rule:
    """ "16/18 min.", behind which a capital begins a sentence."""

    def span(match: re.Match[str]) -> str | None:
        first, last = int(match["a"]), int(match["b"])
        return f"{own.cardinal(first)} a {own.cardinal(last)} minutos." if first < last else None

    return rule(r"(?<![\w.,/-])(?P<a>[1-9]\d?)/(?P<b>[1-9]\d?) ?min\.(?= [A-ZÀ-Þ])", span)


def two_days_rule(own: Romance) -> Rule:
    """ "em 20/2 e 20/3": no fraction is larger than one."""

    def days(match: re.Match[str]) -> str | None:
        a, b, c, d = (int(match[name]) for name in "abcd")
        if not (a > b and c > d and 0 < b < 13 and 0 < d < 13 and a < 32 and c < 32):
            return None
        first, last = own.said_date(a, b, None, match["before"]), own.said_date(c, d, None, match["before"])
        return f"{match['before']}{first}{match['joint']}{last}"

    return rule(r"(?P<before>\b(?:[Ee]m|[Dd]ias?|[Ll]os días|[Ee]l|[Ll]es?|[Ii]l|[Ii] giorni|[Nn]ei giorni"
                r"|[Dd]ei giorni|[Dd]el"
                r"|[Dd]u|[Dd]e|[Ee]ntre|[Tt]ra|[Ff]ra|[Aa]os?|[Aa]l|[Aa]u) )(?P<a>\d{1,2})/(?P<b>\d{1,2})"
                r"(?P<joint>,? (?:e|et|y|o|ou) (?:el |le |il |em |al |au )?)(?P<c>\d{1,2})/(?P<d>\d{1,2})"
                r"(?![\w/]|[.,]\d)", days)  # fmt: skip


def at_least_rule(least: str, most: str) -> Rule:
    """ "marcher ≥ 8 000 pas": of what is counted, and no value is compared. least, most: at least, at most."""
    return rule(
        r"(?<=[a-zà-ÿ]{3} )(?P<sign>[≥≤]) ?(?=\d[\d. ]{0,9} (?!mm|pour|por|per|de|des|di|du|et|si)[a-zà-ÿ]{3})",
        lambda m: f"{least if m['sign'] == '≥' else most} ",
    )


def side_by_side_rule(own: Romance) -> Rule:
    """ "2 m x 1,20 m": between two measures."""
    return rule(
        r"(?:(?<=\d m)|(?<=\dm)|(?<=\d cm)|(?<=\dcm)|(?<=\d mm)) ?[x×] ?(?=\d)",
        lambda m: f" {own.by} ",
    )


def two_months_rule(own: Romance) -> Rule:
    """ "pour juil.-août", "em jul./ago.": side by side behind a preposition that is said once; "i dati gen.-giu."."""

    def months(match: re.Match[str]) -> str | None:
        numbers = [own.month_numbers.get(match[name]) or own.month_numbers.get(f"{match[name]}.") for name in "ab"]
        if None in numbers or not (match["before"] or "." in match[0]):
            return None
        joint = "-" if match["before"] else f" {own.to} "
        said = joint.join(own.month_names[number - 1] for number in numbers if number)
        return f"{match['before'] or ''}{said}{own.sentence_stop(match)}"

    return rule(
        r"(?P<before>\b(?:[Pp]our|[Ee]n|[Ii]n|[Ee]m|[Pp]er|[Pp]ara|[Aa]|[Àà]) )?(?<![\w./-])"
        r"(?P<a>[a-zà-ÿ]{3,5})\.?[-–/](?P<b>[a-zà-ÿ]{3,5})(?:\.|(?![\w/-]))",
        months,
    )


def version_rule(own: Romance, word: str) -> Rule:
    """ "(v. 2)": of a contract."""
    return rule(r"(?<=\()v\.? ?(?P<n>\d{1,2})(?=[),])", lambda m: f"{word} {own.cardinal(int(m['n']))}")


def quarter_rule(own: Romance) -> Rule:
    """ "al N de Madrid"."""
    return rule(
        r"(?:(?<=\b[Aa]l )|(?<=\b[Aa]u )|(?<=\b[Aa]o )|(?<=\b[Aa] ))(?P<side>[NSEO])(?= (?:de|du|di|del|della|do"
        r"|da)\b| d['’])",
        lambda m: own.compass[m["side"]],
    )


def few_minutes_rule(own: Romance) -> Rule:
    """ "8/10 min": no parts of one."""

    def span(match: re.Match[str]) -> str | None:
        first, last = int(match["a"]), int(match["b"])
        if not 3 < first < last <= 2 * first:
            return None
        beside = re.search(rf"\b(?:{own.span_words}) \Z", text_before(match, 12))
        joint = f" {own.or_before(last) if last == first + 1 else own.to} "
        minutes = own.unit_names["min"].split("|")[-1]
        return (
            f"{own.cardinal(first)}{'-' if beside else joint}{own.cardinal(last)} {minutes}{own.sentence_stop(match)}"
        )

    return rule(r"(?<![\w.,/-])(?P<a>[1-9]\d?)/(?P<b>[1-9]\d?) ?min\.?(?![\w/])", span)


def side_rule(own: Romance, before: str, sides: str) -> Rule:
    """ "sentido N-S". before: a pattern of lookbehinds."""
    return rule(
        rf"(?:{before})(?P<a>[{sides}])-(?P<b>[{sides}])(?!\w)",
        lambda m: f"{own.compass[m['a']]}-{own.compass[m['b']]}",
    )


# A report of tennis: elsewhere "6/4" is a part or a day.
TENNIS = re.compile(
    r"(?i)\b(?:sets?|t[êée]n+is|tenn?ista|tie-?break|roland|wimbledon|ATP|WTA|US Open|open d|slam|alcaraz|sinner"
    r"|djokovic|nadal|federer|swiatek|sabalenka|zverev|medvedev|qualif\w*|1er tour|quadra|raquete)\b"
)


TIE_BREAK = r"\((?P<tie>\d{1,2}(?:[-–/:]\d{1,2})?)\)"
ONE_SET = rf"(?P<a>[0-7])[-–/](?P<b>[0-7])(?: ?{TIE_BREAK})?"
ANY_SET = re.sub(r"\?P<\w+>", "?:", ONE_SET)


def tennis_rules(own: Romance) -> tuple[Rule, ...]:
    """ "7-6(4)", "6/4 3/6 7/6(4)"."""

    def one(match: re.Match[str]) -> str:
        said = own.score.format(a=own.cardinal(int(match["a"])), b=own.cardinal(int(match["b"])))
        return f"{said} ({points(match)})" if match["tie"] else said

    def points(match: re.Match[str]) -> str:
        said = [own.cardinal(int(n)) for n in re.findall(r"\d+", match["tie"])]
        return own.score.format(a=said[0], b=said[1]) if len(said) > 1 else said[0]

    def sets(match: re.Match[str]) -> str | None:
        """Of each set somebody has won six games; parts of a whole and days are written alike."""
        won = all(max(games) > "5" for games in re.findall(r"(?<![\d(])([0-7])[-–/]([0-7])(?!\d)", match[0]))
        if not won or ("(" not in match[0] and not mentions(TENNIS, match.string)):
            return None
        return re.sub(ONE_SET, one, match[0])

    return (
        rule(rf"(?<![\w.,/-]){ANY_SET}(?:(?:,? e |,? et |,? y |, | ){ANY_SET}){{0,8}}(?![\w/(-]|[.,:]\d| ?[%€])", sets),
        rule(rf"(?:(?<=[67][-–/]6)|(?<=6[-–/]7)){TIE_BREAK}(?!\w)", lambda m: f" ({points(m)})"),
    )  # fmt: skip


OPENING = re.compile(
    r"(?i)\b(?:horaires?|horari\w*|hor[áa]rios?|orari\w*|ouv\w*|abiert\w*|aberto|abertura|abre|apert\w*|aprono|chius\w*"
    r"|ferm[ée]\w*|cerrad\w*|fechad\w*|lun|lundi|lunes|lunedì|seg|segunda|sáb|sab|sam|dim|dom|atención|atendimento"
    r"|riceve|accueil|permanence|matin|turno)\b|\d ?h\b|\d:\d\d"
)
HOUR = r"(?:[01]?\d|2[0-4])(?:(?: ?h|[:.])[0-5]\d| ?h(?![a-zà-ÿ]))?"


def split_hours_rule(own: Romance, span: Callable[[str, str], str], joint: str) -> Rule:
    """ "9-13/15-19": a day with a pause. span: from one time to another. joint: between the two spans."""

    def hours(match: re.Match[str]) -> str | None:
        found = [re.findall(r"\d+", match[name]) for name in "abcd"]
        at = [int(hour) * 60 + int(minute[0] if minute else 0) for hour, *minute in found]
        if not at[0] < at[1] <= at[2] < at[3] or not mentions(OPENING, match.string):
            return None
        said = [own.time(time // 60, time % 60, None, match) for time in at]
        first = span(said[0], said[1])
        word = f"{first.split()[0]} "
        if text_before(match, len(word)).casefold() == word:
            first = first.removeprefix(word)
        return f"{first}{joint}{span(said[2], said[3])}"

    return rule(rf"(?<![\w.,:/-])(?P<a>{HOUR})(?P<to> ?[-–] ?| (?:à|às|a|a las|alle) )(?P<b>{HOUR}) ?/ ?(?P<c>{HOUR})"
                rf"(?P=to)(?P<d>{HOUR})"
                rf"(?: ?hs?\b)?(?![\w:/-]|[.,]\d| ?[%€])", hours)  # fmt: skip


def short_word(
    own: Romance, table: Mapping[str, str], subject: re.Pattern[str]
) -> Callable[[re.Match[str]], str | None]:
    """A short form's word, in texts of a subject alone. table: of small letters; the match has it as `word`."""

    def short(match: re.Match[str]) -> str | None:
        if not mentions(subject, match.string):
            return None
        said = table[match["word"].lower()]
        return (said.capitalize() if match["word"][0].isupper() else said) + own.sentence_stop(match)

    return short


def women_rules(own: Romance, verbs: str, behind: str) -> tuple[Rule, ...]:
    """Feminine numbers without a noun: "21 fueron detenidas", "otras 21"; and thousands of them: "200 mil pessoas".
    verbs, behind: patterns of what stands between a number and "detenidas", and of what stands before the number."""

    def women(match: re.Match[str]) -> str:
        return own.spoken(match["n"], FEMININE)

    def counted(match: re.Match[str]) -> str | None:
        """Behind a room's number stands one thing: "hab. 214 está lista", "la versión 1 está lista"."""
        if match["n"] == "1" and re.search(r"[a-zà-ÿ]{4} \Z", text_before(match, 6)):
            return None
        several = match["done"].endswith("s")
        return women(match) if several == (match["n"] != "1") else None

    def thousands(match: re.Match[str]) -> str | None:
        number = int(match["n"])
        if own.gender_of_many(match["noun"]) != FEMININE or number < 2:
            return None
        return own.cardinal(number * 1000, FEMININE)

    return (
        rule(rf"(?<!\b[EOeo]l )(?<!\b[Oo] )(?<!\b[dnaDNA][eo]l )(?<!\b[dnaDNA][oe] )(?<!d[ií]a )(?<!\bal )"
             rf"(?<![\w.,:/-])(?P<n>\d{{1,3}}(?:\.\d{{3}})?)(?= (?:{verbs}) (?:[a-zà-ÿ]{{3,20}}mente |já |ya )?"
             r"(?P<done>[a-zà-ÿ]{2,20}[dt]as?)(?!\w))", counted),
        rule(rf"(?:{behind})(?P<n>\d{{1,3}}(?:\.\d{{3}})?)(?![\w:/-]|[.,]\d| ?[h%€º])", women),
        rule(r"(?<![\w.,:/-])(?P<n>\d{1,3}) mil(?= (?P<noun>[a-zà-ÿ]{4,20})(?!\w))", thousands),
    )  # fmt: skip


def lone_century_rule(own: Romance, before: str, told: str, behind: str) -> Rule:
    """ "en el XIII", where a century was named before, or where its beginning or end is told. before, told, behind:
    patterns of what stands next to it."""
    named = re.compile(rf"\b(?:{own.century_noun}|{own.centuries_noun}|[Ss][ée]?c*\.) [IVX]{{1,5}}\b|[IVX] sec")

    def century(match: re.Match[str]) -> str | None:
        number = value(match["numeral"])
        known = mentions(named, match.string) or re.search(rf"\b(?:{told}) \Z", text_before(match, 24))
        if not 8 < number < 22 or not known:
            return None
        return f"{match['before']}{own.century_words(number)}"

    return rule(rf"\b(?P<before>(?:{before}) )(?P<numeral>X{{0,2}}(?:IX|IV|V?I{{1,3}}|V)|X{{1,2}})"
                rf"(?=[,.;:)!?]|\s*\Z| (?:{behind})(?!\w))", century)  # fmt: skip


def tested_rules(own: Romance, names: Mapping[str, str], patient: re.Pattern[str], warmth: str) -> tuple[Rule, ...]:
    """ "Hb 11,2 g/dl", "T 38,2 °C". names: what is found in the blood. warmth: what T is."""
    keys = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return (
        rule(rf"(?<![\w.])(?P<word>{keys})(?=:? ?[\d<>])",
             lambda m: names[m["word"]] if mentions(patient, m.string) else None),
        rule(r"(?<![\w.])T\.?(?=:?(?: ?[<>≥])? ?(?:3[4-9]|4[0-2])(?:[.,]\d)? ?[°º])", warmth),
        rule(r"(?<![\w.])T\.?(?=:?(?: ?[<>≥])? ?(?:3[4-9]|4[0-2])(?:[.,]\d)?(?![\w%])(?![.,]\d))",
             lambda m: warmth if mentions(patient, m.string) else None),
    )  # fmt: skip
