"""What people write to each other: chat, scores, ratings -> English words."""

from __future__ import annotations

import re
from functools import lru_cache

from mlx_tts.text.languages.english.measures import ONE_INCH
from mlx_tts.text.languages.english.numbers import day_first, label_digits, spoken
from mlx_tts.text.languages.english.places import STATES
from mlx_tts.text.languages.english.unit_names import named
from mlx_tts.text.normalise.engine import mentions, one_of, rule, text_after, text_before, words_of

# Said only in a line that has two of them: alone each may be a name or a word.
CHAT = {
    "ne1": "anyone", "idk": "I don't know", "tbh": "to be honest", "imo": "in my opinion", "imho": "in my humble"
        " opinion",
        "btw": "by the way",
    "brb": "be right back", "omw": "on my way", "ttyl": "talk to you later", "thx": "thanks", "ty": "thank you",
    "pls": "please", "plz": "please", "np": "no problem", "nvm": "never mind", "rn": "right now", "u": "you",
        "r": "are",
    "ur": "your", "b4": "before", "abt": "about", "txt": "text", "w8": "wait", "m8": "mate", "gr8": "great",
        "l8r": "later", "2nite": "tonight", "2moro": "tomorrow",
        "cya": "see you", "cu": "see you",
    "jk": "just kidding", "smh": "shaking my head", "irl": "in real life", "dm": "D M", "bf": "boyfriend",
    "gf": "girlfriend", "gn": "good night", "nbd": "no big deal", "fyi": "for your information", "hmu": "hit me up",
    "otw": "on the way", "ily": "I love you",
     "msg": "message", "bc": "because", "ppl": "people", "prob": "probably", "def": "definitely",
    "afaik": "as far as I know", "fwiw": "for what it's worth", "lmk": "let me know", "wyd": "what are you doing",
    "hbu": "how about you", "tmr": "tomorrow", "tmrw": "tomorrow", "tho": "though", "gonna": "gonna", "lol": "L O L",
    "omg": "oh my god", "idc": "I don't care", "ikr": "I know, right", "gtg": "got to go",
    "g2g": "got to go", "bday": "birthday",
    "y": "why", "k": "okay", "cuz": "because", "luv": "love", "sry": "sorry", "yh": "yeah", "2day": "today",
}  # fmt: skip
WORD = re.compile(r"[A-Za-z0-9]*[A-Za-z][A-Za-z0-9]*")


def _may_be_chat(word: str) -> bool:
    """ "BC" and "DM" in capitals are something else."""
    return word.islower() or len(word) > 2


@lru_cache(maxsize=8)
def _chats(text: str) -> bool:
    found = {word.lower() for word in WORD.findall(text) if word.lower() in CHAT and _may_be_chat(word)}
    return len(found) > 1 and any(len(word) > 1 for word in found)


def _chat(match: re.Match[str]) -> str | None:
    return CHAT[match[0].lower()] if _may_be_chat(match[0]) and _chats(match.string) else None


def _hour_of_day(match: re.Match[str]) -> str:
    """ "by 645"."""
    minutes = {"00": "", "05": " oh five"}.get(match["m"]) if match["m"] in ("00", "05") else f" {spoken(match['m'])}"
    return f"{spoken(match['h'])}{minutes}"


# What one has "2 do": beside anything else the 2 counts ("got 2 spare tickets").
DONE = "|".join(
    words_of(
        "go be do get see say work leave run eat sleep meet have tell ask talk know find buy pay call study wait "
        "stop try make"
    )
)
OBJECTS = "my|your|ur|the|a|it|him|her|them|some|up|out|off|back|home|u|you|this|that"
DAYS = {"mon": "Monday", "tue": "Tuesday", "tues": "Tuesday", "wed": "Wednesday", "weds": "Wednesday",
        "thu": "Thursday", "thurs": "Thursday", "fri": "Friday", "sat": "Saturday", "sun": "Sunday"}  # fmt: skip


