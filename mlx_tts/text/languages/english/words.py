"""Abbreviations, words in capitals and signs that are left -> what is said for them."""

from __future__ import annotations

import re
from functools import lru_cache

from mlx_tts.text.languages.english.numbers import NUMERAL, cardinal, label_digits, value
from mlx_tts.text.normalise.engine import one_of, rule, words_of

# Written with a dot; before anything.
DOTTED = {
    "Mr": "Mister", "Mrs": "Missus", "Ms": "Miss", "Prof": "Professor", "Rev": "Reverend", "Hon": "Honorable",
    "Gen": "General", "Col": "Colonel", "Sgt": "Sergeant", "Capt": "Captain", "Cpt": "Captain", "Lt": "Lieutenant",
    "Cmdr": "Commander", "Maj": "Major", "Gov": "Governor", "Sen": "Senator", "Rep": "Representative",
    "Pres": "President", "Supt": "Superintendent", "Messrs": "Messers", "Mme": "Madame", "Mt": "Mount", "Ft": "Fort",
    "approx": "approximately", "Approx": "Approximately", "vs": "versus", "dept": "department", "Dept": "Department",
    "govt": "government", "Govt": "Government", "Fed": "Federal", "Civ": "Civil", "Crim": "Criminal",
        "est": "estimated", "Est": "Established", "temp": "temperature",
    "avg": "average", "mtg": "meeting", "Mtg": "Meeting", "appt": "appointment", "Appt": "Appointment",
        "max": "maximum", "min": "minimum", "Max": "Maximum", "Min": "Minimum", "misc": "miscellaneous",
    "incl": "including", "excl": "excluding", "tel": "telephone", "Tel": "Telephone", "assoc": "associate",
    "Assoc": "Associate", "asst": "assistant", "Asst": "Assistant", "Dir": "Director", "Elev": "Elevation",
        "mtns": "mountains", "Mtns": "Mountains", "avail": "available",
    "Avail": "Available", "Calif": "California", "Univ": "University", "univ": "university",
    "dist": "district", "bldg": "building", "Bldg": "Building", "apt": "apartment", "Apt": "Apartment", "Ste": "Suite",
    "pkg": "package", "qty": "quantity", "orig": "originally", "esp": "especially",
    "resp": "respectively", "cf": "compare", "viz": "namely", "ibid": "ibidem", "fl": "flourished", "attn": "attention",
    "Attn": "Attention", "int'l": "international", "Int'l": "International", "nat'l": "national", "Nat'l": "National",
}  # fmt: skip
# Before a number only.
NUMBERED = {
    "No": "number", "no": "number", "Nos": "numbers", "nos": "numbers", "p": "page", "pp": "pages", "pg": "page",
    "vol": "volume", "Vol": "Volume", "vols": "volumes", "ch": "chapter", "Ch": "Chapter",
    "chap": "chapter", "Chap": "Chapter", "fig": "figure", "Fig": "Figure", "figs": "figures", "Figs": "Figures",
    "eq": "equation", "Eq": "Equation", "cl": "clause", "sec": "section", "Sec": "Section", "sect": "section",
        "art": "article",
    "Art": "Article", "par": "paragraph", "ed": "edition", "Rte": "Route", "ln": "line", "tab": "table", "Tab": "Table",
    "app": "appendix", "App": "Appendix", "ex": "example", "Ex": "Example", "ext": "extension", "Ext": "extension",
    "Plat": "Platform", "Cat": "Category", "nr": "number", "Nr": "number", "ver": "version", "lvl": "level",
    "Lvl": "Level", "pos": "position",
}  # fmt: skip
# Behind a name.
AFTER_NAME = {
    "Ln": "Lane", "Ct": "Court", "Pl": "Place", "Sq": "Square", "Jr": "Junior", "Sr": "Senior", "Inc": "Incorporated",
        "Ltd": "Limited", "Corp": "Corporation",
    "Co": "Company", "Bros": "Brothers", "Cir": "Circle", "Terr": "Terrace",
}  # fmt: skip
FIXED = {
    "e.g.": "for example", "i.e.": "that is", "E.g.": "For example", "I.e.": "That is", "a.k.a.": "also known as",
    "et al.": "et al", "w/o": "without", "W/o": "Without", "b/c": "because", "c/o": "care of", "R.S.V.P.": "R S V P",
    "&c.": "et cetera", "aka": "also known as", "Ph.D.": "P H D", "PhD": "P H D", "M.D.": "M D", "B.A.": "B A",
    "M.A.": "M A", "B.Sc.": "B S C", "M.Sc.": "M S C", "Ph.D": "P H D", "D.C.": "D C", "i.e": "that is",
    "e.g": "for example", "N.B.": "note well", "p.s.": "P S", "P.S.": "P S", "asap": "as soon as possible",
    "ASAP": "as soon as possible", "FYI": "for your information", "n/a": "not applicable", "N/A": "not applicable",
    "AT&T": "A T and T", "p.a.": "per annum",
}  # fmt: skip


