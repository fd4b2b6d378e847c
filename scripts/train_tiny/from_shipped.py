"""The shipped pair -> checkpoints to go on from, with rows for phones; nothing is trained.

    python tokenizer.py --shipped ../../mlx_tts/builtin/tiny --out TOKENIZER --phones
    python from_shipped.py --base ../../mlx_tts/builtin/tiny-base --tokenizer TOKENIZER --out OUT

OUT/talker.pt has the shipped talker and speaker encoder: the first rows of the text table are the shipped ones, those
behind are new. OUT/codec_joint.pt has the shipped codec with both halves, so that what it encodes are the codes which that
talker speaks. With `--base .../tiny` (no encoders) the talker alone is written, with a new speaker encoder: for looking at.
"""

import argparse
import json
from pathlib import Path

import torch
from codec_model import Codec
from dequantise import laid_out, plain
from export import codec_tensors, with_plain_projection
from pack import slim_codec, talker_to_go_on_from
from sizes import PRESETS
from speaker_model import SpeakerEncoder, from_official
from speakers import SPEAKERS
from talker_model import Talker
from training import save
from warm import load_decoder, widened_talker

ENCODER_QUANTISERS = {
    "semantic": "encoder.quantizer.semantic_residual_vector_quantizer.",
    "acoustic": "encoder.quantizer.acoustic_residual_vector_quantizer.",
}


def load_encoder(codec, tensors, sizes):
    """The encoder of a shipped codec, in place, behind `load_decoder`: its first book holds the latent's mean, too."""
    official = codec_tensors(with_plain_projection(codec.state_dict()), sizes)
    found = {
        name: laid_out(tensors[name], value.shape) for name, value in official.items() if name.startswith("encoder.")
    }
    ours = ("encoder.encoder.", "encoder.encoder_transformer.", "encoder.downsample.")
    state = {name.removeprefix("encoder."): value for name, value in found.items() if name.startswith(ours)}
    for quantiser, theirs in ENCODER_QUANTISERS.items():
        book = f"{theirs}layers.0.codebook."
        shifted = found[book + "embed_sum"] / found[book + "cluster_usage"].clamp(min=1e-5)[:, None]
        state[f"{quantiser}.input_proj.weight"] = found[theirs + "input_proj.weight"]
        state[f"{quantiser}.mean"] = (shifted - getattr(codec, quantiser).codebooks[0]).mean(0)
        state[f"{quantiser}.deviation"] = torch.ones_like(state[f"{quantiser}.mean"])
    codec.load_state_dict(state, strict=False)


def shipped_codec(tensors, preset):
    """A codec with the shipped weights in both halves, as encode.py and export.py read it."""
    codec = Codec(PRESETS[preset].codec)
    load_decoder(codec, tensors, PRESETS[preset])
    load_encoder(codec, tensors, PRESETS[preset])
    return codec


def shipped_speaker_encoder(tensors, sizes):
    """The state of the shipped speaker encoder; a new one where there is none."""
    encoder = SpeakerEncoder(sizes.speaker_encoder, sizes.talker.talker.hidden).state_dict()
    found = {name.removeprefix("speaker_encoder."): value for name, value in tensors.items() if "speaker_enc" in name}
    if not found:
        return encoder
    return from_official({name: laid_out(found[name], value.shape) for name, value in encoder.items()})


def main(options):
    tensors, codec, _ = plain(options.base)
    sizes = PRESETS[options.preset]
    vocabulary = json.loads((options.tokenizer / "text_ids.json").read_text())["vocabulary"]
    encoder = shipped_speaker_encoder(tensors, sizes)
    options.out.mkdir(parents=True, exist_ok=True)
    state = widened_talker(Talker(sizes, vocabulary), tensors)
    save(options.out / "talker.pt", talker_to_go_on_from(options.preset, list(SPEAKERS), state, encoder))
    print(f"{options.out / 'talker.pt'}: {vocabulary} text ids")
    if not any(name.startswith("encoder.") for name in codec):
        print("no codec_joint.pt: this model has no encoder")
        return
    codec = {"preset": options.preset, "codec": shipped_codec(codec, options.preset).state_dict()}
    save(options.out / "codec_joint.pt", slim_codec(codec, frozen=True))
    print(f"{options.out / 'codec_joint.pt'}: encoder, books and decoder as shipped")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", required=True, type=Path)
    parser.add_argument("--tokenizer", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--preset", choices=list(PRESETS), default="clone")
    main(parser.parse_args())
