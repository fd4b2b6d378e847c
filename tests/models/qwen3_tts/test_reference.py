"""What is encoded of a recording is kept by its content: counted, for the last four, until it is cleared."""

from dataclasses import replace

import numpy as np
import pytest

from mlx_tts import SpeechRequest
from mlx_tts.errors import RequestError
from mlx_tts.models.qwen3_tts.codec.encoder import CodecEncoder
from mlx_tts.models.qwen3_tts.speaker_encoder import SpeakerEncoder

RATE = 24_000


def recording(number: int) -> np.ndarray:
    return (0.1 * np.random.default_rng(number).standard_normal(RATE)).astype(np.float32)


@pytest.fixture
def base(oracle):
    tts = oracle("base_tiny").synthesizer
    tts.clear_references()
    return tts


@pytest.fixture
def encoded(monkeypatch):
    """Every pass through one of the encoders."""
    calls = []
    for encoder in (CodecEncoder, SpeakerEncoder):
        real = encoder.__call__

        def counted(self, *arguments, real=real):
            calls.append(type(self).__name__)
            return real(self, *arguments)

        monkeypatch.setattr(encoder, "__call__", counted)
    return calls


def test_the_second_clone_of_a_recording_encodes_nothing(base, encoded):
    first = base.voice(recording(0), RATE, "Some words.")
    assert sorted(encoded) == ["CodecEncoder", "SpeakerEncoder"]
    second = base.voice(recording(0), RATE, "Other words.")
    assert len(encoded) == 2
    np.testing.assert_array_equal(first.reference_codes, second.reference_codes)
    np.testing.assert_array_equal(first.speaker_embedding, second.speaker_embedding)
    assert first.family == "qwen3_tts"


def test_a_changed_result_changes_no_later_one(base, encoded):
    base.voice(recording(0), RATE).speaker_embedding[:] = 7
    assert not (base.voice(recording(0), RATE).speaker_embedding == 7).any()
    assert len(encoded) == 1


def test_rate_and_content_tell_recordings_apart(base, encoded):
    base.voice(recording(0), RATE)
    base.voice(recording(0), 22_050)
    altered = recording(0)
    altered[5] += 1e-6
    base.voice(altered, RATE)
    assert len(encoded) == 3


def test_four_are_kept_and_the_oldest_goes(base, encoded):
    for number in (0, 1, 2, 3, 0, 4, 0, 2, 3):
        base.voice(recording(number), RATE)
    assert len(encoded) == 5
    base.voice(recording(1), RATE)  # the one that was used longest ago has gone
    assert len(encoded) == 6


def test_clear(base, encoded):
    base.voice(recording(0), RATE)
    base.clear_references()
    base.voice(recording(0), RATE)
    assert len(encoded) == 2


def test_it_is_said_whether_it_was_there(oracle):
    from mlx_tts.models.families import open_checkpoint
    from mlx_tts.models.qwen3_tts.reference import ReferenceEncoder

    checkpoint, lines = open_checkpoint(oracle("base_tiny").folder), []
    reference = ReferenceEncoder(checkpoint, log=lines.append)
    for _ in range(2):
        reference.embedding(recording(0), RATE)
    assert lines[0].endswith("embedding: miss, encoding it")
    assert lines[1] == lines[0].replace("miss, encoding it", "hit, kept from before")


def test_a_voice_of_another_family_is_refused(base):
    voice = base.voice(recording(0), RATE)
    base.check(SpeechRequest("Hi.", voice=voice))
    with pytest.raises(RequestError, match="was made with another family of models"):
        base.check(SpeechRequest("Hi.", voice=replace(voice, family="magpie")))


def test_the_reference_is_cut_off_to_the_sample(base):
    """An in-context clone goes on from its reference: its sound is the tail of reference and clone decoded as one,
    and no sample of the reference comes first."""
    voice = base.voice(recording(0), RATE, "Some words.")
    request = SpeechRequest("Hi.", voice=voice, language="english", seed=3, max_frames=7)
    stream = base.submit(base.check(request), live=True)
    samples = np.concatenate([chunk.samples for chunk in stream])
    assert len(samples) == len(stream.codes) * base.info.frame_samples
    whole = base.decode_codes(np.concatenate([voice.reference_codes, stream.codes]))
    cut = len(voice.reference_codes) * base.info.frame_samples
    np.testing.assert_allclose(samples, whole[cut:], atol=1e-4)
    alone = base.decode_codes(stream.codes)
    assert np.abs(samples[:1920] - alone[:1920]).max() > 1e-3  # it does go on from the reference
