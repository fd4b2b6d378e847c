#!/bin/bash
# Put a part's files where the stage looks for them; mark what is complete.   bash place.sh PART
set -eo pipefail
RUN=${RUN:-/tmp/run} PYTHON=${PYTHON:-python3} KOKORO_PARTS=${KOKORO_PARTS:-8}
export PYTHONPATH="$RUN/site"
mkdir -p "$RUN/kokoro" "$RUN/voices" "$RUN/human" "$RUN/out"
put() { cp "$1" "$2.arriving" && mv "$2.arriving" "$2"; }
for file in "$1"/*; do
    name=$(basename "$file")
    case $name in
    kokoro.*.npz) put "$file" "$RUN/kokoro/$name" ;;
    phones.jsonl.xz | phones_before.jsonl.xz | voices.npz) put "$file" "$RUN/$name" ;;
    codes.*.npz) mkdir -p "$RUN/codes" && put "$file" "$RUN/codes/$name" ;;
    *.ogg) put "$file" "$RUN/human/$name" ;;
    listener.pt) put "$file" "$RUN/$name" ;;
    *.pt) put "$file" "$RUN/out/$name" ;;
    tiny.tar | pair.tar) tar xf "$file" -C "$RUN" && touch "$RUN/tiny/READY" ;;
    esac
done
cd "$RUN/train_tiny"
if [ ! -e "$RUN/voices/READY" ] && [ -e "$RUN/voices.npz" ] &&
    [ "$(find "$RUN/kokoro" -name 'kokoro.*.npz' | wc -l)" -ge "$KOKORO_PARTS" ]; then
    "$PYTHON" voices.py unpack --source "$RUN/voices.npz" --out "$RUN/voices"
    "$PYTHON" kokoro_pack.py unpack --parts-in "$RUN/kokoro" --cache "$RUN/kokoro"
    touch "$RUN/voices/READY"
fi
all=yes
for name in $(cat "$RUN/EXPECTED" 2>/dev/null || echo judges.pt codec_joint.pt); do
    [ -e "$RUN/out/$name" ] || all=
done
[ -z "$all" ] || touch "$RUN/out/READY"
if ls "$RUN"/human/*.ogg >/dev/null 2>&1; then touch "$RUN/human/READY"; fi
