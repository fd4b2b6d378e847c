#!/bin/bash
# Later calls: put a part's files in place, then watch.   bash deliver.sh SECONDS
set -eo pipefail
cd "$(dirname "$0")"
RUN=${RUN:-/tmp/run} PYTHON=${PYTHON:-python3}
export PYTHONPATH="$RUN/site"
sha256sum --quiet -c SHA256SUMS
PART=$PWD
cd "$RUN/train_tiny"
if ls "$PART"/kokoro.*.npz >/dev/null 2>&1; then
    cp "$PART"/kokoro.*.npz "$RUN/kokoro/"
    "$PYTHON" voices.py unpack --source "$PART/voices.npz" --out "$RUN/voices"
    "$PYTHON" kokoro_pack.py unpack --parts-in "$RUN/kokoro" --cache "$RUN/kokoro"
    touch "$RUN/voices/READY"
fi
if ls "$PART"/*.ogg >/dev/null 2>&1; then
    cp "$PART"/*.ogg "$RUN/human/"
    touch "$RUN/human/READY"
fi
"$PYTHON" progress.py --run "$RUN" --seconds "$1"
tail -n 3 "$RUN/stage.log"
