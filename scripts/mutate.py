"""How good the tests are: plant one fault at a time in the package, and see whether the tests find it.

python scripts/mutate.py --record mutants.jsonl --count 200 --seed 1 --seconds 3600    with the tests of the short run
python scripts/mutate.py --record mutants.jsonl --all                                  the same faults with all tests
python scripts/mutate.py --record mutants.jsonl --table                                what was found, in Markdown

A fault changes one comparison, number, operator, condition or returned value in one line. The tests run in a copy of
the working tree, those first that are nearest to the changed file, and stop at the first failure. A fault has survived
if no test of the run goes red. What is in the record is not run again, so a run may be broken off. What the short run
has found all tests find, too, so `--all` behind a short run only asks the `long` tests about what is left.

`--near` asks the nearest tests alone: files of the module's name, that import it, and of its folder, up to
`--most-seconds` of the processor by tests/processor_seconds.json, of the run that is asked. That takes seconds for each
fault, not minutes. "All" are then the nearest of the short run and the nearest `long` ones.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "mlx_tts"
# Of the tests of one fault: one that makes them hang was found. The nearest may take so many times --most-seconds of
# the clock: a busy machine is no fault.
TIMEOUT_SECONDS, NEAR_TIMEOUT = 1800, 12

COMPARISONS = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}
COMPARISONS |= {ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in"}
OPERATORS = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "//"}


@dataclass(frozen=True)
class Mutant:
    """One fault. start, end: characters of the file that `new` takes the place of."""

    path: str
    line: int
    start: int
    end: int
    old: str
    new: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="how many faults, in as many lines")
    parser.add_argument("--seed", type=int, default=1, help="which lines")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no fault after this many seconds")
    parser.add_argument("--record", type=Path, required=True, help="file of JSON lines; appended to")
    parser.add_argument("--all", action="store_true", help="all tests, not those of the short run")
    parser.add_argument("--only", default="", help="faults in files whose path begins with this")
    parser.add_argument("--near", action="store_true", help="the nearest tests alone")
    parser.add_argument("--most-seconds", type=float, default=90.0, help="of the nearest test files together")
    parser.add_argument("--workers", default="auto", help="processes of pytest; 0 for none besides the first")
    parser.add_argument("--table", action="store_true", help="print what is recorded, and run nothing")
    options = parser.parse_args()
    record = read(options.record)
    if options.table:
        print(table(record))
        return 0
    near = ", near" if options.near else ""
    run = ("all" if options.all else "short") + near
    done = {(row["path"], row["start"], row["new"]) for row in record if row["run"] == run}
    short = {(row["path"], row["start"], row["new"]): row["found"] for row in record if row["run"] == f"short{near}"}
    until = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as folder:
        tree = copy_of_the_tree(Path(folder) / "tree")
        for mutant in chosen(options.count, options.seed):
            if time.monotonic() > until:
                break
            if (mutant.path, mutant.start, mutant.new) in done or not mutant.path.startswith(options.only):
                continue
            begin, key = time.monotonic(), (mutant.path, mutant.start, mutant.new)
            marks = "not long" if not options.all else "long" if key in short else ""
            tests = Tests(marks, options.workers, options.near, options.most_seconds)
            found = short.get(key) if options.all else None
            found = found or found_by(tree, mutant, tests)
            row = {**asdict(mutant), "run": run, "found": found, "seconds": round(time.monotonic() - begin, 1)}
            with options.record.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(f"{mutant.path}:{mutant.line}: {mutant.old!r} -> {mutant.new!r}: {found or 'SURVIVED'}", flush=True)
    return 0


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def copy_of_the_tree(target: Path) -> Path:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def chosen(count: int, seed: int) -> list[Mutant]:
    """So many faults, at most one in a line, from lines of all files alike."""
    by_line: dict[tuple[str, int], list[Mutant]] = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        for mutant in mutants_of(path):
            by_line.setdefault((mutant.path, mutant.line), []).append(mutant)
    source = random.Random(seed)
    lines = source.sample(sorted(by_line), min(count, len(by_line)))
    return [source.choice(by_line[line]) for line in lines]


def mutants_of(path: Path) -> Iterator[Mutant]:
    text = path.read_text(encoding="utf-8")
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def at(line: int, column: int) -> int:
        """A place as ast gives it, with the column in bytes, in characters of the file."""
        begin = starts[line - 1]
        return begin + len(text[begin : starts[line]].encode()[:column].decode())

    for node in ast.walk(ast.parse(text)):
        for first, last, new in _changes(node):
            start, end = at(*first), at(*last)
            old = text[start:end]
            if old.strip() and old != new:
                yield Mutant(path.relative_to(ROOT).as_posix(), first[0], start, end, old, new)


def _changes(node: ast.AST) -> Iterator[tuple[tuple[int, int], tuple[int, int], str]]:
    """(from, to, the new text) of what may be changed in this node."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        yield _begin(node), _end(node), f"({left} {COMPARISONS[type(node.ops[0])]} {right})"
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS and not isinstance(node.left, ast.Constant):
        yield (
            _begin(node),
            _end(node),
            f"({ast.unparse(node.left)} {OPERATORS[type(node.op)]} {ast.unparse(node.right)})",
        )
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield _begin(node), _end(node), f"({ast.unparse(ast.BoolOp(other, node.values))})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield _begin(node), _end(node), f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield _begin(node), _end(node), repr(node.value + 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield _begin(node), _end(node), repr(not node.value)
    elif isinstance(node, ast.If):
        yield _begin(node.test), _end(node.test), f"not ({ast.unparse(node.test)})"
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield _begin(node.value), _end(node.value), "None"
    elif isinstance(node, ast.Raise | ast.AugAssign | ast.Delete):
        yield _begin(node), _end(node), "pass"


