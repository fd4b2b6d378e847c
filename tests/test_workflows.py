"""What CI runs: on which systems and Pythons, the newest versions and the locked ones, by pinned actions alone."""

import re

import pytest
import yaml

from tests.helpers.paths import ROOT

FOLDER = ROOT / ".github" / "workflows"


def workflow(name: str) -> dict:
    return yaml.safe_load((FOLDER / f"{name}.yml").read_text(encoding="utf-8"))


def steps_of(job: dict) -> str:
    """All commands of a job, and the actions that it uses."""
    return "\n".join(step.get("run") or step.get("uses", "") for step in job["steps"])


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yml")), ids=lambda path: path.name)
def test_every_action_is_pinned_by_its_commit(path):
    text = path.read_text(encoding="utf-8")
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    used = re.findall(r"uses: (\S+)(.*)", text)
    assert used
    for action, comment in used:
        assert action.startswith("./") or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
        assert action.startswith("./") or re.fullmatch(r" # v\d+\.\d+\.\d+.*", comment), f"{action}: say which version"


def test_everything_runs_on_all_systems_and_pythons_in_parts():
    job = workflow("ci")["jobs"]["all"]
    machines = job["strategy"]["matrix"]["machine"]
    assert {machine["os"] for machine in machines} == {"ubuntu-24.04", "ubuntu-24.04-arm", "macos-14", "macos-15"}
    for system in ("ubuntu", "macos"):
        found = {machine["python"] for machine in machines if machine["os"].startswith(system)}
        assert found == {"3.11", "3.12", "3.13", "3.14"}
    parts = job["strategy"]["matrix"]["part"]
    assert parts == [f"{number}/{len(parts)}" for number in range(1, len(parts) + 1)]
    assert "scripts/check.py --all tests -- --part ${{ matrix.part }}" in steps_of(job)


def test_the_newest_versions_and_the_locked_ones_with_their_hashes_are_tried():
    jobs = workflow("ci")["jobs"]
    assert "--require-hashes -r requirements-dev.lock" in steps_of(jobs["locked"])
    assert "lock" not in steps_of(jobs["all"]) + steps_of(jobs["short"])  # check.py installs what is newest
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    pinned = re.findall(r"^[\w.\[\]-]+==.*(?:\n    --hash=.*)*", lock, re.M)
    assert pinned and all("--hash=sha256:" in entry for entry in pinned)


def test_compiled_kernels_are_kept_from_run_to_run():
    jobs = workflow("ci")["jobs"]
    for name in ("short", "all", "locked"):
        assert jobs[name]["env"]["MLX_TTS_TEST_CACHE"].endswith("/.test_cache")
        assert [step["with"]["path"] for step in jobs[name]["steps"] if "actions/cache@" in step.get("uses", "")] == [
            ".test_cache"
        ]


def test_a_runner_without_metal_fails_loudly():
    job = workflow("metal")["jobs"]["metal"]
    assert set(job["strategy"]["matrix"]["os"]) == {"macos-14", "macos-15"}
    assert "assert mx.metal.is_available(), 'NOT CHECKED on Metal: this runner has none'" in steps_of(job)
