"""Rows of files -> lines: what is taken, and what is named as bad with its number."""

import io
import json

import pytest

from mlx_tts.batch.lines import MOST_CHARACTERS, csv_rows, json_rows, read_lines, read_rows
from mlx_tts.errors import RequestError


def from_json(*lines: str | bytes):
    data = b"\n".join(line.encode() if isinstance(line, str) else line for line in lines)
    return read_lines(json_rows(io.BytesIO(data)), ".wav")


def from_csv(text: str | bytes):
    data = text.encode() if isinstance(text, str) else text
    return read_lines(csv_rows(io.BytesIO(data), "lines.csv"), ".wav")


def errors(lines) -> dict[int, str]:
    return {line.number: line.error for line in lines.bad}


def test_a_line_has_all_that_it_says():
    row = {
        "id": "a",
        "text": "Hello.",
        "voice": "ivy",
        "language": "en",
        "instruct": "Calm.",
        "speed": 1.5,
        "seed": 7,
        "file": "first.wav",
        "model": "tiny",
    }
    (line,) = from_json(json.dumps(row)).good
    assert (line.number, line.id, line.text, line.file) == (1, "a", "Hello.", "first")
    asked = {"voice": "ivy", "language": "en", "instruct": "Calm.", "speed": 1.5, "seed": 7, "model": "tiny"}
    assert line.asked == asked


