#!/bin/bash
# Collect what stage_clone.py needs on the GPU machine, in parts that each fit a transfer beside the working tree.
#   bash make_clone.sh KIT WORK [RESULT]        or, to begin from a shipped voice:   WARM=MODEL bash make_clone.sh KIT WORK
# WORK: kokoro/ voices/ phones.jsonl.xz human/ whl/ tokenizer/ (see README.md), for WARM codes.npz, too. RESULT: what came back from a lost or an
# earlier run, unpacked: codec_joint.pt, judges.pt and, if the encoder was done, talker.pt.
set -eo pipefail
HERE=$(cd "$(dirname "$0")/.." && pwd)
KIT=$1 WORK=$2 RESULT=$3 PYTHON=${PYTHON:-python3} KOKORO_PARTS=8
rm -rf "$KIT"/part?
mkdir -p "$KIT"/part1 "$KIT"/part2 "$KIT"/part3
tar cf "$KIT/part1/code.tar" --exclude=__pycache__ --exclude=.pytest_cache -C "$HERE/.." train_tiny
tar cf "$KIT/part1/tokenizer.tar" -C "$WORK" tokenizer
cp "$HERE/kit/start.sh" "$KIT/part1/"
cp "$WORK"/whl/*.whl "$KIT/part1/" 2>/dev/null || echo "no wheels: without soundfile there are no people"
"$PYTHON" "$HERE/voices.py" pack --source "$WORK/voices" --out "$KIT/part1/voices.npz"
"$PYTHON" "$HERE/kokoro_pack.py" pack --cache "$WORK/kokoro" --out "$KIT/part2" --parts "$KOKORO_PARTS"
mv "$KIT"/part2/kokoro.[1457].npz "$KIT/part1/"
cp "$WORK/phones.jsonl.xz" "$KIT/part2/"
cp "$WORK"/human/*.ogg "$KIT/part3/"
if [ -n "$WARM" ]; then
    mkdir -p "$KIT/part4" "$KIT/tiny/speech_tokenizer"
    cp "$WARM"/*.{json,safetensors} "$WORK/codes.npz" "$KIT/tiny/"
    cp "$WARM"/speech_tokenizer/* "$KIT/tiny/speech_tokenizer/"
    tar cf "$KIT/part4/tiny.tar" -C "$KIT" tiny
    rm -r "$KIT/tiny"
    echo "--warm --seed 2" >"$KIT/part1/OPTIONS"
    [ ! -e "$WORK/listener.pt" ] || cp "$WORK/listener.pt" "$KIT/part1/"
fi
if [ -n "$RESULT" ]; then
    mkdir -p "$KIT/part4"
    cp "$RESULT/codec_joint.pt" "$KIT/part4/"
    [ ! -e "$RESULT/judges.pt" ] || cp "$RESULT/judges.pt" "$KIT/part4/"
    FROZEN=$("$PYTHON" -c "import sys, torch; print(torch.load(sys.argv[1]).get('frozen'))" "$RESULT/codec_joint.pt")
    STEP=codec
    if [ "$FROZEN" = True ]; then
        STEP=talker
        [ ! -e "$RESULT/talker.pt" ] || { mkdir -p "$KIT/part5" && cp "$RESULT/talker.pt" "$KIT/part5/"; }
    fi
    echo "--resume $STEP --seed 1" >"$KIT/part1/OPTIONS"
    (cd "$KIT" && find part4 part5 -name '*.pt' -printf '%f ' 2>/dev/null || true) >"$KIT/part1/EXPECTED"
    echo "goes on with the $STEP; the stage waits for: $(cat "$KIT/part1/EXPECTED")"
fi
for part in "$KIT"/part?; do
    [ -e "$part/start.sh" ] || cp "$HERE/kit/deliver.sh" "$part/"
    (cd "$part" && sha256sum -- * >SHA256SUMS)
done
if [ -n "$WARM" ]; then
    cp "$HERE/kit/calls_warm.jsonl" "$KIT/calls.jsonl"
else
    head -n 3 "$HERE/kit/calls.jsonl" >"$KIT/calls.jsonl"
    for part in "$KIT"/part[45]; do
        [ ! -e "$part" ] || sed -n "3s/part3/$(basename "$part")/gp" "$HERE/kit/calls.jsonl" >>"$KIT/calls.jsonl"
    done
    tail -n +4 "$HERE/kit/calls.jsonl" >>"$KIT/calls.jsonl"
fi
du -s --apparent-size --block-size=1MB "$KIT"/part?
