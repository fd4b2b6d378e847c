"""Work that several threads share: all of it is done once, and what goes wrong is told."""

import threading

import pytest

from mlx_tts.runtime.sharing import share_out


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_item_is_done_once(threads):
    done = []
    share_out(done.append, range(100), threads)
    assert sorted(done) == list(range(100))


def test_two_items_are_under_way_at_once():
    both = threading.Barrier(2)
    share_out(lambda _item: both.wait(timeout=10), range(2), 2)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_fault_is_raised_when_all_have_ended(threads):
    def work(item):
        if item == 1:
            raise ValueError("one")

    with pytest.raises(ValueError, match="one"):
        share_out(work, range(10), threads)


def test_without_items_nothing_happens():
    share_out(pytest.fail, [], 3)
