#!/bin/bash
# Last calls: wait for the result (or take the last checkpoint) and hand it over in $OUT.
#   bash RUN/train_tiny/kit/finish.sh SECONDS [codec|talker|both|phones]
RUN=${RUN:-/tmp/run} PYTHON=${PYTHON:-python3}
cd "$RUN/train_tiny" || exit 1
"$PYTHON" progress.py --run "$RUN" --seconds "$1" --every 5
[ -e "$RUN/DONE" ] || echo "not done: packing the last checkpoint"
bash kit/packed.sh "$OUT" "$2"
cd "$OUT" && sha256sum ./*
ls -l
