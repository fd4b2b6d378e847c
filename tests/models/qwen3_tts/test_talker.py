"""Text ids, prompt tracks, prefill, first logits and greedy codes equal what the official code computes."""

import mlx.core as mx
import numpy as np
import pytest

import mlx_tts
from mlx_tts import Sampling, SpeechRequest
from mlx_tts.api import load_folder
from mlx_tts.generation.sampling import RowSampling, SamplerSettings, SamplingParams
from mlx_tts.models.qwen3_tts.prompt import NONE, SPEAKER
from tests.helpers.oracle_cases import CASES, request_for
from tests.helpers.rounding import rows_keep_their_bits

pytestmark = pytest.mark.slow

GREEDY = Sampling(temperature=0)
REQUESTS = [(case, name) for case, names in CASES.items() for name in names]


@pytest.mark.parametrize(("case", "name"), REQUESTS)
def test_text_ids(oracle, case, name):
    reference = oracle(case)
    ids = reference.synthesizer._synthesizer._tokenizer.assistant(reference.request(name)["text"])
    assert ids == reference.golden[f"{name}/text_ids"].tolist()


@pytest.mark.parametrize(("case", "name"), REQUESTS)
def test_prefill_and_first_logits(oracle, case, name):
    reference = oracle(case)
    synthesizer = reference.synthesizer
    prompt = synthesizer.prompt(request_for(reference, name))
    assert np.abs(prompt.prefill - reference.golden[f"{name}/prefill"]).max() < 1e-4
    talker = synthesizer._synthesizer.talker
    logits, _ = talker(mx.array(prompt.prefill)[None], talker.make_cache())
    assert np.abs(np.array(logits[0]) - reference.golden[f"{name}/logits0"]).max() < 1e-4


@pytest.mark.parametrize(("case", "name"), REQUESTS)
def test_trailing_text(oracle, case, name):
    reference = oracle(case)
    synthesizer = reference.synthesizer
    trailing = synthesizer.prompt(request_for(reference, name)).trailing
    wanted = reference.golden[f"{name}/trailing"]
    talker, pad = synthesizer._synthesizer.talker, synthesizer._synthesizer._config.tts_pad_token_id
    ids = trailing.tolist() or [pad]  # the reference keeps one row of padding where nothing trails
    assert np.abs(np.array(talker.embed_text(mx.array(ids))) - wanted).max() < 1e-4


@pytest.mark.smoke(
    "custom_voice_tiny-english_ryan",
    "custom_voice_tiny-one_token",
    "custom_voice_wide-instruct",
    "custom_voice_wide-text_streamed",
    "base_tiny-icl",
    "base_wide-xvector",
    "voice_design_wide-design_german",
)
@pytest.mark.parametrize(("case", "name"), REQUESTS)
def test_greedy_codes(oracle, case, name):
    reference = oracle(case)
    wanted = reference.golden[f"{name}/codes"]
    codes = reference.synthesizer.generate_codes(request_for(reference, name, sampling=GREEDY, max_frames=len(wanted)))
    assert np.array_equal(codes, wanted)


def test_tracks_of_whole_text_with_a_speaker(oracle):
    """The layout of the published description, position by position."""
    reference = oracle("custom_voice_tiny")
    synthesizer = reference.synthesizer
    config, talker = synthesizer._synthesizer._config, synthesizer._synthesizer._config.talker_config
    ids = reference.golden["english_ryan/text_ids"].tolist()
    prompt = synthesizer.prompt(request_for(reference, "english_ryan"))
    pad, bos, eos = config.tts_pad_token_id, config.tts_bos_token_id, config.tts_eos_token_id
    words = ids[3:-5]
    assert prompt.text.tolist() == [*ids[:3], pad, pad, pad, pad, pad, bos, *words, eos, pad]
    prefix = [
        talker.codec_think_id,
        talker.codec_think_bos_id,
        talker.codec_language_id["english"],
        talker.codec_think_eos_id,
        talker.spk_id["ryan"],
        talker.codec_pad_id,
    ]
    assert prompt.codec.tolist() == [NONE] * 3 + prefix + [talker.codec_pad_id] * (len(words) + 1) + [
        talker.codec_bos_id
    ]
    assert prompt.trailing.size == 0


def test_tracks_of_a_streamed_clone(oracle):
    reference = oracle("base_tiny")
    synthesizer = reference.synthesizer
    config, talker = synthesizer._synthesizer._config, synthesizer._synthesizer._config.talker_config
    ids = reference.golden["xvector/text_ids"].tolist()
    prompt = synthesizer.prompt(request_for(reference, "xvector"))
    pad, bos = config.tts_pad_token_id, config.tts_bos_token_id
    assert prompt.text.tolist() == [*ids[:3], pad, pad, pad, pad, pad, bos, ids[3]]
    assert prompt.codec.tolist()[3:] == [
        talker.codec_think_id,
        talker.codec_think_bos_id,
        talker.codec_language_id["english"],
        talker.codec_think_eos_id,
        SPEAKER,
        talker.codec_pad_id,
        talker.codec_bos_id,
    ]
    assert prompt.trailing.tolist() == [*ids[4:-5], config.tts_eos_token_id]


