"""How French says a number by what stands beside it, and the forms that only French has."""

from __future__ import annotations

import re

from mlx_tts.text.languages.french.everyday import everyday_kinds
from mlx_tts.text.languages.french.forms import form_kinds
from mlx_tts.text.languages.french.notices import notice_kinds
from mlx_tts.text.normalise.engine import Kind, Rule, mentions, rule, text_after, text_before, words_of
from mlx_tts.text.normalise.romance import Alike, Romance
from mlx_tts.text.roman import value

# Singular nouns that are feminine by their ending, or that people often count; and those that look so.
FEMININE_ONE = (
    r"[a-zà-ÿ]{2,}(?:[ts]ion|té|ée|ette|ence|ance|ure|elle|esse|euse|rice|ade|aille)|poire|pomme|banane|orange|carotte"
    r"|tomate|courgette|aubergine|échalote|feuille|branche|botte|boîte|bouteille|table|chambre|ligne|lettre|carte"
    r"|image|porte|équipe|victime|ville|clé|dose|goutte|pilule|noix|amande|olive|fraise|framboise|cerise|pêche"
    r"|noisette|gousse|datte|figue|tarte|crêpe|saucisse|crevette|huître|moule|médaille|étape|manche|usine|école|île"
    r"|plage|voix|livre sterling|faute|note|minute|chute|dette|recette|route|goutte|pâte|fête|tête|côte|carte|chaise"
    r"|valise|chemise|surprise|église|entreprise|crise|machine|cuisine|piscine|farine|usine|semaine|douzaine|dizaine"
    r"|centaine|fontaine|laine|saison|maison|raison|livraison|boisson|leçon|façon|chanson|famille|fille|bille|grille"
    r"|cheville|pastille|école|parole|étude|certitude|habitude|affiche|fiche|tache|tâche|vache|hache|banque|marque"
    r"|attaque|remarque|brique|clinique|boutique|musique|réplique|terre|pierre|guerre|serre|cave|preuve|épreuve|rive"
    r"|dérive|tentative|initiative|pièce|place|glace|race|trace|preface|force|source|course|bourse|réponse|dépense"
    r"|offre|coupe|troupe|grippe|nappe|pompe|lampe|jambe|tombe|bombe|robe|bande|demande|commande|amende|viande|période"
    r"|méthode|mode|aide|salade|minute|seconde|onde|corde|garde|fraude|page|nage|cage|rage|plante|vente|pente|tente"
    r"|attente|détente|planète|cigarette|mère|sœur|dame|femme|main|dent|fleur|peur|couleur|douleur|valeur|chaleur"
    r"|longueur|largeur|hauteur|erreur|fin|faim|nuit|mort|part|fois|souris|vis|croix|paix|peau|eau|loi|foi|forêt|mer"
    r"|cour|tour|dose|chose|rose|pause|cause|phrase|base|chambrée|gare|barre|guitare|heure|mesure|lecture|ceinture"
    r"|blessure|figue|langue|vague|bague|marche|branche|tranche|planche|manche|recherche|fourche|bouche|couche|douche"
    r"|mouche|touche|brosse|fosse|crosse|classe|tasse|masse|messe|promesse|adresse|caisse|liasse|mousse|trousse"
    r"|secousse"
)
MASCULINE_ONE = r"(?:côté|été|comté|traité|musée|lycée|trophée|comité|silence|murmure|mercure)"


