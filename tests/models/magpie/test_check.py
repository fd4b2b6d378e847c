"""What a Magpie model cannot do is refused at the door, with one line that says what to do."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import soundfile

from mlx_tts import SpeechRequest, Voice
from mlx_tts.cli import run
from mlx_tts.errors import ModelError, RequestError
from mlx_tts.models import families
from mlx_tts.speech import Sampling
from tests.helpers.family_cases import refused


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"voice": "Nobody"}, "unknown voice 'Nobody': this model has John, Sofia, Aria"),
        ({"voice": "Joan"}, "did you mean John"),
        ({"voice": "7"}, "unknown voice '7'"),
        ({"voice": Voice(np.zeros(4, np.float32))}, "this model cannot clone: choose one of its voices"),
        ({"language": "ja"}, r"does not speak 'ja' \(japanese\): use .*english"),
        ({"language": "klingon"}, "unknown language 'klingon'"),
        ({"text": "123", "language": "en"}, "nothing in '123' that this model reads"),
        ({"instruct": "Slowly."}, "takes no --instruct"),
        ({"sampling": Sampling(top_p=0.5)}, "top_p is not one of this model's settings"),
        ({"sampling": Sampling(temperature=9.0)}, "temperature is 9; it must be from 0 to 5"),
        ({"sampling": Sampling(top_k=-1)}, "top_k is -1; it must be at least 0"),
        ({"options": {"guidance": 0.5}}, "guidance is 0.5; it must be from 1 to 20"),
        ({"options": {"guidance": float("nan")}}, "guidance is nan; it must be from 1 to 20"),
        ({"options": {"prior": "maybe"}}, "prior is 'maybe'; it must be on, off"),
        ({"options": {"prior_epsilon": 2.0}}, "prior_epsilon is 2; it must be from 0 to 1"),
        ({"options": {"lookahead": 0}}, "lookahead is 0; it must be at least 1"),
        ({"options": {"cache": "none"}}, "cache is 'none'; it must be cached, recomputed"),
        ({"options": {"end_rule": "soon"}}, "end_rule is 'soon'; it must be argmax_any"),
        ({"options": {"octave": 1}}, "unknown option 'octave': there are guidance"),
        ({"after": 7}, "after is 7"),
        ({"more": 1}, "more is 1: give True or False"),
    ],
)
def test_requests_that_cannot_be_spoken(magpie, fields, says):
    refused(magpie("baked_s1").tts, says, **fields)


def test_signs_alone_are_refused_when_they_are_to_be_spoken(magpie):
    """A plan checks the voices and languages of markup with such a text."""
    tts = magpie("baked_s1").tts
    assert tts.check(SpeechRequest("...", voice="aria", language="es")).language == "spanish"
    with pytest.raises(RequestError, match=r"there is nothing in '\.\.\.' that this model reads as english"):
        tts.speak(SpeechRequest("...", language="en"))


def test_markup_may_change_the_voice_and_the_language(magpie):
    text = "[voice:Sofia] Hello world. [voice:Aria] How are you today?"
    chunks = list(magpie("baked_s1").tts.narrate(text, seed=1, guard=False, max_frames=2))
    assert sum(chunk.report is not None for chunk in chunks) == 2


def test_what_is_left_open_is_the_checkpoints_own(magpie):
    checked = magpie("baked_s1").tts.check(SpeechRequest("¿Cómo está el señor, y dónde está la casa?"))
    settings = checked.params
    assert (checked.voice, checked.language) == ("John", "spanish")
    assert (settings.sampler.temperature, settings.sampler.top_k, settings.guidance) == (0.6, 80, 2.5)
    assert (settings.prior_layers, settings.alignment_layers, settings.cache) == ((0, 1, 2), (1, 2), "cached")
    assert magpie("baked_s1").tts.check(SpeechRequest("Hi.", voice="2")).voice == "Aria"
    other = magpie("maskgit").tts.check(SpeechRequest("Hi.")).params
    assert (other.epsilon, other.lookahead) == (0.2, 4)  # under their old names
    assert other.prior_layers == other.alignment_layers == tuple(range(len(other.prior_layers)))


def test_the_end_of_the_text_is_not_watched_in_passes(magpie):
    refused(magpie("maskgit").tts, "watch_end does not go with a MaskGit", options={"watch_end": "on"})


@pytest.mark.slow
def test_voices_of_samples(magpie):
    tts = magpie("context_audio").tts
    assert tts.info.can.clones
    assert not tts.info.can.presets
    refused(tts, "no voices of its own: clone one from a recording", voice="John")
    with pytest.raises(RequestError, match="no voices of its own"):
        tts.speak("Hello.")
    refused(tts, "made with another family", voice=Voice(np.zeros(8, np.float32)))
    good = tts.voice(np.sin(np.arange(16_000) / 9).astype(np.float32), 16_000)
    assert good.family == "magpie"
    codes = good.reference_codes
    # The sample is repeated to ten seconds, of which half of the decoder's positions hold so much.
    assert len(codes) == tts._checkpoint.model.most_context_frames
    shape, limits, kind = r"codes have shape \(\d+, 2\)", "reference codes reach from", "reference codes are float"
    for wrong, says in ((codes[:, :2], shape), (codes + 80, limits), (codes * 1.0, kind)):
        refused(tts, says, voice=replace(good, reference_codes=wrong))
    assert tts.speak("Hello.", voice=good, max_frames=2, seed=1).samples.shape == (2 * tts.info.frame_samples,)


@pytest.mark.slow
def test_a_voice_file_says_its_family(magpie, tmp_path):
    from mlx_tts import load_voice, save_voice

    tts = magpie("context_audio").tts
    voice = tts.voice(np.sin(np.arange(16_000) / 9).astype(np.float32), 22_050)
    save_voice(voice, tmp_path / "me.safetensors", "magpie")
    again = load_voice(tmp_path / "me.safetensors")
    again = getattr(again, "voice", again)
    assert again.family == "magpie"
    np.testing.assert_array_equal(again.reference_codes, voice.reference_codes)


def changed(magpie, tmp_path, part, **entries):
    """A copy of a checkpoint with another config."""
    folder = tmp_path / "changed"
    shutil.copytree(magpie("baked_s1").folder, folder)
    path = folder / part
    path.write_text(json.dumps(json.loads(path.read_text()) | entries))
    return folder


@pytest.mark.parametrize(
    ("part", "entries", "says"),
    [
        ("config.json", {"use_moe": True}, "sets use_moe"),
        ("config.json", {"use_bpe_char_tokenizer": True}, "sets use_bpe_char_tokenizer"),
        ("config.json", {"legacy_text_conditioning": True}, "sets legacy_text_conditioning"),
        ("config.json", {"vector_quantizer": {"a": 1}}, "sets vector_quantizer"),
        ("config.json", {"decoder_model_type": "single_encoder_sv_tts"}, "is of a 'single_encoder_sv_tts' model"),
        ("config.json", {"forced_audio_eos_id": 5}, "sets forced_audio_eos_id to 5"),
        ("config.json", {"local_transformer_type": "other"}, "a local transformer of type 'other'"),
        ("config.json", {"frame_stacking_factor": 2}, "model and codec in .* do not fit"),
        ("config.json", {"encoder": None}, "encoder is None"),
        ("config.json", {"inference_parameters": {"eos_detection_method": "never"}}, "ends by 'never'"),
        ("config.json", {"text_tokenizers": {"a": 1}}, "tokenizer a is 1"),
        ("codec/config.json", {"vector_quantizer": {"num_groups": 4, "num_levels_per_group": [8, 7, 6, 6]}}, "not fit"),
        ("codec/config.json", {"samples_per_frame": 512}, "makes 1024 samples of a frame"),
        ("codec/config.json", {"audio_decoder": None}, "is not a codec's config"),
    ],
)
def test_checkpoints_that_are_not_read(magpie, tmp_path, part, entries, says):
    with pytest.raises(ModelError, match=says) as error:
        families.open_checkpoint(changed(magpie, tmp_path, part, **entries))
    assert "\n" not in str(error.value)


def test_forced_ids_that_change_nothing_are_fine(magpie, tmp_path):
    folder = changed(magpie, tmp_path, "config.json", forced_audio_eos_id=2017, forced_mask_token_id=2020)
    assert families.open_checkpoint(folder).info.voices == ("John", "Sofia", "Aria")


@pytest.mark.slow
def test_the_command_speaks_it(magpie, tmp_path, capfd):
    folder, out = str(magpie("baked_s2").folder), str(tmp_path / "out.wav")
    line = ["speak", "Bom dia, mundo!", "--model", folder, "--voice", "leo", "--language", "pt-BR", "-o", out]
    assert run([*line, "--seed", "1", "--max-seconds", "0.5", "--option", "guidance=1.5"]) == 0
    assert run([*line, "--option", "guidance=99"]) == 2
    assert "guidance is 99; it must be from 1 to 20" in capfd.readouterr().err
    assert run(["voices", "--model", folder]) == 0
    assert "Aria\nJason\nJohn\nLeo\nSofia" in capfd.readouterr().out
    assert run(["clone", "Hi.", "--voice-sample", out, "--model", folder, "-o", str(tmp_path / "c.wav")]) == 2
    assert "cannot clone" in capfd.readouterr().err


@pytest.mark.slow
def test_the_command_clones_with_it(magpie, tmp_path):
    out = tmp_path / "me.wav"
    soundfile.write(out, 0.3 * np.sin(np.arange(24_000) / 20), 24_000)
    line = ["clone", "Hello.", "--voice-sample", str(out), "--model", str(magpie("context_audio").folder)]
    assert run([*line, "-o", str(tmp_path / "clone.wav"), "--max-seconds", "0.02"]) == 0
    assert (tmp_path / "clone.wav").stat().st_size > 44
