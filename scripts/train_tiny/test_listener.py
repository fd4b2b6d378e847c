"""The listener hears what Resemblyzer hears; who has no encoder to ship trains without what only that is for."""

import sys
import types
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
sys.path[:0] = [str(Path(__file__).parent)]
from listener import Listener
from phone_tokens import COPIES
from pool import Pool
from shards import FRAME_SAMPLES, LABEL_SAMPLES, ShardWriter
from speakers import CLEAN_SHARES
from talker_data import IN_CONTEXT, PROMPT_SHARES, VECTOR_SHARES, TalkerData


def speech(seconds, rate=24000):
    """Pulses of a changing pitch through two resonances, some of it silent."""
    from scipy.signal import lfilter

    time = np.arange(int(seconds * rate)) / rate
    phase = np.cumsum(120 + 30 * np.sin(2 * np.pi * 1.3 * time)) / rate
    sound = np.diff(np.floor(phase), prepend=0)
    for hertz in (600, 1700):
        pole = 0.98 * np.exp(2j * np.pi * hertz / rate)
        sound = lfilter([1], [1, -2 * pole.real, abs(pole) ** 2], sound)
    sound *= np.sin(2 * np.pi * 0.7 * time) > -0.6
    return (0.3 * sound / np.abs(sound).max()).astype(np.float32)


def test_it_hears_what_resemblyzer_hears():
    if find_spec("resemblyzer") is None or find_spec("librosa") is None:
        pytest.skip("Resemblyzer and librosa are not installed: the listener was not compared with them")
    import librosa

    sys.modules.setdefault("webrtcvad", types.ModuleType("webrtcvad"))  # cuts silences, which is not wanted here
    from resemblyzer import VoiceEncoder

    weights = Path(find_spec("resemblyzer").origin).parent / "pretrained.pt"
    audio = speech(4)
    wanted = VoiceEncoder("cpu", verbose=False).embed_utterance(librosa.resample(audio, orig_sr=24000, target_sr=16000))
    heard = Listener(weights)(torch.from_numpy(np.stack([audio, audio]))).numpy()
    assert heard @ wanted == pytest.approx(1, abs=0.01)
    assert np.linalg.norm(heard, axis=1) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(("shares", "context"), [(PROMPT_SHARES, True), (VECTOR_SHARES, False)])
def test_prompts_in_context_can_be_left_out(shares, context):
    data = TalkerData(None, "cpu", shares)
    data.names = ["hazel", "s00001"]
    data.speaker, data.frames = np.repeat([0, 1], 50), np.full(100, 60)
    data.text_length = np.full((100, len(COPIES)), 20)
    data.preset = np.array([True, False])
    data._choose_references(np.ones(100, bool))
    plan, _ = data.draw(np.arange(100), np.random.default_rng(0), 1000)
    assert (plan.prompt == IN_CONTEXT).any() == context
    assert (plan.reference[plan.prompt != 0] >= 0).all()


def test_a_pool_without_people_leaves_them_out(tmp_path):
    writer = ShardWriter(tmp_path, "all")
    for number in range(12):
        audio = np.full(40 * FRAME_SAMPLES, 1, np.int16)
        name = ("hazel", "s00001", "human-ann")[number % 3]
        writer.add(f"words {number}", name, audio, np.zeros(len(audio) // LABEL_SAMPLES, np.uint8))
    writer.close()
    pool = Pool(tmp_path, CLEAN_SHARES, 1.0, "cpu", 0)
    pool.refresh()
    assert set(pool.hours()) == {"synthetic", "preset"}
    audio, _ = pool.clips(4, 20)
    assert audio.shape == (4, 20 * FRAME_SAMPLES)
