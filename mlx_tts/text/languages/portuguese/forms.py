"""Portuguese words of crammed paragraphs: cut short in offers, recipes, case notes and law ("p. ún.") -> whole."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, Words, mentions, rule, text_after, text_before
from mlx_tts.text.normalise.romance import CHATTY, Romance
from mlx_tts.text.normalise.romance_forms import Shared, SharedForms, cut_rule
from mlx_tts.text.normalise.romance_notices import TENNIS
from mlx_tts.text.roman import value

OFFER = re.compile(
    r"(?i)\b(?:vend[eo]|vende-se|alug\w+|arrenda\w*|procura-se|procuro|T[0-5]|apartamento|apto\.?|kit\.|moradia"
    r"|quartos?"
    r"|qtos?\.|dorms?\.?|m²|m2|garagem|único dono|caução|cauções)(?!\w)"
)
RECIPE = re.compile(r"(?i)\b(?:xíc\w*|colher\w*|col\.|farinha|açúcar|forno|asse|refogue|alho|porções|receita)(?!\w)")
PATIENT = re.compile(
    r"\b(?:NIHSS|AVC|AVCi)\b|"
    r"\b(?:[Pp]aciente|[Pp]cte|PA|FC|FR|IMC|Glasgow|Hb|PCR|SpO2|SatO2"
    r"|HAS)\b|\bmg\b"
)
PLAYED = re.compile(
    r"(?i)\b(?:v[ôo]lei|voleibol|futebol|futsal|basquete|handebol|andebol|série [abcd]|sets?)\b"
    r"|\d/\d\d[,)]"
)
MATCH = re.compile(
    r"\b(?:Série [AB]|Roland Garros|Volta à)|"
    r"\b(?:[Bb]rasileirão|[Cc]ampeonato|gols?|golos?|jogos?|pts|pontos|[Ee]tapa|[Mm]aratona|SG)\b|\d-\d \("
)
LAWS = r"(?:art|arts|§|inc|[Ll]ei|LC|CF|CC|CPC|CPP|CP|CTN|CLT|CDC|Súmula|Decreto)"
ARTICLES = re.compile(r"\b[Aa]rt(?:igo)?s?\b")
DAYS = ("segunda", "terça", "quarta", "quinta", "sexta")
OPENING = re.compile(r"\d ?h\b|\d ?h ?\d\d|\d:\d\d")
RANKS = {"Mal": "Marechal", "Gen": "General", "Cel": "Coronel", "Brig": "Brigadeiro", "Cons": "Conselheiro",
         "Pres": "Presidente", "Cap": "Capitão", "Alm": "Almirante", "Ten": "Tenente", "Maj": "Major", "Dr": "Doutor",
         "Dra": "Doutora", "Prof": "Professor", "Profa": "Professora", "Pe": "Padre", "Des": "Desembargador",
         "Sen": "Senador", "Dep": "Deputado", "Gov": "Governador", "Bar": "Barão", "Visc": "Visconde",
         "Eng": "Engenheiro",
         "Sto": "Santo", "Sta": "Santa", "S": "São", "D": "Dom"}  # fmt: skip
OFFERED = {
    "liv": "living", "planej": "planejada", "cob": "cobertas", "ac. financ": "aceito financiamento",
    "terr": "terreno",
    "disp": "disponível", "arm": "armários", "coz. amer": "cozinha americana", "amer": "americana",
    "dir. hidr": "direção hidráulica", "vidros elétr": "vidros elétricos", "elétr": "elétrico", "depós": "depósitos",
    "wc soc": "banheiro social", "comprov": "comprovadas", "z. sul": "zona sul",
    "refs. comprov": "referências comprovadas", "refs": "referências", "banh": "banheiro",
    "ar cond": "ar-condicionado", "elev": "elevador", "arrec": "arrecadação", "próx": "próximo",
    "ref": "referência", "renov": "renovado", "qto": "quarto", "qtos": "quartos",
    "sit": "situado", "imed": "imediata", "transp": "transportes", "tratar c": "tratar com", "inq": "inquilino",
    "ensol": "ensolarado", "pisc": "piscina", "churrasq": "churrasqueira", "exc": "excelente",
    "ót": "ótimo", "part": "particulares", "r/c": "rés-do-chão", "despesas incl": "despesas incluídas",
    "lav": "lavanderia",
}  # fmt: skip
COOKED = {"prep": "preparo", "coz": "cozimento", "dif": "dificuldade", "env": "envelope", "rend": "rendimento",
          "ingr": "ingredientes", "pit": "pitada", "dte": "dente", }  # fmt: skip
TREATED = {"diag": "diagnóstico", "antec": "antecedentes", "hipót": "hipótese", "abd": "abdominal",
           "s/ alt": "sem alterações",
           "neg": "negativo", "pos": "positivo", "trat": "tratamento", "internam": "internamento",
           }  # fmt: skip
EVERYWHERE = {"reun": "reunião", "cobr": "cobrança", "urg": "urgente", "dív. líq": "dívida líquida",
              "supl": "suplemento", "fins de sem": "fins de semana", "fim de sem": "fim de semana", "pun": "punição",
              "piscina mun": "piscina municipal", "dados pess": "dados pessoais", "fat": "fatura",
              "transf": "transferência", "turíst": "turística",
              "contas incl": "contas incluídas", "pên": "de pênalti", "qto. indiv": "quarto individual",
              "Cumps": "cumprimentos", "urb": "urbanização", "lv": "livro", "cta": "conta", "telef": "telefone",
              "amox": "amoxicilina",
              "vencto": "vencimento", "vcto": "vencimento", "p. ún": "parágrafo único", "par. ún": "parágrafo único",
              "pagto": "pagamento", "depto": "departamento", "qtd": "quantidade", "Lx": "Lisboa", "publ": "publicado",
              "obs": "observação"}  # fmt: skip
SHARED = Shared(
    see="ver", molar="molar", reign="reinado", months="mês|meses", from_to=("de", "a"),
    electronvolt="elétron-volt|elétron-volts",
    prefixes={"k": "quilo", "M": "mega", "G": "giga", "T": "tera"},
    dated=r"(?<=data ex )|(?<=[Pp]agamento )|(?<=[Vv]encimento )",
    stars="estrelas", either_of="ou",
    elements={"C": "carbono", "U": "urânio", "K": "potássio", "Cs": "césio", "I": "iodo", "Sr": "estrôncio",
              "Pb": "chumbo"},
    finals={"2": "semifinal", "4": "quartas de final", "8": "oitavas de final", "16": "dezasseis avos de final"},
    quarter="trimestre", half_year="semestre", of_year=" de ",
    before_period=r"(?<=\b[Nn]o )|(?<=\b[Dd]o )|(?<=\b[Aa]o )|(?<=\b[Oo] )|(?<=\bpelo )",
    ranked="milénio|milênio|trimestre|quadrimestre|semestre|congresso|concurso|festival|torneio|encontro|prémio|prêmio"
           "|simpósio|seminário|fórum|plano",
    ranked_women="edição|legislatura|dinastia|feira|semana|corrida|conferência|cúpula|assembleia|mostra|copa|república"
                 "|bienal|jornada",
    squared="quadrado", cubed="cúbico", ten_to="por dez elevado a", cubic="por milímetro cúbico",
    results=("vitória|vitórias", "empate|empates", "derrota|derrotas"), letters=(r"[vV]", r"[eE]", r"[dD]"),
    dialled=r"[Tt]elef|[Tt]el|[Tt]lm|[Tt]elem|[Ff]one|[Cc]el|[Tt]elefone|[Tt]elemóvel|WhatsApp|[Zz]ap|[Ww]hats",
    groups=r"(\d{2}(?=\d{9}\Z)|\d{3}(?=\d{6}\Z))(\d{5}|\d{3})(\d{3,4})",
    offices={"min": ("ministro", "ministra"), "pres": ("presidente", "presidente"),
             "gov": ("governador", "governadora"),
             "pref": ("prefeito", "prefeita"), "des": ("desembargador", "desembargadora"),
             "del": ("delegado", "delegada"),
             "seg": ("secretário", "secretária"), "sec": ("secretário", "secretária"), "gen": ("general", "general")},
    of_men=r"(?<=\b[Oo] )|(?<=\b[Dd]o )|(?<=\b[Aa]o )|(?<=\b[Pp]elo )",
    of_women=r"(?<=\b[Aa] )|(?<=\b[Dd]a )|(?<=\bà )|(?<=\b[Pp]ela )", years=("ano", "anos"),
    stay=("dia|dias", "noite|noites"), barrel="barril", folio=("folha", "reto", "verso"), manuscript="manuscrito",
    each_quarter=(r"\b(?:a )?(?:cada|c/)", "a cada quarto de hora"), between_prices="por",
    aged=r"(?:menores|maiores|crianças|pessoas|filhos?|filhas?|bebés?|bebês?) (?:de|até)|até(?: aos| os)?"
         r"|(?:a partir|mais|menos) de|(?:a partir|até) dos|(?:de|com)(?= \d{1,2}[-–])",
    base_units={"N": "newton|newtons", "Pa": "pascal|pascals", "mol": "mol|mols", "C": "coulomb|coulombs",
                "T": "tesla|teslas", "mmol": "milimol|milimols", "kPa": "quilopascal|quilopascais"},
)  # fmt: skip


def form_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    stop = own.sentence_stop

    def chatted(said: str) -> Words:
        return lambda match: said if mentions(CHATTY, match.string[:2000]) else None

    def two_or_three(match: re.Match[str]) -> str | None:
        """ "2 ou 3 coisas": the first has the gender of what the second counts."""
        noun = re.match(r" (?:ou|a|e) \d{1,3} ([a-zà-ÿ]{3,20})", text_after(match, 30))
        if noun is None or own.gender_of_many(noun[1]) != "f":
            return None
        return own.cardinal(int(match["n"]), "f")

    return (
        *SharedForms(own, SHARED).kinds(),
        Kind("notice", re.compile(
            r": \d{3} \d{3} \d|20\d\d x 20|\d\.?[ºª]s|os sáb|\d stes?\.|alm\.|[½2] c\. \(|\d ?x ?\d|tual\.|\d a, "
            r"|int\.|\bà [ED]\b|sent\.|com\.|\d{5}-\d{3}|[ao],? \d{1,2}/\d|\(2 |[2-6]ª|\d op\.|\bsl\.|\bet\. |\bn/"
            r"|\d dd\b|\bReg\. |º, |\bpess\.|tualiz\.|\bC\. de|lug\.|lt\. |\d, incl|fem\.|\bv\. |m\. ?t\.|exp\."
            r"|R\. [A-Z]|\bAv\. [A-Z]|c/c|\bV\. [A-Z]|§|\bc\. (?:\(|de \d|\d)|\bdep\.|\b[Vv]c\b|\bp \w|\bN [a-z]"
            r"|\b[CPS]/|[12] (?:ou|a|e) \d|\d d\. de|º m\.t|\dª r\.|\dx/d|\bZ\. |prest\.|\bnl\b|\d ?a(?:\. e| e"
            r"|)\d|º d\b|\ba c/|p/ ?pes|\d sem\.|/ ?[12]T|heg\. |art\. |, B\. |ª Rep|\w\. (?:em|com|ao?|e) |\d\.?º"
            r"|\b[Aa]lt\. |\d cáps"
        ), (
            rule(rf"(?<![\w.])(?P<street>R|Rua|Av|Avenida|Pç|Praça|Pça|Al|Alameda|Trav|Rod|Estr)(?P<dot>\.?) "
                 rf"(?:(?P<of>d[aeo]s?) )?(?P<rank>{'|'.join(RANKS)})\.(?= (?:[A-ZÀ-Þ]|d[aeo]s? [A-ZÀ-Þ]))",
                 lambda m: f"{own.abbreviations.get(m['street'] + '.', 'rua') if m['dot'] else m['street']} "
                 f"{m['of'] + ' ' if m['of'] else ''}{RANKS[m['rank']]}"),
            rule(rf"(?<![\w/])c/c(?= (?:o |a |os |as |com (?:o |a )?)?{LAWS})", "combinado com"),
            rule(r"(?<![\w.])V\.(?= (?:REsp|RE|AgR|AgInt|HC|MS|STJ|STF|TJ|TRF|TST|ADI|ADPF|Súmula|Lei|acórdão|decisão"
                 r"|Acórdão|Decreto))", "Vide"),
            rule(r"(?P<head>§ ?\d{1,2}[ºo]?, )(?P<n>(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3}))(?![\w'’-])",
                 lambda m: f"parágrafo {own.ordinal(int(re.sub(chr(92) + 'D', '', m['head'])))}, "
                 f"inciso {own.cardinal(value(m['n']))}"),
            rule(r"(?<=\d )c\. \((?:de )?(?P<what>sopa|chá|sobremesa|café)\)", r"colher de \g<what>"),
            rule(r"(?<![\w.,])1 c\. \((?:de )?(?P<what>sopa|chá|sobremesa|café)\)", r"uma colher de \g<what>"),
            rule(r"(?<![\w.,])(?P<n>[2-9]) c\. \((?:de )?(?P<what>sopa|chá|sobremesa|café)\)",
                 lambda m: f"{own.cardinal(int(m['n']), 'f')} colheres de {m['what']}"),
            rule(r"(?<=\b)c\.(?= (?:de )?\d)",
                 lambda m: "cerca de" if not text_after(m, 4).startswith(" de") else "cerca"),
            rule(r"(?<=\()dep\.(?= \d)|(?<=, )dep\.(?= \d{1,2}h)", "depois das"),
            rule(r"(?:\A|(?<=[.!?] ))(?P<w>[CPS])/ ?(?=[a-zà-ÿ]{2})",
                 lambda m: {"C": "Com ", "P": "Para ", "S": "Sem "}[m["w"]]),
            rule(r"(?:\A|(?<=[.!?] ))Vc(?P<s>s?)(?= [a-zà-ÿ])", r"Você\g<s>"),
            rule(r"(?:\A|(?<=[.!?] ))N(?= [a-z]{2})", chatted("Não")),
            rule(r"(?<= )p(?= (?:te|vc|vcs|mim|eu|gente|ele|ela|casa|a|o|me|nós|ver|falar|fazer|ir|sair)\b)",
                 chatted("para")),
            rule(r"(?<![\w.,/-])(?P<n>[12])(?= (?:ou|a|e) \d{1,3} [a-z])", two_or_three),
            rule(r"(?<![\w.,])(?P<n>[1-9]) d\.(?= de alho)", lambda m: own.counted(m["n"], ["dente", "dentes"])),
            rule(r"(?<![\w.,])(?P<n>\d{1,2}) prest\.",
                 lambda m: own.counted(m["n"], ["prestação", "prestações"]) + stop(m)),
            rule(r"(?<=[a-z] )nl(?=[,.;)]|\s*\Z)", lambda m: "normal" if mentions(PATIENT, m.string) else None),
            rule(r"(?<![\w.,])(?P<n>\d{1,2}) ?a(?:\. e | e |)(?P<m>\d{1,2}) ?m(?![\w²])\.?", lambda m:
                 f"{own.counted(m['n'], ['ano', 'anos'])} e {own.counted(m['m'], ['mês', 'meses'])}{stop(m)}"),
            rule(r"(?<=º )d\b(?= |[,;.)])", lambda m: "dia" if mentions(PATIENT, m.string) else None),
            rule(r"(?<=\ba )c/ ?(?=\d)", "cada "),
            rule(r"(?<![\w/.])p/ ?pess?\.", lambda m: f"por pessoa{stop(m)}"),
            rule(r"(?P<head>(?:c/ ?|com )[a-zà-ÿ]{3,20} e )(?P<n>\d{1,4}) sem\.",
                 lambda m: f"{re.sub('c/ ?', 'com ', m['head'])}{own.cardinal(int(m['n']))} sem{stop(m)}"),
            rule(r"(?<![\w.,-])(?P<n>[1-9]\d?)(?:\+(?P<more>[1-9]))?['’′] ?/ ?(?P<half>[12])T(?!\w)",
                 lambda m: own.cardinal(int(m["n"])) + (f" mais {own.cardinal(int(m['more']))}" if m["more"] else "")
                 + f" minutos do {own.ordinal(int(m['half']))} tempo"),
            rule(r"(?<![\w.])(?P<w>[Pp]art|[Cc]heg)\.(?= (?:às )?\d{1,2} ?[h:])",
                 lambda m: f"{m['w'][0]}{'artida' if m['w'][1:] == 'art' else 'hegada'}"),
            rule(r"(?<=, )B\. (?=[A-ZÀ-Þ][a-zà-ÿ]{3})", "bairro "),
            rule(r"(?<=ª )Rep\.", lambda m: f"República{stop(m)}"),
            rule(r"(?<=[a-zà-ÿ] )(?P<m>jan|fev|abr|jun|jul|ago|out|nov)\.(?= (?:em|com|a|ao|e) )",
                 lambda m: own.month_names[own.month_numbers[m["m"]] - 1]),
            rule(r"(?:(?<=\b[Aa]rt\. )|(?<=\b[Aa]rts\. )|(?<=artigo )|(?<=artigos )|(?<=º, )|(?<=º e ))"
                 r"(?P<n>\d{2,4})\.?º(?!\w)", lambda m: own.cardinal(int(m["n"]))
                 if mentions(ARTICLES, m.string) and m["n"] != "10" else None),
            rule(r"(?<![\w.,])(?P<n>\d{1,4}) op\.", lambda m: f"{own.cardinal(int(m['n']))} operacionais{stop(m)}"),
            rule(r"(?:(?<=[Aa]lugo )|(?<=[Aa]luga-se )|(?<=[Vv]endo ))kit\.", "quitinete"),
            rule(r"(?<![\w.,-])\d{5}-\d{3}(?= [A-ZÀ-Þ][a-zà-ÿ]|[,;)]|\.?\s*\Z)",
                 lambda m: ", ".join(own.digits(part) for part in m[0].split("-"))),
            rule(r"\b(?P<day>(?:[Ss]egunda|[Tt]erça|[Qq]uarta|[Qq]uinta|[Ss]exta)(?:-feira)?|[Ss]ábado"
                 r"|[Dd]omingo)(?P<gap>,? )"
                 r"(?P<d>3[01]|[12]\d|0?[1-9])/(?P<m>1[0-2]|0?[1-9])(?![\w/-]|[.,]\d)", lambda m:
                 f"{m['day']}{m['gap']}{own.said_date(int(m['d']), int(m['m']), None, '')}"),
            rule(r"(?<=\()2(?= (?:para|por|no caso)\b)", lambda m: "duas"
                 if re.search(r"\b1 [a-zà-ÿ]{2,12}a\b[^.()]{0,40}\(\Z", text_before(m, 60)) else None),
            rule(r"(?<![\w.,])(?:½|1/2) c\. \((?:de )?(?P<what>sopa|chá|sobremesa|café)\)", r"meia colher de \g<what>"),
            rule(r"(?<=[a-zà-ÿ] )(?P<a>\d{1,2}) ?x ?(?P<b>\d{1,2})(?= [A-ZÀ-Þ][a-zà-ÿ])", lambda m:
                 f"{own.cardinal(int(m['a']))} a {own.cardinal(int(m['b']))}" if mentions(PLAYED, m.string) else None),
            rule(r"(?<![\w.])atual\.(?= d[oae])", "atualização"),
            rule(r"(?<![\w.,])(?P<n>[1-9]\d?|10\d) a(?=, )", lambda m: own.counted(m["n"], ["ano", "anos"])
                 if mentions(PATIENT, m.string) else None),
            rule(r"(?<=, )int\.(?= (?:em|a) \d)", lambda m: "internada" if mentions(PATIENT, m.string) else None),
            rule(r"(?<=\bà )(?P<s>[ED])(?=[ ,.;)])", lambda m: ("esquerda" if m["s"] == "E" else "direita")
                 if mentions(PATIENT, m.string) else None),
            rule(r"(?<=\b[Pp]or )sent\.(?= de \d)|(?<=\ba )sent\.", "sentença"),
            rule(r"(?<=, )com\.(?= de [A-ZÀ-Þ])", "comentário"),
            rule(r"(?<![\w.,])(?P<n>\d) stes?\.",
                 lambda m: f"{own.cardinal(int(m['n']), 'f')} suíte{'' if m['n'] == '1' else 's'}{stop(m)}"),
            rule(r"(?:(?<=mil )|(?<=\d ))alm\.", lambda m: f"almas{stop(m)}"),
            rule(r"(?<![\w.,])(?P<n>\d{1,3})\.?(?P<end>º|ª)s(?!\w)(?! ?-feira)", lambda m:
                 f"{own.ordinal(int(m['n']), 'f' if m['end'] == 'ª' else 'm')}s"
                 if not (m["end"] == "ª" and 1 < int(m["n"]) < 7) else None),
            rule(r"(?<=\be )(?P<n>\d{2,4})\.?º(?= d[oa] [A-Z])", lambda m: own.cardinal(int(m["n"]))
                 if mentions(ARTICLES, m.string) else None),
            rule(r"\b(?P<a>[Aa]os) sáb\. e dom\.", lambda m: f"{m['a']} sábados e domingos{stop(m)}"),
            rule(r"(?<=: )(?:2[1-9]\d|9[1236]\d) \d{3} \d{3}(?=[.,;)]?(?:\s|\Z))(?! [a-zà-ÿ]| ?[€%])",
                 lambda m: ", ".join(own.digits(part) for part in m[0].split())),
            rule(r"(?<![\w.,])(?P<a>20\d\d) x (?P<b>20\d\d)(?![\w.,]\d|\w)", lambda m:
                 f"{own.year(int(m['a']))} contra {own.year(int(m['b']))}"),
            rule(r"(?<![\w.])sl\. ?(?=\d)", "sala "),
            rule(r"(?<![\w.])et\.(?= \d{1,2}\b)", "etapa"),
            rule(r"(?<=erro )n/(?=[,.;)]|\s*\Z)", "nosso"),
            rule(r"(?<![\w.,])(?P<n>\d{1,3}) dd(?![\w.])", lambda m: own.counted(m["n"], ["dia", "dias"])),
            rule(r"(?<![\w.])Reg\.(?= \(?(?:UE|CE|CEE)\b)", "Regulamento"),
            rule(r"(?<=º, )(?P<n>(?=[IVXLC])[CLXVI]{1,8})(?=[,.;)]| d[aeo] )",
                 lambda m: f"inciso {own.cardinal(value(m['n']))}" if mentions(ARTICLES, m.string) else None),
            rule(r"(?<=\be )pess\.|(?<=\bpor )pess\.", lambda m: f"pessoa{stop(m)}"),
            rule(r"(?<![\w.])(?P<a>[Aa])tualiz\.(?= (?:p/|para))", r"\g<a>tualização"),
            rule(r"(?:\A|(?<=[.!?] ))C\.(?= de \d)", "Cerca"),
            rule(r"(?<![\w.,])(?P<n>\d{2,5}) lug\.", lambda m: f"{own.spoken(m['n'])} lugares{stop(m)}"),
            rule(r"(?<![\w.])(?P<u>[Úú])lt\.(?= (?P<noun>[a-zà-ÿ]{3,20}))",
                 lambda m: f"{m['u']}ltim{'a' if own.gender(m['noun']) == 'f' else 'o'}"),
            rule(r"(?<=\d, )incl\.", lambda m: f"inclusive{stop(m)}"),
            rule(r"(?P<noun>\b(?:[Bb]icicleta|[Rr]oupa|bota|calça|blusa|jaqueta) )fem\.",
                 lambda m: f"{m['noun']}feminina{stop(m)}"),
            rule(r"(?<=\) )v\.(?= [A-ZÀ-Þ][a-z])", lambda m: "vence" if mentions(TENNIS, m.string) else None),
            rule(r"(?<=, )m\. ?t\.", lambda m: "mesmo tempo" + stop(m) if mentions(MATCH, m.string) else None),
            rule(r"(?<![\w.])exp\.(?=: [A-ZÀ-Þ])", lambda m: "expulso" if mentions(MATCH, m.string) else None),
            rule(r"(?<![\w.])(?P<n>[2-6])ª(?= (?:e|a) (?:[3-6]ª|sáb)|, [3-6]ª)|(?<=ª e )(?P<last>[3-6])ª(?=[,:;]| das"
                 r"| \d)"
                 r"|(?<=ª a )(?P<to>[3-6])ª(?=[,:;]| das| \d)",
                 lambda m: DAYS[int(m["n"] or m["last"] or m["to"]) - 2] if mentions(OPENING, m.string) else None),
            rule(r"(?<![\w.])Z\.(?= (?:Sul|Norte|Leste|Oeste)\b)", "zona"),
            rule(r"(?<![\w.])(?P<a>[Aa])lt\.(?= [12],\d\d? ?m\b)", r"\g<a>ltura"),
            rule(r"(?<=\dº )m\. ?t\.", lambda m: f"mesmo tempo{stop(m)}"),
            rule(r"(?<=\dª )r\.(?=[:,;)]| [a-z(])", lambda m: "rodada" if mentions(MATCH, m.string) else None),
            rule(r"(?<![\w.,])(?P<n>\d{1,2})x/d(?:ia)?(?!\w)", lambda m: f"{own.repeated(int(m['n']))} por dia"),
            rule(r"(?<![\w.,])(?P<n>\d{1,2}) cáps?\.",
                 lambda m: own.counted(m["n"], ["cápsula", "cápsulas"]) + stop(m)),
        )),
        Kind("abbreviation", re.compile(r"[a-zà-ÿx]\."), (
            cut_rule(own, EVERYWHERE),
            cut_rule(own, OFFERED, OFFER),
            cut_rule(own, COOKED, RECIPE),
            cut_rule(own, TREATED, PATIENT),
        )),
    )  # fmt: skip
