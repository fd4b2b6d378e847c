"""CUDA texts are compiled once: what is kept, what is refused, and that every failure leaves MLX's own way."""

from __future__ import annotations

import ctypes
import errno
import os
import threading
from typing import Any

import mlx.core as mx
import pytest

from mlx_tts.kernels.core import nvrtc, source
from mlx_tts.runtime.compiled_kernels import NAME

BODY = "if (tid < x_shape[1]) y[tid] = x[tid] * 2;\n"
TEXT = nvrtc.Text(
    "mlx_tts_double", (nvrtc.Array("x", mx.float32, 2),), (nvrtc.Array("y", mx.float32),), "#define tid 0\n", BODY
)


class FakeNvrtc:
    """NVRTC as its C interface shows it: a program's binary is its text, turned round."""

    def __init__(self, fails: str = "") -> None:
        self.fails, self.compiled, self.options = fails, [], []
        self._lock = threading.Lock()
        self._programs: dict[int, bytes] = {}

    def _code(self, name: str) -> int:
        return 6 if name == self.fails else 0

    def nvrtcCreateProgram(self, program: Any, text: bytes, *_: Any) -> int:
        with self._lock:
            program._obj.value = len(self._programs) + 1
            self._programs[program._obj.value] = text
        return self._code("nvrtcCreateProgram")

    def nvrtcCompileProgram(self, program: Any, count: int, options: Any) -> int:
        self.compiled.append(self._programs[program.value])
        self.options = [bytes(options[at]).decode() for at in range(count)]
        return self._code("nvrtcCompileProgram")

    def nvrtcGetCUBINSize(self, program: Any, size: Any) -> int:
        size._obj.value = len(self._programs[program.value])
        return self._code("nvrtcGetCUBINSize")

    def nvrtcGetCUBIN(self, program: Any, binary: Any) -> int:
        binary.raw = self._programs[program.value][::-1]
        return self._code("nvrtcGetCUBIN")

    def nvrtcGetProgramLogSize(self, _: Any, size: Any) -> int:
        size._obj.value = 64
        return 0

    def nvrtcGetProgramLog(self, _: Any, log: Any) -> int:
        log.value = b"double.cu(3): error: no such thing"
        return 0

    def nvrtcDestroyProgram(self, _: Any) -> int:
        return 0


@pytest.fixture
def fake(monkeypatch, tmp_path):
    library, folder = FakeNvrtc(), tmp_path / "cuda"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv(NAME, str(folder))
    monkeypatch.setattr(nvrtc, "_library", lambda: (library, (13, 0)))
    monkeypatch.setattr(nvrtc, "architecture", lambda: "sm_90a")
    monkeypatch.setattr(nvrtc, "_is_read_by_mlx", lambda _: True)
    library.folder = folder
    return library


@pytest.fixture
def launched(monkeypatch):
    calls: list[dict[str, Any]] = []
    monkeypatch.setattr(mx.fast, "precompiled_cuda_kernel", lambda **options: calls.append(options), raising=False)
    return calls


def binary_of(fake: FakeNvrtc) -> Any:
    return next(fake.folder.glob("*.ptx"))


def run(kernel: Any) -> None:
    kernel(inputs=[mx.zeros((3, 5))], grid=(32, 1, 1), threadgroup=(32, 1, 1), output_shapes=[[5]], output_dtypes=[])


def test_a_text_is_compiled_once_and_launched_by_name(fake, launched):
    run(nvrtc.kernel(TEXT, 64))
    run(nvrtc.kernel(TEXT, 64))
    assert len(fake.compiled) == 1
    assert "--gpu-architecture=sm_90a" in fake.options
    binary = binary_of(fake)
    name = launched[0]["name"]
    assert binary.name == f"{name}_553e93901e462a6e.ptx"
    assert binary.read_bytes() == fake.compiled[0][::-1]
    assert binary.with_suffix(".txt").read_text().startswith(f"{name}\t{name}\n")
    assert launched[1]["compiled_source"] == b""  # MLX has it from its folder, and hashes nothing
    assert launched[1]["scalars"] == [3, 5]  # the shape that the text asks for
    assert (launched[1]["shared_memory"], launched[1]["ensure_row_contiguous"]) == (64, True)
    assert b'extern "C" __global__ void ' + name.encode() in fake.compiled[0]
    assert b"const int x_shape[] = {x_shape_0, x_shape_1};" in fake.compiled[0]
    assert {path.stat().st_mode & 0o777 for path in fake.folder.iterdir()} == {0o600}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("architecture", lambda: "sm_120a"),
        ("_library", None),
        ("metadata.version", lambda _: "0.99"),
    ],
)
def test_another_architecture_compiler_or_mlx_has_binaries_of_its_own(name, change, fake, launched, monkeypatch):
    nvrtc.kernel(TEXT)
    monkeypatch.setattr(f"mlx_tts.kernels.core.nvrtc.{name}", change or (lambda: (fake, (13, 1))))
    nvrtc.kernel(TEXT)
    assert len(fake.compiled) == 2
    assert len(list(fake.folder.glob("*.ptx"))) == 2


