"""Abbreviations, words in capitals and signs that are left -> what is said for them."""

from __future__ import annotations

import re
from functools import lru_cache

from mlx_tts.text.languages.english.numbers import NUMERAL, cardinal, label_digits
from mlx_tts.text.normalise.engine import mentions, one_of, rule, text_after, text_before, words_of
from mlx_tts.text.roman import value

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
    "incl": "including", "inc": "including", "exc": "excluding",
     "excl": "excluding", "tel": "telephone", "Tel": "Telephone", "assoc": "associate",
    "Assoc": "Associate", "asst": "assistant", "Asst": "Assistant", "Dir": "Director", "Elev": "Elevation",
        "mtns": "mountains", "Mtns": "Mountains", "avail": "available",
    "Avail": "Available", "Calif": "California", "Univ": "University", "univ": "university",
    "dist": "district", "bldg": "building", "Bldg": "Building", "apt": "apartment", "Apt": "Apartment", "Ste": "Suite",
    "addr": "address", "bkfst": "breakfast", "abt": "about", "svgs": "servings", "rms": "rooms", "dbl": "double",
    "lvs": "leaves", "flr": "floor", "Cf": "Compare", "bdrm": "bedroom", "bdrms": "bedrooms", "brkfst": "breakfast",
    "pkg": "package", "qty": "quantity", "orig": "originally", "esp": "especially",
    "resp": "respectively", "cf": "compare", "viz": "namely", "ibid": "ibidem", "fl": "flourished", "attn": "attention",
    "Temps": "Temperatures", "temps": "temperatures", "precip": "precipitation", "opp": "opposite",
    "blt": "built", "bsmt": "basement", "Suppl": "Supplementary", "Attn": "Attention", "int'l": "international",
    "Int'l": "International", "nat'l": "national", "Nat'l": "National",
}  # fmt: skip
# Before a number only.
NUMBERED = {
    "No": "number", "no": "number", "Nos": "numbers", "nos": "numbers", "p": "page", "pp": "pages", "pg": "page",
    "vol": "volume", "Vol": "Volume", "vols": "volumes", "ch": "chapter", "Ch": "Chapter",
    "chap": "chapter", "Chap": "Chapter", "fig": "figure", "Fig": "Figure", "figs": "figures", "Figs": "Figures",
    "eq": "equation", "Eq": "Equation", "cl": "clause", "sec": "section", "Sec": "Section", "sect": "section",
        "art": "article",
    "Art": "Article", "par": "paragraph", "ed": "edition", "Rte": "Route", "Rt": "Route", "ln": "line",
        "tab": "table", "Tab": "Table",
    "app": "appendix", "App": "Appendix", "ex": "example", "Ex": "Example", "ext": "extension", "Ext": "extension",
    "Plat": "Platform", "Cat": "Category", "nr": "number", "Nr": "number", "ver": "version", "lvl": "level",
    "rm": "room", "Rm": "Room", "Dkt": "Docket", "rev": "revision",
    "Lvl": "Level", "pos": "position", "para": "paragraph", "Para": "Paragraph", "paras": "paragraphs",
    "Jct": "Junction", "Jcts": "Junctions", "Yr": "Year",
}  # fmt: skip
# Behind a name.
AFTER_NAME = {
    "Ln": "Lane", "Ct": "Court", "Pl": "Place", "Sq": "Square", "Jr": "Junior", "Sr": "Senior", "Inc": "Incorporated",
        "Ltd": "Limited", "Corp": "Corporation",
    "Ctr": "Center", "Mtn": "Mountain", "Mtns": "Mountains",
    "Co": "Company", "Bros": "Brothers", "Cir": "Circle", "Terr": "Terrace",
}  # fmt: skip
FIXED = {
    "e.g.": "for example", "i.e.": "that is", "E.g.": "For example", "I.e.": "That is", "a.k.a.": "also known as",
    "et al.": "et al", "w/o": "without", "W/o": "Without", "b/c": "because", "c/o": "care of", "R.S.V.P.": "R S V P",
    "&c.": "et cetera", "aka": "also known as", "Ph.D.": "P H D", "PhD": "P H D", "M.D.": "M D", "B.A.": "B A",
    "M.A.": "M A", "B.Sc.": "B S C", "M.Sc.": "M S C", "Ph.D": "P H D", "D.C.": "D C", "i.e": "that is",
    "e.g": "for example", "N.B.": "note well", "p.s.": "P S", "P.S.": "P S", "asap": "as soon as possible",
    "ASAP": "as soon as possible", "FYI": "for your information", "n/a": "not applicable", "N/A": "not applicable",
    "AT&T": "A T and T", "p.a.": "per annum", "c/f": "carried forward", "b/f": "brought forward",
}  # fmt: skip


