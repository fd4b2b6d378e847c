"""Recorded human voices for the codec, from Debian packages that carry some (no words are known, so no phones).

    python human.py collect --root UNPACKED --out HUMAN      once: people of the packages -> HUMAN/PERSON.ogg (Opus)
    python human.py shards --source HUMAN --out DATA         HUMAN/PERSON.ogg -> shards of items, at three speeds

UNPACKED holds the packages' files (dpkg -x): asterisk-core-sounds-{en,es,fr,it,ru}-g722, asterisk-prompt-fr-armelle,
asterisk-prompt-es-co, fillets-ng-data-cs, fillets-ng-data-nl, ktuberling-data, klettres-data, tuxpaint-stamps-default. The people of HELD_OUT are for the
judges alone.
"""

from __future__ import annotations

import argparse
import math
import random
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import scipy.signal
import soundfile
from shards import FRAME_SAMPLES, LABEL_SAMPLES, SAMPLE_RATE, ShardWriter, UnusableAudio, normalise_loudness
from sizes import UNKNOWN_PHONE
from speakers import HUMAN_PREFIX, MANY_PEOPLE

# Where a package's recordings are, and which part of the path is the person.
PLACES = (
    (
        re.compile(r"asterisk/sounds/(?:\w\w_\w\w_[fm]_)?(Allison|June|Carlo|IvrvoiceRU|Menardi|fr|es)/.*\.g722$"),
        "asterisk",
    ),
    (re.compile(r"ktuberling/sounds/(\w+)/.*\.(?:ogg|wav)$"), "ktuberling"),
    (re.compile(r"klettres/(\w+)/.*\.(?:ogg|mp3|wav)$"), "klettres"),
    # Actors of a game: the fish v and m have a file each, all the other parts share one.
    (re.compile(r"fillets-ng/sound/.*/((?:cs|nl)/[^/]*-[vm]-|(?:cs|nl)/)[^/]*\.ogg$"), "fillets"),
    (re.compile(r"tuxpaint/stamps/.*_desc(?:_(\w+))?\.(?:ogg|wav)$"), "tuxpaint"),
)
HELD_OUT = ("asterisk-Carlo", "ktuberling-de", "ktuberling-en", "tuxpaint-fr", "klettres-es")
MOST_SECONDS = 130.0  # of one person
MORE_SECONDS = 720.0  # of a file that holds many
# Played faster or slower a recording is another voice: pitch, resonances and pace move together.
SPEEDS = {"": (1, 1), "-slow": (9, 8), "-fast": (8, 9)}
LEAST_SECONDS = 8.0
ITEM_SECONDS = 8.0  # short recordings are joined to items of about this length
GAP_SECONDS = 0.15
OPUS_QUALITY = 0.82  # soundfile's compression_level; this is about 48 kbit/s


def person_of(part: str | None) -> str:
    """What a place's group caught -> a name without slashes: "cs/start-v-" -> "cs_v"."""
    language, slash, line = (part or "en").partition("/")
    role = re.search(r"-([vm])-$", line)
    return language + (f"_{role[1] if role else 'others'}" if slash else "")


def people(root: Path) -> dict[str, list[Path]]:
    found = defaultdict(list)
    for path in sorted(root.rglob("*.*")):
        for pattern, package in PLACES:
            match = pattern.search(path.as_posix())
            if match and path.is_file():
                found[f"{package}-{person_of(match[1])}"].append(path)
    return found


