"""`mlx-tts speak` and `clone`: what reaches the synthesizer, what comes out where."""

import io
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from mlx_tts.audio.playback.ring import PreRoll
from mlx_tts.cli import run
from mlx_tts.library.voice_store import load_voice
from mlx_tts.speech import Sampling, Voice
from tests.helpers.fakes import FRAME, FakeModels, FakeSoundDevice, hum, make_folder
from tests.helpers.paths import ROOT

FAKES = ROOT / "tests" / "helpers" / "fakes.py"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """An empty working folder and home, no sound device, no network."""
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "HF_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setitem(sys.modules, "sounddevice", FakeSoundDevice(devices=0))
    return tmp_path


@pytest.fixture
def models(monkeypatch, tmp_path):
    fake = FakeModels()
    monkeypatch.setattr("mlx_tts.models.families.open_checkpoint", fake.open_checkpoint)
    monkeypatch.setattr("mlx_tts.api.load_checkpoint", fake.load_checkpoint)
    for kind in ("custom_voice", "base", "voice_design"):
        make_folder(tmp_path / "home" / kind)
    return fake


CUSTOM = ["--model", "home/custom_voice"]
BASE = ["--model", "home/base"]


def give_stdin(monkeypatch, data: bytes):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


@pytest.mark.parametrize("extension", ["wav", "flac", "mp3", "ogg", "opus", "WAV"])
def test_writes_what_the_extension_says(models, extension, place, capfd):
    assert run(["speak", "Hello.", *CUSTOM, "-o", f"out.{extension}"]) == 0
    info = soundfile.info(f"out.{extension}")
    assert (info.samplerate, info.channels, info.frames) == (24_000, 1, 25 * FRAME)
    expected = {"mp3": "MP3", "flac": "FLAC", "ogg": "OGG", "opus": "OGG"}.get(extension.lower(), "WAV")
    assert info.format == expected
    assert (info.subtype == "OPUS") == (extension == "opus")
    assert sorted(path.name for path in place.iterdir()) == ["home", f"out.{extension}"]
    assert capfd.readouterr().out == ""


def test_an_instruction_for_the_small_model_is_given_with_a_notice(models, capfd):
    assert run(["speak", "Hello.", *CUSTOM, "-o", "out.wav", "--instruct", "calmly"]) == 0
    assert "not trained for --instruct" in capfd.readouterr().err
    assert models.request.instruct == "calmly"


def test_figures_go_to_standard_error_and_quiet_hides_them(models, capfd):
    assert run(["speak", "Hello.", *CUSTOM, "-o", "out.wav"]) == 0
    assert capfd.readouterr().err == "wrote out.wav: 2.0 s\n"  # a script's log needs no figures
    assert run(["speak", "Hello.", *CUSTOM, "-o", "out.wav", "-v"]) == 0
    error = capfd.readouterr().err
    assert "wrote out.wav: 2.0 s\n2.00 s of speech in" in error
    assert all(word in error for word in ("real-time factor", "first audio after", "peak memory"))
    assert run(["speak", "Hello.", *CUSTOM, "-o", "out.wav", "-q"]) == 0
    assert capfd.readouterr().err == ""
    assert run(["speak", "Hello.", *CUSTOM, "-o", "out.wav", "-v"]) == 0
    assert "model home/custom_voice, language auto" in capfd.readouterr().err


def test_speech_of_no_samples_is_a_failure_and_leaves_nothing(models, place, capfd):
    models.settings["frames"] = 0
    assert run(["speak", "Hello.", *CUSTOM, "-o", "out.wav", "-q"]) == 1
    assert capfd.readouterr().err == "mlx-tts: the model ended at once and said nothing: try another --seed\n"
    assert [path.name for path in place.iterdir()] == ["home"]


def test_words_without_quotes_are_one_text(models):
    assert run(["speak", "hello", "world", *CUSTOM, "-o", "out.wav"]) == 0
    assert models.request.text == "hello world"


def test_quiet_and_verbose_may_stand_before_the_command(models, capfd):
    assert run(["-v", "speak", "Hello.", *CUSTOM, "-o", "out.wav"]) == 0
    assert "model home/custom_voice" in capfd.readouterr().err
    assert run(["-q", "speak", "Hello.", *CUSTOM, "-o", "out.wav"]) == 0
    assert capfd.readouterr().err == ""