@pytest.mark.parametrize("suffix", [".ptx", ".txt"])
@pytest.mark.parametrize("harm", ["damaged", "cut", "foreign", "writable", "gone", "link"])
def test_what_is_damaged_or_foreign_is_compiled_again(harm, suffix, fake, launched, tmp_path):
    nvrtc.kernel(TEXT)
    file = binary_of(fake).with_suffix(suffix)
    whole = file.read_bytes()
    if harm == "damaged":
        file.write_bytes(whole[:9] + b"?" + whole[10:])
    elif harm == "cut":
        file.write_bytes(whole[:20])
    elif harm == "foreign":  # of another text, renamed
        nvrtc.kernel(TEXT._replace(body="y[tid] = 0;\n"))
        other = next(path for path in fake.folder.glob(f"*{suffix}") if path != file)
        file.write_bytes(other.read_bytes())
    elif harm == "writable":
        file.chmod(0o666)
    elif harm == "gone":
        file.unlink()
    else:
        file.rename(tmp_path / "elsewhere")
        file.symlink_to(tmp_path / "elsewhere")
    before = len(fake.compiled)
    run(nvrtc.kernel(TEXT))
    assert len(fake.compiled) == before + 1
    assert file.read_bytes() == whole
    assert file.stat().st_mode & 0o777 == 0o600
    assert not file.is_symlink()


def test_a_folder_that_others_write_to_is_left_alone(fake, launched):
    fake.folder.chmod(0o777)
    run(nvrtc.kernel(TEXT))
    assert list(fake.folder.iterdir()) == []
    assert launched[0]["compiled_source"] == fake.compiled[0][::-1]


def test_a_full_disk_costs_the_file_and_no_more(fake, launched, monkeypatch):
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fdopen", full)
    run(nvrtc.kernel(TEXT))
    assert list(fake.folder.iterdir()) == []
    assert launched[0]["compiled_source"] == fake.compiled[0][::-1]


def test_mlx_that_does_not_look_by_name_is_given_the_binary(fake, launched, monkeypatch):
    monkeypatch.setattr(nvrtc, "_is_read_by_mlx", lambda _: False)
    run(nvrtc.kernel(TEXT))
    run(nvrtc.kernel(TEXT))
    assert len(fake.compiled) == 1
    assert launched[1]["compiled_source"] == fake.compiled[0][::-1]


@pytest.mark.parametrize("step", ["nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcGetCUBINSize", "nvrtcGetCUBIN"])
def test_what_nvrtc_refuses_mlx_compiles(step, fake, caplog):
    fake.fails = step
    with caplog.at_level("INFO", "mlx_tts"):
        assert nvrtc.kernel(TEXT) is None
    assert f"{step} failed with 6" in caplog.text
    assert list(fake.folder.iterdir()) == []


@pytest.mark.parametrize("found", ["?", "sm_75", "gfx90a"])
def test_without_nvrtc_or_on_an_old_gpu_mlx_compiles(found, monkeypatch):
    monkeypatch.setattr(mx, "device_info", lambda: {"architecture": found})
    nvrtc.architecture.cache_clear()
    assert nvrtc.kernel(TEXT) is None
    monkeypatch.setattr(nvrtc, "architecture", lambda: "sm_90a")
    monkeypatch.setattr(ctypes, "CDLL", lambda _: (_ for _ in ()).throw(OSError("no such library")))
    nvrtc._library.cache_clear()
    assert nvrtc.kernel(TEXT) is None


@pytest.mark.parametrize(("found", "asked"), [("sm_80", "sm_80"), ("sm_90", "sm_90a"), ("sm_120", "sm_120a")])
def test_architectures_are_named_as_mlx_names_them(found, asked, monkeypatch):
    monkeypatch.setattr(mx, "device_info", lambda: {"architecture": found})
    nvrtc.architecture.cache_clear()
    assert nvrtc.architecture() == asked
    nvrtc.architecture.cache_clear()


def test_many_threads_that_want_the_same_find_whole_files(fake, launched):
    threads = [threading.Thread(target=nvrtc.kernel, args=(TEXT,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(path.suffix for path in fake.folder.iterdir()) == [".ptx", ".txt"]
    before = len(fake.compiled)
    run(nvrtc.kernel(TEXT))
    assert len(fake.compiled) == before


@pytest.mark.parametrize("gives", [42, 41, RuntimeError("Failed to load compiled kernel")])
def test_mlx_is_asked_once_whether_it_looks_by_name(gives, fake, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setenv(NAME, str(fake.folder))
    monkeypatch.setattr(nvrtc, "_library", lambda: (fake, (13, 0)))
    monkeypatch.setattr(nvrtc, "architecture", lambda: "sm_90a")

    def launch(**options: Any) -> list[mx.array]:
        if isinstance(gives, Exception):
            raise gives
        return [mx.array([gives], mx.int32)]

    monkeypatch.setattr(mx.fast, "precompiled_cuda_kernel", launch, raising=False)
    nvrtc._is_read_by_mlx.cache_clear()
    assert nvrtc._is_read_by_mlx(fake.folder) is (gives == 42)
    nvrtc._is_read_by_mlx.cache_clear()


def test_a_launch_takes_the_kept_binary_or_what_mlx_compiles(fake, launched, monkeypatch):
    monkeypatch.setattr(source, "gpu_language", lambda: "cuda")
    compiled_by_mlx: list[str] = []

    def cuda_kernel(name: str, **_: Any) -> Any:
        compiled_by_mlx.append(name)
        return lambda **options: [mx.zeros(shape) for shape in options["output_shapes"]]

    monkeypatch.setattr(mx.fast, "cuda_kernel", cuda_kernel, raising=False)
    kernel = source.KernelText("double", ("x",), ("y",), BODY)

    def launch() -> None:
        source._built.cache_clear()
        source.launch(kernel, [mx.zeros((2, 4))], [((4,), mx.float32)], (2, 1, 1), 32, {}, {})

    launch()
    assert (len(launched), compiled_by_mlx) == (1, [])
    assert (launched[0]["grid"], launched[0]["scalars"]) == ((64, 1, 1), [2, 4])
    fake.fails = "nvrtcCompileProgram"
    for path in fake.folder.iterdir():
        path.unlink()
    launch()
    source._built.cache_clear()
    assert (len(launched), len(compiled_by_mlx)) == (1, 1)
