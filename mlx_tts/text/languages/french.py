"""French: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

import re

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.engine import Kind, Rule, rule, text_after, words_of
from mlx_tts.text.normalise.european import European
from mlx_tts.text.normalise.european_rules import EuropeanReader, value

# Singular nouns that are feminine by their ending, or that people often count; and those that look so.
FEMININE_ONE = (
    r"[a-zà-ÿ]{2,}(?:[ts]ion|té|ée|ette|ence|ance|ure|elle|esse|euse|rice|ade|aille)|poire|pomme|banane|orange|carotte"
    r"|tomate|courgette|aubergine|échalote|feuille|branche|botte|boîte|bouteille|table|chambre|ligne|lettre|carte|image"
    r"|porte|équipe|victime|ville|clé|dose|goutte|pilule|noix|amande|olive|fraise|framboise|cerise|pêche|noisette"
    r"|gousse|datte|figue|tarte|crêpe|saucisse|crevette|huître|moule|médaille|étape|manche|usine|école|île|plage"
    r"|voix|livre sterling|faute|note|minute|chute|dette|recette|route|goutte|pâte|fête|tête|côte|carte|chaise|valise|"
    r"chemise|surprise|église|entreprise|crise|machine|cuisine|piscine|farine|usine|semaine|douzaine|dizaine|centaine|"
    r"fontaine|laine|saison|maison|raison|livraison|boisson|leçon|façon|chanson|famille|fille|bille|grille|cheville|"
    r"pastille|école|parole|étude|certitude|habitude|affiche|fiche|tache|tâche|vache|hache|banque|marque|attaqu"
    r"e|remarque|"
    r"brique|clinique|boutique|musique|réplique|terre|pierre|guerre|serre|cave|preuve|épreuve|rive|dérive|tentative|"
    r"initiative|pièce|place|glace|race|trace|preface|force|source|course|bourse|réponse|dépense|offre|coupe|troupe|"
    r"grippe|nappe|pompe|lampe|jambe|tombe|bombe|robe|bande|demande|commande|amende|viande|période|méthode|mode|aide|"
    r"salade|minute|seconde|onde|corde|garde|fraude|page|nage|cage|rage|plante|vente|pente|tente|attente|détente|"
    r"planète|cigarette|mère|sœur|dame|femme|main|dent|fleur|peur|couleur|douleur|valeur|chaleur|longueur|large"
    r"ur|hauteur|"
    r"erreur|fin|faim|nuit|mort|part|fois|souris|vis|croix|paix|peau|eau|loi|foi|forêt|mer|cour|tour|dose|chose|rose|"
    r"pause|cause|phrase|base|chambrée|gare|barre|guitare|heure|mesure|lecture|ceinture|blessure|figue|langue|vague|"
    r"bague|marche|branche|tranche|planche|manche|recherche|fourche|bouche|couche|douche|mouche|touche|brosse|fosse|"
    r"crosse|classe|tasse|masse|messe|promesse|adresse|caisse|liasse|mousse|trousse|secousse"
)
MASCULINE_ONE = r"(?:côté|été|comté|traité|musée|lycée|trophée|comité|silence|murmure|mercure)"


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
    r"[a-zà-ÿœ]*(?:age|isme|asme|iste|[èe]ge|ème|[oô]me|[tbdvfcn]re|[auo]?ire|ice|[cbpgft]le|erre|eurre|ste|xte"
    r"|[cp]te|que|"
    r"[iè]gne|ume|[iu]le|oupe|[ao]de|ype|ite|rme|uve|[êe]ve|nge|yle|[ôèy]le|ène|one|oute|ote|ongle|isse|asse|ei"
    r"gne|lme|phe|"
    r"yme|aphe|ogue|ouge|euve|arge|orge|ige|oge|uge|amme|omme|oque|ingue|ile|ore|ure?|adre|ide|uce|ope|ombe|erm"
    r"e|exe|ace)|"
    r"code|rêve|groupe|doute|homme|contre|autre|quatre|comme|entre|elle|même|grande|petite|seule|telle|pile"
)
TROOPS = re.compile(r"(?i)\b(?:armées?|soldats|bataille|troupes|siège|régiment|général|maréchal)\b")
NO_NOUN = frozenset(
    words_of("contre autre comme entre elle même grande petite seule telle quatre sinon encore que ne se le de")
)
RELAYS = ("50", "100", "200", "400", "800", "1000", "1500")
ROOMS = re.compile(
    r"(?i)\b(?:hôtel|hôpital|clinique|auberge|résidence|chu|étage|ét|service|patient\w*|séjour|nuit|réception)\b"
)


class French(European):
    """One is said "un" or "une", also in 21; kings are counted by cardinals, the first apart."""

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
                    r"\b[Cc][hl]\b|\bth|½|1/2|xp\.|\bmin\.|\ban [IVX]|\d h\.|ét\.|hab\.|\d p\.|rt\.|\b[PpVv]\.|"
                    r"pers\.|ép\.|Gal\b|âts?"
                    r"\.|temp\.|\bC\. [a-z]"
                ),
                (
                    rule(
                        r"(?<![\w.])(?P<word>[Pp])p?\. ?(?=\d{1,4}(?P<more> ?[-–,] ?\d| et \d)?)",
                        lambda m: f"{m['word']}age{'s' if m['more'] or m[0][1] == 'p' else ''} ",
                    ),
                    rule(r"(?<![\w.])V\.(?= (?:Cass|CE|aussi|not|art|en ce|par ex|infra|supra|fig|p\.|chap))", "voir"),
                    rule(r"(?<![\w.-])Gal(?=-[A-Z])|(?<=\b(?:du|le|au) )Gal(?= [A-Z])", "général"),
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
                    rule(r"(?:(?<=\b1er )|(?<=\b[Pp]remier ))min\.", "ministre"),
                    rule(r"(?<=m² )hab\.", "habitables"),
                    rule(
                        r"(?<=\ban )(?P<n>I[IVX]|III|V?I{2,3}|VI?|X(?:I{1,3}|IV)?)\b(?!\.)",
                        lambda m: self.cardinal(value(m["n"])),
                    ),
                    rule(
                        r"(?<![\w.,])(?P<n>\d{1,3}(?: \d{3})+) h\.",
                        lambda m: (
                            f"{self.spoken(m['n'])} {'hommes' if TROOPS.search(m.string) else 'habitants'}"
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
                        lambda m: self.counted(m["n"], ["pièce", "pièces"]) if HOUSES.search(m.string) else None,
                    ),
                    rule(r"(?<=\b[Pp]ar )pers\.", lambda m: f"personne{self.sentence_stop(m)}"),
                    rule(r"(?<=\b[Ll]es )temp\.", lambda m: f"températures{self.sentence_stop(m)}"),
                    rule(
                        r"(?<![\w.])C\. (?P<code>civ|pén|trav|com|conso|cons)\.",
                        lambda m: f"Code {CODES[m['code']]}{self.sentence_stop(m)}",
                    ),
                    rule(r"(?<![\w.])[Aa]rt\.(?= ?[LRDA]\. ?\d)", lambda m: f"{m[0][0]}rticle"),
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
                            else f"{m['word']}{'hambre' if ROOMS.search(m.string) else 'hapitre'} "
                        ),
                    ),
                ),
            ),
        )

    def by_before(self, number: str, unit: str) -> str:
        """Sizes are "sur", several of the same are "fois": "2 x 23 kg", "4 x 100 m"."""
        sizes = unit in ("m", "cm", "mm", "km", "px") and not (unit == "m" and self.plain(number) in RELAYS)
        return self.by if sizes else self.times

    def _rooms(self, match: re.Match[str]) -> str | None:
        if not HOUSES.search(match.string) and (not match[0].rstrip().endswith(".") or int(match["n"]) > 12):
            return None
        stop = "." if match["end"] is not None and match[0].rstrip().endswith(".") else ""
        return f"{self.cardinal(int(match['n']), 'f')} chambre{'' if match['n'] == '1' else 's'}{stop}"

    def ordinal_rules(self) -> tuple[Rule, ...]:
        return (
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


WORDS = French(
    code="fr",
    article="le ", and_fraction="et ",
    genders={"m": "cardinal-masculine", "f": "cardinal-feminine"}, numbering="numbering",
    ordinals={"m": "ordinal-masculine", "f": "ordinal-feminine", "plain": "ordinal"},
    date="{day} {month}", date_year=" {year}", written_date="DAY(?:er)? MONTH(?: YEAR)?", first_of_month="premier",
    clock="{hour} heure {minute}|{hour} heures {minute}", full_hour="{hour} heure|{hour} heures",
        with_seconds="{hours} {minutes} {seconds}",
    hours={1: "une", 21: "vingt et une"}, hour_sign=r" ?h ?|:", hour_words=r"(?: ?h\b)?", to="à", minus="moins",
        plus="plus", point="virgule", dot="point",
    percent="pour cent|pour cent", with_cents="{money} {cents}", half="demi|demie", and_half="et demi|et demie",
    parts={2: "demi|demis", 3: "tiers|tiers", 4: "quart|quarts"}, over="sur", times="fois", by="sur", equals="égale",
        per="par", hashtag="hashtag",
    score="{a} à {b}", centuries=(r"\bNUMERAL(?:ᵉ|e|ème|er|ᵉʳ)s?(?P<after> (?:s\.(?=[,;) ]|\Z)|siècles?|"
         r"arrondissements?|dynastie|"
        r"République|Reich|légion|Guerre [Mm]ondiale)(?!\w))",), scale_of=" de", ordinal_nouns=r"(?!)",
    feminine_plural=r"(?:filles|femmes|personnes|heures|minutes|secondes|années|semaines|fois|pages|tonnes|livres "
        r"sterling|voitures|maisons|places|voix|chambres|journées|tasses|cuillères|tranches|étoiles|villes|familles|"
        r"entreprises|écoles|parties|bouteilles|tables|chaises|rues|langues|équipes|lignes|lettres|cartes|photos|"
        r"images|"
        r"victimes|mères|sœurs|dames|clés|nuits|fleurs|portes|fenêtres|marches|minutes|boîtes|feuilles|pièces|banques|"
        r"communes|régions|îles|plages|usines|machines|questions|choses|œuvres|mains|couleurs|leçons|routes|"
        r"gares)\b", singular=("0", "1"),
    feminine=r"(?:atmosphère|partie|heure|minute|seconde|milliseconde|livre|tonne|once|calorie|kilocalorie|fois|"
    r"personne|semaine|"
         r"année|femme|fille|tasse|cuillère|journée|tranche|gousse|page|maison|nuit|voiture|rue|chose|partie|place|"
         r"famille)\b",
    scales={"M": "million|millions", "Md": "milliard|milliards", "Mds": "milliard|milliards",
        "Mrd": "milliard|milliards", "k": "mille|mille", "mio": "million|millions"},
    scale_words=("million", "millions", "milliard", "milliards", "billion", "billions"),
    abbreviations={"exp.": "expérience", "att.": "attention", "M°": "métro", "cuis.": "cuisine",
    "sdb": "salle de bain", "SdB": "salle de bain", "éq.": "équipée",
    "bât.": "bâtiment", "Bât.": "bâtiment", "incl.": "inclus", "petit-déj.": "petit déjeuner",
        "prot.": "protéines", "prép.": "préparation", "resp.": "responsable", "civ.": "civile",
        "Cass.": "Cassation", "cass.": "cassation", "Rens.": "renseignements", "rens.": "renseignements",
        "j. fériés": "jours fériés", "Pdt": "président", "Pdte": "présidente", "Vds": "vends", "gge": "garage",
        "jard.": "jardin", "hon.": "honoraires", "Px": "prix", "req.": "requête", "réf.": "référence",
        "temp.": "température",
        "s.p.": "sur penalty", "s. p.": "sur penalty", "P.-S.": "post-scriptum", "PS :": "post-scriptum :",
        "Cf.": "Voir",
        "T°": "température", "ex.": "exemple", "excl.": "exclu", "hebdo.": "hebdomadaire", "mens.": "mensuel",
        "trim.": "trimestre", "sem.": "semaine", "arr. à": "arrivée à", "Cdlt": "cordialement",
        "Ets": "établissements", "Éts": "établissements", "fac.": "facultatif", "tt": "tout", "qq": "quelque",
        "qqs": "quelques", "c.-à-d": "c'est-à-dire", "càd": "c'est-à-dire", "N.B.": "nota bene",
        "NB": "nota bene", "moy.": "moyenne", "dir.": "direction", "gal.": "général",         "imm.": "immeuble",
        "rés.": "résidence", "Rés.": "résidence", "lot.": "lotissement", "ZI": "zone industrielle",
        "chem.": "chemin", "Chem.": "chemin", "imp.": "impasse", "rte": "route", "Fg": "faubourg",
        "r.-d.-c.": "rez-de-chaussée", "rdc": "rez-de-chaussée", "s/s": "sous-sol",
        "ttes": "toutes", "poss.": "possible",
        "obl.": "obligatoire",
        "jusq.": "jusque", "anc.": "ancien",         "n°s": "numéros", "M.": "Monsieur", "MM.": "Messieurs",
        "Mme": "Madame",
        "Mme.": "Madame", "Mlle.": "Mademoiselle",
        "Dr.": "Docteur", "Mgr": "Monseigneur", "Mmes": "Mesdames", "Mlle": "Mademoiselle",
        "Mlles": "Mesdemoiselles", "Mᵐᵉ": "Madame",
                   "Mᵐᵉˢ": "Mesdames", "Mˡˡᵉ": "Mademoiselle", "Mˡˡᵉˢ": "Mesdemoiselles", "Dr": "Docteur",
                       "Pr": "Professeur", "Me": "Maître", "n°": "numéro", "N°": "numéro",
                   "p. ex.": "par exemple", "etc.": "et cetera", "c.-à-d.": "c'est-à-dire", "env.": "environ",
                       "St": "Saint", "Ste": "Sainte", "§": "paragraphe",
                   "1er": "premier", "1re": "première", "av. J.-C.": "avant Jésus-Christ",
                       "apr. J.-C.": "après Jésus-Christ", "Tél.": "Téléphone", "tél.": "téléphone",
                   "Rdv": "Rendez-vous", "RDV": "rendez-vous", "rdv": "rendez-vous", "stp": "s'il te plaît",
                       "svp": "s'il vous plaît", "SVP": "s'il vous plaît", "bcp": "beaucoup",
                   "bd": "boulevard", "Bd": "boulevard", "av.": "avenue", "Av.": "avenue", "pl.": "place",
                       "max.": "maximum", "min.": "minimum", "hab.": "habitants",
                   "App.": "appartement", "ét.": "étage",
                       "c. à s.": "cuillère à soupe", "c. à c.": "cuillère à café", "cf.": "voir",
                       "c. à soupe": "cuillère à soupe", "c. à café": "cuillère à café", "av. le": "avant le",
                       "arr.": "arrondissement", "pdt": "pendant", "ds": "dans", "asc.": "ascenseur",
                       "à dr.": "à droite",
                       "à g.": "à gauche", "pers.": "personnes",
                       "et s.": "et suivantes", "Sté": "société", "P.-D.G.": "P D G", "Cdt": "cordialement",
                       "th.": "thermostat",
                   "tjs": "toujours", "tjrs": "toujours", "pcq": "parce que", "qqn": "quelqu'un",
                       "qqch": "quelque chose", "Cie": "compagnie", "s/": "sur",
                   "Éd.": "édition", "éd.": "édition", "vol.": "volume", "chap.": "chapitre"},
    before_numbers={"Ø": "diamètre", "voit.": "voiture", "T.": "taille", "n.": "note", "§§": "paragraphes",
        "rép.": "réponse", "éq.": "équation", "tab.": "tableau", "Fig.": "figure", "Art.": "article",
        "al.": "alinéa", "km": "kilomètre", "art.": "article",
        "fig.": "figure", "t.": "tome",
        "Chap.": "chapitre", "apt": "appartement", "appt": "appartement", "bât.": "bâtiment", "no": "numéro"},
    once="une fois", diameter="diamètre", inch="pouce|pouces", fewer="moins de",
    screens="TV|[Tt]élé|écran|moniteur|jante|vélo|tablette|PC|pizza",
    openers="Le|La|Les|[LJCDSNTM]['’]|Un|Une|Des|Du|De|En|Au|Aux|À|Par|Pour|Avec|Sans|Sur|Sous|Dans|Depuis|Il|E"
            "lle|Ils|Elles"
    "|On|Nous|Vous|Je|Tu|Ce|Cet|Cette|Ces|Son|Sa|Ses|Notre|Nos|Votre|Vos|Leur|Leurs|Et|Mais|Ou|Si|Ne|Quand|Comm"
    "e|Que|Qui|"
    "Où|Hier|Demain|Puis|Ensuite|Après|Avant|Ici|Là|Tout|Tous|Toutes|Selon|Chaque|Merci|Plus|Aujourd|Prévoir|Possible|"
    "Laisser|Ajouter|Mon|Ma|Mes|Ton|Alors|Donc|Ainsi|Enfin|Chez|Entre|Vers|Dès|Lors|Pendant|Cela|Aucun|Rien|Peu|Soit",
    leading=("n°", "N°", "art.", "Tél.", "tél.", "cf.", "Cf.", "env.", "bd", "Bd", "av.", "Av.", "pl.", "St", "Ste",
    "p. ex.",
             "c.-à-d.", "chap.", "vol.", "Réf.", "réf.", "bât.", "Bât.", "resp.", "Cass.", "av. le", "App.", "dir.",
             "N.B.",
             "rte", "imm.", "rés.", "Rés.", "imp.", "chem.", "Chem.", "max.", "min.", "ex.", "dép.", "P.-S.",
             "PS :", "s/"),
    naming="Porte|porte|Gate|[Tt]erminal|[Hh]all|[Ss]alle|[Vv]oie|[Qq]uai|[Bb]âtiment|bât\\.|[Ll]ot|[Cc]hambre|"
           "[Pp]lace|"
    "[Ss]iège|[Bb]loc|[Aa]ppartement|appt|[Ll]igne|[Nn]uméro|n°",
    relations={"<": "inférieur à", ">": "supérieur à", "≤": "inférieur ou égal à", "≥": "supérieur ou égal à",
               "<=": "inférieur ou égal à", ">=": "supérieur ou égal à", "≈": "environ", "~": "environ"},
    compass={"N": "nord", "S": "sud", "E": "est", "O": "ouest", "NE": "nord-est", "NO": "nord-ouest", "SE": "sud-est",
             "SO": "sud-ouest", "NNE": "nord-nord-est", "NNO": "nord-nord-ouest", "SSE": "sud-sud-est",
             "SSO": "sud-sud-ouest", "NW": "nord-ouest", "SW": "sud-ouest", "OSO": "ouest-sud-ouest",
             "ONO": "ouest-nord-ouest", "ENE": "est-nord-est", "ESE": "est-sud-est"},
    wind_words="(?:[Vv]ents?|[Bb]rise|[Rr]afales)(?: \\w+)? (?:de|du)|[Vv]ent",
    shots="à (?:trois|3 points|2 points)|aux? (?:lancers|tirs?)|de réussite",
    enders=("incl.", "temp.", "prot.", "etc.", "arr.", "max.", "min.", "hab.", "pers.", "av. J.-C.", "apr. J.-C."),
    out_of="sur", titles=("M.",
        "Mme.", "Mlle.", "Dr.",
        "MM.", "Dr", "Pr", "Me"),
    money={"€": "euro|euros|centime|centimes", "$": "dollar|dollars|cent|cents", "£": "livre|livres|penny|pence",
        "¥": "yen|yens|sen|sen", "EUR": "euro|euros|centime|centimes",
           "euros": "euro|euros|centime|centimes", "CHF": "franc suisse|francs suisses|centime|centimes",
               "USD": "dollar|dollars|cent|cents", "F": "franc|francs|centime|centimes",
           "dollars": "dollar|dollars|cent|cents"},
    centuries_noun="siècles", judged="difficulté|note|avis|évaluation|douleur|EVA|cotation", century_noun="siècle",
    minute_of_play="{ordinal} minute", power="puissance", per_words={"j": "jour",
    "jour": "jour", "mois": "mois", "an": "an", "sem.": "semaine", "pers.": "personne", "nuit": "nuit"},
    short_month_words="(?:en|depuis|fin|début|mi)(?! (?:mar|mai|oct|sept)\\b)", between_days="au|et",
    divided="divisé par", pressure_words="tension|TA|pression", pressure="{a} {b}",
    units={"‰": "pour mille|pour mille", "ppb": "partie par milliard|parties par milliard",
        "abst.": "abstention|abstentions", "tr/min": "tour par minute|tours pa"
                                                            "r minute", **dict.fromkeys(("l/100 km",
        "l/100km"), "litre aux cent kilomètres|litres aux cent kilomètres"),
        "m/s²": "mètre par seconde au carré|mètres par seconde au carré", "j": "jour|jours", "j.": "jour|jours",
        "pt": "point|points", "pb": "point de base|points de base", "Gb/s": "gigabit par seconde|gigabits par seconde",
        "Mb/s": "mégabit par seconde|mégabits par seconde", "Gbit/s": "gigabit par seconde|gigabits par seconde",
        "Mbps": "mégabit par seconde|mégabits par seconde", "ex.": "exemplaire|exemplaires", "pce": "pièce|pièces",
        "pces": "pièce|pièces", "kWc": "kilowatt-crête|kilowatts-crête", "CV": "cheval|chevaux",
        "cp": "comprimé|comprimés",
        "cpr": "comprimé|comprimés", "gtes": "goutte|gouttes", "UI": "unité internationale|unités internationales",
        "mmol/l": "millimole par litre|millimoles par litre", "MWh": "mégawattheure|mégawattheures",
        "GW": "gigawatt|gigawatts", "mV": "millivolt|millivolts", "kV": "kilovolt|kilovolts",
        "kPa": "kilopascal|kilopascals",
        "µl": "microlitre|microlitres", "bpm": "battement par minute|battements par minute", "nuits": "nuit|nuits",
        "m2": "mètre carré|mètres carrés", "km2": "kilomètre carré|kilomètres carrés", "m3": "mètre cube|mètres cubes",
        "secondes": "seconde|secondes", "Km": "kilomètre|kilomètres", "gr": "gramme|grammes",
        "kgs": "kilogramme|kilogrammes",
        "lt": "litre|litres", "mL": "millilitre|millilitres", "mAh": "milliampère-heure|milliampères-heure",
        "★": "étoile|étoiles", "px": "pixel|pixels",
        "mmHg": "millimètre de mercure|millimètres de mercure",
        "mm Hg": "millimètre de mercure|millimètres de mercure", "km/h": "kilomètre par heure|kilomètres par heure",
            "km/s": "kilomètre par seconde|kilomètres par seconde",
        "Go": "gigaoctet|gigaoctets", "Mo": "mégaoctet|mégaoctets",
           "Ko": "kilooctet|kilooctets", "To": "téraoctet|téraoctets", "mn": "minute|minutes",
               "c. à s.": "cuillère à soupe|cuillères à soupe", "c. à c.": "cuillère à café|cuillères à café",
                   "c. à soupe": "cuillère à soupe|cuillères à soupe",
               "c. à café": "cuillère à café|cuillères à café", "atm": "atmosphère|atmosphères",
               "pts": "point|points", "sem.": "semaine|semaines", "ppm": "partie par million|parties par million",
               "bar": "bar|bars",
           "cs": "cuillère à soupe|cuillères à soupe", "cc": "cuillère à café|cuillères à café", "ans": "an|ans",
               "pers.": "personne|personnes", "hab.": "habitant|habitants",
           "dB": "décibel|décibels", "ch": "cheval|chevaux", "x": "fois|fois",
               "Mbit/s": "mégabit par seconde|mégabits par seconde", "kWh": "kilowattheure|kilowattheures"},
    web={"²": "au carré", "³": "au cube", ".": "point", "-": "tiret", "_": "tiret bas", "/": "slash",
        ":": "deux points", "@": "arobase", "+": "plus", "&": "et", "~": "tilde", "=": "égal", "%": "pour cent",
         "#": "dièse"},
    rulers=["Louis", "Charles", "Henri", "François", "Philippe", "Napoléon", "Jean", "Paul", "Pie", "Benoît",
        "Élisabeth", "Elizabeth", "George", "Guillaume", "Édouard", "Jacques", "Richard", "Pierre", "Alexandre",
        "Nicolas", "Catherine", "Frédéric", "Léopold", "Albert", "Baudouin", "Clément", "Grégoire", "Innocent",
        "Urbain", "Léon", "Robert", "Hugues", "Marie", "Ramsès", "Ferdinand", "Alphonse", "Christian"],
    numbered_nouns=("chapitre", "Chapitre", "tome", "Tome", "livre", "Livre", "acte", "Acte", "partie", "Partie",
        "phase", "type", "volume", "article", "Titre", "titre", "Guerre mondiale",
             "scène", "Scène", "niveau", "section", "annexe", "Annexe"),
    date_words=r"(?:le|au|du|jusqu'au|dès le|avant le)",
        score_words=r"(?:gagné|gagne|gagnent|battu|bat|perdu|perd|mène|menait|remporté|remporte|imposé|score|"
        r"victoire|défaite|match nul|s'impose)",
    telephone_words="Tél\\.|tél\\.|Téléphone|téléphone|appelez le|appeler le|composez le|au numéro|Fax|Mobile|"
        "Portable|Tél", telephone_pairs=True,
    fixed={"dem1": "demain", "2m1": "demain", "2main": "demain", "b1": "bien", "bi1": "bien",
    "koi29": "quoi de neuf", "qq1": "quelqu'un", "50/50": "cinquante cinquante", "24/7": "vingt-quatre sept",
        "24h/24": "vingt-quatre heures sur vingt-quatre", "7j/7": "sept jours sur sept", "7/7": "sept sur sept",
            "4x4": "quatre-quatre",
        "24/24": "vingt-quatre sur vingt-quatre"},
    measure_words="plaquette tablette baguette bouteille cuillerée tasse verre litre kilo heure livre cuillère "
                  "douzaine journée botte sachet pot oignon citron",
    chat={"num": "numéro", "jte": "je te", "jsuis": "je suis", "chuis": "je suis", "dem": "demain",
    "vmt": "vraiment", "slt": "salut", "bjr": "bonjour", "bsr": "bonsoir", "mdr": "mort de rire", "pk": "pourquoi",
        "pq": "pourquoi", "jsp": "je ne sais pas", "tkt": "ne t'inquiète pas",
          "dsl": "désolé", "pr": "pour", "c": "c'est", "t": "tu es", "ms": "mais", "ns": "nous", "vs": "vous",
              "we": "week-end", "a+": "à plus", "biz": "bises", "auj": "aujourd'hui", "dac": "d'accord",
          "msg": "message", "chui": "je suis", "g": "j'ai", "ki": "qui", "koi": "quoi", "qd": "quand"},
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
    everyday=(
        "Ce matin, le marché était plein de monde.",
        "Pouvez-vous me dire où se trouve la gare ?",
        "Ma grand-mère raconte toujours de belles histoires.",
        "Il a oublié son parapluie dans le train.",
        "Quel plaisir de vous revoir ici !",
    ),
    recognise=EuropeanReader(WORDS),
)
