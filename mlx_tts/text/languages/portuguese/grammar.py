"""How Portuguese says a number by what stands beside it, and the forms that only Portuguese has."""

from __future__ import annotations

import re
from functools import cached_property

from mlx_tts.text.languages.portuguese.forms import form_kinds
from mlx_tts.text.languages.portuguese.notices import notice_kinds
from mlx_tts.text.normalise.engine import Kind, Rule, mentions, rule, text_after, text_before
from mlx_tts.text.normalise.romance import Alike, Romance

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
# What only a case note has: in it "34 a." is an age.
PATIENT = re.compile(r"\b(?:[Pp]aciente|[Mm]ulher|[Hh]omem|PA|FC|FR|Sp?O2|HAS|DM2?)\b")
# Singular nouns that are feminine by their ending, or that people often count.
FEMININE_ONE = (
    r"[a-zà-ÿ]+(?:a|ção|são|dade|gem)|suíte|noite|parte|vez|mulher|colher|flor|cor|dor|mão|mãe|chave|nave|ponte|fonte"
    r"|frente|tarde|classe|frase|fase|base|dose|crise|rede|parede|sede|febre|torre|luz|voz|cruz|lei|nuvem|ordem|equipe"
    r"|morte|foto|moto|rádio"
)
PLACES = {"Jd": "Jardim", "Vl": "Vila", "Pq": "Parque"}
ROOMS = {"Qd": "quadra", "Lt": "lote", "Sl": "sala", "Lj": "loja"}
WEEKEND = {"sáb": "sábado", "dom": "domingo"}
DAYS = ("segunda", "terça", "quarta", "quinta", "sexta")


