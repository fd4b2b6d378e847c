"""Imports point down: cli, server -> api -> narration -> models -> generation -> kernels -> nn -> runtime."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter
from itertools import combinations
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT

PACKAGE = ROOT / "mlx_tts"

# What a part of the package may import of the rest; a part is a module or a folder right under mlx_tts.
GROUND = {"errors", "extras", "samples", "setting", "shortened", "speech"}  # what all may use
SMALL_FILES = {*GROUND, "files"}
DOOR = {*SMALL_FILES, "job", "api", "library", "models", "narration", "audio", "text", "runtime", ""}
MAY_IMPORT = {
    "errors": set(),
    "extras": set(),
    "samples": set(),
    "shortened": set(),
    "setting": {"errors", "shortened"},
    "speech": {"samples", "setting", "audio", "files"},  # a chunk can save itself
    "runtime": {"errors", "extras", "shortened"},
    "files": {"errors", "shortened"},
    "checkpoints": {"errors", "files", "shortened"},
    "text": SMALL_FILES,
    "audio": SMALL_FILES - {"speech", "setting"},
    "nn": {"errors", "runtime"},
    "kernels": {"errors", "nn", "runtime", "shortened"},
    "export": {"errors", "extras", "shortened"},
    "generation": {*GROUND, "text", "runtime"},  # how long a text takes, for the guard
    "models": {*SMALL_FILES, "checkpoints", "nn", "kernels", "audio", "text", "generation", "runtime", "export"},
    "library": {*SMALL_FILES, "models", "runtime"},  # a family says which files its checkpoints have
    "narration": {*SMALL_FILES, "audio", "text", "generation"},
    "api": {*GROUND, "models", "generation", "narration", "text", "runtime"},
    "job": {*SMALL_FILES, "library", "models", "narration", "audio", "text", "runtime"},
    "server": DOOR,
    "mcp": DOOR,
    "screen_reader": {*DOOR, "mcp"},  # how a text becomes a plan where nobody may wait for a download
    "batch": {*DOOR, "generation"},  # each line has a seed, and generation/seeds makes all seeds
    "cli": {*DOOR, "server", "batch", "mcp", "screen_reader"},  # the commands that open the other doors
    "": {"api", "errors", "shortened", "speech", "library", "models", "text"},
    "__main__": {"cli"},
}
SHARED_BY_FAMILIES = {"recipes"}  # folders in models/ that are no family
MOST_LINES = 450
LONGER: dict[str, str] = {}  # files that may be longer, each with its reason
MODULES = sorted(PACKAGE.rglob("*.py"))


def parts(path: Path) -> tuple[str, ...]:
    """mlx_tts/nn/conv.py -> ("nn", "conv"); the package's own __init__ -> ("",)."""
    names = path.relative_to(PACKAGE).with_suffix("").parts
    return tuple(name for name in names if name != "__init__") or ("",)


@pytest.fixture(scope="module")
def all_files_are_read():
    """Once, in the set-up: the test that comes first would pay for it."""
    for path in MODULES:
        imports(path)


