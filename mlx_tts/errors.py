"""The errors this package raises on purpose: one clear line each, saying what to do next."""


class MlxTtsError(Exception):
    """Anything that stopped the work and that the user can do something about. The command exits with 1."""

    exit_code = 1


class RequestError(MlxTtsError):
    """The request itself is wrong (text, voice, language, a number, an option). The command exits with 2."""

    exit_code = 2


class ModelError(MlxTtsError):
    """A checkpoint is missing, incomplete, damaged or of an unknown kind."""


class DownloadError(MlxTtsError):
    """A model could not be fetched."""


class AudioError(MlxTtsError):
    """Audio could not be read, written or played."""


class MissingAudioError(AudioError):
    """There is no recording of this name. The command exits with 2: nothing was begun."""

    exit_code = 2
