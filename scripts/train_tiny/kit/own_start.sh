#!/bin/bash
# On the GPU machine, when all parts are in $RUN: unpack them, and start own_takes.py until so many seconds from now.
#   bash own_start.sh SECONDS [OPTIONS of own_takes.py]
set -eo pipefail
cd "${RUN:-/tmp/own}"
SECONDS_LEFT=$1
shift
mkdir -p run/out
cat whisper.xz.* | xz -d | tar x -C run
tar xf judges.tar
tar xf code.tar
mv talker.pt codec_joint.pt run/out/
mv prompts.npz vectors.npz run/
end=$(($(date +%s) + SECONDS_LEFT))
cd train_tiny
PYTHONPATH=$PWD/../judges setsid nohup bash kit/own_takes_loop.sh --run ../run --until "$end" "$@" >../log 2>&1 &
