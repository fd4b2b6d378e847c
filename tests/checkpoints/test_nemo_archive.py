"""Archives of strangers: read without torch, or refused with one line. Nothing in them is imported, run or unpacked."""

import gzip
import io
import json
import os
import pickle
import random
import sys
import tarfile
import time
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from mlx_tts.checkpoints.nemo_archive import open_nemo, read_yaml
from mlx_tts.checkpoints.torch_zip import read_torch_zip
from mlx_tts.errors import ModelError
from tests.helpers.paths import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "oracle"))
from magpie.materialise import materialise, tensor, tensors_of, torch_zip, write_nemo

pytestmark = pytest.mark.slow

CASES = ROOT / "tests" / "fixtures" / "oracle_magpie"
TENSORS = {
    "a.weight": np.arange(6, dtype=np.float32).reshape(2, 3),
    "counts": np.array([1, 2, 3], np.int64),
    "one": np.array(7, np.int64),
}
FILES = [("model_config.yaml", b"model_type: decoder_ce\nlist: [1, 2]\n"), ("0_dictionary.txt", b"A  a\n")]


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "good.nemo"
    write_nemo(path, TENSORS, FILES)
    return path


def read_all(path: Path) -> dict[str, np.ndarray]:
    with open_nemo(path) as opened:
        for name in opened.members:
            if not name.endswith(".ckpt"):
                opened.read(name)
        return {name: np.array(value) for name, value in opened.tensors.items()}


def refused(path: Path, match: str) -> None:
    with pytest.raises(ModelError, match=match) as error:
        read_all(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("part", ["magpie", "codec"])
def test_a_case_is_read_as_it_was_written(tmp_path, part):
    materialise(CASES / "baked_s1", tmp_path)
    manifest = json.loads((CASES / "baked_s1" / "manifest.json").read_text())
    expected = tensors_of(manifest["model" if part == "magpie" else "codec"], manifest, tensor)
    with open_nemo(tmp_path / f"{part}.nemo") as opened:
        assert list(opened.tensors) == list(expected)
        for name, value in expected.items():
            assert opened.tensors[name].dtype == value.dtype
            np.testing.assert_array_equal(opened.tensors[name], value)


def test_a_gzip_is_read_too(archive, tmp_path):
    packed = tmp_path / "old.nemo"
    packed.write_bytes(gzip.compress(archive.read_bytes()))
    np.testing.assert_array_equal(read_all(packed)["a.weight"], TENSORS["a.weight"])


def test_of_a_member_that_comes_twice_the_last_counts(tmp_path):
    path = tmp_path / "twice.nemo"
    write_nemo(path, TENSORS, [("0_dictionary.txt", b"old"), *FILES])
    with open_nemo(path) as opened:
        assert opened.read("nemo:0_dictionary.txt") == b"A  a\n"
        assert opened.config == {"model_type": "decoder_ce", "list": [1, 2]}


def weights_file(path: Path, description: bytes, storages: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("root/data.pkl", description)
        for name, data in storages.items():
            archive.writestr(f"root/data/{name}", data)
    return path


def test_strides_offsets_and_bfloat16(tmp_path):
    """What torch writes for a transposed view and for bfloat16, with its own names and instructions."""
    view = (
        b"\x80\x02ccollections\nOrderedDict\n)R(X\x01\x00\x00\x00vctorch._utils\n_rebuild_tensor_v2\n"
        b"((X\x07\x00\x00\x00storagectorch\nBFloat16Storage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x07tQ"
        b"K\x01K\x02K\x03\x86K\x01K\x02\x86\x89ccollections\nOrderedDict\n)RtRu."
    )
    numbers = np.arange(7, dtype=np.float32)
    stored = (numbers.view(np.uint32) >> 16).astype("<u2").tobytes()
    tensors = read_torch_zip(weights_file(tmp_path / "w", view, {"0": stored}))
    np.testing.assert_array_equal(tensors["v"], numbers[1:].reshape(3, 2).T)
    with pytest.raises(ModelError, match="a storage is cut off"):
        read_torch_zip(weights_file(tmp_path / "w", view, {"0": stored[:-2]}))
    with pytest.raises(ModelError, match="reaches past its storage"):
        read_torch_zip(
            weights_file(tmp_path / "w", view.replace(b"K\x01K\x02\x86\x89", b"K\x01K\x03\x86\x89"), {"0": stored})
        )


class Planted:
    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call[0], self.call[1:]


@pytest.mark.parametrize("protocol", [0, 1, 2, 4])
@pytest.mark.parametrize("planted", [Planted(os.mkdir, "planted"), Planted(__import__, "this"), os.system])
def test_nothing_in_a_pickle_is_called(tmp_path, monkeypatch, protocol, planted):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match=r"not read, it (names|uses|is of)"):
        read_torch_zip(weights_file(tmp_path / "w", pickle.dumps({"a": planted}, protocol), {}))
    assert "this" not in sys.modules
    assert not (tmp_path / "planted").exists()


MERSENNE = (1 << 61) - 1  # numbers that differ by it have one hash
EXPLOITS = {
    "a call": b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R.",
    "a call in an old way": b"(cos\nsystem\nX\x04\x00\x00\x00trueo.",
    "an instance in an old way": b"(X\x04\x00\x00\x00trueios\nsystem\n.",
    "a new object": b"\x80\x02cbuiltins\nobject\n)\x81.",
    "a new object with names": b"\x80\x04cbuiltins\nobject\n)}\x92.",
    "a name from the stack": b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R.",
    "a name in an allowed module": b"\x80\x02ctorch._utils\n_import_dotted_name\nX\x09\x00\x00\x00os.system\x85R.",
    "a way to what is loaded": b"\x80\x02cbuiltins\ngetattr\n.",
    "a registered extension": b"\x80\x02\x82\x01.",
    "a call of an allowed type": b"\x80\x02ctorch\nFloatStorage\n)R.",
    "a call of the rebuilder without a storage": b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(K\x00K\x00))tR.",
    "a tensor changed after its check": b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\n"
    b"FloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x01tQK\x00))tR}X\x05\x00\x00\x00shapeJ\xff\xff\xff\x7f\x85sb.",
    "a reference that is text": b"Pos\n.",
    "a reference to what is not a storage": b"\x80\x02(X\x07\x00\x00\x00storage"
    b"ccollections\nOrderedDict\nX\x01\x00\x00\x000NK\x01tQ.",
    "a frame that promises more": b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7fN.",
    "bytes that promise more": b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7fN.",
    "a text that promises more": b"\x80\x02X\xff\xff\xff\x7fN.",
    "a number of millions of digits": b"I" + b"9" * 5_000_000 + b"\n.",
    "a long number that promises more": b"\x80\x02\x8b\xff\xff\xff\x7fN.",
    "a place in the memo far behind": b"\x80\x02Nr\xff\xff\xff\x7f.",
    "a key of nested tuples": b"\x80\x02})" + b"\x85" * 300_000 + b"Ns.",
    "keys of one hash": b"\x80\x02}("
    + b"".join(b"\x8a\x0c" + (count * MERSENNE).to_bytes(12, "little") + b"N" for count in range(1, 20_001))
    + b"u.",
    "a dictionary in itself": b"\x80\x02}q\x00X\x01\x00\x00\x00ah\x00s.",
    "a tuple doubled again and again": b"\x80\x02)" + b"q\x00h\x00\x86" * 10_000 + b".",
    "millions of marks": b"\x80\x02" + b"(" * 1_000_000 + b".",
}


