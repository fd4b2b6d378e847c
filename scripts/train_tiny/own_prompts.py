"""The package's own prompts of many texts, for own_takes.py: each text by each preset and by a speaker's vector.

    python own_prompts.py --texts TEXTS --names name_texts.jsonl --held-out held_out.txt --out prompts.npz --count 3000

TEXTS has a text a line, as text.py writes them; --names are further texts with words that are said as phones tell
(name_texts.py). Needs the package and MLX, not torch. A row is one text by one voice: its text ids, its codec ids, and the text
ids that are streamed beside the frames. Of each text by a preset the phones of all its words are there as well.
"""

import argparse
import json
import random
import re
from pathlib import Path

import numpy as np

NAMES_HELD = 60  # texts with names that are kept aside
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


def named(path, seed):
    """Texts of name_texts.py that are short enough: {text: {word: [American, British phones]}}."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    random.Random(seed).shuffle(rows)
    return {row["text"]: row["said"] for row in rows if len(row["text"]) <= LONGEST}


def with_said(text, said, is_british):
    """A text whose words have the phones that are given for them."""
    from mlx_tts.text.phonemes.phones import marked

    if not said:
        return text
    words = "|".join(sorted(map(re.escape, said), key=len, reverse=True))
    return re.sub(rf"\b(?:{words})\b", lambda match: marked(match[0], said[match[0]][is_british]), text)


def rows_of(model, voices, texts, kind, said_as, language="english"):
    """(text's number, voice, kind, ids, phones of all words) of each text by each voice that can be said."""
    from mlx_tts import SpeechRequest
    from mlx_tts.errors import MlxTtsError
    from mlx_tts.narration.plan import reading_for
    from mlx_tts.text.phonemes.sentences import spoken_parts

    reading = reading_for(model.info, normalise="auto")
    for number, text in enumerate(texts):
        for name, voice in voices.items():
            shown = voice if isinstance(voice, str) else None
            is_british = shown in model.info.british_voices
            try:
                given = with_said(text, said_as.get(text), is_british) if shown else text
                said = reading.spoken(given, language, voice=shown)
                prompt = model.prompt(SpeechRequest(said, voice=voice, language=language))
            except MlxTtsError as error:
                print(f"left out: {text}: {error}")
                continue
            phones = "".join(part.phones or "" for part in spoken_parts(said, is_british)) if shown else ""
            yield number, name, kind, (prompt.text, prompt.codec, prompt.trailing), phones


def main(options):
    import mlx_tts

    texts = chosen(options.texts, options.count, options.seed)
    held = options.held_out.read_text(encoding="utf-8").splitlines()
    said_as = named(options.names, options.seed) if options.names else {}
    names = list(said_as)[: NAMES_HELD + options.count_names]
    held, texts, rows = [*held, *names[:NAMES_HELD]], [*texts, *names[NAMES_HELD:]], []
    with mlx_tts.load("tiny", offline=True) as model:
        presets = {voice: voice for voice in model.voices}
        rows += rows_of(model, presets, texts, "learn", said_as)
        rows += rows_of(model, presets, held, "held", said_as)
    with mlx_tts.load("tiny-base", offline=True) as model:
        vector = model.voice(np.sin(np.arange(48000) / 20).astype(np.float32) / 2, 24000)  # another takes its place
        rows += rows_of(model, {"clone": vector}, texts, "learn", {})
        rows += rows_of(model, {"clone": vector}, held, "held", {})
    facts = {
        "texts": texts,
        "held": held,
        "ordinary": {
            "learn": len(texts) - max(0, len(names) - NAMES_HELD),
            "held": len(held) - min(NAMES_HELD, len(names)),
        },  # then come names
        "text_pad": json.loads((Path(mlx_tts.__file__).parent / "builtin/tiny/config.json").read_text())[
            "tts_pad_token_id"
        ],
        "rows": [[number, voice, kind] for number, voice, kind, *_ in rows],
        "phones": [row[4] for row in rows],
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
    parser.add_argument("--names", type=Path, help="texts with names, too")
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--count-names", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=11)
    main(parser.parse_args())
