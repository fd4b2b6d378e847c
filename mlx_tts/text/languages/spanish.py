"""Spanish: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.european import European


class Spanish(European):
    """Numbers that end in one agree with what they count."""

    def count(self, written: str, feminine: bool) -> str:
        number = super().count(written, feminine)
        if not number.endswith("uno"):
            return number
        if feminine:
            return f"{number[:-1]}a"
        return f"{number[:-3]}ún" if number.endswith("veintiuno") else number[:-1]


WORDS = Spanish(
    number_words="es",
    months="enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    date="{day} de {month}", date_year=" de {year}", written_date="DAY(?: de)? MONTH(?:(?: de)? YEAR)?",
    clock="{hour} y {minute}", full_hour="{hour} en punto", one="un|una", to="a", minus="menos", point="coma",
    percent="por ciento", with_cents="{money} con {cents}",
    abbreviations={"Sr.": "señor", "Sra.": "señora", "Srta.": "señorita", "Dr.": "doctor", "Dra.": "doctora",
                   "Ud.": "usted", "Uds.": "ustedes", "EE. UU.": "Estados Unidos", "EE.UU.": "Estados Unidos",
                   "etc.": "etcétera", "p. ej.": "por ejemplo", "n.º": "número", "N.º": "número", "núm.": "número",
                   "pág.": "página", "&": "y", "aprox.": "aproximadamente", "avda.": "avenida"},
    money={"€": "euro|euros|céntimo|céntimos", "$": "dólar|dólares|centavo|centavos",
           "£": "libra|libras|penique|peniques", "EUR": "euro|euros|céntimo|céntimos"},
    units={"km/h": "kilómetro por hora|kilómetros por hora", "km": "kilómetro|kilómetros", "m": "metro|metros",
           "cm": "centímetro|centímetros", "mm": "milímetro|milímetros", "kg": "kilogramo|kilogramos",
           "g": "gramo|gramos", "l": "litro|litros", "ml": "mililitro|mililitros",
           "°C": "grado Celsius|grados Celsius", "°": "grado|grados", "h": "hora|horas", "min": "minuto|minutos",
           "GB": "gigabyte|gigabytes", "m²": "metro cuadrado|metros cuadrados"},
    feminine=("h", "£"), after_millions=" de",
)  # fmt: skip
LANGUAGE = Language(
    name="spanish",
    spellings="es spa español espanol castellano castilian",
    common_words="el la los las de que y en un una es no se por con para su al lo como más pero sus le ya o este sí "
    "porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante está "
    "son fue era del",
    own_letters="ñ¿¡",
    sentences="es",
    sample="¿Oíste la lluvia anoche? Empezó a medianoche, y por la mañana brillaba todo el jardín. Me preparé un"
    " té y miré cómo volvían los pájaros.",
    normalise=WORDS.normalise,
)
