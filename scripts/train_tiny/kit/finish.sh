#!/bin/bash
# Last call: wait for the packed result (or pack the last checkpoint) and hand it over in $OUT.
#   bash RUN/train_tiny/kit/finish.sh SECONDS
RUN=${RUN:-/tmp/run} PYTHON=${PYTHON:-python3}
cd "$RUN/train_tiny" || exit 1
"$PYTHON" progress.py --run "$RUN" --seconds "$1" --every 5
if [ ! -e "$RUN/DONE" ]; then
    echo "not done: packing the last checkpoint"
    "$PYTHON" pack.py --checkpoints "$RUN/out" --out "$RUN/out/pack"
fi
cp "$RUN/stage.log" "$RUN/out/"
"$PYTHON" pack.py --checkpoints "$RUN/out" --out "$RUN/out/pack" --curves-only
cp "$RUN"/out/pack/* "$OUT/"
cd "$OUT" && sha256sum ./*
ls -l
