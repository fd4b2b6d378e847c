"""What is written is so: the tree, the walk through the code, the help page, Python's examples, links, the lock."""

import ast
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
import threading
import tomllib
from pathlib import Path

import numpy as np
import pytest
import soundfile
import typer

import mlx_tts
from mlx_tts.api import TextToSpeech
from mlx_tts.cli.arguments import prepared
from mlx_tts.cli.commands import COMMANDS, build
from mlx_tts.errors import MlxTtsError
from mlx_tts.generation.synthesizer import Synthesizer
from mlx_tts.models.families import Family
from tests.helpers.cases import Cases
from tests.helpers.paths import ROOT
from tests.helpers.toy_answers import ANSWERS

PACKAGE = ROOT / "mlx_tts"
README, CONTRIBUTING, CHANGELOG = ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"
DOCS = ROOT / "docs"
PAGES = [README, CONTRIBUTING, CHANGELOG, *sorted(DOCS.glob("*.md"))]


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


# The tree of the contributor's page.


def tree() -> list[Path]:
    """Every path that the tree names; lines that are indented stand below mlx_tts/."""
    (block,) = re.findall(r"## Tree\n\n```text\n(.*?)```", read(ROOT / "CONTRIBUTING.md"), re.S)
    found = []
    for line in block.splitlines():
        names = re.split(r"\s{2,}", line.strip())[0]
        found += [(PACKAGE if line.startswith(" ") else ROOT) / name for name in names.split(", ")]
    return found


def test_the_tree_names_what_is_there():
    named = tree()
    assert len(named) > 30
    assert [str(path) for path in named if not path.exists()] == []


def test_every_package_folder_is_in_the_tree():
    folders = {path.parent for path in PACKAGE.rglob("__init__.py")} | {
        path for path in (PACKAGE / "builtin").iterdir() if path.is_dir()
    }
    named = {path.resolve() for path in tree()}
    assert sorted(str(folder.relative_to(ROOT)) for folder in folders - named) == []


# CONTRIBUTING's walk from the command line to the sound.

TRACE = """
import json, sys, threading

seen = {}

def note(frame, event, argument):
    code = frame.f_code
    if event == "call" and "/mlx_tts/" in code.co_filename:
        seen.setdefault((code.co_filename.rpartition("/mlx_tts/")[2], code.co_qualname), len(seen))

threading.setprofile(note)
sys.setprofile(note)
from mlx_tts.cli import run

code = run(["speak", "Hello there.", "--model", "tiny", "--seed", "1", "--max-seconds", "1", "-q", "-o", sys.argv[1]])
sys.setprofile(None)
print(json.dumps([code, [[*key, at] for key, at in list(seen.items())]]))
"""


def walk() -> list[tuple[str, list[str], list[str]]]:
    """The rows of the table: file, functions, files that are asked by the way."""
    rows = re.findall(r"^\| \d+ \| `([\w/.]+)` \| (.*?) \| .*? \| (.*?) \|$", read(CONTRIBUTING), re.M)
    return [
        (file, re.findall(r"`([\w.]+)`", functions), re.findall(r"`([\w/.]+)`", asked))
        for file, functions, asked in rows
    ]


