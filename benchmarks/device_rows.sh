#!/usr/bin/env bash
# What is claimed about one CUDA device, in calls of at most 10 minutes each: `device_rows.sh first`, `second`, `third`.
# first: forms of a frame, a bare loop and mlx-audio in turns; a server with 1, 8 and 32 streams; batches with the codec;
# 8 bits. second: VoxCPM2 and Magpie beside their official code. third: what had no time there: the server with only two
# batches beside it, because kernels are compiled for minutes; a kernel that never ends; new shapes of the codec.
# defaults: what a user with nothing set meets, the oracles of every family, forms next to those of the checkout in $OLD.
# $OUT: where logs go. $ROWS/env.sh, where it is: sets PYTHON, PYTHONPATH, LD_LIBRARY_PATH, CUDA_HOME, EXTRAS.
# $ROWS/ptx: kernels that were compiled before, here or elsewhere; each program begins with them, and what it adds is kept there.
# $FORM: of the kernels (on). $SECONDS_LEFT: of the call. $READY: of it, for the third's programs to get ready (270). $WANTED: names of the first call's programs, where not all (of 16) are; of the third's programs and parts likewise. For a rehearsal: SIZE, BITS, EIGHT, WIDE_BITS, FRAMES, BATCH_FRAMES, STREAMS, MOST.
# A part that fails or has no time left leaves its log, and the next one runs.
set -u
cd "$(dirname "$0")/.."
[ -e "${ROWS:-/tmp/rows}/env.sh" ] && . "${ROWS:-/tmp/rows}/env.sh"
export PYTHONPATH="$PWD:$PWD/benchmarks:${PYTHONPATH:-}" PYTHONUNBUFFERED=1 PYTHON=${PYTHON:-python3}
whole=${SECONDS_LEFT:-565} work=$(mktemp -d) size=${SIZE:-0.6B} bits=${BITS:-4} frames=${FRAMES:-40} names=() kept=${ROWS:-/tmp/rows}
export TURNS=$work/turns MLX_TTS_HOME=$work/home
mkdir -p "$TURNS"

left() { echo $((whole - SECONDS)); }

ptx() { # name: a folder of its own for what a program compiles, where nobody reads what another is writing
  mkdir -p "$work/ptx_$1"
  [ -d "$kept/ptx" ] && cp -r "$kept/ptx/." "$work/ptx_$1/"
}

part() { # name, most seconds, command...: alone
  local name=$1 most=$2 begin=$SECONDS
  shift 2
  (( most > $(left) )) && most=$(left)
  (( most < 5 )) && { echo "== $name: no time left"; return; }
  ptx "$name"
  MLX_PTX_CACHE_DIR="$work/ptx_$name" timeout -k 5 "$most" "$@" > "$OUT/$name.log" 2>&1
  local code=$?
  echo "== $name: exit $code after $((SECONDS - begin)) s"
  grep -v Warning "$OUT/$name.log" | tail -n "${lines:-12}"
}

wanted() { # name
  [ -z "${WANTED:-}" ] || [[ " $WANTED " == *" $1 "* ]]
}

program() { # name, command...: gets ready beside the others, then waits for its turns
  local name=$1
  shift
  wanted "$name" || return
  ptx "$name"
  ( TURN_NAME=$name MLX_PTX_CACHE_DIR="$work/ptx_$name" setsid bash -c \
      'echo $$ > "$TURNS/$TURN_NAME.group"; exec timeout --foreground -k 5 "$0" "$@"' "$(left)" "$@" > "$OUT/$name.log" 2>&1
    touch "$TURNS/$name.dead" ) &
  names+=("$name")
}

turns() { # rounds, most seconds a turn, seconds for getting ready, seconds for all, names...
  local rounds=$1 turn=$2 ready=$3 all=$4 name names=()
  shift 4
  for name in "$@"; do wanted "$name" && names+=("$name"); done
  set -- "${names[@]}"
  (( all > $(left) - 8 )) && all=$(( $(left) - 8 ))
  (( all < 5 )) && { echo "== turns of $*: no time left"; return; }
  (( ready > all )) && ready=$all
  timeout $((all + turn)) "$PYTHON" benchmarks/turns.py "$TURNS" "$@" --rounds "$rounds" --turn-seconds "$turn" \
    --ready-seconds "$ready" --seconds "$all"
}

form() { # name, form, further options...
  local name=$1 form=$2
  shift 2
  program "$name" "$PYTHON" benchmarks/one_form.py "$form" --size "$size" --bits "$bits" --frames "$frames" "$@"
}

batch() { # name, rows, further options...
  local name=$1 rows=$2
  shift 2
  program "$name" bash -c 'while [ ! -e "$0/checkpoint.made" ]; do sleep 0.2; done; exec "$@"' "$work" \
    "$PYTHON" benchmarks/engine_batch.py "$work/wide" --rows "$rows" --frames "${BATCH_FRAMES:-120}" "$@"
}