# Those that are words as well: before a number they are themselves where that number counts what stands behind it.
ALSO_WORDS = frozenset(words_of("no art par ed tab app ex sec pos cat fig ext ln"))
COUNTED = re.compile(
    r"[\d,.]* (?:of (?:us|them|you)\b|more\b|others?\b|(?:[a-z]+ )?(?:people|men|women|children)\b"
    r"|(?!(?:shows|lists|says|requires|states|gives|contains|describes|provides|applies|is|was|has|does|illustrates"
    r"|depicts|presents|plots|compares|summari[sz]es|demonstrates|explains|defines|covers|sets|protects|guarantees"
    r"|prohibits|deals|refers|reads|allows|grants|bars|governs|lets|makes|means|leaves|stops|runs|goes|starts|ends"
    r"|costs|comes|arrives|departs|plus|minus|across|versus|this|his|its|as|us|always|perhaps|thus)\b)[a-z]{2,}s\b)"
)


def _numbered(match: re.Match[str]) -> str | None:
    """ "app. 3" is an appendix; in "Open the app. 3 people came" and "Just a sec. 5 more" it is what it says."""
    word = match["word"]
    if word.lower() in ALSO_WORDS:
        refused: object
        before, counts = text_before(match, 24), COUNTED.match(match.string, match.end())
        if word == "app" and re.search(r"\b(?:[Pp]lanning|[Jj]ob|[Vv]isa|[Ll]oan) \Z", before):
            return "application "
        if word == "no":  # behind a noun or an article it is a number: "bus no. 5", "the no. 1 reasons"
            refused = counts and re.search(
                r"(?:\b(?:sa(?:id|ys?)|answer(?:s|ed)?|repl(?:y|ies|ied)|is|was|be|absolutely|definitely|clear"
                r"|firm|flat"
                r"|told (?:me|him|her|us|them)|with a|oh|hell|probably)|[,;:?!.…“\"‘—–-]) ?\Z",
                before,
            )
        elif word == "No":
            refused = counts and re.search(r"\? \Z", before)
        else:
            alone = r"\b(?:an?|just an?|one|my|your|his|her|our|another)(?: [a-z]+)? \Z"
            refused = (counts and not re.search(r"(?:\A|[.(,;] )\Z", before)) or (
                word.islower() and re.search(alone, before)
            )
        if refused:
            return None
    return f"{NUMBERED[word]} "


def _ends_a_sentence(match: re.Match[str]) -> bool:
    """Whether the dot of an abbreviation is also a full stop: nothing follows, or a capital letter."""
    rest = text_after(match, 40)
    return (
        re.match(r"[\"'”’)]*(?:\s*\Z|\s+[\"'“‘(]?(?:[A-Z][a-z]|Q[1-4]\b|A [a-z]|I(?: |['’])[a-z]))", rest) is not None
    )


def keeps_dot(words: str, match: re.Match[str]) -> str:
    return f"{words}." if _ends_a_sentence(match) else words


PATIENT = re.compile(r"\d ?y/?o\b|\b(?:y/?o|[Pp]ts?|BP|HR|Hx|hx|SOB|Dx|PMH|Rx|RR|SpO2|ED|O/E|CXR|T2DM|creps|eGFR)\b")


def _fixed(match: re.Match[str]) -> str:
    words = FIXED[match["word"]]
    if match["word"] == "c/o" and mentions(PATIENT, match.string):
        words = "complaining of"
    if match["word"][0].isupper() and _begins_sentence(match):
        words = words[:1].upper() + words[1:]
    at_end = match["word"].endswith(".") and not text_after(match, 40).strip("\"'”’) \n")
    at_end = at_end or (
        match["word"].endswith(".") and re.match(r"\s+P\.? ?S\.?(?!\w)", text_after(match, 8)) is not None
    )
    at_end = at_end or (match["word"] == "p.a." and _ends_a_sentence(match))
    return f"{words}." if at_end else words


