"""A request whose text still arrives -> an utterance that reads each text id when its frame needs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import mlx.core as mx

from mlx_tts.models.qwen3_tts.frames import Utterance
from mlx_tts.speech import GrowingText, SpeechRequest, Voice


def wait_for_text(request: SpeechRequest, streams_text: bool) -> tuple[SpeechRequest, GrowingText | None]:
    """The request with the text there is, and where it goes on. A text is waited for to its end unless the layout takes
    it word by word; in-context clones lay it over the reference, so they wait as well."""
    growing, voice = request.growing, request.voice
    if growing is None:
        return request, None
    streamed = streams_text if request.stream_text is None else request.stream_text
    if not streamed or (isinstance(voice, Voice) and voice.reference_codes is not None):
        while not growing.complete:
            growing.wait()
    return replace(request, text=growing.text), None if growing.complete else growing


@dataclass(frozen=True)
class GrowingUtterance(Utterance):
    """read_trailing: the trailing ids of the text so far, the closing one last. A frame waits for the id it needs;
    words are whole, so more of them change no id that was read."""

    growing: GrowingText
    read_trailing: Callable[[], list[int]]
    embed: Callable[[mx.array], mx.array]

    def text_after(self, frame: int) -> mx.array:
        while True:
            complete = self.growing.complete
            ids = self.read_trailing()[: None if complete else -1]
            if frame < len(ids):
                return self.embed(mx.array(ids[frame : frame + 1]))[0]
            if complete:
                return self.pad
            self.growing.wait()
