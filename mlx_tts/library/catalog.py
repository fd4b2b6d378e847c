"""A model's name (alias, repository id or folder) -> ModelSpec, from models.toml."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlx_tts.errors import RequestError
from mlx_tts.files.reading import read_toml, user_path
from mlx_tts.shortened import shown

if TYPE_CHECKING:
    from mlx_tts.speech import Capabilities

PACKAGE = Path(__file__).parents[1]
COMMIT = re.compile(r"[0-9a-f]{40}")
WEIGHT = re.compile(r"\(\d+(?:\.\d+)?\)\s*$")  # of a voice in a mix
LEAST_OF_A_NAME = 4  # letters that are looked for in the names of repositories
SUGGESTED_MODELS = 4
REPOSITORY_ID = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True)
class ModelSpec:
    """Where a model is and what is known of it before it is opened.

    name: what a user calls it. Either folder or repository is set. kind, size, quantisation, family, licence and
    size_bytes are None, voices and languages are empty where only opening the model would tell. pinned_files: the
    SHA-256 of files by name, as far as they are known. companion: a second repository that the model needs, where both
    publish archives. voice_width: of the speaker vectors that the model makes and takes. experimental: it misses limits
    that were set for it, and is said to. programs: what has to be installed besides for a language, by the language.
    work_bytes: about what speaking takes in memory besides the weights.
    """

    name: str
    folder: Path | None = None
    repository: str | None = None
    revision: str = "main"
    kind: str | None = None
    size: str | None = None
    quantisation: str | None = None
    companion: str | None = None
    family: str | None = None
    licence: str | None = None
    size_bytes: int | None = None
    voice_width: int | None = None
    voices: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    recommended: bool = False
    experimental: bool = False
    work_bytes: int = 500_000_000
    pinned_files: Mapping[str, str] = field(default_factory=dict, compare=False)
    programs: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def is_pinned(self) -> bool:
        """Whether it names one commit, whose files never change."""
        return COMMIT.fullmatch(self.revision) is not None

    @property
    def download_size(self) -> str:
        return "size unknown" if self.size_bytes is None else format_bytes(self.size_bytes)

    @property
    def lasting_name(self) -> str:
        """The name to write down: a user's folder as it stands on this machine, not as seen from today's place."""
        return str(self.folder.resolve()) if self.folder and self.kind is None else self.name

    @property
    def can(self) -> Capabilities | None:
        """What its family says of models of its kind; None where only opening the model would tell."""
        from mlx_tts.models import families

        return families.family(self.family).can(self.kind) if self.family and self.kind else None

    def has_voice(self, voice: str) -> bool:
        """Whether it has a voice of this name, or where it mixes voices all that are named in a mix."""
        return is_among(voice, self.voices, mixes=bool((can := self.can) and can.mixes))


@dataclass(frozen=True)
class Preset:
    """What is known of a preset voice. language: the one it was made for; it speaks its model's others as well."""

    name: str
    sex: str
    accent: str
    language: str
    character: str


