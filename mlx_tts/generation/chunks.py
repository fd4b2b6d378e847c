"""An iterator of chunks -> the same for `for`, `next` and `async for`, which does not hold up an event loop."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from mlx_tts.speech import AudioChunk


class Chunks(Iterator[AudioChunk]):
    """Chunks of a speech as they are made. Closing it, or letting go of it, ends the generation within a frame."""

    def __init__(self, source: Generator[AudioChunk, None, None]):
        self._source = source

    def __iter__(self) -> Chunks:
        return self

    def __next__(self) -> AudioChunk:
        return next(self._source)

    def __aiter__(self) -> Chunks:
        return self

    async def __anext__(self) -> AudioChunk:
        import asyncio

        chunk = await asyncio.to_thread(next, self._source, None)
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    def close(self) -> None:
        self._source.close()