checkpoint() {
  ( timeout 200 env MLX_TTS_KERNELS=off "$PYTHON" benchmarks/random_checkpoint.py "$work/wide" --size "$size" \
      --bits "${WIDE_BITS:-16}" --text-rows 3000 > "$OUT/checkpoint.log" 2>&1; touch "$work/checkpoint.made" ) &
}

server() {
  program server bash -c 'while [ ! -e "$0/checkpoint.made" ]; do sleep 0.2; done; exec "$@"' "$work" \
    "$PYTHON" benchmarks/serving_streams.py "$work/wide" --streams ${STREAMS:-1 8 32}
}

beforehand() { # name, command...: beside the checkpoint's making; what it compiles the programs behind it find
  local name=$1
  shift
  ptx "$name"
  ( MLX_PTX_CACHE_DIR="$work/ptx_$name" timeout -k 5 "${WARM_SECONDS:-75}" env -u TURNS "$@" > "$OUT/$name.log" 2>&1 ) &
  early+=("$!")
}

figures() { # name of the call
  cp "$TURNS/figures.jsonl" "$OUT/$1.jsonl"
  "$PYTHON" benchmarks/turn_table.py "$OUT/$1.jsonl" --ratio plain/bare mlx-audio/plain mlx-audio/fused \
    plain_direct/plain fused_direct/fused batch8_mlx/batch8 batch8_direct/batch8 "batch${MOST:-32}_direct/batch${MOST:-32}"
  grep '"server"' "$OUT/$1.jsonl"
}

first() {
  lines=8 part works 60 "$PYTHON" benchmarks/device_check.py
  checkpoint
  for name in fused half plain bare mlx-audio; do form "$name" "$name"; done
  for name in fused plain; do
    form "${name}_8bits" "$name" --bits "${EIGHT:-8}"
    MLX_USE_CUDA_GRAPHS=0 form "${name}_direct" "$name"
  done
  export MLX_TTS_KERNELS=${FORM:-on}
  server
  for rows in 8 ${MOST:-32}; do
    batch "batch$rows" "$rows"
    MLX_USE_CUDA_GRAPHS=0 batch "batch${rows}_direct" "$rows"
  done
  batch batch8_mlx 8 --most-rows 4
  turns 0 1 250 250 "${names[@]}"
  turns 5 25 20 120 fused half plain bare mlx-audio
  turns 1 110 5 110 server
  turns 3 25 5 90 batch8 "batch${MOST:-32}" batch8_mlx batch8_direct "batch${MOST:-32}_direct"
  turns 3 25 5 60 fused_8bits plain_8bits fused_direct plain_direct fused plain
  touch "$TURNS/end"
  sleep 3
  figures first
}

others() { # name, most seconds: a command line that came with the kit
  local file=${CMDS:-${ROWS:-/tmp/rows}/parts}/$1.cmd name=$1
  [ -e "$file" ] || { echo "== $1: $file is not there"; return; }
  [ "$name" = magpie ] && name=nemo
  EXTRA=${EXTRAS:-/tmp/rows/extra}/$name lines=40 part "$1" "$2" bash -c "$(cat "$file")"
}

second() {
  others voxcpm 180
  others magpie 165
}

third() {
  local early=() rows
  checkpoint
  export MLX_TTS_KERNELS=${FORM:-on}
  beforehand warm_codec "$PYTHON" benchmarks/codec_shapes.py --size "$size" ${CODEC_ROWS:---rows 1 2 4 8 16 32}
  for rows in 1 8 ${MOST:-32}; do
    beforehand "warm_$rows" "$PYTHON" benchmarks/one_form.py resident --size "$size" --bits "${WIDE_BITS:-16}" --rows "$rows" --frames 2
  done
  wait "${early[@]}"
  for rows in codec 1 8 ${MOST:-32}; do keep_compiled "$work/ptx_warm_$rows"; done
  echo "== compiled beforehand: $SECONDS s, $(find "$kept/ptx" -name '*.cu' | wc -l) kernels of MLX"
  server
  for rows in 8 ${MOST:-32}; do batch "batch$rows" "$rows"; done
  turns 0 1 "${READY:-270}" "${READY:-270}" "${names[@]}"
  turns 1 110 5 110 server
  turns 3 25 5 60 batch8 "batch${MOST:-32}"
  ! wanted server || grep -qs '"server"' "$TURNS/figures.jsonl" || turns 1 110 60 170 server
  touch "$TURNS/end"
  sleep 3
  figures third
  unset MLX_TTS_KERNELS
  wanted planted && part planted 150 "$PYTHON" benchmarks/planted_kernels.py ${PLANTED:-endless}
  wanted codec_shapes && part codec_shapes 70 "$PYTHON" benchmarks/codec_shapes.py --size "$size" ${CODEC_ROWS:-}
  wanted codec_shapes_as_mlx && part codec_shapes_as_mlx 60 "$PYTHON" benchmarks/codec_shapes.py --size "$size" ${CODEC_ROWS:-} --as-mlx
  wanted codec_shapes_direct && part codec_shapes_direct 60 env MLX_USE_CUDA_GRAPHS=0 "$PYTHON" benchmarks/codec_shapes.py --size "$size" ${CODEC_ROWS:-}
}