def test_an_existing_file_is_replaced_unless_that_is_refused(models, capfd):
    for _ in range(2):
        assert run(["speak", "Hello.", *CUSTOM, "-o", "out.wav"]) == 0
    assert run(["speak", "Hello.", *CUSTOM, "-o", "out.wav", "--no-clobber"]) == 2
    assert "out.wav exists" in capfd.readouterr().err


def test_a_dry_run_prints_the_words_and_loads_nothing(models, capfd):
    text = "# One\n\nHello *there*.\n\n# Two\n\nBye."
    assert run(["speak", text, *CUSTOM, "--dry-run"]) == 0
    assert capfd.readouterr() == ("One\nHello there.\nTwo\nBye.\n", "")
    assert run(["speak", text, *CUSTOM, "--voice", "ryan", "--dry-run", "--json"]) == 0
    pieces = json.loads(capfd.readouterr().out)["pieces"]
    assert [piece["number"] for piece in pieces] == [1, 2, 3, 4]
    assert [piece["chapter"] for piece in pieces] == [1, 1, 2, 2]
    assert [piece["pause_after_seconds"] for piece in pieces] == [0.7, 1.4, 0.7, 0.0]
    assert pieces[1]["spoken"] == "Hello there."
    assert pieces[1]["voice"] == "ryan"
    assert models.synthesizers == []


def test_a_dry_run_says_the_language_of_each_piece(models, capfd):
    text = '<speak>One.<lang xml:lang="de">Zwei.</lang></speak>'
    assert run(["speak", text, *CUSTOM, "--voice", "ryan", "--language", "fr", "--dry-run", "--json"]) == 0
    pieces = json.loads(capfd.readouterr().out)["pieces"]
    assert [piece["language"] for piece in pieces] == ["french", "german"]


def test_what_is_written_and_what_is_spoken(models, capfd):
    text = "It cost $3.50 on 2026-11-21. [pause 2s] Bye."
    assert run(["speak", text, *CUSTOM, "--dry-run", "--normalise", "on", "--json"]) == 0
    first, second = json.loads(capfd.readouterr().out)["pieces"]
    assert "$3.50" in first["text"]
    assert "three dollars" in first["spoken"].lower()
    assert not any(character.isdigit() for character in first["spoken"])
    assert first["pause_after_seconds"] == 2.0
    assert second["spoken"] == "Bye."
    assert run(["speak", text, *CUSTOM, "--dry-run", "--normalise", "off", "--no-markup"]) == 0
    assert capfd.readouterr().out == text + "\n"
    assert run(["speak", text, *CUSTOM, "--dry-run", "--normalise", "maybe"]) == 2
    assert "use auto, on, off" in capfd.readouterr().err


def test_a_lexicon_says_how(models, place, capfd):
    (place / "words.toml").write_text('[[entry]]\nmatch = "Xiomara"\nsay = "See-oh-mara"\n')
    assert run(["speak", "Xiomara came.", *CUSTOM, "--lexicon", "words.toml", "--dry-run"]) == 0
    assert capfd.readouterr().out == "See-oh-mara came.\n"


def test_markup_that_is_left_out_is_named(models, capfd):
    assert run(["speak", "<speak><audio src='x'/>One.</speak>", *CUSTOM, "--dry-run"]) == 0
    assert "SSML that is not supported is left out: <audio>" in capfd.readouterr().err


def test_markup_changes_the_voice_and_unknown_ones_are_refused(models, capfd):
    text = "One. [voice:serena] Two."
    assert run(["speak", text, *CUSTOM, "--voice", "Ryan", "--dry-run", "--json"]) == 0
    assert [piece["voice"] for piece in json.loads(capfd.readouterr().out)["pieces"]] == ["ryan", "serena"]
    assert run(["speak", "One. [voice:nobody] Two.", *CUSTOM, "--dry-run"]) == 2
    assert "unknown voice 'nobody'" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("One. Two.", "Ryan"),
        ("One. [voice:serena] Two.", "Ryan, serena"),
        ("[voice:serena] One. [voice:ryan] Two.", "serena, ryan"),
        ("[voice:serena] One.", "serena"),
    ],
)
def test_all_voices_of_a_speech_are_named(models, capfd, text, names):
    assert run(["speak", text, *CUSTOM, "--voice", "Ryan", "-o", "out.wav"]) == 0
    assert re.fullmatch(rf"wrote out.wav: \d+\.\d s, {names}\n", capfd.readouterr().err)


