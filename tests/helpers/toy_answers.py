"""Every public member of what `load` returns, and what the smallest family answers."""

import numpy as np

from mlx_tts import SpeechRequest
from tests.helpers.toy_family import RATE

SOUND = np.full(RATE, 0.1, np.float32)
# Every public member of what `load` returns -> how it is asked, and what a family answers that has only what it must:
# a value, or the one line of its RequestError.
ANSWERS = {
    "info": (lambda tts: tts.info.family, "toy"),
    "voices": (lambda tts: tts.voices, ("low", "high")),
    "languages": (lambda tts: tts.languages, ("auto", "english")),
    "sample_rate": (lambda tts: tts.sample_rate, RATE),
    "row_bytes": (lambda tts: tts.row_bytes, 1000),
    "frames_made": (lambda tts: tts.frames_made, 0),
    "speak": (lambda tts: tts.speak("Hello.").sample_rate, RATE),
    "stream": (lambda tts: next(iter(tts.stream("Hello."))).sample_rate, RATE),
    "narrate": (lambda tts: next(iter(tts.narrate("Hello."))).sample_rate, RATE),
    "stream_many": (lambda tts: {n for n, _ in tts.stream_many([(7, SpeechRequest("Hello."))])}, {7}),
    "submit": (lambda tts: next(tts.submit(SpeechRequest("Hello."))).sample_rate, RATE),
    "serve_rows": (lambda tts: tts.serve_rows(3), 3),
    "step_times": (lambda tts: tts.step_times.live_rows(3) >= 1, True),
    "count_tokens": (lambda tts: tts.count_tokens("two words"), 2),
    "check": (lambda tts: tts.check(SpeechRequest("Hello.")).voice, "low"),
    "generate_codes": (
        lambda tts: tts.generate_codes(SpeechRequest("Hello.")),
        "a toy model has no codes: use speak or stream",
    ),
    "decode_codes": (
        lambda tts: tts.decode_codes(np.zeros((3, 2), np.int32)),
        "a toy model has no codes: use speak or stream",
    ),
    "encode_audio": (lambda tts: tts.encode_audio(SOUND, RATE), "a toy model has no codes: use speak or stream"),
    "speaker_embedding": (
        lambda tts: tts.speaker_embedding(SOUND, RATE),
        "a toy model has no speaker vectors: use voice, where info.can.clones",
    ),
    "voice": (lambda tts: tts.voice(SOUND, RATE), "a toy model cannot clone: choose one of its voices"),
    "clear_references": (lambda tts: tts.clear_references(), None),
    "prompt": (
        lambda tts: tts.prompt(SpeechRequest("Hello.")),
        "a toy model does not show its prompts: use speak or stream",
    ),
    "kernel_form": (lambda tts: tts.kernel_form, "plain"),
    "use_kernel_form": (lambda tts: tts.use_kernel_form("fused"), None),
    "examine_kernels": (lambda tts: tts.examine_kernels(), None),
    "wait_for_kernels": (lambda tts: tts.wait_for_kernels(1.0), False),
    "close": (lambda tts: tts.close(), None),
}
