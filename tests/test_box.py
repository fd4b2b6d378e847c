"""A judged pair into the package: the catalogue's entry, its mark, and tables that hide nothing."""

import sys
import tomllib

import pytest

from tests.helpers.paths import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "train_tiny"))

import box
import cards
import gate

TABLE = (ROOT / "models.toml").read_text(encoding="utf-8")


def entries(table):
    return {row["alias"]: (variant, row) for variant in tomllib.loads(table)["variant"] for row in variant["models"]}


def test_the_entry_stands_behind_the_last_base_model():
    table = box.with_entry(TABLE)
    assert box.with_entry(table) == table
    found = entries(table)
    assert found.keys() == entries(TABLE).keys() | {"tiny-base"}
    assert [name for name, (variant, _) in found.items() if variant["kind"] == "base"][-1] == "tiny-base"
    variant, row = found["tiny-base"]
    assert (variant["voice_width"], row["folder"]) == (256, "builtin/tiny-base")


def test_sizes_and_the_mark_are_written_and_taken_back():
    table = box.with_facts(box.with_entry(TABLE), "tiny-base", 45_639_563, experimental=True)
    row = entries(table)["tiny-base"][1]
    assert (row["size_bytes"], row["experimental"]) == (45_600_000, True)
    again = box.with_facts(table, "tiny-base", 45_249_999, experimental=False)
    assert entries(again)["tiny-base"][1]["size_bytes"] == 45_200_000
    assert "experimental" not in again
    assert entries(box.with_facts(again, "tiny", 28_200_001, False))["tiny"][1]["size_bytes"] == 28_200_000
    others = entries(TABLE)
    assert all(entries(again)[name] == others[name] for name in others if name not in ("tiny", "tiny-base"))


def test_an_entry_that_is_not_there_ends_it():
    with pytest.raises(SystemExit, match="0 entries of large"):
        box.with_facts(TABLE, "large", 1, False)


def test_a_figure_that_is_no_number_has_missed_its_limit():
    values = {name: goal for name, _, goal, _ in gate.LIMITS}
    assert all(gate.limits_met(values).values())
    assert all(line.endswith("| goal |") for line in gate.limits_table(values)[2:])
    name = gate.LIMITS[0][0]
    broken = values | {name: float("nan")}
    assert [missed for missed, met in gate.limits_met(broken).items() if not met] == [name]
    assert gate.limits_table(broken)[2].endswith("| MISSED |")


def test_a_card_tells_of_each_prompt_and_of_times_that_were_not_measured(tmp_path):
    row = {"words": 10, "errors": 1, "DistillMOS": 3.5, "similarity": 0.8, "nearest": True}
    other = {"words": 10, "errors": 0, "DistillMOS": 4.5, "similarity": 0.6, "nearest": False}
    lines = cards.clone_table({"vector/read": [row, other]})
    assert lines[2] == "| vector | read | 2 | 5.00 | 4.00 | 0.700 | 0.600 | 1/2 |"
    assert "not measured" in cards.word_times(tmp_path / "none.json")
    (tmp_path / "times.json").write_text('{"words": 36, "median": 0.045, "most": 0.25, "measured": false}')
    assert "95 % within 0.250 s. They count as estimates" in cards.word_times(tmp_path / "times.json")


def test_a_card_tells_how_names_are_said(tmp_path):
    assert "was not measured" in cards.readings(tmp_path / "none.json")
    (tmp_path / "readings.json").write_text('{"names": [[5, 80], [60, 80]]}')
    assert cards.readings(tmp_path / "readings.json").endswith("\n| names | 5 of 80 (6 %) | 60 of 80 (75 %) |")
