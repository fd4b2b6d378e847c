"""Train the byte-level BPE in the Qwen2 file format; role names stay single tokens.

    python tokenizer.py --text texts.jsonl --out TOKENIZER [--tokens 1000] [--phones]
    python tokenizer.py --shipped ../../mlx_tts/builtin/tiny --out TOKENIZER --phones

The second keeps the merges of a shipped model and adds the phones (phone_tokens.py) behind its other ids.

Text files: one text a line, plain or JSON ({"text": ...} or a list that begins with the text), .gz allowed; shard
indexes (NAME.jsonl) will do.
"""

import argparse
import gzip
import itertools
import json
from pathlib import Path

from phone_tokens import CHARACTERS, RESERVED
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
ROLES = ("assistant", "user", "system")
SPECIAL = {
    "end_of_text": "<|endoftext|>",
    "im_start": "<|im_start|>",
    "im_end": "<|im_end|>",
    "tts_pad": "<tts_pad>",
    "tts_bos": "<tts_text_bos>",
    "tts_eos": "<tts_text_eod>",
}


def read_texts(path):
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            value = json.loads(line) if line[:1] in "{[" else line
            yield value["text"] if isinstance(value, dict) else value[0] if isinstance(value, list) else value


def configure(tokenizer):
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def split(word, merges):
    rank = {merge: number for number, merge in enumerate(merges)}
    parts = list(word)
    while True:
        known = [(rank[pair], place) for place, pair in enumerate(itertools.pairwise(parts)) if pair in rank]
        if not known:
            return parts
        _, place = min(known)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]


def add_roles(vocabulary, merges):
    """Merge what is left of each role name, last in rank, so that other words keep their split."""
    for role in ROLES:
        parts = split(role, merges)
        while len(parts) > 1:
            merges.append((parts[0], parts[1]))
            vocabulary.setdefault(parts[0] + parts[1], len(vocabulary))
            parts = split(role, merges)


def train(texts, tokens):
    tokenizer = configure(Tokenizer(models.BPE()))
    trainer = trainers.BpeTrainer(
        vocab_size=tokens, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), min_frequency=2, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    state = json.loads(tokenizer.to_str())["model"]
    merges = [tuple(merge.split(" ")) if isinstance(merge, str) else tuple(merge) for merge in state["merges"]]
    add_roles(state["vocab"], merges)
    return state["vocab"], merges


def write(out, vocabulary, merges, phones=False):
    out.mkdir(parents=True, exist_ok=True)
    special = {name: len(vocabulary) + number for number, name in enumerate(SPECIAL)}
    (out / "vocab.json").write_text(json.dumps(vocabulary, ensure_ascii=False), encoding="utf-8")
    (out / "merges.txt").write_text(
        "#version: 0.2\n" + "".join(" ".join(merge) + "\n" for merge in merges), encoding="utf-8"
    )
    plain = {"lstrip": False, "rstrip": False, "normalized": False, "single_word": False, "special": True}
    first = len(vocabulary) + len(SPECIAL)
    added = {str(special[name]): {"content": SPECIAL[name], **plain} for name in SPECIAL}
    if phones:
        added |= {
            str(first + row): {"content": character, **plain, "special": False}
            for row, character in enumerate(CHARACTERS)
        }
    (out / "tokenizer_config.json").write_text(
        json.dumps(
            {
                "tokenizer_class": "Qwen2Tokenizer",
                "model_max_length": 131072,
                "add_prefix_space": False,
                "add_bos_token": False,
                "bos_token": None,
                "eos_token": SPECIAL["im_end"],
                "pad_token": SPECIAL["end_of_text"],
                "unk_token": None,
                "errors": "replace",
                "clean_up_tokenization_spaces": False,
                "split_special_tokens": False,
                "added_tokens_decoder": added,
            },
            indent=1,
        )
    )
    ids = special | {
        "assistant": vocabulary["assistant"],
        "newline": vocabulary["Ċ"],
        "vocabulary": first + (RESERVED if phones else 0),
    }
    if phones:
        ids["phones"] = first
    (out / "text_ids.json").write_text(json.dumps(ids, indent=1))


def load_plain(folder):
    """The tokenizer for plain text (no special tokens)."""
    vocabulary = json.loads((Path(folder) / "vocab.json").read_text(encoding="utf-8"))
    lines = (Path(folder) / "merges.txt").read_text(encoding="utf-8").splitlines()[1:]
    plain = configure(Tokenizer(models.BPE(vocab=vocabulary, merges=[tuple(line.split(" ")) for line in lines])))
    added = json.loads((Path(folder) / "tokenizer_config.json").read_text()).get("added_tokens_decoder", {})
    if any(not entry["special"] for entry in added.values()):  # phones: they stand behind the special tokens
        for _, entry in sorted(added.items(), key=lambda item: int(item[0])):
            token = AddedToken(entry["content"], special=entry["special"], normalized=False)
            (plain.add_special_tokens if entry["special"] else plain.add_tokens)([token])
        plain.encode_special_tokens = True
    return plain


def shipped(folder):
    """Vocabulary and merges of a model that is there."""
    lines = (folder / "merges.txt").read_text(encoding="utf-8").splitlines()[1:]
    vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
    return vocabulary, [tuple(line.split(" ")) for line in lines]


def load(folder):
    """The tokenizer for plain text and the ids of the special tokens."""
    return load_plain(folder), json.loads((Path(folder) / "text_ids.json").read_text())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", nargs="+", type=Path, default=[])
    parser.add_argument("--shipped", type=Path, help="a model whose merges are kept")
    parser.add_argument("--phones", action="store_true", help="add the tokens of phones")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--tokens", type=int, default=1000)
    options = parser.parse_args()
    texts = [text for path in options.text for text in read_texts(path)]
    if options.shipped:
        write(options.out, *shipped(options.shipped), phones=options.phones)
        raise SystemExit
    write(options.out, *train(texts, options.tokens), phones=options.phones)
    trained, ids = load(options.out)
    sample = texts[:: max(1, len(texts) // 3000)]
    characters = sum(map(len, sample)) / sum(len(trained.encode(text).ids) for text in sample)
    print(f"{len(texts)} texts, {ids['vocabulary']} ids, {characters:.2f} characters a token")
