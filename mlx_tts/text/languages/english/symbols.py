"""Signs that are left when numbers and addresses are words -> what is said for them, or nothing."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.rules import one_of, rule

PAIRS = {
    "and/or": "and or", "he/she": "he or she", "she/he": "she or he", "his/her": "his or her", "him/her": "him or her",
    "her/him": "her or him", "s/he": "he or she", "they/them": "they them", "yes/no": "yes or no",
    "either/or": "either or",
    "on/off": "on off", "his/hers": "his or hers", "true/false": "true or false", "I/O": "I O",
    "read/write": "read write",
    "him/herself": "him or herself", "he/him": "he him", "she/her": "she her", "am/pm": "a m p m",
}  # fmt: skip
NAMES = {"§": " section ", "¶": " paragraph ", "©": " copyright ", "№": " number ", "°": " degrees ", "%": " percent ",
         "→": " to ", "⇒": " so ", "←": " from ", "€": " euros ", "£": " pounds ", "¥": " yen ", "✓": " yes ",
         "≈": " about ", "≤": " at most ", "≥": " at least ", "≠": " is not ", "±": " plus or minus ", "×": " times ",
         "÷": " divided by ", "√": " root of ", "∑": " sum of ", "∫": " integral of ", "∂": " partial "}  # fmt: skip

RULES = (
    rule(rf"(?<![\w/])(?:{one_of(PAIRS)})(?![\w/])", lambda m: PAIRS.get(m[0]) or PAIRS[m[0].lower()], re.IGNORECASE),
    rule(r"(?<=\w) ?& ?(?=[A-Za-z]{2}|\d)|(?<=[a-z]{2}) ?& ?(?=\w)", " and "),
    rule(r"(?<= )&(?= )", "and"),
    rule(r"(?<=[A-Za-z])/(?=[A-Za-z])", " "),
    rule(r"(?<![\w#])#(?=\w)", "number "),
    rule(r"(?<=\w)@(?=\w)|(?<= )@(?= )", " at "),
    rule(r"(?<=[A-Za-z\d]) ?\+ ?(?=[A-Za-z\d])", " plus "),
    rule(r"(?<=\w) ?(?:==|=|:=) ?(?=[\w\"'])", " equals "),
    rule(r"[®™†‡•·¦]+", " "),
    rule(r"[§¶©№°%→⇒←€£¥✓≈≤≥≠±×÷√∑∫∂]", lambda m: NAMES[m[0]]),
    rule(r"(?<=\w) ?[|¦] ?(?=\w)", ", "),
    rule(r"[|\\^~`_{}]+", " "),
    rule(r"(?<=\w)[<>](?=\w)|(?<= )[<>](?= )", " "),
)  # fmt: skip
