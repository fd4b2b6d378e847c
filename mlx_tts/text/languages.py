"""placeholder until the real one is merged"""
from mlx_tts.errors import RequestError
def resolve(name, allowed):
    if name.lower() not in allowed: raise RequestError(f"unknown language {name!r}: this model speaks {', '.join(allowed)}")
    return name.lower()
