"""The player's own volume and speed, by the sound itself; and a player that can be closed."""

import io
import time

import numpy as np
import pytest
import soundfile

from tests.helpers.browser import PATIENCE, opened_page, sound_of, wait_for_sound
from tests.server.page.person import (
    choose_voice,
    played_again,
    saved,
    set_seed,
    speak,
    wait_for_message,
    wait_until_heard,
    write,
)

pytestmark = [pytest.mark.long, pytest.mark.slow]
TEXT = "Good morning. The train leaves at nine."
RATE = 24_000
STRETCH = """async ([pace, samples]) => {
  const { Stretch } = await import("/page/stretch.js");
  const { Speech } = await import("/page/speech.js");
  const speech = new Speech({ speed: 1 });
  speech.keep(Int16Array.from(samples));
  speech.finish();
  const stretch = new Stretch(pace, 0), out = [];
  while (stretch.sample < speech.length) out.push(...stretch.next(speech));
  return out;
}"""


# Notes each sentence that begins to stand out, from now on.
NOTE_PLACES = """() => {
  window.places = [];
  new MutationObserver(() => {
    const now = document.querySelector(".sentence.now")?.textContent;
    if (now && now !== places.at(-1)) places.push(now);
  }).observe(document.getElementById("reader"), { subtree: true, childList: true, attributeFilter: ["class"] });
}"""


def strongest(samples: np.ndarray) -> float:
    """The frequency with the most energy."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), 1 << 18))
    return float(spectrum.argmax()) * RATE / (1 << 18)


@pytest.mark.parametrize("pace", [0.75, 1.5, 2])
def test_faster_and_slower_at_the_same_pitch(page, pace):
    times = np.arange(RATE) / RATE
    tone = 8000 * (np.sin(2 * np.pi * 110 * times) + 0.5 * np.sin(2 * np.pi * 220 * times))  # a low voice
    out = np.array(page.evaluate(STRETCH, [pace, tone.astype(int).tolist()])) * 32768
    assert len(out) / RATE == pytest.approx(1 / pace, abs=0.02)
    inner = out[1000:-1500]
    assert strongest(inner) == pytest.approx(110, abs=1)
    levels = [np.sqrt(np.mean(part**2)) for part in np.array_split(inner, len(inner) // 655)]  # three periods each
    assert min(levels) > 0.9 * max(levels)  # no hole and no beat where frames meet


def test_silence_stays_where_it_is(page):
    samples = np.zeros(RATE, int)
    samples[RATE // 2 :: 40] = 8000
    out = np.array(page.evaluate(STRETCH, [1.5, samples.tolist()]))
    first = int(np.flatnonzero(np.abs(out) > 0.01)[0])
    assert first / RATE == pytest.approx(0.5 / 1.5, abs=0.015)


def spoken(page) -> np.ndarray:
    """A speech that was heard to its end; what was made."""
    choose_voice(page, "Ivy")
    set_seed(page, 3)
    write(page, TEXT)
    speak(page)
    wait_for_sound(page)  # until then the button says Play, as behind the end
    wait_for_message(page, "Done")
    wait_until_heard(page)
    return soundfile.read(io.BytesIO(saved(page, "WAV")[1]), dtype="float32")[0]


def seconds_of_sound(samples: np.ndarray) -> float:
    loud = np.flatnonzero(np.abs(samples) > 0.01)
    return float(loud[-1] - loud[0]) / RATE


def test_volume_and_speed_are_heard_and_kept(page):
    made = spoken(page)
    page.get_by_label("Volume").fill("0.25")
    heard, _, _ = played_again(page)
    assert np.abs(heard).max() == pytest.approx(0.25 * np.abs(made).max(), rel=0.05)

    page.get_by_label("Volume").fill("1")
    page.get_by_label("Playback speed").select_option(label="2 ×")
    heard, _, _ = played_again(page)
    assert seconds_of_sound(heard) == pytest.approx(seconds_of_sound(made) / 2, abs=0.3)  # busy machines leave holes

    page.get_by_label("Volume").fill("0.5")
    page.reload()
    page.wait_for_selector("body[data-ready=yes]")
    page.get_by_role("button", name="Play: Good morning").click()
    page.get_by_role("button", name="Pause", exact=True).wait_for()
    assert page.get_by_label("Volume").input_value() == "0.5"
    assert page.get_by_label("Playback speed").input_value() == "2"


def test_the_speed_changes_in_the_midst(page):
    """The place stays where it was, and the words that stand out keep up with what is heard."""
    sentences = ["Good morning.", "The train leaves at nine."]
    spoken(page)
    page.evaluate(NOTE_PLACES)  # the last sentence still stands out from the first time
    page.get_by_role("button", name="Play", exact=True).click()
    until = time.monotonic() + PATIENCE / 1000
    while (places := page.evaluate("places")) != sentences:
        assert places == sentences[: len(places)] and time.monotonic() < until, places
        page.wait_for_timeout(20)
    page.get_by_label("Playback speed").select_option(label="0.75 ×")
    wait_until_heard(page)
    assert page.evaluate("places") == sentences
    assert page.locator("#clock").inner_text().split(" / ")[0] == page.locator("#clock").inner_text().split(" / ")[1]


def test_the_player_is_closed(page):
    spoken(page)
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Close the player").click()
    player = page.locator("#player")
    player.wait_for(state="hidden")
    assert page.get_by_role("textbox", name="Text", exact=True).is_visible()
    assert page.evaluate("document.activeElement.id") == "go"
    page.wait_for_timeout(300)
    page.evaluate("heard.parts = []")
    page.wait_for_timeout(500)
    assert not len(sound_of(page)[0]) or np.abs(sound_of(page)[0]).max() == 0
    page.get_by_role("button", name="Play: Good morning").click()  # it is kept
    player.wait_for()


def test_closing_ends_what_is_being_made(chrome, server):
    before = server.metric("mlx_tts_cancelled_total")
    with opened_page(chrome, server.url) as (page, seen):
        write(page, "This is a long story, and nobody knows yet how it will end. " * 40)
        speak(page)
        wait_for_message(page, "Speaking.")
        wait_for_sound(page)
        page.get_by_role("button", name="Close the player").click()
        server.wait_for_metric("mlx_tts_cancelled_total", before + 1)
        page.locator("#player").wait_for(state="hidden")
        seen.check(server.url)
