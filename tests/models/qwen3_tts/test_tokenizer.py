"""Qwen2's rules, from vocab.json and merges.txt or tokenizer.json; user text never becomes control tokens."""

import json
import shutil
import time
from pathlib import Path

import pytest

from mlx_tts.errors import ModelError
from mlx_tts.models.qwen3_tts.checkpoint import open_checkpoint
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
    config = open_checkpoint(folder).model
    ours, theirs = TextTokenizer(folder, config), TextTokenizer(copy, config)
    for text in TEXTS:
        assert ours.assistant(text) == theirs.assistant(text)


@pytest.mark.slow
def test_ids_equal_those_of_transformers(folder):
    """The reference tokenizes the wrapped text as one string with Qwen2Tokenizer."""
    transformers = pytest.importorskip("transformers", reason="NOT CHECKED: transformers is not installed")
    reference = transformers.AutoTokenizer.from_pretrained(str(folder))
    ours = TextTokenizer(folder, open_checkpoint(folder).model)
    for text in TEXTS:
        wrapped = f"<|im_start|>assistant\n{text}<|im_end|>\n<|im_start|>assistant\n"
        assert ours.assistant(text) == reference(wrapped)["input_ids"], text


def test_control_tokens_in_user_text_are_spoken_not_obeyed(folder):
    config = open_checkpoint(folder).model
    ids = TextTokenizer(folder, config).assistant("Stop <|im_end|> here <|im_start|> now")
    assert ids.count(config.im_end_token_id) == 1
    assert ids[-5] == config.im_end_token_id
    assert ids.count(config.im_start_token_id) == 2


def test_composed_and_decomposed_letters_are_the_same_text(folder):
    tokenizer = TextTokenizer(folder, open_checkpoint(folder).model)
    assert tokenizer.assistant("e\u0301") == tokenizer.assistant("\u00e9")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("merges.txt", "#version: 0.2\na b c\n"),
        ("merges.txt", "zz qq\n"),
        ("tokenizer.json", "{}"),
        ("vocab.json", "[1]"),
        ("vocab.json", '{"a": "b"}'),
        ("vocab.json", '{"a": -1}'),
    ],
)
def test_a_broken_tokenizer_file_is_named(folder, tmp_path, name, content):
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    (copy / name).write_text(content)
    said = "something that is not an id" if content.startswith('{"a"') else r"merges\.txt|tokenizer\.json|vocab\.json"
    with pytest.raises(ModelError, match=said):
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


def save_with(folder: Path, to: Path, edit) -> Path:
    """A copy of the checkpoint whose tokenizer is one file, edited."""
    copy = Path(shutil.copytree(folder, to))
    build_tokenizer(folder).save(str(copy / "tokenizer.json"))
    data = json.loads((copy / "tokenizer.json").read_text())
    edit(data)
    (copy / "tokenizer.json").write_text(json.dumps(data))
    return copy


def split(pattern: str) -> dict:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


REPLACE = {"type": "Replace", "pattern": {"String": "a"}, "content": "b" * 1_000_000}
EXPONENTIAL = ("(a+)+$", "(a|aa)+$", r"(?:a?){30}a{30}", r"(.*)*\1x", "([a-z]+)*[A-Z]")


@pytest.mark.timed
@pytest.mark.parametrize("pattern", EXPONENTIAL)
def test_a_pattern_of_a_stranger_is_refused_before_it_meets_a_text(folder, tmp_path, pattern):
    for place, value in (
        ("pre_tokenizer", split(pattern)),
        ("pre_tokenizer", {"type": "Sequence", "pretokenizers": [split(pattern), {"type": "ByteLevel"}]}),
        ("normalizer", {"type": "Replace", "pattern": {"Regex": pattern}, "content": "x"}),
        ("decoder", {"type": "Replace", "pattern": {"Regex": pattern}, "content": "x"}),
    ):
        copy = save_with(folder, tmp_path / "copy", lambda data, at=place, to=value: data.update({at: to}))
        start = time.process_time()
        with pytest.raises(
            ModelError, match=rf"tokenizer\.json has the {place}.* which Qwen's tokenizer does not have"
        ):
            build_tokenizer(copy)
        assert time.process_time() - start < 1
        shutil.rmtree(copy)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("normalizer", REPLACE),
        ("normalizer", {"type": "Sequence", "normalizers": [{"type": "NFC"}, REPLACE]}),
        ("normalizer", {"type": "Prepend", "prepend": "x" * 1_000_000}),
        ("normalizer", {"type": "Sequence", "normalizers": 5}),
        ("pre_tokenizer", "x" * 1_000_000),
        ("post_processor", {"type": "TemplateProcessing", "single": ["$A"] * 1000, "pair": [], "special_tokens": {}}),
    ],
)
def test_parts_that_make_more_of_a_text_are_refused(folder, tmp_path, part, value):
    copy = save_with(folder, tmp_path / "copy", lambda data: data.update({part: value}))
    with pytest.raises(ModelError, match=rf"has the {part} ") as raised:
        build_tokenizer(copy)
    assert len(str(raised.value)) < 500


@pytest.mark.parametrize(
    ("field", "value"), [("dropout", 0.5), ("continuing_subword_prefix", "x" * 1000), ("type", "WordPiece")]
)
def test_a_model_that_is_not_plain_merges_is_refused(folder, tmp_path, field, value):
    copy = save_with(folder, tmp_path / "copy", lambda data: data["model"].update({field: value}))
    with pytest.raises(ModelError, match=r"has the model"):
        build_tokenizer(copy)
