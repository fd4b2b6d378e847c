"""What is compiled before a model's first speech on an NVIDIA GPU, and what other processes find of it."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import mlx.core as mx
import pytest

from mlx_tts.runtime import device, first_start
from mlx_tts.runtime.compiled_kernels import NAME


@pytest.fixture
def cuda(tmp_path, monkeypatch):
    """The private folder of a machine that believes to have a new GPU; nothing is started."""
    folder = tmp_path / "cuda"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv(NAME, str(folder))
    for name in (first_start.UNDER_WAY, "MLX_TTS_KERNELS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(first_start, "policy", lambda: device.CUDA)
    monkeypatch.setattr(first_start, "_begun", False)
    monkeypatch.setattr(first_start, "_fuses", True)
    monkeypatch.setattr(mx, "device_info", lambda: {"device_name": "NVIDIA H100", "architecture": "sm_90"})
    yield folder
    mx.enable_compile()


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    return folder


@pytest.fixture
def started(monkeypatch):
    commands: list[list[str]] = []

    class Child:
        def __init__(self, command, **options):
            commands.append(command)
            place = Path(options.get("env", {}).get(NAME, os.devnull))
            if place.is_dir():
                (place / f"kernel_{len(commands)}.ptx").write_bytes(b"binary")
                (place / f"kernel_{len(commands)}.txt").write_text("a\tb\n")

        def poll(self):
            return 0

    monkeypatch.setattr(subprocess, "Popen", Child)
    return commands


def test_a_first_process_compiles_few_kernels_and_leaves_the_rest_to_a_supervisor(cuda, model, started, caplog):
    with caplog.at_level("INFO", "mlx_tts"):
        first_start.speak_soon(model)
    few = [command for command in started if command[1] == "-c"]
    assert len(few) == 7
    assert started[7:] == [[started[0][0], "-m", "mlx_tts.runtime.first_start", str(model), str(os.getpid())]]
    assert "preparing the GPU, once: 7 of 7" in caplog.text
    assert len(list(cuda.glob("*.ptx"))) == len(list(cuda.glob("*.txt"))) == 7
    assert first_start.leaves_autotune_to_supervisor()
    assert [path.name for path in cuda.parent.iterdir() if path.name.startswith("cuda-")] == []
    first_start.speak_soon(model)  # the supervisor is at work still
    assert len(started) == 8
    first_start._marker(model).touch()
    assert not first_start.is_needed(model)


@pytest.mark.parametrize("why", ["no GPU", "asked", "supervised", "writable"])
def test_nothing_is_prepared_where_nothing_can_be_or_the_user_decided(why, cuda, model, started, monkeypatch):
    if why == "no GPU":
        monkeypatch.setattr(first_start, "policy", lambda: device.CPU)
    elif why == "asked":
        monkeypatch.setenv("MLX_TTS_KERNELS", "off")
    elif why == "supervised":
        monkeypatch.setenv(first_start.UNDER_WAY, "1")
    else:
        cuda.chmod(0o777)
    first_start.speak_soon(model)
    first_start.prepare(model, print)
    assert started == []


def test_another_model_mlx_or_gpu_is_prepared_for_itself(cuda, model, monkeypatch):
    markers = {first_start._marker(model)}
    monkeypatch.setattr(first_start.metadata, "version", lambda _: "0.99")
    markers.add(first_start._marker(model))
    (model / "config.json").write_text('{"hidden_size": 8}')
    markers.add(first_start._marker(model))
    monkeypatch.setattr(mx, "device_info", lambda: {"device_name": "NVIDIA L4", "architecture": "sm_89"})
    markers.add(first_start._marker(model))
    assert len(markers) == 4


def test_every_small_kernel_is_an_expression_that_mlx_computes(model):
    (model / "model.safetensors").write_bytes((20).to_bytes(8, "little") + b'{"a":{"dtype":"BF16"')
    wanted = first_start._small_kernels(model)
    assert len(wanted) == 10
    for expression in wanted:
        mx.eval(eval(expression, {"mx": mx}))


def test_only_whole_files_are_merged_and_none_is_replaced(tmp_path):
    own, shared = tmp_path / "own", tmp_path / "shared"
    (own / "deep").mkdir(parents=True)
    shared.mkdir()
    for name in ("whole", "deep/whole", "kept"):
        (own / f"{name}.ptx").write_bytes(b"new")
        (own / f"{name}.txt").write_text("a\tb\n")
    (own / "half.ptx").write_bytes(b"ha")
    (own / "empty.ptx").write_bytes(b"new")
    (own / "empty.txt").write_text("")
    (shared / "kept.ptx").write_bytes(b"old")
    first_start.merge(own, shared)
    found = {str(path.relative_to(shared)) for path in shared.rglob("*.*")}
    assert found == {"whole.ptx", "whole.txt", "deep/whole.ptx", "deep/whole.txt", "kept.ptx"}
    assert (shared / "kept.ptx").read_bytes() == b"old"


def test_a_process_with_a_folder_of_its_own_sees_what_is_kept_and_adds_to_it(cuda):
    (cuda / "known.ptx").write_bytes(b"known")
    (cuda / "known.txt").write_text("a\tb\n")
    with first_start.own_folder() as environment:
        own = Path(environment[NAME])
        assert (own / "known.ptx").read_bytes() == b"known"
        assert own.stat().st_mode & 0o777 == 0o700
        (own / "more.ptx").write_bytes(b"more")
        (own / "more.txt").write_text("a\tb\n")
        assert not (cuda / "more.ptx").exists()
    assert (cuda / "more.ptx").read_bytes() == b"more"
    assert not own.exists()


def test_a_supervisor_notes_that_it_is_done_whatever_happens(cuda, model, monkeypatch):
    ran: list[list[str]] = []

    def run(command: list[str], **_: object) -> None:
        ran.append(command[2:4])
        raise subprocess.TimeoutExpired(command, 1.0)

    monkeypatch.setattr(first_start.subprocess, "run", run)
    lock = first_start._lock(first_start._marker(model))
    lock.touch()
    first_start.supervise(model)
    assert ran == [["mlx_tts", "doctor"], ["mlx_tts", "speak"]]
    assert first_start._marker(model).exists()
    assert not lock.exists()


@pytest.mark.timed
def test_a_supervisor_lets_a_short_command_finish():
    child = subprocess.Popen(["sleep", "60"])
    begin = time.monotonic()
    first_start.wait_for_end(child.pid, 0.5)
    assert time.monotonic() - begin >= 0.5
    child.kill()
    child.wait()
    first_start.wait_for_end(child.pid, 30.0)
    first_start.wait_for_end(0, 30.0)
    assert time.monotonic() - begin < 10


def test_who_prepares_waits_for_the_supervisor(cuda, model, started, monkeypatch):
    looks = []

    def sleep(_: float) -> None:
        looks.append(1)
        if len(looks) == 3:
            first_start._marker(model).touch()

    monkeypatch.setattr(time, "sleep", sleep)
    said: list[str] = []
    first_start.prepare(model, said.append)
    assert len(looks) == 3
    assert said == ["preparing the GPU for this model, once: 0 kernels so far"]


def test_a_process_without_fusions_says_so_in_its_form(cuda, model, started):
    assert first_start.with_fusions("plain") == "plain"
    first_start.speak_soon(model)
    assert first_start.with_fusions("plain") == "plain-unfused"
    assert first_start.use_fusions_of("plain") == "plain"  # an earlier run's rest
    assert first_start.with_fusions("plain") == "plain"
    assert first_start.use_fusions_of("resident-unfused") == "resident"
    assert first_start.with_fusions("resident") == "resident-unfused"


def test_a_form_without_fusions_changes_nothing_on_other_devices(cuda, monkeypatch):
    monkeypatch.setattr(first_start, "policy", lambda: device.CPU)
    assert first_start.use_fusions_of("plain-unfused") == "plain"
    assert first_start.with_fusions("plain") == "plain"
