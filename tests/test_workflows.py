"""What CI runs: on which systems and Pythons, the newest versions and the locked ones, by pinned actions alone."""

import re

import pytest
import yaml

from tests.helpers.client_packages import EVERY_CLIENT
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
    """Each job and part under a name of its own: what is stored under a name is never written again."""
    jobs, keys = workflow("ci")["jobs"], []
    for name in ("short", "all", "locked"):
        assert jobs[name]["env"]["MLX_TTS_TEST_CACHE"].endswith("/.test_cache")
        [cache] = [step["with"] for step in jobs[name]["steps"] if "actions/cache@" in step.get("uses", "")]
        assert cache["path"] == ".test_cache" and cache["key"].startswith(cache["restore-keys"])
        assert ("matrix.part" in cache["key"]) is ("part" in jobs[name].get("strategy", {}).get("matrix", {}))
        keys.append(cache["restore-keys"])
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yml")), ids=lambda path: path.name)
def test_no_job_holds_a_runner_for_hours_or_moves_to_another_system_unasked(path):
    for name, job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].items():
        if "uses" not in job:  # else the limit stands in what it calls
            assert job["timeout-minutes"] <= 120, name
            assert "latest" not in str([job["runs-on"], job.get("strategy")]), name


def test_a_run_of_everything_has_the_time_to_say_what_hung():
    jobs, program = workflow("ci")["jobs"], (ROOT / "scripts" / "check.py").read_text(encoding="utf-8")
    longest, again = re.search(r"MOST_SECONDS = \d+, (\d+)", program), re.search(r"AGAIN_SECONDS = (\d+)", program)
    for name in ("all", "locked"):
        assert 60 * jobs[name]["timeout-minutes"] > int(longest[1]) + int(again[1])


def test_attacks_are_judged_where_tests_run_on_linux():
    """Without strace nothing sees which sockets and files a hostile file reached for."""
    for name in ("short", "all", "locked"):
        assert re.search(r"apt-get install .*\bstrace\b", steps_of(workflow("ci")["jobs"][name]))


def test_a_release_was_tried_on_metal():
    jobs = workflow("release")["jobs"]
    assert jobs["metal"]["uses"] == "./.github/workflows/metal.yml" and "metal" in jobs["publish"]["needs"]


def test_a_runner_without_metal_fails_loudly():
    job = workflow("metal")["jobs"]["metal"]
    assert set(job["strategy"]["matrix"]["os"]) == {"macos-14", "macos-15"}
    assert "assert mx.metal.is_available(), 'NOT CHECKED on Metal: this runner has none'" in steps_of(job)


def test_every_client_of_the_page_is_there_in_a_job():
    job = workflow("ci")["jobs"]["clients"]
    assert job["env"][EVERY_CLIENT] == "1" and "--group clients" in steps_of(job)
    for name in ("test_recipes", "test_agent_frameworks"):
        assert f"tests/server/{name}.py" in steps_of(job)
