"""A folder of a model -> a copy that ends each piece after some frames: for tests that ask where sound comes from."""

import json
import shutil
from pathlib import Path


def short_model(model: Path, folder: Path, frames: int = 12) -> Path:
    """The copy, `folder`, which must not be there yet."""
    shutil.copytree(model, folder)
    settings = json.loads((folder / "generation_config.json").read_text()) | {"max_new_tokens": frames}
    (folder / "generation_config.json").write_text(json.dumps(settings))
    return folder
