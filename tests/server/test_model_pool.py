"""Which models a server has, without a server process."""

import pytest

from mlx_tts.errors import MlxTtsError
from mlx_tts.server.run import new_serving
from mlx_tts.server.settings import ServerSettings


def test_a_server_fetches_nothing_by_itself(tmp_path, monkeypatch):
    """`mlx-tts serve` has fetched what it may; a model that is not there is named, and the others are served."""
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path))
    asked = []

    def download(spec, *arguments, **options):
        asked.append(spec.name)
        raise AssertionError(f"{spec.name} would be fetched")

    monkeypatch.setattr("mlx_tts.library.hub.download", download)
    pool = new_serving(ServerSettings(models=("tiny", "kokoro"))).pool
    assert [model.id for model in pool.models] == ["tiny"]
    assert "run `mlx-tts pull kokoro`" in pool.broken["kokoro"]
    with pytest.raises(MlxTtsError, match="kokoro is not on disk"):
        new_serving(ServerSettings(models=("kokoro",)))
    assert asked == []