@pytest.mark.slow
def test_a_sentence_goes_the_way_that_contributing_describes(tmp_path):
    command = [sys.executable, "-c", TRACE, str(tmp_path / "out.wav")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    code, calls = json.loads(done.stdout)
    assert code == 0
    first_call = {(file, function): at for file, function, at in calls}
    rows = walk()
    files = [file for file, _, _ in rows]
    assert 5 < len(files) <= 10
    assert len(set(files)) == len(files)
    for file, functions, asked in rows:
        order = [first_call.get((file, function)) for function in functions]
        assert None not in order, (
            f"{file}: not called are {[f for f, at in zip(functions, order, strict=True) if at is None]}"
        )
        assert order == sorted(order), f"{file}: {functions} are called in another order"
        used = {name for name, _ in first_call}
        assert [name for name in asked if name not in used and not name.endswith("piece_store.py")] == []
    opened = [first_call[file, functions[0]] for file, functions, _ in rows]
    assert opened == sorted(opened)


# The help page, and the commands that other pages show.


@pytest.fixture
def docs_script(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import docs

    yield docs
    sys.modules.pop("docs")


def test_the_help_page_is_what_the_commands_say(docs_script):
    assert docs_script.same(read(docs_script.PAGE), docs_script.page()), "run `python scripts/docs.py`"


def test_the_http_page_is_what_the_server_says(docs_script):
    page = docs_script.http_page()
    assert docs_script.same(read(docs_script.HTTP_PAGE), page), "run `python scripts/docs.py`"
    assert "### POST /v1/audio/speech\n" in page and "### WebSocket /v1/audio/speech/stream\n" in page
    assert '| `response_format` | "mp3" |' in page
    assert "None" not in page  # a route without a docstring


def commands_shown() -> list[tuple[str, str]]:
    """(page, command) for every mlx-tts command in a shell block of the pages."""
    return [
        (page.name, line[line.index("mlx-tts ") :].split("|")[0].strip())
        for page in PAGES
        for block in re.findall(r"```sh\n(.*?)```", read(page), re.S)
        for line in (re.sub(r"\s{2,}#.*", "", raw) for raw in block.splitlines())
        if "mlx-tts " in line and ".venv" not in line
    ]


SHOWN = commands_shown()


@pytest.mark.parametrize("page", dict.fromkeys(page for page, _ in SHOWN))
def test_the_commands_that_pages_show_exist(page):
    with Cases() as case:
        for line in (line for name, line in SHOWN if name == page):
            with case(line):
                check_command(page, line)


def check_command(page: str, line: str) -> None:
    words, _ = prepared(shlex.split(line)[1:], COMMANDS)
    command = build()
    while words and hasattr(command, "get_command"):
        found = command.get_command(None, words[0])
        if found is None:
            break
        command, words = found, words[1:]
    try:
        command.make_context(line, words)  # parses the options and runs nothing
    except typer.TyperException as error:
        pytest.fail(f"{page}: {line}: {error.format_message()}")


# Python's page.


def python_blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", read(DOCS / "python.md"), re.S)


@pytest.fixture(scope="module")
def python_page(oracle, tmp_path_factory) -> dict:
    """The names that all examples of the page leave behind, run from top to bottom in an empty folder."""
    from materialise import materialise

    case = ROOT / "tests" / "fixtures" / "oracle" / "base_tiny"
    desk, base = tmp_path_factory.mktemp("desk"), tmp_path_factory.mktemp("base")
    materialise(case, base)  # random weights in place of the released model: they never end, so their speech is short
    settings = json.loads(read(base / "generation_config.json")) | {"max_new_tokens": 12}
    (base / "generation_config.json").write_text(json.dumps(settings))
    sound = 0.2 * np.sin(2 * np.pi * 150 * np.arange(36_000) / 24_000)
    soundfile.write(desk / "me.wav", sound.astype(np.float32), 24_000)
    names: dict = {"desk": desk}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(desk)
        for number, block in enumerate(python_blocks(), 1):
            code = block.replace('load("0.6b-base-8bit")', f"load({str(base)!r})")
            exec(compile(code, f"docs/python.md, example {number}", "exec"), names)
    return names


@pytest.mark.long
@pytest.mark.slow
def test_the_examples_do_what_the_page_says(python_page):
    assert len(python_blocks()) > 10
    assert soundfile.info(python_page["desk"] / "hello.wav").duration > 0.3
    assert python_page["stream"].cancelled
    assert len(python_page["rest"]) < 5
    assert len(python_page["played"]) > 2
    assert python_page["saved"].model == "0.6b-base-8bit"
    assert python_page["saved"].voice.transcript == "The words I say in it."
    assert python_page["codes"].shape[1] == 16
    assert len(python_page["samples"]) == len(python_page["codes"]) * 1920
    with pytest.raises(MlxTtsError, match="closed"):
        python_page["tts"].speak("Hello.")


@pytest.mark.slow
def test_the_agent_stops_when_the_user_speaks():
    lines = next(block for block in python_blocks() if "class Agent" in block).split("played = []")[0].strip()
    assert len([line for line in lines.splitlines() if line.strip()]) <= 26  # about twenty lines of code
    names: dict = {"SpeechRequest": mlx_tts.SpeechRequest}
    exec(compile(lines, "docs/python.md, the agent", "exec"), names)
    sentences = iter(["This sentence is interrupted long before it ends.", "Nobody hears this one."])
    played = []

    def play(samples, sample_rate):
        played.append(len(samples) / sample_rate)
        if len(played) == 2:
            microphone = threading.Thread(target=agent.interrupt)
            microphone.start()
            microphone.join()

    with mlx_tts.load("tiny") as tts:
        agent = names["Agent"](tts, play)
        assert agent.say(sentences) is False
    assert len(played) == 2
    assert next(sentences) == "Nobody hears this one."


def test_the_error_of_the_page_is_the_real_one():
    shown = re.search(r"print\(error\)  # (.*)", read(DOCS / "python.md"))[1]
    with mlx_tts.load("tiny") as tts, pytest.raises(mlx_tts.RequestError) as raised:
        tts.speak("Hello.", voice="nobody")
    assert str(raised.value) == shown


def test_the_page_names_every_error_and_capability():
    page = read(DOCS / "python.md")
    errors = [name for name in mlx_tts.__all__ if name.endswith("Error")]
    capabilities = mlx_tts.Capabilities.__dataclass_fields__
    assert [name for name in (*errors, *capabilities) if f"`{name}`" not in page] == []


def test_the_page_lists_every_member_and_what_a_family_without_it_answers():
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]*) \|$", read(DOCS / "python.md"), re.M)
    answers = {name: answer for name, answer in rows if name in ANSWERS}
    members = [name for name in dir(TextToSpeech) if not name.startswith("_")]
    assert sorted(answers) == sorted(members)
    for name, shown in answers.items():
        answer = ANSWERS[name][1]
        if shown or str(answer).startswith("a toy model"):
            meant = {f'"{answer}"', f"`{answer}`", f'`"{answer}"`', "does nothing" if answer is None else ""}
            assert shown in meant - {""}, name


