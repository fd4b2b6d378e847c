"""`mlx-tts voice`: made, listed, shown, heard, spoken with, renamed, removed, given away and taken in."""

import io
import json
import sys
from dataclasses import replace

import numpy as np
import pytest
import soundfile

from mlx_tts.cli import run
from mlx_tts.library.voice_store import load_voice, save_voice, write_voice
from mlx_tts.speech import Voice
from tests.cli.test_speak import models, place, sample  # noqa: F401 (fixtures)
from tests.helpers.fakes import FRAME, FakeSoundDevice

BASE = ["--model", "home/base"]
DESIGN = ["--model", "home/voice_design"]


@pytest.fixture(autouse=True)
def home(monkeypatch, place):  # noqa: F811
    monkeypatch.setenv("MLX_TTS_HOME", str(place / "mine"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b""), encoding="utf-8"))
    return place / "mine" / "voices"


@pytest.fixture
def made(models, place, home):  # noqa: F811
    sample(place / "me.wav", seconds=4.0)
    assert run(["voice", "make", "me", "--sample", "me.wav", "--language", "de", *BASE, "-q"]) == 0
    return home / "me.safetensors"


def said(capfd, *arguments: str, code: int = 0) -> str:
    capfd.readouterr()
    assert run(list(arguments)) == code
    out, error = capfd.readouterr()
    return error if code else out


def test_a_voice_is_made_kept_and_spoken_with(models, made, place, capfd):  # noqa: F811
    saved = load_voice(made)
    assert (saved.model, saved.language, saved.voice.name) == (str(place / "home" / "base"), "german", "me")
    assert saved.recording.seconds == pytest.approx(4.0, abs=0.01)
    assert saved.voice.transcript is None
    assert [path.name for path in made.parent.iterdir()] == ["me.safetensors"]
    assert run(["speak", "Hello.", "--voice", "ME", "-o", "out.wav"]) == 0  # the model it was made with
    np.testing.assert_array_equal(models.request.voice.speaker_embedding, saved.voice.speaker_embedding)
    assert soundfile.info("out.wav").frames == 25 * FRAME


def test_a_recording_is_read_before_a_model_is_fetched(models, place, capfd, monkeypatch):  # noqa: F811
    opened = []
    monkeypatch.setattr("mlx_tts.cli.model_access.open_checkpoint", lambda *asked: opened.append(asked))
    assert run(["voice", "make", "me", "--sample", "none.wav", *BASE]) != 0
    assert "none.wav" in capfd.readouterr().err and opened == []


def test_the_steps_are_reported(models, place, capfd):  # noqa: F811
    wave = np.concatenate([np.zeros(24_000), 0.02 * np.sin(np.arange(96_000) / 20), np.zeros(24_000)])
    soundfile.write(place / "quiet.wav", wave, 24_000)
    words = ["--transcript", "Far fewer words."]
    assert run(["voice", "make", "me", "--sample", "quiet.wav", *words, *BASE]) == 0
    error = capfd.readouterr().err
    assert "voice sample: trimmed 0.90 s of silence before the voice and 0.90 s behind it\n" in error
    assert "voice sample: raised the level by 1" in error
    assert "warning: the transcript seems to be not all of the recording" in error
    assert "leave the transcript out to clone by the speaker vector alone" in error
    assert 'kept the voice me: mlx-tts speak "Hello." --voice me' in error
    (samples, _, transcript) = models.synthesizers[-1].clones[0]
    assert (samples, transcript) == (4.2 * 24_000 + 12_000, "Far fewer words.")


def test_a_transcript_of_another_language_is_told(models, place, capfd):  # noqa: F811
    sample(place / "me.wav", seconds=6.0)
    words = ["--transcript", "Ich habe das nicht gewusst, und es war mir auch nicht wichtig, denn ich war noch da."]
    assert run(["voice", "make", "me", "--sample", "me.wav", "--language", "en", *words, *BASE]) == 0
    assert "warning: the transcript reads like German, not English: check --language" in capfd.readouterr().err


