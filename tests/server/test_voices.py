"""Lists that clients ask for, and voices that they upload: names, limits, files that are not recordings."""

import io
import itertools
import re

import av
import httpx
import numpy as np
import pytest

from mlx_tts import load_voice
from mlx_tts.server.borrowed_names import MODELS
from mlx_tts.server.borrowed_names import VOICES as VOICES_OF_OPENAI

pytestmark = pytest.mark.slow

RATE = 24_000
NUMBERS = itertools.count(1)


def recording(
    seconds: float = 2.0, container: str = "wav", codec: str = "pcm_s16le", rate: int = RATE, loudness: float = 0.3
) -> bytes:
    """Something like a voice, as a file of this kind."""
    time = np.arange(round(seconds * rate)) / rate
    sound = loudness * np.sin(2 * np.pi * 150 * time) * (1 + np.sin(2 * np.pi * 3 * time)) / 2
    output = io.BytesIO()
    with av.open(output, "w", format=container) as file:
        stream = file.add_stream(codec, rate=rate)
        stream.layout = "mono"
        pcm = (sound * 32767).astype("<i2")[None]
        frame = av.AudioFrame.from_ndarray(pcm, format="s16", layout="mono")
        frame.sample_rate = rate
        for part in (*av.AudioResampler(stream.format, stream.layout, rate).resample(frame), None):
            file.mux(stream.encode(part))
    return output.getvalue()


@pytest.fixture(scope="module")
def cloning(tmp_path_factory, base_model):
    from tests.server.conftest import FEW_ROWS, running

    options = [*FEW_ROWS, "--model", str(base_model)]
    with running(tmp_path_factory.mktemp("cloning"), *options) as server:
        server.wait_until_ready()
        yield server


def upload(server, data: bytes | None = None, **fields) -> httpx.Response:
    form = {"name": f"Aunt {next(NUMBERS)}", "consent": "yes", **fields}
    files = {"audio_sample": ("voice.wav", recording() if data is None else data, "audio/wav")}
    form = {name: value for name, value in form.items() if value is not None}
    return httpx.post(f"{server.url}/v1/audio/voices", data=form, files=files, timeout=60)


def delete_all(server) -> None:
    for voice in httpx.get(f"{server.url}/v1/audio/voices").json()["voices"]:
        if voice["type"] == "audio_sample":
            httpx.delete(f"{server.url}/v1/audio/voices/{voice['id']}")


# Lists.


def test_models(cloning, openai):
    data = httpx.get(f"{cloning.url}/v1/models").json()
    assert data["object"] == "list"
    # a folder's name, not where it is; then the names that mean the default model
    assert [model["id"] for model in data["data"]] == ["tiny", "cloner", *MODELS]
    assert all(set(model) == {"id", "object", "created", "owned_by"} for model in data["data"])
    assert httpx.get(f"{cloning.url}/v1/models/cloner").json() == data["data"][1]
    assert httpx.get(f"{cloning.url}/v1/models/gpt-5").status_code == 404
    client = openai.OpenAI(base_url=f"{cloning.url}/v1", api_key="x")
    assert [model.id for model in client.models.list()] == ["tiny", "cloner", *MODELS]
    assert httpx.get(f"{cloning.url}/v1/models/gpt-4o-mini-tts-2025-12-15").json()["id"] == "gpt-4o-mini-tts-2025-12-15"


def test_what_open_webui_asks_for(server):
    assert httpx.get(f"{server.url}/v1/audio/models").json() == {"models": [{"id": "tiny"}]}
    voices = httpx.get(f"{server.url}/v1/audio/voices").json()["voices"]
    names = [voice["name"] for voice in voices]
    assert names[:4] == ["miles", "ivy", "rowan", "hazel"]
    assert set(VOICES_OF_OPENAI) <= set(names)
    assert all(voice["id"] for voice in voices)


def test_the_base_url_answers(server):
    for path in ("/", "/v1", "/v1/"):
        assert httpx.get(f"{server.url}{path}").json()["service"] == "mlx-tts"
    assert httpx.get(f"{server.url}/health").json()["service"] == "mlx-tts"


