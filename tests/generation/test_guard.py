"""The guard: budgets and verdicts on made-up takes, and a voice that cannot stop or cannot start."""

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts import Sampling, SpeechRequest, api
from mlx_tts.generation.guard import QualityMonitor, better, fade_out, frame_budget, least_frames
from mlx_tts.generation.seeds import frame_key, piece_seed
from mlx_tts.text.cutting.pace import expected_seconds
from tests.helpers.paths import TINY

RATE, FRAME = 12.5, 1920
SHORT = "a"  # a voice that cannot stop runs to its budget, and this text has the least
TEXT = "The boat lay at the shore, and nobody came to fetch it."
TRUE_SECONDS = {  # what natural speech of these takes, roughly: the budget lies above, the least below
    "Hello.": 0.6,
    "1次": 0.6,
    "The quick brown fox jumps over the lazy dog.": 2.9,
    "Call 030 1234567, please.": 4.5,
    "NASA and the FBI met at the UN.": 3.2,
    "吾輩は猫である。名前はまだ無い。": 3.2,
    "今天天气很好，我们去公园散步吧。": 3.3,
    "오늘은 날씨가 좋아서 공원에 갔습니다.": 3.2,
    "Сегодня хорошая погода, и мы идём гулять в парк.": 3.4,
    "Hello 世界, how are you today, 小明?": 2.9,
}


def watch(text: str = TEXT, limit: int = 1000) -> QualityMonitor:
    return QualityMonitor(text, RATE, FRAME, limit)


def run(codes, text: str = TEXT, limit: int = 1000):
    watching = watch(text, limit)
    for number, code in enumerate(codes):
        if fault := watching.on_frame(np.array([code, 5], np.int32)):
            return number, fault
    return len(codes), watching.on_end()


def speech(frames: int, seed: int = 0) -> list[int]:
    return np.random.default_rng(seed).integers(0, 400, frames).tolist()


@pytest.mark.parametrize("text", list(TRUE_SECONDS))
def test_the_budget_leaves_room_for_natural_speech_and_no_more(text):
    frames = TRUE_SECONDS[text] * RATE
    assert least_frames(text, RATE) < frames < frame_budget(text, RATE) / 1.4
    assert frame_budget(text, RATE) < 3.2 * frames + 1.5 * RATE


@pytest.mark.parametrize("text", ["1次", "No.", "好", "Hi!", "a"])
def test_fewer_than_five_tokens_have_a_tight_budget(text):
    assert frame_budget(text, RATE) <= 3.5 * RATE


def test_an_instruction_may_ask_for_slow_speech():
    assert frame_budget(TEXT, RATE, instructed=True) > 1.4 * frame_budget(TEXT, RATE)


def test_a_good_take_is_no_trouble():
    assert run(speech(50)) == (50, None)


def test_one_sound_held():
    number, fault = run([*speech(30), *[7] * 60])
    assert number == 30 + 24
    assert "held one sound" in fault.reason
    assert 30 <= fault.good_frames <= 33


@pytest.mark.parametrize("period", [2, 3, 7, 12, 25])
def test_repeated_phrases(period):
    number, fault = run([*speech(30), *speech(period, seed=9) * 60])
    assert "repeated itself" in fault.reason
    assert number < 30 + max(30, 4 * period) + 1
    assert 30 <= fault.good_frames <= 33 + period


def test_a_drone_of_few_codes():
    drone = np.random.default_rng(3).choice([3, 5, 8, 9], 200).tolist()
    number, fault = run([*speech(30), *drone])
    assert "droned on" in fault.reason
    assert number < 30 + 51


def test_running_past_the_budget():
    assert run(speech(500), limit=70) == (69, run(speech(500), limit=70)[1])
    assert "ran past the 5.6 s" in run(speech(500), limit=70)[1].reason


def test_ending_far_too_early():
    assert "far too early" in run(speech(6))[1].reason
    assert run(speech(20))[1] is None


