"""The shipped pair -> checkpoints to go on from, with rows for phones; nothing is trained.

    python tokenizer.py --shipped ../../mlx_tts/builtin/tiny --out TOKENIZER --phones
    python from_shipped.py --base PLAIN_BASE --tokenizer TOKENIZER --out OUT

PLAIN_BASE is a shipped model as one folder (`../../mlx_tts/builtin/tiny` will do). OUT/talker.pt has its talker: the first rows
of the text table are the shipped ones, those behind are new. The speaker encoder in it is new and untrained: that of
tiny-base must be put there before clones are trained on. The codec is not written.
"""

import argparse
import json
from pathlib import Path

from dequantise import plain
from pack import talker_to_go_on_from
from sizes import PRESETS
from speaker_model import SpeakerEncoder
from speakers import SPEAKERS
from talker_model import Talker
from training import save
from warm import widened_talker


def main(options):
    tensors, _, _ = plain(options.base)
    sizes = PRESETS[options.preset]
    vocabulary = json.loads((options.tokenizer / "text_ids.json").read_text())["vocabulary"]
    talker = Talker(sizes, vocabulary)
    encoder = SpeakerEncoder(sizes.speaker_encoder, sizes.talker.talker.hidden).state_dict()
    options.out.mkdir(parents=True, exist_ok=True)
    state = widened_talker(talker, tensors)
    save(options.out / "talker.pt", talker_to_go_on_from(options.preset, list(SPEAKERS), state, encoder))
    print(f"{options.out / 'talker.pt'}: {vocabulary} text ids")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", required=True, type=Path)
    parser.add_argument("--tokenizer", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--preset", choices=list(PRESETS), default="clone")
    main(parser.parse_args())
