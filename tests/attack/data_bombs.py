"""Well-formed bombs besides documents: lexicons, configs, subtitles, requests, headers of sound, voice files.

Each maker writes one into `folder` and hands it to the tool: exit code and what it said, or what was wrong.
"""

from __future__ import annotations

import json
import random
import struct
import tarfile
from io import BytesIO
from pathlib import Path

import numpy as np

from tests.attack.harness import command
from tests.attack.texts import PARTS

DRY = ("--dry-run", "--model", "tiny")
PATTERNS = (
    "(a+)+$", "(a|a)*b", "(.*)(.*)(.*)(.*)(.*)[0-9]", "(?:a|b|ab)*c", r"(\w+\s?)*:", "(a?){30}a{30}", "(x+x+)+y",
    "a{1,999}b", "(?:(?:a{0,99}){0,99}){0,99}b", r"(?=(\w+))\1*b", r"(?<=a+)b", "(?:a*)*?b", "(?i:(?:a|A)*)b", r"\b(\w|\W)*\b\d",
    "(?e)(?:aaaaaaaa){e<=5}b", "[[a-z]--[b]]*c",
)  # fmt: skip
Ended = tuple[int, str]


def lexicon(rng: random.Random, folder: Path, size: int) -> Ended:
    """Many entries, long ones, long keys, or TOML that is deep."""
    path = folder / "words.toml"
    entry = "[[entry]]\nmatch = 'a'\nsay = 'b'\n"
    forms = (
        entry * (size // len(entry)), "a." * (size // 2) + "a=1", "a=" + "[" * size, "[a" + ".a" * (size // 2) + "]\n",
        f"[[entry]]\nmatch = '{'a' * size}'\nsay = 'b'\n", f"[[entry]]\nmatch = 'a'\nsay = '{'b ' * (size // 2)}'\n",
        "".join(f"[[entry]]\nmatch = 'word{number}'\nipa = 'ə'\n" for number in range(size // 40)),
        "[[entry]]\n" + "".join(f"k{number} = 1\n" for number in range(size // 9)), "x = " + "9" * size, 'x = "' + "\\u0041" * (size // 6) + '"',
    )  # fmt: skip
    path.write_text(rng.choice(forms))
    return command("speak", _words(rng), *DRY, "--lexicon", str(path))


def patterns(rng: random.Random, folder: Path, size: int) -> Ended:
    """Regular expressions that look for very long."""
    path = folder / "words.toml"
    entry = f"[[entry]]\nmatch = '{rng.choice(PATTERNS)}'\nsay = 'b'\nregex = true\n"
    path.write_text(entry * rng.choice((1, 1, 3, 50)))
    return command("speak", _words(rng), *DRY, "--lexicon", str(path))


def _words(rng: random.Random) -> str:
    return rng.choice(("a", "ab", "word ", "x", "aA", "a b ")) * rng.choice((10, 30, 300, 3000))


def yaml(rng: random.Random, folder: Path, size: int) -> Ended:
    """A config in an archive, whose aliases, merges or numbers grow."""
    merged = "a0: &a0 {k: 1}\n" + "".join(
        f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 10)
    )
    aliases = "a0: &a0 [1]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))
    size = min(size, 900_000)
    forms = (
        merged, aliases, "x: 1" + ":1" * (size // 2), "x: " + "[" * size, "".join(f"a{n}: b\n" for n in range(size // 9)),
        "x: '" + "\n\n" * (size // 2) + "'", "x: " + "1_" * (size // 2), "? " * (size // 2), "- " * (size // 2), "x: |\n" + " a\n" * (size // 3),
        "&a " * (size // 3) + "x", "x: !!" + "a" * size, "x: 0x" + "f" * size, "{" + "a, " * (size // 3) + "}",
    )  # fmt: skip
    path, data = folder / "a.nemo", rng.choice(forms).encode()
    with tarfile.open(path, "w") as archive:
        member = tarfile.TarInfo("model_config.yaml")
        member.size = len(data)
        archive.addfile(member, BytesIO(data))
    return command("convert", str(path), str(folder / "out"))


def subtitles(rng: random.Random, folder: Path, size: int) -> Ended:
    """A text of cues, and one whose own subtitles are asked for in the dry run of many short sentences."""
    cue = rng.choice(
        ("1\n00:00:01,000 --> 00:00:02,000\na\n\n", "00:00.000 --> 00:01.000\n<v a>b</v>\n\n", "[00:01.00]a\n", "a. ")
    )
    path = folder / f"text.{rng.choice(('srt', 'vtt', 'lrc', 'txt'))}"
    path.write_text(cue * (min(size, 60_000) // len(cue)))
    return command("speak", "--file", str(path), *DRY, "--sentence-pause", "0")


def request(rng: random.Random, folder: Path, size: int) -> Ended | str:
    """A body as the server reads it, and the text in it as it is prepared."""
    from mlx_tts.server.answers import ApiError
    from mlx_tts.server.speech_body import read_order

    unit = "".join(rng.choice(PARTS) for _ in range(rng.randrange(1, 4)))
    text = unit * (min(size, 90_000) // len(unit) + 1)
    size = min(size, 4_000_000)
    plain = json.dumps({"input": text, "options": {rng.choice("abc") * rng.choice((1, 9000)): 1}}).encode(
        "utf-8", "replace"
    )
    forms = (
        plain, plain, plain, b'{"input":' + b"[" * size, b'{"input":"' + b"\\u0041" * (size // 6) + b'"}',
        b'{"input":"a","seed":' + b"9" * size + b"}", b'{"input":"a","speed":1e' + b"9" * size + b"}",
        b"{" + b",".join(b'"k%d":1' % number for number in range(size // 10)) + b"}",
        b"{" + b'"input":"a",' * (size // 12) + b'"input":"b"}', b'{"input":"a"' + b" " * size + b"}",
        b'{"input":"a","options":' + b'{"a":' * 900 + b"1" + b"}" * 901,
    )  # fmt: skip
    try:
        order = read_order(rng.choice(forms), 100_000)
    except ApiError as error:
        return (
            None if len(error.message) < 500 and "\n" not in error.message else f"its answer is {error.message[:200]!r}"
        )
    path = folder / "text.md"
    path.write_text(order.input, encoding="utf-8", errors="surrogatepass")
    return command("speak", "--file", str(path), *DRY)


def wave_header(rng: random.Random, size: int) -> bytes:
    """A RIFF file whose fields keep to the format and lie about everything."""
    width = rng.choice((0, 1, 8, 16, 24, 32, 64, 255, 65_535))
    kind = rng.choice((1, 1, 3, 2, 6, 7, 17, 49, 85, 0xFFFE, 0x161))
    channels, rate = rng.choice((0, 1, 2, 255, 65_535)), rng.choice((0, 1, 8000, 24_000, 192_000, 2**31, 2**32 - 1))
    form = struct.pack(
        "<HHIIHH", kind, channels, rate, rng.choice((0, 48_000, 2**32 - 1)), rng.choice((0, 1, 2, 65_535)), width
    )
    form += rng.choice(
        (
            b"",
            b"\0\0",
            struct.pack("<H", 65_535),
            struct.pack("<HHI16s", 22, width & 0xFFFF, 2**32 - 1, b"\1" + bytes(15)),
        )
    )
    odd = (b"LIST", b"fact", b"JUNK", b"cue ", b"smpl", b"bext", b"LIST")
    chunks = b"".join(rng.choice(odd) + struct.pack("<I", 0) for _ in range(min(size // 8, 200_000)))
    chunks = rng.choice(
        (
            b"",
            b"",
            chunks,
            b"LIST" + struct.pack("<I", rng.choice((4, 2**32 - 1))) + b"INFO" + b"IART" + struct.pack("<I", 2**31),
        )
    )
    length = rng.choice((0, 1, 48_000, 2**31, 2**32 - 1))
    data = b"data" + struct.pack("<I", length) + bytes(min(length, 48_000))
    inside = b"WAVE" + chunks + b"fmt " + struct.pack("<I", rng.choice((len(form), 16, 2**32 - 1))) + form + data
    return (
        rng.choice((b"RIFF", b"RIFF", b"RF64", b"RIFX"))
        + struct.pack("<I", rng.choice((len(inside), 0, 2**32 - 1)))
        + inside
    )


def tensors_header(rng: random.Random, size: int) -> bytes:
    """A safetensors file that says much and holds little."""
    one = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    size = min(size, 3_000_000)
    entries = rng.choice((
        {f"t{number}": one for number in range(size // 60)}, {"speaker_embedding": {**one, "shape": [1] * (size // 3)}},
        {"speaker_embedding": {**one, "shape": [0, 2**62, 2**62]}}, {"speaker_embedding": {**one, "shape": [2**40]}},
        {"__metadata__": {f"k{number}": "v" for number in range(size // 14)}}, {"__metadata__": {"format": "x" * size}},
        {"speaker_embedding": one, "__metadata__": {"format": "mlx-tts-voice", "version": "1", "transcript": "a" * size}},
    ))  # fmt: skip
    head = rng.choice((json.dumps(entries).encode(),) * 5 + (b"[" * size, b'{"a":' * (size // 5)))
    return struct.pack("<Q", rng.choice((len(head), len(head), len(head), 2**63, 2**32, 99_000_000))) + head


VECTOR, CODES = np.ones(64, np.float32), np.ones((5, 16), np.int32)
LATENTS = np.ones((3, 2, 4), np.float32)
# What is wrong with them was once said wrongly: metadata, tensors, and the reason that is true.
MISTOLD = (
    ({"transcript": "x"}, {"speaker_embedding": VECTOR}, "has a transcript, but neither codes nor latents"),
    ({}, {"speaker_embedding": VECTOR, "prompt_latents": LATENTS}, "has prompt latents without a transcript"),
    ({}, {"speaker_embedding": VECTOR, "reference_latents": -LATENTS[0]}, "has unusable reference latents"),
    ({}, {"speaker_embedding": VECTOR, "reference_codes": -CODES}, "has unusable codes"),
    ({"recording_rate": "24000"}, {"speaker_embedding": VECTOR}, "has the rate of a recording, but no recording"),
    ({}, {"speaker_embedding": VECTOR * np.float32(np.nan)}, "holds no usable speaker vector"),
)  # fmt: skip


def voice_file(rng: random.Random, folder: Path, size: int) -> Ended | str:
    from safetensors.numpy import save_file

    path, reason = folder / "me.safetensors", ""
    if rng.random() < 0.4:
        metadata, tensors, reason = rng.choice(MISTOLD)
        save_file(tensors, path, {"format": "mlx-tts-voice", "version": "1", "name": "me", **metadata})
    else:
        path.write_bytes(tensors_header(rng, size))
    code, error = command("speak", "Hi.", "--voice", str(path), "-q", "-o", str(folder / "out.wav"))
    if reason and (code == 0 or reason not in error):
        return f"its reason is not {reason!r}: {error[-300:]}"
    return code, error