def _pointed(match: re.Match[str]) -> str:
    """U.S.A. -> U S A; two letters and more, with the full stop that it may be as well."""
    letters = " ".join(re.findall(r"[A-Za-z]", match[0]))
    return f"{letters}." if not text_after(match, 40).strip("\"'”’)") else letters


WITHOUT_DOT = {"mtg": "meeting", "appt": "appointment", "tmrw": "tomorrow", "dept": "department", "govt": "government"}

# Before the numbers are words: digits tell what is meant.
BEFORE_NUMBERS = (
    rule(r"(?<=['’]s )Ex\. (?=\d|[A-Z]\b)", "Exhibit "),
    rule(r"§§ ?(?=\d)", "sections "),
    rule(r"§ ?(?P<n>[12]\d{3})(?![\w(-]|[.,]\d)", lambda m: f"section {label_digits(m['n'])}"),
    rule(
        r"(?:(?<=\dth )|(?<=\dst )|(?<=\dnd )|(?<=\drd ))(?:[Ff]l)\."
        r"(?=(?P<end>\s*\Z|\s+(?:[$£€]\d|(?:The|It|We|I|You|Please|Call|Ask|Ring|Take|No|Near|Great)\b))?)",
        lambda m: "Floor." if m["end"] is not None else "Floor",
    ),
    rule(r"(?:(?<=\dth )|(?<=\dst )|(?<=\dnd )|(?<=\drd ))c\.(?=[ ,;)]|\Z)", "century"),
    rule(
        r"(?<=\b[Nn]o\. )(?P<a>\d{1,4})-(?P<b>\d{1,5})(?![\w-])"
        r"|(?<=\b[Cc]ase )(?P<c>\d{2})-(?P<d>\d{2,5})(?![\w-])",
        # The first two digits of a case are its year.
        lambda m: (
            f"{label_digits(m['a'] or m['c'])}{',' if len(m['a'] or m['c']) == 2 else ''} "
            f"{label_digits(m['b'] or m['d'])}"
        ),
    ),
    rule(r"(?<![\w.])est\.(?= of\b)", "estimate"),
    rule(r"(?<![\w.])est\. (?=\d{4}\b)", "established "),
    rule(r"\(r\. (?=\d{3,4}\b)", "(reigned "),
    rule(r"(?<=\d )F\.(?P<n>[234])(?:d|th)(?= \d)", lambda m: f"F {('second', 'third', 'fourth')[int(m['n']) - 2]}"),
    rule(r"(?<=\dth )Cir\.|(?<=\dst )Cir\.|(?<=\dd )Cir\.", "Circuit"),
    rule(rf"(?<![\w.'’])(?P<word>{one_of(NUMBERED)})\. ?(?=#?\d)", _numbered),
    rule(
        rf"(?<![\w.'’])(?P<word>{one_of(NUMBERED)})\. ?(?P<numeral>(?=[IVX]){NUMERAL})\b(?!['’.-]?\w)",
        lambda m: (
            None
            if m["numeral"] == "I" and re.match(r" [a-z]|['’]", text_after(m, 40))
            else f"{NUMBERED[m['word']]} {cardinal(value(m['numeral']))}"
        ),
    ),
    rule(r"(?<=[a-z] )no\. (?=[A-Z]{1,3}\d)", "number "),
    rule(r"(?<!\w)pp (?=\d)", "pages "),
    rule(r"(?<![\w.])(?P<word>approx|Approx|Mr|Mrs|Ms)(?= [A-Z\d~])", lambda m: DOTTED[m["word"]]),
)
# Words that are nothing else, with a full stop or without.
PLAIN_SHORT = {
    "Tues": "Tuesday", "Thurs": "Thursday", "Weds": "Wednesday", "Thx": "Thanks", "thx": "thanks",
    "WWI": "World War one", "WWII": "World War two", "WW1": "World War one", "WW2": "World War two",
    "F/u": "Follow up", "f/u": "follow up", "F/U": "follow up", "h/o": "history of", "r/o": "rule out",
    "s/p": "status post", "r/v": "review",
    "dew pt": "dew point",
}  # fmt: skip
WITHOUT_STOP = (
    rule(
        rf"(?<![\w/.-])(?P<word>{one_of(PLAIN_SHORT)})(?![\w/.'’-])",
        lambda m: (
            PLAIN_SHORT[m["word"]]
            if m["word"] not in ("h/o", "r/o", "s/p", "r/v") or mentions(PATIENT, m.string)
            else None
        ),
    ),
    rule(r"(?<!\w)dew pt\.(?= [a-z\d])", "dew point"),
    rule(r"(?<=\b[Bb]ank )hol(?P<s>s?)\b(?:\.(?= [a-z]|[,;)]))?", lambda m: f"holiday{m['s']}"),
)
ABBREVIATION_RULES = (
    rule(r"\bet al\.(?=[,;:)]| [a-z(])", "et al"),
    rule(rf"(?<![\w.])(?P<word>{one_of(FIXED)})(?![\w/])(?!\.\w)", _fixed),
    rule(r"(?<!\w)vs\b\.?", "versus"),
    rule(r"(?<=[a-z.] )v\.(?= (?:the )?[A-Z])", "versus"),
    rule(r"(?<!\w)(?:&c|[Ee]tc)\b\.?", lambda m: keeps_dot("et cetera", m) if m[0].endswith(".") else "et cetera"),
    rule(r"(?<=Fed\. )Cir\.|(?<=D\.C\. )Cir\.", "Circuit"),
    rule(rf"(?<=[\w.,] )(?P<word>{one_of(AFTER_NAME)})\.(?!\w)", lambda m: keeps_dot(AFTER_NAME[m["word"]], m)),
    rule(rf"(?<![\w.'’-])(?P<word>{one_of(DOTTED)})\.(?!\w|\.)", lambda m: _title(m)),
    rule(r"(?<![\w.])(?!(?:[ap]\.m\.))(?:[A-Z]\.){2,8}(?!\w)", _pointed),
    rule(r"(?<![\w.])(?:[A-Z]\.){1,7}[A-Z](?= [A-Z][a-z])", lambda m: " ".join(m[0].split("."))),
    rule(r"(?<![\w/])w/(?P<what>ends?|c|e)(?![\w/])",
         lambda m: {"end": "weekend", "ends": "weekends", "c": "week commencing", "e": "week ending"}[m["what"]]),
    rule(r"(?<![\w/])w/ ?(?=\w)(?!o\b)", "with"),
    rule(r"(?<!\w)(?:mtg|appt|tmrw|dept|govt)(?![\w.])", lambda m: WITHOUT_DOT[m[0]]),
)  # fmt: skip

