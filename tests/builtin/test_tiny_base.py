"""The built-in model that clones, with a clip that the built-in voice made: words, likeness, nothing of the clip."""

import json
import re
import shlex
from functools import cache

import numpy as np
import pytest
import soundfile

import mlx_tts
from mlx_tts import Sampling, SpeechRequest
from mlx_tts.cli import run
from mlx_tts.library import hub
from tests.helpers import clips
from tests.helpers.clips import RAIN as SAID
from tests.helpers.golden import dequantised, mostly_the_same
from tests.helpers.hearing import must_say, recognised, word_errors, words
from tests.helpers.likeness import voice_judge
from tests.helpers.paths import BUILT_IN, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.heard]

GOLDEN = ROOT / "tests" / "fixtures" / "tiny_base_golden.npz"
GREEDY = Sampling(temperature=0, repetition_penalty=1.05)  # what the official `generate` does unless told otherwise

TEXT = "We will meet at the station in the morning."
OTHER_TEXT = "The captain asked all passengers to take their seats."
OWN_WORDS = ("rain", "garden", "shining")  # of the clip, and of neither text
VOICES = ("ivy", "miles")
CLONES = [(voice, in_context) for voice in VOICES for in_context in (False, True)]
each_clone = pytest.mark.parametrize(("voice", "in_context"), CLONES)
in_context_alone = pytest.mark.smoke("ivy-True")
EDGE = 24  # samples: a millisecond
FRAME_SAMPLES = 1920


@pytest.fixture(scope="module")
def cloner(tiny_base):
    with mlx_tts.load(tiny_base, offline=True) as tts:
        yield tts


@pytest.fixture(scope="module")
def presets():
    """The model of the presets, loaded when it is asked for."""
    return cache(lambda: mlx_tts.load("tiny", offline=True))


@pytest.fixture(scope="module")
def clip(presets):
    """clip(voice): the samples of what it says in its recording."""

    @cache
    def said(voice: str) -> np.ndarray:
        if voice in VOICES:
            return clips.clip(f"rain_{voice}")
        return presets().speak(SAID, voice=voice, language="english", seed=1).samples

    return said


@pytest.fixture(scope="module")
def cloned(cloner, clip):
    """cloned(voice, whether in context): its clone saying two texts."""

    @cache
    def speak(name: str, in_context: bool):
        voice = cloner.voice(clip(name), 24_000, SAID if in_context else None)
        texts = enumerate((TEXT, OTHER_TEXT))
        return [cloner.speak(SpeechRequest(text, voice, "english", seed=seed)) for seed, text in texts]

    return speak


@pytest.fixture
def fresh(tmp_path, monkeypatch, tiny_base):
    """A machine that has nothing but the package, and no network."""
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "HF_HOME", "XDG_CONFIG_HOME", "MLX_TTS_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(hub, "download", None)
    return tmp_path


def test_the_two_faces_are_whole(tiny_base):
    """One folder names the other's weights, and both say what heads tell of words."""
    configs = [json.loads((BUILT_IN / name / "config.json").read_text()) for name in ("tiny", tiny_base)]
    assert configs[0]["alignment"] == configs[1]["alignment"]
    assert [config["tts_model_type"] for config in configs] == ["custom_voice", "base"]
    assert sum(path.stat().st_size for path in BUILT_IN.rglob("*")) < 48_000_000


