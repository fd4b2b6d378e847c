"""The kernels' Metal text as a real clang reads it, and what Metal limits beyond the language."""

from __future__ import annotations

import re
import warnings

import mlx.core as mx
import pytest

from mlx_tts.kernels import attention
from mlx_tts.kernels.attention import AttentionKernel
from mlx_tts.kernels.core import source
from tests.helpers.metal_text import SHARED_BYTES, clang, complaints, every_text, written_faults

pytestmark = [pytest.mark.slow, pytest.mark.compiled]

FAULTS = {  # what was written -> what is planted, and what clang must name
    "a sum in bfloat": (
        "(value_t)((float)residual[b * width + n] + sums[i * BATCH + b])",
        "residual[b * width + n]+0.0f",
    ),
    "an ambiguous call": ("RSQRT(x) precise::rsqrt(x)", "RSQRT(x) precise::rsqrt((int)(x))"),
    "a wrong name": ("threadgroup_barrier(mem_flags::mem_threadgroup)", "threadgroup_barrier(mem_flags::threadgroup)"),
    "a double": ("1.0f / periods", "1.0 / periods"),
}


def compiler() -> list[str]:
    command = clang()
    if command is None:
        message = "NOT CHECKED: the kernels' Metal text; install clang-19, or `pip install ziglang`"
        warnings.warn(message, stacklevel=1)
        pytest.skip(message)
    return command


@pytest.mark.parametrize("reading", ["C++", "OpenCL"])
def test_every_kernel_is_metal(reading, monkeypatch, tmp_path):
    command, texts = compiler(), every_text(monkeypatch)
    assert len(texts) > 150
    if reading == "OpenCL" and "ziglang" in command:
        pytest.skip("NOT CHECKED: casts between address spaces; ziglang knows no OpenCL, clang-19 does")
    assert not complaints(texts, tmp_path, command, reading)


def test_every_kernel_keeps_to_what_metal_allows(monkeypatch):
    for name, kernel in every_text(monkeypatch).items():
        assert not list(written_faults(kernel.text)), name
        assert kernel.shared_bytes <= SHARED_BYTES, name
        assert kernel.threads <= 256, name  # M1 and M2 give more threads too few registers
        assert f"[[max_total_threads_per_threadgroup({kernel.threads})]]\nKERNEL void" in kernel.text
        assert "//" not in kernel.text  # hashed at every launch


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault, monkeypatch, tmp_path):
    old, new = FAULTS[fault]
    texts = every_text(monkeypatch, {old: new})
    changed = dict([(name, kernel) for name, kernel in texts.items() if new in kernel.text][::4])
    assert changed
    found = complaints(changed, tmp_path, compiler(), "C++")
    assert "error:" in found or "warning:" in found, found


def test_planted_words_numbers_and_pointers_are_found(monkeypatch):
    assert list(written_faults("float half = 1.0f;")) == ["'half' is a word of Metal's own"]
    assert list(written_faults("x = 0.5 * y + 1e-3f + 2.f + v1.5f;")) == ["0.5 is a double: write an f behind it"]
    planted = every_text(monkeypatch, {"const DEVICE uint4*)w)": "const uint4*)w)"})
    assert any(
        "names no address space" in fault for kernel in planted.values() for fault in written_faults(kernel.text)
    )


def test_a_cast_between_address_spaces_is_found(monkeypatch, tmp_path):
    command = compiler()
    if "ziglang" in command:
        pytest.skip("NOT CHECKED: casts between address spaces; ziglang knows no OpenCL, clang-19 does")
    planted = {"(DEVICE value_t*)kv": "(threadgroup value_t*)kv", "DEVICE value_t* store": "threadgroup value_t* store"}
    texts = {name: kernel for name, kernel in every_text(monkeypatch, planted).items() if "attention" in name}
    assert "error:" in complaints(texts, tmp_path, command, "OpenCL")


def test_several_rows_keep_their_loop_on_metal_alone():
    """Unrolled, a product of four rows wants up to 255 registers; an Apple lane has 128."""
    for language, expected in (("metal", "unroll_count(2)"), ("cuda", "UNROLL")):
        kernel = source.KernelText("product", (), (), source.text_of("product", "body"))
        header, body = source.source(kernel, language, {"BATCH": 2}, {}, 128)
        assert re.search(rf"#define UNROLL_CHUNKS .*{re.escape(expected)}", header)
        assert "#if BATCH > 1\nUNROLL_CHUNKS\n#else\nUNROLL\n#endif\nfor (int chunk" in body


@pytest.mark.parametrize(("language", "threads", "ahead"), [("metal", 256, 2), ("cuda", 512, 4)])
def test_attention_takes_threads_and_registers_by_the_machine(language, threads, ahead, monkeypatch):
    monkeypatch.setattr(attention, "gpu_language", lambda: language)
    for capacity in (256, 2048):
        chosen = AttentionKernel.of(128, 2, 1, capacity, 1e-6, mx.bfloat16)
        assert chosen is not None
        assert (chosen.warps * 32, chosen.ahead) == (threads, ahead)
