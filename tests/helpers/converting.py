"""A conversion of Qwen3-TTS with its options as keywords, and what mlx-audio speaks with it, for tests."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.api import load_folder
from mlx_tts.checkpoints.work import ConversionWork
from mlx_tts.models import families
from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.qwen3_tts import conversion
from mlx_tts.models.recipes import speech
from mlx_tts.models.recipes.contract import SpokenSentence
from mlx_tts.speech import Sampling, SpeechRequest


def convert(source: Any, destination: Path, **options: Any) -> None:
    conversion.convert(source, destination, ConvertOptions(**options), lambda _line: None)


def sentences_of(family: Any, checkpoint: Any, requests: Sequence[SpeechRequest]) -> list[Any]:
    """What a family's reader takes of these requests, spoken."""
    model = families.load(checkpoint)
    checked = [families.check_request(checkpoint, request) for request in requests]
    made = speech.speak(family, model, checked, ConversionWork(lambda _line: None), 0.0)
    return [
        family.sentence(model, SpokenSentence(request, own.pop(speech.FRAMES), own))
        for request, own in zip(checked, made, strict=True)
    ]


def first_frames(folder: Path, voice: str, monkeypatch: pytest.MonkeyPatch) -> tuple[np.ndarray, np.ndarray]:
    """The greedy codes [K] of the first frame, mlx-audio's and ours: with later ones its rules for the end of speech
    differ from the reference's. Its codec is left out: it tells layouts apart by shape, which fails on a small codec.
    """
    utils = pytest.importorskip("mlx_audio.tts.utils", reason="NOT CHECKED: mlx-audio is not installed")
    model = utils.load_model(folder)
    heard = []

    def keep_codes(codes: Any) -> tuple[mx.array, mx.array]:
        heard.append(np.array(codes)[0])
        return mx.zeros((1, codes.shape[1] * 1920)), mx.array([codes.shape[1] * 1920])

    monkeypatch.setattr(model.speech_tokenizer, "decode", keep_codes)
    settings = {"temperature": 0.0, "repetition_penalty": 1.0, "max_tokens": 8, "verbose": False}
    list(model.generate(text="Hello world.", voice=voice, lang_code="english", **settings))
    greedy = Sampling(temperature=0, repetition_penalty=1.0)
    request = SpeechRequest("Hello world.", voice=voice, language="english", sampling=greedy, max_frames=8)
    return heard[0][0], load_folder(folder).generate_codes(request)[0]