@pytest.mark.long
def test_the_official_code_gives_the_same_codes(cloner, tmp_path):
    """Its vector, the recording's codes, and greedy codes of both prompts; scripts/train_tiny/check_official.py."""
    if not GOLDEN.exists():
        pytest.skip(f"NOT CHECKED against the official code: there is no {GOLDEN.name}")
    golden = dict(np.load(GOLDEN))
    words_of_it = str(golden["reference/text"])
    alone, in_context = (cloner.voice(golden["reference/audio"], 24_000, said) for said in (None, words_of_it))
    vector = golden["reference/vector"]
    np.testing.assert_allclose(alone.speaker_embedding, vector, atol=2e-3 * np.abs(vector).max())
    np.testing.assert_array_equal(in_context.reference_codes, golden["reference/codes"])
    cases = {name.rsplit("/", 1)[0] for name in golden} - {"reference"}
    assert len(cases) == 8  # four texts, by vector and in context; half of them streamed
    pairs = []
    with mlx_tts.load(str(dequantised("tiny-base", tmp_path))) as plain:
        for name in sorted(cases):
            prompt, mode = name.split("/")[1].split("_")
            request = SpeechRequest(
                str(golden[f"{name}/text"]),
                alone if prompt == "vector" else in_context,
                "english",
                sampling=GREEDY,
                max_frames=150,
                stream_text=mode == "streamed",
            )
            np.testing.assert_array_equal(plain.generate_codes(request), golden[f"{name}/codes"], name)
            pairs.append((cloner.generate_codes(request), golden[f"{name}/codes"]))
    mostly_the_same(pairs)


@in_context_alone
@each_clone
def test_a_clone_is_understood(cloned, voice, in_context):
    errors = count = 0
    for chunk, text in zip(cloned(voice, in_context), (TEXT, OTHER_TEXT), strict=True):
        errors += word_errors(words(text), recognised(chunk.samples, chunk.sample_rate))
        count += len(words(text))
    assert errors <= 0.15 * count, f"{errors} of {count} words wrong"


def likeness(cloner, cloned, clip, voice, in_context, names) -> dict[str, float]:
    """How near a clone is to what each of these voices says."""
    judge = voice_judge(cloner)
    clone = judge(np.concatenate([chunk.samples for chunk in cloned(voice, in_context)]), 24_000)
    return {name: float(clone @ judge(clip(name), 24_000)) for name in names}


@pytest.mark.long
@each_clone
def test_a_clone_sounds_like_its_sample(cloner, presets, cloned, clip, voice, in_context):
    """More than like any other preset that says the same as the sample."""
    alike = likeness(cloner, cloned, clip, voice, in_context, presets().voices)
    others = [value for name, value in alike.items() if name != voice]
    assert alike[voice] > max(others) + 0.02, alike


@in_context_alone
@each_clone
def test_a_clone_is_nearer_to_its_own_sample_than_to_the_others(cloner, cloned, clip, voice, in_context):
    alike = likeness(cloner, cloned, clip, voice, in_context, VOICES)
    assert alike.pop(voice) > max(alike.values()) + 0.02


@pytest.mark.smoke("ivy")
@pytest.mark.parametrize("voice", VOICES)
def test_nothing_of_the_sample_is_in_the_clone(cloned, voice):
    """The first word is the text's, no word is the sample's, and the length is the text's alone."""
    for chunk, text in zip(cloned(voice, True), (TEXT, OTHER_TEXT), strict=True):
        heard = recognised(chunk.samples, chunk.sample_rate)
        assert heard[:1] == words(text)[:1], heard
        assert not set(OWN_WORDS) & set(heard), heard
        assert 0.04 * len(text) < chunk.seconds < 0.1 * len(text)


@in_context_alone
@each_clone
def test_a_clone_begins_and_ends_without_a_click(cloned, voice, in_context):
    """The cut lies in silence: the first and the last millisecond are quiet, and nothing there jumps."""
    for chunk in cloned(voice, in_context):
        samples, peak = chunk.samples, np.abs(chunk.samples).max()
        edges = np.concatenate([samples[:EDGE], samples[-EDGE:]])
        assert np.abs(edges).max() < 0.1 * peak
        steps = np.abs(np.diff(samples))
        assert max(steps[:EDGE].max(), steps[-EDGE:].max(), abs(samples[0])) < 0.05 * peak


