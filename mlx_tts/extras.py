"""The name of an extra -> the command that adds it to this very install: by uv, pipx or pip, from where it came.

Found out from what is on disk: uv and pipx leave a file in the environments that they make, and every installer notes
in `direct_url.json` where a package came from that is not from an index.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import shutil
import sys
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

NAME = "mlx-tts"
UVX_FOLDER = "archive-v0"  # of uv's cache, where `uvx` makes environments that do not last
MOST_ARGUMENTS = 120  # characters of a command that a hint repeats
UV_RECEIPT, PIPX_METADATA = "uv-receipt.toml", "pipx_metadata.json"


def install_command(extra: str) -> str:
    """What to type so that this install has the extra as well."""
    prefix, python = Path(sys.prefix), shlex.quote(_short(sys.executable))
    by_uv, by_pipx = (prefix / UV_RECEIPT).is_file(), (prefix / PIPX_METADATA).is_file()
    has_pip = importlib.util.find_spec("pip") is not None
    if _is_gone(_source()):  # such as a wheel that was removed: what the extra consists of can always be added
        packages = " ".join(map(shlex.quote, _requirements_of(extra)))
        if by_pipx:
            return f"pipx inject {NAME} {packages}"
        return f"{python} -m pip install {packages}" if has_pip else f"uv pip install --python {python} {packages}"
    if by_uv:
        return f"uv tool install --force {_requirement(extra, _extras_of_uv(prefix))}"
    if by_pipx:
        return f"pipx install --force {_requirement(extra, _extras_of_pipx(prefix))}"
    if UVX_FOLDER in prefix.parts:
        return f"uvx --from {_requirement(extra)} {NAME}{_arguments()}"
    if has_pip:
        return f"{python} -m pip install {_requirement(extra)}"
    if shutil.which("uv") is not None:
        return f"uv pip install --python {python} {_requirement(extra)}"
    return f"{python} -m ensurepip && {python} -m pip install {_requirement(extra)}"


def missing(what: str, extra: str) -> str:
    """An error line: what is not installed here, and the command that adds it."""
    return f"{what}: `{install_command(extra)}`"


def _requirement(extra: str, others: frozenset[str] = frozenset()) -> str:
    """The package with its extras, from where this one came; from the index where that cannot be told."""
    extras = ",".join(sorted({extra, *others}))
    source = _source()
    if source is None:
        return f"'{NAME}[{extras}]'"
    url, is_editable = source
    folder = _local(url)
    if folder is None:
        return f"'{NAME}[{extras}] @ {url}'"
    here = shlex.quote(f"{_short(str(folder))}[{extras}]")
    return f"-e {here}" if is_editable else here


def _arguments() -> str:
    """What this run was asked, to ask it again; nothing where that is long or would break the quotes of the hint."""
    asked = shlex.join(sys.argv[1:])
    return f" {asked}" if asked and asked.isprintable() and "`" not in asked and len(asked) <= MOST_ARGUMENTS else ""


def _source() -> tuple[str, bool] | None:
    """Address and whether it is editable; None for a package of an index."""
    try:
        noted = metadata.distribution(NAME).read_text("direct_url.json")
        found = json.loads(noted) if noted else {}
    except (metadata.PackageNotFoundError, ValueError):
        return None
    url = found.get("url")
    if not isinstance(url, str):
        return None
    if version := found.get("vcs_info"):
        return f"{version.get('vcs', 'git')}+{url}@{version.get('commit_id', 'HEAD')}", False
    return url, bool(found.get("dir_info", {}).get("editable"))


def _is_gone(source: tuple[str, bool] | None) -> bool:
    folder = _local(source[0]) if source else None
    return folder is not None and not folder.exists()


def _local(url: str) -> Path | None:
    parts = urlsplit(url)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _short(path: str) -> str:
    """A path as seen from the working folder, where it lies below it."""
    try:
        inside = Path(path).relative_to(Path.cwd())
    except (ValueError, OSError):
        return path
    return str(inside) if inside.parts else "."


def _requirements_of(extra: str) -> list[str]:
    """The packages of an extra, with the conditions of this machine left to the installer."""
    wanted = re.compile(rf"""\s*(?:and\s+)?extra\s*==\s*['"]{re.escape(extra)}['"]\s*""")
    found = []
    for line in metadata.requires(NAME) or []:
        requirement, _, marker = line.partition(";")
        if wanted.search(marker):
            rest = wanted.sub("", marker).strip()
            found.append(f"{requirement.strip()}; {rest}" if rest else requirement.strip())
    return found


def _extras_of_uv(prefix: Path) -> frozenset[str]:
    import tomllib

    try:
        receipt: Any = tomllib.loads((prefix / UV_RECEIPT).read_text(encoding="utf-8"))
        wanted = receipt["tool"]["requirements"]
        return frozenset(extra for one in wanted if one["name"] == NAME for extra in one.get("extras", ()))
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset()


def _extras_of_pipx(prefix: Path) -> frozenset[str]:
    try:
        noted: Any = json.loads((prefix / PIPX_METADATA).read_text(encoding="utf-8"))
        written = str(noted["main_package"]["package_or_url"])
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset()
    found = re.search(r"\[([\w, -]+)\]", written)
    return frozenset(name.strip() for name in found[1].split(",")) if found else frozenset()
