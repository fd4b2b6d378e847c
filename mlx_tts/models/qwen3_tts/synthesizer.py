"""Request in, audio chunks out: ties tokenizer, prompt, frames and codec together; holds weights, no stream."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import RequestError
from mlx_tts.models.qwen3_tts import request as requests
from mlx_tts.models.qwen3_tts.config import GenerationConfig, load_generation_config, load_model_config
from mlx_tts.models.qwen3_tts.frames import FrameLoop, Utterance
from mlx_tts.models.qwen3_tts.prompt import NONE, SPEAKER, Prompt, PromptParts, build_prompt, embed_prompt
from mlx_tts.models.qwen3_tts.tokenizer import TextTokenizer
from mlx_tts.models.qwen3_tts.weights import load_talker, open_model
from mlx_tts.sampling import Drawing, DrawSettings
from mlx_tts.speech import AudioChunk, Codes, ModelInfo, Samples, Sampling, SpeechRequest, Voice

CHUNK_FRAMES = (1, 2, 4, 8, 12)  # frames a piece: sound soon, then fewer and larger steps; the last repeats
def resolve_drawing(sampling: Sampling | None, defaults: GenerationConfig) -> Drawing:
    """What the request leaves open is the checkpoint's own; temperature 0 alone makes both transformers greedy."""
    asked = sampling or Sampling()

    def given(name: str) -> float:
        value = getattr(asked, name)
        return getattr(defaults, name) if value is None else value

    temperature = given("temperature") if defaults.do_sample or asked.temperature is not None else 0.0
    if asked.subtalker_temperature is not None:
        rest_temperature = asked.subtalker_temperature
    elif asked.temperature == 0 or not defaults.subtalker_dosample:
        rest_temperature = 0.0
    else:
        rest_temperature = defaults.subtalker_temperature
    return Drawing(
        first=DrawSettings(temperature, int(given("top_k")), given("top_p")),
        rest=DrawSettings(rest_temperature, int(given("subtalker_top_k")), given("subtalker_top_p")),
        repetition_penalty=given("repetition_penalty"),
    )


