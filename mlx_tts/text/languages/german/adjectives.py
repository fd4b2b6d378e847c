"""German adjectives that are cut short -> the whole word with its ending: "der ehem. Minister", "ärztl. Attest".

The ending follows from the word before and the gender of the noun behind. Where they do not tell it, the form is left
to the other rules."""

from __future__ import annotations

import re

from mlx_tts.text.languages.german.nouns import FEMININE_NOUN, NEUTER_NOUN, gender_of_noun
from mlx_tts.text.normalise.engine import Kind, one_of, rule, text_before, words_of
from mlx_tts.text.normalise.european import European

# Said with the ending that the words around ask for, also without an article before.
ADJECTIVES = {
    "öffentl.": "öffentlich", "städt.": "städtisch", "staatl.": "staatlich", "ärztl.": "ärztlich",
    "zahnärztl.": "zahnärztlich", "gesetzl.": "gesetzlich", "schriftl.": "schriftlich", "mündl.": "mündlich",
    "jährl.": "jährlich", "monatl.": "monatlich", "mtl.": "monatlich", "wöchentl.": "wöchentlich",
    "tägl.": "täglich", "rechtl.": "rechtlich", "pers.": "persönlich", "allg.": "allgemein",
    "tatsächl.": "tatsächlich", "telef.": "telefonisch", "ehrenamtl.": "ehrenamtlich", "zusätzl.": "zusätzlich",
    "kostenl.": "kostenlos", "amtl.": "amtlich", "behördl.": "behördlich", "gerichtl.": "gerichtlich",
    "wissenschaftl.": "wissenschaftlich", "wirtschaftl.": "wirtschaftlich", "landwirtschaftl.": "landwirtschaftlich",
    "gesellschaftl.": "gesellschaftlich", "gewerbl.": "gewerblich", "berufl.": "beruflich",
    "betriebl.": "betrieblich", "kirchl.": "kirchlich", "stellv.": "stellvertretend", "überarb.": "überarbeitet",
    "techn.": "technisch", "elektr.": "elektrisch", "kath.": "katholisch", "evang.": "evangelisch",
    "span.": "spanisch", "engl.": "englisch", "frz.": "französisch", "franz.": "französisch",
    "ital.": "italienisch", "österr.": "österreichisch", "schweiz.": "schweizerisch", "russ.": "russisch",
    "poln.": "polnisch", "amerik.": "amerikanisch", "europ.": "europäisch", "dt.": "deutsch",
    "brit.": "britisch", "jap.": "japanisch", "chin.": "chinesisch", "arab.": "arabisch", "wdh.": "wiederholt",
    "gr.": "groß", "kl.": "klein", "mod.": "modern", "sep.": "separat", "geräum.": "geräumig", "eig.": "eigen",
    "priv.": "privat", "intern.": "international", "region.": "regional",
}  # fmt: skip
# These need an article before: without one they may be adverbs, or stand before a name.
WITH_ARTICLE = {
    "gegr.": "gegründet", "verst.": "verstorben", "gepl.": "geplant", "ehem.": "ehemalig", "urspr.": "ursprünglich",
    "bes.": "besonder", "entspr.": "entsprechend", "vorauss.": "voraussichtlich", "südl.": "südlich",
    "nördl.": "nördlich", "östl.": "östlich", "westl.": "westlich", "lat.": "lateinisch", "griech.": "griechisch",
    "röm.": "römisch", "jüd.": "jüdisch", "türk.": "türkisch", "hist.": "historisch", "polit.": "politisch",
    "milit.": "militärisch", "akt.": "aktuell", "gleichn.": "gleichnamig", "sog.": "sogenannt",
    "zuständ.": "zuständig",
    "li.": "link", "re.": "recht", "durchschn.": "durchschnittlich", "durchschnittl.": "durchschnittlich",
    "geschl.": "geschlossen", "vereinb.": "vereinbart", "besond.": "besonder", "nachf.": "nachfolgend",
}  # fmt: skip
STEMS = {
    **{word[:1].upper() + word[1:]: stem[:1].upper() + stem[1:] for word, stem in ADJECTIVES.items()},
    **ADJECTIVES, **WITH_ARTICLE,
}  # fmt: skip
LASTING = {"jähr.": "jährig", "täg.": "tägig", "stünd.": "stündig", "monat.": "monatig", "wöch.": "wöchig",
           "minüt.": "minütig", "stöck.": "stöckig", "bänd.": "bändig"}  # fmt: skip