@cache
def imports(path: Path) -> set[tuple[str, ...]]:
    """Every module that is imported anywhere in the file, as its dotted parts: in functions and for types as well."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            module = tuple((node.module or "").split("."))
            # `from mlx_tts.library import hub` imports a module, `from mlx_tts.errors import X` a name of one.
            for alias in node.names:
                inner = (*module, alias.name)
                found.add(inner if module == ("mlx_tts",) or is_module(inner) else module)
    return found


@cache
def is_module(module: tuple[str, ...]) -> bool:
    path = ROOT.joinpath(*module)
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


@pytest.mark.slow
@pytest.mark.usefixtures("all_files_are_read")
def test_imports_point_down():
    faults = []
    for path in MODULES:
        own = parts(path)
        for module in imports(path):
            if module[0] != "mlx_tts":
                continue
            part = module[1] if is_module(module[:2]) and len(module) > 1 else ""  # else a name such as __version__
            if part != own[0] and part not in MAY_IMPORT[own[0]]:
                faults.append(f"{'.'.join(own)} imports {'.'.join(module)}")
            if own[0] == part == "models" and len(own) > 1 and len(module) > 2:
                is_shared = (PACKAGE / "models" / f"{module[2]}.py").exists() or module[2] in SHARED_BY_FAMILIES
                if module[2] != own[1] and not is_shared:
                    faults.append(f"the family {own[1]} imports the family {module[2]}")
    assert not faults


@pytest.mark.slow
@pytest.mark.usefixtures("all_files_are_read")
def test_the_parts_stand_above_each_other():
    """What the table allows has an order from the ground to the doors, so "down" means something."""
    assert set(TopologicalSorter(MAY_IMPORT).static_order()) == set(MAY_IMPORT)  # raises where two import each other
    layers = ["runtime", "nn", "kernels", "generation", "models", "narration", "api", "job", "server", "cli"]
    assert all(part not in MAY_IMPORT[below] for at, below in enumerate(layers) for part in layers[at + 1 :])


def circles() -> set[tuple[str, ...]]:
    """The strongly connected components of files that import each other (Tarjan 1972)."""
    graph = {}
    for path in MODULES:
        name = ("mlx_tts", *(part for part in parts(path) if part))
        graph[name] = {module for module in imports(path) if is_module(module)} - {name}
    found, order, low, stack = set(), {}, {}, []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in order:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == order[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.add(tuple(sorted(".".join(module) for module in stack[at:])))
            del stack[at:]

    for node in graph:
        if node not in order:
            visit(node)
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("all_files_are_read")
def test_no_files_import_each_other_in_a_circle():
    assert not circles()


FAMILY = re.compile(r"^models/\w+/")  # families are built alike, so the same thing has the same name in each
NEAR = {  # pairs of files whose names are near on purpose, each with its reason
    ("api", "app"): "what Python calls, and what FastAPI calls an app: both are the field's words",
    ("setting", "settings"): "one thing that may be set, and the groups of them",
    ("voice", "voices"): "command files have the names of their commands",
}


def test_a_class_name_means_one_thing():
    places = defaultdict(set)
    for path in MODULES:
        for name in re.findall(r"^\s*class (\w+)\s*[(:]", path.read_text(encoding="utf-8"), re.M):
            places[name].add(FAMILY.sub("models/FAMILY/", path.relative_to(PACKAGE).as_posix()))
    several = {name: sorted(found) for name, found in places.items() if len(found) > 1}
    assert set(several) <= {"Utterance"}, several  # of a family; it stands where its rows do


def test_no_two_files_have_names_that_are_taken_for_each_other():
    """Names that differ by one letter, or by an s at the end."""
    names = sorted({path.stem for path in MODULES} - {"__init__", "__main__"})
    near = {(one, other) for one, other in combinations(names, 2) if differ_by_a_letter(one, other)}
    assert near == set(NEAR)


def differ_by_a_letter(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) == len(long):
        return sum(a != b for a, b in zip(short, long, strict=True)) == 1
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def test_files_are_short():
    lines = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8").count("\n") for path in MODULES}
    assert {name for name, count in lines.items() if count > MOST_LINES} == set(LONGER)


def test_every_part_has_its_rule():
    assert {parts(path)[0] for path in MODULES} <= set(MAY_IMPORT)


@pytest.mark.slow
@pytest.mark.usefixtures("all_files_are_read")
def test_only_the_model_side_imports_mlx():
    model_side = ("nn", "kernels", "models", "generation", "checkpoints", "runtime")
    others = [path for path in MODULES if parts(path)[0] not in model_side and parts(path) != ("cli", "measurement")]
    assert not [path for path in others if any(module[0] in ("mlx", "mlx_lm") for module in imports(path))]


@pytest.mark.slow
@pytest.mark.usefixtures("all_files_are_read")
def test_no_module_imports_transformers_or_torch():
    for path in MODULES:
        assert not {module[0] for module in imports(path)} & {"transformers", "torch", "torchaudio", "librosa"}, path


def test_the_first_line_says_what_a_module_is_for():
    texts = {path: path.read_text(encoding="utf-8") for path in MODULES}
    trivial = {path for path, text in texts.items() if path.name == "__init__.py" and text.count("\n") < 5}
    assert not [path for path, text in texts.items() if path not in trivial and not text.startswith('"""')]


def loaded_by(code: str) -> set[str]:
    line = [sys.executable, "-c", f"{code}\nimport sys; print('\\n'.join(sys.modules))"]
    return set(subprocess.run(line, capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_package_costs_nothing():
    assert not loaded_by("import mlx_tts") & {"mlx", "mlx.core", "numpy", "typer", "huggingface_hub", "soundfile"}


@pytest.mark.slow
def test_speaking_imports_no_transformers(tmp_path):
    line = ["speak", "Hi.", "--model", "tiny", "--max-seconds", "0.2", "-q", "-o", str(tmp_path / "out.wav")]
    code = f"from mlx_tts.cli import run; assert run({line!r}) == 0"
    loaded = loaded_by(code)
    assert "mlx.core" in loaded
    assert not loaded & {"transformers", "torch", "mlx_lm", "huggingface_hub", "sounddevice", "rich"}


def test_the_public_names():
    import mlx_tts

    assert all(getattr(mlx_tts, name) is not None for name in mlx_tts.__all__)
    assert set(mlx_tts.__all__) == set(dir(mlx_tts))
    with pytest.raises(AttributeError, match="nonsense"):
        mlx_tts.nonsense  # noqa: B018


def test_models_toml_travels_with_the_package():
    wheel = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'packages = ["mlx_tts"]' in wheel
    assert '"models.toml" = "mlx_tts/models.toml"' in wheel
    assert (ROOT / "models.toml").is_file()


@pytest.mark.slow
def test_only_its_own_file_knows_a_language():
    """The rules of all languages ask for words and patterns, never which language they are in."""
    languages = PACKAGE / "text" / "languages"
    known = {path.stem for path in [*languages.glob("*.py"), *languages.glob("*/")]}
    for path in MODULES:
        if parts(path)[0] != "text" or path.is_relative_to(languages):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Constant) and node.value in known), (path, node.lineno)
            compared = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
            assert not any(isinstance(side, ast.Attribute) and side.attr == "code" for side in compared), path


REPOSITORY_HOSTS = ("Qwen/", "mlx-community/", "nvidia/", "openbmb/")


def test_nothing_but_models_toml_knows_a_repository():
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert not any(f'"{owner}' in text for owner in REPOSITORY_HOSTS), path


def test_who_asks_which_device_computes():
    """Others read `policy()`, so that each decision has a name and can be tested on any machine."""
    asked = ("on_gpu(", "on_cuda(", "gpu_language(", "default_device(", "metal.is_available(", "cuda.is_available(")
    for path in MODULES:
        if parts(path)[0] != "kernels" and parts(path) != ("runtime", "device"):
            text = path.read_text(encoding="utf-8")
            assert not any(re.search(rf"[ .]{re.escape(name)}", text) for name in asked), path
