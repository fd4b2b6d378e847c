#!/bin/bash
# Later calls: put a part's files in place, then watch.   bash deliver.sh SECONDS
set -eo pipefail
cd "$(dirname "$0")"
RUN=${RUN:-/tmp/run} PYTHON=${PYTHON:-python3} KOKORO_PARTS=${KOKORO_PARTS:-8}
export PYTHONPATH="$RUN/site"
sha256sum --quiet -c SHA256SUMS
PART=$PWD
cd "$RUN/train_tiny"
mkdir -p "$RUN/out"
for file in "$PART"/*; do
    case $file in
    *.npz) cp "$file" "$RUN/kokoro/" ;;
    *.ogg) cp "$file" "$RUN/human/" ;;
    *.pt) cp "$file" "$RUN/out/arriving" && mv "$RUN/out/arriving" "$RUN/out/$(basename "$file")" ;;
    esac
done
if [ ! -e "$RUN/voices/READY" ] && [ "$(ls "$RUN"/kokoro/kokoro.*.npz | wc -l)" -ge "$KOKORO_PARTS" ]; then
    "$PYTHON" voices.py unpack --source "$RUN/voices.npz" --out "$RUN/voices"
    "$PYTHON" kokoro_pack.py unpack --parts-in "$RUN/kokoro" --cache "$RUN/kokoro"
    touch "$RUN/voices/READY"
fi
[ ! -e "$RUN/out/judges.pt" ] || [ ! -e "$RUN/out/codec_joint.pt" ] || touch "$RUN/out/READY"
ls "$RUN"/human/*.ogg >/dev/null 2>&1 && touch "$RUN/human/READY"
"$PYTHON" progress.py --run "$RUN" --seconds "$1"
[ -z "$OUT" ] || [ ! -e "$RUN/out/talker.pt" ] || bash kit/packed.sh "$OUT"
tail -n 3 "$RUN/stage.log"
