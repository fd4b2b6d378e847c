"""The command with a stand-in engine that makes silence as long as the speech would be: for books of hours.

python silent_engine.py SHARE ARGUMENTS...: SHARE is the part of the usual length that each piece gets.
"""

from __future__ import annotations

import sys

import numpy as np

from mlx_tts.speech import AudioChunk
from mlx_tts.text.cutting.pace import expected_seconds
from tests.helpers import fakes

CHUNK_SECONDS = 1.0


class SilentSynthesizer(fakes.FakeSynthesizer):
    share = 1.0

    def stream(self, request):
        left = round(expected_seconds(request.text) * self.share * self.sample_rate)
        while left > 0:
            size = min(left, round(CHUNK_SECONDS * self.sample_rate))
            left -= size
            self.frames_made += size // fakes.FRAME
            yield AudioChunk(np.zeros(size, np.float32), self.sample_rate)


class SilentModels(fakes.FakeModels):
    def load_checkpoint(self, checkpoint, **options):
        self.synthesizers.append(SilentSynthesizer(checkpoint))
        return self.synthesizers[-1]


if __name__ == "__main__":
    SilentSynthesizer.share = float(sys.argv[1])
    SilentModels().install()
    sys.argv[1:] = sys.argv[2:]
    from mlx_tts.cli import run
    from mlx_tts.runtime.memory import resident_peak_bytes

    code = run(sys.argv[1:])
    print("peak memory", resident_peak_bytes() // 2**20, "MiB")
    sys.exit(code)
