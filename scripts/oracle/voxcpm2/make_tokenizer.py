"""A toy tokenizer in the released layout (tokenizer.json, tokenizer_config.json, special_tokens_map.json).

    python make_tokenizer.py OUT_DIR        # needs tokenizers; make_case.py calls `build`

BPE with byte fallback over characters, spaces as U+2581, and the special tokens 0 1 2 and 101 to 104 where they are in VoxCPM2.
Several Chinese words are tokens, as in the released vocabulary, and must be split again into characters (../voxcpm2.md, section 3).
"""

import json
import sys
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, processors

SPECIAL = {
    0: "<unk>",
    1: "<s>",
    2: "</s>",
    101: "<|audio_start|>",
    102: "<|audio_end|>",
    103: "<|audio_prompt_start|>",
    104: "<|audio_prompt_end|>",
}
WORDS = [
    "the",
    "and",
    "ing",
    "hello",
    "world",
    "voice",
    "speak",
    "slow",
    "quick",
    "brown",
    "you",
    "good",
    "is",
    "on",
    "er",
]
CHINESE = ["你好", "世界", "人工", "智能", "人工智能", "今天", "天气"]  # tokens of several characters
SPACED = ["▁你好", "▁天气预报"]  # with the space mark: the first also stands in CHINESE without it, the second does not
SINGLE = "你好世界人工智能今天气报预吗，。！"


def build(out: Path) -> dict[str, int]:
    """Write the three files; the vocabulary."""
    vocab: dict[str, int] = {}

    def add(token: str) -> None:
        while len(vocab) in SPECIAL:
            vocab[SPECIAL[len(vocab)]] = len(vocab)
        if token not in vocab:
            vocab[token] = len(vocab)

    for byte in range(64):
        add(f"<0x{byte:02X}>")
    for character in "▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,!?'\"-:;(){}éüñа" + SINGLE:
        add(character)
    for byte in range(64, 256):
        add(f"<0x{byte:02X}>")
    merges: list[tuple[str, str]] = []

    def word(text: str) -> None:
        """Merges that build a word from left to right."""
        left = text[0]
        for character in text[1:]:
            if (left, character) not in merges:
                merges.append((left, character))
            left += character
            add(left)

    for text in SPACED + CHINESE + [w for base in WORDS for w in ("▁" + base, base)]:
        word(text)
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)]
    )
    tokenizer.add_special_tokens([AddedToken(t, normalized=False, special=True) for t in SPECIAL.values()])
    out.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(out / "tokenizer.json"))
    decoder = {
        str(i): {
            "content": t,
            "lstrip": False,
            "normalized": False,
            "rstrip": False,
            "single_word": False,
            "special": True,
        }
        for i, t in SPECIAL.items()
    }
    (out / "tokenizer_config.json").write_text(
        json.dumps(
            {
                "add_bos_token": True,
                "add_eos_token": False,
                "added_tokens_decoder": decoder,
                "bos_token": "<s>",
                "eos_token": "</s>",
                "clean_up_tokenization_spaces": False,
                "legacy": True,
                "model_max_length": 1000000000000000019884624838656,
                "pad_token": None,
                "sp_model_kwargs": {},
                "spaces_between_special_tokens": False,
                "tokenizer_class": "LlamaTokenizer",
                "unk_token": "<unk>",
                "use_default_system_prompt": False,
            },
            indent=1,
        )
    )
    (out / "special_tokens_map.json").write_text(
        json.dumps({"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"})
    )
    return vocab


if __name__ == "__main__":
    build(Path(sys.argv[1]))
