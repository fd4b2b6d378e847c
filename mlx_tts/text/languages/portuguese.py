"""Portuguese: its names, how a text in it is known and cut, and its words for numbers and signs."""

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.european import European

WORDS = European(
    number_words="pt_BR",
    months="janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    date="{day} de {month}", date_year=" de {year}", written_date="DAY(?: de)? MONTH(?:(?: de)? YEAR)?",
    clock="{hour} hora e {minute} minutos|{hour} horas e {minute} minutos", full_hour="{hour} hora|{hour} horas",
    one="um|uma", to="a", minus="menos", point="vírgula", percent="por cento", with_cents="{money} e {cents}",
    abbreviations={"Sr.": "senhor", "Sra.": "senhora", "Dr.": "doutor", "Dra.": "doutora", "etc.": "et cetera",
                   "p. ex.": "por exemplo", "n.º": "número", "nº": "número", "pág.": "página",
                   "aprox.": "aproximadamente", "&": "e", "EUA": "Estados Unidos"},
    money={"€": "euro|euros|cêntimo|cêntimos", "R$": "real|reais|centavo|centavos",
           "$": "dólar|dólares|centavo|centavos", "£": "libra|libras|penny|pence"},
    units={"km/h": "quilômetro por hora|quilômetros por hora", "km": "quilômetro|quilômetros", "m": "metro|metros",
           "cm": "centímetro|centímetros", "mm": "milímetro|milímetros", "kg": "quilograma|quilogramas",
           "g": "grama|gramas", "l": "litro|litros", "ml": "mililitro|mililitros", "°C": "grau Celsius|graus Celsius",
           "°": "grau|graus", "h": "hora|horas", "min": "minuto|minutos", "GB": "gigabyte|gigabytes",
           "m²": "metro quadrado|metros quadrados"},
    feminine=("h", "£"), first_of_month="primeiro",
    hours={1: "uma", 2: "duas", 21: "vinte e uma", 22: "vinte e duas"}, after_millions=" de",
)  # fmt: skip
LANGUAGE = Language(
    name="portuguese",
    spellings="pt por português portugues",
    common_words="o a os as de que e em um uma é não se por com para do da dos das no na ao mais como mas foi ele ela "
    "seu sua ou ser quando muito nos já está eu também só pelo pela até isso entre era são depois sem "
    "mesmo aos você",
    own_letters="ãõ",
    sentences="pt",
    sample="Você ouviu a chuva ontem à noite? Começou à meia-noite, e de manhã o jardim inteiro brilhava. Fiz um"
    " chá e fiquei olhando os pássaros.",
    normalise=WORDS.normalise,
)
