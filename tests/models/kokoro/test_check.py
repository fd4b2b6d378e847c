"""Requests, voices, texts of all languages, and checkpoints that are not what they should be."""

import json
import shutil

import numpy as np
import pytest

from mlx_tts import SpeechRequest
from mlx_tts.errors import ModelError, RequestError
from mlx_tts.models import families
from mlx_tts.models.kokoro.text import by_espeak
from mlx_tts.models.kokoro.text.languages import phonemes_of
from mlx_tts.models.kokoro.voices import read_voice
from mlx_tts.text.phonemes.phones import marked
from tests.helpers.family_cases import KOKORO, refused

VOCAB = json.loads((KOKORO / "plain" / "checkpoint" / "config.json").read_text(encoding="utf-8"))["vocab"]


@pytest.fixture
def folder(kokoro, tmp_path):
    """A copy that may be damaged."""
    return shutil.copytree(kokoro("limit").folder, tmp_path / "copy")


@pytest.mark.parametrize(
    ("text", "voice", "phonemes"),
    [
        ("The apple, the pear.", "af_x", "ði ˈæpᵊl, ðə pˈɛɹ."),
        ("I want to eat a banana.", "af_x", "ˌI wˈɑnt tʊ ˈit ɐ bənˈænə."),
        ("To swim home!", "af_x", "tə swˈɪm hˈOm!"),
        ("To swim home!", "bm_x", "tə swˈɪm hˈQm!"),
        ("well-known — no*", "af_x", "wˈɛlnˈOn — nˈO"),
        ("A B C", "af_x", "ˈA bˈi sˈi"),
    ],
)
def test_english(text, voice, phonemes):
    assert phonemes_of(text, "english", voice, VOCAB).symbols == phonemes


def test_a_word_is_said_as_markup_says():
    text = f"Say {marked('Xiomara', 'ʃOmˈɑɹə')}, please."
    assert phonemes_of(text, "english", "af_x", VOCAB).symbols == "sˈA ʃOmˈɑɹə, plˈiz."


@pytest.mark.skipif(not shutil.which(by_espeak.PROGRAM), reason="NOT READ: espeak-ng is not installed")
@pytest.mark.parametrize(
    ("text", "language", "phonemes"),
    [
        ("Bonjour, mon ami!", "french", "bɔ̃ʒˈuʁ, mɔ̃n amˈi!"),
        ("¿Qué tal? Vivo en Madrid.", "spanish", "kˈe tˈal? bˈiβo en maðɾˈid."),
        ("Buongiorno.", "italian", "bʊonʤˈɔrno."),
    ],
)
def test_other_languages(text, language, phonemes):
    made = phonemes_of(text, language, "x", VOCAB)
    assert made.symbols == phonemes
    assert [word.written for word in made.words] == text.split()


def test_a_language_without_its_program_is_one_line(monkeypatch):
    monkeypatch.setattr(by_espeak.shutil, "which", lambda _name: None)
    with pytest.raises(RequestError, match="French is read by the program espeak-ng, which is not installed") as error:
        phonemes_of("Bonjour", "french", "ff_x", VOCAB)
    assert "\n" not in str(error.value)


def test_requests_that_are_refused(kokoro):
    tts = kokoro("plain").tts
    refused(tts, "unknown voice 'af_two'.*af_one", voice="af_two")
    refused(tts, "not a mix of voices", voice="af_one(x)+bm_two")
    refused(tts, "17 voices are mixed; 16 are the most", voice="+".join(["af_one"] * 17))
    refused(tts, "takes no --instruct", instruct="Slowly.")
    refused(tts, "speed is 5; it must be from 0.25 to 4", options={"speed": 5.0})
    refused(tts, "unknown option 'pace'", options={"pace": 5.0})
    with pytest.raises(RequestError, match="nothing in '好' that this model can say"):
        tts.speak(SpeechRequest("好", options={"phonemes": "on"}))


