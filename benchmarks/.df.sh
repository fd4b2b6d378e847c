#!/usr/bin/env bash
# All that is claimed about the forms of a frame, in one run of at most 9 minutes on one CUDA device.
# $OUT: where logs go. $PYTHON: an interpreter that finds mlx (CUDA), mlx-audio and this package's needs.
# $SECONDS_LEFT: of the whole run (default 540). $MLX_PTX_CACHE_DIR: an empty folder for compiled kernels.
# A part that fails leaves its log, and the next one runs.
set -u
cd "$(dirname "$0")/.."
export PYTHONPATH="$PWD:$PWD/benchmarks:${PYTHONPATH:-}" PYTHONUNBUFFERED=1
python=${PYTHON:-python3} whole=${SECONDS_LEFT:-540} bench=${BENCH_OPTIONS:-} lines=40
size=${SIZE:-0.6B} bits=${BITS:-4} wide=${WIDE_BITS:-16} work=$(mktemp -d)
export MLX_TTS_HOME=${MLX_TTS_HOME:-$work/home}
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
beside() { # name, command...: at the same time as others, each with a folder of its own for compiled kernels
  local name=$1
  shift
  mkdir -p "$work/ptx_$name"
  MLX_PTX_CACHE_DIR="$work/ptx_$name" timeout 150 "$@" > "$OUT/$name.log" 2>&1 &
}
lines=8 part works 60 $python benchmarks/device_check.py
few="--frames 4 --peer-frames 4 --codec-frames 8 --repeats 1"
begin=$SECONDS
beside cold_plain env MLX_TTS_KERNELS=off $python benchmarks/start_time.py tiny --processes 2 --seconds 120
beside cold_fused env MLX_TTS_KERNELS=on $python benchmarks/start_time.py tiny --processes 2 --seconds 120
beside compile_plain $python benchmarks/forms.py $bench $few --forms plain --no-peer
beside compile_fused $python benchmarks/forms.py $bench $few --forms fused half --no-peer --no-bare
beside compile_peer $python benchmarks/forms.py $bench $few --forms half --no-codec --no-bare
beside checkpoint $python benchmarks/random_checkpoint.py "$work/narrow" --size "$size" --bits "$bits" --text-rows 3000
beside checkpoint_wide $python benchmarks/random_checkpoint.py "$work/wide" --size "$size" --bits "$wide" --text-rows 3000
wait
echo "== compiling, side by side: $((SECONDS - begin)) s"
for name in cold_plain cold_fused compile_plain compile_fused compile_peer checkpoint checkpoint_wide; do
  echo "-- $name"
  grep -v Warning "$OUT/$name.log" | tail -n 4
  cp -rn "$work/ptx_$name/." "$MLX_PTX_CACHE_DIR/"
done
part forms 190 $python benchmarks/forms.py $bench
part start_plain 40 env MLX_TTS_KERNELS=off $python benchmarks/start_time.py tiny --processes 2
part start_fused 60 env MLX_TTS_KERNELS=on $python benchmarks/start_time.py tiny --processes 2
part start_large 60 env MLX_TTS_KERNELS=off $python benchmarks/start_time.py "$work/narrow" --processes 2
part batches 110 env MLX_TTS_KERNELS=on $python benchmarks/engine_batch.py "$work/wide" --rows 8 32 ${BATCH_OPTIONS:-}
part planted 110 $python benchmarks/planted_kernels.py ${PLANTED:-}
tar cf "$OUT/logs.tar" -C "$OUT" $(cd "$OUT" && ls ./*.log) && rm -f "$OUT"/*.log
rm -rf "$work"
