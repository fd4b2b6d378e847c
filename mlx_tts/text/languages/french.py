"""French: its names, how a text in it is known and cut, and its words for numbers and signs."""

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.european import European

WORDS = European(
    number_words="fr", months="janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    date="{day} {month}", date_year=" {year}", written_date="DAY(?:er)? MONTH(?: YEAR)?",
    clock="{hour} heure {minute}|{hour} heures {minute}", full_hour="{hour} heure|{hour} heures", one="un|une",
    to="à", minus="moins", point="virgule", percent="pour cent", with_cents="{money} {cents}",
    abbreviations={"M.": "Monsieur", "Mme": "Madame", "Mlle": "Mademoiselle", "Dr": "Docteur", "n°": "numéro",
                   "N°": "numéro", "p. ex.": "par exemple", "etc.": "et cetera", "c.-à-d.": "c'est-à-dire",
                   "env.": "environ", "St": "Saint", "Ste": "Sainte", "&": "et", "§": "paragraphe", "1er": "premier",
                   "1re": "première"},
    money={"€": "euro|euros|centime|centimes", "$": "dollar|dollars|cent|cents", "£": "livre|livres|penny|pence",
           "EUR": "euro|euros|centime|centimes"},
    units={"km/h": "kilomètre par heure|kilomètres par heure", "km": "kilomètre|kilomètres", "m": "mètre|mètres",
           "cm": "centimètre|centimètres", "mm": "millimètre|millimètres", "kg": "kilogramme|kilogrammes",
           "g": "gramme|grammes", "l": "litre|litres", "ml": "millilitre|millilitres",
           "°C": "degré Celsius|degrés Celsius", "°": "degré|degrés", "h": "heure|heures", "min": "minute|minutes",
           "Go": "gigaoctet|gigaoctets", "m²": "mètre carré|mètres carrés"},
    feminine=("h", "min", "£"), first_of_month="premier", singular=("0", "1"), hours={1: "une", 21: "vingt et une"},
    minutes=r"(?: ?h ?|:)(?P<minute>[0-5]\d)", after_millions=" de",
)  # fmt: skip
LANGUAGE = Language(
    name="french",
    spellings="fr fra fre français francais",
    common_words="le la les de des un une et est à en que qui dans pour pas sur il elle ce se ne au aux du avec plus "
    "par son sa ses je vous nous sont mais ou cette on été comme tout leur être fait aussi bien c'est l' "
    "d' très où ils était étaient avait près chez sans sous deux homme femme jour votre notre",
    own_letters="œ",
    sentences="fr",
    sample="As-tu entendu la pluie cette nuit ? Elle a commencé vers minuit, et ce matin tout le jardin "
    "brillait. J'ai préparé du thé et j'ai regardé les oiseaux.",
    normalise=WORDS.normalise,
)
