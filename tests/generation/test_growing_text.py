"""A text that still arrives, as far as all families share it: nothing is laid out before its end is there."""

from types import SimpleNamespace

from mlx_tts.generation.synthesizer import FrameSynthesizer
from mlx_tts.speech import CheckedRequest


class Arriving:
    """One more word is there whenever somebody looks; the third is the last."""

    words, have = ("It", "works", "well."), 0

    @property
    def text(self) -> str:
        return " ".join(self.words[: self.have])

    @property
    def complete(self) -> bool:
        return self.have == len(self.words)

    def advance(self) -> bool:
        self.have += 1
        return False


class Listing(FrameSynthesizer):
    """Its loop begins with the text itself."""

    _loop = SimpleNamespace(begin=lambda utterance, take: iter_of((utterance, take)))

    def _utterance(self, request):
        return request.text


def iter_of(row):
    yield 7
    return row


def begun(model, prepared):
    """What the engine was told while it waited, and the row that came of it. A text that never begins is given up."""
    beginning, told = model.begin(prepared, 2), []
    while len(told) < 10:
        try:
            told.append(next(beginning))
        except StopIteration as end:
            return told, end.value
    return told, None


def test_a_text_begins_when_all_of_it_is_there():
    model, growing = Listing(), Arriving()
    request = CheckedRequest("It", growing=growing)
    assert begun(model, model.prepare(request)) == ([0, 0, 7], ("It works well.", 2))


def test_a_text_that_is_there_begins_at_once():
    model = Listing()
    assert begun(model, model.prepare(CheckedRequest("Yes."))) == ([7], ("Yes.", 2))