def test_silence_is_heard_and_its_codes_are_learnt():
    watching = watch()
    loud = 0.1 * np.sin(np.arange(40 * FRAME) * 0.05).astype(np.float32)
    for code in speech(40):
        assert watching.on_frame(np.array([code])) is None
    assert watching.on_audio(loud) is None
    quiet = [401, 402, 403, 404, 405, 406, 407, 408]
    for code in quiet:
        assert watching.on_frame(np.array([code])) is None
    assert watching.on_audio(np.zeros(len(quiet) * FRAME, np.float32)) is None
    assert watching.silent_codes == set(quiet)
    codes = np.random.default_rng(1).choice(quiet, 200)
    number = next(n for n, code in enumerate(codes) if watching.on_frame(np.array([code])))
    assert number < 2.5 * RATE  # before any of it is decoded


def test_silence_that_is_only_heard():
    watching = watch()
    for code in speech(80):
        watching.on_frame(np.array([code]))
    loud = 0.1 * np.sin(np.arange(40 * FRAME) * 0.05).astype(np.float32)
    assert watching.on_audio(loud) is None
    fault = watching.on_audio(np.zeros(40 * FRAME, np.float32))
    assert "fell silent" in fault.reason
    assert 40 <= fault.good_frames <= 43


def test_a_take_that_cannot_be_heard_at_all():
    watching = watch()
    for code in speech(25):
        watching.on_frame(np.array([code]))
    watching.on_audio(np.full(25 * FRAME, 3e-3, np.float32))
    assert "nothing that can be heard" in watching.on_end().reason


