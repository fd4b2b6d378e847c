"""A chosen model -> its description and its synthesizer; a options -> a request."""

from __future__ import annotations

import math
import time

from mlx_tts.cli.console import Console
from mlx_tts.cli.options import FetchOptions, SamplingOptions, SpeechOptions
from mlx_tts.errors import DownloadError
from mlx_tts.library import hub
from mlx_tts.library.catalog import ModelSpec, voice_key
from mlx_tts.library.selection import Choice
from mlx_tts.speech import ModelInfo, Sampling, SpeechRequest, Synthesizer, Voice


def describe(choice: Choice, fetching: FetchOptions, console: Console) -> ModelInfo:
    """What the model can do; asks before a model that nobody named is fetched."""
    from mlx_tts.models import families

    spec = choice.spec
    offline = fetching.offline or hub.is_offline()
    if not (choice.named or fetching.yes or offline or hub.is_on_disk(spec)):
        console.say(f"this needs the model {spec.name}, which is not on disk ({spec.download_size})")
        if not console.agrees("Fetch it now?"):
            raise DownloadError(
                f"{spec.name} was not fetched: `mlx-tts pull {spec.name}` does it later, --model picks another"
            )
    return families.describe(hub.fetch_description(spec, offline=fetching.offline))


def load(spec: ModelSpec, fetching: FetchOptions, console: Console) -> Synthesizer:
    """The model, fetched if need be."""
    from mlx_tts.models import families

    folder = hub.fetch(spec, offline=fetching.offline, log=console.say, progress=console.shows_progress)
    start = time.perf_counter()
    synthesizer = families.load_folder(folder, log=console.detail)
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
