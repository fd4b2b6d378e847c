"""A short run of many kinds of clients at once; `python scripts/soak_clients.py` goes on for ten minutes."""

import json
import subprocess
import sys

import pytest

from tests.helpers.paths import ROOT

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("clients", "requests", "text"),
    [(6, 1, "Hello."), (12, 24, None)],
    ids=["one each", "two each"],
)
def test_clients_of_six_kinds_see_no_error(tmp_path, clients, requests, text):
    """requests: no client begins another one after so many. All begin their first at once. text: None for several."""
    command = [sys.executable, str(ROOT / "scripts" / "soak_clients.py"), "--minutes", "2"]
    command += ["--clients", str(clients), "--requests", str(requests)]
    command += [] if text is None else ["--text", text]
    done = subprocess.run([*command, "--folder", str(tmp_path)], capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads((tmp_path / "verdict.json").read_text())
    assert told["wrong"] == [] and len(told["kinds"]) == 6
    assert all(kind["answers"] for kind in told["kinds"].values())
