"""Models on disk and from a stand-in hub on this machine: never the real network."""

import hashlib
import json
import os
import subprocess
import sys
import threading
import time
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from mlx_tts.cli import run
from mlx_tts.errors import DownloadError, ModelError
from mlx_tts.library import catalog, download, hub
from mlx_tts.library.catalog import ModelSpec
from tests.helpers.fakes import CHECKPOINT_FILES, make_folder
from tests.helpers.paths import ROOT
from tests.helpers.stand_in_hub import COMMIT, hub_with

SPEC = ModelSpec(name="owner/model", repository="owner/model", revision=COMMIT, size_bytes=1000)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of its own, and a hub that nobody answers for."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / "home"))  # where first downloads are written down
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    return tmp_path / "hf" / "hub"


def snapshot(cache: Path, revision: str = COMMIT) -> Path:
    return make_folder(cache / "models--owner--model" / "snapshots" / revision)


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"HF_HOME": "/somewhere/hf"},
        {"HF_HOME": "~/hf"},
        {"HF_HUB_CACHE": "/somewhere/cache", "HF_HOME": "/elsewhere"},
        {"XDG_CACHE_HOME": "/somewhere/xdg"},
    ],
)
def test_the_cache_is_where_huggingface_hub_has_it(environment, monkeypatch):
    monkeypatch.delenv("HF_HOME")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    line = "from huggingface_hub import constants; print(constants.HF_HUB_CACHE)"
    theirs = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True).stdout.strip()
    assert str(hub.cache_root()) == theirs


def test_a_cached_model_is_used_without_the_network(cache):
    folder = snapshot(cache)
    assert hub.is_on_disk(SPEC)
    assert hub.fetch(SPEC) == hub.fetch_description(SPEC) == hub.fetch(SPEC, offline=True) == folder


def test_a_branch_is_looked_up_in_the_cache(cache):
    folder = snapshot(cache)
    (cache / "models--owner--model" / "refs").mkdir()
    (cache / "models--owner--model" / "refs" / "main").write_text(COMMIT)
    assert hub.fetch(ModelSpec(name="x", repository="owner/model"), offline=True) == folder


@pytest.mark.parametrize("name", CHECKPOINT_FILES)
def test_a_partial_snapshot_is_refused(cache, name):
    (snapshot(cache) / name).unlink()
    assert not hub.is_on_disk(SPEC)
    with pytest.raises(DownloadError, match=rf"only partly on disk \({name} is missing\) and the network is off"):
        hub.fetch(SPEC, offline=True)


def test_shards_are_counted(cache):
    folder = snapshot(cache)
    (folder / "model.safetensors").unlink()
    index = {
        "weight_map": {
            "a": "model-1-of-2.safetensors",
            "b": "model-2-of-2.safetensors",
            "c": "model-1-of-2.safetensors",
        }
    }
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "model-1-of-2.safetensors").touch()
    assert hub.missing_files(folder) == ["model-2-of-2.safetensors"]
    (folder / "model-2-of-2.safetensors").touch()
    assert hub.missing_files(folder) == []
    (folder / "model.safetensors.index.json").write_text("{")
    assert hub.missing_files(folder) == ["model.safetensors.index.json"]


def test_tokenizer_json_stands_for_vocabulary_and_merges(cache):
    folder = snapshot(cache)
    (folder / "vocab.json").unlink()
    (folder / "merges.txt").rename(folder / "tokenizer.json")
    assert hub.missing_files(folder) == []


def test_a_folder_is_never_fetched(tmp_path):
    folder = make_folder(tmp_path / "mine")
    assert hub.fetch(catalog.find(str(folder))) == folder
    (folder / "merges.txt").unlink()
    with pytest.raises(ModelError, match=r"mine has no merges\.txt: fetch or copy the whole checkpoint again"):
        hub.fetch(catalog.find(str(folder)))
    with pytest.raises(ModelError, match="gone is not there"):
        hub.fetch(ModelSpec(name="gone", folder=tmp_path / "gone"))


@pytest.mark.parametrize("value", ["1", "true", "ON", "yes"])
def test_the_offline_variable_is_honoured(monkeypatch, value):
    monkeypatch.setenv("HF_HUB_OFFLINE", value)
    with pytest.raises(DownloadError, match="owner/model is not on disk and the network is off"):
        hub.fetch(SPEC)


