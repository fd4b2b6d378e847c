#!/bin/bash
# Watch for so many seconds, or until the stage is done.   bash RUN/train_tiny/kit/watch.sh SECONDS
RUN=${RUN:-/tmp/run} PYTHON=${PYTHON:-python3}
cd "$RUN/train_tiny" && "$PYTHON" progress.py --run "$RUN" --seconds "$1"
tail -n 3 "$RUN/stage.log"
