"""A few cases of every attack: nothing crashes, hangs, ends as unexpected or leaves anything behind."""

import pytest

from tests.attack.bombs import LARGEST
from tests.attack.every import ATTACKS
from tests.attack.harness import Tally, run_attack

pytestmark = [pytest.mark.slow, pytest.mark.timed]

SEED = 1


@pytest.mark.parametrize("part", [pytest.param(1, marks=pytest.mark.long, id="quick"), pytest.param(8, id="eighth")])
@pytest.mark.parametrize(
    "attack",
    # A server is filled eight times before its first session: the tests of `server/` play what is hostile one by one.
    [pytest.param(a, id=a.name, marks=[pytest.mark.long] * (a.name == "server")) for a in ATTACKS],
)
def test_attack(attack, part, tmp_path, monkeypatch):
    """The cases of `attack.py --quick`; in the short run an eighth of them, with smaller bombs."""
    monkeypatch.setenv("MLX_TTS_ATTACK_TIMES", "0")  # `scripts/attack.py server` judges times, on a machine of its own
    if part > 1:
        monkeypatch.setenv(LARGEST, "600000")
    count = -(-attack.quick // part)
    tally = Tally()
    for _ in run_attack(attack, iter(range(count)), SEED, tmp_path, tally):
        pass
    assert (tally.tried, tally.faults) == (count, {})


def test_what_is_wrong_is_found_and_kept(tmp_path):
    """The programs themselves: a case that fails, one that dies, and one that hangs are counted and kept."""
    from tests.attack.harness import judge

    assert judge(0, "") is None and judge(2, "mlx-tts: no\n") is None
    assert "signal 11" in (judge(-11, "") or "")
    assert (
        judge(1, "Traceback") and judge(1, "mlx-tts: unexpected KeyError") and judge(1, "") and judge(3, "mlx-tts: x")
    )
    assert judge(1, "mlx-tts: \x1b[2J") and judge(1, "mlx-tts: " + "x" * 600)
