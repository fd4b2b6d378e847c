"""What the European languages other than English call months, signs, measures and money, as data."""

from __future__ import annotations

from dataclasses import dataclass

from mlx_tts.text.normalise.rules import words_of


@dataclass(frozen=True)
class Tongue:
    """code: num2words' name. forms: one, several (Russian: 1, 2 to 4, 5 and more; between bars). clock: {hour} and
    {minute}. A measure without an entry is left as it is written: nothing is better than a wrong word."""

    code: str
    months: tuple[str, ...]
    date: str  # {day} {month} {year}
    first_of_month: str  # what the first is called, where the others are plain numbers; "" where they are not
    clock: str
    full_hour: str
    to: str
    minus: str
    point: str
    percent: str
    words: dict[str, str]  # signs and abbreviations
    money: dict[str, str]
    units: dict[str, str]
    feminine: tuple[str, ...] = ()  # measures before which "one" is feminine


GERMAN = Tongue(
    "de",
    tuple(words_of(
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
)),
    "{day} {month} {year}", "", "{hour} Uhr {minute}", "{hour} Uhr", "bis", "minus", "Komma", "Prozent|Prozent",
    {"z. B.": "zum Beispiel", "z.B.": "zum Beispiel", "d. h.": "das heißt", "d.h.": "das heißt",
     "usw.": "und so weiter",
     "bzw.": "beziehungsweise", "u. a.": "unter anderem", "u.a.": "unter anderem", "ca.": "circa", "Nr.": "Nummer",
     "Dr.": "Doktor", "Prof.": "Professor", "Hr.": "Herr", "Fr.": "Frau", "Str.": "Straße", "evtl.": "eventuell",
     "ggf.": "gegebenenfalls", "vgl.": "vergleiche", "inkl.": "inklusive", "Mio.": "Millionen", "Mrd.": "Milliarden",
     "&": "und", "§": "Paragraf"},
    {"€": "Euro|Euro|Cent|Cent", "$": "Dollar|Dollar|Cent|Cent", "£": "Pfund|Pfund|Pence|Pence",
     "EUR": "Euro|Euro|Cent|Cent"},
    {"km/h": "Kilometer pro Stunde|Kilometer pro Stunde", "km": "Kilometer|Kilometer", "m": "Meter|Meter",
     "cm": "Zentimeter|Zentimeter", "mm": "Millimeter|Millimeter", "kg": "Kilogramm|Kilogramm", "g": "Gramm|Gramm",
     "l": "Liter|Liter", "ml": "Milliliter|Milliliter", "°C": "Grad Celsius|Grad Celsius", "°": "Grad|Grad",
     "h": "Stunde|Stunden", "min": "Minute|Minuten", "GB": "Gigabyte|Gigabyte", "MB": "Megabyte|Megabyte",
     "m²": "Quadratmeter|Quadratmeter", "kW": "Kilowatt|Kilowatt", "kWh": "Kilowattstunde|Kilowattstunden"},
    ("h", "min", "kWh"),
)  # fmt: skip
FRENCH = Tongue(
    "fr",
    tuple(words_of(
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
)),
    "{day} {month} {year}", "premier", "{hour} heures {minute}", "{hour} heures", "à", "moins", "virgule",
    "pour cent|pour cent",
    {"M.": "Monsieur", "Mme": "Madame", "Mlle": "Mademoiselle", "Dr": "Docteur", "n°": "numéro", "N°": "numéro",
     "p. ex.": "par exemple", "etc.": "et cetera", "c.-à-d.": "c'est-à-dire", "env.": "environ", "St": "Saint",
     "Ste": "Sainte", "&": "et", "§": "paragraphe", "1er": "premier", "1re": "première"},
    {"€": "euro|euros|centime|centimes", "$": "dollar|dollars|cent|cents", "£": "livre|livres|penny|pence",
     "EUR": "euro|euros|centime|centimes"},
    {"km/h": "kilomètre par heure|kilomètres par heure", "km": "kilomètre|kilomètres", "m": "mètre|mètres",
     "cm": "centimètre|centimètres", "mm": "millimètre|millimètres", "kg": "kilogramme|kilogrammes",
     "g": "gramme|grammes",
     "l": "litre|litres", "ml": "millilitre|millilitres", "°C": "degré Celsius|degrés Celsius", "°": "degré|degrés",
     "h": "heure|heures", "min": "minute|minutes", "Go": "gigaoctet|gigaoctets", "m²": "mètre carré|mètres carrés"},
    ("h", "min", "£"),
)  # fmt: skip
SPANISH = Tongue(
    "es",
    tuple(words_of(
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
)),
    "{day} de {month} de {year}", "", "{hour} y {minute}", "{hour} en punto", "a", "menos", "coma",
    "por ciento|por ciento",
    {"Sr.": "señor", "Sra.": "señora", "Srta.": "señorita", "Dr.": "doctor", "Dra.": "doctora", "Ud.": "usted",
     "Uds.": "ustedes", "EE. UU.": "Estados Unidos", "EE.UU.": "Estados Unidos", "etc.": "etcétera",
     "p. ej.": "por ejemplo", "n.º": "número", "N.º": "número", "núm.": "número", "pág.": "página", "&": "y",
     "aprox.": "aproximadamente", "avda.": "avenida"},
    {"€": "euro|euros|céntimo|céntimos", "$": "dólar|dólares|centavo|centavos", "£": "libra|libras|penique|peniques",
     "EUR": "euro|euros|céntimo|céntimos"},
    {"km/h": "kilómetro por hora|kilómetros por hora", "km": "kilómetro|kilómetros", "m": "metro|metros",
     "cm": "centímetro|centímetros", "mm": "milímetro|milímetros", "kg": "kilogramo|kilogramos", "g": "gramo|gramos",
     "l": "litro|litros", "ml": "mililitro|mililitros", "°C": "grado Celsius|grados Celsius", "°": "grado|grados",
     "h": "hora|horas", "min": "minuto|minutos", "GB": "gigabyte|gigabytes", "m²": "metro cuadrado|metros cuadrados"},
    ("h", "£"),
)  # fmt: skip
ITALIAN = Tongue(
    "it",
    tuple(words_of(
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"
)),
    "{day} {month} {year}", "primo", "{hour} e {minute}", "{hour} in punto", "a", "meno", "virgola",
    "per cento|per cento",
    {"Sig.": "signor", "Sig.ra": "signora", "Dott.": "dottor", "dott.": "dottor", "Prof.": "professor",
     "ecc.": "eccetera", "p. es.": "per esempio", "n.": "numero", "pag.": "pagina", "&": "e", "ca.": "circa"},
    {"€": "euro|euro|centesimo|centesimi", "$": "dollaro|dollari|centesimo|centesimi",
     "£": "sterlina|sterline|penny|pence", "EUR": "euro|euro|centesimo|centesimi"},
    {"km/h": "chilometro all'ora|chilometri all'ora", "km": "chilometro|chilometri", "m": "metro|metri",
     "cm": "centimetro|centimetri", "mm": "millimetro|millimetri", "kg": "chilogrammo|chilogrammi",
     "g": "grammo|grammi",
     "l": "litro|litri", "ml": "millilitro|millilitri", "°C": "grado Celsius|gradi Celsius", "°": "grado|gradi",
     "h": "ora|ore", "min": "minuto|minuti", "GB": "gigabyte|gigabyte", "m²": "metro quadrato|metri quadrati"},
    ("h", "£"),
)  # fmt: skip
PORTUGUESE = Tongue(
    "pt_BR",
    tuple(words_of(
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"
)),
    "{day} de {month} de {year}", "primeiro", "{hour} horas e {minute} minutos", "{hour} horas", "a", "menos",
    "vírgula", "por cento|por cento",
    {"Sr.": "senhor", "Sra.": "senhora", "Dr.": "doutor", "Dra.": "doutora", "etc.": "et cetera",
     "p. ex.": "por exemplo", "n.º": "número", "nº": "número", "pág.": "página", "aprox.": "aproximadamente", "&": "e",
     "EUA": "Estados Unidos"},
    {"€": "euro|euros|cêntimo|cêntimos", "R$": "real|reais|centavo|centavos", "$": "dólar|dólares|centavo|centavos",
     "£": "libra|libras|penny|pence"},
    {"km/h": "quilômetro por hora|quilômetros por hora", "km": "quilômetro|quilômetros", "m": "metro|metros",
     "cm": "centímetro|centímetros", "mm": "milímetro|milímetros", "kg": "quilograma|quilogramas", "g": "grama|gramas",
     "l": "litro|litros", "ml": "mililitro|mililitros", "°C": "grau Celsius|graus Celsius", "°": "grau|graus",
     "h": "hora|horas", "min": "minuto|minutos", "GB": "gigabyte|gigabytes", "m²": "metro quadrado|metros quadrados"},
    ("h", "£"),
)  # fmt: skip
RUSSIAN = Tongue(
    "ru",
    tuple(words_of(
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря"
)),
    "{day} {month} {year} года", "", "{hour} {minute}", "{hour} ноль ноль", "до", "минус", "и",
    "процент|процента|процентов",
    {"т. е.": "то есть", "т.е.": "то есть", "и т. д.": "и так далее", "и т.д.": "и так далее",
     "и т.п.": "и тому подобное",
     "т.к.": "так как", "т. к.": "так как", "напр.": "например", "др.": "другие", "ул.": "улица", "стр.": "страница",
     "№": "номер", "&": "и", "г-н": "господин", "г-жа": "госпожа"},
    {"₽": "рубль|рубля|рублей|копейка|копейки|копеек", "руб.": "рубль|рубля|рублей|копейка|копейки|копеек",
     "$": "доллар|доллара|долларов|цент|цента|центов", "€": "евро|евро|евро|цент|цента|центов"},
    {"км/ч": "километр в час|километра в час|километров в час", "км": "километр|километра|километров",
     "м": "метр|метра|метров", "см": "сантиметр|сантиметра|сантиметров", "мм": "миллиметр|миллиметра|миллиметров",
     "кг": "килограмм|килограмма|килограммов", "г": "грамм|грамма|граммов", "л": "литр|литра|литров",
     "мл": "миллилитр|миллилитра|миллилитров", "°C": "градус Цельсия|градуса Цельсия|градусов Цельсия",
     "°": "градус|градуса|градусов", "ч": "час|часа|часов", "мин": "минута|минуты|минут",
     "ГБ": "гигабайт|гигабайта|гигабайт"},
    ("мин",),
)  # fmt: skip
TONGUES = {"german": GERMAN, "french": FRENCH, "spanish": SPANISH, "italian": ITALIAN, "portuguese": PORTUGUESE,
           "russian": RUSSIAN}  # fmt: skip