# Before "C. civ.": the article of that code.
NUMBERED_ARTICLE = re.compile(r"\d(?: et s\.)? \Z")
HOUSES = re.compile(
    r"(?i)\b(?:appart\w*|appt|maison|villa|[tf]\d|duplex|studio|balcon|jardin|loyer|sdb|cuisine|séjour|gîte|m²|"
    r"terrasse)\b"
)
CODES = {
    "civ": "civil",
    "pén": "pénal",
    "trav": "du travail",
    "com": "de commerce",
    "conso": "de la consommation",
    "cons": "de la consommation",
}
# Most nouns in -e are feminine; those with these endings are not, nor are these.
MASCULINE_E = (
    r"[a-zà-ÿœ]*(?:age|isme|asme|iste|[èe]ge|ème|[oô]me|[tbdvfcn]re|[auo]?ire|ice|[cbpgft]le|erre|eurre|ste|xte|[cp]te"
    r"|que|[iè]gne|ume|[iu]le|oupe|[ao]de|ype|ite|rme|uve|[êe]ve|nge|yle|[ôèy]le|ène|one|oute|ote|ongle|isse|asse"
    r"|eigne|lme|phe|yme|aphe|ogue|ouge|euve|arge|orge|ige|oge|uge|amme|omme|oque|ingue|ile|ore|ure?|adre|ide|uce|ope"
    r"|ombe|erme|exe|ace)|jaune|gymnase|code|rêve|groupe|doute|homme|contre|autre|quatre|comme|entre|elle|même|grande"
    r"|petite|seule|telle|pile"
)
TROOPS = re.compile(r"(?i)\b(?:armées?|soldats|bataille|troupes|siège|régiment|général|maréchal)\b")
NO_NOUN = frozenset(
    words_of("contre autre comme entre elle même grande petite seule telle quatre sinon encore que ne se le de")
)
RELAYS = ("50", "100", "200", "400", "800", "1000", "1500")
ROOMS = re.compile(
    r"(?i)\b(?:hôtel|hôpital|clinique|auberge|résidence|chu|étage|ét|service|patient\w*|séjour|nuit|réception)\b"
)


