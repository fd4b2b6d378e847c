#!/bin/bash
# Pack the curves and the last checkpoint into a folder: after the codec's stage with the codec, after the talker's without.
#   bash packed.sh FOLDER
RUN=${RUN:-/tmp/run} PYTHON=${PYTHON:-python3}
ALONE=()
[ ! -e "$RUN/out/talker.pt" ] || ALONE=(--talker-alone --tokenizer "$RUN/tokenizer")
cp "$RUN/stage.log" "$RUN/out/"
cd "$RUN/train_tiny" && "$PYTHON" pack.py --checkpoints "$RUN/out" "${ALONE[@]}" --out "$1"
