"""On Linux, a fast BLAS for MLX's CPU backend: its wheels carry the reference one, 30 times slower (4.5 against
150 GFLOP/s on two cores). A library loaded first, with its symbols global, is the one that MLX's products find.

Called by the packages whose modules import mlx, before they do. Never fails: without OpenBLAS all is slow but right.

The packaged OpenBLAS needs a Fortran runtime. `scipy-openblas32` has one linked in, but its symbols carry a prefix
(scipy_cblas_sgemm), so MLX's products would not find them; where the system has no runtime, the one of MLX's own wheel
is lent, through a copy in a private temporary folder that is gone again before this returns.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import sysconfig
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

# A build for one kind of processor ends the process on another one (illegal instruction). What each kind must have:
AVX2, AVX512 = {"avx2", "fma"}, {"avx512f", "avx512bw", "avx512dq", "avx512vl"}
NEEDED_FLAGS = {"HASWELL": AVX2, "ZEN": AVX2, "SKYLAKEX": AVX512, "COOPERLAKE": AVX512, "SAPPHIRERAPIDS": AVX512}
FORTRAN = "libgfortran.so.5"  # what the packaged OpenBLAS asks the system for
ROW_MAJOR, AS_IT_IS, TURNED = 101, 111, 112  # of cblas: the order of numbers, and whether a matrix is turned
SMALL_BYTES = 200e6  # a model that fits the caches, or nearly: threads would cost more than they bring

_loaded: list[ctypes.CDLL] = []
_threads_at_first: list[int] = []
_late: list[bool] = []  # whether mlx was there already each time that a library was to be loaded


def preload() -> str | None:
    """Load OpenBLAS before mlx; the path of what was loaded. MLX_TTS_BLAS=0 switches it off."""
    if not sys.platform.startswith("linux") or os.environ.get("MLX_TTS_BLAS") == "0":
        return None
    _late.append("mlx.core" in sys.modules)
    if _late[-1]:
        return None
    site = Path(sysconfig.get_path("purelib"))
    packaged = site / "cmeel.prefix" / "lib" / "libopenblas.so.0"
    if _loads(packaged) or (_lend_fortran(site / "mlx_cpu.libs") and _loads(packaged)):
        return str(packaged)
    return "libopenblas.so.0" if _loads(Path("libopenblas.so.0")) else None


def _loads(library: Path) -> bool:
    try:
        if not _runs_here(ctypes.CDLL(str(library), ctypes.RTLD_LOCAL)):
            return False
        _loaded.append(ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL))
    except (OSError, AttributeError):  # AttributeError: another BLAS under this name
        return False
    return True


def _runs_here(library: ctypes.CDLL) -> bool:
    """Whether this processor has the instructions that the library was compiled for: it chooses at run time
    (DYNAMIC_ARCH), as Debian's does, or its kind of processor is one of `NEEDED_FLAGS`."""
    library.openblas_get_config.restype = ctypes.c_char_p
    words = library.openblas_get_config().decode(errors="replace").upper().split()
    needed = [flags for kind, flags in NEEDED_FLAGS.items() if kind in words]
    return platform.machine() != "x86_64" or "DYNAMIC_ARCH" in words or any(flags <= _flags() for flags in needed)


