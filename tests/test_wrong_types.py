"""Wrong values from Python: one RequestError (or MlxTtsError) with the value and what is allowed, and no waiting."""

import copy
import pickle

import numpy as np
import pytest

import mlx_tts
from mlx_tts import MlxTtsError, RequestError, SpeechRequest, Voice
from mlx_tts.models.qwen3_tts.prompt import MOST_CHARACTERS
from tests.helpers.cases import Cases

SOUND = np.sin(np.arange(24_000) / 9).astype(np.float32)
CALLS = {
    "speak none": lambda t: t.speak(None),
    "speak bytes": lambda t: t.speak(b"Hello"),
    "speak list": lambda t: t.speak(["Hello"]),
    "speak empty": lambda t: t.speak("\0 \n"),
    "voice number": lambda t: t.speak("Hi", voice=5),
    "voice long": lambda t: t.speak("Hi", voice="x" * 100_000),
    "voice object": lambda t: t.speak("Hi", voice=Voice(np.zeros(4, np.float32))),
    "language": lambda t: t.speak("Hi", language=5),
    "language none": lambda t: t.speak(SpeechRequest("Hi", language=None)),
    "instruct": lambda t: t.speak("Hi", instruct=5),
    "seed text": lambda t: t.speak("Hi", seed="1"),
    "seed fraction": lambda t: t.speak("Hi", seed=1.5),
    "seed bool": lambda t: t.speak("Hi", seed=True),
    "seed negative": lambda t: t.speak("Hi", seed=-1),
    "seed array": lambda t: t.speak("Hi", seed=np.zeros(2)),
    "sampling": lambda t: t.speak("Hi", sampling={"temperature": 1}),
    "temperature": lambda t: t.speak("Hi", sampling=mlx_tts.Sampling(temperature="hot")),
    "temperature nan": lambda t: t.speak("Hi", sampling=mlx_tts.Sampling(temperature=float("nan"))),
    "top_k": lambda t: t.speak("Hi", sampling=mlx_tts.Sampling(top_k=1.5)),
    "top_k huge": lambda t: t.speak("Hi", sampling=mlx_tts.Sampling(top_k=10**400)),
    "temperature huge": lambda t: t.speak("Hi", sampling=mlx_tts.Sampling(temperature=10**400)),
    "max_frames": lambda t: t.speak("Hi", max_frames=0),
    "max_frames text": lambda t: t.speak("Hi", max_frames="5"),
    "retries": lambda t: t.speak("Hi", retries=10**9),
    "guard": lambda t: t.speak("Hi", guard="yes"),
    "options": lambda t: t.speak("Hi", options=5),
    "options names": lambda t: t.speak("Hi", options={1: 2}),
    "options unknown": lambda t: t.speak("Hi", options={"x": 2}),
    "unknown field": lambda t: t.speak("Hi", colour="red"),
    "growing": lambda t: t.speak(SpeechRequest("Hi", growing=5)),
    "id": lambda t: t.speak(SpeechRequest("Hi", id=5)),
    "stream_text": lambda t: t.speak("Hi", stream_text=1),
    "both": lambda t: t.speak(SpeechRequest("Hi"), voice="ivy"),
    "stream none": lambda t: list(t.stream(None)),
    "stream low_latency": lambda t: list(t.stream("Hi", low_latency="x")),
    "narrate none": lambda t: list(t.narrate(None)),
    "narrate request": lambda t: list(t.narrate(SpeechRequest("Hi", seed="x"))),
    "narrate low_latency": lambda t: list(t.narrate("Hi", low_latency=5)),
    "submit": lambda t: t.submit(5),
    "submit live": lambda t: t.submit(SpeechRequest("Hi"), live=2),
    "submit condition": lambda t: t.submit(SpeechRequest("Hi"), condition=5),
    "check": lambda t: t.check("Hi"),
    "prompt": lambda t: t.prompt(None),
    "many number": lambda t: list(t.stream_many(5)),
    "many rows": lambda t: list(t.stream_many(iter([]), rows=0)),
    "many rows text": lambda t: list(t.stream_many(iter([]), rows="2")),
    "many pairs": lambda t: list(t.stream_many(iter([5]))),
    "many bare": lambda t: list(t.stream_many(iter([SpeechRequest("Hi")]))),
    "many numbers": lambda t: list(t.stream_many(iter([("a", SpeechRequest("Hi"))]))),
    "many negative": lambda t: list(t.stream_many(iter([(-1, SpeechRequest("Hi"))]))),
    "many huge": lambda t: list(t.stream_many(iter([(1 << 64, SpeechRequest("Hi"))]))),
    "many texts": lambda t: list(t.stream_many(iter([(0, "Hi")]))),
    "generate_codes": lambda t: t.generate_codes("Hi"),
    "decode none": lambda t: t.decode_codes(None),
    "decode text": lambda t: t.decode_codes("codes"),
    "decode nan": lambda t: t.decode_codes(np.full((3, 16), np.nan)),
    "decode large": lambda t: t.decode_codes(np.full((3, 16), 10**8)),
    "decode unsigned": lambda t: t.decode_codes(np.full((3, 16), 2**63, np.uint64)),
    "decode negative": lambda t: t.decode_codes(np.full((3, 16), -1)),
    "decode ragged": lambda t: t.decode_codes([[1], [1, 2]]),
    "decode empty": lambda t: t.decode_codes(np.zeros((0, 16), int)),
    "decode chunk": lambda t: t.decode_codes(np.zeros((3, 16), int), chunk_frames="3"),
    "decode chunk 0": lambda t: t.decode_codes(np.zeros((3, 16), int), chunk_frames=0),
    "decode chunk huge": lambda t: t.decode_codes(np.zeros((3, 16), int), chunk_frames=10**30),
    "decode context huge": lambda t: t.decode_codes(np.zeros((3, 16), int), chunk_frames=2, left_context=10**30),
    "decode context": lambda t: t.decode_codes(np.zeros((3, 16), int), chunk_frames=2, left_context=-1),
    "long text": lambda t: t.speak(SpeechRequest("word " * 5000)),
    "long instruct": lambda t: t.speak("Hi", instruct="slowly " * 7000),
    "endless text": lambda t: t.speak(SpeechRequest("w" * (MOST_CHARACTERS + 1))),
    "load": lambda t: mlx_tts.load(5),
    "load model": lambda t: mlx_tts.load("no such model"),
    "load empty": lambda t: mlx_tts.load(" "),
    "load nul": lambda t: mlx_tts.load("/a\0b"),
    "load_voice": lambda t: mlx_tts.load_voice(5),
    "load_voice surrogate": lambda t: mlx_tts.load_voice("\ud800"),
    "load_voice long": lambda t: mlx_tts.load_voice("a" * 10_000),
    "language array": lambda t: t.speak("Hi", language=np.ones(3)),
    "save_voice vector": lambda t: mlx_tts.save_voice(Voice(Voice("x")), "x.safetensors"),
    "save_voice name": lambda t: mlx_tts.save_voice(Voice(np.ones(3), name=5), "x.safetensors"),
    "save_voice": lambda t: mlx_tts.save_voice(5, "x.safetensors"),
    "save no ending": lambda t: mlx_tts.AudioChunk(SOUND, 24_000).save("x"),
    "save number": lambda t: mlx_tts.AudioChunk(SOUND, 24_000).save(5),
    "copy": lambda t: copy.copy(t),
    "deepcopy": lambda t: copy.deepcopy(t),
    "pickle": lambda t: pickle.dumps(t),
}
CLONES = {
    "int16": lambda t: t.voice((SOUND * 30_000).astype(np.int16), 24_000),
    "cast": lambda t: t.voice((SOUND * 30_000).astype(np.float32), 24_000),
    "rate 1": lambda t: t.voice(SOUND, 1),
    "rate 0": lambda t: t.voice(SOUND, 0),
    "rate text": lambda t: t.voice(SOUND, "24000"),
    "rate inf": lambda t: t.voice(SOUND, float("inf")),
    "samples inf": lambda t: t.voice(np.full(24_000, np.inf, np.float32), 24_000),
    "samples nan": lambda t: t.voice(np.full(24_000, np.nan, np.float32), 24_000),
    "short": lambda t: t.voice(SOUND[:900], 24_000),
    "long": lambda t: t.voice(np.zeros(61 * 24_000, np.float32), 24_000),
    "stereo": lambda t: t.voice(np.stack([SOUND, SOUND]), 24_000),
    "text": lambda t: t.voice("me.wav", 24_000),
    "none": lambda t: t.voice(None, 24_000),
    "transcript": lambda t: t.voice(SOUND, 24_000, 5),
    "transcript empty": lambda t: t.voice(SOUND, 24_000, " "),
    "encode": lambda t: t.encode_audio(SOUND[:3], 24_000),
    "embedding": lambda t: t.speaker_embedding(SOUND[:900], 24_000),
    "embedding none": lambda t: t.speaker_embedding(None, None),
    "preset": lambda t: t.speak("Hi", voice="ivy"),
    "vector": lambda t: t.speak("Hi", voice=Voice("x")),
    "vector none": lambda t: t.speak("Hi", voice=Voice(None)),
    "vector large": lambda t: t.speak("Hi", voice=Voice(np.full(64, 1e38))),
    "codes": lambda t: t.speak("Hi", voice=Voice(np.zeros(64), np.full((3, 16), 10**8), "x")),
    "codes width": lambda t: t.speak("Hi", voice=Voice(np.zeros(64), np.zeros((3, 3), int), "x")),
    "codes empty": lambda t: t.speak("Hi", voice=Voice(np.zeros(64), np.zeros((0, 16), int), "x")),
    "codes nan": lambda t: t.speak("Hi", voice=Voice(np.zeros(64), np.full((3, 16), np.nan), "x")),
    "codes alone": lambda t: t.speak("Hi", voice=Voice(np.zeros(64), np.zeros((3, 16), int))),
    "words alone": lambda t: t.speak("Hi", voice=Voice(np.zeros(64), None, "x")),
    "words number": lambda t: t.speak("Hi", voice=Voice(np.zeros(64), np.zeros((3, 16), int), 5)),
    "long reference": lambda t: t.speak("Hi", voice=Voice(np.zeros(64), np.zeros((5000, 16), int), "x")),
    "long transcript": lambda t: t.speak("Hi", voice=Voice(np.zeros(64), np.zeros((5, 16), int), "x y " * 20_000)),
}


