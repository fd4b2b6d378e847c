"""A .mlpackage in, the files in it out. Imports nothing, so that the engine can look without coremltools."""

from __future__ import annotations

from pathlib import Path

MANIFEST = "coreml.json"  # what makes a folder one of Core ML packages
DATA = Path("Data") / "com.apple.CoreML"


def model_file(package: Path) -> Path:
    return package / DATA / "model.mlmodel"


def blob_file(package: Path) -> Path:
    return package / DATA / "weights" / "weight.bin"
