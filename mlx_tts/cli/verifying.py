"""--verify and a loaded model -> a model that is listened to by a recogniser, which says what it heard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlx_tts.cli.console import Console
from mlx_tts.cli.model_access import agrees_to_fetch
from mlx_tts.cli.progress import preview
from mlx_tts.samples import Samples

if TYPE_CHECKING:
    from mlx_tts.cli.order import Order
    from mlx_tts.narration.verified import Finding, Speaker

MOST_PLACES = 3  # that are named of a take


def verified(model: Speaker, order: Order, console: Console) -> Speaker:
    """The model as it is without --verify. Nothing is fetched but where the user agrees."""
    from mlx_tts.audio.recogniser import CHECKS, open_recogniser
    from mlx_tts.narration.verified import Verified
    from mlx_tts.text.heard_words import language_code

    wanted, retries = order.options.verify.recogniser, order.settings.retries
    if wanted is None:
        return model
    recogniser = open_recogniser(wanted, agrees_to_fetch(order.options.fetch, console), CHECKS)

    def listen(samples: Samples, sample_rate: int, text: str, language: str) -> str:
        return recogniser.heard(samples, sample_rate, language_code(language, text)).words

    def tell(finding: Finding) -> None:
        console.progress("")
        console.say(line_of(finding, retries))

    return Verified(model, listen, retries, tell)


def line_of(finding: Finding, retries: int) -> str:
    """What is said of a take whose words differ."""
    shown = [_place(*place) for place in finding.places[:MOST_PLACES]]
    more = len(finding.places) - len(shown)
    ending = f"speaking it again (take {finding.take + 1})" if finding.again else "kept the best of the takes"
    if not retries:
        ending = "--retries 0 keeps it"
    return f"at “{preview(finding.text)}” was heard: {', '.join(shown)}{f' and {more} more' if more else ''}; {ending}"


def _place(said: str, heard: str) -> str:
    if not said:
        return f"“{heard}” that is not in the text"
    return f"“{heard}” for “{said}”" if heard else f"nothing for “{said}”"
