"""Portuguese: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

import re
from functools import cached_property

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.engine import Kind, Rule, mentions, rule, text_after, text_before
from mlx_tts.text.normalise.european import European
from mlx_tts.text.normalise.european_rules import EuropeanReader

A_NOUN = re.compile(
    r"(?!(?:dia|mapa|problema|tema|programa|sistema|idioma|planeta|clima|\w*grama)\b)\w+(?:a|ção|dade)\b"
)
SIDES = {"Esq": "esquerdo", "Dto": "direito", "Dir": "direito", "Fte": "frente"}
# What only the offer of a car has: in it "4 pts." are doors.
CAR = re.compile(r"\bar[- ]cond|\bflex\b|\bcâmbio\b|\bIPVA\b|\d km,|\bhatch\b|\bsedan\b")
STATES = {"AC": "Acre", "AL": "Alagoas", "AM": "Amazonas", "AP": "Amapá", "BA": "Bahia", "CE": "Ceará",
    "DF": "Distrito Federal", "ES": "Espírito Santo", "GO": "Goiás", "MA": "Maranhão", "MG": "Minas Gerais",
    "MS": "Mato Grosso do Sul", "MT": "Mato Grosso", "PA": "Pará", "PB": "Paraíba", "PE": "Pernambuco", "PI": "Piauí",
    "PR": "Paraná", "RJ": "Rio de Janeiro", "RN": "Rio Grande do Norte", "RO": "Rondônia", "RR": "Roraima",
    "RS": "Rio Grande do Sul", "SC": "Santa Catarina", "SE": "Sergipe", "SP": "São Paulo",
        "TO": "Tocantins"}  # fmt: skip
WEEKEND = {"sáb": "sábado", "dom": "domingo"}
DAYS = ("segunda", "terça", "quarta", "quinta", "sexta")


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

    def gender(self, noun: str) -> str:
        return "f" if A_NOUN.match(noun) else super().gender(noun)

    def of_unit(self, unit: str) -> str:
        return f"de {unit}"

    def ordinal_rules(self) -> tuple[Rule, ...]:
        return (
            rule(
                r"(?<![\w.,])(?P<n>\d{1,3}(?:\.\d{3}){1,2}|\d{1,7})\.?(?P<mark>[ºª°ᵒᵃ])(?:(?<=\.[ºª])|(?! ?[CF]"
                r"\b))(?!\w)",
                 self._ordinal),
            rule(r"(?<![\w.,])(?P<n>\d{1,3})(?P<mark>[oa])(?= [a-zà-ÿ]{4})", self._ordinal),
        )  # fmt: skip

    def _next(self, match: re.Match[str]) -> str:
        """ "próx. reunião"."""
        feminine = self.gender(match["noun"]) == "f" or re.search(r"(?:nião|gião|são)\Z", match["noun"])
        return f"{match['word']}im{'a' if feminine else 'o'} {match['noun']}"

    def _extreme(self, match: re.Match[str]) -> str | None:
        """ "temp. mín.", "máx. de 15 °C": of a temperature they are feminine, and of any other feminine noun."""
        noun = re.search(r"(\w+)\.? (?:(?:mín|máx)\. (?:e|ou|/) )?\Z", text_before(match, 30))
        of = self.abbreviations.get(f"{noun[1].casefold()}.", noun[1].casefold()) if noun else ""
        warm = re.match(r":? (?:de |prevista )?[-–]?\d{1,2}(?:[.,]\d)? ?(?:°|º|graus)", text_after(match, 24))
        if not (warm or (len(of) > 3 and self.gender(of) == "f") or re.search(r"são\Z", of)):
            return None
        said = "mínima" if match["what"].casefold() == "mín" else "máxima"
        ends = self.sentence_stop(match) if not text_after(match, 40).strip() else ""
        return (said.capitalize() if match["what"][0].isupper() else said) + ends

    def _ordinal(self, match: re.Match[str]) -> str | None:
        if match["mark"] == "°" and not re.match(r" [a-zà-ÿ]{4,}", text_after(match, 40)):
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
            Kind("recipe", re.compile(r"\d/[3-9] [cx]|(?:colh?e?r?(?:es)?|cols|xíc(?:ara)?s?)\.? \("), (
                rule(r"(?:(?<=colher )|(?<=colheres )|(?<=col\. )|(?<=cols\. )|(?<=colh\. )|(?<=xícara )|(?<=xícaras )"
                     r"|(?<=xíc\. ))\((?:de )?(?P<kind>sopa|chá|sobremesa|café)\)(?!\w)", r"de \g<kind>"),
                rule(r"(?<![\w.,/])(?<!\d )(?P<a>[1-9])/(?P<b>[3-9])(?= (?:colher|xícara|copo)\b)",
                     lambda m: f"{self.fraction(int(m['a']), int(m['b']))} de"),
            )),
            Kind("date", re.compile(r"\b(?:seg|ter|qua|qui|sex|sáb|dom)\b|\b(?:out|set|dez|ago)\."), (
                rule(r"\b(?P<many>[Aa]?os|nos|[Tt]odos os) (?P<day>sáb|dom)s?\.",
                     lambda m: f"{m['many']} {WEEKEND[m['day']]}s{self.sentence_stop(m)}"),
                rule(r"(?<![\w.-])(?P<day>seg|ter|qua|qui|sex|sáb|dom)\.?(?= às? \d)",
                     lambda m: WEEKEND.get(m["day"])
                     or next(day for day in DAYS if day.replace("ç", "c").startswith(m["day"]))),
                rule(r"(?<![\w.-])sáb(?![\w.-])", "sábado"),
                rule(r"(?<=% em )dez\.", lambda m: f"dezembro{self.sentence_stop(m)}"),
                rule(r"(?<=\bde )(?P<month>out|set|dez|ago)\.(?= [a-zà-ÿ(]|[,;)])",
                     lambda m: {"out": "outubro", "set": "setembro", "dez": "dezembro", "ago": "agosto"}[m["month"]]),
            )),
            Kind("time", re.compile(r"[AÀaà]s? \d{1,2} e (?:1/2|½)"), (
                rule(r"(?:(?<=\b[ÀàAa]s )|(?<=\bà ))(?P<n>1[0-2]|[1-9]) e (?:1/2|½)(?![\w/])",
                     lambda m: f"{self.hours.get(int(m['n'])) or self.cardinal(int(m['n']))} e meia"),
            )),
            Kind("abbreviation", re.compile(r"cond\.|alt\.|\d{7}-\d|º tri\b|, pfv?\b|Val\.|Reg\.|\bap\b"), (
                rule(r"(?<=\dº )tri(?![\w.])", "trimestre"),
                rule(r"(?<=, )pfv?(?=[.!]|\s*\Z)", "por favor"),
                rule(r"(?<![\w.])(?P<v>[Vv])al\.(?=:? ?\d)", r"\g<v>alidade"),
                rule(r"(?<![\w.])(?P<r>[Rr])eg\.(?= (?:MS|ANVISA|Anvisa|n\.?º)\b)", r"\g<r>egistro"),
                rule(r"(?:(?<=\b[Mm]eu )|(?<=\b[Ss]eu )|(?<=\b[Tt]eu )|(?<=\bno )|(?<=\bdo ))ap(?![\w./-])",
                     "apartamento"),
                rule(r"(?<=\b[Ll]eite )cond\.", lambda m: f"condensado{self.sentence_stop(m)}"),
                rule(r"(?<= m de )alt\.",
                     lambda m: ("altitude" if re.search(r"\d{3}(?:,\d)? m de \Z", text_before(m, 12))
                     else "altura") + self.sentence_stop(m)),
                rule(r"(?<![\w.-])\d{7}-\d\d\.\d{4}\.\d\.\d\d\.\d{4}(?![\w-]|\.\d)",
                     lambda m: ", ".join(self.digits(group) for group in re.findall(r"\d+", m[0]))),
            )),
            Kind("date", re.compile(r"[ad]\.c\."), (
                rule(r"(?:(?<=\d )|(?<=[IVX] ))(?P<side>[ad])\.c\.", lambda m:
                     f"{'antes' if m['side'] == 'a' else 'depois'} de Cristo{self.sentence_stop(m)}"),
            )),
            Kind("time", re.compile(r"\d/\d{1,2} ?h"), (
                rule(r"(?<=\bde )(?P<n>\d{1,2})/(?P=n) ?h(?:oras?)?(?!\w)",
                     lambda m: f"{self.cardinal(int(m['n']), 'f')} em {self.cardinal(int(m['n']), 'f')} "
                         f"hora{'' if m['n'] == '1' else 's'}"),
            )),
            Kind("time", re.compile(r"\d ?h\d{0,2} ?[-–] ?\d"), (
                rule(r"(?<![\w.,-])(?P<a>[01]?\d|2[0-4]) ?h ?(?P<b>[0-5]\d)? ?[-–] ?"
                     r"(?P<c>[01]?\d|2[0-4]) ?h ?(?P<d>[0-5]\d)?(?!\w)",
                     lambda m: f"{self.time(int(m['a']), int(m['b'] or 0), None, m)} {self.to} "
                         f"{self.time(int(m['c']), int(m['d'] or 0), None, m)}"),
            )),
            Kind("time", re.compile(r"\d/\d{1,2} ?h|\d\.?ª|% a\."), (
                rule(r"(?<![\w/.,])(?<!\bde )(?P<n>\d{1,2})/(?P=n) ?h(?:oras?)?(?!\w)",
                     lambda m: f"de {self.cardinal(int(m['n']), 'f')} em {self.cardinal(int(m['n']), 'f')} horas"),
                rule(r"(?<!\w)(?P<n>[2-6])\.?ªs?-feiras?(?!\w)",
                     lambda m: f"{DAYS[int(m['n']) - 2]}-feira" if "s" not in m[0][1:] else None),
                rule(r"(?<=% )a\.(?P<per>[ma])\.",
                     lambda m: f"ao {'mês' if m['per'] == 'm' else 'ano'}{self.sentence_stop(m)}"),
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
                rule(r"(?<![\w.])(?<!itamina )(?<!epatite )(?<!classe )(?<!grupo )(?<!letra )(?<!tipo )(?<!bloco )"
                     r"D\.(?= (?P<name>[A-ZÀ-Þ][a-zà-ÿ]+))",
                     lambda m: "dona" if m["name"].endswith("a") or m["name"] in ("Isabel", "Inês", "Beatriz")
                     else "dom"),
            )),
            Kind("abbreviation",
                re.compile(r"[pscn]/|/[A-Z]{2}\b|esp\. |\d m\.|pts?\.|ín\.|áx\.|"
                           r"\d a\.|cl\.|c\. 1|\dªs|1 d?elas|\d{4}-\d{3}|º |[A/]C|\dª T\.|bl\.|\dT|Euri"
                           r"bor|\d{3} \d{3}|sem\.|prof\.|B\.? 2/3|róx\."), (
                rule(r"(?<![\w/.])s/ ?(?=tela|papel|madeira|cartão|mármore)", "sobre "),
                rule(r"(?<![\w/.])p/ ?(?=pessoa|dia|mês|ano|hora|aluno|noite)", "por "),
                rule(r"(?<![\w/.])c\.(?= 1\d{3}\b)", "cerca de"),
                rule(r"(?<!\w)(?P<n>[2-6])ªs(?![\w-])", lambda m: f"{DAYS[int(m['n']) - 2]}s"),
                rule(r"(?<![\w/.])(?P<word>[psc])/ ?(?=[^\W\d_]{2}|[aoe] |\d)(?! ?[a-z]/)",
                     lambda m: {"p": "para ", "s": "sem ", "c": "com "}[m["word"]]),
                rule(r"(?<![\w.,-])\d{4}-\d{3}(?= [A-ZÀ-Þ][a-zà-ÿ])",
                     lambda m: ", ".join(self.digits(group) for group in m[0].split("-"))),
                rule(r"(?<=º )(?P<side>(?i:Esq|Dto|Dir|Fte))\.",
                    lambda m: SIDES[m["side"].capitalize()] + self.sentence_stop(m)),
                rule(r"(?<![\w/])A/C(?= (?:d[aeo]s? |[A-Z]))", "aos cuidados"),
                rule(r"(?:(?<=\bno )|(?<=\bdo )|(?<=\bo ))(?P<n>[1-4])T(?:(?P<y>\d\d)|20\d\d)?(?!\w)",
                     lambda m: f"{self.ordinal(int(m['n']))} trimestre"
                     + (f" de {self.year(2000 + int(m['y']))}" if m["y"] else "")),
                rule(r"(?P<word>\bEuribor (?:a |de )?)(?P<n>1|3|6|12) ?[Mm](?!\w)",
                     lambda m: f"{m['word']}{self.counted(m['n'], ['mês', 'meses'])}"),
                rule(r"(?<=\.º )T(?=[ ,;)])", "trimestre"),
                rule(r"(?:(?<=\bE\.B\. )|(?<=\bEB ))(?P<a>2)/(?P<b>3)(?![\w/])",
                     lambda m: f"{self.cardinal(2)} {self.cardinal(3)}"),
                rule(r"(?<!\w)(?P<word>[Pp]róx)\. (?P<noun>[a-zà-ÿ]{3,20})", self._next),
                rule(r"(?:(?<=km de )|(?<= m de )|(?<=cm de )|(?<=\dm de ))prof\.",
                     lambda m: f"profundidade{self.sentence_stop(m)}"),
                rule(r"(?<![\w.,-])(?:80[08]|9[1236]\d) \d{3} \d{3}(?! [a-zà-ÿ]{3}| ?[€%]|[\w-]|[.,]\d)(?<!000)",
                     lambda m: ", ".join(self.digits(group) for group in m[0].split())),
                rule(rf"(?<=[a-zà-ÿ])/(?P<state>{'|'.join(STATES)})(?![\w/])", lambda m: f", {STATES[m['state']]}"),
                rule(r"(?<!\w)(?P<r>[Rr])esp\.(?= (?:p/|para\b|até\b|a[oé]?\b|por (?:e-?mail|aqui|mensagem|whats)))",
                     lambda m: f"{m['r']}esponder"),
                rule(r"\b(?P<word>em|há|após) (?P<n>[2-9]|\d\d) m\.(?= [a-zà-ÿ]|[,;)])",
                     lambda m: f"{m['word']} {self.cardinal(int(m['n']))} meses"),
                rule(r"(?<![\w.,/-])(?P<n>[2-5]) pts?\.(?=[,;)]| [a-zà-ÿ])",
                     lambda m: f"{self.cardinal(int(m['n']), 'f')} portas" if mentions(CAR, m.string) else None),
                rule(r"(?<![\w.])(?P<what>[Mm]ín|[Mm]áx)\.", self._extreme),
                rule(r"(?<=[12]\.º )sem\.", lambda m: f"semestre{self.sentence_stop(m)}"),
                rule(r"(?:(?<=\bno )|(?<=\bao )|(?<=\bpelo )|(?<=\bpara o )|(?<=\bnúmero ))(?:9[1236]|2\d|80)\d"
                     r" \d{3} \d{3}(?![\w-]|[.,]\d)",
                     lambda m: ", ".join(self.digits(group) for group in m[0].split())),
                rule(r"(?<![\w/.])n/ ?(?=[a-zà-ÿ]{2})", "não "),
                rule(r"(?<=ª )cl\.", lambda m: f"classe{self.sentence_stop(m)}"),
                rule(r"(?:(?<=[>≥<+]\d\d )|(?<=[>≥<] \d\d )|(?<=até \d\d ))a\.",
                    lambda m: f"anos{self.sentence_stop(m)}"),
                rule(r"(?<=[12]º )T(?=[ ,.;)]|\Z)", "tempo"),
                rule(r"(?<![\w.,/-])1(?= d?elas\b)", "uma"),
                rule(r"(?<=\dª )T\.", lambda m: f"Turma{self.sentence_stop(m)}"),
                rule(r"(?<![\w.])[Bb]l\.(?= [A-Z\d]\b)", "bloco"),
            )),
            Kind("address", re.compile(r"R\. [A-Zd]|ext\.|ramal"), (
                rule(r"(?:(?<=\bna )|(?<=\bda )|(?<=\bpela )|(?<=\bà ))R\.(?= (?:d[aeo]s? )?[A-ZÀ-Þ][a-zà-ÿ])", "rua"),
                rule(r"(?<!\w)R\.(?= (?:d[aeo]s? )?[A-ZÀ-Þ][a-zà-ÿ]+[^.]*?,)", lambda m: "rua"),
                rule(r"(?<=\d )(?P<word>ext\.|ramal) (?P<n>\d{1,6})(?!\w)",
                     lambda m: f"{'extensão' if m['word'] == 'ext.' else 'ramal'} {self.digits(m['n'])}"),
            )),)  # fmt: skip


WORDS = Portuguese(
    code="pt", version="versão", dotted_version=True, every_hours="a cada {n} horas",
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
    percent="por cento|por cento", with_cents="{money} e {cents}",
    half_before_nouns=True, half="meio|meia", and_half="e meio|e meia",
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
         r"artistas|turistas)\b)(?:\w+[aã]s|mulheres|doses|fases|frases|classes|redes|paredes|tardes|unidades|i"
         r"dades|vozes|luzes|mães|mãos|tardes|chaves|naves|bases|crises|greves|fontes|pontes|lentes|vezes|noite"
         r"s|colheres|flores|partes|cidades|nozes|pessoas|"
         r"(?!(?:person|selv)agens)\w+gens|\w+dades|\w+tudes|(?!brasões)\w+sões|fotos|motos|raízes|atrizes|questões|regiões|opiniões|cores|dores|(?!corações)\w+ções)\b",
    scales={"k": "mil|mil", "mi": "milhão|milhões", "bi": "bilhão|bilhões", "tri": "trilhão|trilhões", "mil": "mil|mil",
        "milhão": "milhão|milhões", "bilhão": "bilhão|bilhões", "M": "milhão|milhões"},
    scale_words=("milhões", "bilhões", "trilhões", "mil milhões"),
    abbreviations={"obg.": "obrigado", "estac.": "estacionamento", "pcte.": "paciente", "Abs.": "abraços",
        "proc. nº": "processo número", "proc. n.º": "processo número",
        "vel.": "velocidade", "pac.": "paciente", "umid.": "umidade", "entr.": "entrada",
        "ar-cond.": "ar-condicionado",
        "ret.": "retorno", "tri.": "trimestre", "polt.": "poltronas",
    "financ.": "financiamento", "prof.": "professor",
    "trim.": "trimestre", "exp.": "experiência", "a/c": "aos cuidados de",
    "desc.": "desconto", "venc.": "vencimento", "inc.": "inciso", "arts.": "artigos",
    "Cf.": "conforme",
        "cf.": "conforme", "temp.": "temperatura", "prob.": "probabilidade",
        "Nº": "número", "N°": "número", "cód.": "código", "end.": "endereço", "tels.": "telefones",
        "cel.": "celular", "tlf.": "telefone", "Tlf.": "telefone", "tlm.": "telemóvel", "Tlm.": "telemóvel",
        "telem.": "telemóvel", "qtde.": "quantidade",
        "excl.": "excluído", "Ilmo.": "ilustríssimo", "Dir.": "diretor",
        "Des.": "desembargador", "Adv.": "advogado", "Gen.": "general", "Pe.": "padre", "vs.": "contra",
        "apt.": "apartamento", "and.": "andar",
        "edif.": "edifício", "Ed.": "edifício", "Rod.": "rodovia", "Estr.": "estrada",
        "Al.": "alameda",
        "Pç.": "praça", "Lgo.": "largo", "Gov.": "governador", "Dep.": "deputado", "Sen.": "senador",
        "p.f.": "por favor", "c/c": "conta corrente", "R.S.V.P.":
        "responda por favor", "V.Sa.": "vossa senhoria", "V. Sa.": "vossa senhoria", "Sr.": "senhor",
        "Sra.": "senhora", "Sr.ª": "senhora", "Srta.": "senhorita", "Srs.": "senhores", "Dr.": "doutor",
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
                       "mín.": "mínimo", "cx.": "caixa", "q.b.": "quanto baste", "Eng.º": "engenheiro",
                       "Eng.ª": "engenheira", "Arq.º": "arquiteto", "Arq.ª": "arquiteta",
        "resp.": "responsável", "Eng.": "engenheiro",
                   "V. Exa.": "vossa excelência", "depto.": "departamento", "c. sopa": "colher de sopa",
                       "c. chá": "colher de chá", "msg": "mensagem", "qdo": "quando", "fds": "fim de semana",
                       "§": "parágrafo", "cond.": "condomínio", "s/n": "sem número", "hab.": "habitantes",
                       "conj.": "conjunto", "Att.": "atenciosamente", "incl.": "incluído", "i.e.": "isto é",
                       "i. e.": "isto é",
                       "obs.": "observação", "pça.": "praça", "Pça.": "praça",
                       "Trav.": "travessa",
                       "pgto.": "pagamento", "ref.": "referência"},
    before_numbers={"cl.": "cláusula", "Cl.": "Cláusula", "cj.": "conjunto", "sat.": "saturação",
        "Sat.": "saturação", "v.": "volume", "n.": "número",
        "r.": "ramal", "pto.": "ponto", "Pto.": "ponto", "Ø": "diâmetro",
        "inc.": "inciso",
        "al.": "alínea", "Al.": "alínea",
    "tam.": "tamanho",
        "Tam.": "tamanho", "fl.": "folha", "fls.": "folhas", "proc.": "processo", "Proc.": "processo", "tab.": "tabela",
        "Tab.": "tabela", "ap": "apartamento", "apto": "apartamento", "p.": "página",
        "pp.": "páginas", "cap.": "capítulo", "vol.": "volume", "fig.": "figura",
        "Art.": "artigo", "Km": "quilômetro", "km": "quilômetro", "Cap.": "capítulo", "Fig.": "figura", "bl.": "bloco",
        "Bl.": "bloco"},
    judged="dificuldade|nota|avaliação|pontuação|dor|EVA", once="uma vez", diameter="diâmetro",
    inch="polegada|polegadas", fewer="menos de",
    screens="TV|televisor|tela|monitor|aro|roda|bicicleta|tablet|notebook|pizza",
    openers="O|Os|As|Um|Uma|Em|No|Na|Nos|Nas|Por|Para|Com|Sem|Sobre|De|Do|Da|Dos|Das|Desde|Até|Ao|À|E|Mas|Se|Nã"
            "o|Seu|Sua|Este|"
    "Esta|Esse|Essa|É|São|Está|Há|Hoje|Ontem|Amanhã|Depois|Antes|Agora|Também|Além|Quando|Como|Onde|Quem|Que|Eu"
    "|Ele|Ela|Eles|"
    "Você|Vocês|Nós|Todo|Todos|Cada|Outro|Segundo|Após|Entre|Durante|Só|Já|Mais|Foi|Era|Obrigad[oa]|Asse|Sirva|"
    "Rende|Tempo|"
    "Faltam|Falta|Isso|Isto|Assim|Então|Tem|Pode|Favor|Aguardo|Qualquer|Meu|Minha|A"
            # A request for what is to be done: "cond. Tratar com Ana".
            "|[A-Z][a-z]{3,}[aei]r(?= (?:c/|com|a|o|as|os|em|no|na|por|até|para)(?!\\w))",
    leading=("n.º", "nº", "N.º", "Nº", "n°", "N°", "pág.", "págs.", "ap.", "apto.", "Apto.", "av.", "Tel.", "tel.",
    "cel.",
             "Cel.", "art.", "arts.", "Cia.", "V. Exa.", "depto.", "p. ex.", "p.ex.", "i.e.", "i. e.", "Trav.",
             "pça.", "Pça.",
             "ref.", "Ref.", "Cf.", "cf.", "Cód.", "cód.", "End.", "end.", "Gen.", "Pe.", "Dir.", "Des.", "Adv.",
             "Gov.", "Dep.",
             "Sen.", "Edif.", "edif.", "Ed.", "Rod.", "Estr.", "Al.", "Lgo.", "obs.", "Obs.", "Exmo.",
             "Ilmo.", "inc.",
             "Att.", "conj.", "aprox.", "V.Sa.", "V. Sa.", "vs."),
    naming="Portão|portão|Gate|[Tt]erminal|[Ss]ala|[Bb]loco|[Pp]oltrona|[Pp]lataforma|[Ll]ote|[Aa]partamento|ap"
           "\\.|apto",
    relations={"<": "menor que", ">": "maior que", "≤": "menor ou igual a", "≥": "maior ou igual a",
               "<=": "menor ou igual a", ">=": "maior ou igual a", "≈": "aproximadamente", "~": "cerca de"},
    compass={"N": "norte", "S": "sul", "L": "leste", "E": "leste", "O": "oeste", "NE": "nordeste", "NO": "noroeste",
             "SE": "sudeste", "SO": "sudoeste", "NNE": "nor-nordeste", "NNO": "nor-noroeste", "SSE": "su-sudeste",
             "SSO": "su-sudoeste", "ENE": "lés-nordeste", "ESE": "lés-sudeste", "W": "oeste"},
    wind_words="(?:[Vv]entos?|[Bb]risa|[Rr]ajadas)(?: \\w+)? (?:de|do)|[Vv]ento",
    shots="nos? (?:lances|arremessos|tiros|três)|de (?:três|3)|nas bolas",
    enders=("exp.", "trim.", "tri.", "aprox.", "venc.", "temp.", "etc.", "EUA", "máx.", "mín.", "hab."), out_of="de",
        points_of="pontos", metre_joint=" e ",
    titles=("Sr.", "Sra.",
    "Srta.", "Dr.", "Dra.",
        "Prof.", "Profa.", "Av.", "Sto.", "Sta.",
        "Eng."),
    money={"€": "euro|euros|centavo|centavos", "R$": "real|reais|centavo|centavos",
        "$": "dólar|dólares|centavo|centavos", "US$": "dólar|dólares|centavo|centavos", "£": "libra|libras|penny|pence",
           "¥": "iene|ienes|sen|sen", "EUR": "euro|euros|centavo|centavos", "USD": "dólar|dólares|centavo|centavos",
               "BRL": "real|reais|centavo|centavos", "reais": "real|reais|centavo|centavos",
           "euros": "euro|euros|centavo|centavos", "dólares": "dólar|dólares|centavo|centavos"},
    century_noun="século", centuries_noun="séculos", minute_of_play="{number} minutos", power="elevado a",
    per_words={"sem.": "semana", "pers.": "pessoa", "hora": "hora", "pess.": "pessoa", "dia": "dia", "mês": "mês",
        "ano": "ano",
    "semana": "semana", "pessoa": "pessoa", "noite": "noite"},
    short_month_words="(?:desde|até|fim de|início de|meados de)(?! (?:mar|set|out|dez|ago)\\b)", between_days="a|ao|e",
    divided="dividido por", pressure_words="pressão|PA|tensão", pressure="{a} por {b}",
    units={
        "cd/m²": "candela por metro quadrado|candelas por metro quadrado",
        **dict.fromkeys(("mUI/l",
        "mUI/L"), "miliunidade por litro|miliunidades por litro"), "mbar": "milibar|milibares",
        "MJ": "megajoule|megajoules", "GJ": "gigajoule|gigajoules",
        "unid.": "unidade|unidades", "unids.": "unidade|unidades", "Wh": "watt-hora|watts-hora",
        "Ah": "ampere-hora|amperes-hora", "σ": "sigma|sigma", "‰": "por mil|por mil",
        "ppb": "parte por bilhão|partes por bilhão",
        "rpm": "rotação por minuto|rota"
                                                            "ções por minuto", "abst.": "abstenção|abstenções",
        "d.": "dia|dias", "dorm.": "dormitório|dormitórios", "dorms.": "dormitório|dormitórios",
        "m/s²": "metro por segundo ao quadrado|metros por segundo ao quadrado",
        "pb": "ponto-base|pontos-base",
        "bps": "ponto-base|pontos-base", "pts.": "ponto|pontos", "p.p.": "ponto percentual|pontos percentuais",
        "Gbps": "gigabit por segundo|gigabits por segundo", "Mb/s": "megabit por segundo|megabits por segundo",
        "Gb/s": "gigabit por segundo|gigabits por segundo", "comp.": "comprimido|comprimidos",
        "comps.": "comprimido|comprimidos",
        "cp": "comprimido|comprimidos",
        "gts": "gota|gotas", "UI": "unidade internacional|unidades internacionais", "cv": "cavalo|cavalos",
        "mmol/l": "milimol por litro|milimols por litro", "MWh": "megawatt-hora|megawatts-hora",
        "GW": "gigawatt|gigawatts",
        "mV": "milivolt|milivolts", "kV": "quilovolt|quilovolts", "kPa": "quilopascal|quilopascais", "µl":
        "microlitro|microlitros", "cc": "centímetro cúbico|centímetros cúbicos", "min.": "minuto|minutos",
        "lt": "litro|litros",
        "m2": "metro quadrado|metros quadrados", "km2": "quilômetro quadrado|quilômetros quadrados",
        "m3": "metro cúbico|metros cúbicos", "Kg": "quilograma|quilogramas", "kgs": "quilograma|quilogramas",
        "gr": "grama|gramas", "mts": "metro|metros", "cx.": "caixa|caixas", "pct.": "pacote|pacotes",
        "pct": "pacote|pacotes",
        "und.": "unidade|unidades",
        "l/100 km": "litro por cem quilômetros|litros por cem quilômetros",
        "mAh": "miliampere-hora|miliamperes-hora", "★": "estrela|estrelas",
        "mmHg": "milímetro de mercúrio|milímetros de mercúrio",
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
        "#": "cerquilha", "?": "ponto de interrogação"},
    queens=".*a|Isabel",
    rulers=["João", "Pedro", "Manuel", "Afonso", "Luís", "Carlos", "Filipe", "Felipe", "José", "Maria", "Paulo",
        "Bento", "Pio", "Leão", "Henrique", "Jorge", "Eduardo", "Elizabeth", "Isabel", "Sebastião", "Sancho", "Dinis",
        "Duarte", "Fernando", "Napoleão", "Francisco", "Alexandre", "Nicolau", "Catarina", "Guilherme", "Ricardo",
        "Gregório", "Inocêncio", "Urbano", "Clemente", "Frederico", "Leopoldo", "Ramsés"],
    numbered_nouns=("capítulo", "Capítulo", "tomo", "Tomo", "volume", "Volume", "ato", "Ato", "parte", "Parte", "fase",
        "tipo", "Título", "artigo", "Guerra Mundial", "nível", "grau", "ano", "anexo", "Anexo", "livro", "Livro",
        "seção"),
    date_words=r"(?:dia|até|em|no dia|desde|partir de|antes de|depois de)",
        score_words=r"(?:venceu|venceram|ganhou|ganharam|perdeu|perderam|empatou|empataram|bateu|derrotou|goleou|"
        r"placar|resultado|vence|marcou)",
    telephone_words="[Tt]lf\\.|[Tt]lm\\.|[Tt]elem\\.|Tel\\.|tel\\.|Telefone|telefone|ligue para|ligar para|ligu"
                    "e|Celular|celular|WhatsApp|Fone|fone|"
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
