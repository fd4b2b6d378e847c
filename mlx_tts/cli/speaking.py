"""A chosen model -> its description and its synthesizer; a request -> sound in a sink, and figures for people."""

from __future__ import annotations

import math
import time
from pathlib import Path

from mlx_tts import hub
from mlx_tts.catalog import ModelSpec, voice_key
from mlx_tts.cli.console import Console
from mlx_tts.cli.options import FetchOptions, SamplingOptions, SpeechOptions
from mlx_tts.cli.output import Destination
from mlx_tts.defaults import Choice
from mlx_tts.errors import DownloadError
from mlx_tts.speech import ModelInfo, Sampling, SpeechRequest, Synthesizer, Voice


def describe(choice: Choice, fetching: FetchOptions, console: Console) -> ModelInfo:
    """What the model can do; asks before a model that nobody named is fetched."""
    from mlx_tts import loading

    spec = choice.spec
    offline = fetching.offline or hub.is_offline()
    if not (choice.named or fetching.yes or offline or hub.is_on_disk(spec)):
        console.say(f"this needs the model {spec.name}, which is not on disk ({spec.download_size})")
        if not console.agrees("Fetch it now?"):
            raise DownloadError(
                f"{spec.name} was not fetched: `mlx-tts pull {spec.name}` does it later, --model picks another"
            )
    return loading.describe(hub.fetch_description(spec, offline=fetching.offline))


def load(spec: ModelSpec, fetching: FetchOptions, console: Console) -> Synthesizer:
    """The model, fetched if need be."""
    from mlx_tts import loading

    folder = hub.fetch(spec, offline=fetching.offline, log=console.say, progress=console.shows_progress)
    start = time.perf_counter()
    synthesizer = loading.load_folder(folder, log=console.detail)
    console.detail(f"loaded {spec.name} in {time.perf_counter() - start:.2f} s")
    return synthesizer


def build_request(
    text: str,
    voice: str | Voice | None,
    instruct: str | None,
    info: ModelInfo,
    speech: SpeechOptions,
    drawing: SamplingOptions,
) -> SpeechRequest:
    """The options as a request; what the model makes of it is checked by the model."""
    if isinstance(voice, str):
        by_key = {voice_key(name): name for name in info.voices}
        voice = by_key.get(voice_key(voice), voice)
    max_frames = None
    if speech.max_seconds is not None:
        max_frames = max(1, math.ceil(speech.max_seconds * info.frame_rate))
    return SpeechRequest(
        text=text,
        voice=voice,
        language=speech.language,
        instruct=instruct,
        sampling=Sampling(**vars(drawing)),
        seed=speech.seed,
        max_frames=max_frames,
    )


def speak_into(destination: Destination, synthesizer: Synthesizer, request: SpeechRequest, console: Console) -> None:
    """Generate, writing and playing each piece as it comes; an interruption keeps what was spoken so far."""
    from mlx_tts.memory import peak_bytes

    rate = synthesizer.sample_rate
    samples = 0
    first = generated = 0.0
    sink = destination.open(rate)
    try:
        stream = synthesizer.stream(request)
        while True:
            start = time.perf_counter()
            chunk = next(stream, None)
            generated += time.perf_counter() - start  # without the time that the speakers or a slow pipe take
            if chunk is None:
                break
            first = first or generated
            sink.write(chunk.samples)
            samples += len(chunk.samples)
            console.progress(f"{samples / rate:.1f} s spoken")
        console.progress("")
        kept = sink.finish()
    except BaseException as error:
        console.progress("")
        kept = sink.abandon()
        if isinstance(error, KeyboardInterrupt):
            console.say(f"interrupted after {samples / rate:.1f} s of speech{_kept_line(kept)}")
        elif kept is not None:
            console.say(f"stopped after {samples / rate:.1f} s of speech{_kept_line(kept)}")
        raise
    seconds = samples / rate
    if kept is not None:
        console.say(f"wrote {kept}{destination.note}")
    if seconds:
        console.say(
            f"{seconds:.2f} s of speech in {generated:.2f} s (real-time factor {generated / seconds:.2f}), "
            f"first audio after {first:.2f} s, peak memory {peak_bytes() / 1e9:.2f} GB"
        )
    else:
        console.say("the model ended at once and said nothing: try another --seed")


def _kept_line(kept: Path | None) -> str:
    return f", kept in {kept}" if kept else ""
