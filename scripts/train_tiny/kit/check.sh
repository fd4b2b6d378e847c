#!/bin/bash
# While the teachers speak: encode the first of their sound and train on it, in a folder of its own. What fails here would fail
# later: then the stage is ended at once, so that its machine time is left.
#   bash RUN/train_tiny/kit/check.sh SECONDS      waits so long for enough sound (ITEMS a teacher, default 240)
RUN=${RUN:-/tmp/run} PYTHON=${PYTHON:-python3} ITEMS=${ITEMS:-240} DEVICE=${DEVICE:-cuda} TRY=$RUN/try
cd "$RUN/train_tiny" || { echo "no stage here: this machine is another one"; exit 1; }
lost() {
    echo "CHECK FAILED: $1"
    [ -e "$RUN/DONE" ] || echo "given up: $1" >"$RUN/DONE"
    kill -- "-$(cat "$RUN/PID")" 2>/dev/null
    exit 1
}
end=$(($(date +%s) + $1))
until [ -e "$RUN/out/codec_joint.pt" ] && [ -e "$RUN/out/talker.pt" ] && [ -e "$RUN/out/copies.npz" ] &&
    "$PYTHON" first_items.py --data "$RUN/data" --out "$TRY/data" --items "$ITEMS"; do
    [ ! -e "$RUN/DONE" ] || lost "the stage ended: $(cat "$RUN/DONE")"
    [ "$(date +%s)" -lt "$end" ] || lost "no sound, or no codec, talker and copies, after $1 s"
    sleep 1
done
mkdir -p "$TRY/out"
cp "$RUN/out/codec_joint.pt" "$RUN/out/talker.pt" "$TRY/out/"
common=(--data "$TRY/data" --out "$TRY/out" --device "$DEVICE")
"$PYTHON" encode.py "${common[@]}" || lost "encode.py"
"$PYTHON" talker.py "${common[@]}" --preset clone --tokenizer "$RUN/tokenizer" --copies "$RUN/out/copies.npz" --keep-encoder --no-context \
    --seconds "${TRAIN:-20}" --positions "${POSITIONS:-20000}" --learning-rate 1e-4 --validate-seconds 1000 --eager >"$TRY/talker.log" 2>&1 ||
    { tail -n 20 "$TRY/talker.log" && lost "talker.py"; }
tail -n 1 "$TRY/out/talker.jsonl"
"$PYTHON" -c 'import json, sys; row = json.loads(sys.argv[1]); sys.exit(not (row["first"] < 5 and row["guide"] < 4))' \
    "$(tail -n 1 "$TRY/out/talker.jsonl")" || lost "the talker does not go on as the shipped one: code 0 of 5 or more, or guide of 4 or more"
echo "CHECK ok"
tail -n 1 "$RUN/out/gpu.log" 2>/dev/null
tail -n 2 "$RUN/out/talker.log"
