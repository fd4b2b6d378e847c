"""A folder in; 20 sentences spoken into it as wav by the built-in voice, and their texts: to be recognised elsewhere.

MLX_TTS_KERNELS=half python benchmarks/speak_sentences.py FOLDER
"""

from __future__ import annotations

import sys
import time
import wave
from pathlib import Path

import numpy as np

import mlx_tts

SENTENCES = """The old lighthouse stood at the end of the pier.
Every evening the keeper climbed the stairs to light the lamp.
She bought fresh bread and a bottle of milk at the market.
My brother has worked in the garden since early morning.
The train to the coast leaves in about ten minutes.
Please close the window before the rain comes in.
They walked along the river and talked about the summer.
A small boat was waiting for us on the other side.
The children built a house of wood between the trees.
Nobody knew why the clock had stopped during the night.
He opened the letter slowly and read it twice.
The doctor said that rest would help more than medicine.
We watched the snow fall on the quiet street.
Her voice was clear, and everyone in the room could hear it.
The teacher wrote a long list of words on the board.
After dinner they played cards until it was late.
The road over the mountain is closed in winter.
I would like a cup of tea and a piece of cake.
The dog ran across the field and jumped over the fence.
Tomorrow we will visit the museum in the old town.""".splitlines()


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    tts, begin = mlx_tts.load("tiny"), time.perf_counter()
    seconds = 0.0
    for number, text in enumerate(SENTENCES):
        voice = tts.voices[number % len(tts.voices)]
        request = mlx_tts.SpeechRequest(text, voice=voice, language="english", seed=number)
        sound = tts.speak(request)
        seconds += len(sound.samples) / tts.sample_rate
        with wave.open(str(folder / f"{number:02d}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(tts.sample_rate)
            file.writeframes((np.clip(sound.samples, -1, 1) * 32767).astype("<i2").tobytes())
        (folder / f"{number:02d}.txt").write_text(text, encoding="utf-8")
    print(f"{len(SENTENCES)} sentences, {seconds:.0f} s of speech in {time.perf_counter() - begin:.1f} s")


if __name__ == "__main__":
    main()
