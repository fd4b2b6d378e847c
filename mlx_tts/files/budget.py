"""The budget of whatever comes from outside: how much is read, and how much work it may make. All limits stand here.

They lie far above what books, pages, lexicons and checkpoints have. The variable MLX_TTS_BUDGET multiplies all of them:
MLX_TTS_BUDGET=2 allows twice as much of everything. What is over a limit is refused with one line that says so.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from mlx_tts.errors import RequestError
from mlx_tts.shortened import shown

VARIABLE = "MLX_TTS_BUDGET"
LEAST_TIMES, MOST_TIMES = 0.001, 1000.0  # less is for tests of the limits themselves


def times() -> float:
    """How often the usual limits are allowed; RequestError where the variable holds no such number."""
    given = os.environ.get(VARIABLE, "").strip()
    try:
        factor = float(given or 1)
    except ValueError:
        factor = 0.0
    if not LEAST_TIMES <= factor <= MOST_TIMES:  # not a number compares false as well
        raise RequestError(
            f"{VARIABLE} is {shown(given, 20)}: give how often the limits are allowed, as 2; at most 1000"
        )
    return factor


@dataclass(frozen=True)
class Limit:
    """most: in `unit`. says: the middle of a refusal, with {} where the amount stands."""

    most: float
    unit: str
    says: str

    @property
    def allowed(self) -> int:
        return max(1, round(self.most * times()))

    def refusal(self, what: object = "") -> str:
        """One line: what is refused, at which limit, and how to raise it; without `what`, the end of one."""
        amount = self.allowed
        text = f"{amount / 1e6:,.0f} MB" if self.unit == "bytes" and amount >= 1e6 else f"{amount:,} {self.unit}"
        how = f"{VARIABLE}={2 * times():g} would allow twice as much"
        return (
            f"{what} {self.says.format(text)}: that is refused ({how})" if what else f"{self.says.format(text)} ({how})"
        )

    def check(self, amount: float, what: object) -> None:
        """RequestError where `what` has more."""
        if amount > self.allowed:
            raise RequestError(self.refusal(what))

    def check_value(self, amount: float) -> None:
        """The same for what has no name here: a ValueError with the end of the line."""
        if amount > self.allowed:
            raise ValueError(self.refusal())


# Files of text, and what is unpacked of archives.
SMALL_FILE_BYTES = 4_000_000  # unless a caller says otherwise: configs, manifests and settings have kilobytes
TEXT_BYTES = Limit(100_000_000, "bytes", "is larger than {}")
PDF_BYTES = Limit(200_000_000, "bytes", "is larger than {}")
PAGE_BYTES = Limit(20_000_000, "bytes", "holds more than {} in one page")
XML_BYTES = Limit(20_000_000, "bytes", "holds more than {} in one part")  # thousands of times what books have
COVER_BYTES = Limit(20_000_000, "bytes", "has a cover of more than {}")
UNPACKED_BYTES = Limit(200_000_000, "bytes", "holds more than {} of text")
# Deflate grows by 1,032 at most, and a page of one repeated verse by several hundred: only the other methods grow more.
RATIO = Limit(1100, "times their size", "has parts that are packed to grow by more than {}")
MEMBERS = Limit(50_000, "parts", "has more than {}")

# What is built of them.
ELEMENTS = Limit(2_000_000, "elements", "has more than {}")  # of a whole document; the longest books have 200,000
XML_ELEMENTS = Limit(1_000_000, "elements", "has a part with more than {}")
DEPTH = Limit(1000, "elements", "is nested deeper than {}")
ATTRIBUTES = Limit(1000, "attributes", "has a tag with more than {}")  # parsers compare each with all others
EMPTY_CELLS = Limit(20_000, "empty cells", "has tables with more than {} that are not written")
REREAD = Limit(10, "times", "has paragraphs within paragraphs, so that its text would be read more than {}")
BOOK_ENTRIES = Limit(20_000, "entries", "has a list of parts with more than {}")
PDF_PAGES = Limit(20_000, "pages", "has more than {}")
# Dropped on the page; no novel is longer.
DROPPED_CHARACTERS = Limit(10_000_000, "characters", "has more than {} of text")
DROPPED_CHAPTERS = Limit(10_000, "chapters", "has more than {}")
SSML_CHARACTERS = Limit(5_000_000, "characters", "has more than {}")
SSML_DEPTH = Limit(100, "elements", "is nested deeper than {}")
SSML_ELEMENTS = Limit(400_000, "elements", "has more than {}")
JSON_DEPTH = Limit(
    64, "levels", "is nested too deeply, in more than {}"
)  # of objects and lists; those in use have fewer than ten
YAML_BYTES = Limit(1_000_000, "bytes", "has more than {}")
YAML_NODES = Limit(20_000, "values", "has more than {}")  # aliases expanded; those in use have some hundreds
YAML_DEPTH = Limit(64, "levels", "is nested deeper than {}")
YAML_PLAIN_CHARACTERS = Limit(
    4000, "characters", "has a value without quotes of more than {}"
)  # long numbers: quadratic
NEMO_MEMBERS = Limit(1000, "members", "has more than {}")
NEMO_RATIO = Limit(20, "times its size", "grows to more than {}")  # weights hardly shrink, so what grows more is a bomb
DICTIONARY_BYTES = Limit(64_000_000, "bytes", "has a dictionary of more than {}")
LEXICON_BYTES = 10_000_000
LEXICON_ENTRIES = Limit(100_000, "entries", "has more than {}")
LEXICON_PATTERNS = Limit(2_000, "regular expressions", "has more than {}")
LEXICON_SAYS = Limit(1_000, "characters", "says more than {}")  # it may be said for each word of a text

# What may be computed. Markdown that is shorter and has fewer signs of HTML is parsed without a process of its own: no
# parser takes long for so little.
HERE_CHARACTERS, HERE_TAGS = 30_000, 300
PARSER_SECONDS = Limit(30, "s", "takes more than {} of the processor to read")
PDF_SECONDS = Limit(120, "s", "takes more than {} of the processor to read")
PARSER_BYTES = Limit(1_000_000_000, "bytes", "takes more than {} of memory to read")
WALL_TIMES = 4  # times as long by the clock: the machine may be busy
# All regular expressions of a lexicon, and for each character of the passage so much more. The engine looks at its
# clock only now and then, so a refusal may come later than that.
PATTERN_MS = Limit(500, "ms", "takes more than {} for a passage")
PATTERN_MS_PER_CHARACTER = 0.05

# What is fetched.
FETCHED_BYTES = Limit(20_000_000, "bytes", "sends more than {}")
FETCH_SECONDS = Limit(30, "s", "took longer than {}")

# What a language model answers to `cast --labels-from`, for each passage. A large one on a processor takes minutes.
LABEL_BYTES = Limit(1_000_000, "bytes", "answers more than {}")
LABEL_SECONDS = Limit(300, "s", "took longer than {} for a passage")