def test_the_list_has_presets_and_own_voices(made, capfd):
    out = said(capfd, "voice", "list")
    assert "hazel      tiny\n" in out
    assert "\nYour own:\nme         /" in out
    assert out == said(capfd, "voices") == said(capfd, "voice")
    assert "hazel      woman  English   US        bright\n" in said(capfd, "voices", "--details")
    rows = {row["name"]: row for row in json.loads(said(capfd, "voice", "list", "--json"))}
    assert (rows["ivy"]["kind"], rows["ivy"]["sex"], rows["ivy"]["models"]) == ("preset", "woman", ["tiny"])
    assert (rows["me"]["kind"], rows["me"]["language"]) == ("own", "german")
    (made.parent / "bad.safetensors").write_bytes(b"nonsense")
    assert run(["voices"]) == 0
    assert "bad.safetensors is not a voice file or is damaged" in capfd.readouterr().err


def test_a_voice_is_shown_renamed_exported_imported_and_removed(made, place, capfd):  # noqa: F811
    out = said(capfd, "voice", "show", "me")
    assert "recording    4.0 s\n" in out
    assert "form         speaker vector\n" in out
    assert "accent       Sichuan\n" in said(capfd, "voice", "show", "eric")
    assert said(capfd, "voice", "rename", "me", "Aunt May") == "me is now Aunt May\n"
    assert said(capfd, "voice", "export", "aunt may", "may.safetensors").endswith("(with its recording)\n")
    assert (
        said(capfd, "voice", "export", "aunt may", "slim.safetensors", "--forget-sample") == "wrote slim.safetensors\n"
    )
    assert load_voice(place / "may.safetensors").recording is not None
    assert load_voice(place / "slim.safetensors").recording is None
    assert said(capfd, "voice", "import", "slim.safetensors") == "kept the voice slim\n"
    assert said(capfd, "voice", "import", "may.safetensors", "--name", "June") == "kept the voice June\n"
    assert "removed " in said(capfd, "voice", "rm", "Aunt May", "--yes")
    assert sorted(path.name for path in made.parent.iterdir()) == ["June.safetensors", "slim.safetensors"]


def test_a_damaged_voice_can_be_removed(made, capfd):
    made.write_bytes(b"nonsense")
    assert "removed " in said(capfd, "voice", "rm", "me", "--yes")
    assert not made.exists()


def test_another_model_prepares_the_voice_again_from_its_recording(models, made, place, capfd):  # noqa: F811
    saved = load_voice(made)
    narrow = Voice(np.ones(3, np.float32), name="me")
    write_voice(replace(saved, voice=narrow, model="0.6b-base-8bit"), made)
    assert run(["speak", "Hello.", "--voice", "me", *BASE, "-o", "out.wav"]) == 0
    assert "the voice was made with 0.6b-base-8bit: preparing it for this one" in capfd.readouterr().err
    assert len(models.synthesizers[-1].clones) == 1
    assert len(models.request.voice.speaker_embedding) > 3
    write_voice(replace(saved, voice=narrow, recording=None), made)
    assert run(["speak", "Hello.", "--voice", "me", *BASE, "-o", "none.wav"]) == 2
    assert "has a speaker vector of (3,), this model needs" in capfd.readouterr().err
    assert not (place / "none.wav").exists()


@pytest.fixture
def moody(models, place, home):  # noqa: F811
    """The voice `me` with the style sad, whose vector differs: the stand-in makes the same one of every recording."""
    for name in ("me", "sad"):
        sample(place / f"{name}.wav", seconds=4.0)
    line = ["voice", "make", "me", "--sample", "me.wav", "--style", "Sad=sad.wav", "--language", "de", *BASE, "-q"]
    assert run(line) == 0
    saved = load_voice(home / "me.safetensors")
    assert saved.style_recordings["sad"].seconds == pytest.approx(4.0, abs=0.01)
    sad = replace(saved.voice.styles["sad"], speaker_embedding=saved.voice.speaker_embedding + np.float32(1))
    write_voice(replace(saved, voice=replace(saved.voice, styles={"sad": sad})), home / "me.safetensors")
    return home / "me.safetensors"


