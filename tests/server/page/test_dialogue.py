"""A dialogue of two voices: what is sent, and who speaks it."""

import json

import pytest

from tests.server.page.person import speak, wait_for_message, write

pytestmark = [pytest.mark.long, pytest.mark.slow]
TEXT = "A door opens.\n\nAnn: Did you hear that?\nBen: Only the wind.\n\nThey listen."


def test_two_speakers_have_two_voices(page):
    bodies = []
    page.on("request", lambda request: request.method == "POST" and bodies.append((request.url, request.post_data)))
    page.get_by_text("Dialogue of two voices").click()
    page.get_by_label("Give each speaker a voice").check()
    page.get_by_label("Voice of speaker 1").select_option(label="Hazel")
    page.get_by_label("Voice of speaker 2").select_option(label="Rowan")
    write(page, TEXT)
    assert page.get_by_text("Ann: 1 turn, Ben: 1 turn").is_visible()
    with page.expect_response("**/page/api/plan") as planned:
        speak(page)
    pieces = planned.value.json()["pieces"]
    assert [piece["voice"] for piece in pieces if piece["voice"] in ("hazel", "rowan")] == ["hazel", "rowan"]
    wait_for_message(page, "Done")
    (sent,) = [json.loads(body)["input"] for url, body in bodies if url.endswith("/v1/audio/speech")]
    assert sent == (
        "A door opens.\n\n[voice:hazel]Did you hear that?[/voice]\n[voice:rowan]Only the wind.[/voice]\n\nThey listen."
    )
    assert "[voice" not in page.locator("#reader").inner_text()
    assert "[voice" not in page.locator("#history-list").inner_text()
    page.reload()
    page.wait_for_selector("body[data-ready=yes]")
    assert page.get_by_label("Give each speaker a voice").is_checked()
    assert page.get_by_label("Voice of speaker 2").input_value() == "rowan"


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("ANN: One.\nstill one\n\nNo one.", "[voice:x]One.\nstill one[/voice]\n\nNo one."),
        ("**Ann:** One.\n__Dr. B+__: Two.", "[voice:x]One.[/voice]\n[voice:y]Two.[/voice]"),
        ("Anna: One. Ann: two.", "Anna: One. Ann: two."),
        ("<speak>\nAnn: One.</speak>", "<speak>\nAnn: One.</speak>"),
        ("Ann：好。", "[voice:x]好。[/voice]"),
    ],
)
def test_where_a_turn_begins_and_ends(page, text, marked):
    found = page.evaluate(
        """async (text) => (await import("/page/dialogue.js")).withVoices(
          text, [{ name: "Ann", voice: "x" }, { name: "Dr. B+", voice: "y" }]).marked""",
        text,
    )
    assert found == marked