@pytest.mark.timed
@pytest.mark.parametrize("exploit", list(EXPLOITS))
def test_classic_exploits_are_refused_soon(tmp_path, exploit, monkeypatch):
    """Each is refused without a call, within seconds, and without memory for what it only promises."""
    monkeypatch.setattr(os, "system", lambda _: pytest.fail("something was called"))
    path, began = weights_file(tmp_path / "w", EXPLOITS[exploit], {"0": bytes(4)}), time.perf_counter()
    tracemalloc.start()
    try:
        with pytest.raises(ModelError):
            read_torch_zip(path)
        assert tracemalloc.get_traced_memory()[1] < 600_000_000
    finally:
        tracemalloc.stop()
    assert time.perf_counter() - began < 60


def tar_of(path: Path, members: list[tarfile.TarInfo]) -> Path:
    with tarfile.open(path, "w") as tar:
        for member in members:
            tar.addfile(member, io.BytesIO(b"x" * member.size))
    return path


@pytest.mark.parametrize("name", ["../out.txt", "/etc/out.txt", "a/b.txt", "..", "C:\\out.txt", "./../x", "new\nline"])
def test_a_member_with_a_path_is_refused(tmp_path, name):
    member = tarfile.TarInfo(name)
    member.size = 3
    refused(tar_of(tmp_path / "path.nemo", [member]), "a member .* that no model has")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
def test_a_member_that_is_no_file_is_refused(tmp_path, kind):
    member = tarfile.TarInfo("model_config.yaml")
    member.type, member.linkname = kind, "/etc/passwd"
    refused(tar_of(tmp_path / "link.nemo", [member]), "a member 'model_config.yaml' that no model has")


