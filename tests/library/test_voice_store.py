"""A voice survives its file, and a file that is none is named."""

import numpy as np
import pytest
from safetensors.numpy import load, save_file

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.library.voice_store import Recording, SavedVoice, load_voice, save_voice, write_voice
from mlx_tts.speech import Voice

EMBEDDING = np.linspace(-3, 3, 1024, dtype=np.float32)
CODES = np.arange(160, dtype=np.int32).reshape(10, 16)
SOUND = (1000 * np.sin(np.arange(24_000) / 20)).astype(np.int16)
RATE = {"recording_rate": "24000"}
LATENTS = np.ones((3, 2, 4), np.float32)


@pytest.mark.parametrize(
    "voice", [Voice(EMBEDDING), Voice(EMBEDDING, CODES, "Hellø, words.", name="me"), Voice(EMBEDDING[:0], CODES, "")]
)
def test_there_and_back(tmp_path, voice):
    save_voice(voice, tmp_path / "me.safetensors", "0.6b-base-8bit")
    saved = load_voice(tmp_path / "me.safetensors")
    assert saved.model == "0.6b-base-8bit"
    assert (saved.voice.name, saved.voice.transcript) == (voice.name, voice.transcript)
    np.testing.assert_array_equal(saved.voice.speaker_embedding, voice.speaker_embedding)
    np.testing.assert_array_equal(saved.voice.reference_codes, voice.reference_codes)
    assert [path.name for path in tmp_path.iterdir()] == ["me.safetensors"]
    assert (tmp_path / "me.safetensors").stat().st_size < 6_000


def test_styles_there_and_back(tmp_path):
    styles = {"sad": Voice(EMBEDDING + 1), "très doux": Voice(EMBEDDING - 1, CODES, "Words.", family="qwen3_tts")}
    voice = Voice(EMBEDDING, CODES, "", name="me", family="qwen3_tts", styles=styles)
    recordings = {"sad": Recording(SOUND / 32767, 24_000)}
    write_voice(SavedVoice(voice, "m", style_recordings=recordings), tmp_path / "me.safetensors")
    saved = load_voice(tmp_path / "me.safetensors")
    assert set(saved.voice.styles) == {"sad", "très doux"} and set(saved.style_recordings) == {"sad"}
    assert saved.voice.transcript == "" and saved.voice.styles["très doux"].transcript == "Words."
    assert {style.family for style in saved.voice.styles.values()} == {"qwen3_tts"}
    np.testing.assert_array_equal(saved.voice.styles["sad"].speaker_embedding, EMBEDDING + 1)
    np.testing.assert_array_equal(saved.voice.styles["très doux"].reference_codes, CODES)
    np.testing.assert_allclose(saved.style_recordings["sad"].samples, SOUND / 32767, atol=1e-6)


@pytest.mark.parametrize("name", ["", "Sad", "1", "a/b", "x" * 40, "\0"])
def test_a_style_without_a_usable_name_is_refused(tmp_path, name):
    with pytest.raises(RequestError, match="is not a name for a style"):
        save_voice(Voice(EMBEDDING, styles={name: Voice(EMBEDDING)}), tmp_path / "me.safetensors")
    write(
        tmp_path / "me.safetensors", {}, speaker_embedding=EMBEDDING, **{f"styles/{name}/speaker_embedding": EMBEDDING}
    )
    if name not in ("Sad", "a/b"):
        with pytest.raises(MlxTtsError, match="has a style without a usable name"):
            load_voice(tmp_path / "me.safetensors")


def test_a_damaged_style_is_named(tmp_path):
    path = tmp_path / "me.safetensors"
    write(path, {}, speaker_embedding=EMBEDDING, **{"styles/sad/speaker_embedding": EMBEDDING * np.nan})
    with pytest.raises(MlxTtsError, match=r"no usable speaker vector.*\(style sad\)"):
        load_voice(path)
    many = {f"styles/s{'x' * number}/speaker_embedding": EMBEDDING[:4] for number in range(17)}
    write(path, {}, speaker_embedding=EMBEDDING, **many)
    with pytest.raises(MlxTtsError, match="17 styles, more than 16"):
        load_voice(path)