@in_context_alone
@each_clone
def test_a_clone_ends_without_a_breath(cloned, voice, in_context):
    """Behind the last word there is less than half a second, and it is silence."""
    for chunk in cloned(voice, in_context):
        blocks = chunk.samples[: chunk.samples.size // 240 * 240].reshape(-1, 240)
        level = np.sqrt((blocks**2).mean(axis=1))
        last = np.flatnonzero(level > 0.1 * np.sort(level)[-len(level) // 20])[-1]
        assert len(level) - last < 50
        assert level[-3:].max() < 0.05 * level.max()


def test_a_stream_is_the_sample_and_the_clone_cut_at_the_exact_place(cloner, clip):
    """The codec hears the sample's codes before the first frame, and none of their sound is given out."""
    voice = cloner.voice(clip("ivy"), 24_000, SAID)
    request = SpeechRequest("At noon.", voice, "english", seed=4)
    parts = [chunk.samples for chunk in cloner.stream(request)]
    assert len(parts) > 1
    before = voice.reference_codes
    both = cloner.decode_codes(np.concatenate([before, cloner.generate_codes(request)]), chunk_frames=10_000)
    whole = both[len(before) * FRAME_SAMPLES :]
    streamed = np.concatenate(parts)
    np.testing.assert_allclose(streamed, whole[: len(streamed)], atol=2e-4)


@in_context_alone
@each_clone
def test_words_have_times(cloned, voice, in_context):
    chunk = cloned(voice, in_context)[0]
    starts = [mark.start for mark in chunk.marks if mark.level == "word"]
    assert len(starts) == len(words(TEXT))
    assert starts == sorted(starts) and starts[0] < 0.5 and starts[-1] < chunk.seconds


@pytest.mark.long
def test_the_clone_section_of_the_readme(fresh, capfd):
    """Every line as it stands there: on a fresh machine, with no model named."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"## Clone\n\n```sh\n(.*?)```", page, re.S)
    commands = [shlex.split(line, comments=True)[1:] for line in block.splitlines()]
    assert [command[0] for command in commands] == ["speak", "voice", "speak", "clone"]
    for command in commands:
        assert run([*command, *(["--seed", "1"] if "-o" in command else []), "-v"]) == 0
        said = capfd.readouterr().err
        assert ("using the small built-in model tiny-base" in said) == (command[0] in ("voice", "clone")), said
        if command[0] != "voice":
            must_say(*soundfile.read(command[command.index("-o") + 1], dtype="float32"), command[1], share=0.3)


@pytest.mark.long
def test_a_voice_file_is_the_voice_of_that_name(fresh, clip):
    soundfile.write("ivy.wav", clip("ivy"), 24_000)
    words_too = ["--transcript", SAID]
    assert run(["voice", "make", "me", "--sample", "ivy.wav", *words_too]) == 0
    assert run(["speak", OTHER_TEXT, "--voice", "me", "--seed", "1", "-o", "me.wav"]) == 0
    must_say(*soundfile.read("me.wav", dtype="float32"), OTHER_TEXT)
    assert run(["clone", "--voice-sample", "ivy.wav", *words_too, "--save-voice", "me.safetensors"]) == 0
    assert run(["speak", OTHER_TEXT, "--voice", "me.safetensors", "--seed", "1", "-o", "file.wav"]) == 0
    np.testing.assert_array_equal(soundfile.read("file.wav")[0], soundfile.read("me.wav")[0])


@pytest.mark.long
def test_it_converts_to_four_bits(fresh, clip):
    assert run(["convert", "tiny-base", "small", "--bits", "4"]) == 0
    soundfile.write("ivy.wav", clip("ivy"), 24_000)
    wanted = ["--model", "./small", "--voice-sample", "ivy.wav"]
    assert run(["clone", TEXT, *wanted, "--seed", "1", "-o", "small.wav"]) == 0
    must_say(*soundfile.read("small.wav", dtype="float32"), TEXT)
