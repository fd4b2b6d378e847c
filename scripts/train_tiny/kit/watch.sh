#!/bin/bash
# Watch for so many seconds, or until the stage is done; the talker's last checkpoint comes back in $OUT, should the
# machine be lost later.   bash RUN/train_tiny/kit/watch.sh SECONDS
RUN=${RUN:-/tmp/run} PYTHON=${PYTHON:-python3}
cd "$RUN/train_tiny" && "$PYTHON" progress.py --run "$RUN" --seconds "$1"
[ -z "$OUT" ] || [ ! -e "$RUN/out/talker.pt" ] || bash kit/packed.sh "$OUT"
tail -n 3 "$RUN/stage.log"
