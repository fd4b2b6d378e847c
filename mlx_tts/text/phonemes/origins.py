"""Names by the spelling of the language that they come from -> IPA.

A table a language: letters and what they stand for, longest first, and where the stress falls. Ten languages. Where the
spelling leaves no doubt about the language, a name that no dictionary has is said so; otherwise it is a proposal, which
a user chooses or not. Of 410 names of names.txt whose spelling decides, two of five have the sounds that stand there
(stress aside, and like vowels taken as one) and three of four at most one other; of the net's guesses (`guess`) one in
twenty and one in four.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from mlx_tts.errors import RequestError
from mlx_tts.shortened import shown

FIRST, LAST, LAST_BUT_ONE, ROMANCE = "first", "last", "last but one", "romance"
_IPA_VOWELS = "aeiouyøœɛɔəɪʊɑɒæɐɨʌɯ"


@dataclass(frozen=True)
class Origin:
    """name: in English. table: letters -> IPA; "(?=x)" and the like are patterns. stress: where it falls."""

    name: str
    table: dict[str, str]
    stress: str


def _table(text: str) -> dict[str, str]:
    """ "sz ʃ, rz ʒ" -> pairs; letters alone stand for nothing."""
    return {pair.split()[0]: [*pair.split(), ""][1] for pair in text.split(",") if pair.strip()}


_E, _I = "(?=[eiéèêëíîæœy])", "(?=[aąoóuęe])"
ORIGINS: dict[str, Origin] = {
    "pl": Origin("Polish", _table(
        f"szcz ʃtʃ, sz ʃ, cz tʃ, rz ʒ, ż ʒ, ź ʑ, ś ɕ, ć tɕ, ń ɲ, dź dʑ, dż dʒ, dz dz, ch x, ci{_I} tɕ, si{_I} ɕ, zi{_I} ʑ, ni{_I} ɲ, "
        "ci tɕi, si ɕi, zi ʑi, ni ɲi, c ts, w v, ł w, j j, y ɪ, ó u, ą ɔn, ę ɛn, e ɛ, o ɔ, h x, w$ f, rz$ ʃ, ż$ ʃ, b$ p, d$ t, g$ k, z$ s"),
        LAST_BUT_ONE),
    "hu": Origin("Hungarian", _table(
        "dzs dʒ, cs tʃ, gy dʒ, ly j, ny ɲ, sz s, ty tj, zs ʒ, dz dz, s ʃ, c ts, á aː, a ɒ, é eː, e ɛ, í iː, ó oː, o o, ö ø, ő ø, ú u, ü y, "
        "ű y, th$ t, y i, j j, w v"), FIRST),
    "cs": Origin("Czech", _table(
        "ch x, č tʃ, š ʃ, ž ʒ, ř rʒ, ť tj, ď dj, ň ɲ, ć tʃ, đ dʒ, dě djɛ, tě tjɛ, ně ɲɛ, mě mɲɛ, ě jɛ, c ts, á aː, é ɛ, e ɛ, í iː, ý iː, y ɪ, ó oː, "
        "o o, ů u, ú u, ou oʊ, w v, v$ f, j j"), FIRST),
    "it": Origin("Italian", _table(
        "gli(?=[aeou]) ʎ, gli ʎi, gn ɲ, sci(?=[aou]) ʃ, sc(?=[eiéè]) ʃ, sch sk, cci(?=[aou]) tʃ, cc(?=[eiéè]) tʃ, ci(?=[aou]) tʃ, "
        "ch k, c(?=[eiéè]) tʃ, ggi(?=[aou]) dʒ, gg(?=[ei]) dʒ, gi(?=[aou]) dʒ, gh ɡ, g(?=[eiéè]) dʒ, qu kw, zz ts, z ts, cc k, c k, "
        "e ɛ, à aˈ, è ɛˈ, é eˈ, ì iˈ, ò ɔˈ, ù uˈ, h, i(?=[aeou]) j, u(?=[aeio]) w, j j, gg ɡ, tt t, ll l, ss s, nn n, mm m, pp p, bb b, dd d, ff f, rr r"), ROMANCE),
    "es": Origin("Spanish", _table(
        "ch tʃ, ll j, ñ ɲ, rr r, qu k, gue ɡe, gui ɡi, güe ɡwe, güi ɡwi, g(?=[eéií]) h, j h, c(?=[eéií]) s, z s, h, v b, x ks, á aˈ, é eˈ, "
        "í iˈ, ó oˈ, ú uˈ, y$ i, y j, e ɛ, c k, i(?=[aeoáéó]) j, u(?=[aeioáéíó]) w"), ROMANCE),
    "fr": Origin("French", _table(
        "eaux$ o, aux$ o, eau o, au o, ille$ ij, eil$ ej, ail$ aj, euil$ œj, oin wɛ̃, ain ɛ̃, ein ɛ̃, ien jɛ̃, ouis wi, ois$ wa, oi wa, oy waj, "
        f"ou u, œu ø, eu ø, ai ɛ, ei ɛ, ez$ e, er$ e, et$ e, é e, è ɛ, ê ɛ, ë ɛ, ch ʃ, gn ɲ, ph f, qu k, th t, ç s, c{_E} s, g{_E} ʒ, ge(?=[ao]) ʒ, "
        "gu(?=[ei]) ɡ, j ʒ, an(?![aeiouhn]) ɑ̃, am(?=[bp]) ɑ̃, en(?![aeiouhnéè]) ɑ̃, em(?=[bp]) ɑ̃, on(?![aeiouhn]) ɔ̃, om(?=[bp]) ɔ̃, "
        "in(?![aeiouhné]) ɛ̃, im(?=[bp]) ɛ̃, un(?![aeiouhn]) œ̃, ll l, tt t, nn n, ss s, rr r, mm m, (?<=[aeiouy])s(?=[aeiouyé]) z, "
        "u y, û y, ü y, ô o, o ɔ, â ɑ, î i, ï i, es$, e$, [tdspxz]$, h, y i, c k, e ə"), LAST),
    "de": Origin("German", _table(
        "tsch tʃ, sch ʃ, chs ks, (?<=[aou])ch x, ch ç, ck k, ^st ʃt, ^sp ʃp, (?<=sch)r r, ei aɪ, ai aɪ, ey aɪ, ay aɪ, ie iː, eu ɔɪ, äu ɔɪ, au aʊ, "
        "ah aː, eh eː, oh oː, uh uː, öh øː, üh yː, äh ɛ, ee eː, aa aː, oo oː, ä ɛ, ö ø, ü y, ß s, ^s(?=[aeiouäöü]) z, "
        "(?<=[aeiouäöü])s(?=[aeiouäöü]) z, tz ts, z ts, w v, v f, j j, qu kv, ph f, th t, er$ ɚ, e$ ə, en$ ən, el$ əl, d$ t, b$ p, g$ k, ng ŋ, "
        "ss s, tt t, nn n, mm m, ll l, ff f, pp p, rr r, e ɛ, i ɪ, o ɔ, y y"), FIRST),
    "tr": Origin("Turkish", _table(
        "c dʒ, ç tʃ, ş ʃ, ğ, ı ə, j ʒ, ö ø, ü y, y j, e ɛ, o o, a a, â a, i̇ i"), LAST),
    "pinyin": Origin("Chinese (pinyin)", _table(
        "zhi dʒɚ, chi tʃɚ, shi ʃɚ, ri ʒɚ, zi dzə, ci tsə, si sə, zh dʒ, ch tʃ, sh ʃ, q tʃ, x ʃ, j dʒ, z dz, c ts, r ʒ, yuan ɥɛn, yue ɥɛ, yun yn, "
        "yu y, yi i, ying iŋ, yin in, yan jɛn, you joʊ, y j, wu u, w w, iang jɑŋ, iong jʊŋ, ian jɛn, iao jaʊ, ia ja, ie jɛ, iu joʊ, ui weɪ, uo wɔ, "
        "uang wɑŋ, uan wɑn, uai waɪ, ua wɑ, ue ɥɛ, ün yn, üe ɥɛ, ü y, ong ʊŋ, eng əŋ, ang ɑŋ, ing iŋ, en ən, er ɑr, ei eɪ, ai aɪ, ao aʊ, ou oʊ, "
        "un wən, (?<=[jqxy])u y, e ə, a ɑ, o ɔ, i i, h h"), LAST),
    "romaji": Origin("Japanese (romaji)", _table(
        "tsu tsu, chi tʃi, shi ʃi, sh ʃ, ch tʃ, ts ts, tch tʃ, j dʒ, ō oː, ū uː, ou oː, oo oː, uu uː, ei eɪ, ai aɪ, a ɑ, e ɛ, r ɾ, y j, fu fu, "
        "n(?=[bpm]) m"), LAST_BUT_ONE),
}  # fmt: skip
_MARKED = {"ā": "a", "á": "a", "ǎ": "a", "à": "a", "ē": "e", "é": "e", "ě": "e", "è": "e", "ī": "i", "í": "i", "ǐ": "i", "ì": "i", "ō": "o",
           "ó": "o", "ǒ": "o", "ò": "o", "ū": "u", "ú": "u", "ǔ": "u", "ù": "u", "ǖ": "ü", "ǘ": "ü", "ǚ": "ü", "ǜ": "ü"}  # fmt: skip
_NAMES = {origin.name.split(" ")[0].lower(): code for code, origin in ORIGINS.items()} | {
    "zh": "pinyin", "ja": "romaji"}  # fmt: skip


def origin_code(written: str) -> str:
    """ "pl", "Polish" or "zh" -> the code of a table; RequestError names those that there are."""
    code = _NAMES.get(written.strip().lower(), written.strip().lower())
    if code not in ORIGINS:
        raise RequestError(f"origin is {shown(written, 30)}: use {', '.join(ORIGINS)}")
    return code


# Letters and endings that one of the languages alone has; what several have, or English as well, is not among them.
_SYLLABLE = (
    "(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])?"
    "(?:i[ao]ng|uang|[aeiou]ng|ian|iao|uai|uan|ai|ei|ao|ou|[aeiuü]n|i[aeu]|u[aoie]|üe|er|[aeiouü])"
)
_CUES = {
    "cs": r"[řěůčšžť]|ová$",
    "hu": r"[őű]|^zs|^cs[aeiouáéó]|sz.*[áéí]|[áéí].*sz|ász|ós?zs",
    "pl": r"[łżźśćńąę]|[sc]z[^aeiouy]|(?:sz|cz|rz).*(?:ski|ska|cki|cka|icz|yk|aw|usz|yna|ata)$|(?:[oe]wski|[iy]nski|owicz|ewicz|czyk|czak|szek|rzej|mierz|slaw)$",
    "tr": r"[ğış]|o[ğg]lu$",
    "fr": r"[çèêœâîû]|(?:eau|eaux|eux|oux|ault|aud|ieu|oix|ière|ienne|ée)$",
    "de": r"[ßäöü]|tsch|sch(?:[aeiou]|[lmnrw])",
    "pinyin": rf"^(?=(?:.*[aeioung])?zh|x[iu]|q(?:i|u(?:an|e|n)?$))(?:{_SYLLABLE}){{1,3}}$",
}


@cache
def _cues() -> dict[str, re.Pattern[str]]:
    return {code: re.compile(pattern) for code, pattern in _CUES.items()}


def origin_by_spelling(word: str) -> str | None:
    """The code of the one language whose spelling a name has beyond doubt; None for most names."""
    lower = word.lower()
    return next((code for code, cue in _cues().items() if cue.search(lower)), None)


def respelled_ipa(word: str, origin: str) -> str:
    """IPA of a name by its origin; RequestError where its letters are none of that language."""
    table = ORIGINS[origin_code(origin)]
    said = []
    for part in re.split(r"[\s'’-]+", word.lower().strip()):
        if origin_code(origin) == "pinyin":
            part = "".join(_MARKED.get(letter, letter) for letter in part)
            for syllable in re.split(r"[1-5]", part):
                said.append(_letters(syllable, table))
        else:
            said.append(_with_stress(_letters(part, table), part, table.stress))
    ipa = "".join(said) if origin_code(origin) == "pinyin" else " ".join(filter(None, said))
    if not ipa.strip():
        raise RequestError(f"{shown(word, 40)} has no letters of {table.name}: write the name as it is spelled there")
    return _with_stress(ipa, word, LAST) if origin_code(origin) == "pinyin" else ipa


def _letters(word: str, origin: Origin) -> str:
    patterns = [(re.compile(letters), sound) for letters, sound in origin.table.items()]
    said, at = "", 0
    while at < len(word):
        found = [
            (match.end() - at, len(pattern.pattern), sound)
            for pattern, sound in patterns
            if (match := pattern.match(word, at))
        ]
        if found:
            length, _, sound = max(found)
            said, at = said + sound, at + max(1, length)
        else:
            said, at = said + (word[at] if word[at].isalpha() else ""), at + 1
    return said


_NUCLEUS = re.compile(f"[{_IPA_VOWELS}](?:[ɪʊ](?![{_IPA_VOWELS}]))?ː?̃?ː?")


def _with_stress(ipa: str, written: str, rule: str) -> str:
    """The stress mark directly before its vowel; one that an accent wrote stands behind its own."""
    if "ˈ" in ipa:
        before = ipa.index("ˈ")
        bare = ipa.replace("ˈ", "")
        at = max((match.start() for match in _NUCLEUS.finditer(bare) if match.start() < before), default=0)
        return bare[:at] + "ˈ" + bare[at:]
    places = [match.start() for match in _NUCLEUS.finditer(ipa)]
    if not places:
        return ipa
    if rule == ROMANCE:
        rule = LAST_BUT_ONE if written[-1:] in "aeions" or written[-1:] in "áéíóú" else LAST
    number = {FIRST: 0, LAST: len(places) - 1}.get(rule, max(0, len(places) - 2))
    return ipa[: places[number]] + "ˈ" + ipa[places[number] :]