NOUN = r"(?P<noun>(?:[A-ZÄÖÜ][A-ZÄÖÜa-zäöüß]{0,20}-){0,2}[A-ZÄÖÜ][a-zäöüß]{2,30})\b"
MASCULINE_END = re.compile(
    r"(?i)\w*(?:meister|minister|leiter|direktor|präsident|sprecher|führer|trainer|kanzler|chef|richter|lehrer|pfarrer"
    r"|arzt|verein|verband|dienst|betrieb|bereich|verkehr|haushalt|schutz|auftrag|beitrag|vertrag|anspruch|bescheid"
    r"|antrag|bedarf|zustand|urlaub|unterricht|raum|wert|druck|verbrauch|umsatz|gewinn|verlust|hof|park|weg|ort|garten"
    r"|schaden|krieg|turm|kaiser|könig|bischof|vater|bruder|sohn|mann|rat|titel|stand|aufwand|aufenthalt|termin|botschafter|vertreter|politiker|forscher|hersteller|künstler|spieler"
    r"|maler|komponist|journalist|soldat|student|wein|stein|schein|rhein|anlass|grund|preis|wunsch|ausweis|nachweis|pass"
    r"|bericht|autor|markt|flur|strom|export|import|film|parkplatz|arm|fuß|daumen|finger|zeh|ellenbogen|schenkel|flügel|hoden"
    r"|balkon|hund|keller|tisch|schrank|stuhl|baum|teich|pool|wald|fluss|hafen|strand|laden|koffer|teller|topf|saal"
    r"|eingang|platz|ofen|kuchen|abstand|unterschied|betrag|fehler|schritt|kreis|rahmen|erfolg|zaun|rasen|motor"
    r"|wagen|roller|anhänger|rucksack|infekt|husten|tumor|schmerz|verlauf|befund|status|infarkt|diabetes|unfall|regen|kredit|typ|notfall|fleck|kratzer)"
)
NEUTER_END = re.compile(
    r"(?i)\w*(?:recht|gesetz|attest|museum|haus|amt|gebiet|gericht|eigentum|gutachten|verfahren|unternehmen|schreiben"
    r"|institut|theater|gebäude|einkommen|gehalt|problem|konzept|angebot|dorf|tor|ufer|kloster|schloss|gymnasium"
    r"|knie|auge|ohr|bein|gelenk|essen|netz|heim|zeugnis|ereignis|bad|kino|stadion|parlament"
    r"|zimmer|fenster|grundstück|auto|bett|sofa|regal|kind|tier|boot|schiff|fahrrad|loch|stück|meer|feld|projekt"
    r"|restaurant|hotel|café|geschäft|lager|karzinom|ödem|syndrom|fieber)"
)
# Adjectives that are nouns have the same ending as the one before them.
AS_THE_NOUN = re.compile(r"\w*(?:sitzend|geordnet|auftragt|amt|wandt|stellt)(?P<end>e[nr]?)")
MASCULINE_E = re.compile(r"\w*(?:[Kk]unde|[Kk]ollege|[Ee]xperte|[Bb]ote|[Nn]ame)")
SINGULAR_E = re.compile(
    r"(?i)\w*(?:schule|klasse|kasse|kirche|sprache|grenze|hilfe|sache|seite|straße|ebene|größe|presse|rolle|bühne"
    r"|quelle|reise|adresse|gemeinde|behörde|messe|brücke|küste|stelle|reihe|runde|woche|stunde|ausgabe|aufgabe|lage"
    r"|pflege|note|familie|industrie|armee|küche|börse|spitze|hälfte|miete|rente|fassade|synagoge|kapelle|hüfte|niere|lunge|leiste|ferse|wade|wange|pfote"
    r"|terrasse|garage|wiese|halle|kanne|pfanne|dose|tasche|kiste|decke|lampe|matratze|jacke|hose|nahme|kontrolle"
    r"|(?:gn|br|thr|kr|ph|th|ro)ose|lyse|pathie|therapie|tomie|monie|mie|plegie)"
)
DATIVES = "mit|von|aus|bei|nach|seit|zu|unter|laut|dank"
ACCUSATIVES = "für|durch|ohne|gegen|um|per|pro"
# The ends of words that decline like "ein", as they stand before the adjective.
LIKE_EIN = r"(?:ein|kein|mein|dein|sein|ihr|unser|euer|eur)"
OBLIQUE = re.compile(
    rf"{LIKE_EIN}(?:em|es|en|er)|de[mns]|diese[mn]|jede[mn]|am|im|vom|zum|zur|beim|alle[nr]?|beide[nr]?"
)
PLURALS = re.compile(r"\A(?:viele|einige|mehrere|wenige|zwei|drei|vier|fünf|sechs|\d{1,3})\Z")


def gender(noun: str) -> str | None:
    """ "m", "f", "n", "pl" as far as the noun shows it."""
    noun = noun.rpartition("-")[2]
    known = gender_of_noun(noun)
    if known and not noun.endswith("e"):
        return {"r": "m", "f": "f", "s": "n"}[known]
    if MASCULINE_E.fullmatch(noun) or MASCULINE_END.fullmatch(noun):
        return "m"
    if NEUTER_END.fullmatch(noun) or NEUTER_NOUN.fullmatch(noun):
        return "n"
    if noun.endswith("ie") and len(noun) > 5:
        return "f"
    if noun.endswith("e"):
        return "f" if SINGULAR_E.fullmatch(noun) else None
    if FEMININE_NOUN.fullmatch(noun) or noun.endswith(
        ("itis", "Couch", "Telekom", "Bahn", "Bank", "bank", "Post", "Luft", "Haft")
    ):
        return "f"
    return "pl" if noun.endswith(("ungen", "heiten", "keiten", "schaften", "ionen", "täten", "innen")) else None


