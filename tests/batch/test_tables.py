"""Which of several rows about a line counts: workers of one folder may have tried it at the same time, or long ago."""

import pytest

from mlx_tts.batch.tables import FAILED, FOLDER, OK, REFUSED, SUSPECT, Done, Table, empty_row


def row(status, at, key="now"):
    return {**empty_row("a", 1, status), "key": key, "at": at, "bytes": 1, "file": f"{key}-{at}.wav"}


@pytest.mark.parametrize(
    ("rows", "counts"),
    [
        ([row(OK, 1), row(OK, 2)], 1),
        ([row(OK, 2), row(OK, 1)], 0),
        # who failed at the same content takes nothing away from who spoke it, whichever came first
        ([row(OK, 1), row(FAILED, 2)], 0),
        ([row(SUSPECT, 1), row(REFUSED, 2)], 0),
        ([row(FAILED, 2), row(OK, 1)], 1),
        ([row(FAILED, 2), row(SUSPECT, 1)], 1),
        # another content: the newest
        ([row(OK, 1, "before"), row(FAILED, 2)], 1),
        ([row(FAILED, 2), row(OK, 1, "before")], 0),
        ([row(FAILED, 1), row(FAILED, 2)], 1),
        ([row(FAILED, 2), row(FAILED, 1)], 0),
    ],
)
def test_the_row_that_counts(tmp_path, rows, counts):
    table, done = Table(tmp_path), Done(tmp_path)
    for one in rows:
        table.add(one)
    table.close()
    assert set(done.read()) == {"a"}
    assert done.entries["a"].parsed() == rows[counts]


def test_half_a_row_is_read_when_it_is_whole(tmp_path):
    table, done = Table(tmp_path), Done(tmp_path)
    table.add(row(OK, 1))
    [path] = (tmp_path / FOLDER).iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:20])
    assert done.read() == ["a"] and done.read() == []
    path.write_bytes(whole + whole)
    assert done.read() == ["a"]
    table.close()


@pytest.mark.parametrize("damaged", [b"x\n", b"{}\n", b"[]\n", b'{"id": "a", "key": "k", "status": "ok"}\n', b"\xff\n"])
def test_a_damaged_row_is_passed_over(tmp_path, damaged):
    table, done = Table(tmp_path), Done(tmp_path)
    table.add(row(OK, 1))
    table.close()
    [path] = (tmp_path / FOLDER).iterdir()
    path.write_bytes(damaged + path.read_bytes())
    assert done.read() == ["a"]
