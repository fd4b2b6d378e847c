"""Settings in the header of a GGUF file: every type of the format, and what is damaged."""

import struct

import pytest

from mlx_tts.checkpoints.gguf import read_gguf
from mlx_tts.errors import ModelError

# The format's numbers for its types, with struct's letter for each.
NUMBERS = [
    *((0, "B", 200), (1, "b", -3), (2, "H", 60_000), (3, "h", -3), (4, "I", 7), (5, "i", -7), (6, "f", 0.5)),
    *((7, "?", True), (10, "Q", 1 << 40), (11, "q", -(1 << 40)), (12, "d", 0.1)),
]


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def read(folder, kind, value, entries=1):
    path = folder / "a.gguf"
    setting = text("name") + struct.pack("<I", kind) + value
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, entries) + setting * entries + bytes(64))
    return read_gguf(path).settings


@pytest.mark.parametrize(("kind", "letter", "value"), NUMBERS)
def test_numbers(tmp_path, kind, letter, value):
    assert read(tmp_path, kind, struct.pack(f"<{letter}", value)) == {"name": value}
    values = struct.pack(f"<IQ2{letter}", kind, 2, value, value)
    assert read(tmp_path, 9, values) == {"name": [value, value]}


def test_texts(tmp_path):
    assert read(tmp_path, 8, text("two words")) == {"name": "two words"}
    assert read(tmp_path, 9, struct.pack("<IQ", 8, 2) + text("a") + text("b")) == {"name": ["a", "b"]}


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (13, b"", "a setting of type 13"),
        (9, struct.pack("<IQ", 9, 1), "a setting of type 9"),
        (9, struct.pack("<IQ", 0, 1 << 40), "it ends in the middle"),
        (8, struct.pack("<Q", 1 << 40), "a text of 1099511627776 bytes"),
    ],
)
def test_damage(tmp_path, kind, value, said):
    with pytest.raises(ModelError, match=said):
        read(tmp_path, kind, value)


@pytest.mark.parametrize(("kind", "told"), [(2, "Q4_0"), (7, "Q5_1"), (12, "Q4_K"), (99, "type 99")])
def test_tensors_that_are_not_read_are_named(tmp_path, kind, told):
    path = tmp_path / "a.gguf"
    tensor = text("weight") + struct.pack("<IQIQ", 1, 32, kind, 0)
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + tensor + bytes(256))
    with pytest.raises(ModelError, match=f"'weight' is stored as {told}; read are F32, F16, BF16 and Q8_0"):
        read_gguf(path)