# Uploads.


def test_a_transcript_that_nobody_can_say_is_refused(cloning):
    refused = upload(cloning, name="Aunt Mary", transcript="What I say in it. " * 200)
    assert refused.status_code == 400 and refused.json()["error"]["param"] == "transcript"


def test_a_voice_is_uploaded_spoken_and_deleted(cloning):
    delete_all(cloning)
    made = upload(cloning, name="Aunt May", transcript="What I say in it.")
    assert made.status_code == 200
    voice = made.json()
    assert set(voice) == {"id", "object", "name", "created_at", "type"}
    assert (voice["object"], voice["name"], voice["type"]) == ("audio.voice", "Aunt May", "audio_sample")
    assert re.fullmatch(r"voice_[0-9a-f]{16}", voice["id"])
    (kept,) = (cloning.home / "uploaded-voices").iterdir()  # and no recording beside it
    assert kept.name == f"{voice['id']}.safetensors"
    assert load_voice(kept).voice.transcript == "What I say in it."
    for name in (voice["id"], "Aunt May", {"id": voice["id"]}):
        answer = cloning.post(input="Hello.", voice=name, response_format="pcm", seed=1)
        assert answer.status_code == 200, answer.text  # the model that the voice was made with speaks, without its name
    assert cloning.post(input="Hello.", voice="Aunt May", model="cloner", response_format="pcm").status_code == 200
    deleted = httpx.delete(f"{cloning.url}/v1/audio/voices/{voice['id']}")
    assert deleted.json() == {"id": voice["id"], "object": "audio.voice.deleted", "deleted": True}
    assert list((cloning.home / "uploaded-voices").iterdir()) == []
    assert cloning.post(input="Hello.", voice="Aunt May").status_code == 400
    assert httpx.delete(f"{cloning.url}/v1/audio/voices/{voice['id']}").status_code == 404


def test_the_request_of_the_openai_client(cloning, openai):
    delete_all(cloning)
    client = openai.OpenAI(base_url=f"{cloning.url}/v1", api_key="x", max_retries=0)
    voice = client.audio.voices.create(
        name="From OpenAI", audio_sample=("me.wav", recording(), "audio/wav"), consent="cons_1234"
    )
    assert voice.id.startswith("voice_")


@pytest.mark.parametrize(
    ("container", "codec", "rate"),
    [
        ("wav", "pcm_s16le", 8_000),
        ("mp3", "libmp3lame", 44_100),
        ("ogg", "libopus", 48_000),
        ("adts", "aac", 44_100),
        ("flac", "flac", 48_000),
        ("webm", "libopus", 48_000),
        ("mp4", "aac", 44_100),
    ],
)
def test_recordings_of_every_kind(cloning, container, codec, rate):
    delete_all(cloning)
    assert upload(cloning, recording(1.0, container, codec, rate)).status_code == 200


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not audio"),
        (b"RIFF nonsense", "not audio"),
        (b"#EXTM3U\nfile:///etc/passwd\n", "not audio"),
        (b"ffconcat version 1.0\nfile /etc/hosts\n", "not audio"),
        (lambda: recording(0.2), "0.20 s"),
        (lambda: recording(61.0), "longer than 60 s"),
        (
            lambda: recording(2.0).partition(b"data")[0] + b"data" + (96_000).to_bytes(4, "little") + bytes(96_000),
            "silent",
        ),
    ],
    ids=["empty", "nonsense", "playlist", "concat", "short", "long", "silent"],
)
def test_files_that_are_no_voice(cloning, data, message):
    answer = upload(cloning, data() if callable(data) else data)  # made when asked for: each worker collects all tests
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "audio_sample")
    assert message in answer.json()["error"]["message"]


