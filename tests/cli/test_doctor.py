"""`mlx-tts doctor`: an answer on any machine, for people and for programs."""

import json

import pytest

from mlx_tts.cli import run
from mlx_tts.kernels.core.trials import Trial


@pytest.mark.slow
def test_a_machine_without_a_gpu(oracle, capfd):
    assert run(["doctor", "--model", str(oracle("custom_voice_tiny").folder)]) == 0
    printed = capfd.readouterr().out
    assert printed.startswith("## mlx-tts doctor\n")
    assert "CPU: nothing to check" in printed
    assert printed.splitlines()[-1].startswith("| ")


@pytest.mark.slow
def test_json_names_what_was_found(oracle, capfd, monkeypatch):
    kernels = {
        "form": "plain",
        "best_form": "half",
        "milliseconds": {"plain": 9.0, "half": 5.0},
        "faults": {"fused": "hung"},
    }
    kernels["checked"] = {"product(4 bits)": None, "sampling()": "off by 3"}
    monkeypatch.setattr(Trial, "examine", lambda self, model: kernels)
    folder = str(oracle("custom_voice_tiny").folder)
    assert run(["doctor", "--model", folder, "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["kernels"] == kernels
    assert {"device", "versions", "memory_gb", "wired_limit_gb", "bench"} <= set(found)
    assert run(["doctor", "--model", folder]) == 0
    printed = capfd.readouterr().out
    for line in (
        "| half | 5.00 |",
        "| fused | failed: hung |",
        "| product(4 bits) | right |",
        "| sampling() | off by 3 |",
    ):
        assert line in printed
