"""Short forms of sales, libraries, menus and clinics ("exc. cond.", "50¢-$2", "Settings > General", "28w3d")."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.american import CHAT, HOURS
from mlx_tts.text.languages.english.british import CHARTED
from mlx_tts.text.languages.english.clinic import NOTES
from mlx_tts.text.languages.english.dates import DAYS, MONTHS, SHORT_MONTH, date_of_pair
from mlx_tts.text.languages.english.market_and_court import TRADED
from mlx_tts.text.languages.english.money import amount
from mlx_tts.text.languages.english.numbers import NUMBER, cardinal, digits, label_digits, ordinal, spoken, year
from mlx_tts.text.languages.english.tells import tells_of
from mlx_tts.text.languages.english.terms import STUDIED
from mlx_tts.text.languages.english.words import keeps_dot
from mlx_tts.text.normalise.engine import mentions, one_of, rule, text_after, text_before

SOLD = re.compile(r"[£$€¢]\d|\d¢|\b(?:[Ss]ale|OBO|obo|[Ww]anted|[Bb]argain|[Ff]or sale)\b")
THINGS = {
    "tbl": "table", "tbls": "tables", "chrs": "chairs", "bks": "books", "bk": "book", "exc": "excellent",
    "refrig": "refrigerator", "x-st": "cross street", "gd": "good", "vg": "very good", "perf": "perfect",
    "hsehld": "household", "hshld": "household",
}  # fmt: skip
SOMERSET = {"Som": "Somerset", "Dev": "Devon", "Corn": "Cornwall", "Dor": "Dorset", "Suff": "Suffolk",
            "Norf": "Norfolk", "Cumb": "Cumbria", "Durh": "Durham", "Shrops": "Shropshire", "Rut": "Rutland",
            "Ess": "Essex"}  # fmt: skip
POSTCODE = r"[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b"
HEATED = re.compile(r"(?i)\b(?:temperatures?|heat\w*|hot|cold|cool\w*|warm\w*|freez\w*|boil\w*|shield|oven|weather"
                    r"|degrees|melts?"
                    r"|melting|furnace|thermal|sunny|forecast|highs?|lows?)\b")  # fmt: skip
MENUS = (
    r"(?:Settings|General|Preferences|Options|Tools|File|Edit|View|Help|System|Privacy|Security|Network|Display|Account"
    r"|Profile|Advanced|Home|Menu|Format|Insert|Window|Apps|Accessibility|Control Panel|Bluetooth|Wi-Fi|Battery|Storage"
    r"|About|Data)"
)
# Of towns at the beginning of news: the first word of a name of two.
DATELINES = (
    "NEW|LOS|SAN|SANTA|FORT|MEXICO|TEL|KUALA|HONG|BUENOS|RIO|SAO|LAS|CAPE|ABU|ADDIS|PORT|SALT|KANSAS|OKLAHOMA|SRI"
)
UPPER_MONTHS = {month[:3].upper(): month for month in MONTHS} | {"SEPT": "September"}
WEEKS = {"hr": "hour", "h": "hour", "min": "minute", "day": "day", "d": "day"}
LIBRARY = re.compile(
    r"\b(?:[Ll]ibrary|club|Teen|[Ss]tory|ages?|grades?|kids|[Cc]lass(?:es)?|[Yy]oga|[Ss]chool|camp"
    r"|students)\b"
)


def _charted(match: re.Match[str]) -> bool:
    return mentions(CHARTED, match.string) or mentions(NOTES, match.string)


def _thing(match: re.Match[str]) -> str | None:
    if not mentions(SOLD, match.string):
        return None
    said = THINGS[match["word"].lower()]
    return said.capitalize() if match["word"][0].isupper() else said


def _clock(hour: str, minute: str) -> str:
    minutes = "o'clock" if minute == "00" else f"{'oh ' if minute[0] == '0' else ''}{cardinal(int(minute))}"
    return f"{cardinal(int(hour))} {minutes}"


def _upper_month(match: re.Match[str]) -> str | None:
    day = int(match["day"])
    if not 0 < day < 32:
        return None
    last = f" to {ordinal(int(match['last']))}" if match["last"] else ""
    tail = f", {year(int(match['year']))}" if match["year"] else ""
    return f"{UPPER_MONTHS[match['month']]} {ordinal(day)}{last}{tail}"


DOSES = {"g": "gram", "mg": "milligram", "mcg": "microgram", "µg": "microgram", "ng": "nanogram", "unit": "unit",
         "units": "units", "mL": "milliliter", "ml": "milliliter", "mEq": "milliequivalent", "mmol": "millimole",
         "L": "liter"}  # fmt: skip
PARTIES = {"D": "Democrat", "R": "Republican", "I": "Independent"}
FAR_STATES = {"Me": "Maine", "W.Va": "West Virginia", "N.Y": "New York", "N.J": "New Jersey", "N.H": "New Hampshire",
              "N.M": "New Mexico", "N.C": "North Carolina", "N.D": "North Dakota", "S.C": "South Carolina",
              "S.D": "South Dakota", "R.I": "Rhode Island"}  # fmt: skip
TOURS = re.compile(
    r"(?i)\b(?:pp|hotel|inn|flights?|dep\.|atol|abta|board|sharing|nts?|nights|resort|villa|b&b"
    r"|apartment|twin)\b"
)
RIDES = re.compile(r"\b(?:[Tt]rain|bus|ferry|coach|flight|catch|station|platform|boat|plane)\b")
GUESTS = {"ad": ("adult", "adults"), "ch": ("child", "children"), "pa": ("passenger", "passengers"),
          "in": ("infant", "infants")}  # fmt: skip
SALE_RULES = (
    rule(r"(?:(?<=\bpre-)|(?<=\bpost-)|(?<=\bafter-)|(?<=\bup-)|(?<=\bmid-))mkt(?!\w)", "market"),
    rule(r"(?<![\w.-])yr(?=-end(?:ed)?\b|-round\b|-old\b|-long\b|-on-yr\b)", "year"),
    rule(r"(?<![\w.,$£€-])(?P<n>7[0-8]7|A?3[1-8]0)(?= (?:output|MAX|Max|Dreamliner|jets?|planes?|aircraft|fleet"
         r"|production|deliver\w+"
         r"|orders?|pilots?|programme|program|captain|freighter)\b)|(?<=oeing )(?P<m>7[0-8]7)(?!\w|[.,]\d)",
         lambda m: label_digits(m["n"] or m["m"])),
    rule(rf"(?:(?<=, )|(?<=\n))(?P<county>{one_of(SOMERSET)})\.(?=,? {POSTCODE}|\s*\Z"
         rf"|,)", lambda m: SOMERSET[m["county"]]),
    rule(rf"(?<![\w.,])(?P<about>~?)(?P<sign>[-−–])?(?P<n>{NUMBER})C(?=[ ,;.)]"
         rf"|\s*\Z)(?! (?:{'|'.join(('church', 'pub'))})\b)",
         lambda m: ("about " if m["about"] else "") + ("minus " if m["sign"] else "")
         + f"{spoken(m['n'])} degree{'' if m['n'] == '1' else 's'} Celsius"
         if mentions(HEATED, m.string) else None),
    rule(r"(?:(?<=\) )|(?<=, )|(?<=\d ))b4(?= (?:we|i|I|you|u|he|she|they|it|the|my|your|lunch|work|bed"
         r"|\d)\b)", "before"),
    rule(r"(?<![\w.])(?P<c>[Cc])ols?\.? (?=[A-Z](?:[ ,;).–-]|\s*\Z)(?![A-Z]?\. [A-Z][a-z])|\d{1,2}(?!\w))",
         lambda m: f"{m['c']}olumn{'s' if 's' in m[0] else ''} "
         if re.search(r"\b(?:rows?|spreadsheet|sheet|table|cells?|column|Excel)\b", m.string) else None),
    rule(r"(?:(?<=\b[Aa] )|(?<=\b[Tt]he )|(?<=\b[Mm]y )|(?<=\bhis )|(?<=\bher )|(?<=\bour ))dr(?=['’]s (?:appt"
         r"|appointment"
         r"|office|note|surgery|visit)|\.?['’]s\b)", "doctor"),
    rule(rf"(?:\A|(?<=\n))(?P<city>(?:{DATELINES})(?: [A-Z]{{3,}}){{1,2}})(?=,? (?:[—–-] |\(|[A-Z][a-z]+\.? ))",
         lambda m: m["city"].title()),
    # Charts.
    rule(r"(?<![\w.,/])(?P<w>[4-9]|[1-3]\d|4[0-3])w(?P<d>[0-6])d(?!\w)",
         lambda m: f"{spoken(m['w'])} weeks"
         + (f" {spoken(m['d'])} day{'' if m['d'] == '1' else 's'}" if m["d"] != "0" else "")),
    rule(r"(?<![\w.,/-])(?P<n>\d{1,3}) ?d(?= (?:hx|history|h/o|course|trial|supply)\b)",
         lambda m: f"{spoken(m['n'])} day" if _charted(m) else None),
    rule(rf"(?<![\w.,/])(?P<n>{NUMBER}) ?(?P<u>g|mg|mcg|µg|ng|units?|mL|ml|mEq|mmol|L)/(?P<per>hr|h|min|day"
         rf"|d)(?![\w/])",
         lambda m: f"{spoken(m['n'])} {DOSES[m['u']]}{'' if m['n'] == '1' or m['u'] == 'units' else 's'}"
         f" per {WEEKS[m['per']]}"),
    rule(rf"(?<![\w.,/£$€-])(?P<a>[1-9]|[12]\d|3[01])(?P<mid> ?& ?)(?=(?P<b>[1-9]|[12]\d|3[01]) "
         rf"(?:{'|'.join(MONTHS)}|{SHORT_MONTH})\b)",
         lambda m: f"the {ordinal(int(m['a']))} and " if int(m["a"]) < int(m["b"]) else None),
    # Courts and books.
    rule(r"(?<=\b[Tt]he )std(?= (?:basis|rate|terms|form|error|dev|deviation|version|room|size)\b)", "standard"),
    rule(r"(?<=\bon )a/c(?= of\b)", "account"),
    rule(r"(?<=['’]s )#s(?!\w)|(?<=\bthe )#s(?!\w)|(?<=\btheir )#s(?!\w)|(?<=\byour )#s(?!\w)"
         r"|(?<=\bthose )#s(?!\w)", "numbers"),
    rule(r"(?<=\()c\. ?(?P<a>10\d\d) ?[–-] ?(?P<b>\d{2,4})(?=\))",
         lambda m: f"circa {year(int(m['a']))} to {cardinal(int(m['b'])) if len(m['b']) == 2 else year(int(m['b']))}"),
    rule(r"(?<=\d\+ )mi\.(?= [a-z])", "miles"),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER})\+ ?mi\.(?= [a-z])", lambda m: f"{spoken(m['n'])} plus miles"),
    # Journeys.
    rule(r"(?<![\w.,])(?P<n>\d{1,2}) ?nts?(?= [A-Z][a-z])",
         lambda m: f"{spoken(m['n'])} night{'' if m['n'] == '1' else 's'}"),
    rule(r"(?<![\w/])(?P<what>r/o|s/c|f/b|h/b)(?![\w/])",
         lambda m: {"r/o": "room only", "s/c": "self-catering", "f/b": "full board", "h/b": "half board"}[m["what"]]
         if mentions(TOURS, m.string) else None),
    rule(r"(?<![\w.,])(?P<n>\d) ?(?P<what>ads?|chn?|chd|adlts?|pax|inf)\b\.?(?= ?(?:[+&,;)]|and\b|sharing|plus\b"
         r"|under\b|\Z))",
         lambda m: f"{spoken(m['n'])} {GUESTS[m['what'][:2]][m['n'] != '1']}" if mentions(TOURS, m.string) else None),
    rule(r"(?<![\w.])[Dd]ep\.?(?= [A-Z][a-z]+ (?:\d{1,2}\b|on |every |daily))",
         lambda m: "Departing" if m[0][0] == "D" else "departing"),
    rule(r"(?<![\w.])(?P<n>[1-7]) ?[★⭐](?= [A-Z][a-z]+| (?:hotel|resort|villa|B&B|inn"
         r"|luxury))", lambda m: f"{spoken(m['n'])} star"),
    rule(r"(?:(?<=\d )|(?<=each )|(?<=pp )|(?<=\d\d ))inc(?= (?:tip|VAT|tax|p&p|P&P|postage|delivery|service|drinks"
         r"|breakfast"
         r"|flights|fees|bills|wine|GST|everything)\b)", "including"),
    rule(r"(?P<sort>(?<![\w-])\d\d-\d\d-\d\d),? (?P<n>\d{8})(?![\w-])",
         lambda m: f"{', '.join(digits(part) for part in m['sort'].split('-'))}, {digits(m['n'])}"),
    rule(r"(?P<first>\bthe )(?P<h>1\d|2[0-3]|[1-9])\.(?P<m>[0-5]\d)(?P<mid>,? (?:or|and|to|rather than"
         r"|instead of) (?:the )?)"
         r"(?P<h2>1\d|2[0-3]|[1-9])\.(?P<m2>[0-5]\d)(?![\w%]|[.,]\d| ?(?:million|billion|per|km|m|kg|%)\b)",
         lambda m: f"{m['first']}{_clock(m['h'], m['m'])}{m['mid']}{_clock(m['h2'], m['m2'])}"
         if not mentions(TRADED, m.string) and (mentions(CHAT, m.string) or mentions(RIDES, m.string)) else None),
    rule(r"(?<![\w.])(?P<what>Sens|Reps|Govs)\.(?= [A-Z][a-z])",
         lambda m: {"Sens": "Senators", "Reps": "Representatives", "Govs": "Governors"}[m["what"]]),
    rule(rf"(?<=\()(?P<party>[DRI])-(?P<state>{one_of(FAR_STATES)})\.(?=\))",
         lambda m: f"{PARTIES[m['party']]}, {FAR_STATES[m['state']]}"),
    rule(r"(?<![\w.])agg\.?(?= \d{1,2}[-–]\d)", "aggregate"),
    rule(r"(?<=% of )pts(?=[ ,;.)]|\s*\Z)", lambda m: "patients" if mentions(STUDIED, m.string) else None),
    rule(r"(?:(?<=given )|(?<=tered )|(?<=dose )|(?<=mg )|(?<=dose, ))s\.c\.(?= )", "subcutaneously"),
    rule(r"(?P<what>\bID:? )(?P<n>\d{3} \d{3,4} \d{4})(?P<hash>#?)(?!\w|[.,]\d)",
         lambda m: m["what"] + ", ".join(digits(part) for part in m["n"].split()) + (", hash" if m["hash"] else "")),
    rule(r"(?:(?<=FY\d\d )|(?<=[a-z]{3}ed ))accts(?=[;,.]| (?:for|to|are|show)\b|\s*\Z)", "accounts"),
    rule(r"(?<![\w.])s\. ?(?=\d{1,3}[A-Z]?\(\d)", "section "),
    rule(r"(?<![\w.,])(?P<n>[2-9])x (?=(?!(?:faster|slower|more|less|as|the|better|daily|weekly|per|a|longer|higher)\b)"
         r"(?:[a-z]{3,} )?[a-z]{3,}s\b)", lambda m: f"{spoken(m['n'])} " if mentions(SOLD, m.string) else None),
    # Menus of programs: no comparison.
    rule(rf"(?<=[A-Za-z]) > ?(?={MENUS}\b)|(?:(?<=Settings)|(?<=General)|(?<=Preferences)|(?<=Options)"
         rf"|(?<=Tools)|(?<=File)"
         r"|(?<=Privacy)|(?<=Menu)|(?<=System)) > ?(?=[A-Z])", " then "),
    rule(r"(?P<what>CVE-\d{4}-\d{4,6},? (?:&|and) )-(?P<n>\d{4,6})(?!\w)",
         lambda m: "C V E "
         + ", ".join(digits(p) if len(p) > 4 else label_digits(p) for p in re.findall(r"\d+", m["what"]))
         + f" and {digits(m['n'])}"),
    # Libraries and clubs.
    rule(rf"\b(?P<month>{one_of(UPPER_MONTHS)})\.? (?P<day>\d{{1,2}})(?:[–-](?P<last>\d{{1,2}}))?"
         rf"(?:, (?P<year>20\d\d|19\d\d))?"
         r"(?![\w/-]|[.,]\d)", lambda m: _upper_month(m) if m["month"] not in ("MAR", "DEC", "JAN", "MAY")
         or re.search(r"DAY,? |\b(?:MON|TUE|WED|THU|FRI|SAT|SUN)\w{0,3}\.?,? ", text_before(m, 12))
         else None),
    rule(r"(?<![\w.])(?P<day>MON|TUES?|WEDS?|THU(?:RS)?|FRI|SAT|SUN)\.?,? (?P<a>1[0-2]|[1-9])/(?P<b>3[01]"
         r"|[12]?\d)(?![\w/]|[.,]\d)",
         lambda m: f"{DAYS[m['day'][:3].capitalize()]}, {date_of_pair(m, int(m['a']), int(m['b']))}"
         if date_of_pair(m, int(m["a"]), int(m["b"])) else None),
    rule(r"(?:\A|(?<=[.;] )|(?<=\n))(?P<day>MON|TUES?|WEDS?|THU(?:RS)?|FRI|SAT|SUN)\.?(?=: ?(?:\d|[A-Z][a-z]))",
         lambda m: DAYS[m["day"][:3].capitalize()] if mentions(HOURS, m.string) else None),
    rule(r"(?<![\w.])(?P<r>[Rr])m\.? (?=[A-H](?!\w))", r"\g<r>oom "),
    rule(r"(?<![\w.])Bk\.?(?= (?:club|group|sale|talk|signing|launch|fair|discussion)\b)", "Book"),
    rule(r"(?<![\w'’])(?P<d>[Dd])ev['’]t(?!\w)", r"\g<d>evelopment"),
    rule(r"(?<![\w.])[Gg]rs?\. ?(?P<a>K|\d{1,2})(?:[–-](?P<b>\d{1,2}))?(?![\w-]|[.,]\d)",
         lambda m: ("Grade" if m[0][0] == "G" else "grade") + ("s" if m["b"] else "")
         + f" {m['a'] if m['a'] == 'K' else spoken(m['a'])}" + (f" to {spoken(m['b'])}" if m["b"] else "")
         if mentions(LIBRARY, m.string) else None),
    rule(r"(?<=[a-z]{3} )101(?=[ ,;:.!?”\"’')]|\s*\Z)(?! [a-z]+s\b)",
         lambda m: "one oh one" if re.search(r"[\"“'‘][^\"”]{2,40}\Z|\b(?:[Cc]ourse|[Cc]lass) (?:\w+ )?\Z|(?:English"
         r"|Math|Psych\w*"
                                             r"|Econ\w*|Bio\w*|Chem\w*|Marketing|Physics|History|Philosophy"
                                             r"|Parenting) \Z",
                                             text_before(m, 44)) else None),
    # Sales.
    rule(r"(?<![\w.])(?P<word>[Ee]xc|[Gg]d|[Vv]g|[Pp]erf)\.? (?P<dot>cond\b\.?)",
         lambda m: keeps_dot(f"{THINGS[m['word'].lower()]} condition", m)
         if m[0].endswith(".") and text_after(m, 1) not in ",;"
         else f"{THINGS[m['word'].lower()]} condition"),
    rule(r"(?<![\w.@/-])(?P<word>[Tt]bls?|[Bb]ks|x-st|[Rr]efrig|[Hh]se?hld)\.(?=[,;)]| [a-zA-Z])"
         r"|(?<=\d )(?P<word2>)chrs(?=[,;.)])",
         lambda m: _thing(m) if m["word"] else "chairs"),
    rule(r"(?<![\w.,])(?P<a>\d{1,2}) ?¢ ?[–-] ?(?P<sign>\$)(?P<b>\d{1,4}(?:\.\d\d)?)(?![\w]|[.,]\d)",
         lambda m: f"{spoken(m['a'])} cents to {amount('$', m['b'], None)}"),
)  # fmt: skip
TELLS = tells_of(
    rf"^(?:{DATELINES}) [A-Z]|-mkt\b|\byr-|\b(?:7\d7|A?3\d0) |oeing 7"
    rf"|\b(?:{one_of(SOMERSET)})\.|\dC\b|[,)\d] b4 |\b[Cc]ols?\b"
    rf"|\bdr['’.]|\d{{1,2}}w\dd"
    r"|\d ?d (?:hx|h|c|t|s)|\d ?[a-zA-Zµ]{1,5}/(?:hr|h|min|day|d)\b|\bstd |\ba/c of|#s\b|\(c\. ?10|\+ ?mi\."
    r"|\d ?nts? |\b[rsfh]/[ocb]\b"
    r"|\d ?(?:ads?|chn?|chd|adlts?|pax|inf)\b|\b[Dd]ep\.? [A-Z]|[★⭐]|\binc [a-zA-Z]|\d\d-\d\d-\d\d,? \d{8}"
    r"|\bthe \d{1,2}\.\d\d| > ?[A-Z]|CVE-"
    rf"|\b(?:{one_of(UPPER_MONTHS)})\.? \d|\b(?:MON|TUE|WED|THU|FRI|SAT|SUN)|\b[Rr]m\.? [A-H]\b|\bBk\.?|[Dd]ev['’]t"
    rf"|\b[Gg]rs?\. ?[K\d]|\b101\b"
    r"|\bcond\b|\b[Tt]bls?\.|\b[Bb]ks\.|x-st|[Rr]efrig\.|hld\.|chrs|¢ ?[–-]|\d ?& ?\d"
    r"|\b(?:Sens|Reps|Govs)\.|\([DRI]-[A-Z]|\bagg\b|\bpts\b|\bs\.c\.|\bID:? \d|\baccts\b|\bs\. ?\d|\dx [a-z]"
)
