"""Italian: its names, how a text in it is known and cut, and its words for numbers and signs."""

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.european import European

WORDS = European(
    number_words="it",
    months="gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    date="{day} {month}", date_year=" {year}", written_date=r"DAY\.? MONTH(?: YEAR)?", clock="{hour} e {minute}",
    full_hour="{hour} in punto", one="un|una", to="a", minus="meno", point="virgola", percent="per cento",
    with_cents="{money} e {cents}",
    abbreviations={"Sig.": "signor", "Sig.ra": "signora", "Dott.": "dottor", "dott.": "dottor", "Prof.": "professor",
                   "ecc.": "eccetera", "p. es.": "per esempio", "n.": "numero", "pag.": "pagina", "&": "e",
                   "ca.": "circa"},
    money={"€": "euro|euro|centesimo|centesimi", "$": "dollaro|dollari|centesimo|centesimi",
           "£": "sterlina|sterline|penny|pence", "EUR": "euro|euro|centesimo|centesimi"},
    units={"km/h": "chilometro all'ora|chilometri all'ora", "km": "chilometro|chilometri", "m": "metro|metri",
           "cm": "centimetro|centimetri", "mm": "millimetro|millimetri", "kg": "chilogrammo|chilogrammi",
           "g": "grammo|grammi", "l": "litro|litri", "ml": "millilitro|millilitri",
           "°C": "grado Celsius|gradi Celsius", "°": "grado|gradi", "h": "ora|ore", "min": "minuto|minuti",
           "GB": "gigabyte", "m²": "metro quadrato|metri quadrati"},
    feminine=("h", "£"), first_of_month="primo", after_millions=" di",
)  # fmt: skip
LANGUAGE = Language(
    name="italian",
    spellings="it ita italiano",
    common_words="il la lo gli le di che e è un una in per non con del della dei sono si da come anche più ma al alla "
    "nel nella questo ho mi ti ci se suo sua tutto molto fatto quando era essere stato perché dal delle "
    "ha io",
    sentences="it",
    sample="Hai sentito la pioggia stanotte? È cominciata a mezzanotte, e al mattino tutto il giardino brillava."
    " Ho fatto un tè e ho guardato tornare gli uccelli.",
    normalise=WORDS.normalise,
)
