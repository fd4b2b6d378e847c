"""Every claim of SECURITY.md names the tests that hold it, and they are there."""

import re

import pytest

from tests.helpers.paths import ROOT

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
UNTRUSTED = TEXT.partition("## What is not trusted")[2].partition("\n## ")[0]
CLAIMS = [
    " ".join(claim.split()) for claim in re.split(r"^\* ", UNTRUSTED.partition("`python scripts")[0], flags=re.M)[1:]
]
# What each claim begins with -> the tests that would go red if it were not true.
HELD_BY = {
    "No code of a checkpoint is run": (
        "tests/models/voxcpm2/test_weights.py::test_nothing_in_an_archive_is_run",
        "tests/attack/archives.py::Archives",
    ),
    "Ids, codes and shapes": (
        "tests/models/qwen3_tts/test_damaged_checkpoints.py::test_config",
        "tests/checkpoints/test_stored_rows.py::test_an_id_outside_the_table_is_refused",
        "tests/test_wrong_types.py::test_wrong_values_are_refused_in_one_line",
    ),
    "Small files are read only if": (
        "tests/files/test_reading.py::test_devices_and_folders",
        "tests/files/test_reading.py::test_size",
        "tests/files/test_reading.py::test_json_that_is_refused",
        "tests/files/test_budget.py::test_all_limits_stand_in_one_table",
        "tests/files/test_budget.py::test_a_refusal_names_the_limit_and_how_to_raise_it",
    ),
    "EPUB, DOCX, PDF, HTML and long Markdown": (
        "tests/files/test_child.py::test_whatever_a_parser_does_is_one_line",
        "tests/files/test_child.py::test_one_that_waits_for_ever_is_ended_by_the_clock",
        "tests/files/test_child.py::test_it_imports_neither_the_models_nor_the_key",
        "tests/files/test_child.py::test_the_memory_of_another_process_is_told",
    ),
    "Documents, recordings, voice files and checkpoints open no sockets": (
        "tests/attack/test_faults.py::test_what_was_touched_is_said",
        "tests/attack/test_faults.py::test_a_program_is_looked_at",
        "tests/attack/test_faults.py::test_what_is_left_is_counted",
    ),
    "Parsers take time in proportion": (
        "tests/text/test_doubling.py::test_up_to_the_limit",
        "tests/text/test_doubling.py::test_a_pattern_that_looks_for_ever_ends_in_time",
        "tests/text/source/test_html_work.py::test_no_sign_hides_attributes",
    ),
    "Weights and sound that are not numbers": (
        "tests/models/qwen3_tts/test_damaged_checkpoints.py::test_weights_that_are_no_numbers",
        "tests/models/qwen3_tts/test_damaged_checkpoints.py::test_sound_that_is_no_number",
    ),
    "Names and texts do not reach the terminal": ("tests/cli/test_process.py::test_lines_are_for_terminals",),
    "`convert` copies no file": (
        "tests/models/qwen3_tts/test_conversion.py::test_a_link_that_leads_out_of_the_folder_is_not_copied",
    ),
    "A picture in a book is not decoded": (
        "tests/audio/test_encoder.py::test_a_cover_is_read_as_a_picture_alone",
        "tests/audio/test_encoder.py::test_the_size_of_a_picture_is_read_from_its_first_bytes",
    ),
    "A client of the server": (
        "tests/server/test_turns.py::test_the_longest_text_over_http",
        "tests/server/test_turns.py::test_the_largest_document",
        "tests/server/test_hostile.py::test_a_flood_of_small_messages_holds_up_nobody",
        "tests/server/test_hostile.py::test_slow_uploads_do_not_block_a_download",
        "tests/server/test_hostile.py::test_a_broken_off_upload_leaves_nothing",
        "tests/server/test_hostile.py::test_a_client_that_leaves_its_pipeline_gives_its_place_back",
        "tests/server/test_connections.py::test_of_a_flood_of_requests_one_turn_is_read_ahead",
        "tests/server/test_live_text.py::test_of_a_long_text_no_more_is_read_than_is_spoken_soon",
    ),
    "A server fetches nothing for a client": (
        "tests/server/test_fetching.py::test_what_is_refused",
        "tests/server/test_fetching.py::test_forms_and_damaged_bodies_are_refused",
        "tests/server/test_fetching.py::test_one_at_a_time_stopped_and_taken_up_again",
        "tests/server/test_fetching.py::test_a_server_that_is_killed_leaves_no_download",
        "tests/server/test_fetching.py::test_with_a_key_only_its_owner_fetches",
        "tests/server/test_fetching.py::test_without_the_option_nothing_is_fetched",
        "tests/server/test_fetching.py::test_without_a_key_only_this_machine",
        "tests/library/test_hub.py::test_a_check_that_was_interrupted_is_made_up_for",
    ),
    "`--server auto` gives the key": (
        "tests/cli/test_remote.py::test_auto_gives_the_key_to_nobody_who_does_not_know_it",
    ),
    "On the CPU nothing is compiled": (
        "tests/nn/test_activations.py::test_nothing_is_compiled_on_the_cpu",
        "tests/nn/test_activations.py::test_no_module_uses_a_compiled_function_of_mlx",
    ),
}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim[:30])
def test_every_claim_is_held_by_tests(claim):
    (held_by,) = [tests for beginning, tests in HELD_BY.items() if claim.startswith(beginning)]
    named = set(re.findall(r"`(tests/[\w/]+\.py)`", claim))
    assert named <= {test.partition("::")[0] for test in held_by}, "the page names other tests than this table"
    assert named, "the page names no test"
    for test in held_by:
        path, _, name = test.partition("::")
        assert re.search(rf"^(def|class) {name}\b", (ROOT / path).read_text(encoding="utf-8"), re.M), test


def test_every_line_of_the_table_is_a_claim():
    assert len(CLAIMS) == len(HELD_BY)


def test_what_is_trusted_is_checked_as_far_as_it_is_said():
    """Hidden files of others, pins, what is not pinned, and the lock with its hashes."""
    trusted = TEXT.partition("## What is trusted")[2]
    assert "must belong to you (`tests/files/test_writing.py`)" in " ".join(trusted.split())
    writing = (ROOT / "tests/files/test_writing.py").read_text(encoding="utf-8")
    assert "def test_a_strange_file_under_the_hidden_name_is_left_alone(" in writing
    assert "`tests/library/test_pins.py`" in trusted and "`requirements-dev.lock`" in trusted
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    packages = re.findall(r"^[\w.-]+(?:\[[^\]]*\])?==.*(?:\n .*)*", lock, re.M)
    assert len(packages) > 50 and all("--hash=sha256:" in package for package in packages)