@pytest.mark.timed
def test_no_network_is_one_line(capfd):
    start = time.perf_counter()
    with pytest.raises(
        DownloadError, match=r"no connection to the model hub while fetching owner/model: .*tiny"
    ) as error:
        hub.fetch(SPEC)
    assert "\n" not in str(error.value)
    assert time.perf_counter() - start < 10
    assert capfd.readouterr() == ("", "")


def test_no_room_on_the_disk_is_said_before_anything_is_fetched(cache):
    spec = ModelSpec(name="huge", repository="owner/huge", size_bytes=10**18)
    with pytest.raises(DownloadError, match=r"huge needs 1000000000\.0 GB, the disk of .* has .* free"):
        hub.fetch(spec)
    assert not cache.exists()


CONTENTS = {name: os.urandom(50_000) if name.endswith("safetensors") else b"{}" for name in CHECKPOINT_FILES}
UNWANTED = {"README.md": b"# x", "samples/voice.wav": b"RIFF", "model.onnx": b"0", "other/model.safetensors": b"0"}


@pytest.fixture
def stand_in(monkeypatch):
    with hub_with({**CONTENTS, **UNWANTED}) as (handler, address):
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
        template = f"{address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr("huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr("huggingface_hub.file_download.HUGGINGFACE_CO_URL_TEMPLATE", template, raising=False)
        yield handler


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_only_what_is_needed_is_fetched(stand_in, cache, capfd):
    lines: list[str] = []
    folder = hub.fetch(SPEC, log=lines.append, progress=True)
    assert folder == cache / "models--owner--model" / "snapshots" / COMMIT
    assert content(folder) == CONTENTS
    assert lines == ["fetching owner/model (0 MB) from owner/model"]
    out, error = capfd.readouterr()
    assert out == ""
    assert "owner/model" in error
    assert "100.0/" in error
    stand_in.asked.clear()
    assert hub.fetch(SPEC) == folder
    assert stand_in.asked == []


def test_what_is_told_of_a_download_that_goes_on(stand_in):
    """The total is that of the hub, since no table lists this model. Files that an earlier run fetched are there, and
    this run did not receive them."""
    hub.fetch_description(SPEC)
    small = sum(len(data) for name, data in CONTENTS.items() if not name.endswith("safetensors"))
    total = sum(map(len, CONTENTS.values()))
    told: list[tuple[float, float | None, float]] = []
    hub.fetch(SPEC, progress=lambda *facts: told.append(facts))
    assert 0 < small < total
    assert told[-1] == (total, total, small)


def test_the_small_files_come_first(stand_in):
    folder = hub.fetch_description(SPEC)
    assert set(content(folder)) == {name for name in CONTENTS if not name.endswith("safetensors")}
    assert not hub.is_on_disk(SPEC)
    assert content(hub.fetch(SPEC)) == CONTENTS


def test_a_branch_is_resolved(stand_in):
    lines: list[str] = []
    folder = hub.fetch(ModelSpec(name="x", repository="owner/model"), log=lines.append)
    assert folder.name == COMMIT
    assert lines[1:] == ["x has no fixed commit: the newest one of its repository is taken"]
    assert hub.fetch(ModelSpec(name="x", repository="owner/model"), offline=True) == folder


@pytest.mark.parametrize(
    ("status", "code", "says"),
    [
        (404, "RepoNotFound", r"no repository owner/model \(or it is private\)"),
        (401, "", r"no repository owner/model \(or it is private\)"),
        (403, "GatedRepo", "asks for its terms to be accepted first"),
        (404, "RevisionNotFound", f"owner/model has no revision {COMMIT}"),
        (500, "", "the model hub answered 500 for owner/model"),
    ],
)
def test_a_refusal_is_one_line(stand_in, status, code, says, capfd):
    stand_in.refusal = (status, code)
    with pytest.raises(DownloadError, match=says) as error:
        hub.fetch(SPEC)
    assert "\n" not in str(error.value)
    assert capfd.readouterr() == ("", "")


def test_a_repository_without_a_speech_model(stand_in):
    del stand_in.files["speech_tokenizer/config.json"]
    with pytest.raises(
        ModelError, match=r"owner/model has no speech_tokenizer/config\.json: it is not a speech checkpoint"
    ):
        hub.fetch(SPEC)