def test_a_voice_brings_its_language_and_a_language_its_voice(kokoro):
    tts = kokoro("plain").tts
    assert tts.check(SpeechRequest("Hello.")).voice == "af_one"
    assert tts.check(SpeechRequest("Hello.", voice="AF_ONE + bm_two(2)")).voice == "af_one+bm_two(2)"
    assert tts.info.british_voices == ("bm_two",)
    assert kokoro("limit").tts.check(SpeechRequest("你好")).language == "chinese"


def test_a_mix_is_the_mean_of_its_voices(kokoro):
    packs = kokoro("plain").tts._synthesizer._loop._voices
    one, two = packs.style("af_one", 7), packs.style("bm_two", 7)
    np.testing.assert_allclose(packs.style("af_one+bm_two(3)", 7), (one + 3 * two) / 4, atol=1e-6)
    np.testing.assert_array_equal(packs.style("af_one", 9999), packs.style("af_one", 510))


def spoken_from(folder):
    from mlx_tts import load

    with load(str(folder)) as tts:
        tts.speak(SpeechRequest("nˈi", options={"phonemes": "on"}))


def test_a_config_of_impossible_sizes_is_refused(folder):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    for part, name, value in (
        ("istftnet", "upsample_kernel_sizes", [8, 4]),
        ("istftnet", "gen_istft_n_fft", 15),
        ("istftnet", "resblock_dilation_sizes", [[1, 2]]),
        ("plbert", "num_attention_heads", 7),
        (None, "vocab", {"ab": 1}),
        (None, "vocab", {"a": 178}),
    ):
        changed = json.loads(json.dumps(config))
        (changed if part is None else changed[part])[name] = value
        (folder / "config.json").write_text(json.dumps(changed), encoding="utf-8")
        with pytest.raises(ModelError) as error:
            families.open_checkpoint(folder)
        assert {"num_attention_heads": "plbert"}.get(name, name) in str(error.value) and "\n" not in str(error.value)


@pytest.mark.slow
def test_weights_of_another_version_are_named(folder):
    from safetensors.numpy import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    for name, changed, says in (
        ("text_encoder.embedding.weight", np.zeros((178, 25), np.float32), r"text_encoder.embedding.weight of shape"),
        ("decoder.encode.conv1.weight_g", None, "no norm for decoder.encode.conv1.weight_v"),
        ("predictor.lstm.bias_hh_l0", None, "lacks parts of predictor.lstm"),
        ("bert_encoder.bias", None, "lacks bert_encoder.bias"),
    ):
        own = {key: value for key, value in tensors.items() if key != name}
        save_file(own if changed is None else {**own, name: changed}, folder / "model.safetensors")
        with pytest.raises(ModelError, match=says) as error:
            spoken_from(folder)
        assert "\n" not in str(error.value)


def test_damaged_voices_are_refused_by_name(folder, tmp_path):
    from safetensors.numpy import save_file

    path = folder / "voices" / "zf_three.safetensors"
    for pack in (np.zeros((510, 1, 128), np.float32), np.full((510, 1, 256), np.nan, np.float32)):
        save_file({"voice": pack}, path)
        with pytest.raises(ModelError, match=r"zf_three\.safetensors holds"):
            read_voice(path, 256)
    path.write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="damaged"):
        spoken_from(folder)
    archive = tmp_path / "af_bad.pt"
    archive.write_bytes(b"PK\3\4 nonsense")
    with pytest.raises(ModelError, match="damaged weights"):
        read_voice(archive, 256)


def test_a_folder_without_voices_or_weights_says_what_is_missing(folder):
    family = families.family("kokoro")
    assert family.missing_files(folder) == []
    (folder / "model.safetensors").unlink()
    shutil.rmtree(folder / "voices")
    assert family.missing_files(folder) == ["kokoro-v1_0.pth", "voices/*"]
    with pytest.raises(ModelError, match="no voices"):
        families.open_checkpoint(folder)