def test_a_small_file_that_unpacks_to_hours(cloning):
    length = 2 * 3600 * 8000
    output = io.BytesIO()
    with av.open(output, "w", format="flac") as file:
        stream = file.add_stream("flac", rate=8000)
        stream.layout, stream.format = "mono", "s16"
        for _ in range(length // 800_000):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 800_000), "<i2"), format="s16", layout="mono")
            frame.sample_rate = 8000
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
    bomb = output.getvalue()
    assert len(bomb) < 2 << 20
    answer = upload(cloning, bomb)
    assert answer.status_code == 400 and "longer than 60 s" in answer.json()["error"]["message"]


def test_a_recording_that_is_too_large(cloning):
    answer = upload(cloning, bytes(11 << 20))
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "body_too_large")


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"name": None}, "name"),
        ({"name": ""}, "name"),
        ({"name": "../evil"}, "name"),
        ({"name": "x" * 65}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": "ivy"}, "name"),
        ({"name": "Alloy"}, "name"),
        ({"consent": None}, "consent"),
        ({"consent": " "}, "consent"),
        ({"model": "tiny"}, "model"),
    ],
    ids=str,
)
def test_a_wrong_field_is_named(cloning, fields, param):
    answer = upload(cloning, **fields)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)


def test_a_name_is_given_once(cloning):
    delete_all(cloning)
    assert upload(cloning, name="Aunt May").status_code == 200
    assert upload(cloning, name="aunt-may").json()["error"]["code"] == "voice_exists"


def test_a_form_without_a_recording(cloning):
    answer = httpx.post(f"{cloning.url}/v1/audio/voices", data={"name": "x", "consent": "yes"})
    assert answer.status_code == 415
    files = {"other": ("x", b"x")}
    answer = httpx.post(f"{cloning.url}/v1/audio/voices", data={"name": "x", "consent": "yes"}, files=files)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "audio_sample")
    broken = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = httpx.post(f"{cloning.url}/v1/audio/voices", content=b"nonsense", headers=broken)
    assert answer.status_code == 400


def test_a_model_that_cannot_clone_says_so(server):
    answer = upload(server)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "model_cannot_clone")


def test_only_uploaded_voices_are_deleted(cloning):
    for name in ("ivy", "alloy", "..%2F..%2Fsettings", "%2Fetc%2Fpasswd"):
        assert httpx.delete(f"{cloning.url}/v1/audio/voices/{name}").status_code == 404


def test_a_voice_that_the_user_saved_is_spoken_and_never_deleted(cloning):
    made = upload(cloning, name="To be saved").json()
    folder = cloning.home / "voices"
    folder.mkdir(exist_ok=True)
    (cloning.home / "uploaded-voices" / f"{made['id']}.safetensors").rename(folder / "mine.safetensors")
    assert cloning.post(input="Hello.", voice="mine", response_format="pcm").status_code == 200
    assert httpx.delete(f"{cloning.url}/v1/audio/voices/mine").status_code == 404
    assert (folder / "mine.safetensors").is_file()


def test_a_text_names_kept_voices(cloning):
    delete_all(cloning)
    upload(cloning, name="Ann")
    upload(cloning, name="Bob", transcript="What I say in it.")

    def sound(voice, text):
        answer = cloning.post(input=text, voice=voice, model="cloner", response_format="pcm", seed=1)
        assert answer.status_code == 200, answer.text
        return answer.content

    assert sound("Ann", "[voice:Bob] Hello.") == sound("Bob", "Hello.") != sound("Ann", "Hello.")
    refused = cloning.post(input="[voice:../voices/mine.safetensors] Hi.", voice="Ann", model="cloner")
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "input")


def test_a_full_disk(serve, base_model):
    plant = (
        "from mlx_tts.library import voice_store\ndef full(path, data):\n"
        "    raise OSError(28, 'No space left on device')\nvoice_store.write_whole = full"
    )
    server = serve("--model", str(base_model), plant=plant)
    answer = upload(server)
    assert answer.status_code == 507
    assert "No space left" in answer.json()["error"]["message"]
    assert list((server.home / "uploaded-voices").iterdir()) == []
    assert httpx.get(f"{server.url}/health").status_code == 200
