"""Words in capitals -> small letters where they shout, letters apart where they are initials that no model reads."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.rules import rule, words_of

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
WORD = re.compile(r"(?<![\w&.])[A-Z][A-Z’']{1,40}(?![\w&]|\.\w)")
VOWEL = re.compile("[AEIOUY]")


def _shouts(text: str) -> bool:
    """Whether a whole sentence stands in capitals: several words do, no word in small letters stands beside them."""
    words = re.findall(r"[A-Za-z][A-Za-z’']*", text)
    capitals = [word for word in words if len(word) > 1 and word.isupper()]
    known = sum(word in SHOUTED or len(word) > 5 for word in capitals)
    small = sum(any(c.islower() for c in word) for word in words)
    return len(capitals) > 1 and known > 0 and small * 4 <= len(capitals)


def quiet(text: str) -> str:
    """A sentence or words in it that shout -> the same in small letters."""
    if not _shouts(text):
        return WORD.sub(_one_word, text)
    said = re.sub(r"[A-Z][A-Z’']+", lambda m: m[0] if m[0] in INITIALS and m[0] not in SHOUTED else m[0].lower(), text)
    said = re.sub(r"(?<![\w.])A(?= [a-z])", "a", said)
    # The first letter of each sentence; with "A" and "I" as they are.
    return re.sub(r"(?:\A|(?<=[.!?] ))([\"'“‘(]*)([a-z])", lambda m: m[1] + m[2].upper(), said)


def _one_word(match: re.Match[str]) -> str:
    word = match[0]
    plain = word.replace("'", "").replace("’", "")
    if plain in INITIALS and plain not in ("WHO", "IT", "AM", "US"):
        return word
    if (plain in SHOUTED and len(plain) > 2) or (len(plain) > 5 and VOWEL.search(plain)):
        begins = not match.string[: match.start()].rstrip(" \"'“‘(") or match.string[match.start() - 2] in ".!?"
        return word.capitalize() if begins else word.lower()
    if len(plain) > 1 and not VOWEL.search(plain) and plain == word:
        return " ".join(word)
    return word


RULES = (rule(r"\A[\s\S]+\Z", lambda match: quiet(match[0])),)
