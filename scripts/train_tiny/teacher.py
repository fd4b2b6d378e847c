"""Speak training texts with the teacher voices and write shards (their format: shards.py).

  kokoro-gpu  Kokoro-82M in PyTorch, batched, from --phones: presets and synthetic speakers; three or four processes a GPU
  kokoro-cpu  the same network through onnxruntime, one process a worker
  hibari      a small model distilled from one Kokoro voice, over 100 times faster than real time a core

Texts keep their written form (digits, prices, dates); the teacher's own front end reads them.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import time
from collections import Counter
from pathlib import Path

import numpy as np
from phonemes import SILENCE
from shards import Clip, ShardWriter
from speakers import HIBARI_SPEAKER, SPEAKERS
from teacher_common import KOKORO_FRAME, Job, clip_of, jobs, read_style, store

HIBARI_FRAME = 600  # samples of one unit of duration: two of its spectra


def assignments(options: argparse.Namespace) -> list[tuple[str, str]]:
    """This process's share of the texts in a seeded order, spoken by the speakers in turn."""
    texts = options.texts.read_text(encoding="utf-8").splitlines()
    random.Random(options.seed).shuffle(texts)
    share = texts[options.part[0] :: options.part[1]]
    return [(text, options.speakers[index % len(options.speakers)]) for index, text in enumerate(share)]


class HibariEngine:
    def __init__(self, options: argparse.Namespace, seed: int):
        import onnx
        import onnxruntime
        from hibari import dsp
        from hibari.voices import voice_path

        model = onnx.load(voice_path("heart"))
        model.graph.output.append(onnx.helper.make_tensor_value_info("/Clip_output_0", onnx.TensorProto.FLOAT, None))
        self.session = onnxruntime.InferenceSession(
            model.SerializeToString(), one_thread(), providers=["CPUExecutionProvider"]
        )
        self.synthesise, self.rng = dsp.synth, np.random.default_rng(seed)

    def __call__(self, job: Job) -> Clip:
        phones, lengths, pieces = [], [], []
        for sentence in job.sentences:  # hibari was trained on single sentences
            ids = [SILENCE, *sentence, SILENCE]
            outputs = self.session.run(None, {"ids": np.array([ids], np.int64), "speed": np.ones(1, np.float32)})
            audio = self.synthesise(*(part[0] for part in outputs[:6]), self.rng)
            durations = np.asarray(outputs[6], np.float64).ravel()
            assert len(audio) == HIBARI_FRAME * durations.sum(), "the labels must span the audio"
            phones += ids
            lengths.append(durations)
            pieces.append(audio)
        return clip_of(phones, np.concatenate(lengths), HIBARI_FRAME, np.concatenate(pieces))


class KokoroCpuEngine:
    def __init__(self, options: argparse.Namespace, seed: int):
        import onnx
        import onnxruntime
        from kokoro_weights import assemble_onnx

        model = onnx.load(str(assemble_onnx(options.cache)))
        durations = next(node.output[0] for node in model.graph.node if node.op_type == "Clip")
        model.graph.output.append(onnx.ValueInfoProto(name=durations))
        self.session = onnxruntime.InferenceSession(
            model.SerializeToString(), one_thread(), providers=["CPUExecutionProvider"]
        )
        self.styles = {speaker: read_style(options.voices, speaker) for speaker in options.speakers}

    def __call__(self, job: Job) -> Clip:
        phones = job.phones
        inputs = {
            "tokens": np.array([phones], np.int64),
            "speed": np.ones(1, np.float32),
            "style": self.styles[job.speaker][len(phones) - 3][None],
        }
        audio, durations = self.session.run(None, inputs)
        return clip_of(phones, np.ravel(durations), KOKORO_FRAME, np.ravel(audio))


def one_thread():
    import onnxruntime

    session_options = onnxruntime.SessionOptions()
    session_options.intra_op_num_threads = session_options.inter_op_num_threads = 1
    session_options.log_severity_level = 3
    return session_options


def cpu_worker(options: argparse.Namespace, worker: int, pairs: list[tuple[str, str]]) -> None:
    engine = (HibariEngine if options.engine == "hibari" else KokoroCpuEngine)(options, options.seed + worker)
    skipped: Counter = Counter()
    writer = ShardWriter(options.out, f"{options.name}-{worker:03d}")
    for job in jobs(pairs, skipped):
        if time.time() > options.deadline:
            break
        store(job, engine(job), writer, skipped)
    writer.close()
    if worker == 0:
        print(f"worker 0 of {options.workers}: {writer.seconds / 3600:.2f} h, skipped {dict(skipped)}", flush=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, help="one text a line")
    parser.add_argument("--phones", type=Path, help="kokoro-gpu: the texts as phonemise.py wrote them")
    parser.add_argument("--synthetic", type=int, default=0, help="kokoro-gpu: how many synthetic speakers")
    parser.add_argument("--first-synthetic", type=int, default=0, help="number of the first synthetic speaker")
    parser.add_argument("--preset-share", type=float, default=1.0, help="share of the texts that --speakers read")
    parser.add_argument("--out", type=Path, required=True, help="folder for the shards")
    parser.add_argument("--engine", choices=("kokoro-gpu", "kokoro-cpu", "hibari"), required=True)
    parser.add_argument(
        "--speakers", default=",".join(SPEAKERS), help="names from speakers.py, by comma (default: all)"
    )
    parser.add_argument("--workers", type=int, default=2, help="CPU processes (not kokoro-gpu)")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--compile", action="store_true", help="fuse elementwise work with torch.compile")
    parser.add_argument("--part", default="0/1", help="I/N: this process takes every Nth text, from the Ith")
    parser.add_argument("--seconds-limit", type=float, default=float("inf"), help="stop after this much wall time")
    parser.add_argument("--seed", type=int, default=0, help="order of the texts and the noise")
    parser.add_argument("--cache", type=Path, default=Path("kokoro"), help="folder for the joined ONNX file")
    parser.add_argument("--voices", type=Path, default=Path("voices"), help="folder with Kokoro's NAME.bin styles")
    options = parser.parse_args()
    options.speakers = [HIBARI_SPEAKER] if options.engine == "hibari" else options.speakers.split(",")
    options.part = tuple(int(number) for number in options.part.split("/"))
    options.name = f"{options.engine}-{options.seed}-{options.part[0]}"
    options.deadline = time.time() + options.seconds_limit
    return options


def main() -> None:
    options = parse_arguments()
    if options.engine == "kokoro-gpu":
        from teacher_gpu import gpu_process  # the other engines need no PyTorch

        gpu_process(options)
        return
    pairs = assignments(options)
    workers = [
        multiprocessing.Process(target=cpu_worker, args=(options, worker, pairs[worker :: options.workers]))
        for worker in range(options.workers)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