def test_the_page_lists_every_public_name_and_the_fields_of_every_type():
    page = read(DOCS / "python.md")
    assert [name for name in mlx_tts.__all__ if name not in page] == []
    section = re.search(r"\n## Every type\n.*?(?=\n## )", page, re.S)[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.M))
    types = {
        name for name in mlx_tts.__all__ if isinstance(getattr(mlx_tts, name), type) and not name.endswith("Error")
    }
    assert set(rows) == types - {"Synthesizer"}
    for name in rows.keys() - {"Capabilities", "TextToSpeech"}:
        public = {member for member in dir(getattr(mlx_tts, name)) if not member.startswith("_")}
        assert set(re.findall(r"`(\w+)`", rows[name])) == public | set(getattr(mlx_tts, name).__dataclass_fields__), (
            name
        )


# Adding a family.


@pytest.mark.parametrize(("number", "protocol"), [(2, Family), (3, Synthesizer)])
def test_the_page_for_families_lists_the_protocol(number, protocol):
    section = re.search(rf"\n## {number}\. .*?(?=\n## |\Z)", read(DOCS / "adding-a-family.md"), re.S)[0]
    listed = re.findall(r"^\| `(\w+)` \|", section, re.M)
    source = ast.parse(read(ROOT / Path(sys.modules[protocol.__module__].__file__)))
    (body,) = [node.body for node in source.body if isinstance(node, ast.ClassDef) and node.name == protocol.__name__]
    members = [node.name for node in body if isinstance(node, ast.FunctionDef)]
    members += [node.target.id for node in body if isinstance(node, ast.AnnAssign)]
    assert sorted(listed) == sorted(members)


# Links, the lock, the module form of the command.


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    broken = []
    written = read(page)
    for target in [*re.findall(r"\]\(([^)\s]+)\)", written), *re.findall(r'\bsrc(?:set)?="([^"]+)"', written)]:
        if "://" in target:
            continue
        target = re.sub(r"(\.\w+)#only-(?:light|dark)$", r"\1", target)  # a picture of the site for one of its looks
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        headings = re.findall(r"^#+ (.*)$", read(file), re.M) if file.suffix == ".md" and file.is_file() else []
        anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
        if not file.exists() or (anchor and anchor not in anchors):
            broken.append(target)
    assert broken == []


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path):
    """mkdocs checks every link and heading of the site, also those that only exist there."""
    if importlib.util.find_spec("material") is None:
        pytest.skip("NOT CHECKED, the links of the site: `pip install --group docs` brings mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    )
    assert done.returncode == 0, done.stderr[-2000:]
    pages = {page.stem for page in DOCS.glob("*.md")} - {"index"}
    assert {path.parent.name for path in (tmp_path / "site").glob("*/index.html")} == pages


def test_every_page_is_in_the_sites_menu():
    named = set(re.findall(r"[\w-]+\.md", read(ROOT / "mkdocs.yml").split("\nnav:")[1]))
    assert named == {page.name for page in DOCS.glob("*.md")}


def test_the_lock_has_every_requirement_and_no_host():
    lock = read(ROOT / "requirements-dev.lock")
    assert "://" not in lock
    assert not re.search(r"^\s*-(?!-hash=sha256:[0-9a-f]{64})", lock, re.M)  # no option of an index
    entries = re.findall(r"^[a-z].*\\\n(?:    --hash=.*\n)+", lock, re.M)
    assert len(entries) == len(re.findall(r"^[a-z]", lock, re.M)), "each has its hashes"
    locked = {re.split(r"[=\[ ]", entry)[0] for entry in entries}
    project = tomllib.loads(read(ROOT / "pyproject.toml"))
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    wanted += project["project"]["optional-dependencies"]["server"]
    names = {re.split(r"[\[>=<~; ]", requirement)[0].lower().replace("_", "-") for requirement in wanted}
    assert names - locked == set()


def test_the_package_is_a_program_and_typed():
    done = subprocess.run([sys.executable, "-m", "mlx_tts", "--version"], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == f"mlx-tts {mlx_tts.__version__}\n", textwrap.shorten(done.stderr, 200)
    assert (PACKAGE / "py.typed").is_file()
