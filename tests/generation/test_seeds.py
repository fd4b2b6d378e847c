"""Seeds are exact: a speech that was begun by an earlier version goes on as it began."""

from mlx_tts.generation.seeds import frame_key, fresh_seed, line_seed, piece_seed, redone_seed, verified_seed


def test_what_every_seed_is():
    assert [piece_seed(5, number) for number in (0, 1, 77)] == [5, 9007515109826750759, 17334027797011158802]
    assert frame_key(5, 2, 500) == (632626093, 2840246545)
    assert line_seed(0, "line-1") == 2692967125336920
    assert [redone_seed(5, times) for times in (0, 1, 3)] == [5, 1_000_008, 3_000_014]
    assert [verified_seed(5, attempt) for attempt in (1, 2, 3)] == [5, 7_368_792, 14_737_579]
    assert fresh_seed() != fresh_seed()
    assert 0 <= fresh_seed() < 1 << 63
