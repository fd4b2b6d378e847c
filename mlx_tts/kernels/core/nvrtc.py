"""A CUDA kernel's text in, a launch of its binary out: NVRTC compiles it once, and every later process loads the file.

`mx.fast.cuda_kernel` compiles in every process and reads MLX's headers for seconds each time. The texts of this package
need no header, so NVRTC takes a fraction of a second for each. The binary lies in MLX's own folder of compiled kernels
(`runtime/compiled_kernels.py`): MLX looks there by name before it takes what it was given. It is given nothing, because
it hashes what it is given at each launch, which takes longer than the launch where that is a whole binary.

Every failure leaves `mx.fast.cuda_kernel` in place. Self-checks run in either case.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import mlx.core as mx

from mlx_tts.runtime.compiled_kernels import belongs_to_us_alone, private_folder, write_whole

log = logging.getLogger("mlx_tts")

LARGEST_BYTES = 8 << 20  # of a binary; ours have 10 to 100 kB
OLDEST = (8, 0)  # compute capability: before it, no instruction rounds to bfloat16
NOTHING_HASHED = "553e93901e462a6e"  # what libstdc++ makes of an empty string: the end of a file's name in MLX's folder
OPTIONS = ("--device-as-default-execution-space", "--disable-warnings")  # the first is MLX's own
LIBRARIES = ("libnvrtc.so.13", "libnvrtc.so.12")  # MLX's CUDA build has loaded one of them

# What MLX's headers and CUDA's give a text of ours. The conversions are the instructions of cuda_bf16.h. Its arithmetic
# rounds to bfloat16, that of float does not: a text that would choose silently does not compile.
_PREAMBLE = """
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
struct __align__(2) __nv_bfloat16 {
  unsigned short bits;
  __nv_bfloat16() = default;
  __forceinline__ __nv_bfloat16(float x) { asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
  __forceinline__ operator float() const { float x; asm("{mov.b32 %0, {0, %1};}" : "=f"(x) : "h"(bits)); return x; }
};
__nv_bfloat16 operator+(__nv_bfloat16, __nv_bfloat16) = delete;
__nv_bfloat16 operator-(__nv_bfloat16, __nv_bfloat16) = delete;
__nv_bfloat16 operator*(__nv_bfloat16, __nv_bfloat16) = delete;
__nv_bfloat16 operator/(__nv_bfloat16, __nv_bfloat16) = delete;
"""
_TYPES = {
    mx.float32: "float",
    mx.bfloat16: "__nv_bfloat16",
    mx.bool_: "bool",
    mx.int32: "int32_t",
    mx.uint32: "uint32_t",
}


class Array(NamedTuple):
    """A parameter of a kernel. dimensions: of an input whose shape the text asks for."""

    name: str
    dtype: mx.Dtype
    dimensions: int = 0


class Text(NamedTuple):
    """All that decides what a kernel's binary is, but the machine: `header` stands before the kernel, `body` is it."""

    name: str
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    header: str
    body: str

    @property
    def shapes(self) -> list[int]:
        """Places of the inputs whose shapes the text asks for, as `name_shape`."""
        return [at for at, array in enumerate(self.inputs) if f"{array.name}_shape" in self.body and array.dimensions]

