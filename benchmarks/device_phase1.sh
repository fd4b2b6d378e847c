#!/usr/bin/env bash
# Every kernel against its plain form on a CUDA device, then timings. A part that fails leaves its log and the next one runs.
# $OUT: where logs go. $PYTHON: an interpreter that finds mlx (CUDA), numpy, safetensors and tokenizers.
set -u
cd "$(dirname "$0")/.."
export PYTHONPATH="$PWD:${PYTHONPATH:-}" PYTHONUNBUFFERED=1
python=${PYTHON:-python3}
part() { # name, seconds, command...
  local name=$1 seconds=$2
  shift 2
  echo "== $name"
  local begin=$SECONDS
  timeout "$seconds" "$@" > "$OUT/$name.log" 2>&1
  local code=$?
  tail -n "${LINES_SHOWN:-25}" "$OUT/$name.log"
  echo "== $name: exit $code after $((SECONDS - begin)) s"
}
part check 170 "$python" benchmarks/kernels.py check
LINES_SHOWN=40 part frames 150 "$python" benchmarks/compare.py --no-peer --batch 1 8 32 --long 2060
LINES_SHOWN=140 part launches 140 "$python" benchmarks/kernels.py launches