def test_a_tag_in_a_text_asks_for_a_style_of_the_voice(models, moody, capfd):  # noqa: F811
    line = ["speak", "It was there. [sad] It is lost. [happy] Or not.", "--voice", "me", "-o", "out.wav"]
    assert run(line) == 0
    plain, sad, happy = models.synthesizers[-1].requests
    assert [request.text for request in (plain, sad, happy)] == ["It was there.", "It is lost.", "Or not."]
    np.testing.assert_array_equal(sad.voice.speaker_embedding, plain.voice.speaker_embedding + np.float32(1))
    np.testing.assert_array_equal(happy.voice.speaker_embedding, plain.voice.speaker_embedding)
    error = capfd.readouterr().err
    assert "pace and loudness alone say [happy]" in error and "[sad]" not in error
    assert "sad" in said(capfd, "voice", "show", "me")


def test_styles_are_prepared_again_too(models, moody, capfd):  # noqa: F811
    saved = load_voice(moody)
    narrow = {"sad": Voice(np.ones(3, np.float32))}
    write_voice(replace(saved, voice=Voice(np.ones(3, np.float32), name="me", styles=narrow)), moody)
    assert run(["speak", "[sad] It is lost.", "--voice", "me", *BASE, "-o", "out.wav"]) == 0
    assert len(models.synthesizers[-1].clones) == 2
    assert len(models.request.voice.speaker_embedding) > 3


def test_a_batch_refuses_a_voice_that_another_model_made(models, made, place, capfd):  # noqa: F811
    narrow = Voice(np.ones(3, np.float32), name="me")
    write_voice(replace(load_voice(made), voice=narrow, model="0.6b-base-8bit"), made)
    (place / "lines.jsonl").write_text('{"id": "a", "text": "Hello."}\n')
    assert run(["batch", "lines.jsonl", "-o", "out", "--voice", "me", *BASE]) != 0
    assert (
        "the voice 'me' was made with 0.6b-base-8bit: use that model, or make the voice again" in capfd.readouterr().err
    )


def test_a_preset_of_the_named_model_goes_before_a_saved_voice(models, made, place, monkeypatch):  # noqa: F811
    monkeypatch.setattr("tests.helpers.fakes.VOICES", ("me",))
    assert run(["speak", "Hello.", "--voice", "me", "--model", "home/custom_voice", "-o", "out.wav"]) == 0
    assert models.request.voice == "me"


def test_a_voice_made_elsewhere_names_a_model_that_fits(made, capfd):
    save_voice(Voice(np.ones(1024, np.float32)), made, "/somewhere/else")
    assert "0.6b-base-8bit" in said(capfd, "speak", "Hi", "--voice", "me", "--offline", "-o", "x.wav", code=1)
    save_voice(Voice(np.ones(7, np.float32)), made, "/somewhere/else")
    assert "was made with /somewhere/else, which is not here" in said(
        capfd, "speak", "Hi", "--voice", "me", "-o", "x.wav", code=2
    )


def test_the_recording_is_played_or_the_model_speaks(models, made, place, capfd, monkeypatch):  # noqa: F811
    loaded = len(models.synthesizers)
    assert run(["voice", "play", "me", "-o", "heard.wav"]) == 0
    assert soundfile.info("heard.wav").frames == 4 * 24_000
    assert len(models.synthesizers) == loaded
    assert run(["voice", "play", "me", "Some", "words.", "-o", "spoken.wav"]) == 0
    assert models.request.text == "Some words."
    assert run(["voice", "play", "serena", "--model", "home/custom_voice", "-o", "preset.wav"]) == 0
    assert models.request.voice == "serena"
    assert models.request.text.startswith("你昨天晚上")
    device = FakeSoundDevice()
    monkeypatch.setitem(sys.modules, "sounddevice", device)
    assert run(["voice", "play", "me", "-q"]) == 0
    assert np.abs(device.streams[-1].heard).max() > 0.05


def test_a_voice_is_designed(models, home, capfd):  # noqa: F811
    words = ["voice", "design", "narrator", "a warm elderly narrator", *DESIGN, "--for", "home/base", "--seed", "3"]
    assert run(words) == 0
    designer, cloner = models.synthesizers
    assert (designer.requests[0].instruct, designer.requests[0].seed) == ("a warm elderly narrator", 3)
    saved = load_voice(home / "narrator.safetensors")
    assert saved.description == "a warm elderly narrator"
    assert saved.voice.transcript == designer.requests[0].text == cloner.clones[0][2]
    assert "description  a warm elderly narrator\n" in said(capfd, "voice", "show", "narrator")


