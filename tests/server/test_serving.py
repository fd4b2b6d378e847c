"""Reading a long text holds up nobody: the interpreter does not look through its many objects meanwhile."""

import asyncio
import gc
import threading

import pytest

from mlx_tts.server.run import new_serving
from mlx_tts.server.serving import LONG_TEXT, MOST_WITHOUT_COLLECTIONS
from mlx_tts.server.settings import ServerSettings
from mlx_tts.text.source.markdown_document import markdown_document


@pytest.fixture
def whole_collections():
    """The threads in which Python looked through all its objects."""
    threads = []

    def note(phase, facts):
        if phase == "start" and facts["generation"] == 2:
            threads.append(threading.current_thread().name)

    gc.collect()
    gc.freeze()  # as a server that is ready does: what is new is then soon a quarter of all, which brings a whole look
    gc.callbacks.append(note)
    yield threads
    gc.callbacks.remove(note)
    gc.unfreeze()


@pytest.mark.parametrize(("characters", "looks"), [(LONG_TEXT + 1, False), (MOST_WITHOUT_COLLECTIONS + 1, True)])
def test_a_long_text_is_read_without_a_look_through_all_objects(whole_collections, characters, looks):
    serving = new_serving(ServerSettings(models=("tiny",)))
    asyncio.run(serving.read_text(characters, markdown_document, "# \n" * 12_000))
    assert any(name.startswith("mlx-tts long text") for name in whole_collections) == looks
    assert gc.isenabled()


def test_the_looks_go_on_where_a_text_cannot_be_read():
    serving = new_serving(ServerSettings(models=("tiny",)))

    def fails():
        raise ValueError("no text")

    with pytest.raises(ValueError, match="no text"):
        asyncio.run(serving.read_text(LONG_TEXT + 1, fails))
    assert gc.isenabled()
