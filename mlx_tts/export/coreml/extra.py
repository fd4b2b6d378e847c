"""Nothing in, the coremltools module out; or one clear line where the extra `coreml` is not installed."""

from __future__ import annotations

import importlib
import logging
import sys
from functools import lru_cache
from typing import Any

from mlx_tts.errors import MlxTtsError

MISSING = "this needs coremltools: pip install 'mlx-tts[coreml]' (Python 3.11 to 3.13, Linux on x86_64 or macOS)"
LOUD = 40  # logging.ERROR


@lru_cache(maxsize=1)
def coremltools() -> Any:
    """coremltools, quietly: off the Mac it logs a line for each library that it does not have."""
    before = logging.root.manager.disable
    logging.disable(LOUD if sys.platform != "darwin" else before)
    try:
        return importlib.import_module("coremltools")
    except ImportError:
        raise MlxTtsError(MISSING) from None
    finally:
        logging.disable(before)