def assert_refused(call, model):
    with pytest.raises(MlxTtsError) as refused:
        call(model)
    line = str(refused.value)
    assert line.isprintable() and len(line) < 500, line


@pytest.mark.parametrize(
    ("calls", "case"), [(CALLS, "custom_voice_tiny"), (CLONES, "base_tiny")], ids=["preset", "clones"]
)
def test_wrong_values_are_refused_in_one_line(oracle, calls, case):
    model = oracle(case).synthesizer
    with Cases() as one:
        for name, call in calls.items():
            with one(name):
                assert_refused(call, model)


@pytest.mark.slow
def test_what_is_allowed(oracle):
    """numpy's numbers count as numbers, and the longest prompts are spoken."""
    model = oracle("custom_voice_tiny").synthesizer
    request = SpeechRequest("Hi", seed=np.int64(3), max_frames=np.int32(2), retries=np.uint8(0))
    assert len(model.generate_codes(request)) <= 2
    assert model.decode_codes(np.zeros((2, 16), np.uint8), chunk_frames=np.int64(1)).shape == (3840,)
    assert model.decode_codes(np.zeros((2, 16), np.uint8), chunk_frames=2**31 - 1).shape == (3840,)
    assert len(model.speak("Hi", instruct="slow " * 700, max_frames=2).samples)
    clone = oracle("base_tiny").synthesizer
    assert clone.encode_audio(SOUND.astype(np.float64).tolist(), np.int32(24_000)).shape == (13, 16)


def test_an_unknown_option_is_named_alone(oracle):
    with pytest.raises(RequestError, match=r"^unknown option speed: there are voice, language, instruct,"):
        oracle("custom_voice_tiny").synthesizer.speak("Hi", voice="ryan", speed=2)


def test_an_error_line_says_the_limit(oracle):
    model = oracle("custom_voice_tiny").synthesizer
    with pytest.raises(RequestError, match=r"come to [\d,]+ positions; this model takes 4,096: shorten them"):
        model.speak("Hi", instruct="a b c " * 5000)
    with pytest.raises(RequestError, match=r"text has 65,537 characters; this model takes 65,536"):
        model.speak(SpeechRequest("w" * (MOST_CHARACTERS + 1)))
