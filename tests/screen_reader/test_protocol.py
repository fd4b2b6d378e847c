"""The protocol of speech-dispatcher's modules, replayed line by line."""

import io
import os
import threading
import time

import numpy as np
import pytest

from mlx_tts.job.settings import SpeechSettings
from mlx_tts.screen_reader.protocol import Module, sound_block
from mlx_tts.screen_reader.voice import ScreenVoice
from tests.helpers.cases import Cases
from tests.screen_reader.conftest import Block, events, seconds

SPEECH = 25 * 0.08  # seconds of every text


def test_it_begins_and_ends(models, settings):
    sink = io.BytesIO()
    assert Module(ScreenVoice(settings), io.BytesIO(b"INIT\nLOGLEVEL\nlog_level=3\n.\nQUIT\nINIT\n"), sink).run()
    assert sink.getvalue().decode().splitlines()[1:] == [
        "299 OK LOADED SUCCESSFULLY",
        "207 OK RECEIVING LOGLEVEL SETTINGS",
        "203 OK LOG LEVEL SET",
        "210 OK QUIT",
    ]


def test_a_voice_that_cannot_be_opened_is_said(place):
    sink = io.BytesIO()
    assert not Module(ScreenVoice(SpeechSettings(voice="nobody")), io.BytesIO(b"INIT\n"), sink).run()
    reason, last = sink.getvalue().decode().splitlines()
    assert reason.startswith("399-unknown voice 'nobody'") and last == "399 ERR CANT INIT MODULE"


def test_speech_dispatcher_must_play_the_sound(client):
    answers = client.ask("AUDIO", "audio_output_method=alsa", ".")
    assert answers[0] == "207 OK RECEIVING AUDIO SETTINGS" and answers[-1] == "300 MODULE ERROR"
    assert client.ask("AUDIO", "audio_output_method=server", ".")[-1] == "203 OK AUDIO INITIALIZED"


def test_voices_are_listed_by_language_and_variant(client):
    listed = client.ask("LIST VOICES")
    assert listed[-1] == "200 OK VOICE LIST SENT"
    assert sorted(line.partition("\t")[0] for line in listed[:-1]) == [
        "200-hazel",
        "200-ryan",
        "200-serena",
        "200-uncle_fu",
    ]
    assert client.ask("LIST VOICES en female") == ["200-hazel\ten\tfemale", "200 OK VOICE LIST SENT"]
    assert client.ask("LIST VOICES fi") == ["304 CANT LIST VOICES"]


def test_a_text_is_spoken(client):
    came = client.speak("SPEAK", "<speak>Hello world.</speak>")
    assert events(came) == ["701 BEGIN", "702 END"]
    blocks = came[1:-1]
    assert {block.rate for block in blocks} == {24_000}
    assert max(len(block.samples) for block in blocks) <= 5000
    assert seconds(came) == pytest.approx(SPEECH, abs=0.01)


@pytest.mark.parametrize(
    ("kind", "text", "spoken"),
    [
        ("CHAR", "b", "B."),
        ("CHAR", "..", "dot."),  # a dot at the beginning of a line is doubled
        ("KEY", "control_a", "control A."),
        ("SOUND_ICON", "new-mail", "new mail"),
        ("SPEAK", "<speak>b</speak>", "B."),
    ],
)
def test_characters_keys_and_icons_are_named(client, models, kind, text, spoken):
    assert events(client.speak(kind, text)) == ["701 BEGIN", "702 END"]
    assert models.synthesizers[0].requests[-1].text == spoken


@pytest.mark.parametrize("text", ["<speak></speak>", "<speak>...</speak>", "<speak>😀</speak>", "<speak>  \n</speak>"])
def test_a_text_without_words_ends_as_well(client, text):
    assert events(client.speak("SPEAK", text)) == ["701 BEGIN", "702 END"]


def test_the_last_line_may_lack_speak(client):
    assert seconds(client.speak("SPEAK", "a < b")) > 1


def test_marks_come_in_their_places(client):
    text = '<speak><mark name="a"/>One. <mark name="b"/>Two and <mark name="c"/>three.<mark name="d"/></speak>'
    came = client.speak("SPEAK", text)
    places = {one: seconds(came[:at]) for at, one in enumerate(came) if isinstance(one, str) and one[:4] == "700-"}
    assert list(places) == ["700-a", "700-b", "700-c", "700-d"]
    assert places["700-a"] == 0 and places["700-b"] == pytest.approx(SPEECH, abs=0.01)
    assert SPEECH < places["700-c"] <= 2 * SPEECH
    assert places["700-d"] == pytest.approx(2 * SPEECH, abs=0.25)
    assert events(came).count("700 INDEX MARK") == 4


@pytest.mark.timed
def test_it_is_silent_at_once(client, models):
    models.settings["pause"] = 0.08
    client.speak("SPEAK", "<speak>Hello world, this is a text.</speak>", end="701 BEGIN")
    while not isinstance(client.heard.get(timeout=10), Block):
        pass
    begin = time.monotonic()
    client.send("STOP")
    client.until("703 STOP")
    assert time.monotonic() - begin < 0.02
    came = client.speak("CHAR", "a")
    assert events(came) == ["701 BEGIN", "702 END"]


