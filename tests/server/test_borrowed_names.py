"""Names of OpenAI's and Kokoro's models and voices stand for ours; texts without words; the lists behind a key."""

import httpx
import numpy as np
import pytest

from mlx_tts.errors import RequestError
from mlx_tts.library import catalog
from mlx_tts.server import borrowed_names
from mlx_tts.server.security import OWN_NAMES
from mlx_tts.server.settings import ServerSettings
from mlx_tts.server.speech_body import checked_order

TINY = ("miles", "ivy", "rowan", "hazel")


@pytest.mark.parametrize(
    ("name", "borrowed"),
    [
        ("tts-1", True),
        ("tts-1-1106", True),
        ("TTS-1-HD", True),
        ("gpt-4o-mini-tts-2025-12-15", True),
        ("kokoro", True),
        ("kokoro-v1.0", True),
        ("gpt-5", False),
        ("tts-2", False),
        ("gpt-4o-mini-tts-latest", False),
        ("kokoro/../x", False),
    ],
)
def test_models(name, borrowed):
    assert borrowed_names.is_model(name) is borrowed


@pytest.mark.parametrize("presets", [TINY, ("Ryan", "Aiden", "Vivian", "Serena", "Uncle_Fu")])
def test_a_borrowed_voice_has_its_sex(presets):
    sexes = {name: catalog.presets()[catalog.voice_key(name)].sex for name in presets}
    for names, sex in ((borrowed_names.WOMEN, "woman"), (borrowed_names.MEN, "man")):
        assert {sexes[borrowed_names.preset_for(name, presets)] for name in names} == {sex}
    for name, sex in (("af_sky", "woman"), ("bm_george", "man"), ("ZF_xiaobei", "woman"), ("am_x", "man")):
        assert borrowed_names.is_voice(name)
        assert sexes[borrowed_names.preset_for(name, presets)] == sex


def test_a_model_of_one_sex_or_without_presets():
    assert borrowed_names.preset_for("ash", ["ivy"]) == "ivy"
    assert borrowed_names.preset_for("ash", ["someone"]) == "someone"
    assert borrowed_names.preset_for("ash", []) is None


def test_other_names_are_nobodys():
    for name in ("xx_sky", "af", "af_", "a_sky", "alloys", ""):
        assert not borrowed_names.is_voice(name)


@pytest.mark.parametrize(
    ("mix", "meant"),
    [
        ("af_bella(2)+af_sky", "af_bella"),
        ("af_bella + am_adam(1.5)", "am_adam"),
        ("bm_george-af_sky", "bm_george"),
        ("alloy+onyx(3)", "onyx"),
        ("af_sky(2)", "af_sky"),
        ("af_sky", None),
        ("af_sky+nobody", None),
        ("af_sky+", None),
        ("af_sky(x)", None),
    ],
)
def test_a_mix_is_its_heaviest_voice(mix, meant):
    assert borrowed_names.heaviest(mix) == meant
    assert borrowed_names.is_voice(mix) is (meant is not None or mix == "af_sky")
    if meant is not None:
        assert borrowed_names.preset_for(mix, TINY) == borrowed_names.preset_for(meant, TINY)
        assert borrowed_names.language_of(mix, ["english"]) == borrowed_names.language_of(meant, ["english"])


def test_the_language_of_a_name():
    assert borrowed_names.language_of("jf_alpha", ["english", "japanese"]) == "japanese"
    assert borrowed_names.language_of("jf_alpha", ["english"]) is None
    assert borrowed_names.language_of("alloy", ["english"]) is None


@pytest.mark.parametrize("alias", ["alloy", "=ivy", "alloy=", " = "])
def test_an_alias_that_says_nothing_is_refused(alias):
    with pytest.raises(RequestError, match="give NAME=VOICE"):
        ServerSettings(voice_aliases=(alias,)).check()


