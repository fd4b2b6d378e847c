"""Speed: the length follows it, the pitch stays, parts of any size give the same sound."""

import numpy as np
import pytest

from mlx_tts.audio.effects.speed import NO_SAMPLES, SpeedChange, _Tempo, check_speed
from mlx_tts.errors import RequestError

RATE = 24_000
TONE = (0.3 * np.sin(2 * np.pi * 220 / RATE * np.arange(3 * RATE))).astype(np.float32)


def changed(samples, speed, part):
    change = SpeedChange(RATE, speed)
    parts = [change.change(samples[at : at + part]) for at in range(0, len(samples), part)]
    return np.concatenate([*parts, change.finish()])


@pytest.mark.parametrize("speed", [0.25, 0.7, 1.5, 2.5, 4.0])
def test_the_length_follows_and_the_pitch_stays(speed):
    sound = changed(TONE, speed, len(TONE))
    assert len(sound) / RATE == pytest.approx(3 / speed, abs=0.06)
    middle = sound[len(sound) // 4 : len(sound) // 4 + 8192] * np.hanning(8192)
    assert np.argmax(np.abs(np.fft.rfft(middle))) * RATE / 8192 == pytest.approx(220, abs=4)


@pytest.mark.parametrize("part", [100, 1920, 7777])
def test_parts_of_any_size_give_the_same_sound(part):
    np.testing.assert_array_equal(changed(TONE, 1.5, part), changed(TONE, 1.5, len(TONE)))


@pytest.mark.parametrize("rate", [24_000, 44_100])
@pytest.mark.parametrize("speed", [0.3, 0.8, 1.2, 1.757, 2.0711, 2.9267, 4.0])
def test_what_comes_early_is_what_comes_without_looking_ahead(speed, rate):
    """To the bit, the end included, which depends on how the samples were cut; and never later."""
    random = np.random.default_rng(int(speed * 1000))
    for first, length in ((1, 16_947), (3, 18_019), (1, 42_965), (3, 34_558), (2, 700)):
        waves = np.sin(np.cumsum(0.05 + 0.03 * np.sin(np.arange(length) / 3000)))
        samples = (0.3 * waves * (np.arange(length) % 9000 > 2500) + 0.01 * random.standard_normal(length)).astype("f4")
        plain, early = _Tempo(rate, speed), SpeedChange(rate, speed)
        waited, given, at, size = [NO_SAMPLES], [], 0, first * 1920
        while at < length:
            waited += plain.change(samples[at : at + size])
            given.append(early.change(samples[at : at + size]))
            at, size = at + size, min(2 * size, 12 * 1920)
            assert sum(map(len, given)) >= sum(map(len, waited))
        np.testing.assert_array_equal(
            np.concatenate([*given, early.finish()]), np.concatenate([*waited, *plain.finish()])
        )


@pytest.mark.parametrize(("rate", "speed"), [(44_100, 0.26), (24_000, 0.9), (22_050, 1.5), (24_000, 2.5)])
def test_chunks_of_any_length_lose_nothing(rate, speed):
    """With short ones the graph that is given whole chunks may be further than the other one."""
    random = np.random.default_rng(5)
    samples = (0.1 * random.standard_normal(2 * rate)).astype("f4")
    cuts = np.cumsum(random.integers(1, 3000, 200))
    plain, early = _Tempo(rate, speed), SpeedChange(rate, speed)
    waited, given = [NO_SAMPLES], []
    for part in np.split(samples, cuts[cuts < len(samples)]):
        waited += plain.change(part)
        given.append(early.change(part))
    np.testing.assert_array_equal(np.concatenate([*given, early.finish()]), np.concatenate([*waited, *plain.finish()]))


def test_the_first_chunk_is_heard_at_once():
    """240 ms in, 160 ms out at this speed but for atempo's own 40: none of it waits for the next chunk."""
    assert len(SpeedChange(RATE, 1.5).change(TONE[:5760])) > 2800


@pytest.mark.parametrize("speed", [0.2, 4.1, float("nan")])
def test_other_speeds_are_refused(speed):
    with pytest.raises(RequestError, match=r"speed is .*: give 0.25 to 4"):
        check_speed(speed)


@pytest.mark.parametrize("speed", [0.25, 1.0, 4.0])
def test_speeds_up_to_the_limits_are_taken(speed):
    assert check_speed(speed, "--speed") == speed
