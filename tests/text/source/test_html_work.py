"""What a page would cost its parser is told before it is parsed: attributes are counted as the parser reads them."""

import time

import pytest

from mlx_tts.errors import RequestError
from mlx_tts.text.source.html_document import html_document, most_attributes

pytestmark = pytest.mark.timed


@pytest.mark.parametrize(
    ("markup", "most"),
    [
        ("<p a b=c d=\"e\" f='g'>", 4),
        ('<p a=">" b c>', 3),
        ("<p a='\">' b c>", 3),
        ("<p a><b c d>", 2),
        ("<p/a/b>", 2),
        ("<p =a b>", 2),
        ('<p a="never closed b c', 1),
        ("a < b c d e f", 0),
        ("<!-- <p a b c> --><p a>", 1),
        ("<!--><p a b c>", 3),
        ("<!-- --!><p a b c>", 3),
        ("<!-- <p a b c>", 0),
        ("<script>for (i=0;i<n a b c d;)</script><p a>", 1),
        ("<svg><style><p a b c></style></svg>", 3),
    ],
)
def test_attributes_are_counted_as_the_parser_reads_them(markup, most):
    assert most_attributes(markup, 1000) == most


@pytest.mark.parametrize("hidden", ['<p a=">" ', "<p a='>' ", "<!--><p ", "<svg><style><p "])
def test_no_sign_hides_attributes(hidden):
    """The parser compares each attribute with all others: 60,000 take six seconds, twice as many 24."""
    page = hidden + " ".join(f"a{number}" for number in range(60_000)) + ">a"
    begin = time.process_time()
    with pytest.raises(RequestError, match="has a tag with more than 1,000 attributes"):
        html_document(page)
    assert time.process_time() - begin < 1
