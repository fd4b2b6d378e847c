"""A short book with its cast, as `mlx-tts cast` writes it, and the mistakes that people make in one."""

from pathlib import Path

from mlx_tts.cli import run

BOOK = """# One

It rained. “Go,” said Mrs. Fox.

“No,” said Mr. Fox.

Somebody knocked at the door, a long while after, when the rain had stopped and both of them were asleep at the table.

“Who?”

# Two

“Me,” said Mrs. Fox.
"""
SHORT = "# One\n\n“Go on,” said Ann.\n\n# Two\n\n“No,” said Tom.\n"  # to be spoken
SHORTEST = "“Go on,” said Ann.\n\n“No,” said Tom.\n"
TOLD = "spoken: Mrs. Fox by ivy, Mr. Fox by rowan; the narrator keeps 1 quotation that has no speaker"
# What stands in the cast, what is written in its place, and what is said of it behind the name of the cast.
MISTAKES = [
    ('voice = "rowan"', 'voice = "nobody"', ": the voice of Mr. Fox: unknown voice 'nobody'"),
    ('voice = "miles"', 'voice = "nobody"', ": the voice of the narrator: unknown voice 'nobody'"),
    ("start = 38", "start = 20", ": entry 2 of lines (chapter 1, 20 to 43) lies over entry 1: take one of them out"),
    ("start = 5, end = 10", "start = 5, end = 99", ": entry 4 of lines (chapter 2, 5 to 99) is outside of the text"),
    ('sha256 = "', 'sha256 = "0', " was made for another text"),
    ('speaker = "Mr. Fox"', 'speaker = "Mr. Box"', "(chapter 1, 38 to 43) has the speaker 'Mr. Box'"),
    ("[book]", "[book", " is not a cast, it is not TOML"),
    ("end = 43", "end = 0x" + "f" * 9000, " has the end a number of thousands of digits: give a whole number"),
]


def write_cast(folder: Path, book: str = BOOK) -> str:
    """book.md and cast.toml; the text of the cast."""
    (folder / "book.md").write_text(book, encoding="utf-8")
    assert run(["cast", str(folder / "book.md"), "-o", str(folder / "cast.toml")]) == 0
    return (folder / "cast.toml").read_text(encoding="utf-8")


def with_mistake(cast: str, old: str, new: str) -> str:
    assert old in cast
    return cast.replace(old, new, 1)
