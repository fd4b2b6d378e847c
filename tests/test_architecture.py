"""Imports point down: cli, server -> api -> narration -> models -> generation -> nn -> runtime; others stand aside."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT

PACKAGE = ROOT / "mlx_tts"

# What a part of the package may import of the rest; a part is a module or a folder right under mlx_tts.
MAY_IMPORT = {
    "errors": set(),
    "speech": {"audio", "files"},  # a chunk can save itself
    "runtime": {"errors"},
    "files": {"errors"},
    "checkpoints": {"errors", "files", "runtime"},
    "text": {"errors", "files", "speech"},
    "audio": {"errors", "files", "speech"},
    "nn": {"errors", "runtime"},
    "export": {"errors"},
    "generation": {"errors", "speech", "text", "runtime"},
    "models": {
        "errors",
        "speech",
        "files",
        "checkpoints",
        "nn",
        "audio",
        "text",
        "generation",
        "runtime",
        "export",
    },
    "library": {"errors", "speech", "files", "models", "runtime"},  # a family says which files its checkpoints have
    "narration": {"errors", "speech", "files", "audio", "text"},
    "api": {"errors", "speech", "models", "generation", "narration", "text", "runtime"},
    "server": {"errors", "speech", "files", "api", "library", "models", "narration", "audio", "text", "runtime", ""},
    "batch": {"errors", "speech", "files", "api", "library", "models", "narration", "audio", "text", "runtime", ""},
    "cli": {
        "errors",
        "speech",
        "files",
        "server",
        "batch",
        "api",
        "library",
        "models",
        "narration",
        "audio",
        "text",
        "runtime",
        "",
    },
    "": {"api", "errors", "speech", "library", "models", "cli"},
    "__main__": {"cli"},
}
MOST_LINES = 450
LONGER = {  # files that may be longer, each with its reason
    "mlx_tts/nn/fused/attention.py": "one kernel's text and its launch",
    "mlx_tts/nn/fused/product.py": "one kernel's text and its launch",
    "mlx_tts/api.py": "one class, whose methods are mostly docstrings",
    "mlx_tts/speech.py": "the whole contract on one page",
    "mlx_tts/cli/options.py": "every option of the command, once",
    "mlx_tts/models/qwen3_tts/codec/decoder.py": "one codec, layer by layer",
    "mlx_tts/models/qwen3_tts/synthesizer.py": "one class with all that the engine and callers ask of it",
    "mlx_tts/models/qwen3_tts/compiled_decode.py": "one frame on a GPU, plain and fused side by side",
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def parts(path: Path) -> tuple[str, ...]:
    """mlx_tts/nn/conv.py -> ("nn", "conv"); the package's own __init__ -> ("",)."""
    names = path.relative_to(PACKAGE).with_suffix("").parts
    return tuple(name for name in names if name != "__init__") or ("",)


def imports(path: Path) -> set[tuple[str, ...]]:
    """Every module that is imported anywhere in the file, as its dotted parts."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            module = tuple((node.module or "").split("."))
            # `from mlx_tts import hub` imports a module, `from mlx_tts.errors import X` a name of one.
            found |= {(*module, alias.name) for alias in node.names} if module == ("mlx_tts",) else {module}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path):
    own = parts(path)
    for module in imports(path):
        if module[0] != "mlx_tts":
            continue
        part = module[1] if len(module) > 1 else ""
        if not (PACKAGE / part).exists() and not (PACKAGE / f"{part}.py").exists():
            part = ""  # a name of the package itself, such as __version__
        assert part == own[0] or part in MAY_IMPORT[own[0]], f"{'.'.join(own)} imports {'.'.join(module)}"
        if own[0] == part == "models" and len(own) > 1 and len(module) > 2:
            assert module[2] == own[1], f"the family {own[1]} imports the family {module[2]}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_are_short(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    name = path.relative_to(ROOT).as_posix()
    assert lines <= (400 if name in LONGER else MOST_LINES), f"{name} has {lines} lines"


def test_every_part_has_its_rule():
    assert {parts(path)[0] for path in MODULES} <= set(MAY_IMPORT)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_model_side_imports_mlx(path):
    if parts(path)[0] in ("nn", "models", "generation", "checkpoints", "runtime") or parts(path) == (
        "cli",
        "measurement",
    ):
        return
    assert not any(module[0] in ("mlx", "mlx_lm") for module in imports(path))


def test_no_module_imports_transformers_or_torch():
    for path in MODULES:
        assert not {module[0] for module in imports(path)} & {"transformers", "torch", "torchaudio", "librosa"}, path


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_first_line_says_what_a_module_is_for(path):
    text = path.read_text(encoding="utf-8")
    if path.name == "__init__.py" and len(text.splitlines()) < 5:
        return
    assert text.startswith('"""')


def loaded_by(code: str) -> set[str]:
    line = [sys.executable, "-c", f"{code}\nimport sys; print('\\n'.join(sys.modules))"]
    return set(subprocess.run(line, capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_package_costs_nothing():
    assert not loaded_by("import mlx_tts") & {"mlx", "mlx.core", "numpy", "typer", "huggingface_hub", "soundfile"}


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


REPOSITORY_HOSTS = ("Qwen/", "mlx-community/", "nvidia/", "openbmb/")


def test_nothing_but_models_toml_knows_a_repository():
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert not any(f'"{owner}' in text for owner in REPOSITORY_HOSTS), path
