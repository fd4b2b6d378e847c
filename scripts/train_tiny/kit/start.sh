#!/bin/bash
# First call: check the machine and the files, start the stage. Its model compiles while the teacher's files still travel.
#   bash start.sh [options of stage_codec.py, for example --gpus 0,1 --total-seconds 950 --resume]
#   STAGE=talker bash start.sh [options of stage_talker.py]
# RUN comes from the environment, too (a rehearsal on a CPU sets it).
set -eo pipefail
cd "$(dirname "$0")"
RUN=${RUN:-/tmp/run} PYTHON=${PYTHON:-python3} STAGE=${STAGE:-codec}
sha256sum --quiet -c SHA256SUMS
nvidia-smi -L 2>/dev/null || echo "no GPU"
nproc
mkdir -p "$RUN/kokoro" "$RUN/voices" "$RUN/human"
for archive in ./*.tar; do tar xf "$archive" -C "$RUN"; done
cp phones.jsonl.xz voices.npz "$RUN/"
cp kokoro.*.npz "$RUN/kokoro/"
if ls ./*.whl >/dev/null 2>&1; then
    "$PYTHON" -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --target "$RUN/site" ./*.whl ||
        echo "no soundfile: the stage goes on without human recordings"
fi
export PYTHONPATH="$RUN/site"
"$PYTHON" -c 'import torch; print(torch.__version__, "GPUs:", torch.cuda.device_count())'
"$PYTHON" -c 'import soundfile, scipy; print("soundfile", soundfile.__version__)' || true
cd "$RUN/train_tiny"
setsid nohup "$PYTHON" "stage_$STAGE.py" --run "$RUN" "$@" >"$RUN/stage.log" 2>&1 </dev/null &
sleep "${LOOK_AFTER:-12}"
cat "$RUN/stage.log"
tail -q -n 5 "$RUN"/out/{codec_joint,talker}.log 2>/dev/null || true
