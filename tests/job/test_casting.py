"""What a line says of many speakers: the first ones by name, the others by their number."""

import pytest

from mlx_tts.job.casting import TOLD, _listed

NAMES = [f"Speaker {number}" for number in range(1, TOLD + 3)]


@pytest.mark.parametrize(
    ("count", "ends"),
    [(1, "Speaker 1"), (TOLD, f"Speaker {TOLD}"), (TOLD + 1, " and 1 more"), (TOLD + 2, " and 2 more")],
)
def test_many_speakers_are_counted(count, ends):
    said = _listed(NAMES[:count])
    assert said.startswith(", ".join(NAMES[: min(count, TOLD)])) and said.endswith(ends)