def decode(path: Path) -> np.ndarray:
    """Any format -> float32 mono at 24 kHz."""
    if path.suffix in (".ogg", ".wav"):
        audio, rate = soundfile.read(path, dtype="float32", always_2d=True)
        divisor = math.gcd(rate, SAMPLE_RATE)
        return scipy.signal.resample_poly(audio.mean(1), SAMPLE_RATE // divisor, rate // divisor)
    import av  # for G.722 and MP3

    resampler = av.AudioResampler(format="flt", layout="mono", rate=SAMPLE_RATE)
    pieces = []
    with av.open(str(path), format="g722" if path.suffix == ".g722" else None) as source:
        for frame in [*source.decode(audio=0), None]:
            pieces += [part.to_ndarray()[0] for part in resampler.resample(frame)]
    return np.concatenate(pieces) if pieces else np.zeros(0, np.float32)


def trimmed(audio: np.ndarray) -> np.ndarray:
    """At the common level, without silence at the ends; raises UnusableAudio when there is no sound."""
    audio = normalise_loudness(audio.astype(np.float32))
    loud = np.flatnonzero(np.abs(audio) > 0.02)
    if len(loud) < SAMPLE_RATE // 20:
        raise UnusableAudio("silence")
    margin = int(0.05 * SAMPLE_RATE)
    return audio[max(0, loud[0] - margin) : loud[-1] + margin]


def recordings(paths: list[Path], most_seconds: float) -> list[np.ndarray]:
    kept, seconds = [], 0.0
    for path in paths:
        try:
            clip = trimmed(decode(path))
        except (UnusableAudio, soundfile.LibsndfileError):
            continue
        if len(clip) > 0.3 * SAMPLE_RATE:
            kept.append(clip)
            seconds += len(clip) / SAMPLE_RATE
        if seconds > most_seconds:
            break
    return kept


def joined(clips: list[np.ndarray]) -> list[np.ndarray]:
    """Short recordings of one person joined to items, with a short silence between."""
    gap, items, item = np.zeros(int(GAP_SECONDS * SAMPLE_RATE), np.float32), [], []
    for clip in clips:
        item += [clip, gap]
        if sum(map(len, item)) > ITEM_SECONDS * SAMPLE_RATE:
            items.append(np.concatenate(item))
            item = []
    return items + ([np.concatenate(item)] if item else [])


def collect(root: Path, out: Path, most_seconds: float) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for person, paths in people(root).items():
        random.Random(person).shuffle(paths)
        clips = recordings(paths, MORE_SECONDS if person.endswith(MANY_PEOPLE) else most_seconds)
        audio = np.concatenate(joined(clips)) if clips else np.zeros(0, np.float32)
        if len(audio) < LEAST_SECONDS * SAMPLE_RATE:
            continue
        folder = out / ("held_out" if person in HELD_OUT else "")
        folder.mkdir(exist_ok=True)
        path = folder / f"{person}.ogg"
        with soundfile.SoundFile(
            path, "w", SAMPLE_RATE, 1, format="OGG", subtype="OPUS", compression_level=OPUS_QUALITY
        ) as file:
            for start in range(0, len(audio), SAMPLE_RATE):  # libsndfile cannot write long Opus at once
                file.write(audio[start : start + SAMPLE_RATE])
        print(f"{person}: {len(audio) / SAMPLE_RATE:.0f} s, {path.stat().st_size // 1024} KiB", flush=True)


def write_shards(source: Path, out: Path) -> None:
    """A shard a speed: the plain one is whole first, so that a training that waits for it need not wait for all."""
    seconds = 0.0
    for suffix, (up, down) in SPEEDS.items():
        writer = ShardWriter(out, f"human{suffix}")
        for path in sorted(source.glob("*.ogg")):
            audio, _ = soundfile.read(path, dtype="float32")
            if suffix:
                audio = scipy.signal.resample_poly(audio, up, down).astype(np.float32)
            write_person(writer, path.stem + suffix, audio)
        writer.close()
        seconds += writer.seconds
    print(f"human recordings: {seconds / 60:.1f} minutes")


def write_person(writer: ShardWriter, name: str, audio: np.ndarray) -> None:
    length = int(ITEM_SECONDS * SAMPLE_RATE) // FRAME_SAMPLES * FRAME_SAMPLES
    for number, start in enumerate(range(0, len(audio) - FRAME_SAMPLES, length)):
        item = audio[start : start + length]
        item = item[: len(item) // FRAME_SAMPLES * FRAME_SAMPLES]
        samples = np.round(np.clip(item, -1, 1) * 32767).astype("<i2")
        labels = np.full(len(samples) // LABEL_SAMPLES, UNKNOWN_PHONE, np.uint8)
        writer.add(f"{name} {number}", HUMAN_PREFIX + name, samples, labels)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["collect", "shards"])
    parser.add_argument("--root", type=Path, help="folder of the unpacked packages")
    parser.add_argument("--source", type=Path, help="folder of PERSON.ogg")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--most-seconds", type=float, default=MOST_SECONDS, help="of one person")
    options = parser.parse_args()
    if options.command == "collect":
        collect(options.root, options.out, options.most_seconds)
    else:
        write_shards(options.source, options.out)
