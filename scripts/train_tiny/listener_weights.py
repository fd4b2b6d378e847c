"""Write what `listener.py` needs of Resemblyzer 0.1.4 (2.9 MB): the weights, in half precision.

python listener_weights.py --out listener.pt        (its package, without its dependencies, is enough)
"""

import argparse
from importlib.util import find_spec
from pathlib import Path

import torch

PARTS = ("lstm", "linear")

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=Path)
    options = parser.parse_args()
    found = find_spec("resemblyzer")
    if found is None:
        raise SystemExit("Resemblyzer is not installed: pip install --no-deps Resemblyzer==0.1.4")
    state = torch.load(Path(found.origin).parent / "pretrained.pt", map_location="cpu", weights_only=True)
    state = {name: value.half() for name, value in state["model_state"].items() if name.split(".")[0] in PARTS}
    torch.save(state, options.out)