TITLES = frozenset(
    words_of(
        "Mr Mrs Ms Asst Assoc Prof Rev Hon Gen Col Sgt Capt Cpt Lt Cmdr Maj Gov Sen Rep Pres Supt Messrs Mme Mt"
        " Ft Civ Crim Suppl"
        # Something always follows these.
        " esp cf Cf viz inc exc incl excl approx Approx"
    )
)
# Titles that are names as well, or that a word with a capital may follow in another sentence.
PERSONS = frozenset(words_of("Prof Rev Hon Gen Col Sgt Capt Cpt Lt Cmdr Maj Gov Sen Rep Pres Supt Mme Dir"))
BEGINS = re.compile(
    r"[\"”’)]*(?:\s+[\"“‘(]?(?:(?:The|He|She|It|They|We|You|His|Her|Their|Its|This|That|These|But|And|In|On|At|When"
    r"|After|Then|There|So|As|For|If|My|Our|Not|No|Yes|What|Who|Where|Why|How|Now|One)\b|A [a-z]|I(?: |['’])[a-z]))"
)


# What some abbreviations are beside certain words: word -> pattern of what stands before, of what stands behind, what
# is said; nothing is said where it is no abbreviation. The first that fits counts.
ALWAYS = ""
NAMED = r"\A|[\n.!?:;(/|–—-]\s?"  # here a capital does not tell a name
BESIDE: dict[str, tuple[tuple[str, str, str | None], ...]] = {
    "Max": ((ALWAYS, r" [a-z]|[:=/]", "Maximum"), (NAMED, r" ?[\d$£€~<]", "Maximum"),
            (NAMED, r" [A-Z][a-z]+[:.]? ?\d", "Maximum"), (ALWAYS, ALWAYS, None)),
    "Min": ((NAMED, r" \d{1,3}:", "Minute"), (ALWAYS, r" [a-z]|[:=/]", "Minimum"), (NAMED, r" ?[\d$£€~<]", "Minimum"),
            (NAMED, r" [A-Z][a-z]+[:.]? ?\d", "Minimum"), (ALWAYS, ALWAYS, None)),
    "min": ((ALWAYS, r" (?:deposit|order|spend|stay|age|wage|balance|payment|purchase|price|charge|of [$£€]|requirement"
             r"|temp|height|bid|fee|investment|size|number|income|score|level|amount|weight|distance|speed|budget"
             r"|salary|loan|contribution|value|term)", "minimum"),
            (r"\d(?:st|nd|rd|th) ", ALWAYS, "minute"), (r"\b(?:an?|any|last|this|per|each|every|next|one|half a) ",
    ALWAYS, "minute"),
            (r"\b(?:few|several|some|many|more|other|couple) ", ALWAYS, "minutes"),
            (ALWAYS, ALWAYS, "minimum")),
    "avail": ((r"\b(?:no|little|any|some|what|great|much|small|to|of) ", ALWAYS, None),
              (ALWAYS, r" [a-z\d]|[,;:)]", "available"),
              (r"\b(?:are|is|now|be|still|currently|[a-z]+s) ", ALWAYS, "available"), (ALWAYS, ALWAYS, None)),
    "apt": ((ALWAYS, r" (?:#|\d|[A-Z]\b)", "apartment"),
            (r"\b(?:the|an?|our|my|your|his|her|their|new|old|studio|bedroom|BR|furnished|each|per|this|that|in) ",
             ALWAYS, "apartment"), (ALWAYS, r" (?:building|complex|number|no)\b", "apartment"), (ALWAYS, ALWAYS, None)),
    "pkg": ((ALWAYS, r" (?:free|available|lot|garage|space|spaces|on|at|is|incl|£|\$|in|for|permit|£)\b", "parking"),
            (ALWAYS, ALWAYS, "package")),
    "Fed": ((ALWAYS, r" (?:[A-Z]\.|(?:Reg|Cir|Supp|Res|Appx|Cl|Evid|Prac|Gov)\b|[A-Z][a-z]+ (?:of|v\.|for)\b"
            r"|(?:Reserve|Rules?|Court|Government|Register|Trade|Aviation|Bureau|Republic|Judge|Agent|Express)\b)",
            "Federal"), (ALWAYS, r" [a-z]", "Federal"), (ALWAYS, ALWAYS, None)),
    "temp": ((r"\b(?:an?|another|office|our|as|every|summer|these|two|hired) ", r"\s*\Z|[,;)]| [A-Z]", None),
             (r"\b(?:a|another|the) ", r" (?:agency|agencies|job|jobs|work|worker|workers|staff|file|files|folder)\b",
              "temporary"), (ALWAYS, ALWAYS, "temperature")),
    "fl": ((ALWAYS, r" (?:\d|c\.|ca\.|AD\b)", "flourished"), (r"\bthe [a-z]+ |\bon the ", ALWAYS, "floor"),
           (ALWAYS, r" [a-z]", "floor"),
           (ALWAYS, ALWAYS, None)),
    "resp": ((ALWAYS, r" (?:rate|distress|failure|therap\w+|infections?|system|tract|arrest|symptoms?|illness\w*)\b",
              "respiratory"), (ALWAYS, ALWAYS, "respectively")),
    "orig": ((ALWAYS, r" (?:price|cost|box|packaging|version|equipment|condition|owners?|art|floors?|cast|recipe|title"
              r"|manuscript|copy|series|film|edition|hardwood|estimate|plan|plans|parts|paint|retail)\b", "original"),
             (ALWAYS, ALWAYS, "originally")),
    "dist": ((r"[A-Z][a-z]+ ", ALWAYS, "district"), (ALWAYS, r" (?:[A-Z]|\d)", "district"),
             (ALWAYS, ALWAYS, "distance")),
    "Est": ((ALWAYS, r" (?:in )?(?:c\. ?)?1?\d{3}\b", "Established"), (ALWAYS, ALWAYS, "Estimated")),
    "Ft": ((ALWAYS, r" [A-Z][a-z]+ (?:Rd|Road|St|Street|Ave|Avenue|Blvd|Pkwy|Dr|Drive|Hwy|Ln|Lane|Way)\b", "Fort"),
           (r"\d ", ALWAYS, "feet"), (ALWAYS, r" [A-Z]", "Fort"), (ALWAYS, r" [a-z]", "feet"), (ALWAYS, ALWAYS, None)),
}  # fmt: skip