def test_chapters_are_listed_and_chosen(models, capfd, place):
    (place / "book.md").write_text("# One\n\nIt was late.\n\n# Two\n\nThe sun rose.\n\n# Three\n\nBye.\n")
    assert run(["speak", "-f", "book.md", *CUSTOM, "--list-chapters"]) == 0
    assert capfd.readouterr().out == "1\tOne\n2\tTwo\n3\tThree\n"
    assert run(["speak", "-f", "book.md", *CUSTOM, "--dry-run", "--only-chapters", "2-3"]) == 0
    assert capfd.readouterr().out == "Two\nThe sun rose.\nThree\nBye.\n"
    assert run(["speak", "-f", "book.md", *CUSTOM, "--dry-run", "--only-chapters", "4"]) == 2


def test_standard_output_is_a_streaming_wav_and_nothing_else(models, capfdbinary):
    assert run(["speak", "Hello.", *CUSTOM, "-o", "-"]) == 0
    out = capfdbinary.readouterr().out
    riff, size, wave, data, data_size = struct.unpack("<4sI4s24x4sI", out[:44])
    assert (riff, wave, data, size, data_size) == (b"RIFF", b"WAVE", b"data", 0xFFFFFFFF, 0xFFFFFFFF)
    samples, rate = soundfile.read(io.BytesIO(out))
    assert rate == 24_000
    np.testing.assert_allclose(samples, hum(25), atol=1 / 32767)


def test_pcm_is_bare_16_bit_samples(models, capfdbinary):
    assert run(["speak", "Hello.", *CUSTOM, "-o", "-", "--format", "pcm"]) == 0
    samples = np.frombuffer(capfdbinary.readouterr().out, "<i2")
    np.testing.assert_array_equal(samples, np.round(hum(25) * 32767))


def test_without_o_and_play_it_writes_speech_wav_where_there_is_no_device(models, capfd):
    assert run(["speak", "Hello.", *CUSTOM]) == 0
    assert soundfile.info("speech.wav").frames == 25 * FRAME
    assert "wrote speech.wav: 2.0 s (no sound device found, so it was not played)" in capfd.readouterr().err


def test_a_name_that_nobody_chose_replaces_no_file(models, place, capfd):
    (place / "speech.wav").write_text("mine")
    for name in ("speech-2.wav", "speech-3.wav"):
        assert run(["speak", "Hello.", *CUSTOM]) == 0
        assert f"wrote {name}: 2.0 s" in capfd.readouterr().err
    assert (place / "speech.wav").read_text() == "mine"


@pytest.fixture
def device(monkeypatch):
    """It plays 40 times as fast as its clock says, so a model that takes its time would let it run dry, and the fade
    before a gap turns the last sample to nothing. Here it begins when the whole speech is there."""
    fake = FakeSoundDevice()
    monkeypatch.setitem(sys.modules, "sounddevice", fake)
    monkeypatch.setattr(PreRoll, "wanted_seconds", lambda self: None)
    return fake


@pytest.mark.parametrize("pause", [0, 0.012])
def test_without_o_and_play_it_plays_where_there_is_a_device(models, device, place, pause):
    models.settings["pause"] = pause  # of a frame: long enough for the pre-roll to tell a pace
    assert run(["speak", "Hello.", *CUSTOM, "-q"]) == 0
    assert not (place / "speech.wav").exists()
    assert device.streams[0].ended == "stopped"
    heard = device.streams[0].heard
    np.testing.assert_array_equal(heard[heard != 0], hum(25)[hum(25) != 0])


def test_play_and_o_together(models, device):
    assert run(["speak", "Hello.", *CUSTOM, "--play", "-o", "out.wav"]) == 0
    assert soundfile.info("out.wav").frames == 25 * FRAME
    assert np.count_nonzero(device.streams[0].heard) == np.count_nonzero(hum(25))