def test_an_interrupted_download_keeps_whole_files(stand_in, cache, monkeypatch):
    """A file that was begun is fetched from its first byte where huggingface_hub keeps no part of it, as 2.4."""
    stand_in.slow = "model.safetensors"
    main = threading.main_thread()
    join = threading.Thread.join

    def interrupt(thread, timeout=None):
        join(thread, timeout)
        if threading.current_thread() is main and "model.safetensors@0" in stand_in.asked and timeout == 0.1:
            join(thread, 0.2)
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "join", interrupt)
    with pytest.raises(KeyboardInterrupt):
        hub.fetch(SPEC)
    monkeypatch.setattr(threading.Thread, "join", join)
    assert not hub.is_on_disk(SPEC)
    whole = content(cache / "models--owner--model" / "snapshots" / COMMIT)
    assert whole and "model.safetensors" not in whole
    stand_in.slow = None
    stand_in.asked.clear()
    assert content(hub.fetch(SPEC)) == CONTENTS
    again = {asked.split("@")[0] for asked in stand_in.asked}
    assert "model.safetensors" in again and not again & whole.keys()


def test_a_check_that_was_interrupted_is_made_up_for(stand_in, monkeypatch):
    """All bytes are there, but nobody knows whether they are right: that is no model yet."""

    def interrupted(*_):
        raise InterruptedError("cancelled")

    with monkeypatch.context() as patch:
        patch.setattr(download, "check_files", interrupted)
        with pytest.raises(DownloadError):
            hub.fetch(SPEC)
    assert not hub.is_on_disk(SPEC)
    stand_in.asked.clear()
    stand_in.promised["model.safetensors"] = b"other bytes"
    with pytest.raises(DownloadError, match=r"model\.safetensors is not the file"):
        hub.fetch(SPEC)
    (asked,) = stand_in.asked  # config.json, or one of those with the same bytes, which are kept once
    assert asked.endswith("@0") and "safetensors" not in asked
    stand_in.promised.clear()
    assert content(hub.fetch(SPEC)) == CONTENTS


@pytest.mark.parametrize("name", ["model.safetensors", "vocab.json"])
@pytest.mark.parametrize("change", [lambda data: data[:-1] + bytes([data[-1] ^ 1]), lambda data: data + b"?"])
def test_other_bytes_than_announced_are_refused_and_fetched_again(stand_in, name, change):
    stand_in.promised[name] = stand_in.files[name]
    stand_in.files[name] = change(stand_in.files[name])
    for _ in range(2):
        with pytest.raises(DownloadError) as error:
            hub.fetch(SPEC)
        assert "\n" not in str(error.value) and not hub.is_on_disk(SPEC)
    stand_in.files[name] = CONTENTS[name]
    assert content(hub.fetch(SPEC)) == CONTENTS


def test_a_pinned_file_counts_more_than_what_the_hub_says(stand_in):
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in CONTENTS.items()}
    assert content(hub.fetch(replace(SPEC, pinned_files=digests))) == CONTENTS
    spec = replace(SPEC, repository="owner/other", pinned_files={**digests, "merges.txt": "0" * 64})
    with pytest.raises(DownloadError, match=r"merges\.txt is not the file that this program knows .its SHA-256 is"):
        hub.fetch(spec)
    assert not hub.is_on_disk(spec)


def test_a_redirection_is_followed(stand_in):
    stand_in.redirects = "once"
    assert content(hub.fetch(SPEC)) == CONTENTS


def test_redirections_without_an_end_are_one_line(stand_in):
    stand_in.redirects = "for ever"
    with pytest.raises(DownloadError) as error:
        hub.fetch(SPEC)
    assert "\n" not in str(error.value)


def test_every_model_of_the_table_is_pinned_or_says_so():
    loose = {spec.name for spec in catalog.models() if spec.repository and not spec.is_pinned}
    assert loose == {"0.6b-base-4bit", "1.7b-design-6bit", "magpie-2512", "voxcpm1.5", "voxcpm-0.5b", "kokoro"}


