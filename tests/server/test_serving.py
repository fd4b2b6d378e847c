"""Reading a long text holds up nobody: the interpreter does not look through its many objects meanwhile."""

import asyncio
import gc

import pytest

from mlx_tts.server.run import new_serving
from mlx_tts.server.serving import LONG_TEXT, MOST_WITHOUT_COLLECTIONS
from mlx_tts.server.settings import ServerSettings


@pytest.mark.parametrize(
    ("characters", "looks"), [(LONG_TEXT, True), (LONG_TEXT + 1, False), (MOST_WITHOUT_COLLECTIONS + 1, True)]
)
def test_a_long_text_is_read_without_a_look_through_all_objects(characters, looks):
    serving = new_serving(ServerSettings(models=("tiny",)))
    assert asyncio.run(serving.read_text(characters, gc.isenabled)) == looks
    assert gc.isenabled()


def test_the_looks_go_on_where_a_text_cannot_be_read():
    serving = new_serving(ServerSettings(models=("tiny",)))

    def fails():
        raise ValueError("no text")

    with pytest.raises(ValueError, match="no text"):
        asyncio.run(serving.read_text(LONG_TEXT + 1, fails))
    assert gc.isenabled()