def write(path, metadata, **tensors):
    save_file(tensors, path, {"format": "mlx-tts-voice", "version": "1", **metadata})


def test_a_file_that_is_no_voice(tmp_path):
    path = tmp_path / "me.safetensors"
    with pytest.raises(RequestError, match=r"no voice file .*--save-voice"):
        load_voice(path)
    path.write_bytes(b"nonsense")
    with pytest.raises(MlxTtsError, match="is not a voice file or is damaged"):
        load_voice(path)
    write(path, {"format": "pt"}, speaker_embedding=EMBEDDING)
    with pytest.raises(MlxTtsError, match="is not a voice file: make one"):
        load_voice(path)
    write(path, {"version": "9"}, speaker_embedding=EMBEDDING)
    with pytest.raises(MlxTtsError, match="voice format 9; this program reads 1: update"):
        load_voice(path)


@pytest.mark.parametrize(
    ("metadata", "tensors", "says"),
    [
        ({}, {"reference_codes": CODES}, "holds no speaker vector"),
        ({}, {"speaker_embedding": EMBEDDING[:0]}, "holds no usable speaker vector"),
        ({}, {"speaker_embedding": EMBEDDING[None]}, "holds no usable speaker vector"),
        ({}, {"speaker_embedding": EMBEDDING * np.nan}, "holds no usable speaker vector"),
        ({}, {"speaker_embedding": EMBEDDING, "reference_codes": CODES}, "codes without a transcript"),
        ({"transcript": "x"}, {"speaker_embedding": EMBEDDING}, "a transcript, but neither codes nor latents"),
        ({}, {"speaker_embedding": EMBEDDING, "prompt_latents": LATENTS}, "has prompt latents without a transcript"),
        ({}, {"speaker_embedding": EMBEDDING, "reference_latents": -LATENTS[0]}, "unusable reference latents"),
        ({}, {"speaker_embedding": EMBEDDING, "reference_codes": -1 - CODES}, "has unusable codes"),
        (
            {"transcript": "x"},
            {"speaker_embedding": EMBEDDING, "reference_codes": CODES[0]},
            "has unusable codes",
        ),
        ({}, {"speaker_embedding": EMBEDDING, "recording": SOUND}, "a recording without its rate"),
        ({"recording_rate": "24000"}, {"speaker_embedding": EMBEDDING}, "the rate of a recording, but no recording"),
        ({"recording_rate": "7"}, {"speaker_embedding": EMBEDDING, "recording": SOUND}, "at the rate '7'"),
        ({"recording_rate": "-24000"}, {"speaker_embedding": EMBEDDING, "recording": SOUND}, "at the rate '-24000'"),
        ({"recording_rate": "nan"}, {"speaker_embedding": EMBEDDING, "recording": SOUND}, "at the rate 'nan'"),
        (RATE, {"speaker_embedding": EMBEDDING, "recording": SOUND[None]}, "needs one channel of 16-bit"),
        (RATE, {"speaker_embedding": EMBEDDING, "recording": SOUND[:0]}, "has a recording of 0 s"),
        (RATE, {"speaker_embedding": EMBEDDING, "recording": SOUND.astype(np.float32)}, "needs one channel of 16-bit"),
        (
            RATE,
            {"speaker_embedding": EMBEDDING, "recording": np.zeros(62 * 24_000, np.int16)},
            "a recording of 62 s: it must have 1 to 60 s",
        ),
        ({"description": "x" * 1001}, {"speaker_embedding": EMBEDDING}, "a description of more than 1,000 characters"),
        ({"name": "x" * 201}, {"speaker_embedding": EMBEDDING}, "a name of more than 200 characters"),
        ({"language": "x" * 65}, {"speaker_embedding": EMBEDDING}, "a language of more than 64 characters"),
        ({"model": "x" * 4097}, {"speaker_embedding": EMBEDDING}, "a model of more than 4,096 characters"),
        ({"family": "x" * 65}, {"speaker_embedding": EMBEDDING}, "a family of more than 64 characters"),
        ({"sha256": "0" * 64}, {"speaker_embedding": EMBEDDING}, "was changed after it was written"),
    ],
)
def test_a_voice_with_something_missing(tmp_path, metadata, tensors, says):
    write(tmp_path / "me.safetensors", metadata, **tensors)
    with pytest.raises(MlxTtsError, match=says):
        load_voice(tmp_path / "me.safetensors")