def _ends_a_sentence(match: re.Match[str]) -> bool:
    """Whether the dot of an abbreviation is also a full stop: nothing follows, or a capital letter."""
    rest = match.string[match.end() :]
    return re.match(r"[\"'”’)]*(?:\s*\Z|\s+[\"'“‘(]?[A-Z][a-z])", rest) is not None


def _keeps_dot(words: str, match: re.Match[str]) -> str:
    return f"{words}." if _ends_a_sentence(match) else words


def _fixed(match: re.Match[str]) -> str:
    words = FIXED[match["word"]]
    if match["word"][0].isupper() and _begins_sentence(match):
        words = words[:1].upper() + words[1:]
    at_end = match["word"].endswith(".") and not match.string[match.end() :].strip("\"'”’) \n")
    return f"{words}." if at_end else words


def _pointed(match: re.Match[str]) -> str:
    """U.S.A. -> U S A; two letters and more, with the full stop that it may be as well."""
    letters = " ".join(re.findall(r"[A-Za-z]", match[0]))
    return f"{letters}." if not match.string[match.end() :].strip("\"'”’)") else letters


WITHOUT_DOT = {"mtg": "meeting", "appt": "appointment", "tmrw": "tomorrow", "dept": "department", "govt": "government"}

# Before the numbers are words: digits tell what is meant.
BEFORE_NUMBERS = (
    rule(r"(?<=['’]s )Ex\. (?=\d|[A-Z]\b)", "Exhibit "),
    rule(r"§§ ?(?=\d)", "sections "),
    rule(
        r"(?:(?<=\dth )|(?<=\dst )|(?<=\dnd )|(?<=\drd ))(?:[Ff]l)\.(?=(?P<end>\s*\Z)?)",
        lambda m: "Floor." if m["end"] is not None else "Floor",
    ),
    rule(r"(?:(?<=\dth )|(?<=\dst )|(?<=\dnd )|(?<=\drd ))c\.(?=[ ,;)]|\Z)", "century"),
    rule(
        r"(?<=\b[Nn]o\. )(?P<a>\d{1,4})-(?P<b>\d{1,4})(?![\w-])",
        lambda m: f"{label_digits(m['a'])} {label_digits(m['b'])}",
    ),
    rule(r"(?<![\w.])est\.(?= of\b)", "estimate"),
    rule(r"(?<![\w.])est\. (?=\d{4}\b)", "established "),
    rule(r"\(r\. (?=\d{3,4}\b)", "(reigned "),
    rule(r"(?<=\d )F\.(?P<n>[234])(?:d|th)(?= \d)", lambda m: f"F {('second', 'third', 'fourth')[int(m['n']) - 2]}"),
    rule(r"(?<=\dth )Cir\.|(?<=\dst )Cir\.|(?<=\dd )Cir\.", "Circuit"),
    rule(rf"(?<![\w.'’])(?P<word>{one_of(NUMBERED)})\. ?(?=#?\d)", lambda m: f"{NUMBERED[m['word']]} "),
    rule(
        rf"(?<![\w.'’])(?P<word>{one_of(NUMBERED)})\. ?(?P<numeral>(?=[IVX]){NUMERAL})\b(?!['’.-]?\w)",
        lambda m: (
            None
            if m["numeral"] == "I" and re.match(r" [a-z]|['’]", m.string[m.end() :])
            else f"{NUMBERED[m['word']]} {cardinal(value(m['numeral']))}"
        ),
    ),
    rule(r"(?<!\w)pp (?=\d)", "pages "),
    rule(r"(?<![\w.])(?P<word>approx|Approx|Mr|Mrs|Ms)(?= [A-Z\d~])", lambda m: DOTTED[m["word"]]),
)
# Words that are nothing else, with a full stop or without.
PLAIN_SHORT = {
    "Tues": "Tuesday", "Thurs": "Thursday", "Weds": "Wednesday", "Thx": "Thanks", "thx": "thanks",
    "WWI": "World War one", "WWII": "World War two", "WW1": "World War one", "WW2": "World War two",
    "F/u": "Follow up", "f/u": "follow up", "F/U": "follow up", "h/o": "history of", "r/o": "rule out",
    "s/p": "status post",
    "dew pt": "dew point",
}  # fmt: skip
WITHOUT_STOP = (
    rule(rf"(?<![\w/.-])(?P<word>{one_of(PLAIN_SHORT)})(?![\w/.'’-])", lambda m: PLAIN_SHORT[m["word"]]),
    rule(r"(?<!\w)dew pt\.(?= [a-z\d])", "dew point"),
)
ABBREVIATION_RULES = (
    rule(r"\bet al\.(?=[,;:)]| [a-z(])", "et al"),
    rule(rf"(?<![\w.])(?P<word>{one_of(FIXED)})(?![\w/])(?!\.\w)", _fixed),
    rule(r"(?<!\w)vs\b\.?", "versus"),
    rule(r"(?<=[a-z.] )v\.(?= (?:the )?[A-Z])", "versus"),
    rule(r"(?<!\w)(?:&c|[Ee]tc)\b\.?", lambda m: _keeps_dot("et cetera", m) if m[0].endswith(".") else "et cetera"),
    rule(rf"(?<=[\w.,] )(?P<word>{one_of(AFTER_NAME)})\.(?!\w)", lambda m: _keeps_dot(AFTER_NAME[m["word"]], m)),
    rule(rf"(?<![\w.'’-])(?P<word>{one_of(DOTTED)})\.(?!\w|\.)", lambda m: _title(m)),
    rule(r"(?<![\w.])(?!(?:[ap]\.m\.))(?:[A-Z]\.){2,8}(?!\w)", _pointed),
    rule(r"(?<![\w/])w/ ?(?=\w)(?!o\b)", "with"),
    rule(r"(?<!\w)(?:mtg|appt|tmrw|dept|govt)(?![\w.])", lambda m: WITHOUT_DOT[m[0]]),
)  # fmt: skip