def ending(before: str, noun: str, bare: bool) -> str | None:
    """before: the text before the adjective. bare: whether it may stand without an article. None: nothing tells it."""
    before = re.sub(r"(?:(?:um|seit|ca\.|im Jahre?|anno) )?(?<!\d)\d{4} \Z", "", before)
    word = before.split()[-1] if before.split() and before.endswith(" ") else ""
    small, of_noun = word.casefold(), gender(noun)
    as_the_noun = AS_THE_NOUN.fullmatch(noun)
    if as_the_noun and (bare or re.fullmatch(r"d(?:er|ie|e[nms])|eine?", small)):
        return as_the_noun["end"]
    if OBLIQUE.fullmatch(small):
        return "en"
    if small in ("das", "ins", "ans", "aufs", "fürs", "dieses", "jedes"):
        return "e"
    if small in ("der", "dieser", "jeder"):
        return _behind_der(before, noun, of_noun)
    if small in ("die", "diese", "jede", "eine") or re.fullmatch(rf"{LIKE_EIN}e", small):
        return _behind_die(small, noun, of_noun)
    if re.fullmatch(LIKE_EIN, small):
        return {"m": "er", "n": "es"}.get(of_noun or "")
    return _without_article(word, noun, of_noun) if bare else None


def _behind_der(before: str, noun: str, of_noun: str | None) -> str | None:
    if re.search(rf"(?i)\b(?:{DATIVES}|in|an|auf|vor|neben) \w+ \Z", before) or of_noun in ("f", "pl"):
        return "en"
    if of_noun is None and noun.endswith("e"):
        return "en"  # feminine, or the genitive of several
    return "e" if of_noun == "m" else None


def _behind_die(article: str, noun: str, of_noun: str | None) -> str | None:
    single = article in ("eine", "jede")
    if of_noun in ("m", "n", "pl") or (of_noun is None and noun.endswith(("en", "er", "ern"))):
        return None if single else "en"
    if of_noun is None and noun.endswith(("e", "s", "n")) and not (single and noun.endswith("e")):
        return None
    return "e"


def _without_article(word: str, noun: str, of_noun: str | None) -> str | None:
    small = word.casefold()
    if PLURALS.match(small):
        return "e"
    if re.fullmatch(r"[a-zäöüß]{4,}em", word):
        return "em"
    if re.fullmatch(rf"{DATIVES}|in", small):
        return {"m": "em", "n": "em", "f": "er", "pl": "en"}.get(of_noun or ("f" if noun.endswith("e") else ""))
    if re.fullmatch(rf"{ACCUSATIVES}|auf", small):
        return {"m": "en", "n": "es", "f": "e", "pl": "e"}.get(of_noun or "")
    if not word or word[-1] in ",;:(–-." or small in ("und", "oder"):
        return {"m": "er", "n": "es", "f": "e", "pl": "e"}.get(of_noun or "")
    return None


def adjectives(own: European, opener: str) -> Kind:
    """opener: a pattern of the words with a capital that begin a sentence and are no nouns."""

    def said(match: re.Match[str]) -> str | None:
        noun, word = match["noun"], match["word"]
        if re.fullmatch(opener, noun):
            return None
        bare = word in ADJECTIVES or word[:1].isupper()
        stem = STEMS[word]
        end = ending(text_before(match, 40), noun, bare)
        return None if end is None else f"{stem}{end}"

    def lasting(match: re.Match[str]) -> str | None:
        end = ending(text_before(match, 40), match["noun"], True)
        return None if end is None else f"{own.cardinal(int(match['n']), 'm')}{LASTING[match['word']]}{end}"

    # "ev." is "eventuell" as well.
    church = one_of(words_of("Kirche Gemeinde Kirchengemeinde Pfarramt Akademie Landeskirche Gottesdienst Pfarrer"))
    return Kind("abbreviation", re.compile(r"[a-zäöüßt]\. [A-ZÄÖÜ]"), (
        rule(rf"(?<![\w.-])(?P<word>{one_of(STEMS)})(?= {NOUN})", said),
        rule(rf"(?<![\w.,-])(?P<n>\d{{1,3}})-?(?P<word>{one_of(LASTING)})(?= {NOUN})", lasting),
        rule(rf"(?<![\w.-])ev\.(?= (?P<noun>{church})\b)",
             lambda m: (lambda end: None if end is None else f"evangelisch{end}")(
                 ending(text_before(m, 40), m["noun"], True))),
    ))  # fmt: skip
