"""Weights of the right layout that nobody trained, to rehearse what is done with a trained pair of models.

    python stand_in.py result --tokenizer TOKENIZER --out RESULT        random talker and codec, as a training gives them
    python stand_in.py export --model ../../mlx_tts/builtin/tiny --out EXPORT --base-out EXPORT_BASE

`result` has the sizes of what is shipped (`--preset clone`), so that sizes and speed are right; it speaks noise. `export`
speaks words: it is the model given (`--preset full` for the four-voice one) with a speaker encoder that hears one preset in
everybody, and a random
codec encoder. So a clone by vector says its words, in that preset's voice, and one in context does not. Never ship either.
"""

import argparse
import json
import shutil
from pathlib import Path

import torch
from codec_model import Codec
from dequantise import plain
from export import codec_tensors, speaker_encoder_config, with_plain_projection, write_codec, write_face
from sizes import PRESETS
from speaker_model import SpeakerEncoder, official_tensors
from speakers import SPEAKERS
from talker_model import Talker


def random_result(options):
    torch.manual_seed(0)
    sizes = PRESETS[options.preset]
    text_ids = json.loads((options.tokenizer / "text_ids.json").read_text())
    talker, codec = Talker(sizes, text_ids["vocabulary"]), Codec(sizes.codec)
    encoder = SpeakerEncoder(sizes.speaker_encoder, sizes.talker.talker.hidden)
    options.out.mkdir(parents=True, exist_ok=True)
    common = {"preset": options.preset}
    average = {"average": talker.state_dict(), "speaker_encoder_average": encoder.state_dict()}
    torch.save(common | average | {"speakers": list(SPEAKERS)}, options.out / "talker.pt")
    torch.save(common | {"codec": codec.state_dict()}, options.out / "codec_joint.pt")
    shutil.copytree(options.tokenizer, options.out / "tokenizer", dirs_exist_ok=True)


def one_voice_for_all(encoder, vector):
    """The speaker encoder's last layer gives this vector whatever it hears."""
    tensors = official_tensors(encoder.state_dict())
    tensors["fc.weight"] = torch.zeros_like(tensors["fc.weight"])
    tensors["fc.bias"] = vector
    return {f"speaker_encoder.{name}": value for name, value in tensors.items()}


def speaking_exports(options):
    torch.manual_seed(0)
    talker, decoder, config = plain(options.model)
    talker = {name: value for name, value in talker.items() if name.startswith("talker.")}
    sizes = PRESETS[options.preset]
    codec = codec_tensors(with_plain_projection(Codec(sizes.codec).state_dict()), sizes) | decoder
    encoder = SpeakerEncoder(sizes.speaker_encoder, sizes.talker.talker.hidden)
    row = config["talker_config"]["spk_id"][options.voice]
    own = one_voice_for_all(encoder, talker["talker.model.codec_embedding.weight"][row])
    for name in ("quantization", "quantization_config"):
        config.pop(name, None)
    base = config | {"tts_model_type": "base", "speaker_encoder_config": speaker_encoder_config(sizes)}
    base["talker_config"] = config["talker_config"] | {"spk_id": {}, "spk_is_dialect": {}}
    for folder, tensors, said in ((options.out, talker, config), (options.base_out, talker | own, base)):
        write_codec(folder / "speech_tokenizer", codec, sizes)
        write_face(folder, tensors, said, options.model)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["result", "export"])
    parser.add_argument("--tokenizer", type=Path, help="result: folder written by tokenizer.py")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--base-out", type=Path, help="export: the face that clones")
    parser.add_argument("--model", type=Path, help="export: a converted model whose voices speak")
    parser.add_argument("--voice", default="miles", help="export: the preset that is heard in everybody")
    parser.add_argument("--preset", choices=list(PRESETS), default="clone", help="export: the sizes of --model")
    asked = parser.parse_args()
    random_result(asked) if asked.command == "result" else speaking_exports(asked)