TITLES = frozenset(
    words_of(
        "Mr Mrs Ms Asst Assoc Prof Rev Hon Gen Col Sgt Capt Cpt Lt Cmdr Maj Gov Sen Rep Pres Supt Messrs Mme Mt Ft"
    )
)


def _title(match: re.Match[str]) -> str:
    """A title's dot never ends a sentence."""
    word = match["word"]
    return DOTTED[word] if word in TITLES else _keeps_dot(DOTTED[word], match)


# Words in capitals -> small letters where they shout, letters apart where they are initials that no model reads.

# Short words that people shout; longer ones are words unless they are listed below.
SHOUTED = frozenset(
    words_of(
        "A ALL ALSO ALWAYS AM AN AND ANY ARE AS ASK AT BACK BAD BE BEEN BEST BIG BOOK BOTH BUT BUY BY CALL CAN CLUB "
        "COME DAY DEAD DEAR DID DO DOES DON DONE DOOR DOWN EACH EASY EAT END EVEN EVER FAR FAST FAT FEW FIND FINE "
        "FIRE FIRST FOR FREE FROM FULL FUN GET GIRL GIVE GO GOD GOOD GOT GREAT HAD HALF HAND HARD HAS HAVE HE HEAD "
        "HEAR HELL HELP HER HERE HIGH HIM HIS HOLD HOME HOPE HOT HOUSE HOW IF IN INTO IS ITS JOB JUST KEEP KEY KILL "
        "KIND KNOW LAST LATE LEFT LESS LET LIE LIFE LIKE LINE LIST LIVE LONG LOOK LOSE LOST LOT LOVE LOW MADE MAKE "
        "MAN MANY MAY ME MEAN MEN MIND MORE MOST MOVE MUCH MUST MY NAME NEAR NEED NEVER NEW NEWS NEXT NICE NIGHT NO "
        "NOR NOT NOTE NOW OF OFF OH OK OLD ON ONCE ONE ONLY OPEN OR OTHER OUR OUT OVER OWN PART PAST PAY PLAY PLUS "
        "PUSH PUT RAN RED REAL REST RICH RIDE RIGHT RUN SAD SAID SAFE SALE SAME SAVE SAW SAY SEE SEEN SELL SEND SET "
        "SHE SHOP SHOW SHUT SICK SIDE SIGN SIT SIX SO SOLD SOME SON SOON SORRY STAY STEP STILL STOP SUCH SURE TAKE "
        "TALK TEAM TELL TEN THAN THAT THE THEM THEN THERE THESE THEY THING THINK THIS THOSE TIME TO TODAY TOO TOOK "
        "TOP TRUE TRY TURN TWO UNDER UNTIL UP USE USED VERY VIEW WAIT WALK WANT WAR WARM WAS WATCH WATER WAY WE WEAR "
        "WEEK WELL WENT WERE WHAT WHEN WHERE WHICH WHILE WHO WHOLE WHY WIFE WILL WIN WISH WITH WORD WORK WORLD WORST "
        "WOULD WRONG YEAR YES YET YOU YOUNG YOUR ZERO"
    )
)
# Said as words or letters that the voices know as they stand, however long.
INITIALS = frozenset(
    words_of(
        "NASA NATO FBI CIA PDF USB USA UK EU UN US TV PC CD DVD IBM BBC CNN NBA NFL UFO VIP DIY ATM CEO GPS DNA RNA "
        "AIDS HIV UNESCO UNICEF OPEC ASAP LASER HTML HTTP HTTPS CSS XML JSON API URL SQL CPU GPU RAM ROM SSD LED LCD "
        "AI IT HR PR PM AM ID IQ MBA PHD NYC LA SF NYPD MIT UCLA IMF WHO WTO NGO FAQ SMS SIM PIN VPN WIFI GDP IPO VAT "
        "ISBN DJ MC OS UI UX QA AC DC FM NHS RAF YMCA IKEA ISO ASCII JPEG MPEG COVID SARS NAFTA ACLU NAACP"
    )
)
WORD = re.compile(r"[A-Z][A-Z’']{1,40}")
VOWEL = re.compile("[AEIOUY]")


