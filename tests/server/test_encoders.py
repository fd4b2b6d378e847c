"""What an event loop encodes itself, and what it leaves to another thread."""

import numpy as np
import pytest

from mlx_tts.server.encoders import SpeechEncoder

QUIET = np.full(2400, 0.4, np.float32)
LOUD = np.full(2400, 0.5, np.float32)  # between such samples may be a peak of twice their height
NOTHING = np.zeros(0, np.float32)


@pytest.mark.parametrize(
    ("options", "slow"),
    [
        (("pcm", 24_000), (False, True, False)),
        (("wav", 24_000), (False, True, False)),
        (("wav", 24_000, 1.0, "off"), (False, False, False)),
        (("pcm", 48_000), (True, True, True)),  # at another rate
        (("wav", 24_000, 1.5), (True, True, True)),
        (("wav", 24_000, 1.0, -20.0), (True, True, True)),
        (("mp3", 24_000), (True, True, True)),
    ],
)
def test_what_takes_milliseconds_is_no_work_for_an_event_loop(options, slow):
    encoder = SpeechEncoder(*options)
    assert tuple(map(encoder.is_slow, (QUIET, LOUD, NOTHING))) == slow
