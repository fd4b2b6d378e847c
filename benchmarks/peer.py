"""A size or a checkpoint in, out: mlx-audio's model of it and the times of its frames, for `compare.py`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import mlx.core as mx
import numpy as np
from random_model import CHUNK, DTYPES, codec_config, talker_config


def random(size: str, bits: int, prompt: int):  # type: ignore[no-untyped-def]
    """mlx-audio's model of the same shapes with random weights; its own code does the rest."""
    from mlx import nn
    from mlx_audio.tts.models.qwen3_tts import qwen3_tts as theirs
    from mlx_audio.tts.models.qwen3_tts.config import ModelConfig, Qwen3TTSTokenizerConfig

    ours = talker_config(size)
    names = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads")
    names += ("head_dim", "vocab_size")
    shape = {name: getattr(ours, name) for name in names} | {"text_vocab_size": ours.text_vocab_size}
    shape["code_predictor_config"] = {name: getattr(ours.code_predictor_config, name) for name in names}
    model = theirs.Model(ModelConfig(talker_config=shape))  # the rest of its defaults are the published ones
    model.set_dtype(DTYPES[bits])
    if bits < 16:
        linear = lambda path, layer: isinstance(layer, nn.Linear) and path.startswith("talker")  # noqa: E731
        nn.quantize(model, group_size=64, bits=bits, class_predicate=linear)
    # with the published defaults the encoder would be built too: only cloning uses it
    codec = asdict(codec_config(size))
    speech = theirs.Qwen3TTSSpeechTokenizer(Qwen3TTSTokenizerConfig(encoder_config=None, decoder_config=codec))
    mx.eval(model.parameters(), speech.parameters())
    speech.decoder = mx.compile(speech.decoder)  # as its loader does
    model.load_speech_tokenizer(speech)
    return prepared(model, prompt, DTYPES[bits])


def loaded(folder: Path, prompt: int):  # type: ignore[no-untyped-def]
    """mlx-audio's model of a checkpoint."""
    from mlx_audio.tts.utils import load_model

    model = load_model(folder)
    model.config.tts_model_type = "base"  # the prompt is given: no voice or instruction has to be
    return prepared(model, prompt, model.talker.model.norm.weight.dtype)


def prepared(model, prompt: int, dtype: mx.Dtype):  # type: ignore[no-untyped-def]
    """The same with a prompt of so many positions, and with the end of speech forbidden."""
    config = model.config.talker_config
    mx.random.seed(0)
    ready = [(0.5 * mx.random.normal((1, n, config.hidden_size))).astype(dtype) for n in (prompt, 1, 1)]
    model._prepare_generation_inputs = lambda *_, **__: tuple(ready)
    config.codec_eos_token_id = config.vocab_size  # an id that is never sampled; the real one joins those forbidden
    return model


def request(count: int) -> dict[str, object]:
    drawing = {"temperature": 0.9, "top_k": 50, "top_p": 1.0, "repetition_penalty": 1.05}
    return {"text": "x", "max_tokens": count, "verbose": False, **drawing}


def step(model, count: int, batch: int) -> list[float]:  # type: ignore[no-untyped-def]
    """A stamp behind each frame of its loop; the loop evaluates once a frame, and its codec is left out."""
    stamps: list[float] = []
    talker = model.talker

    class Stamped:  # the loop calls the talker once a frame, right after it has read the frame before
        def __call__(self, *arguments, **options):  # type: ignore[no-untyped-def]
            stamps.append(time.perf_counter())
            return talker(*arguments, **options)

        def __getattr__(self, name):  # type: ignore[no-untyped-def]
            return getattr(talker, name)

    def silent(codes: mx.array) -> tuple[mx.array, mx.array]:
        return mx.zeros((1, 1920)), mx.array([1920])

    codec = model.speech_tokenizer
    decode, decode_batch = codec.decode, model._decode_generated_codes
    model.talker, codec.decode = Stamped(), silent
    model._decode_generated_codes = lambda codes: mx.zeros((1920,))
    try:
        if batch == 1:
            list(model.generate(**request(count)))
        else:
            arguments = request(count)
            list(model.batch_generate([str(arguments.pop("text"))] * batch, **arguments))
    finally:
        model.talker, codec.decode, model._decode_generated_codes = talker, decode, decode_batch
    return stamps


def streamed(model, count: int, chunk: int = CHUNK) -> Iterator[tuple[float, list[float]]]:  # type: ignore[no-untyped-def]
    """After each piece: milliseconds to the first one, and per frame of every later one."""
    begin = last = time.perf_counter()
    first, times = 0.0, []
    for piece in model.generate(**request(count), stream=True, streaming_interval=chunk / 12.5 + 1e-6):
        np.array(piece.audio)
        now = time.perf_counter()
        if first:
            times.append((now - last) * 1e3 / piece.token_count)
        first, last = first or (now - begin) * 1e3, now
        yield first, times