@pytest.mark.slow
def test_a_recording_from_the_microphone(models, home, monkeypatch, capfd):  # noqa: F811
    heard = 0.3 * np.sin(np.arange(48_000) / 40) * (1 + np.sin(np.arange(48_000) / 3000)) / 2
    monkeypatch.setitem(sys.modules, "sounddevice", FakeSoundDevice(devices=0, heard=heard))
    monkeypatch.setattr("mlx_tts.cli.voice_sample.READING_SLOWLY", 0.1)
    assert run(["voice", "make", "me", "--record", *BASE]) == 0
    error = capfd.readouterr().err
    assert "Read this aloud: Did you hear the rain last night?" in error
    assert "recorded " in error
    assert load_voice(home / "me.safetensors").voice.transcript.startswith("Did you hear the rain")
    monkeypatch.setitem(sys.modules, "sounddevice", FakeSoundDevice(devices=0, heard=np.zeros(480)))
    assert "the microphone gave silence" in said(capfd, "voice", "make", "you", "--record", *BASE, code=1)
    monkeypatch.setitem(sys.modules, "sounddevice", FakeSoundDevice(devices=0))
    assert "no microphone can be opened" in said(capfd, "voice", "make", "you", "--record", *BASE, code=1)


def test_without_portaudio_a_recording_is_asked_for(models, monkeypatch, capfd):  # noqa: F811
    class NoPortAudio:
        def find_spec(self, name, *_):
            if name == "sounddevice":
                raise OSError("PortAudio library not found")

    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.setattr(sys, "meta_path", [NoPortAudio(), *sys.meta_path])
    error = said(capfd, "voice", "make", "me", "--record", *BASE, code=1)
    assert "PortAudio is missing: " in error and "or give a recording with --voice-sample" in error


def test_words_are_recognised(models, place, home, monkeypatch, capfd):  # noqa: F811
    from mlx_tts.audio import recogniser

    sample(place / "me.wav", seconds=4.0)
    asked = []

    def transcribe(samples, rate, code, model, agrees):
        asked.append((len(samples), rate, code, model))
        return recogniser.RecognisedSpeech("What I say in it, word for word and slowly.", "en")

    monkeypatch.setattr(recogniser, "transcribe", transcribe)
    line = ["voice", "make", "me", "--sample", "me.wav", "--transcribe", "--recogniser", "tiny", *BASE]
    assert run(line) == 0
    assert asked == [(96_000, 24_000, None, "tiny")]
    saved = load_voice(home / "me.safetensors")
    assert (saved.voice.transcript, saved.language) == ("What I say in it, word for word and slowly.", "english")
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert "[transcribe]'`, or give --transcript" in said(capfd, *line[:2], "you", *line[3:], code=2)


BAD = [
    ("voice make ../me --sample me.wav", 2, "'../me' is not a name for a voice"),
    ("voice make Ryan --sample me.wav", 2, "'Ryan' is a preset voice"),
    (
        "voice make me",
        2,
        "Missing option '--sample': give a recording of the voice, such as --sample me.wav, or --record",
    ),
    ("voice make me --sample me.wav --record", 2, "both --sample and --record"),
    ("voice make me --sample me.wav --transcript x --transcribe", 2, "both --transcript and --transcribe"),
    ("voice make me --sample me.wav --style sad", 2, "give NAME=FILE, such as sad=sad.wav"),
    ("voice make me --sample me.wav --style s/d=me.wav", 2, "'s/d' is not a name for a style"),
    ("voice make me --sample me.wav --style sad=none.wav", 2, "no audio file none.wav"),
    ("voice make me --sample me.wav --style sad=me.wav --style SAD=me.wav", 2, "names sad twice"),
    ("voice make me --sample none.wav", 2, "no audio file none.wav"),
    ("voice make me --sample silent.wav", 1, "silent.wav is silent"),
    ("voice make me --sample me.wav --model home/custom_voice", 2, "cannot clone: use a Base model"),
    ("voice make me --sample me.wav --language klingon --model home/base", 2, "unknown language 'klingon'"),
    ("voice design me warm --model home/base --for home/base", 2, "cannot design voices"),
    ("voice rm me", 2, "no voice of yours is called 'me': there are none yet"),
    ("voice show ../../etc/passwd", 2, "no voice of yours is called"),
    ("voice play nobody", 2, "no voice is called 'nobody'"),
    ("voice rename a b", 2, "no voice of yours is called 'a'"),
    ("voice export me me.wav", 2, "voice files: they end in .safetensors|is not a name for a voice file"),
    ("voice import none.safetensors", 2, "no voice file none.safetensors"),
    ("voice import silent.wav", 1, "is not a voice file or is damaged"),
    ("voice import good.safetensors --name ../x", 2, "is not a name for a voice"),
    ("speak Hi --voice nobody -o x.wav", 2, "unknown voice 'nobody'"),
]


