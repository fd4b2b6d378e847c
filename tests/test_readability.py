"""What strangers read first is plain English: the README and every help text, by Flesch's reading ease."""

import re

import pytest

from mlx_tts.cli.commands import COMMANDS
from tests.helpers.paths import ROOT
from tests.helpers.readability import flesch, prose
from tests.test_docs import docs_script  # noqa: F401 (a fixture)

PLAIN = 60.0
# Phrases that show that a text was not read by a stranger.
UNPLAIN = re.compile(
    r"(?<!there )\bis no [a-z]|\bare no [a-z]|\banew\b|\bwhoever\b|\bbeside\b|\bthat is no\b", re.IGNORECASE
)


def test_the_formula_knows_plain_from_difficult():
    assert flesch("The cat sat on the mat. It was warm there.") > 95
    assert flesch("Institutional considerations necessitate comprehensive organisational restructuring.") < 0


def test_the_readme():
    text = prose((ROOT / "README.md").read_text(encoding="utf-8"))
    assert flesch(text) >= PLAIN
    assert not UNPLAIN.search(text)


def help_text(page: str) -> str:
    """The sentences of a help page: what the command is for, and what each option does."""
    about = page.split("Usage:")[1].split("\n", 1)[1].split("Examples:")[0]
    entries = re.sub(
        r"^ {2}(?:-\w, )?--?[\w-]+(?: [A-Z\d][\w|./-]*| [a-z]\w*\|\S+)?(?: {2,}|\n {10,})", ". ", about, flags=re.M
    )
    return re.sub(r"\([^)]*\)|`[^`]*`|^\w[\w ]*:$|\[required\]|[\w.]*\.\w+,?", " it ", entries, flags=re.M)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_texts(name, docs_script):  # noqa: F811
    page = docs_script.help_of([name])
    assert flesch(help_text(page)) >= PLAIN
    assert not UNPLAIN.search(page), UNPLAIN.search(page)
