"""models.toml is whole, and names lead to the model that is meant."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from mlx_tts.errors import RequestError
from mlx_tts.library import catalog
from tests.helpers.paths import BUILT_IN, ROOT


def test_every_released_variant_is_there():
    released = {f"{size}-{kind}" for size in ("0.6b", "1.7b") for kind in ("base", "custom", "design")} - {
        "0.6b-design"
    }
    expected = {path.name for path in BUILT_IN.iterdir()}
    expected |= {name + end for name in released for end in ("", "-4bit", "-6bit", "-8bit", "-bf16")}
    expected |= {"magpie", "magpie-2602", "magpie-2512", "voxcpm2", "voxcpm1.5", "voxcpm-0.5b", "kokoro"}
    assert {spec.name for spec in catalog.models()} == expected
    assert len(catalog.models()) == len(expected)


KIND_WORDS = {"base": "Base", "custom_voice": "CustomVoice", "voice_design": "VoiceDesign"}


QWEN = [spec for spec in catalog.models() if spec.repository and spec.family == "qwen3_tts"]


@pytest.mark.parametrize("spec", QWEN, ids=lambda spec: spec.name)
def test_an_entry_agrees_with_itself(spec):
    official = not spec.name.endswith(("bit", "bf16"))
    variant = f"Qwen3-TTS-12Hz-{spec.size}-{KIND_WORDS[spec.kind]}"
    assert spec.repository == (f"Qwen/{variant}" if official else f"mlx-community/{variant}-{spec.quantisation}")
    assert re.fullmatch(r"[0-9a-f]{40}|main", spec.revision)
    assert (spec.family, spec.licence, spec.folder) == ("qwen3_tts", "Apache-2.0", None)
    assert bool(spec.voices) == (spec.kind == "custom_voice")
    assert spec.recommended == (spec.quantisation == "8bit")


@pytest.mark.parametrize("name", ["magpie", "magpie-2602", "magpie-2512"])
def test_models_of_archives_name_their_companion_and_licence(name):
    spec = catalog.find(name)
    assert (spec.family, spec.licence) == ("magpie", "NVIDIA Open Model License")
    assert spec.repository == "nvidia/magpie_tts_multilingual_357m"
    assert spec.companion == "nvidia/nemo-nano-codec-22khz-1.89kbps-21.5fps"
    assert len(spec.voices) == (5 if name == "magpie" else 0)


@pytest.mark.parametrize(("name", "languages"), [("voxcpm2", 30), ("voxcpm1.5", 2), ("voxcpm-0.5b", 2)])
def test_models_that_design_or_continue_voices(name, languages):
    spec = catalog.find(name)
    assert (spec.family, spec.licence, spec.companion) == ("voxcpm2", "Apache-2.0", None)
    assert spec.can.clones
    assert spec.can.designs == (name == "voxcpm2")
    assert len(spec.languages) == languages
    assert spec.repository.casefold().removeprefix("openbmb/") == name


def test_every_family_says_what_the_kinds_of_its_models_can_do():
    """Also of models that are not here: who asks for a model that clones is shown all of them."""
    assert all(spec.can is not None for spec in catalog.models())
    cloning = {spec.name for spec in catalog.models() if spec.can.clones}
    named = {spec.name for spec in catalog.models() if "-base" in spec.name or "voxcpm" in spec.name}
    assert cloning == named and len(named) > 12
    designing = {spec.name for spec in catalog.models() if spec.can.designs}
    assert designing == {spec.name for spec in catalog.models() if "-design" in spec.name} | {"voxcpm2"}
    assert catalog.find("someone/else").can is None
    assert replace(catalog.find("voxcpm2"), kind="a kind of tomorrow").can is None


def test_sizes_grow_with_bits_and_parameters():
    for size, low, high in (("0.6B", 1.6e9, 2.6e9), ("1.7B", 2.3e9, 4.6e9)):
        for kind in KIND_WORDS:
            rows = [spec for spec in catalog.models() if (spec.size, spec.kind) == (size, kind)]
            by_bits = {spec.quantisation: spec.size_bytes for spec in rows}
            values = [by_bits[bits] for bits in ("4bit", "6bit", "8bit", "bf16") if bits in by_bits]
            assert values == sorted(values)
            assert all(low < value < high for value in values)


def test_revisions_are_not_shared():
    revisions = [spec.revision for spec in catalog.models() if spec.repository and spec.revision != "main"]
    assert len(revisions) == len(set(revisions)) == 27


def test_an_alias_a_repository_and_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert catalog.find(" 0.6B-Custom-8bit ").repository == "mlx-community/Qwen3-TTS-12Hz-0.6B-CustomVoice-8bit"
    assert catalog.find("qwen/qwen3-tts-12hz-1.7b-voicedesign").name == "1.7b-design"
    foreign = catalog.find("someone/Some.Thing-1")
    assert (foreign.repository, foreign.revision, foreign.kind, foreign.size_bytes) == (
        "someone/Some.Thing-1",
        "main",
        None,
        None,
    )
    (tmp_path / "mine").mkdir()
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name in ("mine", "./mine", "a/b", str(tmp_path / "mine")):
        assert catalog.find(name).folder == Path(name)
        assert catalog.find(name).repository is None


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("0.6b-custm-8bit", "did you mean 0.6b-custom-8bit"),
        ("0.6b", "did you mean 0.6b-custom-8bit (ready voices), 0.6b-base-8bit (clones a recording)? `mlx-tts models`"),
        ("1.7B", "1.7b-base-8bit (clones a recording), 1.7b-design-8bit (makes a voice from a description)? "),
        ("qwen", "did you mean 0.6b-custom-8bit (ready voices), 1.7b-custom-8bit (ready voices), 0.6b-base-8bit"),
        ("kokoro-82m", "did you mean kokoro (ready voices)?"),
        ("piper", f"`mlx-tts models` lists all {len(catalog.models())}"),
        ("./gone", "no folder './gone'"),
        ("/a/b/c", "no folder '/a/b/c'"),
        ("a/b/c", "no folder 'a/b/c'"),
        ("", "empty"),
        ("  ", "empty"),
        ("owner/", "unknown model"),
    ],
)
def test_an_unknown_name_says_what_would_do(name, says):
    with pytest.raises(RequestError, match=re.escape(says)):
        catalog.find(name)


def test_a_voice_is_known_in_any_spelling():
    spec = catalog.find("0.6b-custom")
    assert all(spec.has_voice(name) for name in ("Uncle_Fu", "uncle fu", "UNCLE-FU", " uncle_fu "))
    assert not spec.has_voice("hazel")


@pytest.mark.parametrize(("count", "text"), [(1_973_575_388, "2.0 GB"), (22_000_000, "22 MB"), (999_400_000, "999 MB")])
def test_sizes_for_people(count, text):
    assert catalog.format_bytes(count) == text


def test_the_models_that_are_not_pinned_are_those_that_security_names():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = " ".join(text.partition("names a commit for all models but ")[2].partition(", which say so")[0].split())
    following = [spec.name for spec in catalog.models() if spec.repository and not spec.is_pinned]
    assert sorted(re.split(", | and ", named)) == sorted(following)