def test_sampled_speech_repeats_with_its_seed_and_differs_with_another(oracle):
    synthesizer = oracle("custom_voice_wide").synthesizer

    def codes(seed):
        return synthesizer.generate_codes(SpeechRequest("Hello world.", voice="ryan", seed=seed, max_frames=12))

    assert np.array_equal(codes(1), codes(1))
    assert not np.array_equal(codes(1), codes(2))


def test_two_interleaved_streams_equal_two_separate_ones(oracle):
    synthesizer = oracle("custom_voice_tiny").synthesizer
    requests = [
        SpeechRequest("Hello world.", voice="ryan", seed=3, max_frames=20),
        SpeechRequest("How are you?", voice="vivian", seed=4, max_frames=20),
    ]
    separate = [synthesizer.speak(request).samples for request in requests]
    streams = [synthesizer.stream(request) for request in requests]
    pieces: list[list[np.ndarray]] = [[], []]
    for chunks in zip(*streams, strict=True):
        for own, chunk in zip(pieces, chunks, strict=True):
            own.append(chunk.samples)
    for own, whole in zip(pieces, separate, strict=True):
        assert np.array_equal(np.concatenate(own), whole)


@pytest.mark.smoke("base_tiny", "custom_voice_wide")
@pytest.mark.parametrize("case", list(CASES))
def test_speech_equals_the_official_audio(oracle, case):
    """The last request of a case, from text to sound; a clone's reference frames prime the codec and are cut off."""
    reference = oracle(case)
    name = CASES[case][-1]
    wanted = reference.golden[f"{name}/wav"]
    frames = len(reference.golden[f"{name}/codes"])
    speech = reference.synthesizer.speak(request_for(reference, name, sampling=GREEDY, max_frames=frames))
    assert speech.samples.shape == wanted.shape == (frames * 1920,)
    assert np.abs(speech.samples - wanted).max() < 1e-4


def test_stream_is_exactly_the_frames_of_its_codes(oracle):
    synthesizer = oracle("custom_voice_wide").synthesizer
    request = SpeechRequest("Hello world.", voice="ryan", seed=5, max_frames=23)
    chunks = list(synthesizer.stream(request))
    assert [len(chunk.samples) // 1920 for chunk in chunks] == [3, 4, 8, 8]
    whole = synthesizer.decode_codes(synthesizer.generate_codes(request))
    assert np.abs(np.concatenate([chunk.samples for chunk in chunks]) - whole).max() < (
        1e-5 if rows_keep_their_bits() else 1e-4
    )


def test_public_names_load_a_folder(oracle):
    folder = oracle("custom_voice_tiny").folder
    assert mlx_tts.load(folder).voices == load_folder(folder).voices


def test_rows_of_the_code_predictor_draw_as_they_do_alone(oracle):
    """Greedy and sampled rows with unlike settings side by side, bit for bit."""
    predictor = oracle("custom_voice_wide").synthesizer._synthesizer.talker.code_predictor
    V, width = predictor.vocab_size, predictor.model.codec_embedding[0].weight.shape[1]
    kinds = [(0.9, 50, 1.0), (0, 0, 1.0), (1.2, 0, 0.7), (0.6, 4, 1.0)]
    params = [SamplingParams(SamplerSettings(*kind), SamplerSettings(*kind), 1.05) for kind in kinds]
    hidden, first = (mx.random.normal((len(kinds), width), key=mx.random.key(at)) for at in (1, 2))
    noise = mx.random.gumbel((len(kinds), (predictor.num_code_groups - 1) * V), key=mx.random.key(3))
    codes, total = predictor(hidden, first, noise, RowSampling.of(params, V, V).rest)
    for at, own in enumerate(params):
        row = slice(at, at + 1)
        alone = predictor(hidden[row], first[row], noise[row], RowSampling.of([own], V, V).rest)
        assert mx.array_equal(alone[0], codes[row])
        assert mx.allclose(alone[1], total[row], atol=1e-6)


def test_nothing_touches_the_global_random_state(oracle):
    mx.random.seed(0x1234_5678_9ABC_DEF0)
    before = mx.array(mx.random.state[0])
    synthesizer = load_folder(oracle("custom_voice_tiny").folder)
    synthesizer.speak(SpeechRequest("Hello world.", voice="ryan", seed=3, max_frames=8))
    assert mx.array_equal(mx.random.state[0], before)