def test_the_take_nearest_to_the_text_is_the_best():
    wanted = round(expected_seconds(TEXT) * RATE)
    assert better(wanted, wanted * 3, TEXT, RATE)
    assert better(wanted // 2, 2, TEXT, RATE)
    assert not better(0, 5, TEXT, RATE)


def test_a_fade_ends_at_zero_and_leaves_the_rest():
    faded = fade_out(np.ones(24_000, np.float32), 24_000)
    assert faded[-1] == 0
    assert np.all(np.diff(faded) <= 0)
    assert np.all(faded[:23_000] == 1)


# A checkpoint with an altered head -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def voice():
    return api.load_folder(TINY)


@pytest.fixture
def altered(oracle):
    """`altered("never")` and `altered("at once")`: a small model with another head for the end of speech.

    Its weights are random: what it says is no speech, and takes a third of the time that the built-in voice takes.
    """
    voice = oracle("custom_voice_tiny").synthesizer
    head = voice._synthesizer.talker.codec_head
    config = voice._synthesizer._config.talker_config

    def alter(when: str):
        bias = np.zeros(config.vocab_size, np.float32)
        bias[config.codec_eos_token_id] = -1e4 if when == "never" else 1e4
        head.bias = mx.array(bias)
        return voice

    yield alter
    head.pop("bias", None)


def request(text: str = SHORT, voice: str = "ryan", **options) -> SpeechRequest:
    return SpeechRequest(text, voice=voice, language="english", **{"seed": 1, **options})


@pytest.mark.slow
def test_a_good_utterance_is_left_as_it_is(voice):
    guarded, bare = (voice.speak(request("No.", "hazel", guard=on)) for on in (True, False))
    np.testing.assert_array_equal(guarded.samples, bare.samples)
    assert (guarded.report.takes, guarded.report.faults, guarded.report.kept_fault) == (1, (), None)


@pytest.mark.slow
def test_speech_that_never_ends_is_stopped_drawn_again_and_cut(altered):
    voice = altered("never")
    spoken = voice.speak(request(retries=1))
    budget = frame_budget(request().text, voice.info.frame_rate)
    assert 0 < len(spoken.samples) <= budget * FRAME
    assert spoken.report.takes == 2
    assert len(spoken.report.faults) == 1
    assert spoken.report.kept_fault
    assert "kept the best of 2 takes" in spoken.report.line
    assert spoken.samples[-1] == 0  # faded


@pytest.mark.slow
def test_a_string_that_is_read_is_made_again_as_well(altered):
    """It goes piece by piece, of which none leaves before it is whole and good, since `speak` gives all at the end."""
    speech = altered("never").speak("1", voice="ryan", language="english", seed=1, retries=1)
    assert speech.report.takes == 2


@pytest.mark.slow
def test_redraws_are_other_draws_and_repeat_with_the_seed(altered):
    voice = altered("never")
    codes = [voice.generate_codes(request(retries=1)) for _ in range(2)]
    assert np.array_equal(*codes)
    assert len(codes[0]) <= frame_budget(SHORT, voice.info.frame_rate)
    keys = {frame_key(1, take, 0) for take in range(3)}
    assert len(keys) == 3


def test_pieces_have_seeds_of_their_own_and_the_first_that_of_the_speech():
    seeds = {piece_seed(5, number) for number in range(1000)}
    assert len(seeds) == 1000
    assert piece_seed(5, 0) == 5
    # the keys of version 0.1.0, which mixed the number in: frame_key(5, 3, 7) there
    assert frame_key(piece_seed(5, 3), 0, 7) == (3895079453, 1160540287)


@pytest.mark.slow
def test_without_the_guard_it_runs_on(altered):
    voice = altered("never")
    budget = frame_budget(request().text, voice.info.frame_rate)
    frames = budget + 10
    assert len(voice.generate_codes(request(max_frames=frames))) == frames  # the caller's own limit: no guard
    assert len(voice.generate_codes(request(guard=False, max_frames=frames))) == frames
    assert len(voice.generate_codes(request(guard=True, max_frames=frames, retries=0))) <= budget


@pytest.mark.slow
def test_speech_that_ends_at_once_is_drawn_again_and_reported(altered):
    spoken = altered("at once").speak(request(retries=2))
    assert spoken.report.takes == 3
    assert all("far too early" in reason for reason in spoken.report.faults)
    assert len(spoken.samples) == 2 * FRAME


@pytest.mark.slow
def test_streaming_holds_back_the_first_piece_and_draws_again_before_it_left(altered):
    chunks = list(altered("at once").stream(request(retries=2)))
    assert chunks[-1].report.takes == 3
    assert sum(len(chunk.samples) for chunk in chunks) == 2 * FRAME


@pytest.mark.slow
def test_streaming_never_repeats_what_was_played(altered):
    voice = altered("never")
    chunks = list(voice.stream(request(retries=2)))
    report = chunks[-1].report
    assert report.takes == 1
    assert report.kept_fault
    samples = np.concatenate([chunk.samples for chunk in chunks])
    assert samples[-1] == 0
    bare = voice.speak(request(guard=False, max_frames=len(samples) // FRAME + 1)).samples
    faded = round(0.03 * 24_000)
    np.testing.assert_allclose(samples[:-faded], bare[: len(samples) - faded], atol=1e-4)


@pytest.mark.slow
def test_low_latency_lets_the_first_frame_go_at_once(altered):
    voice = altered("at once")
    chunks = list(voice.stream(request(retries=2), low_latency=True))
    assert len(chunks[0].samples) == FRAME
    assert chunks[-1].report.takes == 1


@pytest.mark.slow
def test_greedy_speech_is_not_drawn_again(altered):
    spoken = altered("never").speak(request(retries=2, sampling=Sampling(temperature=0)))
    assert spoken.report.takes == 1
    assert spoken.report.kept_fault


@pytest.mark.long
@pytest.mark.slow
def test_a_redraw_is_the_same_side_by_side(altered):
    """Takes, their number and their sound do not depend on how many utterances run beside."""
    voice = altered("never")
    texts = ["No.", "Yes.", "Why?"]
    alone = whole(voice, texts, rows=1)
    for number, (samples, report) in whole(voice, texts, rows=2).items():
        assert report == alone[number][1]
        np.testing.assert_allclose(samples, alone[number][0], atol=1e-5)


def whole(voice, texts, rows):
    found: dict = {}
    requests = ((number, request(text, retries=1)) for number, text in enumerate(texts))
    for number, chunk in voice.stream_many(requests, rows):
        found.setdefault(number, []).append(chunk)
    return {n: (np.concatenate([c.samples for c in chunks]), chunks[-1].report) for n, chunks in found.items()}
