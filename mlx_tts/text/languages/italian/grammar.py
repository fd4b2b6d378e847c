"""How Italian says a number by what stands beside it, and the forms that only Italian has."""

from __future__ import annotations

import re
from functools import cached_property

from mlx_tts.text.languages.italian.everyday import everyday_kinds, is_a_saint
from mlx_tts.text.languages.italian.notices import Notices
from mlx_tts.text.languages.italian.offices import office_kinds
from mlx_tts.text.languages.italian.words import (
    A_NOUN,
    ALIKE,
    FEMININE_IN_E,
    FEMININE_ONE,
    HOUSE_WORDS,
    NO_NOUN,
    SMALL_WORDS,
)
from mlx_tts.text.normalise.engine import Kind, Rule, mentions, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european_marks import reports
from mlx_tts.text.normalise.romance import Romance

NAMING = re.compile(
    r"\b(?:[Pp]agina|[Cc]apitolo|[Nn]umero|[Ll]ivello|[Gg]ruppo|[Ss]ala|[Pp]iano|[Pp]orta|[Ll]inea|[Tt]ipo|[Ff]ase|"
    r"[Pp]arte|[Vv]ersione|[Ss]erie|[Cc]anale|[Oo]pzione|[Aa]rticolo|[Ff]igura|[Tt]abella)\s+\Z"
)
WITH_FIRST = {"l": "il", "dell": "del", "dall": "dal", "all": "al", "nell": "nel", "sull": "sul"}
WARM = re.compile(r"\d ?°C|\b(?:temp\w*|gradi|forno|meteo|massim[ae]|minim[ae])\b")
WARMTH = re.compile(r"(?i)\b(?:i|ai|dai|sui|quasi|circa|oltre|fino a|sopra|sotto|massim\w+|minim\w+) \Z")
AN_ARTICLE = re.compile(r"\b(?:[Ii]l|[Ll]a|[Dd]el|[Aa]l|[Nn]el|[Dd]al|[Ss]ul)(?: (?:suo|mio|nostro|loro))? \Z")
TRIAL = re.compile(r"\b(?:farmaco|studio di fase|dose|placebo|clinic[oa]|terapia|eventi avversi)\b", re.IGNORECASE)
HOUR = r"(?:[01]?\d|2[0-4])(?:[.:,][0-5]\d)?"
HOURS = rf"(?<![\w.,:]){HOUR} ?[-–] ?{HOUR}(?![\w:]|[.,]\d)"
WEEKDAYS = "lun|mar|mer|gio|ven|sab|dom"
# In a text with one of these a span of numbers behind a day is of hours.
OPEN = re.compile(
    rf"(?i)\b(?:orari\w*|apert\w+|chius\w+|riceve|ricevimento|sportello|(?:{WEEKDAYS})\.)(?!\w)|\d["
    rf".:]\d\d ?[-–]"
)
HOURS_APART = r"(\d+)(?:[.:,](\d\d))? ?[-–] ?(\d+)(?:[.:,](\d\d))?"
HIRED = re.compile(
    r"\b(?:auto|noleggio|camper|campeggio|hotel|affitto|casa|vacanz\w+|animali|stagione|notte|ombrellone|parcheggio"
    r"|deposito|piazzola|tenda|moto|bici\w*|scooter|km illim)\b"
)


