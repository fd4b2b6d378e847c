#!/bin/bash
# Pack the curves and the last checkpoint into a folder: the talker if there is one, else the codec with its
# discriminators (all three do not fit one transfer); `both`: codec and talker; `phones`, `decoder`: what stage_phones.py or
# stage_decoder.py packed, or its last checkpoint.   bash packed.sh FOLDER [codec|talker|both|phones|decoder]
RUN=${RUN:-/tmp/run} PYTHON=${PYTHON:-python3}
WHAT=$2
[ -n "$WHAT" ] || { [ -e "$RUN/out/talker.pt" ] && WHAT=talker; }
case $WHAT in phones | decoder) [ ! -e "$RUN/DONE" ] || { cp "$RUN"/out/pack/* "$1" && exit; } ;; esac
if [ "$WHAT" = phones ]; then
    [ -e "$RUN/out/talker.jsonl" ] || { tar czf "$1/logs.tar.gz" --exclude='*.pt' --exclude='*.npz' -C "$RUN" stage.log out && exit; }
    WHAT=talker
fi
case $WHAT in
both) ALONE=(--together --tokenizer "$RUN/tokenizer") ;;
talker) ALONE=(--talker-alone --tokenizer "$RUN/tokenizer") ;;
*) ALONE=(--codec-alone) ;;
esac
cp "$RUN/stage.log" "$RUN/out/"
cd "$RUN/train_tiny" && "$PYTHON" pack.py --checkpoints "$RUN/out" "${ALONE[@]}" --out "$1"