def test_a_line_without_more_is_named_after_its_id():
    (line,) = from_json('{"id": 12, "text": "Hello."}').good
    assert (line.id, line.file, line.asked) == ("12", "12", {})


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ("no json", "is not JSON (Expecting value at character 1)"),
        ('["id"]', 'is not a JSON object: give {"id": ..., "text": ...}'),
        ('{"id": "a", "text": "x", "seed": NaN}', "is not JSON (NaN is not a number in JSON)"),
        (b'{"id": "\xff", "text": "x"}', "is not UTF-8 text (byte 8): convert it first"),
        ('{"text": "Hello."}', "has no id: give each line a name of its own"),
        ('{"id": "a"}', "has no text"),
        ('{"id": "a", "text": ""}', "has no text"),
        ('{"id": "a", "text": "  \\n"}', "has nothing to say in its text"),
        ('{"id": "a", "text": "?!"}', "has nothing to say in its text: '?!'"),
        ('{"id": "a", "text": 5}', "has a text that is not a string: 5"),
        ('{"id": ["a"], "text": "x"}', "has id ['a']: give a string"),
        ('{"id": "../a", "text": "x"}', "has id '../a': a name may not hold a path"),
        ('{"id": "a/b", "text": "x"}', "has id 'a/b': a name may not hold a path"),
        ('{"id": "a\\\\b", "text": "x"}', "a name may not hold a path"),
        ('{"id": ".hidden", "text": "x"}', "has id '.hidden': a name may not hold a path, begin with a dot"),
        ('{"id": "a\\u0000b", "text": "x"}', "has id 'a\\x00b': a name may not have control characters"),
        ('{"id": "a\\nb", "text": "x"}', "a name may not have control characters"),
        ('{"id": "\\ud800", "text": "x"}', "has id '\\ud800': a name may not have control characters"),
        ('{"id": " a", "text": "x"}', "a name may not have control characters or outer white space"),
        ('{"id": "a", "text": "x", "file": "b/c"}', "has file 'b/c': a name may not hold a path"),
        ('{"id": "a", "text": "x", "file": "b.mp3"}', "has file 'b.mp3', and this run writes .wav"),
        ('{"id": "a", "text": "x", "file": ".wav"}', "has file '.wav'"),
        ('{"id": "a", "text": "x", "voice": 3}', "has voice 3: give a string"),
        ('{"id": "a", "text": "x", "speed": 9}', "has speed 9: give 0.25 to 4"),
        ('{"id": "a", "text": "x", "speed": "fast"}', "has speed 'fast': give a number"),
        ('{"id": "a", "text": "x", "seed": -1}', "has seed -1: give 0 to 2^64 - 1"),
        ('{"id": "a", "text": "x", "seed": 1.5}', "has seed 1.5: give a whole number"),
        ('{"id": "a", "text": "x", "seed": true}', "has seed True: give a whole number"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_taken(row, error):
    lines = from_json('{"id": "good", "text": "Hello."}', row, '{"id": "too", "text": "Hello."}')
    assert [line.id for line in lines.good] == ["good", "too"]
    assert list(errors(lines)) == [2]
    assert errors(lines)[2].startswith(error) or error in errors(lines)[2]


def test_a_text_of_a_hundred_thousand_characters():
    lines = from_json(json.dumps({"id": "a", "text": "a" * 100_000}), '{"id": "b", "text": "Hello."}')
    assert errors(lines)[1].startswith("has a text of 100,000 characters, and 20,000 are the most")
    assert len(from_json(json.dumps({"id": "a", "text": "a" * MOST_CHARACTERS})).good) == 1


def test_a_line_of_two_megabytes_is_left_out_and_the_next_is_read():
    lines = from_json('{"id": "a", "text": "' + "x" * 2_000_000 + '"}', '{"id": "b", "text": "Hello."}')
    assert errors(lines) == {1: "is longer than 1,000,000 bytes"}
    assert [(line.number, line.id) for line in lines.good] == [(2, "b")]


def test_a_very_long_id():
    lines = from_json(json.dumps({"id": "é" * 101, "text": "x"}), json.dumps({"id": "é" * 100, "text": "x"}))
    assert "of 202 bytes: 200 are the most" in errors(lines)[1]
    assert len(lines.good) == 1


@pytest.mark.parametrize("second", ["a", "A", "é", "É", "e\u0301"])
def test_of_an_id_twice_the_first_is_spoken(second):
    first = "a" if second in "aA" else "\u00e9"
    lines = from_json(json.dumps({"id": first, "text": "One."}), json.dumps({"id": second, "text": "Two."}))
    assert [line.text for line in lines.good] == ["One."]
    assert "of line 1, which is the one that is spoken" in errors(lines)[2]


def test_two_lines_with_one_file():
    lines = from_json(
        '{"id": "a", "text": "One."}', '{"id": "b", "text": "Two.", "file": "A.wav"}', '{"id": "b", "text": "x"}'
    )
    assert errors(lines) == {2: "would write the same file as line 1: 'A'"}
    assert [line.id for line in lines.good] == ["a", "b"]


def test_what_a_line_was_made_from():
    one, two, three = from_json(
        '{"id": "a", "text": "x"}', '{"id": "b", "text": "y"}', '{"id": "c", "text": "x", "seed": 1}'
    ).good
    again = from_json("", '{"id": "a", "text": "x", "more": 1}').good[0]
    assert len({one.key, two.key, three.key}) == 3
    assert again.number == 2
    assert read_lines([(9, {"id": "a", "text": "x", "voice": ""})], ".wav").good[0].key == one.key


def test_columns_that_mean_nothing_are_known():
    assert from_json('{"id": "a", "text": "x", "speaker": 3, "voise": "ivy"}').ignored == {"speaker", "voise"}


def test_csv_with_quotes_line_breaks_and_empty_cells():
    lines = from_csv('\ufeffid,text,voice,speed\na,"Hello, ""you"".\nSecond line.",ivy,1.5\n\nb,Good night.,,\n')
    assert [(line.number, line.id, line.asked) for line in lines.good] == [
        (2, "a", {"voice": "ivy", "speed": 1.5}),
        (5, "b", {}),
    ]
    assert lines.good[0].text == 'Hello, "you".\nSecond line.'


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_with_other_delimiters(delimiter):
    lines = from_csv(f"ID{delimiter} Text\na{delimiter}Hello.\n")
    assert [(line.id, line.text) for line in lines.good] == [("a", "Hello.")]


def test_bad_lines_of_csv():
    data = b"id,text\na,Hello, you.\nb,\xff\nc,Good.\nd\ne," + b"x" * 150_000 + b"\nf,Good.\n"
    lines = from_csv(data)
    assert [line.id for line in lines.good] == ["c", "f"]
    found = errors(lines)
    assert found[2] == "has 3 cells, and the header has 2: put texts with commas in quotes"
    assert found[3] == "is not UTF-8 text: convert the file first"
    assert found[5] == "has no text"
    assert found[6].startswith("is not a line of a CSV file (field larger than field limit")


@pytest.mark.parametrize("head", ["name,text", "id,words", "a,Hello."])
def test_csv_without_the_columns(head):
    with pytest.raises(RequestError, match=r"lines.csv has no column .*: the header names id, text and"):
        from_csv(f"{head}\na,b\n")


def test_csv_with_a_column_twice():
    with pytest.raises(RequestError, match=r"has the column voice twice"):
        from_csv("id,text,voice,voice\na,b,c,d\n")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("lines.jsonl", '{"id": "a", "text": "Hello."}\n'),
        ("lines.csv", "id,text\na,Hello.\n"),
        ("lines.tsv", "id\ttext\na\tHello.\n"),
        ("lines", '{"id": "a", "text": "Hello."}\n'),
        ("lines.txt", "id,text\na,Hello.\n"),
    ],
)
def test_the_ending_or_the_beginning_says_what_a_file_is(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    (line,) = read_lines(read_rows(tmp_path / name), ".wav").good
    assert (line.id, line.text) == ("a", "Hello.")


def test_rows_from_python():
    lines = read_lines(read_rows([{"id": "a", "text": "Hello."}, ["b"]]), ".wav")
    assert [line.id for line in lines.good] == ["a"]
    assert errors(lines)[2] == "is a list: give mappings of names to values"


def test_files_that_are_none(tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n \n")
    with pytest.raises(RequestError, match=r"has no lines: give at least one with an id and a text"):
        list(read_rows(tmp_path / "empty.jsonl"))
    with pytest.raises(RequestError, match=r"no file .*nowhere.csv: give a JSONL, CSV or Parquet file"):
        list(read_rows(tmp_path / "nowhere.csv"))
    with pytest.raises(RequestError, match=r"is not a regular file"):
        list(read_rows(tmp_path))


@pytest.fixture
def parquet():
    return pytest.importorskip("pyarrow.parquet", reason="NOT CHECKED: Parquet, because pyarrow is not installed")


def test_parquet(tmp_path, parquet):
    import pyarrow

    table = pyarrow.table(
        {"id": ["a", "b", "c"], "text": ["Hello.", None, "Bye."], "seed": [1, None, 3], "x": [1, 2, 3]}
    )
    parquet.write_table(table, tmp_path / "lines.parquet")
    lines = read_lines(read_rows(tmp_path / "lines.parquet"), ".wav")
    assert [(line.number, line.id, line.asked["seed"]) for line in lines.good] == [(1, "a", 1), (3, "c", 3)]
    assert errors(lines) == {2: "has no text"}
    (tmp_path / "lines").write_bytes((tmp_path / "lines.parquet").read_bytes())
    assert len(read_lines(read_rows(tmp_path / "lines"), ".wav").good) == 2


def test_parquet_that_is_wrong(tmp_path, parquet):
    import pyarrow

    parquet.write_table(pyarrow.table({"id": ["a"], "words": ["Hello."]}), tmp_path / "columns.parquet")
    with pytest.raises(RequestError, match=r"columns.parquet has no column text"):
        list(read_rows(tmp_path / "columns.parquet"))
    data = (tmp_path / "columns.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(data[: len(data) // 2])
    with pytest.raises(RequestError, match=r"cut.parquet cannot be read as Parquet"):
        list(read_rows(tmp_path / "cut.parquet"))


def test_parquet_without_the_extra(tmp_path, monkeypatch):
    from mlx_tts.batch import settings as module

    monkeypatch.setattr(module, "find_spec", lambda name: None)
    (tmp_path / "lines.parquet").write_bytes(b"PAR1")
    with pytest.raises(RequestError, match=r"pip install .*\[parquet\]"):
        list(read_rows(tmp_path / "lines.parquet"))