def test_aliases_of_the_settings_are_kept_and_checked(tmp_path, monkeypatch, capfd):
    from mlx_tts.cli import run
    from mlx_tts.library.preferences import preferences

    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path))
    assert run(["settings", "voice_aliases", "alloy=hazel, nova = ivy,"]) == 0
    assert preferences().aliases == ("alloy=hazel", "nova = ivy")
    assert ServerSettings(voice_aliases=(*preferences().aliases, "alloy=miles")).aliases == {
        "alloy": "miles",
        "nova": "ivy",
    }
    capfd.readouterr()
    assert run(["settings", "voice_aliases", "alloy"]) == 2
    assert "give NAME=VOICE" in capfd.readouterr().err
    assert run(["settings", "voice_aliases", "--unset"]) == 0
    assert preferences().aliases == ()


def test_fields_as_clients_write_them():
    """Numbers as text, null for what is not given, fields of other servers."""
    body = {"input": "Hi.", "speed": "1.5", "seed": "7", "voice": None, "stream": True, "volume_multiplier": "2"}
    order = checked_order({**body, "stream_format": None, "instructions": None, "lang_code": "a"}, 1000)
    assert (order.speed, order.seed, order.voice, order.stream_format, order.instruct) == (1.5, 7, None, "audio", None)


def test_an_alias_is_compared_like_a_voice():
    assert ServerSettings(voice_aliases=("Uncle Bob=miles",)).aliases == {"uncle_bob": "miles"}


@pytest.mark.slow
def test_over_http(server):
    for voice, spoken in (("alloy", "ivy"), ("af_sky", ("ivy", "hazel")), ("ash", "miles"), ("MILES", "miles")):
        answer = server.post(input="Yes.", model="gpt-4o-mini-tts-2025-12-15", voice=voice, response_format="pcm")
        assert answer.status_code == 200, answer.text
        assert answer.headers["x-mlx-tts-voice"] in spoken
    assert server.post(input="Yes.", voice="nobody").status_code == 400
    assert server.post(input="Yes.", model="gpt-5").status_code == 404
    host = {"host": f"{OWN_NAMES[0]}:8880"}
    assert httpx.get(f"{server.url}/health", headers=host).status_code == 200
    assert httpx.get(f"{server.url}/health", headers={"host": "example.org"}).status_code == 421


@pytest.mark.slow
def test_a_text_without_words_is_a_moment_of_silence(server):
    for text in ("...", "😀", "---"):
        answer = server.post(input=text, response_format="pcm")
        assert answer.status_code == 200, answer.text
        assert len(answer.content) == 2 * 2400
        assert not np.frombuffer(answer.content, "<i2").any()
    for form in ("mp3", "wav", "opus", "flac", "aac"):
        assert len(server.post(input="...", response_format=form).content) > 40
    events = server.post(input="...", stream_format="sse", response_format="pcm").text
    assert events.count("speech.audio.delta") == 1
    assert "speech.audio.done" in events
    assert server.post(input=" ").status_code == 400


@pytest.mark.slow
def test_strict_names_aliases_and_open_lists(serve):
    options = ("--model", "tiny", "--strict-names", "--voice-alias", "alloy=hazel", "--open-lists")
    server = serve(*options, MLX_TTS_API_KEY="a-key-of-some-length")
    key = {"authorization": "Bearer a-key-of-some-length"}

    def ask(**body):
        body = {"input": "Yes.", "response_format": "pcm", **body}
        return httpx.post(f"{server.url}/v1/audio/speech", json=body, headers=key, timeout=60)

    assert ask(voice="Alloy").headers["x-mlx-tts-voice"] == "hazel"
    assert ask(voice="echo").status_code == 400
    assert ask(model="tts-1").status_code == 404
    voices = httpx.get(f"{server.url}/v1/audio/voices")
    assert [voice["id"] for voice in voices.json()["voices"]] == [*TINY, "alloy"]
    assert [model["id"] for model in httpx.get(f"{server.url}/v1/models").json()["data"]] == ["tiny"]
    assert httpx.post(f"{server.url}/v1/audio/speech", json={"input": "Yes."}).status_code == 401
    assert httpx.post(f"{server.url}/v1/audio/voices").status_code == 401
