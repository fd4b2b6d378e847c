"""Qwen2's rules, from vocab.json and merges.txt or tokenizer.json; user text never becomes control tokens."""

import json
import shutil
from pathlib import Path

import pytest

from mlx_tts.errors import ModelError
from mlx_tts.models.qwen3_tts.config import load_model_config
from mlx_tts.models.qwen3_tts.tokenizer import TextTokenizer, build_tokenizer

TEXTS = [
    "Hello world, how are you today?",
    "It's 3:45 pm; they're HERE'S 1234567 numbers.",
    "Grüße aus München, señor. 你好，世界。こんにちは。",
    "tabs\tand\n\nnew lines   and   spaces ",
    "e\u0301 composed by NFC, 👍🏽 and \u200b zero width",
]


@pytest.fixture
def folder(oracle) -> Path:
    return oracle("custom_voice_tiny").folder


def test_tokenizer_json_gives_the_same_ids(folder, tmp_path):
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    build_tokenizer(folder).save(str(copy / "tokenizer.json"))
    (copy / "vocab.json").unlink()
    config = load_model_config(folder)
    ours, theirs = TextTokenizer(folder, config), TextTokenizer(copy, config)
    for text in TEXTS:
        assert ours.assistant(text) == theirs.assistant(text)


def test_ids_equal_those_of_transformers(folder):
    """The reference tokenizes the wrapped text as one string with Qwen2Tokenizer."""
    transformers = pytest.importorskip("transformers", reason="NOT CHECKED: transformers is not installed")
    reference = transformers.AutoTokenizer.from_pretrained(str(folder))
    ours = TextTokenizer(folder, load_model_config(folder))
    for text in TEXTS:
        wrapped = f"<|im_start|>assistant\n{text}<|im_end|>\n<|im_start|>assistant\n"
        assert ours.assistant(text) == reference(wrapped)["input_ids"], text


def test_control_tokens_in_user_text_are_spoken_not_obeyed(folder):
    config = load_model_config(folder)
    ids = TextTokenizer(folder, config).assistant("Stop <|im_end|> here <|im_start|> now")
    assert ids.count(config.im_end_token_id) == 1
    assert ids[-5] == config.im_end_token_id
    assert ids.count(config.im_start_token_id) == 2


def test_composed_and_decomposed_letters_are_the_same_text(folder):
    tokenizer = TextTokenizer(folder, load_model_config(folder))
    assert tokenizer.assistant("e\u0301") == tokenizer.assistant("\u00e9")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("merges.txt", "#version: 0.2\na b c\n"),
        ("merges.txt", "zz qq\n"),
        ("tokenizer.json", "{}"),
        ("vocab.json", "[1]"),
    ],
)
def test_a_broken_tokenizer_file_is_named(folder, tmp_path, name, content):
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    (copy / name).write_text(content)
    with pytest.raises(ModelError, match=r"merges\.txt|tokenizer\.json|vocab\.json"):
        build_tokenizer(copy)


def test_a_control_token_with_another_id_is_refused(folder, tmp_path):
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    path = copy / "tokenizer_config.json"
    data = json.loads(path.read_text())
    entries = data["added_tokens_decoder"]
    last = max(entries, key=int)
    entries[str(int(last) + 5)] = entries.pop(last)
    path.write_text(json.dumps(data))
    with pytest.raises(ModelError, match="another id"):
        build_tokenizer(copy)