class Italian(Romance):
    """Only one has a gender; ordinals agree with the word behind them."""

    alike = ALIKE

    def own_kinds(self) -> tuple[Kind, ...]:
        return (
            *everyday_kinds(self),
            *Notices(self).kinds(),
            *office_kinds(self),
            *self.romance_kinds(),
            Kind(
                "time",
                re.compile(r"\d[-–]\d|\d[.:]\d\d"),
                (
                    rule(
                        r"\b(?P<word>[Uu]ltim[aoei] [a-zà-ÿ]{3,12}|[Pp]artenza|[Aa]rrivo|[Ii]nizio|[Aa]pertura|"
                        r"[Cc]hiusura|[Rr]itrovo|[Rr]ientro|[Cc]heck-in|[Cc]heck-out)(?P<gap>:? )"
                        r"(?P<h>[01]?\d|2[0-4])[.:](?P<m>[0-5]\d)(?![\w:%€]|[.,]\d| ?(?:€|%|euro|km|kg))",
                        lambda m: f"{m['word']}{m['gap']}{self.time(int(m['h']), int(m['m']), None, m)}",
                    ),
                    rule(
                        rf"(?P<word>\b[Dd]alle ore |(?<!\ble )(?<!lle )\b[Oo]re |\b[Oo]rari[oi]:? |\b[Aa]pert[oiae]:? )"
                        rf"(?P<hours>{HOURS}(?:(?:,| e|, e| ?/) ?{HOURS}){{0,3}})(?! (?:{one_of(self.month_names)})\b)",
                        self._from_hour_to_hour,
                    ),
                    rule(
                        rf"(?<![\w-])(?:(?P<first>{WEEKDAYS})\.? ?[-–] ?)?(?P<weekday>(?:{WEEKDAYS})\.?|(?i:luned"
                        rf"|marted|mercoled|gioved|venerd)ì|[Ss]abato"
                        rf"|[Dd]omenica|[Ff]estivi)(?P<word>)(?P<gap>:? )(?P<hours>{HOURS}(?:(?:,| e|, e"
                        rf"| ?/) ?{HOURS}){{0,3}})(?! (?:{one_of(self.month_names)})\b| ?[a-z%€])",
                        self._on_a_day,
                    ),
                ),
            ),
            Kind(
                "telephone",
                re.compile(r"\d \d{3} \d{3}|\d sett\."),
                (
                    rule(
                        r"(?<![\w.,-])(?:800|3\d\d) \d{3} \d{3}(?! ?[\w€$%.,]*\w)(?<!000)|(?<![\w.,-])(?:800|3\d\d) "
                        r"\d{3} \d{3}(?= o [a-z\d])",
                        lambda m: ", ".join(self.digits(group) for group in m[0].split()),
                    ),
                    rule(
                        r"(?:(?<=\bin )|(?<=\btra )|(?<=\bfra )|(?<=\bper )|(?<=\bogni )|(?<=\bda ))(?P<n>\d{1,"
                        r"2}) sett\.",
                        lambda m: self.counted(m["n"], ["settimana", "settimane"]) + self.sentence_stop(m),
                    ),
                ),
            ),
            Kind(
                "abbreviation",
                re.compile(r"\b[cs]/[a-z]|\d[°º] ?p\.|\b[Pp]\. ?\d|\b[NnVv]s\. |\ball\.|dopp\.|sing\.|matr|pens\."),
                (
                    rule(
                        r"(?<![\w./])(?P<with>[cs])/ ?(?P<what>[a-zà-ÿ]{3,20}\b\.?)",
                        lambda m: f"{'con' if m['with'] == 'c' else 'senza'} {self.written_out(m)}",
                    ),
                    rule(
                        r"(?<![\w.,])(?P<n>\d{1,2})[°º] ?p\.(?=[ ,;)]|\Z)",
                        lambda m: f"{self.ordinal(int(m['n']))} piano{self.sentence_stop(m)}",
                    ),
                    rule(
                        r"(?<![\w.])[Pp]\. ?(?P<n>\d{1,2})[°º](?!\w)",
                        lambda m: f"piano {self.ordinal(int(m['n']))}",
                    ),
                    rule(
                        r"(?<![\w.])(?:(?P<of>[a-zA-Z]{1,5}(?:['’]|l[aoe]|i|el|al)?) )?(?P<whose>[NnVv])s\. "
                        r"(?=(?P<noun>[a-zà-ÿ]{3,20}))",
                        self._our,
                    ),
                    rule(r"(?<![\w.])(?P<i>[Ii]n |dell['’]|nell['’]|\bl['’])all\.(?= [a-z]|[:;,)])", r"\g<i>allegato"),
                    rule(
                        r"(?<![\w.])dopp\.(?= (?:uso|con|a|da|€|\d|[a-z])|[,;:)])|(?:(?<=[Cc]amera )"
                        r"|(?<=[Ss]tanza ))dopp\.",
                        lambda m: f"doppia{self.sentence_stop(m)}",
                    ),
                    rule(
                        r"(?:(?<=[Cc]amera )|(?<=[Ss]tanza )|(?<=dopp\. e )|(?<=dopp\. o )|(?<=doppia o )"
                        r"|(?<=doppia e ))(?P<how>sing|matr(?:im)?)\.",
                        lambda m: ("singola" if m["how"] == "sing" else "matrimoniale") + self.sentence_stop(m),
                    ),
                    rule(
                        r"(?:(?<=[Mm]ezza )|(?<![\w.]))[Pp]ens\.(?= completa)|(?<=[Mm]ezza )pens\.",
                        lambda m: f"pensione{self.sentence_stop(m)}",
                    ),
                ),
            ),
            Kind(
                "abbreviation",
                re.compile(
                    r"\b[CVv]\.|c\.a\.|\bL\. ?\d|\bh\b|€/g|\benn|\denn|\d\.[0-5]\d|art\.|\bpers\.|\bpz\.|rr\.|mm\.|["
                    r"Cc]ol(?:az)?\.|\b(?:dx|sx|dex|sin|int|est)\b|\bapp\.|t\. ?s\.|\bsup\.|[Tt]g\.|tratt\.|w\.e"
                    r"\.|quad\.|acc\.|\b[Ss]c"
                    r"\.|pett\.|bigl\.|prev\."
                ),
                (
                    rule(
                        r"(?<![\w.])[Cc]\. ?a\.(?= (?:Sig|Dott|Avv|Ing|Gent|Prof|Egr|Rag|Geom|[A-Z][a-z]+ [A-Z]))",
                        "alla cortese attenzione",
                    ),
                    rule(
                        r"(?<![\w.])[Vv]\.(?= (?:fig|pag|Cass|art|cap|tab|anche|allegat|sopra|sotto|nota|infra))",
                        "vedi",
                    ),
                    rule(
                        r"(?<![\w.,/])(?P<n>\d{1,3}) L\.(?= ?(?:n\. ?)?\d{1,4}/\d)",
                        lambda m: f"{self.cardinal(int(m['n']))} legge",
                    ),
                    rule(r"(?<![\w.])v\.(?= ?\d{1,2}\.\d)", "versione"),
                    rule(r"(?<![\w.])L\.(?= ?(?:n\. ?)?\d{1,4}/\d)", "legge "),
                    rule(
                        r"(?<![\w.,])(?P<n>\d{1,4}(?:,\d\d)?) ?€/g(?!\w)\.?",
                        lambda m: self.price_a_day(m) if mentions(HIRED, m.string) else None,
                    ),
                    rule(
                        r"(?<![\w.])h\.? (?P<hour>[01]?\d|2[0-4])[.:](?P<minute>[0-5]\d)(?![\w:]|[.,]\d)",
                        lambda m: f"ore {self.time(int(m['hour']), int(m['minute']), None, m)}",
                    ),
                    rule(
                        r"\b(?P<word>(?:verso|dopo|prima di|entro|tra|fra|intorno al) ?le) (?P<h>[01]?\d|2[0-4])"
                        r"\.(?P<m>[0-5]\d)(?![\w:%€]|[.,]\d| ?[%€])",
                        lambda m: f"{m['word']} {self.time(int(m['h']), int(m['m']), None, m)}",
                    ),
                    rule(
                        r"(?<![\w.,])(?P<n>\d{2})(?P<end>enn[ei])(?!\w)",
                        lambda m: f"{self.cardinal(int(m['n']))[:-1]}{m['end']}",
                    ),
                    rule(r"(?<![\w.])[Pp]art\.(?= (?:da\b|ore\b|h\b|\d))", "partenza"),
                    rule(r"(?<![\w.])[Aa]rr\.(?= (?:a\b|ore\b|h\b|\d))", "arrivo"),
                    rule(
                        r"(?<![\w.,])(?P<n>\d{1,3}(?:\.\d{3})*) pz\.",
                        lambda m: (
                            f"{self.spoken(m['n'])} pazienti{self.sentence_stop(m)}"
                            if mentions(TRIAL, m.string)
                            else None
                        ),
                    ),
                    rule(
                        r"\b(?P<word>tra|fra|dopo|entro) (?P<n>[2-9]|\d\d) mm\.(?! di\b)",
                        lambda m: f"{m['word']} {self.cardinal(int(m['n']))} mesi{self.sentence_stop(m)}",
                    ),
                    rule(r"(?<=\ba )pers\.", lambda m: f"persona{self.sentence_stop(m)}"),
                    rule(
                        r"(?<![\w.])(?P<word>[Aa]rr|[Pp]art)\. (?:ore |h )?(?P<h>[01]?\d|2[0-4])[.:](?P<m>[0-5]\d)"
                        r"(?![\w:]|[.,]\d)",
                        lambda m: (
                            f"{'arrivo' if m['word'] in ('arr', 'Arr') else 'partenza'} "
                            f"{self.time(int(m['h']), int(m['m']), None, m)}"
                        ),
                    ),
                    rule(
                        r"(?<=[ao] )prev\.(?= |[,;)])",
                        lambda m: f"previst{'a' if text_before(m, 2)[0] == 'a' else 'o'}",
                    ),
                    rule(
                        r"(?<![\w.])bigl\.(?! ?\Z)",
                        lambda m: (
                            "biglietto"
                            if re.search(r"\b(?:[Ii]l|[Uu]n|[Dd]el|[Cc]ol|1) \Z", text_before(m, 5))
                            else "biglietti"
                        ),
                    ),
                    rule(r"(?<![\w.])[Cc]ol(?:az)?\.(?= (?:incl|escl|inclus|compres))", "colazione"),
                    rule(r"(?<![\w.])(?P<p>[Pp])rev\.(?= (?:n\.|nr\.|n°|\d))", r"\g<p>reventivo"),
                    rule(
                        r"\b(?P<part>(?i:ginocchio|braccio|piede|occhio|polso|gomito|fianco|lato|polmone|rene|orecchio"
                        r"|dito|femore|arto|lobo)) (?P<side>dx|sx|dex|sin)\b\.?",
                        lambda m: (
                            f"{m['part']} {'destro' if m['side'][0] == 'd' else 'sinistro'}"
                            + (self.sentence_stop(m) if m[0].endswith(".") else "")
                        ),
                    ),
                    rule(
                        r"\b(?P<noun>menisco|legamento|malleolo|condilo|reparto|cortile|lato) (?P<side>int|est)\.",
                        lambda m: f"{m['noun']} {'in' if m['side'] == 'int' else 'es'}terno{self.sentence_stop(m)}",
                    ),
                    rule(
                        r"(?:(?<=\b[Ss]u )|(?<=\bper )|(?<=\bprevio )|(?<=\bprev\. ))app\.",
                        lambda m: f"appuntamento{self.sentence_stop(m)}",
                    ),
                    rule(
                        r"(?:(?<=\bi )|(?<=\bai )|(?<=\bdei )|(?<=\bnei ))t\. ?s\.",
                        lambda m: f"tempi supplementari{self.sentence_stop(m)}",
                    ),
                    rule(r"(?<=\bo )sup\.", lambda m: f"superiore{self.sentence_stop(m)}"),
                    rule(r"(?<=\d° )quad\.", lambda m: f"quadrimestre{self.sentence_stop(m)}"),
                    rule(
                        r"(?<![\w.])(?P<r>[Rr])acc\. (?P<joint>con )?[aA]/[rR](?P<stop>\.)?(?!\w)",
                        lambda m: (
                            f"{m['r']}accomandata {m['joint'] or ''}A R" + (self.sentence_stop(m) if m["stop"] else "")
                        ),
                    ),
                    rule(
                        r"(?:(?<=mezzo )|(?<=tramite )|(?<=per )|(?<=ettera ))racc\.",
                        lambda m: f"raccomandata{self.sentence_stop(m)}",
                    ),
                    rule(r"(?<![\w.])(?P<t>[Tt])g\.(?= ?(?:X{0,3}[SML]\b|\d))", r"\g<t>aglia"),
                    rule(r"(?:(?<=€ )|(?<=euro ))tratt\.", lambda m: f"trattabili{self.sentence_stop(m)}"),
                    rule(r"(?<![\w.])w\.e\.", lambda m: f"week-end{self.sentence_stop(m)}"),
                    rule(r"(?<![\w.])[Ss]c\.(?= ?[A-H]\b)", "scala"),
                    rule(r"(?<![\w.])[Ss]pett\.(?=:? ?\d)", "spettatori"),
                    rule(
                        r"(?<![\w.])h\.? (?=[012]?\d(?:[.:][0-5]\d)?(?: ?[-–] ?[012]?\d(?:[.:][0-5]\d)?)?(?:[ ,"
                        r";)]|\.(?!\d)|\Z))",
                        "ore ",
                    ),
                ),
            ),
            Kind(
                "number",
                re.compile(r"\d[/+]\d|=|\d pag|\ba/r|\bA/R|\b(?:lun|mar|mer|gio|ven|sab|dom) [spmnaohd]"),
                (
                    rule(
                        r"(?<![\w.,/-])(?P<a>\d{1,2})[/+](?P<b>\d{2,4}) ?(?P<unit>[GT]B)(?!\w)",
                        lambda m: (
                            f"{self.cardinal(int(m['a']))}, "
                            f"{self.counted(m['b'], self.unit_names[m['unit']].split('|'))}"
                        ),
                    ),
                    rule(
                        r"(?<![\w.,=-])(?P<name>[A-Za-z])=(?P<minus>-?)(?P<n>\d{1,6}(?:,\d{1,4})?)(?![\w=/+^²³-]"
                        r"|[.,:]\d)",
                        lambda m: (
                            f"{m['name']} {self.equals} {self.minus + ' ' if m['minus'] else ''}{self.spoken(m['n'])}"
                        ),
                    ),
                    rule(
                        r"(?<![\w.,/-])(?P<n>\d{1,3}\.\d{3}|\d{1,4}) pagg?\.(?! ?\d)",
                        lambda m: f"{self.counted(m['n'], ['pagina', 'pagine'])}{self.sentence_stop(m)}",
                    ),
                    rule(
                        r"(?<=[Rr]accomandata )(?P<joint>con )?[aA]/[rR](?![\w/])", lambda m: f"{m['joint'] or ''}A R"
                    ),
                    rule(r"(?<![\w/])[aA]/[rR](?![\w/])", "andata e ritorno"),
                    rule(
                        r"(?<!\w)(?P<day>lun|mar|mer|gio|ven|sab|dom)(?= (?:scors|prossim|mattina|pomeriggio"
                        r"|sera|notte|alle \d|ore \d|h \d|prima|dopo))",
                        lambda m: self.day_names[m["day"]],
                    ),
                ),
            ),
            Kind("name", re.compile(r"\bS\."), (rule(r"(?<![\w.])S\. ?(?=(?P<name>[A-ZÀ-Þ][a-zà-ÿ]+))", self._saint),)),
        )

    @cached_property
    def day_names(self) -> dict[str, str]:
        """With the longer abbreviations: "giov. 14 nov."."""
        named = super().day_names
        longer = {f"{day[:4]}": day for day in named.values() if day.endswith("dì")}
        return named | longer | {short.capitalize(): day for short, day in longer.items()}

    def gender(self, noun: str) -> str:
        return "f" if A_NOUN.match(noun) else super().gender(noun)

    def per_word(self, word: str) -> str:
        if word == "notte":
            return "a notte"
        feminine = (word.endswith("a") and not word.endswith("wattora")) or word in FEMININE_IN_E
        return f"all'{word}" if word[0] in "aeiou" else f"{'alla' if feminine else 'al'} {word}"

    def scaled(self, written: str, scale: str) -> str:
        return super().scaled(written, scale).replace(" mila", "mila")

    def per_unit(self, sign: str) -> str:
        if sign in ("h", "oz"):
            return "all'"
        return "alla" if self.per_words.get(sign, "").endswith(("a", "rzione")) and sign != "ora" else self.per

    def _from_hour_to_hour(self, match: re.Match[str]) -> str:
        """ "ore 9-13 e 15-19": each span has its articles."""

        def moment(hour: str, minute: str, word: str) -> str:
            said = self.time(int(hour), int(minute or 0), None, match)
            return f"{word}ll'{said}" if said.startswith("una") else f"{word}lle {said}"

        def span(hours: re.Match[str]) -> str:
            a, b, c, d = (re.fullmatch(HOURS_APART, hours[0]) or hours).groups()
            return f"{moment(a, b, 'da')} {moment(c, d, 'a')}"

        said = re.sub(HOURS, span, re.sub(" ?/ ?", ", ", match["hours"]))
        word = match["word"]
        if word[:2] in ("or", "Or") and word[2] == "e":
            return f"{'D' if word[0] == 'O' else 'd'}{said[1:]}"
        return said if word[:1] in "dD" else f"{word}{said}"

    def _on_a_day(self, match: re.Match[str]) -> str | None:
        """ "lun. 9-13": hours where others stand in the text, as "sabato 9-12" may be a day of December."""
        if not mentions(OPEN, match.string):
            return None
        day = match["weekday"]
        first = f"{self.day_names[match['first']]} {self.to} " if match["first"] else ""
        return f"{first}{self.day_names.get(day.rstrip('.'), day)}{match['gap']}{self._from_hour_to_hour(match)}"

    def written_out(self, match: re.Match[str]) -> str:
        """ "asc." behind "s/" is a lift; a full stop that ends the text is kept."""
        what = match["what"]
        said = HOUSE_WORDS.get(what.rstrip("."), what)
        ends = what.endswith(".") and re.match(r"\s*\Z|\s+[A-ZÀ-Þ]", text_after(match, 40))
        return f"{said}." if said != what and ends else said

    def price_a_day(self, match: re.Match[str]) -> str:
        return f"{self.price(match['n'], '€')} al giorno{self.sentence_stop(match) if match[0][-1] == '.' else ''}"

    def _our(self, match: re.Match[str]) -> str | None:
        """ "il ns. ufficio", "le Vs. spese"; without an article behind it by the noun's ending. "Roma vs. Lazio""
        " is none."""
        article, noun = match["of"] or "", match["noun"]
        ending = re.search(r"(?:\A(?:i|gli)|[dnsc]ei|[aeou]i|gli)\Z", article) and "i"
        if not ending:
            last = re.search(r"\A(?:la|le|il|lo|del|al|nel|dal|sul|col)\Z|l(?:a|e|o)\Z", article)
            ending = {"la": "a", "le": "e"}.get(article[-2:], "o") if last else noun[-1] if noun[-1] in "ao" else ""
        if not ending or (not article and match["whose"] == "v"):
            return None
        return f"{article} {'nostr' if match['whose'] in 'Nn' else 'vostr'}{ending} ".lstrip()

    def _saint(self, match: re.Match[str]) -> str | None:
        name = match["name"]
        if not is_a_saint(match):
            return None
        if name[0] in "AEIOUÀÈÉ":
            return "Sant'"
        if name.endswith("a") and name not in ("Luca", "Nicola"):
            return "Santa "
        return "Santo " if re.match(r"S[^aeiou]|Z", name) else "San "

    def one(self, noun: str, before: str) -> str:
        """ "un libro", "uno zaino", "una casa", "un ora" (as it sounds)."""
        if not noun[:1].islower() or noun in SMALL_WORDS or NAMING.search(before):
            return super().one("", before)
        masculine = re.fullmatch(r"(?:problema|tema|programma|sistema|clima|poeta|pianeta|diploma|dramma)", noun)
        vowel = noun[0] in "aeiouàèéìòù"
        if (re.match(self.feminine, noun) or re.fullmatch(FEMININE_ONE, noun)) and not masculine:
            return "un" if vowel else "una"
        return "uno" if re.match(r"s[^aeiouàèéìòù]|z|gn|ps|x|y", noun) else "un"

    def counted(self, written: str, forms: list[str], scale: str = "") -> str:
        if forms[0] == "per cento":
            return f"{self.spoken(written)} per cento"
        return re.sub(r"\buna (?=[aeiou])", "un'", super().counted(written, forms, scale))

    def part(self, bottom: int) -> str | None:
        if bottom in self.parts:
            return self.parts[bottom]
        one = self.ordinal(bottom)
        return f"{one}|{one[:-1]}i"

    def ordinal(self, number: int, form: str = "m") -> str:
        return (
            re.sub(r"iesim", "iesim" if number == 3 else "esim", super().ordinal(number, form))
            if number > 20 and number % 10 == 6
            else super().ordinal(number, form)
        )

    def of_unit(self, unit: str) -> str:
        return f"di {unit}"

    def fraction(self, top: int, bottom: int) -> str:
        return "un mezzo" if (top, bottom) == (1, 2) else super().fraction(top, bottom)

    def regnal(self, number: int, name: str, before: str = "") -> str:
        return self.ordinal(number, "f" if (name.endswith("a") and name != "Andrea") or name == "Elisabetta" else "m")

    def century_words(self, number: int) -> str:
        return self.ordinal(number)

    def ordinal_rules(self) -> tuple[Rule, ...]:
        months = one_of(self.month_numbers)
        return (
            rule(r"(?<![\w.,])(?P<n>\d{1,7})\.?(?P<mark>[°ºª])(?! ?[CF]\b)(?!\w)", self._ordinal),
            rule(
                rf"(?<!\w)(?P<article>(?i:l|dell|dall|all|nell|sull))['’]1[°º]? (?P<month>{months})(?:\.|(?!\w))"
                r"(?: (?P<year>[12]\d{3}))?(?!\w)",
                self._first,
            ),
        )

    def _first(self, match: re.Match[str]) -> str:
        """ "l'1 luglio"."""
        article = WITH_FIRST[match["article"].casefold()]
        year = f" {self.year(int(match['year']))}" if match["year"] else ""
        month = self.month_names[self.month_numbers[match["month"]] - 1]
        said = f"{article.capitalize() if match['article'][0].isupper() else article} primo {month}{year}"
        return said + (self.sentence_stop(match) if match[0].endswith(".") else "")

    def _ordinal(self, match: re.Match[str]) -> str | None:
        behind = re.match(r" ([a-zà-ÿ]{3,})(?![\w'’])", text_after(match, 24))
        behind = None if behind and behind[1] in NO_NOUN else behind
        placed = re.search(
            r"(?i)\b(?:arriv\w+|class\w+|è|finì|finito|chiuso|chiude|sale|sono|era|fu) \Z", text_before(match, 16)
        )
        named = re.search(r"[A-Z][a-zà-ÿ]+ \(\Z", text_before(match, 16)) and text_after(match, 1) == ")"
        ranked = reports(match.string, self.score_words) and not WARM.search(match.string)
        article = AN_ARTICLE.search(text_before(match, 16)) and not WARM.search(match.string)
        angle = re.match(r" (?:di )?(?:lat|long|incl|pend|nord|sud)", text_after(match, 10))
        listed = re.match(r" (?:in (?:classifica|gara|graduatoria|campionato)|assolut)", text_after(match, 18))
        small = int(match["n"]) < 40 and (placed or ranked or listed or (article and not angle))
        warm = WARMTH.search(text_before(match, 12))
        if match["mark"] == "°" and (warm or (not behind and not named and not small)):
            return None
        feminine = match["mark"] == "ª" or (behind is not None and A_NOUN.fullmatch(behind[1]) and match["mark"] == "°")
        return self.ordinal(int(match["n"]), "f" if feminine else "m")
