#!/bin/bash
# Watch for so many seconds, or to a second of the stage, or until it is done; then the last checkpoint comes back in
# $OUT, should the machine be lost later.
#   bash RUN/train_tiny/kit/watch.sh SECONDS      bash RUN/train_tiny/kit/watch.sh --until SECOND [codec|talker|both|phones]
RUN=${RUN:-/tmp/run} PYTHON=${PYTHON:-python3}
cd "$RUN/train_tiny" || { echo "no stage here: this machine is another one"; exit 1; }
CLOCK=(--seconds "$1") WHAT=
[ "$1" != --until ] || { CLOCK=(--until "$2") WHAT=$3; }
"$PYTHON" progress.py --run "$RUN" "${CLOCK[@]}"
if [ -n "$OUT" ] && { [ -e "$RUN/out/codec_joint.pt" ] || [ -e "$RUN/out/talker.pt" ]; }; then
    bash kit/packed.sh "$OUT" $WHAT
fi
tail -n 3 "$RUN/stage.log"
