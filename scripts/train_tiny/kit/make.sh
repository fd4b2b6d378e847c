#!/bin/bash
# Collect what a codec stage needs on the GPU machine, in four parts of at most 50 MB.
#   bash make.sh KIT WORK CODEC
# WORK: kokoro/ voices/ phones.jsonl.xz human/ whl/ (see README.md). CODEC: codec_joint.pt and judges.pt of the stage
# before, the former as widen.py left it.
set -eo pipefail
HERE=$(cd "$(dirname "$0")/.." && pwd)
KIT=$1 WORK=$2 CODEC=$3 PYTHON=${PYTHON:-python3} TEXTS=${TEXTS:-70000}
rm -rf "$KIT"/part?
mkdir -p "$KIT"/part1 "$KIT"/part2 "$KIT"/part3 "$KIT"/part4
tar cf "$KIT/part1/code.tar" --exclude=__pycache__ --exclude=.pytest_cache -C "$HERE/.." train_tiny
# One run speaks a tenth of the texts: a random third is plenty.
xz -dc "$WORK/phones.jsonl.xz" | shuf -n "$TEXTS" --random-source=<(yes 1) | xz -T2 >"$KIT/part1/phones.jsonl.xz"
cp "$WORK"/whl/*.whl "$HERE/kit/start.sh" "$KIT/part1/"
"$PYTHON" "$HERE/voices.py" pack --source "$WORK/voices" --out "$KIT/part1/voices.npz"
"$PYTHON" "$HERE/kokoro_pack.py" pack --cache "$WORK/kokoro" --out "$KIT/part2" --parts 8
mv "$KIT"/part2/kokoro.[0-2].npz "$KIT/part1/"
cp "$CODEC/codec_joint.pt" "$CODEC/judges.pt" "$KIT/part3/"
cp "$WORK"/human/*.ogg "$KIT/part4/"
for part in "$KIT"/part?; do
    [ -e "$part/start.sh" ] || cp "$HERE/kit/deliver.sh" "$part/"
    (cd "$part" && sha256sum -- * >SHA256SUMS)
done
du -sm "$KIT"/part?