class Portuguese(Romance):
    """Two has a gender as well; parts above ten are "avos"."""

    alike = Alike(
        aged=("menores de", "maiores de"),
        plural=r"[a-zà-ÿ]{3,}s",
        university="universidade", either="ou", lasting="por", more="mais de", for_whom="para", of_so_many="por",
        months="jan fev abr jun jul ago set out nov dez", other_months="dez set",
        before_months=r"[Ee]m|[Dd]esde|[Aa]té|[Pp]ara|[Dd]e|a|e",
        month_forms=("mês", "meses"), day_forms=("dia", "dias"), to_one={"m": "me", "t": "te"},
    )  # fmt: skip

    def spelling(self, words: str) -> str:
        """Between millions and thousands there is no "e"."""
        return re.sub(r"(lhão|lhões) e (?=\w+(?: e \w+){0,3} mil\b)", r"\1 ", words)

    def form(self, plain: str, forms: list[str]) -> str:
        return forms[0 if 0 < float(plain.replace(",", ".")) < 2 else -1]

    def one(self, noun: str, before: str) -> str:
        masculine = r"(?:dia|mapa|problema|tema|programa|sistema|idioma|planeta|clima|grama|poeta|para|a|da|na|uma|era)"
        feminine = re.fullmatch(FEMININE_ONE, noun) and not re.fullmatch(masculine, noun)
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
        noun = re.search(r"(\w+)(\.?) (?:(?:mín|máx)\. (?:e|ou|/) )?\Z", text_before(match, 30))
        if noun and noun[2] and f"{noun[1].casefold()}." not in self.abbreviations:
            noun = None  # of the sentence before
        of = self.abbreviations.get(f"{noun[1].casefold()}.", noun[1].casefold()) if noun else ""
        warm = re.match(r":? (?:de |prevista )?[-–]?\d{1,2}(?:[.,]\d)? ?(?:°|º|graus)", text_after(match, 24))
        if not (warm or (len(of) > 3 and self.gender(of) == "f") or re.search(r"(?:são|tude)\Z", of)):
            return None
        said = "mínima" if match["what"].casefold() == "mín" else "máxima"
        ends = self.sentence_stop(match) if not text_after(match, 40).strip() else ""
        return (said.capitalize() if match["what"][0].isupper() else said) + ends

    def _side(self, match: re.Match[str]) -> str:
        """ "joelho dir."."""
        side = "direit" if match["side"] in ("dir", "D") else "esquerd"
        feminine = re.fullmatch("(?i:mão|perna|coxa|orelha|mama|clavícula)", match["part"])
        return f"{match['part']} {side}{'a' if feminine else 'o'}{self.sentence_stop(match)}"

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
            *form_kinds(self),
            *notice_kinds(self),
            *self.romance_kinds(),
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
                re.compile(r"\b(?:dir|esq|D|E|sup|mat)\.|[pscn]/|[/(][A-Z]{2}\b|esp\. |\d m\.|pts?\.|ín\.|áx\."
                           r"|\d a\."
                           r"|cl\.|c\. 1|\dªs|1 d?elas|\d{4}-\d{3}|º |[A/]C|\dª T\.|bl\.|\dT|Euribor|\d{3} \d{3}|sem\."
                           r"|prof\.|B\.? 2/3|róx\."), (
                rule(r"(?<![\w/.])s/ ?(?=tela|papel|madeira|cartão|mármore)", "sobre "),
                rule(r"(?<![\w/.])p/ ?(?=pessoa|dia|mês|ano|hora|aluno|noite)", "por "),
                rule(r"(?<![\w/.])c\.(?= 1\d{3}\b)", "cerca de"),
                rule(r"(?<!\w)(?P<n>[2-6])ªs(?![\w-])", lambda m: f"{DAYS[int(m['n']) - 2]}s"),
                rule(r"(?<![\w/.])(?P<word>[psc])/ ?(?=[^\W\d_]{2}|[aoe] |\d|R\$|US\$|€|[<>] ?\d)(?! ?[a-z]/)",
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
                rule(rf"(?<=[a-zà-ÿ] )\((?P<state>{'|'.join(STATES)})\)", lambda m: f"({STATES[m['state']]})"
                     if re.search(r"\b[A-ZÀ-Þ][a-zà-ÿ]+ \Z", text_before(m, 24)) else None),
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
                rule(r"\b(?P<part>(?i:joelho|braço|olho|pé|punho|cotovelo|pulmão|rim|lado|ombro|quadril|tornozelo|dedo"
                     r"|mão|perna|coxa|orelha|mama|clavícula)) (?P<side>dir|esq|D|E)\.", self._side),
                rule(r"(?:(?<=\bem )|(?<=\bde ))mat\.(?= [a-zà-ÿ]|[,;)])", "matemática"),
                rule(r"(?:(?<=\bou )|(?<=\bnível ))sup\.", lambda m: f"superior{self.sentence_stop(m)}"),
                rule(r"(?<=ª )cl\.", lambda m: f"classe{self.sentence_stop(m)}"),
                rule(r"(?:(?<=[>≥<+]\d\d )|(?<=[>≥<] \d\d )|(?<=até \d\d ))a\.",
                    lambda m: f"anos{self.sentence_stop(m)}"),
                rule(r"(?<=\d\d )a\.(?=,|;| com\b| e\b)", lambda m: "anos" if mentions(PATIENT, m.string) else None),
                rule(r"(?<=[12]º )T(?=[ ,.;)]|\Z)", "tempo"),
                rule(r"(?<![\w.,/-])1(?= d?elas\b)", "uma"),
                rule(r"(?<=\dª )T\.", lambda m: f"Turma{self.sentence_stop(m)}"),
                rule(r"(?<![\w.])[Bb]l\.(?= [A-Z\d]\b)", "bloco"),
            )),
            Kind("address", re.compile(r"R\. [A-Zd]|ext\.|ramal|\b(?:Jd|Vl|Pq|Qd|[Qq]d|Lt|Sl|Lj)\."), (
                rule(rf"(?<![\w.])(?P<short>{'|'.join(PLACES)})\.(?= (?:d[aeo]s? )?[A-ZÀ-Þ])",
                     lambda m: PLACES[m["short"]]),
                rule(rf"(?<![\w.])(?P<short>{'|'.join(ROOMS)})\.? ?(?=\d)",
                     lambda m: f"{ROOMS[m['short'].capitalize()]} "),
                rule(r"(?:(?<=\bna )|(?<=\bda )|(?<=\bpela )|(?<=\bà ))R\.(?= (?:d[aeo]s? )?[A-ZÀ-Þ][a-zà-ÿ])", "rua"),
                rule(r"(?<!\w)R\.(?= (?:d[aeo]s? )?[A-ZÀ-Þ][a-zà-ÿ]+[^.]*?,)", lambda m: "rua"),
                rule(r"(?<=\d )(?P<word>ext\.|ramal) (?P<n>\d{1,6})(?!\w)",
                     lambda m: f"{'extensão' if m['word'] == 'ext.' else 'ramal'} {self.digits(m['n'])}"),
            )),)  # fmt: skip
