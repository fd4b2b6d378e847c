"""models.toml -> the same with every model pinned to a commit and to the SHA-256 of its files. Needs the network.

    python scripts/pin_models.py            # what is not pinned yet
    python scripts/pin_models.py --all      # every model again: read the difference before it is committed

The hub announces the SHA-256 of large files; small ones are fetched to compute theirs.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from pathlib import Path
from typing import Any

TABLE = Path(__file__).resolve().parents[1] / "models.toml"
ROW = re.compile(
    r'^(?P<head>\s*\{ alias = ")(?P<alias>[^"]+)(?P<rest>".*?)(?P<pins>, sha256 = \{[^}]*\})?(?P<end> \},?)$'
)
MOST_SMALL_BYTES = 50_000_000


def pins(api: Any, repository: str, revision: str, patterns: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """The commit that `revision` is now, and the SHA-256 of each file that this program fetches of it."""
    from fnmatch import fnmatch

    info = api.model_info(repository, revision=revision, files_metadata=True)
    found = {}
    for sibling in info.siblings:
        if not any(fnmatch(sibling.rfilename, pattern) for pattern in patterns):
            continue
        if sibling.lfs:
            found[sibling.rfilename] = sibling.lfs["sha256"] if isinstance(sibling.lfs, dict) else sibling.lfs.sha256
        elif (sibling.size or 0) <= MOST_SMALL_BYTES:
            path = api.hf_hub_download(repository, sibling.rfilename, revision=info.sha)
            found[sibling.rfilename] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return info.sha, dict(sorted(found.items()))


def pinned_line(line: str, api: Any, patterns: tuple[str, ...], again: bool) -> str:
    """A row of models.toml with its pins; rows without a repository, and those pinned already, stay as they are."""
    row, repository = ROW.match(line), re.search(r'repository = "([^"]+)"', line)
    revision = re.search(r'revision = "([^"]+)"', line)
    if row is None or repository is None or revision is None or (row["pins"] and not again):
        return line
    commit, files = pins(api, repository[1], revision[1], patterns)
    listed = ", ".join(f'"{name}" = "{digest}"' for name, digest in files.items())
    rest = row["rest"].replace(f'revision = "{revision[1]}"', f'revision = "{commit}"')
    return f"{row['head']}{row['alias']}{rest}, sha256 = {{ {listed} }}{row['end']}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--all", action="store_true", help="also those that are pinned already")
    asked = parser.parse_args()
    from huggingface_hub import HfApi

    from mlx_tts.models import families

    patterns = tuple(name for family in families.families() for name in (*family.small_files, *family.weights))
    lines = TABLE.read_text(encoding="utf-8").split("\n")
    for at, line in enumerate(lines):
        lines[at] = pinned_line(line, HfApi(), patterns, asked.all)
        if lines[at] != line:
            print(f"pinned {line.split(chr(34))[1]}", flush=True)
            TABLE.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
