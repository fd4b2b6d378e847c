#!/bin/bash
# Later calls: put a part's files in place, then watch.   bash deliver.sh SECONDS [codec|talker|both|phones]
set -eo pipefail
cd "$(dirname "$0")"
RUN=${RUN:-/tmp/run} PYTHON=${PYTHON:-python3}
[ -e "$RUN/train_tiny" ] || { echo "no stage here: part 1 was not delivered to this machine"; exit 1; }
sha256sum --quiet -c SHA256SUMS
bash "$RUN/train_tiny/kit/place.sh" "$PWD"
cd "$RUN/train_tiny"
"$PYTHON" progress.py --run "$RUN" --seconds "$1"
[ -z "$OUT" ] || [ ! -e "$RUN/out/talker.pt" ] || bash kit/packed.sh "$OUT" "$2"
tail -n 3 "$RUN/stage.log"
