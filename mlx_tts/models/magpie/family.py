"""MagpieTTS as a family: what models/families.py asks for."""

from mlx_tts.models.families import LazyFamily

FAMILY = LazyFamily(
    name="magpie",
    package="mlx_tts.models.magpie",
    model_types=("magpie_tts",),  # of converted folders
    small_files=("config.json", "codec/config.json", "text/*"),
    described_by=("config.json", "codec/config.json"),
    weights=("model.safetensors", "codec/model.safetensors"),
    archives=("*.nemo", "*.gguf"),
)
