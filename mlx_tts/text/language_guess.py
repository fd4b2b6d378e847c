"""A text -> the language it is written in: the script first, then the small words that only one language has."""

from __future__ import annotations

import re
from collections import Counter

# The most frequent words of a language; those that several share count for each of them.
COMMON = {
    "english": "the of and to in a is that it was for on are with as his they be at this have from or had by but not "
    "what all were we when your can said there use an each which she do how their if will up other about out many then "
    "them i me my us our you he him her its who whose than so very no yes just only some any more most much such own "
    "same too could may might must shall should would did does done been being am into over under after before again "
    "once here where why both few while because until against between through during above down off one two three "
    "four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety hundred "
    "thousand million these those has let please new old good never always first last every nothing something like "
    "time day get got go went come came make made take took see saw know knew think say says tell told give gave "
    "find found",
    "german": "der die das und ist nicht ein eine zu den mit sich des auf für von dem im es auch als an werden aus "
    "er hat "
    "dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis "
    "mehr ich wir",
    "french": "le la les de des un une et est à en que qui dans pour pas sur il elle ce se ne au aux du avec plus "
    "par son sa ses "
    "je vous nous sont mais ou cette on été comme tout leur être fait aussi bien c'est l' d' très où ils était "
    "étaient avait près chez sans sous deux homme femme jour votre notre",
    "spanish": "el la los las de que y en un una es no se por con para su al lo como más pero sus le ya o este sí "
    "porque esta "
    "entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante está son fue era del",
    "italian": "il la lo gli le di che e è un una in per non con del della dei sono si da come anche più ma al alla "
    "nel nella "
    "questo ho mi ti ci se suo sua tutto molto fatto quando era essere stato perché dal delle ha io",
    "portuguese": "o a os as de que e em um uma é não se por com para do da dos das no na ao mais como mas foi ele "
    "ela seu sua "
    "ou ser quando muito nos já está eu também só pelo pela até isso entre era são depois sem mesmo aos você",
    "dutch": "de het een en van ik te dat die in niet zijn is was op aan met als voor er maar om hem dan zou of wat "
    "mijn men dit "
    "zo door over ze zich bij ook tot je mij uit der daar haar naar heb hoe heeft",
    "polish": "w i na z się nie do to że jest o jak ale po co za od tak jego przez już czy tym dla tylko są był jej "
    "go może być",
    "swedish": "och i att det som en på är av för med den till inte har de om ett var jag men sig så vi från eller "
    "hade när",
    "danish": "og i at det er en på til af for ikke der den med som jeg de har et var han men sig vi fra eller havde "
    "blev",
    "turkish": "ve bir bu da de için ile çok ne daha gibi o var ama en kadar sonra olarak ben mi değil her olan",
    "vietnamese": "và của là có không được trong cho một người những với các đã này để khi đến cũng như về tôi",
    "czech": "a se v na je že o s z do to i ale jako za by pro tak po jsem jeho si jsou který však bylo od",
    "finnish": "ja on ei se että oli hän mutta kun niin ovat kuin olen mitä ole joka myös tämä siitä sen",
    "indonesian": "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena ada oleh kami",
    "romanian": "și în de a la nu o cu este pe că un se din mai pentru sunt care ce au fost sau dar lui",
    "hungarian": "a az és hogy nem is egy ez de volt meg csak már még ki mint vagy ha el azt",
}
WORDS: dict[str, list[str]] = {}
for _language, _words in COMMON.items():
    for _word in set(_words.split()):
        WORDS.setdefault(_word, []).append(_language)
# Letters that say more than any word.
LETTERS = {"ß": "german", "ñ": "spanish", "¿": "spanish", "¡": "spanish", "ã": "portuguese", "õ": "portuguese",
"œ": "french",
           "ł": "polish", "ę": "polish", "ğ": "turkish", "ı": "turkish", "ř": "czech", "ě": "czech", "ő": "hungarian",
           "ț": "romanian", "ș": "romanian", "ø": "danish", "đ": "vietnamese", "ơ": "vietnamese",
           "ư": "vietnamese"}  # fmt: skip
SCRIPTS = (
    ("japanese", re.compile("[\u3040-\u30ff]")), ("korean", re.compile("[\uac00-\ud7af\u1100-\u11ff]")),
    ("chinese", re.compile("[\u3400-\u9fff]")), ("russian", re.compile("[\u0400-\u04ff]")),
    ("arabic", re.compile("[\u0600-\u06ff]")), ("hindi", re.compile("[\u0900-\u097f]")),
    ("greek", re.compile("[\u0370-\u03ff]")), ("hebrew", re.compile("[\u0590-\u05ff]")),
    ("thai", re.compile("[\u0e00-\u0e7f]")), ("lao", re.compile("[\u0e80-\u0eff]")),
    ("burmese", re.compile("[\u1000-\u109f]")), ("khmer", re.compile("[\u1780-\u17ff]")),
)  # fmt: skip
LATIN = re.compile("[A-Za-zÀ-ɏḀ-ỿ]")
WORD = re.compile(r"[^\W\d_]+(?:['’](?=\w))?")
ADDRESS = re.compile(r"[^\s@.:/]*(?:[@/]|[.:]+(?=[\w/]))\S*")  # of web or mail, a file's name: in no language
SAMPLE = 20_000  # characters: enough to know, and no more time for a book than for a page
SHORTEST = 5  # words: a shorter text in a Latin script is no evidence
LEAST_WITNESSES = 2  # different words or letters that only few languages have: one alone may be a name


def guess_language(text: str) -> str | None:
    """None: not sure."""
    text = text[:SAMPLE]
    latin = len(LATIN.findall(text))
    counts = {name: len(pattern.findall(text)) for name, pattern in SCRIPTS}
    if counts["japanese"] and counts["japanese"] * 20 > counts["chinese"]:
        counts["japanese"] += counts["chinese"]
        counts["chinese"] = 0
    name, most = max(counts.items(), key=lambda item: item[1])
    # A sign of a script without an alphabet is worth several letters.
    weight = 3 if name in ("chinese", "japanese", "korean") else 1
    if most * weight > latin:
        return name
    return guess_latin_language(text)


def guess_latin_language(text: str) -> str | None:
    """By the words alone; None: too few, or two languages are as likely."""
    text = text[:SAMPLE]
    words = [word.lower() for word in WORD.findall(ADDRESS.sub(" ", text))]
    if sum(len(word) > 1 for word in words) < SHORTEST:  # single letters are spelt in any text
        return None
    votes: Counter[str] = Counter()
    witnesses: Counter[str] = Counter()
    for word, times in Counter(word.replace("’", "'") for word in words).items():
        languages = WORDS.get(word, ())
        for language in languages:
            votes[language] += times * (6 // min(len(languages), 6))
            witnesses[language] += len(word) > 1
    for letter, language in LETTERS.items():
        if found := min(text.lower().count(letter), len(words) // 4 + 1):
            votes[language] += 4 * found
            witnesses[language] += 1
    ranked = votes.most_common(2)
    if not ranked:
        return None
    best = ranked[0]
    second = ranked[1][1] if len(ranked) > 1 else 0
    sure = best[1] >= 1.25 * second and best[1] >= 0.6 * len(words)
    return best[0] if sure and witnesses[best[0]] >= LEAST_WITNESSES else None


def foreign_to(text: str, spoken: tuple[str, ...] | list[str]) -> str | None:
    """The language of a text that a model with these languages cannot say; None: it can, or nobody can be sure.

    A text of fewer than five words in a script that the model reads is never foreign.
    """
    language = guess_language(text)
    return None if language is None or language in {name.lower() for name in spoken} else language