def test_what_is_stopped_is_made_no_longer(client, voice, models, monkeypatch):
    given, speak = [], voice.speak
    monkeypatch.setattr(voice, "speak", lambda *asked: given.append(asked[-1]) or speak(*asked))
    models.settings["pause"] = 0.05
    client.speak("SPEAK", "<speak>Hello world, this is a text.</speak>", end="701 BEGIN")
    while not isinstance(client.heard.get(timeout=10), Block):
        pass
    client.send("STOP")
    client.until("703 STOP")
    assert [cancellation.is_cancelled for cancellation in given] == [True]
    made = models.synthesizers[0].frames_made
    time.sleep(0.3)
    assert models.synthesizers[0].frames_made <= made + 1


def test_a_pause_is_made_at_the_next_mark_of_speech_dispatcher(client, models):
    models.settings["pause"] = 0.01
    text = '<speak>One, <mark name="own"/>two.<mark name="__spd_0"/> Three.<mark name="__spd_1"/> Four.</speak>'
    client.speak("SPEAK", text, end="701 BEGIN")
    client.send("PAUSE")
    came = events(client.until("704 PAUSE"))
    assert came == ["700-own", "700 INDEX MARK", "700-__spd_0", "700 INDEX MARK", "704 PAUSE"]
    assert events(client.speak("CHAR", "a")) == ["701 BEGIN", "702 END"]


def test_without_such_a_mark_a_pause_lets_it_end(client, models):
    models.settings["pause"] = 0.01
    client.speak("SPEAK", "<speak>One.</speak>", end="701 BEGIN")
    client.send("PAUSE")
    assert events(client.until("702 END")) == ["702 END"]


def test_what_has_ended_is_not_stopped(client):
    client.speak("CHAR", "a")
    assert client.ask("STOP", "PAUSE") == []


def test_a_text_that_comes_too_early_ends_the_one_before(client, models):
    models.settings["pause"] = 0.08
    client.speak("SPEAK", "<speak>Hello.</speak>", end="701 BEGIN")
    client.send("CHAR", "b", ".")
    came = events(client.until("702 END"))
    assert came == ["202 OK RECEIVING MESSAGE", "703 STOP", "200 OK SPEAKING", "701 BEGIN", "702 END"]


def test_signs_are_named_where_it_is_wished(client, models):
    client.ask("SET", "punctuation_mode=all", ".")
    client.speak("SPEAK", "<speak>Well, a_b!</speak>")
    spoken = models.synthesizers[0].requests[-1].text
    assert spoken.split() == ["Well", "comma,", "a", "underscore", "b", "exclamation", "mark!"]


def test_a_failure_of_one_text_does_not_silence_the_next(client, models, caplog):
    client.speak("CHAR", "a")
    models.synthesizers[0].failure = ZeroDivisionError("planted")
    assert events(client.speak("CHAR", "b")) == ["701 BEGIN", "702 END"]
    assert "planted" in caplog.text
    models.synthesizers[0].failure = None
    assert seconds(client.speak("CHAR", "c")) > 1


def test_letters_are_made_while_nobody_speaks(models, settings):
    voice, (source, to_module) = ScreenVoice(settings), os.pipe()
    module = Module(voice, os.fdopen(source, "rb"), io.BytesIO(), idle_seconds=0.01)
    thread = threading.Thread(target=module.run)
    thread.start()
    os.write(to_module, b"INIT\n")
    wanted, end = {"A.", "B.", "C."}, time.monotonic() + 20
    while not wanted <= {request.text for one in models.synthesizers for request in one.requests}:
        assert time.monotonic() < end
        time.sleep(0.01)
    os.close(to_module)
    thread.join(timeout=10)
    assert not thread.is_alive()


def test_rate_pitch_and_volume_change_the_sound(client):
    plain = client.speak("CHAR", "a")

    def spoken(**wishes):
        client.ask("SET", *(f"{name}={value}" for name, value in wishes.items()), ".")
        return client.speak("CHAR", "a")

    fast = spoken(rate=100)
    assert seconds(fast) == pytest.approx(seconds(plain) / 3, rel=0.1)
    high = spoken(rate=0, pitch=100)
    assert {block.rate for block in high[1:-1]} == {30_238}
    assert seconds(high) == pytest.approx(seconds(plain), rel=0.05)
    soft = spoken(pitch=0, volume=0)
    assert np.abs(soft[2].samples).max() == pytest.approx(np.abs(plain[2].samples).max() / 2, abs=1)


def test_the_wished_voice_speaks(client, models):
    client.ask("SET", "synthesis_voice=Hazel", "language=de", "spelling_mode=on", ".")
    client.speak("SPEAK", "<speak>ab</speak>")
    request = models.synthesizers[0].requests[-1]
    assert (request.voice, request.language, request.text) == ("hazel", "german", "A. B.")


def test_no_byte_of_the_sound_breaks_a_line():
    with Cases() as case:
        for byte in range(256):
            with case(byte):
                check_byte(byte)


def check_byte(byte):
    value = int.from_bytes(bytes([byte, byte]), "little", signed=True)
    block = sound_block(np.full(3, value / 32767, np.float32), 24_000)
    head, _, rest = block.partition(b"\0")
    assert head.endswith(b"705-num_samples=3\n705-big_endian=0\n705-AUDIO")
    data, end = rest[: -len(b"\n705 AUDIO\n")], rest[-len(b"\n705 AUDIO\n") :]
    assert end == b"\n705 AUDIO\n" and b"\n" not in data
    expected = {0x0A: b"\x7d\x2a", 0x7D: b"\x7d\x5d"}.get(byte, bytes([byte])) * 6
    assert data == expected or value == -32768
