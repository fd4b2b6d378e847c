"""A text of several pieces is from the server what it is from `narrate`: each piece knows the one before it."""

import asyncio

import numpy as np
import pytest

from mlx_tts import SpeechRequest
from mlx_tts.models import families
from mlx_tts.narration.narrate import NarrationOptions, narrate
from mlx_tts.server.spoken_text import SpokenText
from mlx_tts.text.cutting.pieces import Piece

TEXTS = ("This is a test of the voice.", "How are you today?", "The zebra is over the fox.")


def late(pieces):
    """As text comes through a socket: nothing for a moment before each piece."""
    for piece in pieces:
        yield None
        yield piece


@pytest.mark.slow
@pytest.mark.parametrize("arriving", [iter, late])
def test_pieces_go_on_from_each_other(magpie, arriving, monkeypatch):
    tts, followed = magpie("baked_s1").tts, []
    submit = tts.submit
    monkeypatch.setattr(tts, "submit", lambda asked, **how: (followed.append(asked.more), submit(asked, **how))[1])
    asked = SpeechRequest(TEXTS[0], language="en", seed=1, guard=False, max_frames=12)
    request = families.check_request(tts._checkpoint, asked)
    pieces = [Piece(number, text, 0, "sentence") for number, text in enumerate(TEXTS)]

    async def served():
        spoken = SpokenText(tts, request, arriving(pieces))
        asyncio.get_running_loop().call_later(0.2, spoken.wake)
        return [part.samples async for part in spoken]

    whole = [part.samples for part in narrate(tts, request, iter(pieces), NarrationOptions(live=True))]
    assert np.array_equal(np.concatenate(asyncio.run(served())), np.concatenate(whole))
    assert followed == [True, True, False] * 2