@pytest.mark.parametrize("arguments", [["-"], []])
def test_text_from_standard_input(models, monkeypatch, arguments):
    give_stdin(monkeypatch, "Guten Tag, schöne Welt.\n".encode())
    assert run(["speak", *arguments, *CUSTOM, "-o", "out.wav"]) == 0
    assert models.request.text == "Guten Tag, schöne Welt."


def test_text_from_a_file_with_a_byte_order_mark(models, place):
    (place / "text.txt").write_bytes(b"\xef\xbb\xbfHello.\n")
    assert run(["speak", "--file", "text.txt", *CUSTOM, "-o", "out.wav"]) == 0
    assert models.request.text == "Hello."


def test_every_option_reaches_the_request(models):
    line = (
        "speak Hello. --voice Uncle-Fu --language pt_BR --instruct calmly --seed 7 --max-seconds 1 --temperature 0.5 "
    )
    line += "--top-k 3 --top-p 0.25 --repetition-penalty 1.5 --subtalker-temperature 0"
    line += " --subtalker-top-k 4 --subtalker-top-p 1"
    assert run([*line.split(), *CUSTOM, "-o", "out.wav"]) == 0
    request = models.request
    assert (request.text, request.voice, request.language) == ("Hello.", "uncle_fu", "portuguese")
    assert (request.instruct, request.seed, request.max_frames) == ("calmly", 7, 13)
    assert request.sampling == Sampling(0.5, 3, 0.25, 1.5, 0.0, 4, 1.0)
    assert soundfile.info("out.wav").frames == 24_000, "to the sample, not to the frame"


def test_what_is_not_given_is_the_checkpoints_own(models):
    assert run(["speak", "Hello.", *CUSTOM, "-o", "out.wav"]) == 0
    request = models.request
    assert request.sampling == Sampling()
    assert (request.max_frames, request.instruct, request.language) == (None, None, "auto")
    assert request.seed is not None  # drawn once, for all the pieces of a text


def test_a_described_voice(models):
    assert run(["speak", "Hello.", "--model", "home/voice_design", "-i", "an old man", "-o", "out.wav"]) == 0
    assert (models.request.voice, models.request.instruct) == (None, "an old man")


def sample(path: Path, seconds: float = 2.0, rate: int = 44_100, channels: int = 2) -> Path:
    wave = 0.4 * np.sin(2 * np.pi * 150 / rate * np.arange(int(seconds * rate)))
    soundfile.write(path, np.repeat(wave[:, None], channels, axis=1), rate)
    return path


def test_clone_reads_any_rate_and_channel_count(models, place):
    sample(place / "ref.flac")
    arguments = ["clone", "Hello.", "--voice-sample", "ref.flac", "--transcript", "Some words.", *BASE, "-o", "out.wav"]
    assert run(arguments) == 0
    assert models.synthesizers[-1].clones == [(60_000, 24_000, "Some words.")]  # half a second of silence behind
    assert isinstance(models.request.voice, Voice)
    assert models.request.voice.transcript == "Some words."


def test_a_saved_voice_speaks_again(models, place, capfd):
    sample(place / "ref.wav")
    assert run(["clone", "--voice-sample", "ref.wav", *BASE, "--save-voice", "me.safetensors"]) == 0
    assert models.synthesizers[-1].requests == []
    saved = load_voice(place / "me.safetensors")
    assert (saved.model, saved.voice.transcript) == (str(place / "home" / "base"), None)
    assert run(["speak", "Hello.", "--voice", "me.safetensors", "-o", "out.wav"]) == 0
    np.testing.assert_array_equal(models.request.voice.speaker_embedding, saved.voice.speaker_embedding)
    assert capfd.readouterr().out == ""