def _for_a_day(match: re.Match[str]) -> str | None:
    """ "2 tix 4 sat"."""
    if not (_chats(match.string) or mentions(TICKETS, match.string)):
        return None
    return f"for {DAYS.get(match['day'], match['day'])}"


TICKETS = re.compile(r"\btix\b")
CHAT_RULES = (
    # "4 sat at the back" counts who sat, and "won 4 today" how often.
    rule(
        rf"(?<=[a-z] )4 (?P<day>{one_of(DAYS)})(?=\s*\Z|[.,!?;)]| (?:nite|night|morning|eve|pls|plz|if|u|thx|ok)\b)",
        _for_a_day,
    ),
    rule(
        r"(?:(?<=\btix )|(?<=\btable )|(?<=\bup )|(?<=\bfree )|(?<=\bdown )|(?<=\bready )|(?<=\bbooked )|(?<=\bset ))"
        r"4 (?P<day>tomorrow|tonight|today)(?!\w)",
        _for_a_day,
    ),
    rule(r"(?<![\w.@#/'’-])tix(?![\w@/'’-]|\.\w)", "tickets"),
    rule(
        r"(?:(?<=\bby )|(?<=\bat )|(?<=\btill )|(?<=\btil )|(?<=\buntil )|(?<=\baround )|(?<=@ ))"
        r"(?P<h>1[0-2]|[1-9])(?P<m>[0-5][05])(?![\w:-]|[.,]\d)",
        lambda m: _hour_of_day(m) if _chats(m.string) else None,
    ),
    rule(
        r"(?<![\w.'’])(?i:ur)(?= (?:\w+ing|late|welcome|right|funny|ready|done|here|there)\b)",
        lambda m: "you're" if _chats(m.string) else None,
    ),
    rule(
        r"(?<![\w.'’-])b(?= (?:gr8|there|here|ok|back|home|late|fun|nice|good|great|so|at|in|the|a|careful)\b)",
        lambda m: "be" if _chats(m.string) else None,
    ),
    rule(rf"(?<![\w.@#/'’-])(?i:{one_of(CHAT)})(?![\w@/'’-]|\.\w)", _chat),
    rule(
        r"(?:(?<=\bon )|(?<=\bfor )|(?<=\bfrom )|(?<=\btil )|(?<=\btill )|(?<=\bby )|(?<=\bthis )|(?<=\bnext )"
        rf"|(?<=\blast ))(?P<day>{one_of(DAYS)})(?![\w'’-])",
        lambda m: DAYS[m["day"]] if _chats(m.string) else None,
    ),
    rule(r"(?<=\w )2(?=nite\b)", "to"),
    rule(r"(?<=[a-z)] )n(?= [a-z\d])", lambda m: "and" if _chats(m.string) else None),
    rule(
        r"(?<![\w.])c(?= (?:u|ya|you)\b)|(?<=\bu )c(?= (?:the|that|it|my|him|her|this|what|how|if)\b)",
        lambda m: "see" if _chats(m.string) else None,
    ),
    rule(
        r"(?<=[a-z] )2(?= (?:funny|much|late|good|bad|cool|cute|old|young|long|easy|hard|soon|early|many|big|far)\b)",
        lambda m: "too" if _chats(m.string) else None,
    ),
    rule(
        r"(?<=\b[Ww]ant )2(?= [a-z])|(?<=\b[Nn]ice )2(?= [a-z])|(?<=\bgoing )2(?= [a-z])|(?<=\b[Tt]alk )2(?= [a-z])"
        r"|(?:(?<=\bthinking )|(?<=\bme )|(?<=\bus )|(?<=\bhow )|(?<=\bready )"
        r"|(?<=\btime )|(?<=\blove )|(?<=\btrying ))2(?= [a-z])"
        rf"|(?:(?<=\b[Hh]ave )|(?<=\b[Nn]eed )|(?<=\b[Gg]ot ))2(?= (?:{DONE})\b| [a-z]+ (?:{OBJECTS})\b)",
        lambda m: "to" if _chats(m.string) and not re.match(r" \w+s\b", text_after(m, 40)) else None,
    ),
    rule(r"(?<=[a-z!?.)] )<3(?=\s*\Z|\s[a-z!])", "heart"),
    rule(
        r"(?<![\w.'’])(?i:ur)(?= (?:here|there|not|so|the|a|in|on|at|too|right|welcome|ready|done|home|late|funny|"
        r"free|still|"
        r"gonna|\w+ing)\b)",
        lambda m: "you're" if _chats(m.string) else None,
    ),
    rule(
        r"(?<=[a-z] )4(?= (?:u|me|us|you|ever|now|the|your|it|this|that|work|dinner|lunch|tea|real|sure"
        r"|gas|food|coffee|drinks|groceries|breakfast|brunch|class|school|a|my|her|him|them|some|free|fun|life)\b)",
        lambda m: "for" if _chats(m.string) else None,
    ),
)
MEASURED_AS = re.compile(r" (?:tall|high|long|wide|deep|in height)\b")
TALL = re.compile(r"\b(?:height|tall|stands?|standing|measur\w+|jump\w*|cleared)(?: (?:of|is|was|at|about|only))?:? \Z")
LENGTHS = {"d": "day", "wk": "week", "mo": "month", "yr": "year", "hr": "hour"}


