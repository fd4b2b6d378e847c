#!/bin/bash
# Collect what the first stage needs on the GPU machine, in three parts of less than 55 MB.
#   bash make.sh KIT WORK      WORK: kokoro/ voices/ phones.jsonl.xz human/ whl/ (see README.md)
set -eo pipefail
HERE=$(cd "$(dirname "$0")/.." && pwd)
KIT=$1 WORK=$2 PYTHON=${PYTHON:-python3}
rm -rf "$KIT"/part1 "$KIT"/part2 "$KIT"/part3
mkdir -p "$KIT"/part1 "$KIT"/part2 "$KIT"/part3
tar cf "$KIT/part1/code.tar" --exclude=__pycache__ -C "$HERE/.." train_tiny
cp "$WORK/phones.jsonl.xz" "$WORK"/whl/*.whl "$HERE/kit/start.sh" "$KIT/part1/"
"$PYTHON" "$HERE/kokoro_pack.py" pack --cache "$WORK/kokoro" --out "$KIT/part2" --parts 2
mv "$KIT/part2/kokoro.0.npz" "$KIT/part1/"
"$PYTHON" "$HERE/voices.py" pack --source "$WORK/voices" --out "$KIT/part2/voices.npz"
cp "$HERE/kit/deliver.sh" "$KIT/part2/"
cp "$WORK"/human/*.ogg "$HERE/kit/deliver.sh" "$KIT/part3/"
for part in "$KIT"/part?; do
    (cd "$part" && sha256sum -- * >SHA256SUMS)
done
du -sm "$KIT"/part?