@lru_cache(maxsize=8)
def _shouts(text: str) -> bool:
    """Whether a whole sentence stands in capitals: several words do, no word in small letters stands next to them."""
    words = re.findall(r"[A-Za-z][A-Za-z’']*", text)
    capitals = [word for word in words if len(word) > 1 and word.isupper()]
    known = sum(word in SHOUTED or len(word) > 5 for word in capitals)
    small = sum(any(c.islower() for c in word) for word in words)
    return len(capitals) > 1 and known > 0 and small * 4 <= len(capitals)


def _begins_sentence(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - 8) : match.start()].rstrip("\"'“‘(")
    return not before or (before[-1] == " " and before.rstrip(" \"'“‘(")[-1:] in (".", "!", "?", ""))


def _quiet(match: re.Match[str]) -> str | None:
    """A word in a sentence that shouts, or one that does -> the same in small letters."""
    word = match[0]
    if not _shouts(match.string):
        if not WORD.fullmatch(word):
            return None
        said = _one_word(match)
    elif len(word) == 1:
        said = "a" if word == "A" and match.string[match.end() : match.end() + 1] == " " else word
    elif word in INITIALS and word not in SHOUTED:
        said = word
    else:
        said = word.lower()
    if said.islower() and _begins_sentence(match):
        said = said[0].upper() + said[1:]
    return None if said == word else said


