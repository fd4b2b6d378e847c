"""Times of characters, for whole answers and message by message; names of ElevenLabs' formats and voices."""

import asyncio
from contextlib import aclosing
from types import SimpleNamespace

import numpy as np
import pytest

from mlx_tts.audio.formats import FORMATS
from mlx_tts.narration.marks import spread, words_of
from mlx_tts.narration.narrate import Spoken
from mlx_tts.server import timed_speech
from mlx_tts.server.answers import ApiError
from mlx_tts.server.elevenlabs.fields import PREMADE, model_of, output_of
from mlx_tts.server.elevenlabs.message_times import MessageTimes
from mlx_tts.server.metrics import Metrics
from mlx_tts.server.speech_body import SpeechOrder
from mlx_tts.server.timed_speech import MOST_WHOLE, characters_of, must_be_short
from mlx_tts.speech import GuardReport, Mark
from mlx_tts.text.cutting.pieces import Piece

RATE = 1000


@pytest.mark.parametrize("text", ["Hello there.", "  One,  two\nthree ", "你好。世界", "a", "...", "no words' marks"])
def test_characters_are_the_text_and_their_times_rise(text):
    found = characters_of(text, spread(words_of(text), 1.0, 3.0), 0.5)
    assert "".join(found.text) == text
    times = [time for pair in zip(found.starts, found.ends, strict=True) for time in pair]
    assert times == sorted(times) and times[0] >= 0.5 and times[-1] <= 3.0


def test_a_word_has_its_time():
    marks = [Mark("One", 1.0, 1.3, "word"), Mark("two", 2.0, 2.6, "word")]
    found = characters_of("One two", marks, 0.0)
    assert found.starts == [1.0, 1.1, 1.2, 1.3, 2.0, 2.2, 2.4]
    assert found.ends[-1] == 2.6 and found.ends[3] == 2.0  # the space lasts till the next word


def part(piece: Piece, seconds: float, last: bool = False) -> Spoken:
    return Spoken(piece, np.full(round(seconds * RATE), 0.5, np.float32), GuardReport(1) if last else None)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("lasts", [0.3, 1.2, 6.0])
def test_the_times_of_messages_add_up_to_their_sound(whole, lasts):
    """However far the estimate of the piece is off."""
    times, pieces = MessageTimes(RATE, 1.0, whole), [Piece(0, "Hello there.", 0, ""), Piece(1, "How are you?", 0, "")]
    said, covered, made = "", 0.0, 0.0
    for piece in pieces:
        for number in range(6):
            times.add(part(piece, lasts / 6, number == 5))
            made += lasts / 6
            message = times.taken()
            if message is None:
                continue
            said += "".join(message["chars"])
            starts, durations = message["charStartTimesMs"], message["charDurationsMs"]
            begin = round(covered * 1000) if whole else 0
            assert len(starts) == len(durations) == len(message["chars"])
            assert starts[0] == begin and starts == sorted(starts) and min(durations) >= 0
            assert starts[-1] + durations[-1] == pytest.approx(begin + (made - covered) * 1000, abs=1)
            covered = made
        assert covered == made, "the last sound of a piece has no character"
    assert said == "Hello there. How are you? "


@pytest.mark.parametrize(
    ("name", "codec", "rate", "bits"),
    [
        (None, "mp3", 44_100, "128000"),
        ("mp3_22050_32", "mp3", 22_050, "32000"),
        ("mp3_44100", "mp3", 44_100, "128000"),
        ("opus_48000_64", "opus", 48_000, "64000"),
        ("pcm_32000", "pcm", 32_000, None),
        ("wav_8000", "wav", 8_000, None),
        ("ulaw_8000", "ulaw", 8_000, None),
    ],
)
def test_output_formats(name, codec, rate, bits):
    output = output_of(name)
    assert (output.format.name, output.rate) == (codec, rate)
    if bits is not None:
        assert (output.format.stream_codec_options or output.format.codec_options)["b"] == bits


@pytest.mark.parametrize("name", ["mp3", "mp3_44100_999", "ulaw_16000", "flac_44100", "pcm_24000_x", "x" * 999])
def test_other_formats_are_refused(name):
    with pytest.raises(ApiError, match="use mp3_44100_128") as error:
        output_of(name)
    assert error.value.param == "output_format" and len(error.value.message) < 300


def test_their_own_names():
    assert model_of("eleven_flash_v2_5") is None and model_of(None) is None
    assert model_of("tiny") == "tiny"
    assert all(len(voice) == 20 and voice.isalnum() for voice in PREMADE)


def test_a_book_is_not_answered_at_once():
    must_be_short(SpeechOrder(input="x" * MOST_WHOLE), "input")
    with pytest.raises(ApiError, match="at most 10000 are answered at once: ask for a stream") as error:
        must_be_short(SpeechOrder(input="x" * (MOST_WHOLE + 1)), "input")
    assert error.value.param == "input"


@pytest.mark.parametrize(("way", "counted"), [("closes", 1), ("is cancelled", 1), ("takes all", 0)])
def test_a_client_that_goes_is_counted(monkeypatch, way, counted):

    async def two_parts(*_asked):
        yield b"sound", None
        if way == "is cancelled":
            await asyncio.sleep(30)
        yield b"sound", None

    monkeypatch.setattr(timed_speech, "timed_speech", two_parts)
    metrics = Metrics()
    job = SimpleNamespace(
        model=SimpleNamespace(info=SimpleNamespace(sample_rate=24_000)), order=SpeechOrder(input="Hello.")
    )

    async def answer():
        parts = timed_speech.job_parts(SimpleNamespace(metrics=metrics), job, "client", FORMATS["pcm"], None)
        async with aclosing(parts):
            async for _ in parts:
                if way == "closes":
                    return

    async def work():
        task = asyncio.create_task(answer())
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(work())
    assert metrics.registry.get_sample_value("mlx_tts_cancelled_total") == counted