def test_bombs(tmp_path, archive):
    bomb = tmp_path / "bomb.nemo"
    bomb.write_bytes(gzip.compress(bytes(200_000_000), 1))
    refused(bomb, "grows to more than 20 times its size")
    laughs = b"a0: &a0 [x]\n" + b"".join(
        b"a%d: &a%d [%s]\n" % (i, i, b", ".join([b"*a%d" % (i - 1)] * 10)) for i in range(1, 10)
    )
    with pytest.raises(ModelError, match="has more than 20,000 values"):
        read_yaml(laughs, archive)
    many = tar_of(tmp_path / "many.nemo", [tarfile.TarInfo(f"m{i}") for i in range(1001)])
    refused(many, "more than 1,000 members")
    packed = tmp_path / "w"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("root/data.pkl", bytes(50_000_000))
    with pytest.raises(ModelError, match="it is compressed"):
        read_torch_zip(packed)


@pytest.mark.parametrize(
    "text", [b"", b"- a", b"a: !!python/object/apply:os.system [ls]", b"a: 2020-01-01", b"\xff", b"a: [" * 5000]
)
def test_a_config_that_is_none(tmp_path, text):
    path = tmp_path / "config.nemo"
    write_nemo(path, TENSORS, [("model_config.yaml", text)])
    refused(path, "model_config.yaml")


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.6, 0.9])
def test_a_truncated_archive_is_refused(archive, share):
    data = archive.read_bytes()
    used = len(data.rstrip(b"\0"))
    archive.write_bytes(data[: int(used * share)])
    refused(archive, "good.nemo")


def refusal_of(path: Path) -> str | None:
    try:
        read_all(path)
    except ModelError as error:
        return str(error)
    return None


def fuzzed(data: bytes, dice: random.Random) -> bytes:
    """The same with flipped bytes, a part that is missing, doubled or moved, or a planted text."""
    changed = bytearray(data)
    at, size = dice.randrange(len(data)), dice.choice([1, 2, 8, 64, 600])
    match dice.randrange(6):
        case 0 | 1 | 2:
            for _ in range(dice.choice([1, 1, 3, 20])):
                changed[dice.randrange(len(data))] = dice.randrange(256)
        case 3:
            del changed[at : at + size]
        case 4:
            changed[at:at] = data[at : at + size]
        case _:
            planted = dice.choice(
                [b"cos\nsystem\n", b"c__builtin__\neval\n", b"../../x", b"\xff" * 8, b"r\xff\xff\xff\x7f"]
            )
            changed[at : at + len(planted)] = planted
    return bytes(changed)


def test_a_thousand_fuzzed_archives(tmp_path, archive, monkeypatch):
    """Each is read or refused with one line; nothing else is raised, imported, or written outside its folder."""
    weights = torch_zip(TENSORS, "model_weights", nested=False)
    parts = {"tar": archive.read_bytes(), "gzip": gzip.compress(archive.read_bytes(), 6)}
    yard = tmp_path / "yard"
    yard.mkdir()
    monkeypatch.chdir(yard)
    dice, path = random.Random(5), tmp_path / "fuzzed.nemo"
    read_all(archive)  # whatever this reading imports is there now
    modules, read = set(sys.modules), 0
    for number in range(1000):
        if number % 3 == 2:  # the weights alone, where the checks are
            write_nemo(path, TENSORS, FILES)
            path.write_bytes(path.read_bytes().replace(weights, fuzzed(weights, dice)))
        else:
            path.write_bytes(fuzzed(parts["gzip" if number % 10 == 0 else "tar"], dice))
        line = refusal_of(path)
        read += line is None
        assert line is None or "\n" not in line
    assert set(sys.modules) == modules
    assert list(yard.iterdir()) == []
    assert {entry.name for entry in tmp_path.iterdir()} == {"good.nemo", "fuzzed.nemo", "yard"}
    assert 100 < read < 900


MERGES = "a0: &a0 {k: 1}\n" + "".join(f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 10))


@pytest.mark.timed
@pytest.mark.parametrize(
    "text",
    [MERGES, "x: 1" + ":1" * 300_000, "x: " + "1" * 900_000, "x: " + "[" * 40_000 + "]" * 40_000,
     "x: {" + ",".join(f"a{n}: b" for n in range(70_000)) + "}"],
    ids=["merges", "base 60", "a long number", "deep", "many"],
)  # fmt: skip
def test_a_config_that_is_small_and_takes_for_ever(text, tmp_path):
    begin = time.process_time()
    with pytest.raises(ModelError, match="damaged"):
        read_yaml(text.encode(), tmp_path / "x.nemo")
    assert time.process_time() - begin < 3
