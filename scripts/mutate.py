"""How good the tests are: plant faults in the package, and see which of them the tests find.

python scripts/mutate.py FOLDER                  all that follows, in turn; it goes on where it was broken off
python scripts/mutate.py FOLDER plant            a copy of the tree with --count faults that can be switched on
python scripts/mutate.py FOLDER reach [--long]   run the tests once without a fault: which of them reach which fault
python scripts/mutate.py FOLDER try [--long]     one fault after the other: the tests that reach it
python scripts/mutate.py FOLDER check            forget what was found by tests that fail without a fault as well
python scripts/mutate.py FOLDER table            what was found, in Markdown

A fault changes one comparison, number, operator, condition or returned value in one line; --seed says in which lines,
of all files alike. A fault is tried with the tests of the short run that reach it, or with --long with the `long` ones
if the short run let it pass: one case of each test before the others, those named like the module and the cheap ones
first, at most --most-tests and about --most-seconds of the processor. They stop at the first failure. Tests that judge
a time are not asked. `reach` gives pytest what follows --, so that it can be done in parts: -- --part 1/6.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import os
import pkgutil
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "mlx_tts"
SWITCH = "_fault_"  # a builtin of the copy: whether this fault is on; it notes which test asked
STAGES = ("plant", "reach", "try", "check", "table")
LONG = {False: "not long", True: "long"}
# Tests that hang have found the fault: by the clock, which a busy machine needs more of.
TIMES_LONGER, START_SECONDS = 8, 60

COMPARISONS = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}
COMPARISONS |= {ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in"}
OPERATORS = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "//"}

SWITCHES = f'''"""Which fault is on, and the tests that reach each of them."""
import builtins, os
on, hits, seen = [int(os.environ.get("FAULT", "0"))], os.environ.get("FAULT_HITS"), set()
def {SWITCH}(number):
    if hits:
        here = number, os.environ.get("PYTEST_CURRENT_TEST", "")
        if here not in seen:
            seen.add(here)
            file = os.open(hits, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
            os.write(file, f"{{number}}\\t{{here[1]}}\\n".encode())
            os.close(file)
    return number == on[0]
builtins.{SWITCH} = {SWITCH}
'''


@dataclass(frozen=True)
class Fault:
    """start, end: characters of the file that `new` takes the place of. statement: they are one, or else a value.
    once: it stands outside of the bodies of functions, so that Python computes it when it reads the module."""

    path: str
    line: int
    start: int
    end: int
    old: str
    new: str
    statement: bool
    once: bool

    def planted(self, number: int) -> str:
        """The text of the copy, which is `new` while the switch of that number is on."""
        if self.statement:
            return f"if not {SWITCH}({number}): {self.old}"
        return f"({self.new} if {SWITCH}({number}) else ({self.old}))"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="for the copy of the tree, and all that is found")
    parser.add_argument("stage", choices=STAGES, nargs="?")
    parser.add_argument("--count", type=int, default=200, help="how many faults, in as many lines")
    parser.add_argument("--seed", type=int, default=1, help="which lines")
    parser.add_argument("--long", action="store_true", help="the `long` tests, not those of the short run")
    parser.add_argument("--most-tests", type=int, default=30, help="asked about one fault")
    parser.add_argument("--most-seconds", type=float, default=60.0, help="that the tests of one fault may have cost")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="try no other fault after so many")
    parser.add_argument("--only", type=int, nargs="*", help="try these faults, by their numbers, also again")
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:at])
    work = Work(options.folder.resolve())
    for stage in [options.stage] if options.stage else STAGES:
        if stage == "plant" and not (options.stage is None and work.faults_file.exists()):
            work.plant(options.count, options.seed)
        for long in [options.long] if options.stage else (False, True):
            if stage == "reach" and not (options.stage is None and work.reached(long).exists()):
                work.reach(long, sys.argv[at + 1 :])
            elif stage == "try":
                work.try_all(long, options)
        if stage == "check":
            work.check()
        elif stage == "table":
            print(work.table())
    return 0


class Work:
    """The folder: tree, faults.json, hits, tests.jsonl (what tests cost), found.jsonl."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        names = ("tree", "faults.json", "hits", "tests.jsonl", "found.jsonl")
        self.folder = folder
        self.tree, self.faults_file, self.hits, self.tests, self.record = (folder / name for name in names)

    def plant(self, count: int, seed: int) -> None:
        copy_of_the_tree(self.tree)
        (self.tree / PACKAGE / "_switches.py").write_text(SWITCHES, encoding="utf-8")
        faults = planted(self.tree, count, seed)
        package = self.tree / PACKAGE / "__init__.py"
        text = package.read_text(encoding="utf-8")
        future = "from __future__ import annotations\n"
        package.write_text(text.replace(future, f"{future}import {PACKAGE}._switches\n", 1), encoding="utf-8")
        self.faults_file.write_text(json.dumps([asdict(fault) for fault in faults], indent=0) + "\n", encoding="utf-8")

    @cached_property
    def faults(self) -> dict[int, Fault]:
        faults = json.loads(self.faults_file.read_text(encoding="utf-8"))
        return {number: Fault(**fault) for number, fault in enumerate(faults, 1)}

    def reached(self, long: bool) -> Path:
        """There when these tests have been run to their end."""
        return self.folder / f"reached, {LONG[long]}"

    def reach(self, long: bool, arguments: list[str]) -> None:
        line = [sys.executable, "-m", "pytest", "-rfE", "-p", "no:cacheprovider", "-m", LONG[long]]
        line += [f"--processor-time={self.tests}", *(arguments or ["-n", "auto", "--dist", "worksteal"])]
        if subprocess.run(line, cwd=self.tree, env=self.environment(FAULT_HITS=str(self.hits))).returncode in (0, 1):
            self.reached(long).touch()

    def environment(self, **more: str) -> dict[str, str]:
        own = {"PYTHONPATH": str(self.tree), "HF_HUB_OFFLINE": "1", "OPENBLAS_NUM_THREADS": "1", **more}
        return {**os.environ, **own}

    @cached_property
    def passed(self) -> dict[str, dict]:
        return {row["test"]: row for row in lines_of(self.tests) if row["outcome"] == "passed"}

    def seconds(self, tests: list[str]) -> float:
        return sum(self.passed[name]["setup"] + self.passed[name]["call"] for name in tests)

    @cached_property
    def reached_by(self) -> dict[int, tuple[set[str], set[str]]]:
        """Number of a fault -> tests that reach it, and others that may: what the set-up of a test reaches, such as the
        start of a server, may serve all tests of its folder, and is noted with the first alone."""
        found: dict[int, tuple[set[str], set[str]]] = {}
        for line in self.hits.read_text(encoding="utf-8").splitlines():
            number, _, context = line.partition("\t")
            name, _, phase = context.rpartition(" (")
            surely, perhaps = found.setdefault(int(number), (set(), set()))
            surely.add(name)
            if phase == "setup)":
                folder = name.partition("::")[0].rpartition("/")[0]
                perhaps.update(test for test in self.passed if test.startswith(f"{folder}/"))
        return found

    def order(self, number: int, long: bool) -> list[str]:
        """The tests to ask about a fault, the first first."""
        fault = self.faults[number]
        surely, perhaps = self.reached_by.get(number, (set(), set()))
        tests = surely | perhaps
        beside = {name for other, one in self.faults.items() if one.path == fault.path
                  for name in self.reached_by.get(other, (set(), set()))[0]}  # fmt: skip
        near = {name for name in self.passed if Path(name.partition("::")[0]).stem == f"test_{Path(fault.path).stem}"}
        if fault.once and tests:
            files = self.importing(fault.path)
            tests |= beside | near | {name for name in self.passed if name.partition("::")[0] in files}
        elif tests:
            tests |= near & beside
        own = {name for name in tests & self.passed.keys() if ("long" in self.passed[name]["marks"]) is long}
        by_cost = sorted(own, key=lambda name: (name not in near, name not in surely, self.seconds([name]), name))
        cases: dict[str, int] = {}
        for name in by_cost:
            function = name.partition("[")[0]
            cases[name] = cases[function] = cases.get(function, 0) + 1
        return sorted(by_cost, key=lambda name: cases[name])  # stable

    def importing(self, path: str) -> set[str]:
        """Test files that name the module of this path in an import."""
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        parent, _, name = module.rpartition(".")
        pattern = re.compile(rf"(from|import) {re.escape(module)}\b|from {re.escape(parent)} import [^\n]*\b{name}\b")
        files = (self.tree / "tests").rglob("test_*.py")
        return {file.relative_to(self.tree).as_posix() for file in files if pattern.search(file.read_text("utf-8"))}

    def within(self, tests: list[str], most_tests: int, most_seconds: float) -> list[str]:
        """The first of these that the limits allow. One that costs too much does not keep cheaper ones out."""
        chosen, left = [], most_seconds
        for name in tests:
            own = self.seconds([name])
            if len(chosen) < most_tests and (not chosen or own <= left):
                chosen.append(name)
                left -= own
        return chosen

    def try_all(self, long: bool, options: argparse.Namespace) -> None:
        until = time.monotonic() + options.seconds
        known = {row["number"]: row for row in lines_of(self.record) if row["long"] is long}
        short = {row["number"]: row for row in lines_of(self.record) if not row["long"]}
        for number, fault in self.faults.items():
            if options.only is not None and number not in options.only:
                continue
            if long and (number not in short or short[number]["found"]):
                continue
            reaching = self.order(number, long)
            tests = self.within(reaching, options.most_tests, options.most_seconds)
            old = known.get(number)
            if options.only is None and old and (old["found"] or old["asked"] >= len(tests)):
                continue
            if time.monotonic() > until:
                break
            begin = time.monotonic()
            red = (
                self.run(number, tests, fault.once, START_SECONDS + TIMES_LONGER * self.seconds(tests)) if tests else []
            )
            row = {"number": number, "long": long, "found": red[0] if red else None, "asked": len(tests)}
            row |= {"reaching": len(reaching), "seconds": round(time.monotonic() - begin, 1)}
            with self.record.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            said = row["found"] or f"SURVIVED {len(tests)} of {len(reaching)} tests"
            print(f"{number} {fault.path}:{fault.line}: {fault.old!r} -> {fault.new!r}: {said}", flush=True)

    def run(self, number: int, tests: list[str], fresh: bool, timeout: float, first: bool = True) -> list[str]:
        """The tests that go red with this fault, or the first of them alone. fresh: in a process that reads all anew.

        Else in a fork of this one, which has read the package already. Number 0 is no fault.
        """
        arguments = ["-q", "-rfE", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not timed"]
        arguments += [*(["-x"] if first else []), *tests]
        with tempfile.TemporaryFile("w+") as output:
            if fresh:
                child = subprocess.Popen(
                    [sys.executable, "-m", "pytest", *arguments], cwd=self.tree, stdout=output, stderr=output,
                    env=self.environment(FAULT=str(number)), start_new_session=True,
                ).pid  # fmt: skip
            else:
                self.preload()
                if (child := os.fork()) == 0:
                    self.become_pytest(number, arguments, output.fileno())
            code = end_of(child, timeout)
            output.seek(0)
            lines = output.read().splitlines()
        if code is None:
            return ["no end"]
        if code in (0, 5):  # 5: all of these judge a time
            return []
        red = [line.split(" ", 1)[1].partition(" - ")[0] for line in lines if line.startswith(("FAILED ", "ERROR "))]
        return red or [f"pytest ended with {code}"]

    def preload(self) -> None:
        """Read the planted package and what the tests need, once: a fork has it at no cost."""
        if f"{PACKAGE}._switches" in sys.modules:
            return
        os.environ.update(self.environment())
        os.chdir(self.tree)
        sys.path[:] = [str(self.tree), *(entry for entry in sys.path if entry != str(Path(__file__).parent))]
        package = importlib.import_module(PACKAGE)
        names = [module.name for module in pkgutil.walk_packages(package.__path__, f"{PACKAGE}.", onerror=str)]
        for name in [*names, "pytest", "httpx", "_pytest.assertion.rewrite"]:
            if not name.endswith("__main__"):
                with suppress(Exception):  # what cannot be read here is no concern of the faults
                    importlib.import_module(name)

    def become_pytest(self, number: int, arguments: list[str], output: int) -> None:
        import pytest

        try:
            os.setsid()
            for stream in (1, 2):
                os.dup2(output, stream)
            os.environ["FAULT"] = str(number)
            sys.modules[f"{PACKAGE}._switches"].on[0] = number
            code = int(pytest.main(arguments))
            sys.stdout.flush()
        except BaseException:  # noqa: BLE001 (a fork must not go on as its parent)
            code = 99
        os._exit(code)

    def check(self) -> None:
        rows = list(lines_of(self.record))
        tests = sorted({row["found"] for row in rows if "::" in (row["found"] or "")})
        wrong = (
            {name for fresh in (True, False) for name in self.run(0, tests, fresh, 3600.0, first=False)}
            if tests
            else set()
        )
        self.record.write_text("".join(json.dumps(row) + "\n" for row in rows if row["found"] not in wrong), "utf-8")
        print(f"{len(tests)} tests went red; without a fault go red as well: {sorted(wrong) or 'none'}")

    def table(self) -> str:
        last = {(row["long"], row["number"]): row for row in lines_of(self.record)}
        short = {number: row for (long, number), row in last.items() if not long}
        found = {number for number, row in short.items() if row["found"]}
        asked = {number for long, number in last if long} | found
        whole = found | {number for (long, number), row in last.items() if long and row["found"]}
        lines = ["| run | faults | found | share |", "|---|--:|--:|--:|"]
        for run, tried, own in (("short", short, found), ("all", asked, whole)):
            if tried:
                lines.append(f"| {run} | {len(tried)} | {len(own)} | {100 * len(own) / len(tried):.0f} % |")
        if both := whole & asked:
            lines.append(
                f"\nOf {len(both)} that all tests find, the short run finds {len(found & both) / len(both):.0%}."
            )
        for number in sorted(short.keys() - whole):
            fault, row = self.faults[number], short[number]
            told = f"({row['asked']} of {row['reaching']} tests asked)"
            old = " ".join(fault.old.split())
            lines.append(f"- {number} `{fault.path}:{fault.line}`: `{old}` -> `{fault.new}` {told}")
        return "\n".join(lines)


def lines_of(path: Path) -> Iterator[dict]:
    if path.exists():
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def end_of(child: int, timeout: float) -> int | None:
    """The exit code of a process that leads a group; None if it did not end in time. The group is ended."""
    until, ended, status = time.monotonic() + timeout, 0, 0
    while not ended and time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # with the servers that tests started
    if not ended:
        os.waitpid(child, 0)
        return None
    return os.waitstatus_to_exitcode(status)


def copy_of_the_tree(target: Path) -> None:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def planted(tree: Path, count: int, seed: int) -> list[Fault]:
    """So many faults, at most one in a line, from lines of all files alike; they stand in the copy behind this."""
    by_line: dict[tuple[str, int], list[Fault]] = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        for fault in faults_of(path):
            by_line.setdefault((fault.path, fault.line), []).append(fault)
    source = random.Random(seed)
    lines = sorted(by_line)
    source.shuffle(lines)
    chosen: list[Fault] = []
    for line in lines:
        fault = source.choice(by_line[line])
        alone = all(
            other.end <= fault.start or fault.end <= other.start for other in chosen if other.path == fault.path
        )
        if alone and len(chosen) < count and written(tree, [(len(chosen) + 1, fault)]):
            chosen.append(fault)
    for path in {fault.path for fault in chosen}:
        written(tree, [(number, fault) for number, fault in enumerate(chosen, 1) if fault.path == path])
    return chosen


def written(tree: Path, faults: list[tuple[int, Fault]]) -> bool:
    """Write these faults of one file into the copy, if Python can read what becomes of it."""
    path = faults[0][1].path
    text = (ROOT / path).read_text(encoding="utf-8")
    for number, fault in sorted(faults, key=lambda pair: -pair[1].start):
        text = text[: fault.start] + fault.planted(number) + text[fault.end :]
    try:
        compile(text, path, "exec", dont_inherit=True)
    except SyntaxError:
        return False
    (tree / path).write_text(text, encoding="utf-8")
    return True


def faults_of(path: Path) -> Iterator[Fault]:
    text = path.read_text(encoding="utf-8")
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def at(line: int, column: int) -> int:
        """A place as ast gives it, with the column in bytes, in characters of the file."""
        begin = starts[line - 1]
        return begin + len(text[begin : starts[line]].encode()[:column].decode())

    for node, once in nodes(ast.parse(text)):
        for place, new in _changes(node):
            start, end = at(place.lineno, place.col_offset), at(place.end_lineno or 0, place.end_col_offset or 0)
            if text[start:end] != new:
                name = path.relative_to(ROOT).as_posix()
                yield Fault(name, place.lineno, start, end, text[start:end], new, isinstance(place, ast.stmt), once)


def nodes(tree: ast.AST, once: bool = True) -> Iterator[tuple[ast.AST, bool]]:
    """All nodes, and whether they stand outside of the bodies of functions. Without the insides of f-strings, whose
    places older Pythons tell wrongly."""
    for field, value in ast.iter_fields(tree):
        in_body = isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and field == "body"
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                yield child, once and not in_body
                yield from nodes(child, once and not in_body)


def _changes(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """What may be changed in this node, and into which text."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        yield node, f"({left} {COMPARISONS[type(node.ops[0])]} {right})"
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS and not isinstance(node.left, ast.Constant):
        yield node, f"({ast.unparse(node.left)} {OPERATORS[type(node.op)]} {ast.unparse(node.right)})"
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield node, f"({ast.unparse(ast.BoolOp(other, node.values))})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield node, repr(node.value + 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, repr(not node.value)
    elif isinstance(node, ast.If):
        yield node.test, f"not ({ast.unparse(node.test)})"
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield node.value, "None"
    elif isinstance(node, ast.Raise | ast.AugAssign | ast.Delete):
        yield node, "pass"


if __name__ == "__main__":
    sys.exit(main())