def format_bytes(count: float) -> str:
    """1_973_575_388 -> '2.0 GB'; decimal units, as disks are sold."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def voice_key(voice: str) -> str:
    """The spelling voices are compared by: 'Uncle Fu', 'uncle-fu' and 'Uncle_Fu' are one voice."""
    return re.sub(r"[\s-]+", "_", voice.strip()).casefold()


def is_among(voice: str, voices: Iterable[str], mixes: bool) -> bool:
    """Whether it is one of these voices, or, for a model that mixes them, a mix of some."""
    own = set(map(voice_key, voices))
    return voice_key(voice) in own or (mixes and all(voice_key(name) in own for name in mixed(voice)))


def mixed(voice: str) -> list[str]:
    """The names in a mix of voices: "af_heart(2)+am_michael" -> af_heart, am_michael."""
    return [WEIGHT.sub("", name).strip() for name in re.split("[+,]", voice)]


@cache
def models() -> tuple[ModelSpec, ...]:
    """Every model of models.toml, in its order."""
    table = read_toml(_table_path())
    return tuple(_spec(variant, row) for variant in table["variant"] for row in variant["models"])


@cache
def presets() -> dict[str, Preset]:
    """What models.toml says of the preset voices, by their key."""
    return {voice_key(row["name"]): Preset(**row) for row in read_toml(_table_path())["preset"]}


@cache
def with_preset(voice: str) -> tuple[ModelSpec, ...]:
    """The models to recommend for a preset voice: of each kind and size one; none where no model has it."""
    found: dict[tuple[str | None, ...], ModelSpec] = {}
    for spec in models():
        if spec.has_voice(voice):
            kind = (spec.family, spec.kind, spec.size)
            if kind not in found or (spec.recommended and not found[kind].recommended):
                found[kind] = spec
    return tuple(found.values())


@cache
def preset_names() -> tuple[str, ...]:
    """The preset voices of all models, in the order of models.toml."""
    return tuple({voice: None for spec in models() for voice in spec.voices})


def voice_for(spec: ModelSpec, language: str) -> str | None:
    """A preset voice of the model to suggest for a language: one that was made for it, where there is one."""
    made_for = (name for name in spec.voices if (it := presets().get(voice_key(name))) and it.language == language)
    return next(made_for, spec.voices[0] if spec.voices else None)


def a_cloner() -> str:
    """A model that clones, to suggest to users of one that does not: the one in the box, else the recommended one."""
    cloners = [spec for spec in models() if spec.kind == "base"]
    return next((spec for spec in cloners if spec.folder), next(spec for spec in cloners if spec.recommended)).name


def cloners_for(width: int) -> list[ModelSpec]:
    """The models that can use a voice whose speaker vector has this width."""
    return [spec for spec in models() if spec.voice_width == width]


def _table_path() -> Path:
    """models.toml: inside the package where that was installed as a wheel, else at the top of the clone."""
    packed = PACKAGE / "models.toml"
    return packed if packed.is_file() else PACKAGE.parent / "models.toml"


def _spec(variant: dict[str, Any], row: dict[str, Any]) -> ModelSpec:
    facts = {key: value for key, value in variant.items() if key not in ("models", "voices", "languages")}
    row = dict(row)
    folder = row.pop("folder", None)
    return ModelSpec(
        name=row.pop("alias"),
        pinned_files=row.pop("sha256", {}),
        folder=PACKAGE / folder if folder else None,
        voices=tuple(variant.get("voices", ())),
        languages=tuple(variant.get("languages", ())),
        **facts,
        **row,
    )


def find(name: str) -> ModelSpec:
    """The model a user means by `name`; RequestError when there is none."""
    name = name.strip()
    if not name:
        raise RequestError("the model's name is empty: `mlx-tts models` lists all")
    for spec in models():
        if name.casefold() in (spec.name, (spec.repository or spec.name).casefold()):
            return spec
    with contextlib.suppress(OSError, ValueError):  # a name that no file can have
        path = user_path(name)
        if path.is_dir():
            return ModelSpec(name=name, folder=path)
    if name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise RequestError(
            f"no folder {shown(name, 100)}: give a checkpoint's folder, an alias (see `mlx-tts models`) or owner/name"
        )
    if REPOSITORY_ID.fullmatch(name):
        return ModelSpec(name=name, repository=name)
    aliases = [spec.name for spec in models()]
    near = _of_that_name(name.casefold()) or get_close_matches(name.casefold(), aliases, n=3, cutoff=0.6)
    hint = f"did you mean {', '.join(near)}? " if near else ""
    raise RequestError(f"unknown model {shown(name, 100)}: {hint}`mlx-tts models` lists all {len(aliases)}")


def listed(alias: str) -> ModelSpec:
    """The model of models.toml that has exactly this alias; RequestError for anything else, also for a repository or a
    folder, which `find` knows."""
    for spec in models():
        if spec.name == alias:
            return spec
    raise RequestError(
        f"no model of the list is called {shown(alias, 100)}: `mlx-tts models` lists all {len(models())}"
    )


def _of_that_name(name: str) -> list[str]:
    """The models that a part of a name may mean, such as "0.6b" or "qwen", and what each does: ready voices first, of
    each kind and size one."""
    found: dict[tuple[str | None, ...], ModelSpec] = {}
    for spec in models():
        if spec.name.startswith(f"{name}-") or (
            len(name) >= LEAST_OF_A_NAME and name in (spec.repository or "").casefold()
        ):
            kind = (spec.family, spec.kind, spec.size)
            if kind not in found or (spec.recommended and not found[kind].recommended):
                found[kind] = spec
    best = sorted(found.values(), key=lambda spec: not spec.voices)[:SUGGESTED_MODELS]
    return [f"{spec.name} ({_use(spec)})" for spec in best]


def _use(spec: ModelSpec) -> str:
    if spec.voices:
        return "ready voices"
    return (
        "makes a voice from a description"
        if (can := spec.can) and can.designs and not can.clones
        else "clones a recording"
    )
