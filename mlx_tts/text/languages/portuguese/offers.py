"""Portuguese short forms of courts and of offers ("Ac. do STJ", "al. b)", "lug. de garagem", "red. 8 €") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, rule, text_before
from mlx_tts.text.normalise.european_numbers import DECIMAL
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_notices import (
    at_least_rule,
    few_minutes_rule,
    lone_century_rule,
    quarter_rule,
    short_word,
    side_by_side_rule,
    split_hours_rule,
    tennis_rules,
    tested_rules,
    two_days_rule,
    two_months_rule,
    version_rule,
    women_rules,
)

PATIENT = re.compile(
    r"\b(?:[Pp]aciente|[Dd]oente|[Uu]tente|[Aa]nálises|[Ii]ntercorr\w+|[Pp]cte\.|TA\b|PA\b|FC\b|FR\b|HAS\b|Hb\b"
    r"|Sp?O2|SatO)|\bmg\b"
)
TESTED = {"K+": "potássio", "Na+": "sódio", "Hb": "hemoglobina", "Plaq.": "plaquetas", "plaq.": "plaquetas",
          "Leuc.": "leucócitos",
          "leuc.": "leucócitos", "Ht": "hematócrito", "Tax": "temperatura axilar",
          "Tax.": "temperatura axilar"}  # fmt: skip
WOMEN_VERBS = (
    "foram|foi|ficaram|ficou|estão|está|estavam|estava|continuam|continua|permanecem|serão|será|são|eram|acabaram"
    "|terminaram|seguem|saíram|saiu|encontram-se|acabou"
)
# A text with one of these offers a flat or a car.
OFFER = re.compile(
    r"(?i)\b(?:vend[eo]|vende-se|aluga|arrenda|T[0-5]|apartamento|apto\.?|moradia|quartos?|dorms?\.?|m²|m2|garagem"
    r"|cond\.|condomínio|km|único dono|casa|estúdio|renda)"
)
SHORT = {
    "neg": "negociável", "negoc": "negociável", "gar": "garagem", "estac": "estacionamento", "arrec": "arrecadação",
    "mob": "mobilado", "equip": "equipada", "coz": "cozinha", "elev": "elevador", "varand": "varanda",
    "mobil": "mobiliado", "semimob": "semimobiliado", "churr": "churrasqueira", "pisc": "piscina",
}  # fmt: skip
WEEK = ("segunda", "terça", "quarta", "quinta", "sexta")
# Before a number that is called.
DIALLED = re.compile(
    r"(?i)\b(?:lig(?:ar|ue|uem)|contac?t\w+|telefon\w+|telef\.|tel\.?|através do|pelo|para o"
    r"|WhatsApp)\b"
)
LAWS = {"Pri": "Privado", "Púb": "Público", "Cri": "Criminal", "Emp": "Empresarial"}
SEVERAL = {"lug": "lugar|lugares", "vgs": "vaga|vagas", "vg": "vaga|vagas", "assoal": "assoalhada|assoalhadas"}


def offer_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    stop, short = own.sentence_stop, short_word(own, SHORT, OFFER)

    def counted(match: re.Match[str]) -> str:
        forms = SEVERAL[match["word"].lower()].split("|")
        if match["n"]:
            return own.counted(match["n"], forms) + stop(match)
        return forms[0].capitalize() if match["word"][0].isupper() else forms[0]

    def thousands_of_millions(match: re.Match[str]) -> str:
        """ "3,5 mil M€": thousand millions."""
        money = own.money[match["sign"]].split("|")[1]
        return f"{own.scaled(match['n'], 'mil')} milhões de {money}"

    def ours(match: re.Match[str]) -> str:
        """ "v/ carta", "n/ e-mail"."""
        feminine = own.gender(match["noun"]) == "f" or match["noun"] == "ref"
        said = f"{'vo' if match['whose'] in 'vV' else 'no'}ss{'a' if feminine else 'o'} "
        return said.capitalize() if not text_before(match, 1) else said

    def side(match: re.Match[str]) -> str | None:
        if not mentions(PATIENT, match.string):
            return None
        feminine = re.match(r"base|perna|mão|mama|FID", match["part"])
        several = "s" if match["part"] == "bases" else ""
        said = "direit" if match["side"] == "D" else "esquerd"
        return f"{match['part']} {said}{'a' if feminine else 'o'}{several}"

    def letter(match: re.Match[str]) -> str:
        """ "al. b)", "als. a) e c)"."""
        said = f"alínea{'s' if match['several'] else ''}"
        return said.capitalize() if match[0][0] == "A" else said

    return (
        Kind("number", re.compile(r"\d"), (
            *tennis_rules(own),
            at_least_rule("pelo menos", "no máximo"),
            few_minutes_rule(own),
            version_rule(own, "versão"),
            side_by_side_rule(own),
            two_days_rule(own),
            split_hours_rule(own, lambda a, b: f"das {a} às {b}", " e "),
            *women_rules(own, WOMEN_VERBS, r"(?<=\b[Oo]utras )|(?<=\b[Aa]s )|(?<=\b[Dd]as )|(?<=\b[Ee]stas )"
                         r"|(?<=\b[Ee]ssas )|(?<=\b[Pp]elas )|(?<=\b[Nn]as )"),
            *tested_rules(own, TESTED, PATIENT, "temperatura"),
            rule(rf"(?<![\w.,])(?P<n>{DECIMAL}) mil M(?P<sign>[€$£])(?!\w)", thousands_of_millions),
        )),
        Kind("Roman numeral", re.compile(r"\b[nNdDaAoO]?o [IVX]"), (
            lone_century_rule(own, "[Nn]o|[Dd]o|[Aa]o|[Dd]esde o|[Aa]té ao?|e o|[Oo]",
                              "finais|fins|fim|início|inícios|meados|princípios|começo|metade",
                              "e|ou|até|se|foi|era|com|a|o|as|os|um|uma|em|no|na|como|por|quando|não|já|houve|viveu"
                              "|nasceu|morreu|surgiu|havia"),
        )),
        Kind("date", re.compile(r"[a-zû]\.?[-–/][a-z]"), (two_months_rule(own),)),
        Kind("abbreviation", re.compile(
            r"\bver\. |\borç\.|\bcontab\.|\bAbr\.|\b[Pp]art\. |\b[Cc]heg\. |ª cl\.|\besq\.|\bef\. |\b[Pp]res\. "
            r"|\bao [NSEO] "
        ), (
            rule(r"(?P<the>\b(?:[OoAa]|[Dd][oa]|[Pp]el[oa]|[Aa]o|à) )ver\.(?= [A-ZÀ-Þ])",
                 lambda m: f"{m['the']}vereador{'a' if m['the'][-2] in 'aAà' else ''}"),
            rule(r"(?<![\w.])(?P<o>[Oo])rç\.", lambda m: f"{m['o']}rçamento{stop(m)}"),
            rule(r"(?:(?<=\bna )|(?<=\bda )|(?<=\bà )|(?<=\ba ))contab\.", lambda m: f"contabilidade{stop(m)}"),
            rule(r"(?:\A|(?<=[.!?] )|(?<=\n))Abr\.(?=,)", "Abraço"),
            rule(r"(?<![\w.])(?P<p>[Pp])art\.(?= [A-ZÀ-Þ][a-zà-ÿ]+[^.!?]{0,24} \d{1,2}[h:]\d\d)", r"\g<p>artida"),
            rule(r"(?<![\w.])(?P<c>[Cc])heg\.(?= [A-ZÀ-Þ][a-zà-ÿ]+[^.!?]{0,24} \d{1,2}[h:]\d\d)", r"\g<c>hegada"),
            rule(r"(?<=ª )cl\. ?(?=\d)", "classe "),
            rule(r"\b(?P<noun>margem|borda|mão|perna|coluna|asa|mama|orelha|lado|bordo|canto|olho|pé|braço"
                 r"|ouvido) esq\.",
                 lambda m: f"{m['noun']} esquerd"
                 f"{'o' if m['noun'][-1] in 'oé' and m['noun'] != 'mão' else 'a'}{stop(m)}"),
            rule(r"(?<![\w.])ef\.(?= (?:advers|secund|colat))", "efeitos"),
            rule(r"(?<![\w.])(?P<p>[Pp])res\.(?= d[aeo] )", r"\g<p>residente"),
            quarter_rule(own),
        )),
        Kind("abbreviation", re.compile(
            r"\b[Vv]\. [a-z]|\bint\.|\bprol\.|s\.f\.f|laparosc|\bext\.|\dª?\.?ªs|\best\.|\bTbm?\b|\d{3} \d{3} \d{3}"
        ), (
            rule(r"(?<![\w.])(?P<v>[Vv])\.(?= (?:pp?\. ?\d|págs?\.|fig\.|cap\.|quadro|tabela|nota \d"
                 r"|anexo))", r"\g<v>er"),
            rule(r"(?:(?<=\()|(?<=\bao ))int\.(?=:? \d| |[,;)])", "intervalo"),
            rule(r"(?:(?<=após )|(?<=\bno )|(?<=\bdo )|(?<=\bao ))prol\.", lambda m: f"prolongamento{stop(m)}"),
            rule(r"(?<![\w.])s\. ?f\. ?f\.", lambda m: f"se faz favor{stop(m)}"),
            rule(r"(?<![\w.])laparosc\.", lambda m: f"laparoscópica{stop(m)}"),
            rule(r"(?<=[Cc]onsulta )ext\.", lambda m: f"externa{stop(m)}"),
            rule(r"(?<!\w)(?P<n>[2-6])\.ªs(?![\w-])", lambda m: f"{WEEK[int(m['n']) - 2]}s"),
            rule(r"(?:(?<=qualquer )|(?<=\bbom )|(?<=\bmau )|(?<=ótimo )|(?<=xcelente )|(?<=perfeito ))est\.",
                 lambda m: f"estado{stop(m)}"),
            rule(r"(?:\A|(?<=[.!?;] ))Tbm?\.?(?= [a-z])", "Também"),
            rule(r"(?:2[1-9]\d|30\d|70[78]|76\d|80\d|9[1236]\d) \d{3} \d{3}(?![\w-]|[.,]\d| [a-zà-ÿ]{3}| ?[€%])",
                 lambda m: ", ".join(own.digits(part) for part in m[0].split())
                 if DIALLED.search(text_before(m, 40)) else None),
        )),
        Kind("abbreviation", re.compile(
            r"\bAp\. |\bCâm\. |\bDir\. (?:Priv|Púb|Crim)|\bSúm\. |\bV\. |\btb\. |\bcarr\. |\blug\. \d|\bL\. [A-Z]"
            r"|\bCív\."
        ), (
            rule(r"(?<![\w.])Ap\.(?= (?:Cív\.|Crim\.|n[ºo.]))", "apelação"),
            rule(r"(?<=\bAp\. )(?P<what>Cív|Crim)\.", lambda m: "cível" if m["what"] == "Cív" else "criminal"),
            rule(r"(?<=ª )Câm\.", "câmara"),
            rule(r"(?<![\w.])(?:de )?Dir\. (?P<what>Priv|Públ?|Crim|Empres)\.",
                 lambda m: f"de Direito {LAWS[m['what'][:3]]}{stop(m)}"),
            rule(r"(?<![\w.])Súm\. (?:n\.?º )?(?P<n>\d{1,3})(?:/|, d[oa] | d[oa] )(?P<court>STJ|STF|TST|TSE)(?!\w)",
                 lambda m: f"súmula {own.cardinal(int(m['n']))} do {m['court']}"),
            rule(r"(?<![\w.])Súm\.(?= (?:n|\d|Vinc))", "súmula"),
            rule(r"(?<![\w.])(?P<v>[Vv])\.(?= (?:tb|também|ainda|art|Súm))", r"\g<v>ide"),
            rule(r"(?<![\w.])tb\.(?= \w)", "também"),
            rule(r"(?<![\w.])carr\.(?= \d)", "carruagem"),
            rule(r"(?<![\w.])lug\.(?= \d)", "lugar"),
            rule(r"(?<![\w.])L\.(?= (?:Azul|Verde|Vermelha|Amarela|Esmeralda|Lilás|Prata|Rubi)\b)", "linha"),
        )),
        Kind("abbreviation", re.compile(
            r"\b(?:sáb|dom)\.|\b[vn]/ ?[a-z]|\btransf\.|\bDep\. |\d ?a,|\b[DE]\b|\bprob\.|\b(?:Vlw|Obg|Blz)\b|\ba 1"
            r"|\bag\.|\d/\d"
        ), (
            rule(r"(?:(?<=\bde )|(?<=\bno )|(?<=\baté )|(?<=\bdo )|(?<=\beste )|(?<=\bpróximo )"
                 r"|(?<=\bao ))(?P<day>sáb|dom)\.",
                 lambda m: f"{'sábado' if m['day'] == 'sáb' else 'domingo'}{stop(m)}"),
            rule(r"(?<![\w/])(?P<whose>[vnVN])/ ?(?=(?P<noun>e-?mail|carta|fatura|encomenda|pedido|contacto|contato"
                 r"|referência"
                 r"|resposta|empresa|morada|proposta|orçamento|ref)\b)", ours),
            rule(r"(?:(?<=\bpor )|(?<=\bvia )|(?<=\ba )|(?<=\bde )|(?<=\bcom ))transf\.(?= (?:banc|para|p/|imed|via))",
                 "transferência"),
            rule(r"(?<![\w.])(?P<d>[Dd])ep\.(?= (?:Financeiro|Comercial|Jurídico|Técnico|Administrativo|Médico|Pessoal"
                 r"|RH|de (?!Souza|Sousa)[A-ZÀ-Þa-z]))", r"\g<d>epartamento"),
            rule(r"(?:(?<=Homem, )|(?<=Mulher, )|(?<=aciente, )|(?<=oente, )|(?<=masc\., )|(?<=fem\., )"
                 r"|(?<=Masculino, )"
                 r"|(?<=Feminino, ))(?P<n>\d{1,3}) ?a(?=[,; ])", lambda m: own.counted(m["n"], ["ano", "anos"])),
            rule(r"\b(?P<part>base|bases|ápice|hemitórax|pulmão|MI|MS|membro \w+|terço \w+|FID|flanco|perna|mão"
                 r"|joelho|ombro"
                 r"|olho|ouvido|pé|quadril|mama|braço|punho) (?P<side>[DE])(?=[,;)]|\.?\s*\Z|\. [A-Z])", side),
            rule(r"(?:(?<=mesmo )|(?<=\besse )|(?<=\beste )|(?<=\bum )|(?<=algum )|(?<=nenhum )|(?<=qualquer )"
                 r"|(?<=\bo ))"
                 r"prob\.", lambda m: f"problema{stop(m)}"),
            rule(r"(?:\A|(?<=[.!?] ))(?P<what>Obg|Vlw|Blz)(?=\s*\Z)",
                 lambda m: {"Obg": "Obrigado", "Vlw": "Valeu", "Blz": "Beleza"}[m["what"]]),
            # The day from which a flat is free.
            rule(r"(?P<free>\b(?:[Ll]ivre|[Dd]isponível|[Dd]isp\.|[Vv]ago|[Ee]ntrada) (?:a|em|de|desde|a partir de) )"
                 r"(?P<day>3[01]|[12]\d|0?[1-9])/(?P<month>1[0-2]|0?[1-9])(?![\w/]|[.,]\d)",
                 lambda m: f"{m['free']}{own.said_date(int(m['day']), int(m['month']), None, '')}"),
            rule(r"(?:(?<=aceitam )|(?<=\bs/ )|(?<=\bsem )|(?<=\bdispenso ))ag\.", lambda m: f"agências{stop(m)}"),
        )),
        Kind("abbreviation", re.compile(
            r"\bAcs?\. |\b[Aa]ls?\. |\bLda\b|\bS\. ?A\. |alm[.o]|\bred|\b[Rr]/[Cc]\b|º (?:[Ff]te|[dD]to|esq)\b"
            rf"|\b(?i:{'|'.join((*SHORT, *SEVERAL))})\."
        ), (
            rule(r"(?<![\w.])Ac(?P<several>s?)\.(?= (?:d[aeo]s? |n\.º|\d|STJ|STA|TC|TRL|TRP|TJ|Trib))",
                 lambda m: "acórdãos" if m["several"] else "acórdão"),
            rule(r"(?<![\w.])[Aa]l(?P<several>s)?\.(?= [a-z]{1,2}\))", letter),
            rule(r"(?<![\w.])Lda(?:\.|(?=[ ,;)]))",
                 lambda m: "limitada" + (stop(m) if m[0][-1] == "." else "")),
            rule(r"(?<=, )S\. ?A\.(?= [a-z])", "S A"),
            rule(r"(?<![\w.])(?P<p>[Pp])eq(?:\.|ueno)[- ]alm(?:oço|\.)",
                 lambda m: f"{m['p']}equeno-almoço{stop(m)}"),
            rule(r"(?<![\w.])(?P<p>[Pp])equeno-alm\.", lambda m: f"{m['p']}equeno-almoço{stop(m)}"),
            # A price for some, next to that of all.
            rule(r"(?:(?<=\()|(?<=[,;/] )|(?<=€ )|(?<=e ))red(?:uz)?\.(?=:? \d)", "reduzido"),
            rule(r"(?:(?<=[Tt]arifa )|(?<=[Mm]obilidade ))red(?:uz)?\.", lambda m: f"reduzida{stop(m)}"),
            rule(r"(?:(?<=[Pp]reço )|(?<=[Bb]ilhete ))red(?:uz)?\.", lambda m: f"reduzido{stop(m)}"),
            rule(r"(?:(?<=\bs/ )|(?<=\bs/)|(?<=\bsem )|(?<=\bc/ )|(?<=\bcom ))mob\.",
                 lambda m: f"mobília{stop(m)}" if mentions(OFFER, m.string) else None),
            rule(rf"(?<![\w.])(?P<word>(?i:{'|'.join(SHORT)}))\.(?!\w)", short),
            rule(rf"(?<![\w.,])(?:(?P<n>\d{{1,2}}) )?(?P<word>(?i:{'|'.join(SEVERAL)}))\.(?=[ ,;)]|\s*\Z)(?! \d)",
                 lambda m: counted(m) if mentions(OFFER, m.string) else None),
            rule(r"(?<![\w/])(?:R/C|r/c)(?![\w/])", "rés-do-chão"),
            rule(r"(?:(?<=º )|(?<=\br/c )|(?<=\bR/C ))(?P<side>[Ff]te|[Dd]to|[Ee]sq)\b\.?",
                 lambda m: {"f": "frente", "d": "direito", "e": "esquerdo"}[m["side"][0].lower()]
                 + (stop(m) if m[0][-1] == "." else "")
                 if m[0][-1] == "." or not text_before(m, 3).startswith("/") else None),
        )),
    )  # fmt: skip
