"""One queue for all callers: requests do not change each other, fail alone, are cancelled at once, and wait in turn."""

import gc
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import replace

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts import Sampling, SpeechRequest
from mlx_tts.api import load_folder
from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.generation import engine as engines
from mlx_tts.generation import guarded
from mlx_tts.models.qwen3_tts.frames import TalkerBatch
from mlx_tts.runtime import mlx_thread
from tests.helpers.paths import ROOT

pytestmark = pytest.mark.slow

FRAMES = 10
SETTINGS = [
    Sampling(temperature=0.9, top_k=50),
    Sampling(temperature=0),
    Sampling(temperature=0.3, top_k=5, repetition_penalty=1.4),
    Sampling(temperature=1.4, top_p=0.7, subtalker_temperature=0.5),
    Sampling(temperature=0.9, top_k=0, subtalker_top_k=3, subtalker_top_p=0.9),
]


@pytest.fixture
def model(oracle):
    return oracle("custom_voice_tiny").synthesizer


def asked(number: int = 0, **options) -> SpeechRequest:
    options = {"voice": "ryan", "seed": 11, "max_frames": FRAMES, "guard": False, **options}
    return SpeechRequest(f"Hello world number {number}.", **options)


def codes_of(stream) -> np.ndarray:
    for _ in stream:
        pass
    return stream.codes


def counted_steps(monkeypatch) -> list[int]:
    """The number of rows of every step from now on."""
    steps: list[int] = []
    step = TalkerBatch.step
    monkeypatch.setattr(TalkerBatch, "step", lambda self, rows: steps.append(len(rows)) or step(self, rows))
    return steps


def until(condition, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.002)


def test_a_request_is_the_same_alone_and_among_strangers_in_any_order(model):
    requests = [asked(number, sampling=SETTINGS[number], seed=number) for number in range(5)]
    alone = [codes_of(model.submit(request)) for request in requests]
    for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1]):
        streams = {number: model.submit(requests[number]) for number in order}
        again = model.submit(requests[2])  # twice the same request at the same time
        for number, stream in streams.items():
            np.testing.assert_array_equal(codes_of(stream), alone[number])
        np.testing.assert_array_equal(codes_of(again), alone[2])


def test_two_requests_with_one_number_stay_two(model):
    requests = iter([(0, asked(1, max_frames=4)), (0, asked(2, max_frames=7))])
    chunks = list(model.stream_many(requests, rows=2))
    reports = [chunk.report for _, chunk in chunks if chunk.report is not None]
    assert len(reports) == 2
    assert sum(len(chunk.samples) for _, chunk in chunks) == 11 * 1920


def test_a_request_that_fails_ends_alone(model):
    checked = model.check(asked())
    bad = replace(checked, voice="nobody")  # what no check would let through
    good, failing = model.submit(asked()), model._engine.submit(bad, guarded.Delivery())
    with pytest.raises(KeyError, match="nobody"):
        list(failing)
    assert len(codes_of(good)) == FRAMES


def test_a_failure_while_decoding_ends_alone(model, monkeypatch):
    decode = model._synthesizer.decode

    def sometimes(pieces):
        if any(len(codes) == 4 and np.array_equal(codes[0], wanted) for codes, _ in pieces):
            raise MemoryError("no room")
        return decode(pieces)

    wanted = codes_of(model.submit(asked(1)))[3]  # the second piece, behind three frames, begins with it
    monkeypatch.setattr(model._synthesizer, "decode", sometimes)
    failing, good = model.submit(asked(1)), model.submit(asked(2, seed=99))
    with pytest.raises(MemoryError):
        list(failing)
    assert len(codes_of(good)) == FRAMES


def test_a_cancelled_request_is_gone_within_a_frame(model, monkeypatch):
    steps = counted_steps(monkeypatch)
    long, other = model.submit(asked(1, max_frames=400), live=True), model.submit(asked(2, max_frames=60), live=True)
    next(long)
    next(other)
    long.cancel()
    at = len(steps)
    until(lambda: long.ended)
    assert 2 not in steps[at + 2 :]
    assert sum(len(chunk.samples) for chunk in other) == 57 * 1920
    assert len(steps) < 100


def test_letting_go_of_a_stream_frees_its_row(model):
    stream = model.stream(asked(1, max_frames=2000))
    next(stream)
    assert len(model._engine._working) == 1
    del stream
    gc.collect()
    until(lambda: not model._engine._working)