def _one_word(match: re.Match[str]) -> str:
    word = match[0]
    plain = word.replace("'", "").replace("’", "")
    if plain in INITIALS and plain not in ("WHO", "IT", "AM", "US"):
        return word
    if (plain in SHOUTED and len(plain) > 2) or (len(plain) > 5 and VOWEL.search(plain)):
        return word.lower()
    if len(plain) > 1 and not VOWEL.search(plain) and plain == word:
        return " ".join(word)
    return word


CAPITAL_RULES = (rule(r"(?<![\w&.])[A-Z][A-Z’']{0,40}(?![\w&]|\.\w)", _quiet),)


# Signs that are left when numbers and addresses are words -> what is said for them, or nothing.

PAIRS = {
    "and/or": "and or", "he/she": "he or she", "she/he": "she or he", "his/her": "his or her", "him/her": "him or her",
    "her/him": "her or him", "s/he": "he or she", "they/them": "they them", "yes/no": "yes or no",
    "either/or": "either or", "on/off": "on off", "his/hers": "his or hers", "true/false": "true or false",
    "I/O": "I O", "read/write": "read write", "him/herself": "him or herself", "he/him": "he him", "she/her": "she her",
    "am/pm": "a m p m", "y/y": "year over year", "q/q": "quarter over quarter", "m/m": "month over month",
    "w/w": "week over week",
}  # fmt: skip
NAMES = {"§": " section ", "¶": " paragraph ", "©": " copyright ", "№": " number ", "°": " degrees ", "%": " percent ",
         "→": " to ", "⇒": " so ", "←": " from ", "€": " euros ", "£": " pounds ", "¥": " yen ", "✓": " yes ",
         "≈": " about ", "≤": " at most ", "≥": " at least ", "≠": " is not ", "±": " plus or minus ", "×": " times ",
         "÷": " divided by ", "√": " root of ", "∑": " sum of ", "∫": " integral of ", "∂": " partial "}  # fmt: skip

SYMBOL_RULES = (
    rule(r"</?[a-z]{1,10}\d?>", " "),
    rule(rf"(?<![\w/])(?:{one_of(PAIRS)})(?![\w/])",
         lambda m: PAIRS.get(m[0]) or PAIRS.get(m[0].lower()), re.IGNORECASE),
    rule(r"(?<=\w) ?& ?(?=[A-Za-z]{2}|\d)|(?<=[a-z]{2}) ?& ?(?=\w)", " and "),
    rule(r"(?<=[A-Z])&(?=[A-Z](?![a-z]))", " and "),
    rule(r"(?<= )&(?= )", "and"),
    rule(r"(?<=[A-Za-z])/(?=[A-Za-z])", " "),
    rule(r"(?<![\w#])#(?=\w)", "number "),
    rule(r"(?<=\w)@(?=\w)|(?<= )@(?= )", " at "),
    rule(r"(?<=[A-Za-z\d]) ?\+ ?(?=[A-Za-z\d])", " plus "),
    rule(r"(?<=\w) ?(?:==|=|:=) ?(?=[\w\"'])", " equals "),
    rule(r"[®™†‡•·¦]+", " "),
    rule(r"(?<!\d)(?<!\d )[€£¥°%](?! ?[\d.])|[§¶©№→⇒←✓≈≤≥≠±×÷√∑∫∂]", lambda m: NAMES[m[0]]),
    rule(r"(?<=\w) ?[|¦] ?(?=\w)", ", "),
    rule(r"[|\\^~`_{}]+", " "),
    rule(r"(?<=\w)[<>](?=\w)|(?<= )[<>](?= )", " "),
)  # fmt: skip