def test_damage_is_told_from_wrong_content(tmp_path):
    """Where the checksum differs, that is the reason, whatever else the damage did."""
    path = tmp_path / "me.safetensors"
    write_voice(full_voice(), path)
    data = bytearray(path.read_bytes())
    data[-4 * EMBEDDING.size :] = bytes(4 * EMBEDDING.size)
    path.write_bytes(data.replace(b"Hello there.", b"Hello where."))
    with pytest.raises(MlxTtsError, match="was changed after it was written"):
        load_voice(path)
    save_file({"speaker_embedding": EMBEDDING}, path, {"format": "mlx-tts-voice"})
    with pytest.raises(MlxTtsError, match="does not say which voice format it has"):
        load_voice(path)


@pytest.mark.parametrize("field", ["name", "transcript", "family", "model", "language", "description"])
def test_half_of_a_surrogate_pair_is_refused(tmp_path, field):
    texts = {"name": "me", "transcript": "words", "family": "f", "model": "m", "language": "l", "description": "d"}
    texts[field] += "\ud83d"
    voice = Voice(EMBEDDING, CODES, texts["transcript"], name=texts["name"], family=texts["family"])
    saved = SavedVoice(voice, texts["model"], None, texts["language"], texts["description"])
    with pytest.raises(RequestError, match=f"the voice's {field} has half of a surrogate pair"):
        write_voice(saved, tmp_path / "me.safetensors")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(MlxTtsError, match="cannot write"):
        save_voice(Voice(EMBEDDING), tmp_path / "gone" / "me.safetensors")


def full_voice() -> SavedVoice:
    voice = Voice(EMBEDDING, CODES, "Hello there.", name="me", family="qwen3_tts")
    return SavedVoice(voice, "0.6b-base", Recording(SOUND / np.float32(32_767), 24_000), "english", "A warm narrator")


def test_all_that_is_known_there_and_back(tmp_path):
    saved = full_voice()
    write_voice(saved, tmp_path / "me.safetensors")
    again = load_voice(tmp_path / "me.safetensors")
    assert (again.model, again.language, again.description) == ("0.6b-base", "english", "A warm narrator")
    assert (again.voice.name, again.voice.family, again.voice.transcript) == ("me", "qwen3_tts", "Hello there.")
    assert (again.recording.sample_rate, again.recording.seconds) == (24_000, 1.0)
    np.testing.assert_array_equal(again.recording.samples, saved.recording.samples)


def test_damaged_bytes_are_refused_or_change_nothing(tmp_path):
    path = tmp_path / "me.safetensors"
    write_voice(full_voice(), path)
    data, whole = path.read_bytes(), load(path.read_bytes())
    random, refused = np.random.default_rng(0), 0
    for _ in range(300):
        damaged = bytearray(data)
        match random.integers(3):
            case 0:
                damaged = damaged[: random.integers(len(data))]
            case 1:
                damaged[random.integers(len(data))] ^= 1 << int(random.integers(8))
            case 2:  # in the header, where names, shapes and metadata stand
                damaged[random.integers(8, 700)] = int(random.integers(32, 127))
        path.write_bytes(damaged)
        try:
            voice = load_voice(path).voice
        except MlxTtsError:
            refused += 1
            continue
        np.testing.assert_array_equal(voice.speaker_embedding, whole["speaker_embedding"])
        np.testing.assert_array_equal(voice.reference_codes, whole["reference_codes"])
    assert refused > 280  # what was read in spite of the damage has an equal byte in its place