def _begin(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.expr | ast.stmt) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset


@dataclass(frozen=True)
class Tests:
    """Which tests are asked. marks: for -m of pytest. workers: its processes. near: only the nearest to a fault."""

    marks: str
    workers: str
    near: bool
    most_seconds: float


def nearest_folder(tree: Path, path: str) -> str:
    """tests/a/b for mlx_tts/a/b/c.py, or the first folder above it that there is."""
    folder = Path("tests", *Path(path).parts[1:-1])
    while not (tree / folder).is_dir():
        folder = folder.parent
    return folder.as_posix()


def nearest_files(tree: Path, path: str, tests: Tests) -> list[str]:
    """Test files of the module's name, then those that import it, then those of its folder; the cheap ones first."""
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    parent, _, name = module.rpartition(".")
    imported = re.compile(rf"(from|import) {re.escape(module)}\b|from {re.escape(parent)} import [^\n(]*\b{name}\b")
    seconds_of = json.loads((tree / "tests" / "processor_seconds.json").read_text(encoding="utf-8"))
    stored, short = seconds_of["all" if tests.marks in ("", "long") else "short"], seconds_of["short"]
    if tests.marks == "long":
        stored = {file: seconds - short.get(file, 0.0) for file, seconds in stored.items()}
    files = {
        **dict.fromkeys((tree / nearest_folder(tree, path)).rglob("test_*.py"), 2),
        **{file: 1 for file in (tree / "tests").rglob("test_*.py") if imported.search(file.read_text("utf-8"))},
        **dict.fromkeys((tree / nearest_folder(tree, path)).glob(f"test_{name}.py"), 0),
    }
    order = sorted((near, stored.get(file.relative_to(tree).as_posix(), 1.0), file) for file, near in files.items())
    chosen, seconds = [], 0.0
    for near, own, file in order:
        if near == 0 or not chosen or seconds + own <= tests.most_seconds:
            seconds += own
            chosen.append(file.relative_to(tree).as_posix())
    return chosen


def found_by(tree: Path, mutant: Mutant, tests: Tests) -> str | None:
    """The name of the first test that goes red, or None."""
    file = tree / mutant.path
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole[: mutant.start] + mutant.new + whole[mutant.end :], encoding="utf-8")
    try:
        if tests.near:
            return first_red(tree, nearest_files(tree, mutant.path, tests), tests)
        near = nearest_folder(tree, mutant.path)
        found = None if near == "tests" else first_red(tree, [near], tests)
        return found or first_red(tree, ["tests"], tests)
    finally:
        file.write_text(whole, encoding="utf-8")


def first_red(tree: Path, places: list[str], tests: Tests) -> str | None:
    line = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "-p", "no:cacheprovider"]
    line += ["-n", tests.workers, "--dist", "worksteal"] if tests.workers != "0" else []
    line += [*(["-m", tests.marks] if tests.marks else []), *places]
    environment = {**os.environ, "PYTHONPATH": str(tree), "HF_HUB_OFFLINE": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # the tests would be compiled anew for each fault
    timeout = NEAR_TIMEOUT * tests.most_seconds if tests.near else TIMEOUT_SECONDS
    try:
        done = subprocess.run(
            line, cwd=tree, env=environment, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        return "no end"
    if done.returncode in (0, 5):  # 5: none of these tests belongs to the run
        return None
    red = [line.split()[1] for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return red[0] if red else f"pytest ended with {done.returncode}"


def table(record: list[dict]) -> str:
    """How many each run found, and what the short run let pass of what all tests found."""
    lines = ["| run | faults | found | share |", "|---|--:|--:|--:|"]
    runs = {run: {(row["path"], row["start"], row["new"]): row for row in record if row["run"] == run}
            for run in dict.fromkeys(row["run"] for row in record)}  # fmt: skip
    for run, rows in runs.items():
        found = sum(row["found"] is not None for row in rows.values())
        lines.append(f"| {run} | {len(rows)} | {found} | {100 * found / len(rows):.0f} % |")
    near = "" if "short" in runs else ", near"
    short, whole = runs.get(f"short{near}", {}), runs.get(f"all{near}", {})
    both = [key for key in short if key in whole and whole[key]["found"]]
    if both:
        kept = [key for key in both if short[key]["found"]]
        lines.append(f"\nOf {len(both)} that all tests find, the short run finds {100 * len(kept) / len(both):.0f} %.")
    lines += [f"- `{row['path']}:{row['line']}`: `{row['old']}` -> `{row['new']}`" for rows in runs.values()
              for row in rows.values() if row["found"] is None]  # fmt: skip
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
