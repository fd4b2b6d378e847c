"""Two arrays -> what differs between them, as a line for people; nothing where they agree."""

from __future__ import annotations

from typing import Any

import numpy as np


def difference(what: str, own: Any, golden: Any, tolerance: float = 0.0) -> list[str]:
    """tolerance 0: equal number for number."""
    own, golden = np.asarray(own), np.asarray(golden)
    if own.shape != golden.shape:
        return [f"{what} has shape {own.shape}, golden is {golden.shape}"]
    if tolerance == 0.0:
        wrong = int((own != golden).sum())
        return [f"{what}: {wrong} of {golden.size} differ"] if wrong else []
    largest = float(np.abs(own.astype(np.float64) - golden).max()) if golden.size else 0.0
    return [f"{what} differs by {largest:.1e}"] if not largest <= tolerance else []