said() { # name, command...: a command of a user with nothing set; how long it took, what it said
  local name=$1 begin=$EPOCHREALTIME
  shift
  timeout "$(left)" "$@" > "$OUT/$name.log" 2>&1
  local code=$?
  echo "== $name: exit $code after $("$PYTHON" -c "print(round($EPOCHREALTIME - $begin, 1))") s"
  grep -E 'prepar|loaded|speech in|rror' "$OUT/$name.log" | tail -n 4 | cut -c1-200
}

defaults() { # what a user with nothing set meets, the oracles of every family, and the forms next to an $OLD checkout
  local speak=("$PYTHON" -m mlx_tts speak --seed 7 -v -o) oracles=tests/fixtures/oracle form
  unset MLX_TTS_KERNELS
  said speak_first "${speak[@]}" "$work/1.wav" "${TEXT:=The old lighthouse stood at the end of the pier.}"
  cp -r "$MLX_TTS_HOME"/cuda*/. "$kept/ptx/" 2> /dev/null
  checkpoint
  export MLX_TTS_KERNELS=${FORM:-on}
  for name in ${ORACLES-custom_voice_tiny base_tiny}; do # uncompiled: greedy codes stand for the numbers
    ptx "oracle_$name"
    ( MLX_ENABLE_TF32=0 MLX_DISABLE_COMPILE=1 MLX_PTX_CACHE_DIR="$work/ptx_oracle_$name" timeout "$(left)" \
        "$PYTHON" benchmarks/device_oracle.py "$oracles/$name" > "$OUT/oracle_$name.log" 2>&1 ) &
  done
  for name in ${OTHER_ORACLES-magpie voxcpm2}; do
    ptx "oracle_$name"
    ( MLX_ENABLE_TF32=0 MLX_DISABLE_COMPILE=1 MLX_PTX_CACHE_DIR="$work/ptx_oracle_$name" timeout "$(left)" \
        "$PYTHON" scripts/oracle/check.py --device gpu "${oracles}_$name"/*/ > "$OUT/oracle_$name.log" 2>&1 ) &
  done
  unset MLX_TTS_KERNELS
  for form in resident plain; do form "$form" "$form"; done
  form resident_16bits resident --bits "${WIDE_BITS:-16}"
  form mlx-audio mlx-audio
  if [ -n "${OLD:-}" ] && [ -d "$OLD" ]; then
    for form in resident plain; do
      PYTHONPATH="$OLD:$OLD/benchmarks:$SITE" program "${form}_old" "$PYTHON" "$OLD/benchmarks/one_form.py" "$form" \
        --size "$size" --bits "$bits" --frames "$frames"
    done
  fi
  server
  said speak_second "${speak[@]}" "$work/2.wav" "$TEXT"
  turns 0 1 "${READY:-270}" "${READY:-270}" "${names[@]}"
  turns 5 25 5 90 resident resident_old plain plain_old mlx-audio resident_16bits
  turns 1 110 5 110 server
  touch "$TURNS/end"
  for name in third fourth; do said "speak_$name" "${speak[@]}" "$work/$name.wav" "$TEXT"; done
  said doctor "$PYTHON" -m mlx_tts doctor
  cp "$MLX_TTS_HOME"/kernels/*.json "$OUT/" 2> /dev/null
  for name in "$OUT"/oracle_*.log; do
    [ -e "$name" ] || continue
    echo "== $name"
    grep -v Warning "$name" | tail -n 14 | cut -c1-150
  done
  figures defaults
}

keep_compiled() { # folder: MLX writes a kernel's .cu last, so who has one is whole
  local file
  mkdir -p "$kept/ptx"
  (cd "$1" 2> /dev/null && find . -name '*.cu') | while read -r file; do
    [ -e "$kept/ptx/$file" ] || (cd "$1" && cp --parents "${file%.cu}".* "$kept/ptx/")
  done
}

end() {
  for group in "$TURNS"/*.group; do [ -e "$group" ] && kill -9 -- "-$(cat "$group")" 2> /dev/null; done
  local logs=() folder
  for file in "$OUT"/*.log "$OUT"/*.jsonl; do [ -e "$file" ] && logs+=("$(basename "$file")"); done
  tar cJf "$OUT/logs_$1.tar.xz" -C "$OUT" "${logs[@]}" && rm -f "$OUT"/*.log
  for folder in "$work"/ptx_*; do keep_compiled "$folder"; done
  rm -rf "$work"
}

case ${1:-} in
  first | second | third | defaults) "$1"; end "$1" ;;
  *) echo "usage: device_rows.sh first|second|third|defaults" >&2; exit 2 ;;
esac
