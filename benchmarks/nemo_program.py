"""NeMo's own Magpie as a program: lines of JSON in, a line of JSON for each out. For `magpie_against_nemo.py`.

python nemo_program.py make FOLDER SHAPE                  a random checkpoint of a released shape
python nemo_program.py speak FOLDER DEVICE THREADS WARM   says "ready", then speaks for each line that it is given

FOLDER gets archives and the same as plain files. FOLDER/case, where it is there, holds the checkpoint's small files:
its weights are then made without NeMo. DEVICE is cpu or cuda, WARM a number of frames that are spoken with each cache
before it is ready. Runs in an environment of its own with torch and nemo_toolkit 3.0.0; nothing of mlx_tts is imported.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from answering import peak_bytes
from stand_ins import stand_in

ORACLE = Path(__file__).parents[1] / "scripts" / "oracle" / "magpie"
CACHES = ("recomputed", "cached")
TEXT = "The quick brown fox jumps over the lazy dog, and the yellow zebra is not a cat today."
# Packages that NeMo imports and that speaking does not use. Where one is missing, an empty module stands in its place.
UNUSED = (
    *("cytoolz", "datasets", "editdistance", "kaldialign", "numba", "onnx", "pandas", "pyopenjtalk", "pypinyin"),
    *("sacrebleu", "scipy", "sklearn", "torchaudio", "wandb", "whisper_normalizer"),
)
RELEASED = {
    "model_type": "decoder_ce",
    "dim": 768,
    "ffn": 3072,
    "heads": 12,
    "cross_heads": 1,
    "cross_head_dim": 128,
    "positions": 2048,
    "encoder_layers": 6,
    "decoder_layers": 12,
    "local_type": "autoregressive",
    "codebooks": 8,
    "levels": [8, 7, 6, 6],
    "up_sample_rates": [8, 8, 4, 2, 2],
    "decoder_channels": 864,
    "encoder_channels": 24,
    "speakers": ["Aria", "Jason", "John", "Leo", "Sofia"],
    "tokenizers": {"english_phoneme": "en", "text_ce_tokenizer": "bytes", "spanish_phoneme": "es"},
    "eos_bias": -100.0,  # nothing sampled ends the speech, so both programs make the same number of frames
    "stride": 29,
    "requests": [],
}
PRIOR = {
    "apply_attention_prior": True,
    "attention_prior_epsilon": 0.1,
    "estimate_alignment_from_layers": [4, 5, 8, 9],
    "apply_prior_to_layers": [2, 3, 4, 5, 6, 7, 8, 9, 10],
    "ignore_finished_sentence_tracking": True,
    "eos_detection_method": "argmax_or_multinomial_any",
    "max_decoder_steps": 500,
    "topk": 80,
    "cfg_scale": 2.5,
}
SHAPES: dict[str, dict[str, Any]] = {
    "v2602": {
        "seed": 1,
        "stack": 1,
        "local_layers": 1,
        "local_heads": 1,
        "local_dim": 256,
        "context_frames": 110,
        "inference": {"temperature": 0.7, "attention_prior_lookahead_window": 5, **PRIOR},
    },
    "v2607": {
        "seed": 2,
        "stack": 2,
        "local_layers": 2,
        "local_heads": 12,
        "local_dim": 768,
        "context_frames": 217,
        "inference": {"temperature": 0.6, "attention_prior_lookahead_window": 6, **PRIOR},
    },
}
SHAPES["toy"] = {**SHAPES["v2607"], "dim": 64, "ffn": 256, "heads": 4, "local_dim": 64, "local_heads": 4}
SHAPES["toy"] |= {"decoder_channels": 96, "encoder_channels": 3, "context_frames": 21}  # to see that the programs run


def official():  # type: ignore[no-untyped-def]
    """The golden data's maker, which imports NeMo; and the packages that something empty stands in for."""
    stood_in = stand_in(UNUSED, ORACLE)
    import make_case

    return make_case, sorted(stood_in)


def make(folder: Path, shape: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "case" / "manifest.json").exists():
        sys.path[0] = str(ORACLE)
        from materialise import materialise
    else:
        make_case, _ = official()
        materialise = make_case.materialise
        with tempfile.TemporaryDirectory() as scratch:
            make_case.build(folder / "case", {**RELEASED, **SHAPES[shape]}, Path(scratch))
    materialise(folder / "case", folder)


def speak(folder: Path, device: str, threads: int, warm: int) -> None:
    import torch

    began = time.perf_counter()
    make_case, stood_in = official()
    torch.set_num_threads(threads)
    on_gpu = device == "cuda" and torch.cuda.is_available()  # without one, what is said of the device is CPU
    model = make_case.restore(folder).to("cuda" if on_gpu else "cpu")
    weights = sum(value.nbytes for value in {**dict(model.named_parameters()), **dict(model.named_buffers())}.values())

    def say(asked: dict[str, Any]) -> dict[str, Any]:
        settings = model.inference_parameters
        settings.max_decoder_steps = asked["frames"]
        temperature = settings.temperature
        if not asked["sampled"]:
            settings.temperature = 0.0
        model.use_kv_cache_for_inference = False  # its decoder is set by hand, so that do_tts leaves it as it is
        model.decoder.reset_cache(use_cache=asked["cache"] == "cached")
        began, worked = time.perf_counter(), time.process_time()
        audio, lengths = model.do_tts(TEXT, speaker_index=0)
        audio = audio.cpu()
        seconds, worked = time.perf_counter() - began, time.process_time() - worked
        settings.temperature = temperature
        if asked.get("save"):
            np.save(asked["save"], audio[0].numpy())
        return {"seconds": seconds, "worked": worked, "first": seconds, "samples": int(lengths[0])}

    for cache in CACHES if warm else ():
        say({"frames": warm, "cache": cache, "sampled": True})
    name = torch.cuda.get_device_name() if on_gpu else "CPU"
    ready = {"ready": f"torch {torch.__version__}", "device": name, "stood_in": stood_in, "weights": weights}
    print(json.dumps(ready | {"seconds": time.perf_counter() - began}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        # TF32 where MLX has it: sampled sound is timed as MLX computes by default, greedy sound is compared without.
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = asked["sampled"]
        if on_gpu:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
        answer = say(asked)
        answer["peak"] = torch.cuda.max_memory_allocated() if on_gpu else peak_bytes()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), sys.argv[3])
    else:
        speak(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
