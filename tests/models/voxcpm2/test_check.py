"""What a VoxCPM model cannot do is refused at the door, with one line that says what to do."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import soundfile

from mlx_tts import SpeechRequest, Voice, load_voice, save_voice
from mlx_tts.cli import run
from mlx_tts.errors import ModelError, RequestError
from mlx_tts.library import catalog
from mlx_tts.models import families
from mlx_tts.server.page import routes
from mlx_tts.speech import Sampling
from tests.helpers.family_cases import refused


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"voice": "Nobody"}, "no preset voice 'Nobody': describe one with --instruct, or clone one"),
        ({"voice": 7}, "voice is a int: give a Voice"),
        ({"voice": Voice(np.zeros(4, np.float32))}, "the voice holds no latents"),
        ({"voice": Voice(np.zeros(4, np.float32), family="magpie")}, "another family of models"),
        ({"language": "cs"}, "unknown language 'cs'"),
        ({"language": "ckb"}, "unknown language 'ckb'"),
        ({"instruct": ""}, "the description is empty"),
        ({"instruct": " \n "}, "the description is empty"),
        ({"instruct": "slow (very)"}, "the description has brackets"),
        ({"sampling": Sampling(temperature=0.5)}, "temperature is not one of this model's settings"),
        ({"options": {"steps": 1}}, "steps is 1; it must be at least 2"),
        ({"options": {"steps": 1000}}, "steps is 1000; it must be from 2 to 100"),
        ({"options": {"steps": 2.5}}, "steps is 2.5: give a whole number"),
        ({"options": {"guidance": 0.5}}, "guidance is 0.5; it must be from 1 to 10"),
        ({"options": {"guidance": float("nan")}}, "guidance is nan"),
        ({"options": {"least_seconds": -1}}, "least_seconds is -1"),
        ({"options": {"clone": "both"}}, "clone says what of a voice is used: give a voice as well"),
        ({"options": {"octave": 1}}, "unknown option 'octave': there are steps, guidance"),
        ({"after": 7}, "after is 7"),
    ],
)
def test_requests_that_cannot_be_spoken(voxcpm, fields, says):
    refused(voxcpm("text").tts, says, **fields)


def test_languages_by_code_and_name(voxcpm):
    tts = voxcpm("text").tts
    listed = "ar my zh da nl en fi fr de el he hi id it ja km ko lo ms no pl pt ru es sw sv tl th tr vi"
    codes = listed.split()
    assert {tts.check(SpeechRequest("Hi.", language=code)).language for code in codes} == set(tts.languages) - {"auto"}
    refused(voxcpm("first").tts, r"does not speak 'de' \(german\): use auto, chinese", language="de")


def test_what_is_left_open_is_the_official_default(voxcpm):
    settings = voxcpm("text").tts.check(SpeechRequest("Hi.")).params
    assert (settings.steps, settings.guidance, settings.least_patches, settings.continues) == (10, 2.0, 4, True)


def test_control_tokens_in_a_text_are_text(voxcpm):
    tts = voxcpm("text").tts
    for token in ("<|audio_start|>", "<|audio_end|>", "<|audio_prompt_start|>", "<s>", "</s>"):
        prompt = tts.prompt(SpeechRequest(f"a {token} b"))
        assert not set(prompt.ids.tolist()[:-1]) & {0, 1, 2, 101, 102, 103, 104}
        assert prompt.ids[-1] == 101


def voice(tts, words=None):
    return tts.voice(np.sin(np.arange(20_000) / 9).astype(np.float32), 16_000, words)


def test_voices_that_do_not_fit(voxcpm):
    tts = voxcpm("clone").tts
    good, worded = voice(tts), voice(tts, "Hello.")
    refused(tts, "a description does not go with the words of a recording", voice=worded, instruct="slow")
    styled = tts.check(SpeechRequest("Hi.", voice=worded, instruct="slow", options={"clone": "reference"}))
    assert styled.voice.prompt_latents is None
    assert tts.check(SpeechRequest("Hi.", voice=good, instruct="slow")).voice.reference_latents is not None
    refused(tts, "made without a transcript", voice=good, options={"clone": "both"})
    refused(tts, "the voice's transcript is None", voice=replace(worded, transcript=None))
    refused(tts, r"latents of \(8, 4, 23\), this model needs \[N, 4, 24\]",
            voice=replace(good, reference_latents=good.reference_latents[..., 1:]))  # fmt: skip
    refused(tts, "not those of a sound", voice=replace(good, reference_latents=good.reference_latents * np.nan))
    refused(tts, "latents of", voice=replace(good, reference_latents="x"))
    refused(
        tts, "patches, this model reads 512", voice=replace(good, reference_latents=np.zeros((600, 4, 24), np.float32))
    )
    refused(voxcpm("text").tts, r"this model needs \[N, 4, 64\]", voice=good)
    refused(voxcpm("first").tts, "takes no description of a voice", instruct="slow")
    tts.prompt(SpeechRequest("Hi.", voice=good))


@pytest.mark.slow
def test_a_voice_file_keeps_the_latents(voxcpm, tmp_path):
    from mlx_tts.cli.voice import _form

    tts = voxcpm("clone").tts
    forms = ["latents of the recording", "in context, with its transcript"]
    assert [_form(made) for made in (voice(tts), voice(tts, "Hello."))] == forms
    for made in (voice(tts), voice(tts, "Hello.")):
        save_voice(made, tmp_path / "me.safetensors", "voxcpm2")
        again = load_voice(tmp_path / "me.safetensors").voice
        assert (again.family, again.transcript) == (made.family, made.transcript)
        for name in ("reference_latents", "prompt_latents"):
            own, read = getattr(made, name), getattr(again, name)
            assert (own is None) == (read is None)
            if own is not None:
                np.testing.assert_array_equal(read, own)
    with pytest.raises(RequestError, match="no latents"):
        save_voice(replace(made, reference_latents=made.reference_latents * np.inf), tmp_path / "x.safetensors")


def changed(voxcpm, tmp_path, **entries):
    """A copy of a checkpoint with another config; dots lead into its parts."""
    folder = tmp_path / "changed"
    shutil.copytree(voxcpm("text").folder, folder)
    config = json.loads((folder / "config.json").read_text())
    for path, value in entries.items():
        *parts, last = path.split("__")
        entry = config
        for part in parts:
            entry = entry[part]
        entry[last] = value
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ({"audio_vae_config__use_noise_block": True}, "sets use_noise_block to True"),
        ({"audio_vae_config__cond_type": "film"}, "sets cond_type to 'film'"),
        ({"audio_vae_config__cond_out_layer": True}, "sets cond_out_layer to True"),
        ({"audio_vae_config__depthwise": False}, "sets depthwise to False"),
        ({"architecture": "voxcpm9"}, "this program speaks with"),
        ({"lm_config": None}, "lm_config is None, not an object"),
        ({"lm_config__rope_scaling__type": "yarn"}, "rope_scaling of type 'yarn'"),
        ({"lm_config__rope_scaling__short_factor": [1.0]}, "a head needs 12 numbers"),
        ({"lm_config__num_key_value_heads": 4}, "a transformer of 6 heads"),
        ({"lm_config__kv_channels": 22}, "a head needs 11 numbers"),
        ({"lm_config__vocab_size": 50}, "vocab_size is 50; it must be from 105"),
        ({"encoder_config__kv_channels": 20}, "12 rope factors for heads of 20"),
        ({"feat_dim": 32}, "patches of 32 channels and a codec of 64"),
        ({"audio_vae_config__decoder_rates": [8, 6, 5, 2, 2]}, "encodes and decodes at rates that do not fit"),
        ({"audio_vae_config__decoder_dim": 63}, "halves 63 channels 6 times"),
        ({"patch_size": 0}, "patch_size is 0"),
        ({"dit_config__dit_mean_mode": "no"}, "neither true nor false"),
    ],
)
def test_configs_that_are_not_read(voxcpm, tmp_path, entries, says):
    with pytest.raises(ModelError, match=says) as error:
        families.open_checkpoint(changed(voxcpm, tmp_path, **entries))
    assert "\n" not in str(error.value)


def test_a_tokenizer_with_more_ids_than_the_model(voxcpm, tmp_path):
    import mlx_tts

    with pytest.raises(ModelError, match=r"has ids up to 468, config\.json allows 400"):
        mlx_tts.load(str(changed(voxcpm, tmp_path, lm_config__vocab_size=400)))


@pytest.mark.slow
def test_the_command_speaks_it(voxcpm, tmp_path, capfd):
    folder, out = str(voxcpm("text").folder), str(tmp_path / "out.wav")
    line = ["speak", "Good day, world!", "--model", folder, "-o", out, "--max-seconds", "0.5"]
    assert run([*line, "--seed", "1", "--instruct", "a slow voice", "--option", "steps=4"]) == 0
    assert soundfile.info(out).samplerate == 48_000
    assert run([*line, "--option", "guidance=99"]) == 2
    assert "guidance is 99; it must be from 1 to 10" in capfd.readouterr().err
    assert run([*line, "--language", "cs"]) == 2
    assert run(["voices", "--model", folder]) == 0


@pytest.mark.slow
def test_the_command_clones_with_it(voxcpm, tmp_path, capfd):
    out, made = tmp_path / "me.wav", tmp_path / "me.safetensors"
    tone = 0.3 * np.sin(np.arange(48_000) / 20) * (1 + np.sin(np.arange(48_000) / 2000))
    soundfile.write(out, tone, 24_000)
    line = ["clone", "Hello.", "--voice-sample", str(out), "--model", str(voxcpm("clone").folder)]
    ending = ["-o", str(tmp_path / "clone.wav"), "--max-seconds", "0.4", "--seed", "1"]
    assert run([*line, *ending, "--save-voice", str(made)]) == 0
    first = soundfile.read(tmp_path / "clone.wav")[0]
    assert run(["speak", "Hello.", "--voice", str(made), "--model", line[-1], *ending]) == 0
    np.testing.assert_array_equal(soundfile.read(tmp_path / "clone.wav")[0], first)
    assert run([*line, *ending, "--transcript", "One two three."]) == 0
    assert not np.array_equal(soundfile.read(tmp_path / "clone.wav")[0], first)
    assert run([*line[:-1], str(voxcpm("first").folder), *ending]) == 2
    assert "give its words (--transcript)" in capfd.readouterr().err


@pytest.mark.slow
def test_a_speech_that_is_resumed_keeps_its_voice(voxcpm, tmp_path):
    """The first pieces are spoken again for what they leave; the rest goes on as it began."""
    out = tmp_path / "out.flac"
    line = ["speak", "Hello world. " * 4, "--model", str(voxcpm("text").folder), "--instruct", "slow", "--seed", "1"]
    line += ["--no-guard", "-o", str(out), "--keep-pieces", "-q", "--sentence-pause", "0"]
    assert run(line) == 0
    whole = soundfile.read(out)[0]
    pieces = sorted((tmp_path / "out.flac.pieces").glob("*.flac"))
    assert len(pieces) > 3
    for piece in pieces[2:]:
        piece.unlink()
    assert run([*line, "--resume"]) == 0
    np.testing.assert_array_equal(soundfile.read(out)[0], whole)


@pytest.mark.parametrize("case", ["text", "first"])
def test_the_kind_says_before_a_model_is_fetched_what_it_can_do(voxcpm, case):
    info = voxcpm(case).tts.info
    assert families.family(info.family).can(info.kind) == info.can
    assert info.can.designs == (case == "text")


def test_the_page_is_told_which_models_clone():
    """It shows them where no served model does."""
    listed = {
        name: routes._listed(catalog.find(name), set()) for name in ("voxcpm1.5", "0.6b-base-8bit", "magpie", "tiny")
    }
    assert [entry["can"]["clones"] for entry in listed.values()] == [True, True, False, False]
