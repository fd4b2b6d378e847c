"""The training's layouts equal those of the package, which reads what export.py writes.

pytest scripts/train_tiny       (torch and mlx in one environment)
"""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
mx = pytest.importorskip("mlx.core")
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
from prompt_tracks import VECTOR, TrackBuilder
from sizes import PRESETS
from speaker_model import LogMel, SpeakerEncoder, from_official, official_tensors

from mlx_tts.audio.mel import log_mel
from mlx_tts.models.qwen3_tts import prompt as package
from mlx_tts.models.qwen3_tts import speaker_encoder as package_encoder
from mlx_tts.models.qwen3_tts.config import SpeakerEncoderConfig

SIZES = PRESETS["toy"]
NAMES = ["hazel", "miles"]
TEXT_IDS = {
    "im_start": 301,
    "im_end": 302,
    "assistant": 303,
    "newline": 304,
    "tts_pad": 305,
    "tts_bos": 306,
    "tts_eos": 307,
}
ROLE = [301, 303, 304]


def package_prompt(text, language, speaker, streamed, reference):
    control = SIZES.control_ids()
    talker = SimpleNamespace(**{f"codec_{name}_id": number for name, number in control.items()})
    config = SimpleNamespace(
        talker_config=talker,
        tts_pad_token_id=TEXT_IDS["tts_pad"],
        tts_bos_token_id=TEXT_IDS["tts_bos"],
        tts_eos_token_id=TEXT_IDS["tts_eos"],
    )
    parts = package.PromptParts(
        text_ids=[*ROLE, *text, 302, 304, *ROLE],
        instruct_ids=[],
        language_id=SIZES.language_ids().get(language),
        speaker=package.SPEAKER if speaker == VECTOR else SIZES.speaker_ids(NAMES)[NAMES[speaker]],
        stream_text=streamed,
        reference_ids=[*ROLE, *reference[0], 302, 304] if reference else None,
        reference_codes=reference[1] if reference else None,
    )
    return package.build_prompt(parts, config)


def spoken_with(prompt, codes):
    """The package's prompt and the frames after it as our tracks: text, first codes, frames."""
    trailing = [*prompt.trailing, *[TEXT_IDS["tts_pad"]] * len(codes)][: len(codes)]
    frames = np.zeros((len(prompt.text) + len(codes), codes.shape[1]), int)
    if prompt.reference_codes is not None:
        frames[prompt.reference_at :][: len(prompt.reference_codes)] = prompt.reference_codes
    frames[len(prompt.text) :] = codes
    return [*prompt.text, *trailing], [*prompt.codec, *codes[:, 0]], frames


@pytest.mark.parametrize("reference_words, reference_frames", [(0, 0), (4, 9), (12, 5), (3, 40)])
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("language", ["english", "auto"])
@pytest.mark.parametrize("speaker", [0, 1, VECTOR])
def test_tracks_equal_the_package_prompt(speaker, language, streamed, reference_words, reference_frames):
    random = np.random.default_rng(1)
    text, codes = random.integers(0, 250, 7), random.integers(0, 32, (11, 4))
    said, heard = random.integers(0, 250, reference_words), random.integers(0, 32, (reference_frames, 4))
    prompt = package_prompt(
        text.tolist(), language, speaker, streamed, (said.tolist(), heard) if reference_words else None
    )
    wanted_text, wanted_codec, wanted_frames = spoken_with(prompt, codes)

    builder = TrackBuilder(SIZES, TEXT_IDS, NAMES, torch.device("cpu"))
    whole_text, whole_codes = torch.tensor([*said, *text]), torch.tensor(np.concatenate([heard, codes]))
    length = len(wanted_text) + 3
    track = builder.build(
        whole_text[None],
        torch.tensor([len(whole_text)]),
        whole_codes[None],
        torch.tensor([len(whole_codes)]),
        torch.tensor([speaker]),
        torch.tensor([language == "auto"]),
        torch.tensor([streamed]),
        length,
        torch.linspace(0, 1, 11)[None],
        torch.tensor([reference_words]),
        torch.tensor([reference_frames]),
    )
    track = {name: value[0].numpy() for name, value in track.items()}
    found_text = np.where(track["text_on"] > 0, track["text"], package.NONE)
    found_codec = np.where(track["codec_on"] > 0, track["codec"], package.NONE)
    found_codec[track["vector_on"] > 0] = package.SPEAKER
    assert found_text.tolist() == [*wanted_text, *[package.NONE] * 3]
    assert found_codec.tolist() == [*wanted_codec, *[package.NONE] * 3]
    assert (track["codes"] * track["codes_on"][:, None]).tolist() == [*wanted_frames.tolist(), *[[0] * 4] * 3]

    last = len(prompt.text) - 1  # the prompt's last position: the first frame is due there
    eos = SIZES.control_ids()["eos"]
    assert track["label"].tolist() == [-100] * last + [*codes[:, 0], eos] + [-100] * 3
    assert np.flatnonzero(track["due"]).tolist() == list(range(last, last + 11))
    assert track["next"][track["due"]].tolist() == codes.tolist()
    assert np.flatnonzero(track["own"]).tolist() == list(range(last + 1, last + 12))
    words = [track["text"][track["text_index"] == index][0] for index in range(7)]
    assert words == text.tolist() and track["is_text"].sum() == 7
    assert track["spoken_index"][last : last + 11] == pytest.approx(np.linspace(0, 6, 11), abs=1e-5)


def test_the_speaker_encoder_equals_the_packages():
    torch.manual_seed(0)
    ours = SpeakerEncoder(SIZES.speaker_encoder, 64).eval()
    for name, parameter in ours.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(parameter, std=0.1)
    sizes = SIZES.speaker_encoder
    theirs = package_encoder.SpeakerEncoder(
        SpeakerEncoderConfig(
            enc_dim=64,
            enc_channels=sizes.channels,
            enc_attention_channels=sizes.attention,
            enc_se_channels=sizes.squeezed,
        )
    )
    state = official_tensors(ours.state_dict())
    weights = [(name, value.permute(2, 1, 0) if value.ndim == 3 else value) for name, value in state.items()]
    theirs.load_weights([(name, mx.array(value.contiguous().numpy())) for name, value in weights])
    audio = (0.1 * np.random.default_rng(0).standard_normal(24000)).astype(np.float32)
    mel = log_mel(audio)
    our_mel = LogMel()(torch.from_numpy(audio)[None])
    assert np.abs(our_mel[0].numpy().T - mel).max() < 1e-3
    wanted = np.array(theirs(mx.array(mel)[None])[0])
    with torch.no_grad():
        found = ours(our_mel)[0].numpy()
    assert np.abs(wanted).max() > 0.1
    assert np.abs(found - wanted).max() < 1e-4
    again = from_official(state)
    assert all(torch.allclose(value, again[name], atol=1e-5) for name, value in ours.state_dict().items())
