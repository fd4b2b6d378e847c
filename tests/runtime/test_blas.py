"""OpenBLAS is found before mlx is imported, also where the system has no Fortran runtime; and can be switched off."""

import os
import subprocess
import sys

import pytest

from mlx_tts.runtime import blas

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="NOT CHECKED: Linux only"),
]
PRODUCT = """
import mlx.core as mx, time
a = mx.random.normal((1024, 1024), stream=mx.cpu); mx.eval(a)
def seconds():
    start = time.perf_counter(); mx.eval(mx.matmul(a, a, stream=mx.cpu)); return time.perf_counter() - start
print(min(seconds() for _ in range(5)))
"""


def without_threads() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}


def run(code: str, **environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**without_threads(), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_products_are_several_times_faster_with_it():
    pytest.importorskip("cmeel", reason="NOT CHECKED: cmeel-openblas is not installed")
    fast = float(run("from mlx_tts.runtime.blas import preload; assert preload()" + PRODUCT)[-1])
    slow = float(run("from mlx_tts.runtime.blas import preload; assert not preload()" + PRODUCT, MLX_TTS_BLAS="0")[-1])
    assert slow > 3 * fast


def test_the_fortran_runtime_of_the_wheel_serves_where_the_system_has_none():
    pytest.importorskip("cmeel", reason="NOT CHECKED: cmeel-openblas is not installed")
    lend = (
        "import ctypes, sysconfig; from pathlib import Path; from mlx_tts.runtime import blas;"
        "assert blas._lend_fortran(Path(sysconfig.get_path('purelib')) / 'mlx_cpu.libs');"
        "maps = Path('/proc/self/maps').read_text(); before = maps.count('libgfortran');"
        "assert blas.preload(); print(before, Path('/proc/self/maps').read_text().count('libgfortran'))"
    )
    before, after = run(lend)
    assert int(before) > 0
    assert before == after


def test_it_is_too_late_once_mlx_is_imported():
    assert run("import mlx.core; from mlx_tts.runtime.blas import preload; print(preload())") == ["None"]


def test_a_small_model_uses_one_thread_and_the_environment_decides_otherwise():
    pytest.importorskip("cmeel", reason="NOT CHECKED: cmeel-openblas is not installed")
    code = (
        "from mlx_tts.runtime import blas; assert blas.preload(); library = blas._loaded[-1];"
        "library.openblas_set_num_threads(2); blas.fit_threads(50e6); print(library.openblas_get_num_threads());"
        "library.openblas_set_num_threads(2); blas.fit_threads(2e9); print(library.openblas_get_num_threads())"
    )
    assert run(code) == ["1", "2"]
    assert run(code, OPENBLAS_NUM_THREADS="2")[0] == "2"


def test_each_model_computes_with_its_own_number_of_threads():
    pytest.importorskip("cmeel", reason="NOT CHECKED: cmeel-openblas is not installed")
    code = (
        "from mlx_tts.runtime import blas; assert blas.preload(); library = blas._loaded[-1];"
        "library.openblas_set_num_threads(2);"
        "blas.fit_threads(2e9); large = blas.threads(); blas.fit_threads(50e6); small = blas.threads();"
        "blas.use_threads(large); print(blas.threads()); blas.use_threads(small); print(blas.threads());"
        "blas.fit_threads(2e9); print(blas.threads())"
    )
    assert run(code) == ["2", "1", "2"]


def test_a_model_of_one_thread_a_product_leaves_its_shared_work_all_threads():
    """Kokoro's products take one thread each, and its stretches all: also where no other model was loaded before."""
    pytest.importorskip("cmeel", reason="NOT CHECKED: cmeel-openblas is not installed")
    code = (
        "from mlx_tts.runtime import blas; assert blas.preload(); library = blas._loaded[-1];"
        "library.openblas_set_num_threads(2); blas.fit_threads(0); shared = blas.one_thread();"
        "print(blas.threads(), shared.__enter__()); blas.fit_threads(2e9); print(blas.threads())"
    )
    assert run(code) == ["1", "2", "2"]


def test_a_small_model_does_not_slow_down_a_large_one_that_is_loaded():
    pytest.importorskip("cmeel", reason="NOT CHECKED: cmeel-openblas is not installed")
    code = (
        "import mlx_tts; from mlx_tts.runtime import blas; blas._loaded[-1].openblas_set_num_threads(2);"
        "seen = []; tts = mlx_tts.load('tiny'); tts._engine.blas_threads = 2;"
        "send = type(tts._engine._batch).step;"
        "type(tts._engine._batch).step = lambda own, rows: seen.append(blas.threads()) or send(own, rows);"
        "blas.use_threads(1); tts.speak('Go.', seed=1); print(*sorted(set(seen)))"
    )
    assert run(code) == ["2"]


def test_who_imports_mlx_first_is_told_once():
    told = "import warnings; warnings.simplefilter('always'); import mlx_tts; mlx_tts.load('tiny')"
    for first, expected in (("import mlx.core", True), ("import mlx_tts.runtime", False)):
        done = subprocess.run(
            [sys.executable, "-c", f"{first}; {told}"],
            capture_output=True,
            text=True,
            check=True,
            env=without_threads(),
        )
        assert ("import mlx_tts first" in done.stderr) == expected, done.stderr


class Config:
    """An OpenBLAS that says how it was built."""

    def __init__(self, text: str):
        self.openblas_get_config = lambda: text.encode()


@pytest.mark.parametrize(
    ("config", "flags", "runs"),
    [
        ("OpenBLAS 0.3.31 NO_AFFINITY SKYLAKEX MAX_THREADS=4", {"avx2", "fma"}, False),
        ("OpenBLAS 0.3.31 NO_AFFINITY SKYLAKEX MAX_THREADS=4", {"avx512f", "avx512bw", "avx512dq", "avx512vl"}, True),
        ("OpenBLAS 0.3.29 NO_AFFINITY Zen MAX_THREADS=4", {"avx2", "fma"}, True),
        ("OpenBLAS 0.3.29 NO_AFFINITY ZEN MAX_THREADS=4", {"avx"}, False),
        ("OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=64", {"avx2", "fma"}, True),
        ("OpenBLAS 9.9 NO_AFFINITY SOMETHINGNEW", {"avx2", "fma"}, False),
    ],
)
def test_a_build_for_another_processor_is_left_alone(config, flags, runs, monkeypatch):
    monkeypatch.setattr(blas, "_flags", lambda: flags)
    monkeypatch.setattr(blas.platform, "machine", lambda: "x86_64")
    assert blas._runs_here(Config(config)) is runs  # type: ignore[arg-type]


def test_products_are_right_where_no_build_fits():
    code = (
        "from mlx_tts.runtime import blas; blas._flags = lambda: set(); found = blas.preload();"
        "assert found is None or 'cmeel' not in found; import mlx.core as mx;"
        "print(mx.matmul(mx.ones((3, 9)), mx.ones((9, 2)))[2, 1])"
    )
    assert run(code)[0].startswith("array(9")


@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize("with_library", [False, True])
def test_products_into_rows_that_lie_apart(monkeypatch, adds, with_library):
    import numpy as np

    if not with_library:
        monkeypatch.setattr(blas, "_product", lambda: None)
    random = np.random.default_rng(1)
    x, weight, total = (random.standard_normal(shape).astype(np.float32) for shape in ((8, 6), (6, 10), (4, 5)))
    expected = total * adds + x[::2, 1:5] @ weight[1:5, 2:7]
    blas.multiply_into(total, x[::2, 1:5], weight[1:5, 2:7], adds)
    np.testing.assert_allclose(total, expected, rtol=1e-5, atol=1e-5)


def test_one_thread_while_others_share_the_work():
    before = blas.threads()
    with blas.one_thread() as threads:
        assert threads == blas.most_threads()
        assert blas.threads() in (1, None)
    assert blas.threads() == before


def test_products_of_turned_matrices():
    import numpy as np

    random = np.random.default_rng(2)
    x, weight = (random.standard_normal(shape).astype(np.float32) for shape in ((6, 4), (5, 6)))
    total = np.empty((4, 5), np.float32)
    blas.multiply_into(total, x.T, weight.T, adds=False)
    np.testing.assert_allclose(total, x.T @ weight.T, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("with_library", [False, True])
@pytest.mark.parametrize("adds", [False, True])
def test_products_of_one_row(monkeypatch, with_library, adds):
    """Of some columns, which lie apart in memory, and of one column and one input."""
    import numpy as np

    if not with_library:
        monkeypatch.setattr(blas, "_product", lambda: None)
    random = np.random.default_rng(4)
    for inputs, outputs in ((4, 9), (1, 9), (4, 1)):
        x, weight = (random.standard_normal(shape).astype(np.float32) for shape in ((3, inputs), (inputs, outputs + 2)))
        total = random.standard_normal((3, outputs)).astype(np.float32)
        expected = x[1:2] @ weight[:, 1:-1] + adds * total[1:2]
        blas.multiply_into(total[1:2], x[1:2], weight[:, 1:-1], adds=adds)
        np.testing.assert_allclose(total[1:2], expected, rtol=1e-5, atol=1e-5)