def _title(match: re.Match[str]) -> str | None:
    """A title's dot never ends a sentence."""
    word = match["word"]
    said: str | None = DOTTED[word]
    for before, behind, words in BESIDE.get(word, ()):
        if re.search(f"(?:{before})\\Z", text_before(match, 24)) and re.match(behind, text_after(match, 24)):
            if words and behind:
                return words  # what it belongs to follows
            said = words
            break
    if said is None:
        return None
    if (
        word == "Sen"
        and re.search(r"[A-Z][a-z]+ \Z", text_before(match, 16))
        and not text_after(match, 8).strip('"”’) ')
    ):
        return None
    if word in PERSONS and BEGINS.match(text_after(match, 16)):  # "by Amartya Sen. The book"
        return f"{said}." if re.search(r"\b(?i:the|our|my|an?|his|her|their|your) \Z", text_before(match, 8)) else None
    return said if word in TITLES else keeps_dot(said, match)


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
    before = text_before(match, 8).rstrip("\"'“‘(")
    return not before or (before[-1] == " " and before.rstrip(" \"'“‘(")[-1:] in (".", "!", "?", ""))


def _quiet(match: re.Match[str]) -> str | None:
    """A word in a sentence that shouts, or one that does -> the same in small letters."""
    word = match[0]
    if not _shouts(match.string):
        if not WORD.fullmatch(word):
            return None
        said = _one_word(match)
    elif len(word) == 1:
        said = "a" if word == "A" and text_after(match, 1) == " " else word
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


