"""A .mlpackage in, the files in it out; and coremltools, which makes and reads them, where it is installed.

Imports nothing heavy, so that the engine can look at a folder without coremltools.
"""

from __future__ import annotations

import importlib
import logging
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

from mlx_tts.errors import MlxTtsError
from mlx_tts.extras import missing

NEEDED = "this needs coremltools (Python 3.11 to 3.13, Linux on x86_64 or macOS)"
LOUD = 40  # logging.ERROR
MANIFEST = "coreml.json"  # what makes a folder one of Core ML packages
DATA = Path("Data") / "com.apple.CoreML"


def model_file(package: Path) -> Path:
    return package / DATA / "model.mlmodel"


def blob_file(package: Path) -> Path:
    return package / DATA / "weights" / "weight.bin"


@lru_cache(maxsize=1)
def coremltools() -> Any:
    """The module, imported quietly: off the Mac it logs a line for each library that it does not have.

    MlxTtsError where the extra `coreml` is not installed.
    """
    before = logging.root.manager.disable
    logging.disable(LOUD if sys.platform != "darwin" else before)
    try:
        return importlib.import_module("coremltools")
    except ImportError:
        raise MlxTtsError(missing(NEEDED, "coreml")) from None
    finally:
        logging.disable(before)
