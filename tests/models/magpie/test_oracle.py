"""Every number of the four cases is NeMo's: the code of scripts/oracle/check.py, a test a request."""

import json
import subprocess
import sys

import numpy as np
import pytest

from tests.helpers.family_cases import MAGPIE as CASES
from tests.helpers.paths import ROOT

pytestmark = pytest.mark.slow

NAMES = ("baked_s1", "baked_s2", "context_audio", "maskgit")
REQUESTS = [
    (case, request["name"]) for case in NAMES for request in json.loads((CASES / case / "requests.json").read_text())
]
CHECK = ROOT / "scripts" / "oracle" / "check.py"


@pytest.mark.smoke(
    "baked_s1-short",
    "baked_s1-no_guidance",
    "baked_s1-tracked",
    "baked_s2-longer_argmax",
    "context_audio-clone_odd",
    "maskgit-five_steps",
)
@pytest.mark.parametrize(("case", "name"), REQUESTS)
def test_a_request_is_what_nemo_makes_of_it(magpie, case, name):
    """Ids, encoding, context, first logits, every code with both caches, alignment, priors, sound."""
    from magpie.compare import OneRequest

    made = magpie(case)
    asked = next(request for request in made.json("requests.json") if request["name"] == name)
    assert OneRequest(made.tts, made.golden, asked, made.json("manifest.json")["stride"]).compare() == []


@pytest.mark.parametrize("case", NAMES)
def test_tokenizers_and_codec(magpie, case):
    from magpie.compare import _codec, _tokenizers

    made = magpie(case)
    assert _tokenizers(made.tts, made.json("tokenizers.json")) == []
    assert _codec(made.tts, made.golden) == []


def copy_of(case, target, change):
    """A case folder with other golden data."""
    import shutil

    shutil.copytree(CASES / case, target)
    golden = dict(np.load(target / "golden.npz"))
    change(golden)
    np.savez(target / "golden.npz", **golden)
    requests = [request for request in json.loads((target / "requests.json").read_text()) if request["name"] == "short"]
    (target / "requests.json").write_text(json.dumps(requests))
    return target


def one_code(golden):
    golden["short/codes"][7, 3] += 1


def test_the_check_command(tmp_path):
    """Where all is equal: voxcpm2/test_oracle.py."""
    wrong = copy_of("baked_s1", tmp_path / "wrong", one_code)
    done = subprocess.run([sys.executable, CHECK, wrong], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "wrong/short: codes: 1 of 320 differ" in done.stdout


def test_the_check_command_without_a_case(tmp_path):
    done = subprocess.run([sys.executable, CHECK, tmp_path], capture_output=True, text=True)
    assert done.returncode == 2
    assert "no case in" in done.stderr