class Terminal(io.TextIOWrapper):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("answer", "options", "code", "asked"),
    [
        ("\n", [], 0, True),
        ("y\n", [], 0, True),
        ("n\n", [], 1, True),
        ("n\n", ["--yes"], 0, False),
        ("n\n", ["--model", "0.6b-custom-8bit"], 1, True),
    ],
)
def test_a_model_is_downloaded_after_asking(models, place, monkeypatch, capfd, answer, options, code, asked):
    monkeypatch.delenv("HF_HUB_OFFLINE")
    folder = place / "home" / "custom_voice"
    for name in ("fetch", "fetch_description"):
        monkeypatch.setattr(f"mlx_tts.library.hub.{name}", lambda spec, **options: folder)
    monkeypatch.setattr("sys.stdin", Terminal(io.BytesIO(answer.encode()), encoding="utf-8"))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run(["speak", "Hello.", "--voice", "Ryan", "-o", "out.wav", *options]) == code
    error = capfd.readouterr().err
    assert ("0.6b-custom-8bit is not on disk. Download it now (2.0 GB)? [Y/n]" in error) == asked
    assert (place / "out.wav").exists() == (code == 0)
    assert code == 0 or error.endswith(
        "mlx-tts: nothing was done: 0.6b-custom-8bit was not downloaded (`mlx-tts pull 0.6b-custom-8bit` "
        "does it later, --model takes another)\n"
    )


def test_without_a_terminal_nothing_is_downloaded(models, place, monkeypatch, capfd):
    monkeypatch.delenv("HF_HUB_OFFLINE")
    for options in (["--voice", "Ryan"], ["--model", "0.6b-custom-8bit"]):
        assert run(["speak", "Hello.", "-o", "out.wav", *options]) == 1
        assert "0.6b-custom-8bit (2.0 GB) is not on disk: add --yes to download it" in capfd.readouterr().err


@pytest.mark.parametrize(
    "command",
    [["serve", "--model", "0.6b-custom-8bit", "--port", "0"], ["batch", "rows.jsonl", "-o", "out"]],
    ids=["serve", "a batch whose row names it"],
)
def test_nor_by_a_server_or_for_a_row_of_a_batch(place, monkeypatch, capfd, command):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    for name in ("fetch", "fetch_description"):
        monkeypatch.setattr(f"mlx_tts.library.hub.{name}", lambda *_, **__: pytest.fail("something was fetched"))
    (place / "rows.jsonl").write_text('{"id": "one", "text": "Hello.", "model": "0.6b-custom-8bit"}\n')
    assert run(command) == 1
    assert "0.6b-custom-8bit (2.0 GB) is not on disk: add --yes to download it" in capfd.readouterr().err
    assert not (place / "out").exists()


def test_a_failure_on_the_way_keeps_what_was_spoken(models, place, capfd):
    models.settings["failure"] = ValueError("lost a tensor")
    assert run(["speak", "Hello.", *CUSTOM, "-o", "out.wav"]) == 1
    assert soundfile.info("out.partial.wav").frames == 10 * FRAME
    assert not (place / "out.wav").exists()
    error = capfd.readouterr().err.splitlines()
    assert error[0] == "stopped after 0.8 s of speech, kept in out.partial.wav"
    assert error[1] == "mlx-tts: unexpected ValueError: lost a tensor (run it again with --debug and report it)"
    assert len(error) == 2


def start(pause: float, *arguments: str, **options) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": str(FAKES.parents[1])}
    make_folder(Path("model"))
    command = [sys.executable, str(FAKES), str(pause), *arguments, "--model", "model"]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, **options)


@pytest.mark.slow
def test_ctrl_c_leaves_a_valid_file_that_says_what_it_is(place):
    process = start(0.05, "speak", "Hello.", "-o", "out.mp3")
    deadline = time.monotonic() + 20
    while not list(place.glob(".out.*.unfinished")) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(1.5)  # some frames, also where another program has the processor
    process.send_signal(signal.SIGINT)
    error = process.communicate(timeout=20)[1].decode()
    assert process.returncode == 130
    assert "interrupted after" in error
    assert "kept in out.partial.mp3" in error
    assert "Traceback" not in error
    assert sorted(path.name for path in place.iterdir()) == ["model", "out.partial.mp3"]
    samples, rate = soundfile.read(place / "out.partial.mp3")
    assert rate == 24_000
    assert 0.1 * rate < len(samples) < 19 * rate
    assert np.abs(samples).max() > 0.2