class French(Romance):
    """One is said "un" or "une", also in 21; kings are counted by cardinals, the first apart."""

    ordinal_marks = ""
    alike = Alike(
        aged=("moins de", "plus de"),
        plural=r"[a-zà-ÿœ]{3,}[sx]",
        university="université", either="ou", lasting="pendant", more="plus de", for_whom="pour", of_so_many="pour",
        months="janv jan févr fév fevr avr juil sept oct nov déc dec", other_months="sept",
        before_months=r"[Ee]n|[Dd]epuis|[Ff]in|[Dd]ébut|[Cc]ourant|[Dd]ès|[Jj]usqu['’]en|[Jj]usqu['’]à|[Dd]e|[Dd]"
                      r"u|à|et",
        priced_times=True,
        about={"a": {8: "huitaine", 9: "neuvaine", 10: "dizaine", 12: "douzaine", 15: "quinzaine", 20: "vingtaine",
                     30: "trentaine", 40: "quarantaine", 50: "cinquantaine", 60: "soixantaine", 100: "centaine"}},
    )  # fmt: skip

    def spelling(self, words: str) -> str:
        return words.replace("-et-", " et ")

    def form(self, plain: str, forms: list[str]) -> str:
        return forms[0 if float(plain.replace(",", ".")) < 2 else -1]

    def counted(self, written: str, forms: list[str], scale: str = "") -> str:
        return re.sub(r"\b(de) (?=[aeiouhéè])", "d'", super().counted(written, forms, scale))

    def gender_of_many(self, noun: str) -> str:
        endings = r"(?!(?:comtés|traités|côtés|étés|incendies|génies|musées|lycées|trophées|comités)\Z)\w{2,}"
        likely = rf"{endings}(?:[ts]ions|tés|ées|ettes|ences|ances|ures|ies|elles|esses|euses|rices|ades|ailles)"
        known = re.fullmatch(rf"(?:{likely}|(?:{FEMININE_ONE})s?)", noun) and not re.fullmatch(
            rf"{MASCULINE_ONE}s?", noun
        )
        return super().gender_of_many(noun) or ("f" if known else "")

    def one(self, noun: str, before: str) -> str:
        likely = re.fullmatch(FEMININE_ONE, noun) and not re.fullmatch(MASCULINE_ONE, noun)
        if not likely and re.fullmatch(r"[a-zà-ÿœ]{3,}e", noun) and not re.fullmatch(MASCULINE_E, noun):
            likely = noun not in NO_NOUN
        return self.cardinal(1, "f") if likely else super().one(noun, before)

    def part(self, bottom: int) -> str | None:
        if bottom in self.parts:
            return self.parts[bottom]
        one = self.ordinal(bottom, "plain")
        return f"{one}|{one}s"

    def part_of(self, top: int, bottom: int, unit: str) -> str:
        if (top, bottom) == (1, 2):
            one = unit.split("|")[0]
            return f"{'une' if self.gender(one) == 'f' else 'un'} demi {one}"
        return super().part_of(top, bottom, unit)

    def of_unit(self, unit: str) -> str:
        return f"d'{unit}" if unit[0] in "aeiouhé" else f"de {unit}"

    def fraction(self, top: int, bottom: int) -> str:
        return "un demi" if (top, bottom) == (1, 2) else super().fraction(top, bottom)

    def regnal(self, number: int, name: str, before: str = "") -> str:
        return (
            self.ordinal(1, "f" if name.endswith(("a", "e", "h")) and name not in ("Philippe", "Alexandre") else "m")
            if number == 1
            else self.cardinal(number)
        )

    def century_words(self, number: int) -> str:
        return self.ordinal(number, "plain") if number > 1 else "premier"

    def time(self, hour: int, minute: int, second: int | None, match: re.Match[str]) -> str:
        """Minutes are feminine: "vingt heures trente et une"."""
        said = super().time(hour, minute, second, match)
        return re.sub(r"\bet un\Z", "et une", said) if minute % 10 == 1 else said

    def own_kinds(self) -> tuple[Kind, ...]:
        """ "ch." is a room, a chapter, a charge of a rent; "ch" behind a number is a horse of an engine."""
        return (
            *form_kinds(self),
            *notice_kinds(self),
            *everyday_kinds(self),
            *self.romance_kinds(),
            Kind(
                "time",
                re.compile(r"\d ?h"),
                (
                    rule(
                        r"(?<![\w.,-])(?P<a>[01]?\d|2[0-4]) ?h ?(?P<b>[0-5]\d)? ?[-–] ?"
                        r"(?P<c>[01]?\d|2[0-4]) ?h(?: ?(?P<d>[0-5]\d))?(?!\w)",
                        lambda m: (
                            f"{self.time(int(m['a']), int(m['b'] or 0), None, m)} {self.to} "
                            f"{self.time(int(m['c']), int(m['d'] or 0), None, m)}"
                        ),
                    ),
                ),
            ),
            Kind(
                "abbreviation",
                re.compile(
                    r"ap\.-|aprèm|\b(?:dr?|g|gche|int|ext|sup)\.|\bch\b|jeu\.|dom\.|-[Ee]\b|m D[+-]|de D[+-]|dte\b|\d p"
                    r"\.|\b[Pp]t \w|immo\.|\b[Ee]sc\."
                    r"|\b(?:lun|ven|sam|dim)\b|\b"
                    r"[Cc][hl]\b|\bM\.|\d ct\b|\bth|½|1/2|xp\.|\bmin\.|"
                    r"\d-\d|és\. n°|\d s\. \d|\ban [IVX]|\d h\."
                    r"|ét\.|hab\."
                    r"|\d p\.|rt\.|"
                    r"\b[PpVv]\.|"
                    r"[LRDA]\.? ?\d|pers\.|ép\.|Gal\b|âts?"
                    r"\.|temp\.|\bC\. [a-z]"
                ),
                (
                    rule(
                        r"(?<![\w.])(?P<word>[Pp])p?\. ?(?=\d{1,4}(?P<more> ?[-–,] ?\d| et \d)?)",
                        lambda m: f"{m['word']}age{'s' if m['more'] or m[0][1] == 'p' else ''} ",
                    ),
                    rule(r"(?<![\w.])V\.(?= (?:Cass|CE|aussi|not|art|en ce|par ex|infra|supra|fig|p\.|chap))", "voir"),
                    # Behind another initial, or where nothing follows, it is an initial: "J.-P. M.".
                    rule(r"(?<![\w.])M\.(?=\s*(?:\Z|[,;:)!?]))|(?<=[A-Z]\. )M\.(?! [A-ZÀ-Þ])|(?<=[A-Z]\.-)M\.", "M."),
                    rule(
                        r"(?:(?<=\b(?:le|du|au) \d )|(?<=\b(?:le|du|au) \d\d ))ct\b\.?",
                        lambda m: f"courant{self.sentence_stop(m)}",
                    ),
                    rule(r"(?<![\w.-])Gal(?=-[A-Z])|(?<=\b(?:du|le|au) )Gal(?= (?:de )?[A-Z])", "général"),
                    rule(r"(?<![\w.])(?P<word>[Dd])ép\. ?(?=\d)(?!\d\d? ?h)", lambda m: f"{m['word']}épartements "),
                    rule(r"(?<![\w.])(?P<word>[Dd])ép\. ?(?=à |de |\d\d? ?h)", lambda m: f"{m['word']}épart "),
                    rule(r"(?<![\w.])v\.(?= 1\d{3}\b)", "vers"),
                    rule(
                        r"(?:(?<=[12]re )|(?<=2de )|(?<=[12]e )|(?<=1ère )|(?<=2nde ))cl\.",
                        lambda m: f"classe{self.sentence_stop(m)}",
                    ),
                    rule(r"(?:(?<=\dre )|(?<=\de )|(?<=\dère ))ch\.(?= (?:civ|crim|soc|com|mixte|corr)\b)", "chambre"),
                    rule(
                        r"(?<![\w.])(?:th\.|thermostat) ?(?P<a>\d{1,2})(?:[/-]|, )(?P<b>\d{1,2})(?![\w/]|[.,]\d)",
                        lambda m: f"thermostat {self.cardinal(int(m['a']))} {self.cardinal(int(m['b']))}",
                    ),
                    rule(r"(?<![\w.])[Ee]xp\.(?= ?:? ?\d{2}[/.])", "expiration"),
                    rule(r"(?:½|1/2)(?= écrémé)", "demi"),
                    rule(r"(?<![\w.])(?:ap|aprèm|après)\.-m(?:\.|idi)", lambda m: f"après-midi{self.sentence_stop(m)}"),
                    rule(
                        r"\b(?P<part>(?i:genou|bras|œil|pied|poignet|coude|poumon|rein|sein|côté|mollet|pouce|index"
                        r"|talon|main|hanche|épaule|jambe|cheville|oreille|clavicule|cuisse|joue)) (?P<side>dr?|g"
                        r"|gche)\.(?! [A-ZÀ-Þ]\.)",
                        self._side,
                    ),
                    rule(
                        r"\b(?P<noun>ménisque|ligament|malléole|otite|condyle|compartiment|bord|face) (?P<side>int"
                        r"|ext)\.",
                        lambda m: f"{m['noun']} {'in' if m['side'] == 'int' else 'ex'}terne{self.sentence_stop(m)}",
                    ),
                    rule(r"(?<![\w.])ch(?= (?:toi|moi|lui|elle|nous|vous|eux|ma|mon|mes|la|le|les)\b)", "chez"),
                    rule(r"(?<=ét\. )dte\b|(?<=étage )dte\b|(?<=\bà )dte\b", "droite"),
                    rule(
                        r"(?<![\w.,])(?P<n>\d{2,4}) p\.(?=[),;]|\s*\Z| [a-zà-ÿ])(?! de )",
                        lambda m: f"{self.spoken(m['n'])} pages{self.sentence_stop(m)}",
                    ),
                    rule(
                        r"(?<![\w.])(?P<p>[Pp])t(?= (?:culminant|faible|fort|de vue|de départ|mort|final|positif"
                        r"|noir)\b)",
                        r"\g<p>oint",
                    ),
                    rule(
                        r"(?:(?<=[Tt]aux )|(?<=[Pp]rêts )|(?<=[Cc]rédits ))immo\.",
                        lambda m: f"immobiliers{self.sentence_stop(m)}",
                    ),
                    rule(
                        r"(?:(?<=[Mm]arché )|(?<=[Pp]rêt )|(?<=[Cc]rédit )|(?<=[Pp]rojet ))immo\.",
                        lambda m: f"immobilier{self.sentence_stop(m)}",
                    ),
                    rule(r"(?<=\bà )dom\.", lambda m: f"domicile{self.sentence_stop(m)}"),
                    rule(r"(?<![\w.-])[Ww]-[Ee](?![\w-])", "week-end"),
                    rule(
                        r"(?:(?<=m de )|(?<=m ))D(?P<sign>[+-])(?!\w)",
                        lambda m: f"dénivelé {'positif' if m['sign'] == '+' else 'négatif'}",
                    ),
                    # A game at the end of a sentence, and no Thursday.
                    rule(r"\b(?:[Ll]e|[Dd]u|[Aa]u|[Cc]e|[Uu]n) jeu\.(?=\s*\Z|\s+[A-ZÀ-Þ«])", lambda m: m[0]),
                    rule(r"(?<=\bou )sup\.", lambda m: f"supérieur{self.sentence_stop(m)}"),
                    rule(r"(?<![\w.])(?P<e>[Ee])sc\.(?= ?(?:[A-H]|\d{1,2})\b)", r"\g<e>scalier"),
                    rule(
                        r"(?<![\w.-])(?P<day>lun|ven|sam|dim)(?= ?[?!]| soir| matin| aprem| midi| prochain| dernier"
                        r"| à \d)",
                        lambda m: self.day_names.get(f"{m['day']}.", self.day_names.get(m["day"], "")) or None,
                    ),
                    rule(r"(?:(?<=\b1er )|(?<=\b[Pp]remier ))min\.", "ministre"),
                    rule(r"(?<=m² )hab\.", "habitables"),
                    rule(
                        r"(?:(?<=\b[Aa]rticle )|(?<=\b[Aa]rt\. ))(?P<a>\d{1,4})-(?P<b>\d{1,2})(?![\w-]|[.,]\d)",
                        lambda m: f"{self.cardinal(int(m['a']))} tiret {self.cardinal(int(m['b']))}",
                    ),
                    rule(r"(?<![\w.])(?P<word>[Rr])és\.(?= n°)", lambda m: f"{m['word']}ésolution"),
                    rule(
                        r"(?<![\w.,])(?P<s>\d{1,2}) s\. (?P<d>\d{1,2}) d\.",
                        lambda m: (
                            f"{self.counted(m['s'], ['sou', 'sous'])} {self.counted(m['d'], ['denier', 'deniers'])}"
                            + self.sentence_stop(m)
                        ),
                    ),
                    rule(r"(?:(?<=\b[Ll]'an )|(?<=\b[Ll]’an ))I(?![\w'’.-]\w)(?!\w)", "un"),
                    rule(
                        r"(?<=\ban )(?P<n>I[IVX]|III|V?I{2,3}|VI?|X(?:I{1,3}|IV)?)\b(?!\.)",
                        lambda m: self.cardinal(value(m["n"])),
                    ),
                    rule(
                        r"(?<![\w.,])(?P<n>\d{1,3}(?: \d{3})+) h\.",
                        lambda m: (
                            f"{self.spoken(m['n'])} {'hommes' if mentions(TROOPS, m.string) else 'habitants'}"
                            + self.sentence_stop(m)
                        ),
                    ),
                    rule(r"(?<![\w.])[Cc]h\./mois(?!\w)", "charges par mois"),
                    rule(
                        r"(?<=ét\. )(?P<side>dr|g)\.",
                        lambda m: ("droite" if m["side"] == "dr" else "gauche") + self.sentence_stop(m),
                    ),
                    rule(
                        r"(?<![\w.,])(?P<n>\d) p\.(?=[ ,;)])",
                        lambda m: self.counted(m["n"], ["pièce", "pièces"]) if mentions(HOUSES, m.string) else None,
                    ),
                    rule(r"(?<=\b[Pp]ar )pers\.", lambda m: f"personne{self.sentence_stop(m)}"),
                    rule(r"(?<=\b[Ll]es )temp\.", lambda m: f"températures{self.sentence_stop(m)}"),
                    rule(
                        r"(?<![\w.])C\. (?P<code>civ|pén|trav|com|conso|cons)\.",
                        lambda m: (
                            ("du " if NUMBERED_ARTICLE.search(text_before(m, 8)) else "")
                            + f"Code {CODES[m['code']]}{self.sentence_stop(m)}"
                        ),
                    ),
                    rule(
                        r"(?<![\w.])(?P<word>[Aa]rt\.|[Aa]rticles?) ?(?P<letter>[LRDA])\.? ?(?P<a>\d{1,4})"
                        r"(?:-(?P<b>\d{1,3})(?:-(?P<c>\d{1,2}))?)?(?![\w-]|[.,]\d)",
                        lambda m: (
                            f"{m['word'][0]}rticle{'s' if m['word'][-1] == 's' else ''} {m['letter']} "
                            + " tiret ".join(self.cardinal(int(m[part])) for part in "abc" if m[part])
                        ),
                    ),
                    rule(r"(?<![\w.])(?P<n>\d{1,2}) ?ch\b\.?(?P<end>\s*\Z)?", self._rooms),
                    rule(
                        r"(?<![\w.])[Cc]h\.(?= (?:comprises|incluses|non comprises|en sus|:|\d[\d .,]* ?€))|"
                        r"(?<=\bhors )ch\.|(?<=\+ )ch\.",
                        "charges",
                    ),
                    rule(
                        r"(?<![\w.])(?P<word>[Cc])h\. ?(?=[\dIVX])",
                        lambda m: (
                            None
                            if re.match(r"\d[\d .,]* ?€", text_after(m, 40))
                            else f"{m['word']}{'hambre' if mentions(ROOMS, m.string) else 'hapitre'} "
                        ),
                    ),
                ),
            ),
        )

    def by_before(self, number: str, unit: str) -> str:
        """Sizes are "sur", several of the same are "fois": "2 x 23 kg", "4 x 100 m"."""
        sizes = unit in ("m", "cm", "mm", "km", "px") and not (unit == "m" and self.plain(number) in RELAYS)
        return self.by if sizes else self.times

    def _side(self, match: re.Match[str]) -> str:
        """ "genou dr."."""
        right = match["side"][0] == "d"
        feminine = re.fullmatch("(?i:main|hanche|épaule|jambe|cheville|oreille|clavicule|cuisse|joue)", match["part"])
        side = ("droite" if feminine else "droit") if right else "gauche"
        return f"{match['part']} {side}{self.sentence_stop(match)}"

    def gender(self, noun: str) -> str:
        return (
            "f"
            if re.fullmatch(r"gélule|dose|botte|tasse|journée|douzaine|tablette|baguette|bouteille|plaquette", noun)
            else (super().gender(noun))
        )

    def _rooms(self, match: re.Match[str]) -> str | None:
        if not mentions(HOUSES, match.string) and (not match[0].rstrip().endswith(".") or int(match["n"]) > 12):
            return None
        stop = "." if match["end"] is not None and match[0].rstrip().endswith(".") else ""
        return f"{self.cardinal(int(match['n']), 'f')} chambre{'' if match['n'] == '1' else 's'}{stop}"

    def ordinal_rules(self) -> tuple[Rule, ...]:
        return (
            rule(
                r"(?<![\w.,])(?P<n>\d{1,3}(?: \d{3})?|\d{1,6})/(?P<of>100?|100? ?000)es?(?!\w)",
                lambda m: f"{self.spoken(m['n'])} {self.ordinal(int(m['of'].replace(' ', '')), 'plain')}s",
            ),
            rule(
                r"(?<![\w.,])(?P<n>\d{1,3}(?: \d{3}){1,2})(?:e|ème)(?!\w)",
                lambda m: self.ordinal(int(m["n"].replace(" ", "")), "plain"),
            ),
            rule(r"(?<![\w.,/-])1(?= d['’]entre elles\b)", "une"),
            rule(
                r"(?<![\w.,])(?P<n>\d{1,7}) ?(?P<mark>ers?|ʳᵉ|ᵉʳ|res?|ères?|èmes?|emes?|ième|es?|ᵉ|nde?|de?)(?!\w)",
                self._ordinal,
            ),
            rule(
                r"(?<![\w.,])(?P<n>\d{1,3})e\+(?P<more>\d{1,2})(?!\w)",
                lambda m: f"{self.ordinal(int(m['n']), 'plain')} plus {self.cardinal(int(m['more']))}",
            ),
            rule(
                r"(?<![\w.,])(?P<n>\d{1,3})(?:e|ème) min(?:\b\.(?= ?[a-zà-ÿ(,;)])|\b)",
                lambda m: f"{self.ordinal(int(m['n']), 'plain')} minute",
            ),
            rule(r"\bI(?:re|ère) (?=[A-Z])", "première "),
            rule(r"\Acc(?=[,!]| (?:tjs|tjrs|ça|ca|toi)\b)", "coucou"),
            rule(
                r"(?<![\w.])(?P<a>[Aa])nc\. (?P<noun>[a-zà-ÿœ]{3,20})",
                lambda m: (
                    f"{m['a']}ncien{'ne' if m['noun'] == 'poste' or self.one(m['noun'], '') == 'une' else ''} "
                    f"{m['noun']}"
                ),
            ),
            rule(
                r"(?:(?<=\b[Dd]')|(?<=\b[Dd]’))(?P<month>oct|avr)\.",
                lambda m: "octobre" if m["month"] == "oct" else "avril",
            ),
            rule(
                r"(?<=\b[LlDd][aeu] )(?P<n>[IVX]{1,5})e\b|(?<=\b[Aa]u )(?P<m>[IVX]{1,5})e\b",
                lambda m: self.ordinal(value(m["n"] or m["m"]), "plain") if (m["n"] or m["m"]) != "D" else None,
            ),
            rule(
                r"(?<![\w.,])(?P<s>\d{1,2})[\"″](?P<part>\d{2})(?!\w)",
                lambda m: f"{self.counted(m['s'], ['seconde', 'secondes'])} {self.digits_or_number(m['part'])}",
            ),
        )

    def digits_or_number(self, written: str) -> str:
        return self.digits(written) if written[0] == "0" else self.cardinal(int(written))

    def _ordinal(self, match: re.Match[str]) -> str | None:
        number, mark = int(match["n"]), match["mark"]
        if " " in match[0] and mark in ("e", "es", "de", "d", "re", "res"):
            return None
        if mark in ("nd", "nde", "d", "de"):
            return {"nd": "second", "nde": "seconde", "d": "second", "de": "seconde"}[mark] if number == 2 else None
        if number == 1:
            feminine = mark in ("re", "res", "ère", "ères", "ʳᵉ")
            return ("première" if feminine else "premier" if mark.startswith(("er", "ᵉʳ")) else "unième") + (
                "s" if mark.endswith("s") else ""
            )
        if mark.startswith(("er", "re", "ʳ", "ᵉʳ")):
            return None
        return self.ordinal(number, "plain") + ("s" if mark.endswith("s") else "")
