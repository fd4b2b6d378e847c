"""A module of speech-dispatcher that hums, and the other end of its conversation."""

from __future__ import annotations

import io
import os
import queue
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from mlx_tts.job.settings import SpeechSettings
from mlx_tts.screen_reader.protocol import Module
from mlx_tts.screen_reader.voice import ScreenVoice
from tests.helpers.fakes import FakeModels, make_folder

HEAD = b"705-bits=16"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    return tmp_path


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeModels:
    """25 frames of 80 ms of each text; serena, uncle_fu, ryan and hazel."""
    fake = FakeModels()
    monkeypatch.setattr("mlx_tts.models.families.open_checkpoint", fake.open_checkpoint)
    monkeypatch.setattr("mlx_tts.api.load_checkpoint", fake.load_checkpoint)
    make_folder(tmp_path / "home" / "custom_voice")
    return fake


@pytest.fixture
def settings(models: FakeModels, tmp_path: Path) -> SpeechSettings:
    return SpeechSettings(model=str(tmp_path / "home" / "custom_voice"))


@pytest.fixture
def voice(settings: SpeechSettings) -> Iterator[ScreenVoice]:
    voice = ScreenVoice(settings)
    yield voice
    voice.close()


@dataclass
class Block:
    """Some sound as it came."""

    samples: np.ndarray
    rate: int


@dataclass
class Client:
    """speech-dispatcher: sends lines, and reads answers, events and sound in their order."""

    sink: io.FileIO
    source: io.BufferedReader
    heard: queue.Queue[str | Block] = field(default_factory=queue.Queue)

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        for line in self.source:
            self.heard.put(self._block() if line.rstrip() == HEAD else line.decode().rstrip("\n"))

    def _block(self) -> Block:
        fields = dict(self.source.readline().decode()[4:-1].split("=") for _ in range(4))
        line = self.source.readline()
        assert line.startswith(b"705-AUDIO\0") and line.endswith(b"\n") and self.source.readline() == b"705 AUDIO\n"
        data, escaped = bytearray(), False
        for byte in line[len(b"705-AUDIO\0") : -1]:
            if byte == 0x7D and not escaped:
                escaped = True
            else:
                data.append(byte ^ 0x20 if escaped else byte)
                escaped = False
        samples = np.frombuffer(bytes(data), "<i2")
        assert len(samples) == int(fields["num_samples"])
        assert (fields["num_channels"], fields["big_endian"]) == ("1", "0")
        return Block(samples, int(fields["sample_rate"]))

    def send(self, *lines: str) -> None:
        self.sink.write("".join(f"{line}\n" for line in lines).encode())

    def until(self, line: str, seconds: float = 20.0) -> list[str | Block]:
        """All that comes up to this line, and the line."""
        end, came = time.monotonic() + seconds, []
        while not came or came[-1] != line:
            try:
                came.append(self.heard.get(timeout=max(0.01, end - time.monotonic())))
            except queue.Empty:
                raise AssertionError(f"{line} did not come, but {came}") from None
        return came

    def ask(self, *lines: str) -> list[str | Block]:
        """What is answered to lines before the answer to one that is unknown."""
        self.send(*lines, "NONSENSE")
        return self.until("300 ERR UNKNOWN COMMAND")[:-1]

    def speak(self, kind: str, text: str, *, end: str = "702 END") -> list[str | Block]:
        """The events of a message, its answers left out."""
        self.send(kind, text, ".")
        came = self.until(end)
        assert came[:2] == ["202 OK RECEIVING MESSAGE", "200 OK SPEAKING"]
        return came[2:]


def events(came: list[str | Block]) -> list[str]:
    return [one for one in came if isinstance(one, str)]


def seconds(came: list[str | Block]) -> float:
    return sum(len(one.samples) / one.rate for one in came if isinstance(one, Block))


@pytest.fixture
def client(voice: ScreenVoice) -> Iterator[Client]:
    """A conversation that has begun."""
    to_module, from_module = os.pipe(), os.pipe()
    sink, source = os.fdopen(from_module[1], "wb"), os.fdopen(to_module[0], "rb")
    module = threading.Thread(target=Module(voice, source, sink, idle_seconds=None).run, daemon=True)
    module.start()
    client = Client(os.fdopen(to_module[1], "wb", buffering=0), os.fdopen(from_module[0], "rb"))
    client.send("INIT")
    client.until("299 OK LOADED SUCCESSFULLY")
    yield client
    client.sink.close()
    module.join(timeout=10)
    sink.close()
    client.thread.join(timeout=10)
    client.source.close()
    source.close()
