"""A family plugs in through the list of families alone: command, Python, narration and bench speak it as it is."""

import json

import numpy as np
import pytest
import soundfile

import mlx_tts
from mlx_tts import SpeechRequest
from mlx_tts.api import TextToSpeech
from mlx_tts.cli import run
from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.generation.synthesizer import ClonesVoices, HasCodes
from mlx_tts.models import families
from mlx_tts.speech import Sampling
from tests.helpers.toy_answers import ANSWERS
from tests.helpers.toy_family import FRAME, RATE

TEXT = "The old man sat by the sea. " * 30


@pytest.fixture
def toy(tmp_path, monkeypatch):
    monkeypatch.setitem(families.FAMILIES, "toy", "tests.helpers.toy_family:FAMILY")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "toy"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "toy_tones"}))
    return folder


def hertz(samples: np.ndarray) -> float:
    return float(np.argmax(np.abs(np.fft.rfft(samples))) * RATE / len(samples))


def test_python_speaks_it(toy):
    with mlx_tts.load(toy) as tts:
        assert tts.sample_rate == RATE
        speech = tts.speak("Hello there.", voice="high", seed=3)
        assert speech.sample_rate == RATE
        assert 435 < hertz(speech.samples) < 450
        assert speech.report.takes == 1
        streamed = np.concatenate([chunk.samples for chunk in tts.stream("Hello there.", voice="high", seed=3)])
        np.testing.assert_array_equal(streamed, speech.samples)
        lower = tts.speak(SpeechRequest("Hello there.", options={"octave": 1}))
        assert 218 < hertz(lower.samples) < 226
        with pytest.raises(RequestError, match="has no codes"):
            tts.generate_codes(SpeechRequest("Hello."))
        with pytest.raises(RequestError, match="unknown voice 'ryan'"):
            tts.speak("Hello.", voice="ryan")


def test_it_answers_every_public_member(toy):
    assert set(ANSWERS) == {name for name in dir(TextToSpeech) if not name.startswith("_")}
    with mlx_tts.load(toy) as tts:
        for name, (ask, answer) in ANSWERS.items():
            try:
                found = ask(tts)
            except RequestError as error:
                found = str(error)
            assert found == answer, name
        for name in ("voice", "prompt", "kernel_form", "generate_codes", "clear_references"):
            with pytest.raises(MlxTtsError, match="this model was closed"):
                ANSWERS[name][0](tts)


@pytest.mark.slow
def test_what_a_model_can_do_is_what_its_synthesizer_has(toy):
    for model in (toy, "tiny", "tiny-base"):
        with mlx_tts.load(model) as tts:
            assert tts.info.can.codes == isinstance(tts._synthesizer, HasCodes)
            assert isinstance(tts._synthesizer, ClonesVoices) or not tts.info.can.clones


def test_the_command_speaks_it(toy, capfd):
    assert (
        run(["speak", "Hello there.", "--model", "toy", "--voice", "high", "-o", "out.wav", "--option", "octave=1"])
        == 0
    )
    samples, rate = soundfile.read("out.wav")
    assert rate == RATE
    assert 870 < hertz(samples) < 900
    assert run(["speak", "Hello.", "--model", "toy", "-o", "out.wav", "--option", "octave=x"]) == 2
    assert "--option octave is 'x': give a int" in capfd.readouterr().err
    assert run(["voices", "--model", "toy"]) == 0
    assert "low\nhigh\nlanguages: auto, english" in capfd.readouterr().out


@pytest.mark.slow
def test_its_phase_goes_on_from_piece_to_piece(toy):
    assert run(["speak", TEXT, "--model", "toy", "-o", "out.wav", "--sentence-pause", "0", "--batch", "4"]) == 0
    samples, _ = soundfile.read("out.wav")
    assert len(samples) > 40 * RATE  # more than two pieces
    steepest = 0.3 * 2 * np.pi * 115 / RATE
    assert np.abs(np.diff(samples)).max() < 1.5 * steepest
    with mlx_tts.load(toy) as tts:
        chunks = list(tts.narrate(TEXT, seed=0))
        assert sum(chunk.report is not None for chunk in chunks) > 2  # pieces
        assert np.abs(np.diff(chunks[0].samples)).max() < 1.5 * steepest


def test_what_it_cannot_do_is_said_in_one_line(toy, capfd):
    assert run(["convert", "toy", "made", "--bits", "4"]) == 2
    assert "a toy model cannot be converted: use it as it is" in capfd.readouterr().err
    assert run(["convert", "toy", "made", "--format", "coreml"]) == 2
    assert "a toy model has no form for Core ML" in capfd.readouterr().err


def test_bench_measures_it(toy, capfd):
    assert run(["bench", "--model", "toy", "--frames", "20", "--runs", "1"]) == 0
    assert "| toy | CPU |" in capfd.readouterr().out


def test_latents_are_kept_and_resumed_like_codes(toy):
    with mlx_tts.load(toy) as tts:
        stream = tts.submit(SpeechRequest("Hello there.", sampling=Sampling()))
        samples = np.concatenate([chunk.samples for chunk in stream])
        assert stream.codes.dtype == np.float64
        assert len(samples) == len(stream.codes) * FRAME
