"""The cases under fixtures/oracle: names, and requests as this package takes them."""

from __future__ import annotations

import json
from typing import Any

from mlx_tts import SpeechRequest, Voice
from tests.helpers.paths import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "oracle"
CASES = {
    folder.name: [request["name"] for request in json.loads((folder / "requests.json").read_text())]
    for folder in sorted(FIXTURES.iterdir())
    if folder.is_dir()
}


def request_for(reference: Any, name: str, **options: Any) -> SpeechRequest:
    """The request of a case by its name, with the official x-vector and codes as its voice where it is a clone."""
    asked = reference.request(name)
    voice: str | Voice | None = asked.get("speaker")
    if asked.get("clone"):
        golden = reference.golden
        in_context = asked["clone"] == "icl"
        voice = Voice(golden["xvector"], golden["codec/encoded"] if in_context else None, asked.get("ref_text"))
    return SpeechRequest(
        asked["text"],
        voice=voice,
        language=asked["language"],
        instruct=asked.get("instruct"),
        stream_text=asked["streamed"],
        **options,
    )
