"""The package's own prompts of many texts, for own_takes.py: each text by each preset and by a speaker's vector.

    python own_prompts.py --texts TEXTS --held-out held_out.txt --out prompts.npz --count 3000

TEXTS has a text a line, as text.py writes them. Needs the package and MLX, not torch. A row is one text by one voice: its text
ids, its codec ids, and the text ids that are streamed beside the frames.
"""

import argparse
import json
import random
from pathlib import Path

import numpy as np

LONGEST = 125  # characters: about 8 seconds
SHORT, SHORT_SHARE = 30, 0.3


def chosen(path, count, seed):
    """Texts of the two kinds, in a seeded order."""
    texts = [text for text in dict.fromkeys(path.read_text(encoding="utf-8").splitlines()) if 2 <= len(text) <= LONGEST]
    random.Random(seed).shuffle(texts)
    short = [text for text in texts if len(text) <= SHORT][: int(count * SHORT_SHARE)]
    found = short + [text for text in texts if len(text) > SHORT][: count - len(short)]
    random.Random(seed).shuffle(found)
    return found


def rows_of(model, voices, texts, kind, language="english"):
    """(text's number, voice, kind, ids) of each text by each voice that can be said."""
    from mlx_tts import SpeechRequest
    from mlx_tts.errors import MlxTtsError
    from mlx_tts.narration.plan import reading_for

    reading = reading_for(model.info, normalise="auto")
    for number, text in enumerate(texts):
        for name, voice in voices.items():
            shown = voice if isinstance(voice, str) else None
            try:
                said = reading.spoken(text, language, voice=shown)
                prompt = model.prompt(SpeechRequest(said, voice=voice, language=language))
            except MlxTtsError as error:
                print(f"left out: {text}: {error}")
                continue
            yield number, name, kind, (prompt.text, prompt.codec, prompt.trailing)


def main(options):
    import mlx_tts

    texts = chosen(options.texts, options.count, options.seed)
    held = options.held_out.read_text(encoding="utf-8").splitlines()
    rows = []
    with mlx_tts.load("tiny", offline=True) as model:
        presets = {voice: voice for voice in model.voices}
        rows += rows_of(model, presets, texts, "learn")
        rows += rows_of(model, presets, held, "held")
    with mlx_tts.load("tiny-base", offline=True) as model:
        vector = model.voice(np.sin(np.arange(48000) / 20).astype(np.float32) / 2, 24000)  # another takes its place
        rows += rows_of(model, {"clone": vector}, texts, "learn")
        rows += rows_of(model, {"clone": vector}, held, "held")
    facts = {
        "texts": texts,
        "held": held,
        "text_pad": json.loads((Path(mlx_tts.__file__).parent / "builtin/tiny/config.json").read_text())[
            "tts_pad_token_id"
        ],
        "rows": [[number, voice, kind] for number, voice, kind, _ in rows],
    }
    ids = [[np.asarray(part, np.int16) for part in row[3]] for row in rows]
    np.savez_compressed(
        options.out,
        facts=np.frombuffer(json.dumps(facts).encode(), np.uint8),
        lengths=np.array([[len(part) for part in row] for row in ids], np.int32),
        **{name: np.concatenate([row[at] for row in ids]) for at, name in enumerate(("text", "codec", "trailing"))},
    )
    print(f"{len(texts)} texts, {len(held)} held out, {len(rows)} prompts: {options.out}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--held-out", type=Path, default=Path(__file__).with_name("held_out.txt"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=11)
    main(parser.parse_args())
