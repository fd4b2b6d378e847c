"""The shipped pair -> checkpoints to go on from, with rows for phones: nothing is trained, nothing else changes.

    python tokenizer.py --shipped ../../mlx_tts/builtin/tiny --out TOKENIZER --phones
    python from_shipped.py --base PLAIN_BASE --tokenizer TOKENIZER --out OUT

PLAIN_BASE is the clone's face as one folder of plain tensors in the package's layout (`mlx-tts convert` or ship.py's source).
OUT/talker.pt has talker and speaker encoder; its text table is as long as TOKENIZER's, its first rows are the shipped
ones. The codec stays as it is: its codes are what the talker has learned.
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