    @property
    def whole(self) -> str:
        """What NVRTC compiles. Shapes come as numbers behind the arrays."""
        parameters = [f"const {_TYPES[array.dtype]}* {array.name}" for array in self.inputs]
        parameters += [f"{_TYPES[array.dtype]}* {array.name}" for array in self.outputs]
        start = ""
        for array in (self.inputs[at] for at in self.shapes):
            numbers = [f"{array.name}_shape_{axis}" for axis in range(array.dimensions)]
            parameters += [f"const int {number}" for number in numbers]
            start += f"const int {array.name}_shape[] = {{{', '.join(numbers)}}};\n"
        kernel = f'extern "C" __global__ void {self.name}(' + ",\n".join(parameters) + ") {\n"
        return _PREAMBLE + self.header + kernel + start + self.body + "}\n"


class NvrtcError(Exception):
    """NVRTC is missing, or does not compile this."""


def kernel(text: Text, shared_bytes: int = 0) -> Callable[..., Any] | None:
    """The kernel, to be called as one of `mx.fast.cuda_kernel`; None where that has to compile it. shared_bytes: of a
    group, in addition to what the body declares."""
    try:
        name, source = _ready(text)
    except (NvrtcError, OSError) as error:
        log.info("MLX compiles the kernel %s in this process: %s", text.name, error)
        return None
    return partial(_launched, text.shapes, name=name, compiled_source=source, shared_memory=shared_bytes)


def _launched(shapes: Sequence[int], *, inputs: Sequence[mx.array], **options: Any) -> Any:
    scalars = [size for at in shapes for size in inputs[at].shape]
    return mx.fast.precompiled_cuda_kernel(inputs=inputs, scalars=scalars, ensure_row_contiguous=True, **options)


def _ready(text: Text) -> tuple[str, bytes]:
    """The kernel's name for MLX, and its binary: b"" where MLX finds that in its folder."""
    folder = private_folder()
    name, found = _kept(text, folder)
    if folder is None or found is None or not _is_read_by_mlx(folder):
        return name, found or _compiled(text._replace(name=name).whole)
    return name, b""


def _kept(text: Text, folder: Path | None) -> tuple[str, bytes | None]:
    """The name that stands for the text and all that it is compiled by and for, and the binary, which lies in the
    folder by that name from now on; None where it cannot be kept."""
    by = [architecture(), *map(str, _library()[1]), metadata.version("mlx"), *OPTIONS]
    name = f"{text.name}_{hashlib.sha256('|'.join([*by, text.whole]).encode()).hexdigest()[:32]}"
    if folder is None:
        return name, None
    binary = read(folder, name)
    if binary is None:
        binary = _compiled(text._replace(name=name).whole)
        try:
            write(folder, name, binary)
        except OSError as error:
            log.info("the compiled kernel %s is not kept: %s", name, error)
            return name, None
    return name, binary


def read(folder: Path, name: str) -> bytes | None:
    """The binary of this name; None where there is none that is whole, ours, and closed to other users."""
    at = _place(folder, name)
    try:
        parts = []
        for path in (at.with_suffix(".ptx"), at.with_suffix(".txt")):
            with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
                if not belongs_to_us_alone(os.fstat(file.fileno())):
                    return None
                parts.append(file.read(LARGEST_BYTES))
    except OSError:
        return None
    return parts[0] if parts[1] == _description(name, parts[0]) else None


def write(folder: Path, name: str, binary: bytes) -> None:
    """Both files appear whole, the binary last: who finds it has the other. Two processes write the same."""
    at = _place(folder, name)
    for suffix, content in ((".txt", _description(name, binary)), (".ptx", binary)):
        write_whole(at.with_suffix(suffix), content)


def _place(folder: Path, name: str) -> Path:
    return folder / f"{name}_{NOTHING_HASHED}"


def _description(name: str, binary: bytes) -> bytes:
    """What lies next to a binary. MLX reads from it how each kernel is called inside, and skips lines without a tab."""
    digest = hashlib.sha256(name.encode() + binary).hexdigest()
    return f"{name}\t{name}\nsha256 {digest}\n".encode()


@lru_cache(maxsize=4)
def _is_read_by_mlx(folder: Path) -> bool:
    """Whether MLX takes binaries from the folder by our names, found out with a small one."""
    probe = Text("mlx_tts_probe", (Array("x", mx.int32),), (Array("y", mx.int32),), "", "y[0] = x[0] + 1;\n")
    try:
        name, binary = _kept(probe, folder)
        if binary is None:
            return False
        launch = partial(_launched, (), name=name, compiled_source=b"", grid=(1, 1, 1), threadgroup=(1, 1, 1))
        made = launch(inputs=[mx.array([41], mx.int32)], output_shapes=[[1]], output_dtypes=[mx.int32])
        good = bool(made[0].item() == 42)
    except (RuntimeError, ValueError, NvrtcError, OSError) as error:
        log.info("MLX does not read compiled kernels by our names: %s", str(error).splitlines()[0])
        return False
    return good


@lru_cache(maxsize=1)
def architecture() -> str:
    """What NVRTC compiles for, as MLX asks it: "sm_90a" on an H100. NvrtcError where that has no bfloat16."""
    found = str(mx.device_info().get("architecture", "?"))
    number = found.removeprefix("sm_")
    if not number.isdigit() or divmod(int(number), 10) < OLDEST:
        raise NvrtcError(f"{found} is not an architecture that our own headers know")
    return found + ("a" if int(number) >= 90 else "")


@lru_cache(maxsize=1)
def _library() -> tuple[Any, tuple[int, int]]:
    """NVRTC and its version."""
    for found in (*LIBRARIES, *_installed()):
        with suppress(OSError):
            library = ctypes.CDLL(str(found))
            major, minor = ctypes.c_int(), ctypes.c_int()
            if library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)) == 0:
                return library, (major.value, minor.value)
    raise NvrtcError(f"found none of {', '.join(LIBRARIES)}")


def _installed() -> list[Path]:
    """NVRTC in the packages next to MLX and in CUDA_HOME, where the loader does not look by itself."""
    packages = Path(mx.__file__).parent.parent / "nvidia"
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    folders = [*packages.glob("*/lib"), Path(home) / "lib64"]
    return [folder / name for folder in folders for name in LIBRARIES if (folder / name).is_file()]


def _compiled(source: str) -> bytes:
    """The binary of a text, for the device at hand. NVRTC works outside the interpreter's lock."""
    library, _ = _library()
    program = ctypes.c_void_p()

    def call(name: str, *arguments: Any) -> None:
        code = getattr(library, name)(*arguments)
        if code:
            raise NvrtcError(f"{name} failed with {code}{_said(library, program)}")

    options = [option.encode() for option in (*OPTIONS, f"--gpu-architecture={architecture()}")]
    call("nvrtcCreateProgram", ctypes.byref(program), source.encode(), b"mlx_tts.cu", 0, None, None)
    try:
        call("nvrtcCompileProgram", program, len(options), (ctypes.c_char_p * len(options))(*options))
        size = ctypes.c_size_t()
        call("nvrtcGetCUBINSize", program, ctypes.byref(size))
        if not 0 < size.value < LARGEST_BYTES:
            raise NvrtcError(f"the binary has {size.value} bytes")
        binary = ctypes.create_string_buffer(size.value)
        call("nvrtcGetCUBIN", program, binary)
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))
    return binary.raw


def _said(library: Any, program: ctypes.c_void_p) -> str:
    """The first error in NVRTC's log."""
    size = ctypes.c_size_t()
    if not program or library.nvrtcGetProgramLogSize(program, ctypes.byref(size)) or not size.value:
        return ""
    text = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, text)
    lines = [line for line in text.value.decode(errors="replace").splitlines() if "error" in line]
    return f": {lines[0]}" if lines else ""