@pytest.mark.slow
def test_a_closed_pipe_is_quiet(place):
    process = start(0.005, "speak", "Hello.", "-o", "-", stdout=subprocess.PIPE)
    assert process.stdout.read(44)[:4] == b"RIFF"
    process.stdout.close()
    error = process.stderr.read().decode()
    assert process.wait(20) == 1
    assert error == ""


@pytest.mark.parametrize("there", [True, False], ids=["a pipe", "no descriptor"])
def test_a_closed_pipe_leaves_no_descriptor(tmp_path, monkeypatch, there):
    from mlx_tts import cli

    with (tmp_path / "out").open("w") if there else io.StringIO() as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        before = sum(1 for _ in Path("/dev/fd").iterdir())
        assert cli._closed_pipe() == 1
        assert sum(1 for _ in Path("/dev/fd").iterdir()) == before


@pytest.mark.parametrize("speed", ["0.5", "2"])
def test_speed_changes_the_length_of_what_is_written_and_piped(models, speed, capfdbinary):
    assert run(["speak", "Hello.", *CUSTOM, "--speed", speed, "-o", "out.wav"]) == 0
    assert soundfile.info("out.wav").duration == pytest.approx(2.0 / float(speed), abs=0.06)
    capfdbinary.readouterr()
    assert run(["speak", "Hello.", *CUSTOM, "--speed", speed, "-o", "-", "--format", "pcm"]) == 0
    assert len(capfdbinary.readouterr().out) / 48_000 == pytest.approx(2.0 / float(speed), abs=0.06)


def test_loudness_and_the_limit_on_peaks(models, monkeypatch, capfd):
    from mlx_tts.audio.effects.loudness import LoudnessMeter
    from tests.helpers import fakes

    def level(name):
        samples = soundfile.read(name, dtype="float32")[0]
        meter = LoudnessMeter(24_000)
        meter.add(samples)
        return np.abs(samples).max(), meter.lufs

    assert run(["speak", "Hello.", *CUSTOM, "--loudness", "-16", "-o", "out.wav"]) == 0
    assert level("out.wav")[1] == pytest.approx(-16, abs=0.3)
    monkeypatch.setattr(fakes, "hum", lambda frames: hum(frames) / np.float32(0.3))  # up to 0 dBFS
    assert run(["speak", "Hello.", *CUSTOM, "-o", "out.wav"]) == 0
    assert 0.85 < level("out.wav")[0] <= 10 ** (-1 / 20)
    assert run(["speak", "Hello.", *CUSTOM, "--loudness", "off", "-o", "out.wav"]) == 0
    assert level("out.wav")[0] > 0.99
    assert run(["speak", "Hello.", *CUSTOM, "--loudness", "loud", "-o", "out.wav"]) == 2
    assert "--loudness is 'loud': give -40 to -5 LUFS, or off" in capfd.readouterr().err


@pytest.mark.parametrize("more", [[], ["--batch", "3"]])
def test_subtitles_say_when_each_sentence_and_word_is_spoken(models, more, capfd):
    text = "One sentence. And a second one! Then a third."
    assert run(["speak", text, *CUSTOM, *more, "-o", "out.wav", "--subtitles", "out.json"]) == 0
    assert [request.text for request in models.synthesizers[-1].requests] == [
        "One sentence.", "And a second one!", "Then a third."]  # fmt: skip
    entries = json.loads(Path("out.json").read_text())
    assert [entry["text"] for entry in entries] == ["One sentence.", "And a second one!", "Then a third."]
    samples = soundfile.read("out.wav", dtype="float32")[0]
    for entry in entries:  # the model hums for 2 s; between two sentences there is quiet
        assert entry["end"] - entry["start"] == pytest.approx(2.0, abs=0.08)
        before = samples[: round(entry["start"] * 24_000)]
        assert not len(before) or np.abs(before[-2000:]).max() < 0.01
    words = ["speak", text, *CUSTOM, "-o", "out.wav", "--subtitles", "words.srt", "--subtitle-level", "word"]
    assert run(words) == 0
    assert Path("words.srt").read_text().count("-->") == 9
    assert run(["speak", text, *CUSTOM, "-o", "out.wav", "--subtitles", "out.txt"]) == 2
    assert "must end in .srt" in capfd.readouterr().err
