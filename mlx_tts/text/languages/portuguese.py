"""Portuguese: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

import re
from functools import cached_property

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.engine import Kind, Rule, rule
from mlx_tts.text.normalise.european import European
from mlx_tts.text.normalise.european_rules import EuropeanReader


class Portuguese(European):
    """Two has a gender as well; parts above ten are "avos"."""

    def spelling(self, words: str) -> str:
        """Between millions and thousands there is no "e"."""
        return re.sub(r"(lhão|lhões) e (?=\w+(?: e \w+){0,3} mil\b)", r"\1 ", words)

    def form(self, plain: str, forms: list[str]) -> str:
        return forms[0 if 0 < float(plain.replace(",", ".")) < 2 else -1]

    def one(self, noun: str, before: str) -> str:
        masculine = r"(?:dia|mapa|problema|tema|programa|sistema|idioma|planeta|clima|grama|poeta|para|a|da|na|uma|era)"
        feminine = re.fullmatch(r"[a-zà-ÿ]+(?:a|ção|são|dade|gem)", noun) and not re.fullmatch(masculine, noun)
        return self.cardinal(1, "f") if feminine else super().one(noun, before)

    def part(self, bottom: int) -> str | None:
        return self.parts.get(bottom) or f"{self.cardinal(bottom)} avos|{self.cardinal(bottom)} avos"

    def fraction(self, top: int, bottom: int) -> str:
        return "um meio" if (top, bottom) == (1, 2) else super().fraction(top, bottom)

    def of_unit(self, unit: str) -> str:
        return f"de {unit}"

    def ordinal_rules(self) -> tuple[Rule, ...]:
        return (
            rule(r"(?<![\w.,])(?P<n>\d{1,3}(?:\.\d{3}){1,2}|\d{1,7})\.?(?P<mark>[ºª°ᵒᵃ])(?! ?[CF]\b)(?!\w)",
                 self._ordinal),
            rule(r"(?<![\w.,])(?P<n>\d{1,3})(?P<mark>[oa])(?= [a-zà-ÿ]{4})", self._ordinal),
        )  # fmt: skip

    def _ordinal(self, match: re.Match[str]) -> str | None:
        if match["mark"] == "°" and not re.match(r" [a-zà-ÿ]{4,}", match.string[match.end() :]):
            return None
        return self.ordinal(int(match["n"].replace(".", "")), "f" if match["mark"] in "ªaᵃ" else "m")

    def time(self, hour: int, minute: int, second: int | None, match: re.Match[str]) -> str:
        said = super().time(hour, minute, second, match)
        return said.removesuffix(" minutos") if "h" in match[0] and second is None else said

    @cached_property
    def unit_names(self) -> dict[str, str]:
        """Without miles: "1,2 mi" are millions."""
        return {sign: forms for sign, forms in super().unit_names.items() if sign != "mi"}

    def own_kinds(self) -> tuple[Kind, ...]:
        return (
            Kind("time", re.compile(r"\d/\d{1,2} ?h"), (
                rule(r"(?<=\bde )(?P<n>\d{1,2})/(?P=n) ?h(?:oras?)?(?!\w)",
                     lambda m: f"{self.cardinal(int(m['n']), 'f')} em {self.cardinal(int(m['n']), 'f')} "
                         f"hora{'' if m['n'] == '1' else 's'}"),
            )),
            Kind("score", re.compile(r"\dx\d|\d x \d"), (
                rule(r"(?<![\w.,])(?P<a>\d{1,2}) ?x ?(?P<b>\d{1,2})(?=[ ,.;)]|\Z)(?! ?(?:[cm]?m|km|[=+x-]|R\$)\b)(?! "
                    r"?[=x])",
                     lambda m: f"{self.cardinal(int(m['a']))} a {self.cardinal(int(m['b']))}"
                     if re.search(r"(?i)\b(?:gols?|jogo|jogos|placar|vencer?|venceu|empat\w+|derrot\w+|tempo|rodada|"
                     r"final|"
                                  r"time|vitória|goleada|partida|campeonato|copa)\b", m.string) else None),
            )),
            Kind("name", re.compile(r"\bD\."), (
                rule(r"(?<![\w.])D\.(?= (?P<name>[A-ZÀ-Þ][a-zà-ÿ]+))",
                     lambda m: "dona" if m["name"].endswith("a") or m["name"] in ("Isabel", "Inês", "Beatriz")
                     else "dom"),
            )),
            Kind("address", re.compile(r"R\. [A-Zd]|ext\.|ramal"), (
                rule(r"(?<!\w)R\.(?= (?:d[aeo]s? )?[A-ZÀ-Þ][a-zà-ÿ]+[^.]*?,)", lambda m: "rua"),
                rule(r"(?<=\d )(?P<word>ext\.|ramal) (?P<n>\d{1,6})(?!\w)",
                     lambda m: f"{'extensão' if m['word'] == 'ext.' else 'ramal'} {self.digits(m['n'])}"),
            )),)  # fmt: skip


WORDS = Portuguese(
    code="pt",
    article="(?:dia )?", and_fraction="e ", month_first=True,
    genders={"m": "cardinal-masculine", "f": "cardinal-feminine"}, numbering="numbering",
        ordinals={"m": "ordinal-masculine", "f": "ordinal-feminine"},
    date="{day} de {month}", date_year=" de {year}", written_date="DAY(?:º|°)?(?: de)? MONTH(?:(?: de)? YEAR)?",
        first_of_month="primeiro",
    days="segunda terça quarta quinta sexta sábado domingo",
        clock="{hour} hora e {minute} minutos|{hour} horas e {minute} minutos", full_hour="{hour} hora|{hour} horas",
    with_seconds="{hours} e {minutes} e {seconds}", hours={1: "uma", 2: "duas", 21: "vinte e uma", 22: "vinte e duas"},
    hour_sign=":| ?h ?", hour_words=r"(?: ?h(?:s|oras)?\b| ?min\b)?", to="a", minus="menos", plus="mais",
        point="vírgula", dot="ponto",
    percent="por cento|por cento", with_cents="{money} e {cents}", half="meio|meia", and_half="e meio|e meia",
    parts={2: "meio|meios", 3: "terço|terços", 4: "quarto|quartos", 5: "quinto|quintos", 6: "sexto|sextos",
        7: "sétimo|sétimos", 8: "oitavo|oitavos", 9: "nono|nonos",
           10: "décimo|décimos", 100: "centésimo|centésimos", 1000: "milésimo|milésimos"},
    over="sobre", times="vezes", by="por", equals="é igual a", per="por", hashtag="hashtag", score="{a} a {b}",
        centuries=(r"(?P<before>\b(?:[Ss]éculos?|[Ss]éc\.) )NUMERAL\b",), ordinal_nouns="Guerra Mundial",
        scale_of=" de",
    feminine=r"(?:atmosfera|parte|hora|milha|libra|polegada|jarda|tonelada|onça|caloria|quilocaloria|xícara|colher|"
    r"pessoa|vez|"
         r"semana|noite|mulher|menina|casa|página|vezes)\b",
    feminine_plural=r"(?!(?:dias|problemas|programas|sistemas|temas|mapas|planetas|idiomas|gramas|quilogramas|"
         r"artistas|turistas)\b)(?:\w+[aã]s|mulheres|vezes|noites|colheres|flores|partes|cidades|nozes|pessoas|"
         r"viagens|imagens|opções|ações|questões|regiões|estações|refeições)\b",
    scales={"mi": "milhão|milhões", "bi": "bilhão|bilhões", "tri": "trilhão|trilhões", "mil": "mil|mil",
        "milhão": "milhão|milhões", "bilhão": "bilhão|bilhões", "M": "milhão|milhões"},
    scale_words=("milhões", "bilhões", "trilhões", "mil milhões"),
    abbreviations={"Sr.": "senhor", "Sra.": "senhora", "Srta.": "senhorita", "Srs.": "senhores", "Dr.": "doutor",
        "Dra.": "doutora", "Prof.": "professor", "Profa.": "professora",
                   "etc.": "et cetera", "p. ex.": "por exemplo", "p.ex.": "por exemplo", "n.º": "número",
                       "nº": "número", "N.º": "número", "n°": "número", "pág.": "página", "págs.": "páginas",
                   "aprox.": "aproximadamente", "EUA": "Estados Unidos", "ap.": "apartamento", "apto.": "apartamento",
                       "Apto.": "apartamento", "Av.": "avenida", "av.": "avenida",
                   "Tel.": "telefone", "tel.": "telefone", "a.C.": "antes de Cristo", "d.C.": "depois de Cristo",
                       "a. C.": "antes de Cristo", "d. C.": "depois de Cristo", "séc.": "século",
                   "tb": "também", "tbm": "também", "obg": "obrigado", "vc": "você", "vcs": "vocês", "pq": "porque",
                       "hj": "hoje", "blz": "beleza", "Exmo.": "excelentíssimo", "Sto.": "Santo",
                   "Sta.": "Santa", "Cia.": "companhia", "Ltda.": "limitada", "art.": "artigo", "máx.": "máximo",
                       "mín.": "mínimo", "cx.": "caixa", "q.b.": "quanto baste", "Eng.": "engenheiro",
                   "V. Exa.": "vossa excelência", "depto.": "departamento", "c. sopa": "colher de sopa",
                       "c. chá": "colher de chá", "msg": "mensagem", "qdo": "quando", "fds": "fim de semana",
                       "§": "parágrafo", "cond.": "condomínio", "s/n": "sem número", "hab.": "habitantes",
                       "conj.": "conjunto", "Att.": "atenciosamente", "incl.": "incluído", "i.e.": "isto é",
                       "i. e.": "isto é",
                       "obs.": "observação", "Obs.": "observação", "pça.": "praça", "Pça.": "praça",
                       "Trav.": "travessa",
                       "pgto.": "pagamento", "ref.": "referência"},
    before_numbers={"p.": "página", "pp.": "páginas", "cap.": "capítulo", "vol.": "volume", "fig.": "figura",
        "Art.": "artigo", "Km": "quilômetro", "km": "quilômetro", "Cap.": "capítulo", "Fig.": "figura", "bl.": "bloco",
        "Bl.": "bloco"},
    enders=("etc.", "EUA"), titles=("Sr.", "Sra.", "Srta.", "Dr.", "Dra.", "Prof.", "Profa.", "Av.", "Sto.", "Sta.",
        "Eng."),
    money={"€": "euro|euros|centavo|centavos", "R$": "real|reais|centavo|centavos",
        "$": "dólar|dólares|centavo|centavos", "US$": "dólar|dólares|centavo|centavos", "£": "libra|libras|penny|pence",
           "¥": "iene|ienes|sen|sen", "EUR": "euro|euros|centavo|centavos", "USD": "dólar|dólares|centavo|centavos",
               "BRL": "real|reais|centavo|centavos", "reais": "real|reais|centavo|centavos",
           "euros": "euro|euros|centavo|centavos", "dólares": "dólar|dólares|centavo|centavos"},
    century_noun="século", centuries_noun="séculos", minute_of_play="{number} minutos", power="elevado a",
    per_words={"dia": "dia", "mês": "mês", "ano": "ano", "semana": "semana", "pessoa": "pessoa", "noite": "noite"},
    short_month_words="(?:desde|até|fim de|início de|meados de)(?! (?:mar|set|out|dez|ago)\\b)", between_days="a|ao|e",
    divided="dividido por", pressure_words="pressão|PA|tensão", pressure="{a} por {b}",
    units={"mmHg": "milímetro de mercúrio|milímetros de mercúrio",
        "mm Hg": "milímetro de mercúrio|milímetros de mercúrio",
            "km/s": "quilômetro por segundo|quilômetros por segundo", "kg": "quilograma|quilogramas",
        "seg": "segundo|segundos", "hs": "hora|horas", "hab.": "habitante|habitantes", "un.": "unidade|unidades",
        "xíc.": "xícara|xícaras",
           "pess.": "pessoa|pessoas", "sem.": "semana|semanas", "pts": "ponto|pontos", "qtos.": "quarto|quartos",
           "bpm": "batimento por minuto|batimentos por minuto", "t": "tonelada|toneladas",
           "atm": "atmosfera|atmosferas",
           "ppm": "parte por milhão|partes por milhão", "bar": "bar|bares",
           "cm³": "centímetro cúbico|centímetros cúbicos",
           "dB": "decibel|decibéis", "Mbps": "megabit por segundo|megabits por segundo", "colh.": "colher|colheres",
           "col.": "colher|colheres",
               "km/h": "quilômetro por hora|quilômetros por hora"},
    web={"²": "ao quadrado", "³": "ao cubo", ".": "ponto", "-": "hífen", "_": "sublinhado", "/": "barra",
        ":": "dois pontos", "@": "arroba", "+": "mais", "&": "e", "~": "til", "=": "igual", "%": "por cento",
        "#": "cerquilha"},
    queens=".*a|Isabel",
    rulers=["João", "Pedro", "Manuel", "Afonso", "Luís", "Carlos", "Filipe", "Felipe", "José", "Maria", "Paulo",
        "Bento", "Pio", "Leão", "Henrique", "Jorge", "Eduardo", "Elizabeth", "Isabel", "Sebastião", "Sancho", "Dinis",
        "Duarte", "Fernando", "Napoleão", "Francisco", "Alexandre", "Nicolau", "Catarina", "Guilherme", "Ricardo",
        "Gregório", "Inocêncio", "Urbano", "Clemente", "Frederico", "Leopoldo", "Ramsés"],
    numbered_nouns=("capítulo", "Capítulo", "tomo", "Tomo", "volume", "Volume", "ato", "Ato", "parte", "Parte", "fase",
        "tipo", "Título", "artigo", "Guerra Mundial", "nível", "grau", "ano", "anexo", "Anexo", "livro", "Livro",
        "seção"),
    date_words=r"(?:dia|até|em|no dia|desde)",
        score_words=r"(?:venceu|venceram|ganhou|ganharam|perdeu|perderam|empatou|empataram|bateu|derrotou|goleou|"
        r"placar|resultado|vence|marcou)",
    telephone_words="Tel\\.|tel\\.|Telefone|telefone|ligue para|ligar para|ligue|Celular|celular|WhatsApp|Fone|fone|"
        "Fax|disque",
    fixed={"50/50": "cinquenta cinquenta", "24/7": "vinte e quatro sete", "24h": "vinte e quatro horas"},
        measure_words="xícara colher copo litro quilo hora dúzia lata taça cebola limão maço",
    chat={"q": "que", "d": "de", "tá": "está", "bjs": "beijos", "abs": "abraços", "vlw": "valeu", "flw": "falou",
        "td": "tudo", "mt": "muito", "mto": "muito", "cmg": "comigo", "ctg": "contigo", "n": "não", "kd": "cadê",
          "add": "adicionar", "sdds": "saudades", "pfv": "por favor", "pf": "por favor", "qq": "qualquer",
              "qm": "quem", "ngm": "ninguém", "msm": "mesmo", "tds": "todos", "aki": "aqui", "agr": "agora",
              "amg": "amigo"},
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
    everyday=(
        "Hoje de manhã o céu estava limpo e azul.",
        "Pode dizer-me onde fica a estação?",
        "A minha irmã gosta de ler antes de dormir.",
        "A casa antiga fica perto do rio.",
        "Muito obrigado, foi um prazer falar consigo!",
    ),
    recognise=EuropeanReader(WORDS),
)