def test_pinning_a_row_of_the_table(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import pin_models

    class Api:
        def model_info(self, repository, revision, files_metadata):
            file = type("File", (), {"rfilename": "model.safetensors", "lfs": {"sha256": "ab"}, "size": 9})
            other = type("File", (), {"rfilename": "README.md", "lfs": None, "size": 9})
            return type("Info", (), {"sha": COMMIT, "siblings": [file, other]})

    line = '  { alias = "a", repository = "o/m", revision = "main", size_bytes = 9, recommended = true },'
    pinned = pin_models.pinned_line(line, Api(), ("model*.safetensors",), again=False)
    assert tomllib.loads(f"models = [{pinned}]")["models"] == [
        {"alias": "a", "repository": "o/m", "revision": COMMIT, "size_bytes": 9, "recommended": True,
         "sha256": {"model.safetensors": "ab"}}
    ]  # fmt: skip
    assert pin_models.pinned_line(pinned, Api(), ("model*.safetensors",), again=False) == pinned
    assert pin_models.pinned_line("# a comment", Api(), (), again=True) == "# a comment"


def test_pull(stand_in, cache, capfd, monkeypatch):
    monkeypatch.setattr(catalog, "find", lambda name: SPEC)
    assert run(["pull", "owner/model"]) == 0
    first, *_, last = capfd.readouterr().err.splitlines()  # where it is slow, a line says that it checks what came
    assert first == "fetching owner/model (0 MB) from owner/model"
    assert last.startswith("owner/model is in ")
    assert run(["pull", "owner/model"]) == 0
    assert capfd.readouterr() == (
        "",
        f"owner/model is on disk: {cache / 'models--owner--model' / 'snapshots' / COMMIT}\n",
    )


def test_an_endpoint_without_a_scheme_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_ENDPOINT", "example.org")
    with pytest.raises(DownloadError, match=r"HF_ENDPOINT is 'example\.org'"):
        download.download(ModelSpec("x", repository="owner/model"), ("*",), tmp_path, progress=False)


# Models that are published as archives: fetched with their companion, made into a checkpoint once.

MAGPIE = ModelSpec(
    name="magpie",
    repository="owner/magpie",
    companion="owner/codec",
    revision=COMMIT,
    family="magpie",
    licence="NVIDIA Open Model License",
    size_bytes=1_000_000,
)


@pytest.fixture
def archives(stand_in, tmp_path, monkeypatch):
    """The hub has one archive in each of two repositories."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts" / "oracle"))
    from magpie.materialise import materialise

    materialise(ROOT / "tests" / "fixtures" / "oracle_magpie" / "maskgit", tmp_path / "case")
    files = {name: (tmp_path / "case" / f"{name}.nemo").read_bytes() for name in ("magpie", "codec")}

    def of_this_repository(handler):
        return {f"{name}.nemo": data for name, data in files.items() if f"owner/{name}" in handler.path} | UNWANTED

    stand_in.files = property(of_this_repository)
    monkeypatch.setattr(catalog, "find", lambda name: MAGPIE)
    return stand_in


def test_archives_are_fetched_and_unpacked_once(archives, cache, capfd):
    from mlx_tts.models import families

    assert not hub.is_on_disk(MAGPIE)
    assert run(["pull", "magpie"]) == 0
    assert "fetching magpie (1 MB) from owner/magpie, NVIDIA Open Model License" in capfd.readouterr().err
    folder = cache / "models--owner--magpie" / "unpacked" / COMMIT
    assert hub.is_on_disk(MAGPIE)
    assert hub.fetch(MAGPIE, offline=True) == hub.fetch_description(MAGPIE, offline=True) == folder
    assert families.open_checkpoint(folder).info.voices == ("One", "Two")
    assert [asked.split("@")[0] for asked in archives.asked] == ["magpie.nemo", "codec.nemo"]
    assert not list(cache.rglob("*.nemo"))  # their bytes are not kept twice
    assert run(["pull", "magpie"]) == 0
    assert len(archives.asked) == 2


def test_archives_that_are_not_read_leave_no_checkpoint(archives, cache):
    damaged = {"x.nemo": b"nothing"}
    archives.files = damaged
    with pytest.raises(ModelError, match=r"x\.nemo"):
        hub.fetch(MAGPIE)
    assert not hub.is_on_disk(MAGPIE)
    assert not (cache / "models--owner--magpie" / "unpacked" / COMMIT).exists()


def test_a_model_of_archives_without_the_network():
    with pytest.raises(DownloadError, match="magpie is not on disk and the network is off: run `mlx-tts pull magpie`"):
        hub.fetch(MAGPIE, offline=True)
