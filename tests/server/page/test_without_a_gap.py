"""Playback without a hole: the sound itself is caught, and is as long as what was made, however slow the server is."""

import io
from collections.abc import Iterator

import numpy as np
import pytest
import soundfile

from tests.helpers.browser import opened_page, sound_of
from tests.server.conftest import RunningServer, running
from tests.server.page.person import saved, set_seed, speak, wait_for_message, wait_until_heard, write

pytestmark = [pytest.mark.long, pytest.mark.slow]
TEXT = "Good morning, and welcome to the valley. The train leaves at nine, and nobody waits for it."
LOUD = 0.01
MOST_SILENCE = 0.12  # seconds; one block of the recorder is 85 ms
# A machine on which a second of sound takes this long: each part of a speech is held back before it is sent.
SLOW = """
import asyncio, time
from mlx_tts.server import streaming
send = streaming.SpeechAnswer._send_sound
async def slowly(self, send_on, data):
    due = getattr(self, "due", time.monotonic())
    self.due = max(due, time.monotonic() - 1) + len(data) / 48000 * {seconds}
    await asyncio.sleep(max(0, self.due - time.monotonic()))
    await send(self, send_on, data)
streaming.SpeechAnswer._send_sound = slowly
"""


@pytest.fixture(scope="module", params=[0.9, 1.8], ids=["nearly too slow", "too slow"])
def slow_server(request, tmp_path_factory) -> Iterator[RunningServer]:
    plant = SLOW.format(seconds=request.param)
    with running(tmp_path_factory.mktemp("slow"), plant=plant) as server:
        server.wait_until_ready()
        yield server


def from_first_to_last(samples: np.ndarray, rate: int) -> float:
    loud = np.flatnonzero(np.abs(samples) > LOUD)
    return float(loud[-1] - loud[0]) / rate


def begin(page) -> None:
    """Have the text spoken, with the seed that all takes here have."""
    set_seed(page, 3)
    write(page, TEXT)
    speak(page)


def heard_to_the_end(page) -> None:
    wait_for_message(page, "Done")
    wait_until_heard(page)


def added_silence(page) -> float:
    """Seconds by which the sound that was heard is longer than the sound that was made."""
    made, made_rate = soundfile.read(io.BytesIO(saved(page, "WAV")[1]), dtype="float32")
    return from_first_to_last(*sound_of(page)) - from_first_to_last(made, made_rate)


@pytest.mark.timed
def test_a_slow_server_is_heard_without_a_hole(chrome, slow_server):
    with opened_page(chrome, slow_server.url) as (page, seen):
        begin(page)
        heard_to_the_end(page)
        assert -MOST_SILENCE < added_silence(page) < MOST_SILENCE
        seen.check(slow_server.url)


@pytest.mark.timed
def test_a_page_that_was_busy_does_not_begin_too_soon(chrome, slow_server, request):
    """The page does something else for a while, and then reads at once all that came."""
    if "nearly" in request.node.name:
        pytest.skip("there is hardly a wait")
    with opened_page(chrome, slow_server.url) as (page, _):
        with page.expect_request("**/v1/audio/speech"):
            begin(page)
        page.evaluate("for (const until = performance.now() + 4000; performance.now() < until; );")
        heard_to_the_end(page)
        assert added_silence(page) < MOST_SILENCE


def test_who_cannot_wait_begins_now(chrome, slow_server, request):
    """The wait is said, and can be left out; then there is a hole, which shows that the test above can fail."""
    if "nearly" in request.node.name:
        pytest.skip("there is hardly a wait")
    with opened_page(chrome, slow_server.url) as (page, _):
        begin(page)
        page.get_by_role("button", name="Begin now").click()
        heard_to_the_end(page)
        assert added_silence(page) > 0.5


# Seconds of sound at times, what is still to come, and what must be there before it is heard.
CASES = [
    ([(0.1, 0.5), (0.2, 0.5), (0.3, 0.5), (0.4, 0.5)], 60, 0.1 * 1.5 + 0.25),  # five times as fast as it is heard
    ([(1, 1), (3, 1), (5, 1), (7, 1)], 9, 9 * 1.3 * (1 / 0.45 - 1) + 2 * 1.5 + 0.25),  # half as fast
    # A busy page reads at once what came in three seconds, at a third of the speed: it was taken for a fast server.
    ([(3, 0.4), (3.002, 0.3), (3.004, 0.3)], 4, 4 * 1.3 * (1 / 0.3 - 1) + 3 * 1.5 + 0.25),
]


@pytest.mark.parametrize(("arrived", "rest", "needed"), CASES, ids=["fast", "slow", "read at once"])
def test_what_must_be_there(page, arrived, rest, needed):
    got = page.evaluate(
        """async ([arrived, rest]) => {
          const { Arrivals } = await import("/page/arrivals.js");
          const arrivals = new Arrivals(0);
          for (const [at, seconds] of arrived) arrivals.add(seconds, at);
          return arrivals.needed(rest);
        }""",
        [arrived, rest],
    )
    assert got == pytest.approx(needed)


def test_the_end_is_an_end_where_the_last_word_of_the_server_comes_late(page):
    """The sound is over before the server says so: the player must come to rest all the same."""
    state = page.evaluate(
        """async () => {
          const { Player } = await import("/page/player.js");
          const { Speech, RATE } = await import("/page/speech.js");
          const player = new Player(), speech = new Speech({ speed: 1 });
          await player.unlock();
          await player.load(speech);
          await player.play();
          speech.append(new Int16Array(RATE / 2).fill(1000));
          player.beginNow();
          await new Promise((resolve) => setTimeout(resolve, 1500));
          const ended = new Promise((resolve) => player.addEventListener("end", () => resolve("ended")));
          speech.finish();
          const late = new Promise((resolve) => setTimeout(() => resolve("never"), 3000));
          return [await Promise.race([ended, late]), player.playing, player.seconds];
        }"""
    )
    assert state == ["ended", False, 0.5]
