#!/bin/bash
# First call: check the machine and the files, start the stage. Its model compiles while the teacher's files still travel.
#   bash start.sh [options of stage_codec.py, for example --gpus 0,1 --total-seconds 950 --resume]
#   STAGE=talker bash start.sh [options of stage_talker.py]      STAGE=clone bash start.sh [options of stage_clone.py]
# RUN and STAGE_OPTIONS come from the environment, too (a rehearsal on a CPU sets them). A file OPTIONS of the part holds further options.
set -eo pipefail
cd "$(dirname "$0")"
RUN=${RUN:-/tmp/run} PYTHON=${PYTHON:-python3} STAGE=${STAGE:-codec} PART=$PWD
sha256sum --quiet -c SHA256SUMS
[ ! -e "$RUN/stage.log" ] || { echo "a stage was started here already: watch it"; exit 1; }
nvidia-smi -L 2>/dev/null || echo "no GPU"
echo "cores: $(nproc), up for $(cut -d. -f1 /proc/uptime) s"
mkdir -p "$RUN"
for archive in ./*.tar; do tar xf "$archive" -C "$RUN"; done
[ ! -e EXPECTED ] || cp EXPECTED "$RUN/"
if ls ./*.whl >/dev/null 2>&1; then
    "$PYTHON" -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --target "$RUN/site" ./*.whl ||
        echo "no soundfile: the stage goes on without human recordings"
fi
export PYTHONPATH="$RUN/site"
cd "$RUN/train_tiny"
read -r -a MORE <<<"$(cat "$PART/OPTIONS" 2>/dev/null || true)"
setsid nohup "$PYTHON" "stage_$STAGE.py" --run "$RUN" "${MORE[@]}" $STAGE_OPTIONS "$@" >"$RUN/stage.log" 2>&1 </dev/null &
echo $! >"$RUN/PID"
bash kit/place.sh "$PART"
"$PYTHON" -c 'import torch; print(torch.__version__, "GPUs:", torch.cuda.device_count())'
"$PYTHON" -c 'import soundfile, scipy; print("soundfile", soundfile.__version__)' || true
sleep "${LOOK_AFTER:-12}"
cat "$RUN/stage.log"
tail -q -n 5 "$RUN"/out/{codec_joint,talker}.log 2>/dev/null || true
