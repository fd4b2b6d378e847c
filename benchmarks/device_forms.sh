#!/usr/bin/env bash
# All that is claimed about the forms of a frame, in one run of at most 9 minutes on one CUDA device.
# $OUT: where logs and sound go. $PYTHON: an interpreter that finds mlx (CUDA), mlx-audio and this package's needs.
# $SECONDS_LEFT: of the whole run (default 540). A part that fails leaves its log, and the next one runs.
set -u
cd "$(dirname "$0")/.."
export PYTHONPATH="$PWD:$PWD/benchmarks:${PYTHONPATH:-}" PYTHONUNBUFFERED=1
python=${PYTHON:-python3} whole=${SECONDS_LEFT:-540} bench=${BENCH_OPTIONS:-} lines=40
part() { # name, most seconds, command...
  local name=$1 most=$2 begin=$SECONDS
  shift 2
  (( most > whole - SECONDS )) && most=$((whole - SECONDS))
  (( most < 5 )) && { echo "== $name: no time left"; return; }
  timeout "$most" "$@" > "$OUT/$name.log" 2>&1
  local code=$?
  echo "== $name: exit $code after $((SECONDS - begin)) s"
  grep -v Warning "$OUT/$name.log" | tail -n "$lines"
}
lines=8 part works 60 "$python" benchmarks/device_check.py
part forms 190 "$python" benchmarks/forms.py $bench
part batches 90 "$python" benchmarks/forms.py --bits 16 --rows 8 32 --forms fused --no-peer --no-bare --frames 40 $bench
lines=30 part profile 40 "$python" benchmarks/profile_frame.py ${PROFILE_OPTIONS:-}
export MLX_TTS_HOME=${MLX_TTS_HOME:-$(mktemp -d)}
part start_plain 20 env MLX_TTS_KERNELS=off "$python" benchmarks/start_time.py tiny --processes 1
part start 45 "$python" benchmarks/start_time.py tiny
part trial 60 "$python" benchmarks/planted_kernels.py real ${TRIAL_OPTIONS:-0.6B 4}
# what is not timed runs side by side
echo "== codes of the oracle and 20 sentences in each form"
begin=$SECONDS left=$((whole - SECONDS - 60))
(( left < 20 )) && left=20
for form in on half off; do
  MLX_ENABLE_TF32=0 MLX_TTS_KERNELS=$form timeout "$left" "$python" benchmarks/device_oracle.py \
    tests/fixtures/oracle/custom_voice_tiny > "$OUT/oracle_$form.log" 2>&1 &
  MLX_TTS_KERNELS=$form timeout "$left" "$python" benchmarks/speak_sentences.py "$OUT/said/$form" \
    > "$OUT/sentences_$form.log" 2>&1 &
done
timeout "$left" "$python" benchmarks/forms.py --prompts > "$OUT/prompts.log" 2>&1 &
wait
echo "== after $((SECONDS - begin)) s"
for form in on half off; do
  echo "-- $form"
  cat "$OUT/oracle_$form.log" "$OUT/sentences_$form.log" | grep -v Warning | tail -n 14
  tar cf "$OUT/said_$form.tar" -C "$OUT/said" "$form" 2>/dev/null
done
rm -rf "$OUT/said"
cat "$OUT/prompts.log"
part planted 110 "$python" benchmarks/planted_kernels.py
tar cf "$OUT/logs.tar" -C "$OUT" $(cd "$OUT" && ls ./*.log) && rm -f "$OUT"/*.log