def _flags() -> set[str]:
    """What the first processor can do, by Linux's names."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return set()
    return set(next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), []))


def fit_threads(weight_bytes: float) -> None:
    """One thread for a small model: its products are too short to share, and OpenBLAS's threads wait by spinning, which
    on a busy machine makes them five times slower. All for a large one. OPENBLAS_NUM_THREADS, where set, decides."""
    most = most_threads()  # asked before anything is set, so that it is the machine's number
    use_threads(1 if weight_bytes < SMALL_BYTES else most)


def most_threads() -> int:
    """How many threads a product took before a model changed that: OPENBLAS_NUM_THREADS, else as many as OpenBLAS has
    for this machine. 1 without OpenBLAS."""
    if not _threads_at_first:
        _threads_at_first.append(threads() or 1)
    return _threads_at_first[0]


def threads() -> int | None:
    """How many threads a product takes now; None without OpenBLAS."""
    return int(_loaded[-1].openblas_get_num_threads()) if _loaded else None


def use_threads(count: int | None) -> None:
    """Set what `threads` gave. Each model sets its own number before it computes, so that a small one that is loaded
    does not slow a large one down."""
    if _loaded and count is not None and "OPENBLAS_NUM_THREADS" not in os.environ:
        _loaded[-1].openblas_set_num_threads(count)


@contextmanager
def one_thread() -> Iterator[int]:
    """While it lasts a product takes the thread that asks for it alone, and several threads may ask at once. Gives how
    many may share the work."""
    most, before = most_threads(), threads()
    if before in (None, 1):
        yield most
        return
    _loaded[-1].openblas_set_num_threads(1)
    try:
        yield most
    finally:
        _loaded[-1].openblas_set_num_threads(before)


def multiply_into(total: np.ndarray, x: np.ndarray, weight: np.ndarray, adds: bool = True) -> None:
    """total = x @ weight, added to what is there if `adds`: float32 [n, out], [n, in], [in, out]; the numbers of a row
    stand side by side, rows may lie apart. Lets go of Python's lock where there are several rows."""
    product = _product()
    if product is None:
        import numpy as np

        if adds:
            total += x @ weight
        else:
            np.matmul(x, weight, out=total)
        return
    (n, inputs), outputs = x.shape, weight.shape[1]
    if not n:
        return
    x, weight = _with_whole_rows(x), _with_whole_rows(weight)
    if n == 1:  # a fifth of the time
        _row_product()(
            *(ROW_MAJOR, TURNED, inputs, outputs, 1.0, weight.ctypes.data, max(weight.strides[0] // 4, outputs)),
            *(x.ctypes.data, 1, 1.0 if adds else 0.0, total.ctypes.data, 1),
        )
        return
    steps = [
        max(array.strides[0] // 4, array.shape[1]) for array in (x, weight, total)
    ]  # a single row may say anything
    product(
        *(ROW_MAJOR, AS_IT_IS, AS_IT_IS, n, outputs, inputs, 1.0),
        *(x.ctypes.data, steps[0], weight.ctypes.data, steps[1]),
        *(1.0 if adds else 0.0, total.ctypes.data, steps[2]),
    )


def _with_whole_rows(matrix: np.ndarray) -> np.ndarray:
    """A copy where the numbers of a row lie apart."""
    return matrix if matrix.strides[1] == 4 or matrix.shape[1] == 1 else matrix.copy(order="C")


@cache
def _product() -> Callable[..., Any] | None:
    """OpenBLAS's own, where it was loaded."""
    return _typed(_loaded[-1].cblas_sgemm, 6) if _loaded else None


@cache
def _row_product() -> Callable[..., Any]:
    """The same for one row: some tens of microseconds, in which Python's lock is kept. Let go of two hundred times a
    frame, it would be waited for as often while another thread computes in Python."""
    return _typed(ctypes.PyDLL(_loaded[-1]._name).cblas_sgemv, 4)


def _typed(product: Any, numbers: int) -> Callable[..., Any]:
    """A product of cblas. It takes so many whole numbers, a factor, two arrays with the step of each, another factor,
    and the array for the result with its step."""
    number, real, where = ctypes.c_int, ctypes.c_float, ctypes.c_void_p
    product.argtypes = [*[number] * numbers, real, *[where, number] * 2, real, where, number]
    product.restype = None
    return product  # type: ignore[no-any-return]


def warn_if_too_late() -> None:
    """Say once that mlx was imported first, where that costs speed: on the CPU of a Linux machine."""
    if not sys.platform.startswith("linux") or os.environ.get("MLX_TTS_BLAS") == "0" or _loaded or not all(_late):
        return
    from mlx_tts.runtime.device import policy

    if policy().multiplies_by_blas and "libopenblas" not in Path("/proc/self/maps").read_text(encoding="utf-8"):
        warnings.warn(
            "mlx was imported before mlx_tts, so its products run without OpenBLAS, up to 30 times slower: "
            "import mlx_tts first",
            RuntimeWarning,
            stacklevel=2,
        )


def _lend_fortran(folder: Path) -> bool:
    """Where the system has no Fortran runtime, load the one in MLX's own wheel under the name that OpenBLAS asks for.

    The wheel's copy has a name of its own, so a copy of it is loaded that has the plain name again.
    """
    try:
        original = next(folder.glob("libgfortran-*"))
        for needed in folder.glob("libquadmath-*"):
            ctypes.CDLL(str(needed), ctypes.RTLD_GLOBAL)
        own_name = original.name.encode() + b"\0"
        plain_name = FORTRAN.encode().ljust(len(own_name), b"\0")
        with tempfile.TemporaryDirectory() as temporary:
            copy = Path(temporary) / FORTRAN
            copy.write_bytes(original.read_bytes().replace(own_name, plain_name))
            ctypes.CDLL(str(copy), ctypes.RTLD_GLOBAL)
    except (StopIteration, OSError):
        return False
    return True
