"""The time to read a text grows as its length: each pattern to 16 kB in every language, to 64 kB in some of them."""

import gc
import math
import time

import pytest

from mlx_tts.text.normalise.normaliser import normalise
from tests.text.normalise import LANGUAGES

pytestmark = pytest.mark.timed

LENGTHS = (1000, 2000, 4000, 8000, 16_000, 32_000, 64_000)
STEEPEST = 1.2  # of the line through the points, in logarithms: 1 is linear, 2 quadratic
PATTERNS = (
    "1", "1 ", "1,", "1.", "1-", "1/", "1:", "1a", "a1-", "1/2 ", "1 000 ", "$1", "€1", "1€", "+1 ", "(1", "½ ",
        "1 x ", "a@", "a.b@", "@a", "#a",
    "http://a/", "/a", "www.", "A.", "AB ", "IV ", "Dr. ", "St. ", "100 Main ", "5 m ", "1er ", "1º ", "12:30-",
        "May 1 ", "1. A", "tel. 1 ", "won 1-",
    "第1", "1年", "1〜", "3번째 ", "½", "x²", "x = ", "<a ", "é", "😀", "12 V/4 ", "part. A 6.25, ",
)  # fmt: skip


def seconds(text: str, language: str) -> float:
    """Of the processor. The garbage collector waits: it looks at all that the tests before have left."""
    gc.disable()
    try:
        start = time.process_time()
        normalise(text, language)
        return time.process_time() - start
    finally:
        gc.enable()


def steepness(least: dict[int, float]) -> float:
    """Length -> seconds. Half a millisecond is added to all: below it nothing can be told."""
    points = [(math.log(length), math.log(seconds + 0.0005)) for length, seconds in least.items()]
    x = sum(point[0] for point in points) / len(points)
    y = sum(point[1] for point in points) / len(points)
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def check(pattern: str, language: str, lengths: tuple[int, ...]) -> None:
    """Only what looks steep is measured again: all lengths in turn, so that a busy moment meets them all; the least
    of all rounds counts."""
    least = dict.fromkeys(lengths, float("inf"))
    slope = float("inf")
    for _ in range(16):
        for length in lengths:
            least[length] = min(least[length], seconds((pattern * length)[:length], language))
        slope = steepness(least)
        if slope <= STEEPEST:
            return
    pytest.fail(f"{pattern!r} in {language}: {slope:.2f}")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["english", "german", "korean"])
def test_time_is_linear(language):
    for pattern in PATTERNS[::4]:
        check(pattern, language, (LENGTHS[0], LENGTHS[3]))


@pytest.mark.long
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_time_is_linear_to_16_or_64_kilobytes(language, pattern):
    """Most rules are shared, so each pattern has its 64 kB in three or four of the ten languages."""
    longest = (LANGUAGES.index(language) + PATTERNS.index(pattern)) % 3 == 0
    check(pattern, language, LENGTHS[4::2] if longest else LENGTHS[2:5:2])


@pytest.mark.slow
def test_a_text_of_numbers_does_not_end_the_process():
    for language in LANGUAGES:
        assert normalise("1" * 20_000, language)