def _for_so_long(match: re.Match[str]) -> str:
    """ "500 mg t.i.d. x 7 days", "cough x 10 d"."""
    unit = match["unit"].strip().removesuffix("s")
    said = f" {LENGTHS[unit]}{'' if match['n'] == '1' else 's'}" if unit else ""
    return f"for {spoken(match['n'])}{said}"


PARTIES = {"D": "Democrat", "R": "Republican", "I": "Independent"}
IN_NOTES = re.compile(r"\b(?:Pt|Px|BP|ECG|Hx|PMH|GP|bloods|clinic)\b")
IN_WEEKS = re.compile(r"\b(?:in|for|after|x) 52\Z")
CRICKET = re.compile(r"\b(?:wickets?|inns|ovs|overs?|Overs|innings|Test|dec|not out|bowled|crease|declared)\b")
SCORE_RULES = (
    rule(r"(?<![\w.,])(?P<m>[1-9])m(?P<cm>\d\d)(?!\w)",
         lambda m: f"{spoken(m['m'])} {named('m', m['m'] != '1')} {label_digits(m['cm'])}"
         if MEASURED_AS.match(text_after(m, 12)) or TALL.search(text_before(m, 24)) else None),
    rule(r"(?:(?<=[a-zD] )|(?<=[a-zA-Z\d]\. )|(?<=[)] ))[x×] ?(?P<n>\d{1,3})(?P<unit>(?= (?:days?|weeks?|months?|wks?"
         r"|mos?|hrs?|hours?|nights?|years?|yrs?)\b)| ?(?:d|wks?|mos?|yrs?|hrs?)\b)", _for_so_long),
    rule(r"(?<=\d )= ?(?=[£$€]\d)|(?<=/hr )= ?(?=[£$€]\d)|(?<=/day )= ?(?=[£$€]\d)", "equals "),
    rule(r"(?<=\dft\. )x (?=\d)|(?<=\dft\.) ?x (?=\d)|(?<=\d ft\. )x (?=\d)|(?<=\d in\. )x (?=\d)", "by "),
    rule(r"(?<![\w.,-])(?<!ft )(?<!ft\. )(?P<n>\d{1,3}(?:\.\d{1,2})?)in(?= [a-z\d]|[,;)])",
         lambda m: f"{spoken(m['n'])} inch{'' if m['n'] == '1' or ONE_INCH.match(m.string, m.end()) else 'es'}"
         if not re.match(r" (?:a|an|the|my|this|his|her|our)\b", text_after(m, 6)) else None),
    rule(r"(?<=\ba )gal\.?(?=[ ,;)])", "gallon"),
    rule(r"(?<![\w.,*])(?P<n>\d{1,3})\*(?= \(|[,;.):]|\s*\Z)",
         lambda m: f"{spoken(m['n'])} not out" if mentions(CRICKET, m.string) else None),
    # Of doctors in Britain: days, weeks and months.
    rule(r"(?<![\w.,/])(?P<n>\d{1,2})/(?P<of>7|12|24|52)(?![\w/]|[.,]\d)",
         lambda m: f"{spoken(m['n'])} { {'7': 'day', '12': 'month', '24': 'hour', '52': 'week'}[m['of']]}"
         f"{'' if m['n'] == '1' else 's'}"
         if mentions(IN_NOTES, m.string) and (day_first(m.string) or IN_WEEKS.search(text_before(m, 8) + m["of"]))
         else None),
    rule(rf"(?<=\()(?P<party>[DRI])-(?P<state>{'|'.join(STATES)})(?=\))",
         lambda m: f"{PARTIES[m['party']]}, {STATES[m['state']]}"),
    rule(r"(?<=\b[Ss]core: )(?P<a>\d{1,3})/(?P<b>\d{1,3})(?![\w/])|(?<=\b[Ss]core of )(?P<c>\d{1,3})/(?P<d>\d{1,3})("
         r"?![\w/])"
         r"|(?<=\b[Rr]ating: )(?P<e>\d{1,3}(?:\.\d)?)/(?P<f>\d{1,3})(?![\w/])",
         lambda m: " out of ".join(spoken(part) for part in m.groups() if part)),
    rule(r"(?<![\w.,])(?P<a>\d) ?(?:B[RD]|b[rd])(?P<mark> ?[/,]? ?)(?P<b>\d(?:\.[05])?) ?(?:BA|ba)(?!\w)",
         lambda m: f"{spoken(m['a'])} bedroom, {spoken(m['b'])} bath"),
    rule(r"(?<![\w.,/])(?P<a>\d{1,3}(?:\.\d)?)/(?P<b>5|10|15|20|25|30|40|50|60|80|100)(?= (?:is|was|would be|isn['’]t"
         r"|wasn['’]t|counts as|means|to)(?: [a-z]+){0,3} (?:pass|fail|pass mark|mark|grade|score|result)\b"
         r"| (?:to|and still) pass\b)(?! (?:of|people)\b)",
         lambda m: f"{spoken(m['a'])} out of {spoken(m['b'])}" if float(m["a"]) <= int(m["b"]) else None),
    rule(r"(?<=\brated )(?P<a>\d{1,2}(?:\.\d)?)/(?P<b>5|10|20|100)(?![\w/])|(?<=\bscored )(?P<c>\d{1,3}(?:\.\d)?)"
         r"/(?P<d>\d{1,3})"
         r"(?![\w/])|(?<=\bgot )(?P<e>\d{1,3})/(?P<f>5|10|20|50|100)(?![\w/])|(?<![\w.,/])(?P<g>\d)/(?P<h>10)(?= "
             r"(?:would|stars|for)\b)",
         lambda m: " out of ".join(spoken(part) for part in m.groups() if part)),
    rule(r"(?<![\w.,/])(?P<a>\d{1,2}\.\d{1,2})/(?P<b>5|10|20|100)(?![\w/]|[.,]\d)",
         lambda m: f"{spoken(m['a'])} out of {spoken(m['b'])}"),
    rule(r"(?<![\w.,/])(?!50/|20/)(?P<a>\d{1,3})/(?P=a)(?![\w/])",
         lambda m: f"{spoken(m['a'])} out of {spoken(m['a'])}"),
)  # fmt: skip