def test_a_reader_that_stalls_stops_nobody_else_and_misses_nothing(model, monkeypatch):
    monkeypatch.setattr(guarded, "UNREAD_SECONDS", 1.0)
    stalled = model.submit(asked(1, max_frames=60), live=True)
    next(stalled)
    assert len(codes_of(model.submit(asked(2, max_frames=80)))) == 80
    until(lambda: model._engine._launched is None)
    assert stalled.unread_seconds < 1.0 + 3 * 0.96
    whole = model.speak(asked(1, max_frames=60)).samples
    heard = np.concatenate([chunk.samples for chunk in stalled])
    np.testing.assert_array_equal(heard, whole[-len(heard) :])


def test_a_newcomer_is_heard_while_a_long_text_is_spoken(model, monkeypatch):
    steps = counted_steps(monkeypatch)
    with model.submit(asked(1, max_frames=700), live=True) as long:
        next(long)
        before = len(steps)
        newcomer = model.submit(asked(2), live=True)
        next(newcomer)
        assert len(steps) - before <= 6  # one to arrive in, its own first three frames, and the look-ahead
        assert not long.ended


@pytest.mark.parametrize("low_latency", [True, False])
def test_the_first_sound_goes_before_the_second_frame_on_a_cpu(model, monkeypatch, low_latency):
    """Elsewhere, and where nobody waits for it, the next step is on its way while the first frames are decoded."""
    until(lambda: not model._engine._working)
    steps, begun = counted_steps(monkeypatch), []
    decode = model._synthesizer.decode
    monkeypatch.setattr(model._synthesizer, "decode", lambda pieces: begun.append(len(steps)) or decode(pieces))
    codes = codes_of(model.submit(asked(seed=5), live=True, low_latency=low_latency))
    assert begun[0] == (1 if low_latency else 3)
    if low_latency:
        assert begun[1] == 2  # nor is another step computed before the second piece, which is one frame as well
    assert begun[-1] >= FRAMES
    np.testing.assert_array_equal(codes, codes_of(model.submit(asked(seed=5))))


def test_a_long_prompt_lets_the_others_go_on(model, monkeypatch):
    from mlx_tts.models.qwen3_tts import prefill

    monkeypatch.setattr(prefill, "PROMPT_BLOCK", 16)
    monkeypatch.setattr(engines, "PROMPT_POSITIONS", 16)
    steps = counted_steps(monkeypatch)
    whole = codes_of(model.submit(replace(asked(3), text="word " * 60)))
    with model.submit(asked(1, max_frames=300), live=True) as long:
        next(long)
        before = len(steps)
        blocks = codes_of(model.submit(replace(asked(3), text="word " * 60)))
        assert steps[before:].count(1) >= 3  # the long one went on while the prompt was read
    np.testing.assert_array_equal(blocks, whole)


def test_other_work_takes_its_turn_between_frames(model):
    with model.submit(asked(1, max_frames=600), live=True) as long:
        next(long)
        assert mlx_thread.run(lambda: 7) == 7
        assert not long.ended


@pytest.mark.timed
def test_an_idle_engine_uses_no_processor(model):
    list(model.stream(asked(max_frames=2)))
    time.sleep(0.1)
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.05


def test_many_settings_leave_nothing_behind(model):
    for number in range(20):
        sampling = Sampling(temperature=0.3 + number / 25, top_k=2 * number + 1, top_p=0.5 + number / 50)
        list(model.stream(asked(sampling=sampling, seed=number, max_frames=2)))
    assert not model._engine._working
    assert not model._engine._arrived


def test_nothing_draws_from_the_global_random_state(model):
    before = [np.array(state) for state in mx.random.state]
    list(model.stream(asked()))
    for was, state in zip(before, mx.random.state, strict=True):
        np.testing.assert_array_equal(was, np.array(state))


def test_several_models_live_in_one_process(oracle, model):
    other = oracle("base_tiny").synthesizer
    request = SpeechRequest("Hello world.", seed=1, max_frames=FRAMES, guard=False)
    alone = codes_of(other.submit(request)), codes_of(model.submit(asked()))
    streams = other.submit(request), model.submit(asked())
    for stream, codes in zip(streams, alone, strict=True):
        np.testing.assert_array_equal(codes_of(stream), codes)