@pytest.mark.parametrize(("line", "code", "says"), BAD, ids=[row[0] for row in BAD])
def test_bad_input_is_one_line_and_leaves_nothing(models, place, home, capfd, line, code, says):  # noqa: F811
    sample(place / "me.wav")
    soundfile.write(place / "silent.wav", np.zeros(48_000), 24_000)
    save_voice(Voice(np.ones(8, np.float32)), place / "good.safetensors")
    before = sorted(place.rglob("*"))
    error = said(capfd, *line.split(), code=code)
    assert error.startswith("mlx-tts: ")
    assert error.count("\n") == 1
    assert any(part in error for part in says.split("|"))
    assert sorted(place.rglob("*")) == before
    assert models.synthesizers == []


def test_a_name_that_is_taken_is_refused_before_any_work(models, made, capfd):  # noqa: F811
    loaded = len(models.synthesizers)
    error = said(capfd, "voice", "make", "Me", "--sample", "me.wav", *BASE, code=2)
    assert "a voice is called 'me' already" in error
    assert len(models.synthesizers) == loaded


def test_a_text_may_name_saved_voices(models, made, place, home, capfd):  # noqa: F811
    sample(place / "you.wav", seconds=5.0)
    assert run(["voice", "make", "you", "--sample", "you.wav", "--language", "de", *BASE, "-q"]) == 0
    mine, yours = (load_voice(home / f"{name}.safetensors").voice for name in ("me", "you"))
    write = replace(yours, speaker_embedding=yours.speaker_embedding + np.float32(1))
    save_voice(write, home / "you.safetensors")  # the stand-in makes the same vector of every recording
    line = ["speak", "One. [voice:You] Two. [voice:me] Three.", "--voice", "me", *BASE, "--seed", "5"]
    assert run([*line, "-o", "out.wav", "--keep-pieces"]) == 0
    asked = models.synthesizers[-1].requests
    assert [request.text for request in asked] == ["One.", "Two.", "Three."]
    heard = [request.voice.speaker_embedding for request in asked]
    for vector, voice in zip(heard, (mine, write, mine), strict=True):
        np.testing.assert_array_equal(vector, voice.speaker_embedding)
    plan = json.loads(said(capfd, *line, "--dry-run", "--json"))["pieces"]
    assert [piece["voice"] for piece in plan] == ["me", "You", "me"]
    save_voice(yours, home / "you.safetensors")  # another voice under the name: the kept pieces are not of it
    assert "pieces of other settings (text)" in said(capfd, *line, "-o", "out.wav", "--resume", code=2)


def test_a_text_names_no_files_and_no_voice_that_does_not_fit(models, made, place, capfd):  # noqa: F811
    line = ["speak", "--voice", "me", *BASE, "-o", "out.wav"]
    (place / "copy.safetensors").write_bytes(made.read_bytes())
    assert "copy.safetensors" in said(capfd, *line, "One. [voice:copy.safetensors] Two.", code=2)
    save_voice(Voice(np.ones(3, np.float32), name="thin"), made.parent / "thin.safetensors")
    told = said(capfd, *line, "One. [voice:thin] Two.", code=2)
    assert told.startswith("mlx-tts: [voice:thin]: ") or "[voice:thin]: " in told
    assert "has a speaker vector of (3,)" in told
    assert not (place / "out.wav").exists()
