"""The voice in the box: a recogniser understands it, its codes are the official code's, its voices are four."""

import json
import re
import shlex

import numpy as np
import pytest
import soundfile

import mlx_tts
from mlx_tts import Sampling, SpeechRequest
from mlx_tts.api import load_folder
from mlx_tts.cli import run
from tests.helpers.golden import dequantised, mostly_the_same
from tests.helpers.hearing import recognised, word_errors, words
from tests.helpers.paths import BUILT_IN, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.heard]

GREEDY = Sampling(temperature=0, repetition_penalty=1.05)  # what the official `generate` does unless told otherwise
SENTENCES = [
    "We will meet at the station in the morning.",
    "The price went up to 25 dollars, so we stayed at home!",
]


PITCH = {"miles": 118, "ivy": 180, "rowan": 148, "hazel": 198}  # Hz


@pytest.fixture(scope="module")
def tiny():
    return mlx_tts.load("tiny")


def test_on_the_cpu_it_makes_codes_by_rows(tiny):
    """The form that takes half of the time there: a change of the layers' layout would lose it unseen."""
    assert tiny._synthesizer.talker.code_predictor._rows is not None


@pytest.fixture(scope="module")
def golden():
    """Greedy codes of the official code with the shipped weights, dequantised; scripts/train_tiny/check_official.py."""
    stored = np.load(ROOT / "tests" / "fixtures" / "tiny_golden.npz")
    names = sorted({key.rsplit("/", 1)[0] for key in stored})
    return {
        name: {key.rsplit("/", 1)[1]: stored[key] for key in stored if key.startswith(f"{name}/")} for name in names
    }


@pytest.mark.smoke("11-25")
@pytest.mark.parametrize(("every", "frames"), [(1, 150), (11, 25)])
def test_the_official_code_gives_the_same_codes(golden, tmp_path, every, frames):
    """With plain weights every code; with the 8-bit ones that ship, most speeches whole. every 11: three of them,
    one with words as phones, and two seconds of the one that is longer."""
    shipped = load_folder(BUILT_IN / "tiny")
    plain = load_folder(dequantised("tiny", tmp_path))
    assert len(golden) == 24  # six texts, two with words as phones; english and auto; whole and streamed text
    pairs = []
    for name, wanted in list(golden.items())[::every]:
        language, _, streamed = name.split("/")[1].partition("_")
        text, voice = str(wanted["text"]), str(wanted["speaker"])
        request = SpeechRequest(text, voice, language, sampling=GREEDY, max_frames=frames, stream_text=bool(streamed))
        codes = wanted["codes"][:frames]
        assert shipped._synthesizer._tokenizer.assistant(text) == wanted["text_ids"].tolist()
        np.testing.assert_array_equal(plain.generate_codes(request), codes, name)
        pairs.append((shipped.generate_codes(request), codes))
        if "audio" in wanted:  # stored in float16
            samples = shipped.decode_codes(wanted["codes"])[::5]
            np.testing.assert_allclose(samples, wanted["audio"], atol=3e-4)
    mostly_the_same(pairs)


@pytest.mark.smoke(*(f"one-{voice}" for voice in PITCH))
@pytest.mark.parametrize("voice", PITCH)
@pytest.mark.parametrize("sentences", [SENTENCES[:1], SENTENCES], ids=["one", "both"])
def test_two_women_and_two_men_are_understood(tiny, voice, sentences):
    errors = count = 0
    for sentence in sentences:
        speech = tiny.speak(SpeechRequest(sentence, voice, seed=3))
        seconds = len(speech.samples) / speech.sample_rate
        assert 0.04 * len(sentence) < seconds < 0.1 * len(sentence)
        level = 20 * np.log10(np.sqrt((speech.samples**2).mean()))
        assert -30 < level < -15
        assert pitch_hz(speech.samples) == pytest.approx(PITCH[voice], rel=0.15)
        said = words(sentence)
        errors += word_errors(said, recognised(speech.samples, speech.sample_rate))
        count += len(said)
    assert errors <= 0.1 * count, f"{errors} of {count} words wrong"


@pytest.mark.long
@pytest.mark.parametrize(("language", "streamed"), [("english", True), ("auto", True), ("english", False)])
def test_every_way_to_ask_is_understood(tiny, language, streamed):
    """What the default way (auto, whole text) does is heard above."""
    text = "The children walked home along the river before dinner."
    speech = tiny.speak(SpeechRequest(text, language=language, stream_text=streamed, seed=2))
    assert word_errors(words(text), recognised(speech.samples, speech.sample_rate)) <= 1


def test_auto_stays_auto(tiny):
    assert tiny.languages == ("auto", "english")
    assert tiny.check(SpeechRequest("Hello.")).language == "auto"


def pitch_hz(samples: np.ndarray, rate: int = 24_000) -> float:
    """Median over 60 ms windows of the strongest period between 60 and 400 Hz, loud windows only."""
    found = []
    for start in range(0, len(samples) - 1440, 720):
        window = samples[start : start + 1440] - samples[start : start + 1440].mean()
        if np.square(window).mean() < 1e-3:
            continue
        likeness = np.correlate(window, window, "full")[1439:]
        found.append(rate / (60 + np.argmax(likeness[60:400])))
    return float(np.median(found))


@pytest.mark.long
def test_the_first_command_of_the_readme_is_understood(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "HF_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    line = re.search(r"mlx-tts (speak .*)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert line is not None
    command = shlex.split(line.group(1))
    assert run(command) == 0
    samples, rate = soundfile.read(command[command.index("-o") + 1], dtype="float32")
    assert recognised(samples, rate) == words(command[1])


def test_the_draft_voice_equals_the_official_codes(tiny_voice):
    """An older and smaller model, unquantised; tiny_voice skips loudly where it is not beside the checkout."""
    synthesizer = load_folder(tiny_voice / "checkpoint")
    draft = np.load(tiny_voice / "golden.npz")
    for i, sentence in enumerate(json.loads((tiny_voice / "golden_sentences.json").read_text())):
        request = SpeechRequest(sentence, "heart", "english", sampling=Sampling(temperature=0), max_frames=200)
        assert np.array_equal(synthesizer.generate_codes(request), draft[f"{i}/codes"])
