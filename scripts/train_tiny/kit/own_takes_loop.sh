#!/bin/bash
# own_takes.py on all GPUs: two processes on each, for a round is mostly launches and one leaves a GPU idle two thirds of the time.
# Where one process fails, all begin anew with the newest talker that was kept, without graphs; where it fails again, with fewer.
#   bash own_takes_loop.sh [OPTIONS of own_takes.py]
gpus=$(nvidia-smi --list-gpus | wc -l)
port=29600
graphs=
export MASTER_ADDR=127.0.0.1 PYTHONUNBUFFERED=1 OMP_NUM_THREADS=2
for processes in ${PROCESSES:-$((2 * gpus)) $((2 * gpus)) $gpus $gpus 1 1}; do
    echo "processes: $processes"
    port=$((port + 1))
    running=()
    for ((rank = 0; rank < processes; rank++)); do
        RANK=$rank LOCAL_RANK=$rank WORLD_SIZE=$processes MASTER_PORT=$port ${PYTHON:-python3} own_takes.py $graphs "$@" &
        running+=($!)
    done
    failed=0
    while [ "$failed" = 0 ] && [ ${#running[@]} -gt 0 ]; do
        sleep 0.5
        left=()
        for process in "${running[@]}"; do
            if kill -0 "$process" 2>/dev/null; then left+=("$process"); else wait "$process" || failed=1; fi
        done
        running=("${left[@]}")
    done
    [ "$failed" = 1 ] || exit 0
    graphs=--no-graphs
    kill -9 "${running[@]}" 2>/dev/null
    wait
done
exit 1
