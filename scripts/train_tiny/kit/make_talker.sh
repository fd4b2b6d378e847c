#!/bin/bash
# Collect what the talker's stage needs on the GPU machine, in three parts of at most 50 MB, with TALKER in four.
#   bash make_talker.sh KIT WORK CODEC TOKENIZER [TALKER]
# WORK: kokoro/ voices/ phones.jsonl.xz. CODEC: codec_joint.pt of the codec's stage. TOKENIZER: written by tokenizer.py.
# TALKER: talker.pt of an earlier talker stage, to go on from.
set -eo pipefail
HERE=$(cd "$(dirname "$0")/.." && pwd)
KIT=$1 WORK=$2 CODEC=$3 TOKENIZER=$4 TALKER=$5 PYTHON=${PYTHON:-python3}
rm -rf "$KIT"/part?
mkdir -p "$KIT"/part1 "$KIT"/part2 "$KIT"/part3
tar cf "$KIT/part1/code.tar" --exclude=__pycache__ --exclude=.pytest_cache -C "$HERE/.." train_tiny
tar cf "$KIT/part1/tokenizer.tar" -C "$TOKENIZER/.." --transform "s/^$(basename "$TOKENIZER")/tokenizer/" "$(basename "$TOKENIZER")"
cp "$WORK/phones.jsonl.xz" "$HERE/kit/start.sh" "$KIT/part1/"
"$PYTHON" "$HERE/voices.py" pack --source "$WORK/voices" --out "$KIT/part1/voices.npz"
"$PYTHON" "$HERE/kokoro_pack.py" pack --cache "$WORK/kokoro" --out "$KIT/part2" --parts 8
mv "$KIT"/part2/kokoro.[27].npz "$KIT/part1/"
cp "$CODEC/codec_joint.pt" "$KIT/part3/"
[ -z "$TALKER" ] || { mkdir "$KIT/part4" && cp "$TALKER" "$KIT/part4/talker.pt"; }
for part in "$KIT"/part?; do
    [ -e "$part/start.sh" ] || cp "$HERE/kit/deliver.sh" "$part/"
    (cd "$part" && sha256sum -- * >SHA256SUMS)
done
du -sm "$KIT"/part?
