"""German: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

import re

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.european import START, European, before
from mlx_tts.text.normalise.rules import Rule, rule

ARTICLE = re.compile(r"\b(?:am|vom|zum|dem|den|des|beim|im|der|die|das)\s\Z", re.IGNORECASE)
DECLINED = re.compile(r"\b(?:am|vom|zum|dem|den|des|bis|beim|seit|im)\s\Z", re.IGNORECASE)


class German(European):
    """Ordinals: "der dritte", but "am dritten"; years in hundreds."""

    def day(self, number: int, before: str) -> str:
        return self.cardinal(number, to="ordinal") + ("n" if DECLINED.search(before) else "")

    def year(self, number: int) -> str:
        return self.cardinal(number, to="year") if 1100 <= number < 2000 else self.cardinal(number)

    def own_rules(self) -> tuple[Rule, ...]:
        return (
            rule(r"(?<=\b(?:am|im|em|om|um|en|es|er|ie|as) )(?P<n>\d{1,2})\.(?= [A-ZÄÖÜ][a-zäöüß])",
                 lambda m: self.day(int(m["n"]), before(m)) if ARTICLE.search(before(m)) else None),
            rule(rf"{START}(?P<n>[12]\d{{3}})(?![\w.,]\d|\w)", lambda m: self.year(int(m["n"]))),
        )  # fmt: skip


WORDS = German(
    number_words="de", months="Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    date="{day} {month}", date_year=" {year}", written_date=r"DAY\.? MONTH(?: YEAR)?", clock="{hour} Uhr {minute}",
    full_hour="{hour} Uhr", one="ein|eine", to="bis", minus="minus", point="Komma", percent="Prozent",
    with_cents="{money} {number}",
    abbreviations={"z. B.": "zum Beispiel", "z.B.": "zum Beispiel", "d. h.": "das heißt", "d.h.": "das heißt",
                   "usw.": "und so weiter", "bzw.": "beziehungsweise", "u. a.": "unter anderem",
                   "u.a.": "unter anderem", "ca.": "circa", "Nr.": "Nummer", "Dr.": "Doktor", "Prof.": "Professor",
                   "Hr.": "Herr", "Fr.": "Frau", "Str.": "Straße", "evtl.": "eventuell", "ggf.": "gegebenenfalls",
                   "vgl.": "vergleiche", "inkl.": "inklusive", "Mio.": "Millionen", "Mrd.": "Milliarden", "&": "und",
                   "§": "Paragraf"},
    money={"€": "Euro|Euro|Cent|Cent", "$": "Dollar|Dollar|Cent|Cent", "£": "Pfund|Pfund|Pence|Pence",
           "EUR": "Euro|Euro|Cent|Cent"},
    units={"km/h": "Kilometer pro Stunde", "km": "Kilometer", "m": "Meter", "cm": "Zentimeter", "mm": "Millimeter",
           "kg": "Kilogramm", "g": "Gramm", "l": "Liter", "ml": "Milliliter", "°C": "Grad Celsius", "°": "Grad",
           "h": "Stunde|Stunden", "min": "Minute|Minuten", "GB": "Gigabyte", "MB": "Megabyte", "m²": "Quadratmeter",
           "kW": "Kilowatt", "kWh": "Kilowattstunde|Kilowattstunden"},
    feminine=("h", "min", "kWh"), hours={1: "ein"},
    minutes=r"(?::|\.(?=\d\d ?Uhr(?![\d:])))(?P<minute>[0-5]\d)(?: ?Uhr)?",
)  # fmt: skip
LANGUAGE = Language(
    name="german",
    spellings="de deu ger deutsch",
    common_words="der die das und ist nicht ein eine zu den mit sich des auf für von dem im es auch als an werden aus "
    "er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder "
    "aber vor zur bis mehr ich wir",
    own_letters="ß",
    sentences="de",
    sample="Hast du heute Nacht den Regen gehört? Um Mitternacht fing er an, und am Morgen glänzte der ganze "
    "Garten. Ich machte mir einen Tee und sah den Vögeln zu.",
    normalise=WORDS.normalise,
)
