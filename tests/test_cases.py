"""Small cases that share a test: each that fails is named, and none is left out."""

import pytest

from tests.helpers.cases import Cases


def halved(numbers):
    with Cases() as case:
        for number in numbers:
            with case("half of", number):
                assert number % 2 == 0
                1 / number


def test_all_that_fail_are_named():
    halved([2, 4])
    with pytest.raises(pytest.fail.Exception) as failed:
        halved([1, 2, 0, 3])
    head, *lines = str(failed.value).splitlines()
    assert head == "3 of 4 cases:"
    named = [line for line in lines if line.startswith("'half of', ")]
    assert [line[:12] for line in named] == ["'half of', 1", "'half of', 0", "'half of', 3"]
    assert "assert (1 % 2) == 0" in named[0] and "ZeroDivisionError" in named[1]


def test_no_case_at_all_fails():
    with pytest.raises(pytest.fail.Exception, match="there was no case"):
        halved([])


def test_what_fails_outside_of_a_case_ends_the_test():
    with pytest.raises(KeyError), Cases():
        raise KeyError
