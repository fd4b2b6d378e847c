#!/bin/bash
# Collect what stage_phones.py needs on the GPU machine, in parts that each fit a transfer beside the working tree.
#   bash make_phones.sh KIT WORK [BEFORE]
# WORK: kparts/kokoro.*.npz (kokoro_pack.py) or kokoro/, voices/, phones.jsonl.xz. BEFORE: a folder with the codes.*.npz that
# an earlier run sent back, and its phones.jsonl.xz. OPTIONS of the environment are those of stage_phones.py.
set -eo pipefail
HERE=$(cd "$(dirname "$0")/.." && pwd)
PACKAGE=$(cd "$HERE/../../mlx_tts" && pwd)
KIT=$1 WORK=$2 BEFORE=$3 PYTHON=${PYTHON:-python3}
rm -rf "$KIT"/part? "$KIT/stage"
mkdir -p "$KIT"/part1 "$KIT"/part2 "$KIT"/part3 "$KIT/stage"
tar cf "$KIT/part1/code.tar" --exclude=__pycache__ --exclude=.pytest_cache -C "$HERE/.." train_tiny
tar rf "$KIT/part1/code.tar" -C "$PACKAGE/text/phonemes" --transform 's,^,train_tiny/,' phones.py
grep -P '\tc$' "$PACKAGE/text/phonemes/english.txt" >"$KIT/stage/common.txt"
tar rf "$KIT/part1/code.tar" -C "$KIT/stage" --transform 's,^,train_tiny/,' common.txt
"$PYTHON" "$HERE/tokenizer.py" --shipped "$PACKAGE/builtin/tiny" --out "$KIT/stage/tokenizer" --phones
tar cf "$KIT/part1/tokenizer.tar" -C "$KIT/stage" tokenizer
cp "$HERE/kit/start.sh" "$KIT/part1/"
cp "$WORK/phones.jsonl.xz" "$KIT/part1/"
"$PYTHON" "$HERE/voices.py" pack --source "$WORK/voices" --out "$KIT/part1/voices.npz"
[ -e "$WORK/kparts" ] || "$PYTHON" "$HERE/kokoro_pack.py" pack --cache "$WORK/kokoro" --out "$WORK/kparts" --parts 8
cp "$WORK"/kparts/kokoro.*.npz "$KIT/part2/"
# Four of the eight parts where phones take 3 MB, two where they take 12.
for number in ${FIRST:-2 7}; do mv "$KIT/part2/kokoro.$number.npz" "$KIT/part1/"; done
tar cf "$KIT/part3/pair.tar" -C "$PACKAGE/builtin" tiny tiny-base
if [ -n "$BEFORE" ]; then
    mkdir -p "$KIT/part4"
    cp "$BEFORE"/codes.*.npz "$KIT/part4/"
    cp "$BEFORE/phones.jsonl.xz" "$KIT/part1/phones_before.jsonl.xz"
fi
echo "$OPTIONS" >"$KIT/part1/OPTIONS"
for part in "$KIT"/part?; do
    [ -e "$part/start.sh" ] || cp "$HERE/kit/deliver.sh" "$part/"
    (cd "$part" && sha256sum -- * >SHA256SUMS)
done
rm -r "$KIT/stage"
cp "$HERE/kit/calls_${CALLS:-phones}.jsonl" "$KIT/calls.jsonl"
[ -e "$KIT/part4" ] || sed -i /part4/d "$KIT/calls.jsonl"
du -s --apparent-size --block-size=1MB "$KIT"/part?