def _stars(match: re.Match[str]) -> str:
    full, every = len(match["full"]), len(match[0])
    return f"{cardinal(full)}{f' out of {cardinal(every)}' if full < every else ''} star{'' if every == 1 else 's'}"


SYMBOL_RULES = (
    rule(r"</?[a-z]{1,10}\d?>", " "),
    rule(rf"(?<![\w/])(?:{one_of(PAIRS)})(?![\w/])",
         lambda m: PAIRS.get(m[0]) or PAIRS.get(m[0].lower()), re.IGNORECASE),
    rule(r"(?<=\w) ?& ?(?=[A-Za-z]{2}|\d)|(?<=[a-z]{2}) ?& ?(?=\w)", " and "),
    rule(r"(?<=[A-Z])&(?=[A-Z](?![a-z]))", " and "),
    rule(r"(?<= )&(?= )", "and"),
    rule(r"(?<=[A-Za-z])/(?=[A-Za-z])", " "),
    rule(r"(?<![\w#])#(?=\w)", "number "),
    rule(r"(?<=[a-z] )#(?= (?:is|was|are|in|for|on)\b)", "number"),
    rule(r"(?<=\w)@(?=\w)|(?<= )@(?= )", " at "),
    rule(r"(?<=[A-Za-z\d]) ?\+ ?(?=[A-Za-z\d])", " plus "),
    rule(r"(?<=\w) ?(?:==|=|:=) ?(?=[\w\"'])", " equals "),
    rule(r"[®™†‡•·¦]+", " "),
    rule(r"(?<!\d)(?<!\d )[€£¥°%](?! ?[\d.])|[§¶©№→⇒←✓≈≤≥≠±×÷√∑∫∂]", lambda m: NAMES[m[0]]),
    rule(r"(?<![★☆])(?P<full>★{1,10})(?P<empty>☆{0,10})(?![★☆])", lambda m: _stars(m)),
    rule(r"(?<=\w) ?[|¦] ?(?=\w)", ", "),
    rule(r"[|\\^~`_{}]+", " "),
    rule(r"(?<=\w)[<>](?=\w)|(?<= )[<>](?= )", " "),
)  # fmt: skip