def test_a_closed_model_says_so(oracle):
    model = load_folder(oracle("custom_voice_tiny").folder)
    stream = model.submit(asked(max_frames=2000), live=True)
    next(stream)
    model.close()
    with pytest.raises(MlxTtsError, match="closed"):
        list(stream)
    with pytest.raises(MlxTtsError, match="closed"):
        model.speak(asked())
    with pytest.raises(MlxTtsError, match="closed"):
        model.row_bytes  # noqa: B018
    model.close()
    assert "closed" in repr(model)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"seed": "one"}, "seed is 'one'"),
        ({"seed": True}, "seed is True"),
        ({"seed": -1}, "seed is -1; it must be at least 0"),
        ({"text": 3}, "text is 3, a int"),
        ({"voice": 5}, "voice is a int"),
        ({"language": None}, "language is None"),
        ({"instruct": b"x"}, "instruct is b'x'"),
        ({"max_frames": 1.5}, "max_frames is 1.5"),
        ({"retries": "2"}, "retries is '2'"),
        ({"guard": "yes"}, "guard is 'yes'"),
        ({"stream_text": 1}, "stream_text is 1"),
        ({"sampling": {"temperature": 1}}, "sampling is a dict"),
        ({"sampling": Sampling(temperature="hot")}, "temperature is 'hot'"),
        ({"sampling": Sampling(top_k=2.5)}, "top_k is 2.5"),
        ({"options": ["x"]}, "options is"),
        ({"options": {"speed": 2}}, "unknown option 'speed'"),
    ],
)
def test_wrong_types_are_one_clear_line(model, change, fault):
    with pytest.raises(RequestError) as caught:
        model.speak(replace(asked(), **change))
    assert fault in str(caught.value)
    assert "\n" not in str(caught.value)


def test_numbers_of_numpy_are_numbers(model):
    plain = codes_of(model.submit(asked(seed=3)))
    sampling = Sampling(temperature=np.float32(0.9), top_k=np.int64(50))
    same = codes_of(model.submit(asked(seed=np.int64(3), max_frames=np.int32(FRAMES), sampling=sampling)))
    np.testing.assert_array_equal(plain, same)


def run(code: str) -> subprocess.CompletedProcess:
    head = "import mlx_tts, threading, os, time\nfrom mlx_tts import SpeechRequest\ntts = mlx_tts.load('tiny')\n"
    long = "request = SpeechRequest('One two three four five six seven eight.', seed=1, max_frames=500, guard=False)\n"
    command = [sys.executable, "-c", head + long + textwrap.dedent(code)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


def test_a_script_may_end_with_a_stream_in_hand():
    ended = run("stream = tts.stream(request); next(stream); held = tts.submit(request, live=True); next(held)")
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.long
def test_an_exception_may_fly_while_it_speaks():
    ended = run("stream = tts.stream(request); next(stream); raise ValueError('mine')")
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == "ValueError: mine"


def test_a_daemon_thread_may_be_speaking_at_the_end():
    ended = run(
        """
        def speak():
            for chunk in tts.stream(request): heard.set()
        heard = threading.Event()
        threading.Thread(target=speak, daemon=True).start()
        heard.wait()
        raise SystemExit(7)
        """
    )
    assert (ended.returncode, ended.stderr) == (7, "")


def test_a_forked_child_is_told_to_spawn():
    ended = run(
        """
        tts.speak(SpeechRequest('Hi.', seed=1))
        child = os.fork()
        if child == 0:
            try:
                tts.speak('Hello.')
            except mlx_tts.MlxTtsError as error:
                print(error, flush=True)
                os._exit(3)
            os._exit(4)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    assert ended.stdout.splitlines()[-1] == "3", ended.stderr
    assert "spawn" in ended.stdout


def test_threads_that_start_stall_cancel_and_abandon(model):
    """A short form of the ten minutes that scripts/soak.py can run."""
    wanted = {number: model.speak(asked(number)).samples for number in range(4)}
    faults: list[str] = []

    def caller(number: int) -> None:
        random = np.random.default_rng(number)
        for _ in range(4):
            which = int(random.integers(4))
            stream = model.submit(asked(which), live=True)
            what = random.integers(4)
            if what == 0:
                next(stream)
                stream.cancel()
                continue
            if what == 1:
                time.sleep(float(random.random()) * 0.2)
            if what == 2:
                next(stream)
                continue  # abandoned: nobody reads it any more, and nobody cancels it
            heard = np.concatenate([chunk.samples for chunk in stream])
            if not np.array_equal(heard, wanted[which]):
                faults.append(f"request {which} came out differently")

    threads = [threading.Thread(target=caller, args=(number,)) for number in range(6)]
    [thread.start() for thread in threads]
    [thread.join(120) for thread in threads]
    assert not any(thread.is_alive() for thread in threads)
    assert not faults
    until(lambda: not model._engine._working)
