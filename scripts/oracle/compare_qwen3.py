"""A case of Qwen3-TTS -> what differs between this package and its golden data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from differences import difference
from materialise import materialise

import mlx_tts
from mlx_tts import Sampling, SpeechRequest, Voice

TOLERANCE = 1e-4


def compare(case: Path, scratch: Path) -> Iterator[tuple[str, list[str]]]:
    materialise(case, scratch)
    golden = np.load(case / "golden.npz")
    requests = json.loads((case / "requests.json").read_text(encoding="utf-8"))
    with mlx_tts.load(str(scratch)) as tts:
        yield "codec", _codec(tts, golden)
        for request in requests:
            yield request["name"], _request(tts, golden, request)


def _codec(tts: Any, golden: Any) -> list[str]:
    codes = golden["codec/codes"]
    found = difference("sound", tts.decode_codes(codes)[::5], golden["codec/wav_whole"], TOLERANCE)
    found += difference("sound in chunks", tts.decode_codes(codes, 300)[::5], golden["codec/wav"], TOLERANCE)
    if "codec/encoded" in golden:
        found += difference("encoded codes", tts.encode_audio(golden["audio"], 24_000), golden["codec/encoded"])
    if "xvector" in golden:
        vector = tts.speaker_embedding(golden["audio"], 24_000)
        scale = float(np.abs(golden["xvector"]).max())
        found += difference("speaker vector", vector / scale, golden["xvector"] / scale, TOLERANCE)
    return found


def _request(tts: Any, golden: Any, asked: dict[str, Any]) -> list[str]:
    name, voice = asked["name"], asked.get("speaker")
    if asked.get("clone"):
        in_context = asked["clone"] == "icl"
        voice = Voice(golden["xvector"], golden["codec/encoded"] if in_context else None, asked.get("ref_text"))
    wanted = golden[f"{name}/codes"]
    request = SpeechRequest(
        asked["text"],
        voice=voice,
        language=asked["language"],
        instruct=asked.get("instruct"),
        stream_text=asked["streamed"],
        sampling=Sampling(temperature=0),
        max_frames=len(wanted),
    )
    model = tts._synthesizer
    found = difference("text ids", model._tokenizer.assistant(asked["text"]), golden[f"{name}/text_ids"])
    prompt = tts.prompt(request)
    found += difference("prefill", prompt.prefill, golden[f"{name}/prefill"], TOLERANCE)
    talker = model.talker
    logits, _ = talker(mx.array(prompt.prefill)[None], talker.make_cache())
    found += difference("first logits", np.array(logits[0]), golden[f"{name}/logits0"], TOLERANCE)
    found += difference("codes", tts.generate_codes(request), wanted)
    if f"{name}/wav" in golden:
        found += difference("sound", tts.speak(request).samples, golden[f"{name}/wav"], TOLERANCE)
    return found
