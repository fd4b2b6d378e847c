"""The first items of every shard that still grows, as shards of their own beside the same sound: for kit/check.sh.

    python first_items.py --data DATA --out TRY --items 240

Exit code 1 while a shard has fewer items.
"""

import argparse
from pathlib import Path

from pool import read_items


def cut(data, out, count):
    """Whether every shard of `data` has `count` items; then `out` has them."""
    shards = sorted(Path(data).glob("*.jsonl"))
    if not shards or any(len(read_items(index)[0]) < count for index in shards):
        return False
    out.mkdir(parents=True, exist_ok=True)
    for index in shards:
        lines = index.read_bytes().splitlines(keepends=True)[:count]
        (out / index.name).write_bytes(b"".join(lines))
        for kind in (".pcm", ".lab"):
            link = out / index.with_suffix(kind).name
            link.unlink(missing_ok=True)
            link.symlink_to(index.with_suffix(kind).resolve())
    return True


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--items", type=int, required=True, help="of each shard")
    options = parser.parse_args()
    raise SystemExit(0 if cut(options.data, options.out, options.items) else 1)
