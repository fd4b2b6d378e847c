"""Tables and ids with the released dictionaries and alphabets are NeMo's; languages and unreadable texts."""

import hashlib
import json
import os
import sys
import warnings
from pathlib import Path

import pytest

from mlx_tts.errors import ModelError, RequestError
from mlx_tts.models.magpie.text.characters import ByteTokenizer, CharacterTokenizer, table_of
from mlx_tts.models.magpie.text.chinese import ChineseTokenizer
from mlx_tts.models.magpie.text.ipa import IPARules, IPATokenizer, read_dictionary
from mlx_tts.models.magpie.text.japanese import JapaneseTokenizer
from mlx_tts.models.magpie.text.tokenizer import Tokenizers
from tests.helpers.family_cases import MAGPIE as CASES

VECTORS = json.loads((CASES / "text_vectors.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["hi-chars-1", "hi-chars-2", "ar-chars-1"])
def test_characters(name):
    kind, version = ("arabic", 1) if name[:2] == "ar" else ("hindi", int(name[-1]))
    table = table_of(kind, {"charset_version": version, "punct_version": version}, old=False)
    assert table == VECTORS[name]["tokens"]
    for vector in VECTORS[name]["vectors"]:
        assert CharacterTokenizer(table, padded=True).encode(vector["text"]) == vector["ids"]


def dictionary(name: str, digest: str) -> str:
    """A released dictionary; loudly skipped where the environment names no folder with it."""
    folder = os.environ.get("MLX_TTS_NEMO_DICTIONARIES")
    if not folder:
        message = f"NOT CHECKED against NeMo's released {name}: MLX_TTS_NEMO_DICTIONARIES names no folder with it"
        warnings.warn(message, stacklevel=2)
        pytest.skip(message)
    data = (Path(folder) / name).read_bytes()
    assert hashlib.sha256(data).hexdigest() == digest, f"{name} is not the released one"
    return data.decode()


@pytest.mark.parametrize("name", ["en-US", "es-ES", "zh"])
def test_released_dictionaries(name):
    own = VECTORS[name]
    files = [dictionary(*file) for file in own["files"].items()]
    if name == "zh":
        for package in ("jieba", "pypinyin", "pypinyin_dict"):
            pytest.importorskip(package, reason="NOT CHECKED: Chinese needs the extra `chinese`")
        settings = {"pad_with_space": True, "g2p": {"tone_prefix": "#"}}
        tokenizer = ChineseTokenizer(settings, lambda: files[0], None)
    else:
        rules = IPARules.of({"pad_with_space": name == "es-ES", "g2p": {"locale": name}}, "")
        tokenizer = IPATokenizer(rules, lambda: files[0], lambda: files[1] if len(files) > 1 else "", None)
    assert tokenizer.tokens == own["tokens"]
    for vector in own["vectors"]:
        assert tokenizer.encode(vector["text"]) == vector["ids"], vector["text"]


def english(words: str) -> IPATokenizer:
    return IPATokenizer(IPARules.of({"g2p": {"locale": "en-US"}}, ""), lambda: words, lambda: "READ", None)


def said(tokenizer: IPATokenizer, text: str) -> str:
    return "".join(tokenizer.tokens[number] for number in tokenizer.encode(text))


def test_words_on_two_lines_stay_apart():
    tokenizer = english("CAT  kæt\nDOG  dɔɡ\n")
    assert said(tokenizer, "cat\ndog\tcat") == "kæt dɔɡ kæt"


def test_the_first_pronunciation_counts_and_of_equal_words_the_last():
    assert read_dictionary("A  b c\nA(1)  d\n;;; x\n1  y\n") == {"A": ["bc", "d"]}
    assert said(english("cat  x\nCAT  kæt\nCAT(2)  z\n"), "Cat") == "kæt"


def test_pronunciations_by_hand():
    assert list(english("CAT  kæt\n").symbols("a |k æ t|!")) == ["A", " ", "k", "æ", "t", "!"]


@pytest.mark.parametrize("text", ["", "...", "123", "日本語", "!?"])
def test_nothing_that_can_be_read(text):
    assert english("CAT  kæt\n").encode(text) == []


def test_bytes():
    assert ByteTokenizer().encode("é!") == [0xC3 + 3, 0xA9 + 3, ord("!") + 3, 1]
    assert ByteTokenizer().encode("?!") == []


BYTES = {"_target_": "AutoTokenizer", "pretrained_model": "google/byt5-small"}


def nothing(name):
    raise AssertionError(f"{name} was read")


def test_the_languages_of_a_checkpoint():
    mapping = {"fr": ["gone", "a"], "ar-AE": "b", "ar-MSA": "b", "pt-BR": ["b"], "xx": ["gone"]}
    text = Tokenizers({"a": BYTES, "b": BYTES}, mapping, nothing, 770)
    assert text.languages == {"french": "a", "ar_ae": "b", "arabic": "b", "portuguese": "b"}
    assert text.offsets == {"a": 0, "b": 384}
    assert text.encode("a", "arabic") == [384 + ord("a") + 3, 384 + 1, 769]
    with pytest.raises(RequestError, match=r"nothing in '\.\.\.' that this model reads as french"):
        text.encode("...", "french")


def test_a_tokenizer_that_cannot_be_read_keeps_its_place():
    settings = {"a": BYTES, "japanese_phoneme": {"_target_": "x.JapaneseTokenizer"}, "b": BYTES}
    text = Tokenizers(settings, {"fr": "a", "ja": "japanese_phoneme", "de": "b"}, nothing, 384 * 2 + 100 + 2)
    assert text.offsets == {"a": 0, "japanese_phoneme": 384, "b": 484}
    assert text.readable() == ("french", "german")
    with pytest.raises(RequestError, match="cannot read with the tokenizer JapaneseTokenizer"):
        text.encode("a", "japanese")


def test_dictionaries_of_another_checkpoint_are_refused():
    with pytest.raises(ModelError, match="the tokenizers have 384 ids, the weights 400 rows in place of 386"):
        Tokenizers({"a": BYTES}, {"fr": "a"}, nothing, 400).offsets  # noqa: B018


JAPANESE = {
    "_target_": "nemo.collections.common.tokenizers.text_to_speech.tts_tokenizers.JapanesePhonemeTokenizer",
    "punct": True,
    "apostrophe": False,
    "pad_with_space": True,
    "g2p": {
        "_target_": "nemo.collections.tts.g2p.models.ja_jp_ipa.JapaneseKatakanaAccentG2p",
        "ascii_letter_case": "upper",
    },
}
# What NVIDIA's own runtime for the released v2602 has, without <pad> and <oov>.
JAPANESE_TABLE = (
    " 01ァアィイゥウェエォオカガキギクグケゲコゴサザシジスズセゼソゾ"
    "タダチヂッツヅテデトドナニヌネノハバパヒビピフブプヘベペホボポ"
    "マミムメモャヤュユョヨラリルレロヮワヲンヴヵヶーABCDEFGHIJKLMNOPQRSTUVWXYZ"
    '!"(),-./:;?[]{}«»•‥…‹›※◦、。〃〈〉《》「」『』【】〒〓〔〕〖〗〘〙〚〛〜〽・'
)


def word(pron, acc=0, chain_flag=-1, **more):
    return {"string": pron, "pron": pron, "acc": acc, "mora_size": 1, "chain_flag": chain_flag, "pos": "名詞", **more}


def japanese(*words):
    return JapaneseTokenizer(JAPANESE, None, lambda _text: list(words))


def spelled(tokenizer):
    return "".join(tokenizer.tokens[number] for number in tokenizer.encode("文"))


def test_the_japanese_table_is_that_of_the_released_model():
    tokens = japanese().tokens
    assert tokens == [*JAPANESE_TABLE, "・・・", *"ー﹅﹆！＊？｟｠", "<pad>", "<oov>"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([word("コンニチワ", 0)], " 0コ1ン1ニ1チ1ワ "),  # flat
        ([word("ネコ", 1)], " 1ネ0コ "),
        ([word("タマゴ", 2)], " 0タ1マ0ゴ "),
        ([word("オトコ", 3)], " 0オ1ト1コ "),
        ([word("キョー", 1), word("ワ", 0, 1)], " 1キョ0ー0ワ "),  # a chain has the accent of its first word
        ([word("アメ", 1), word("アメ", 0, 0)], " 1ア0メ0ア1メ "),
        ([word("デス’", 1)], " 1デ0ス "),  # a vowel that is not voiced
        ([word("ハイ", 1), word("、", pos="記号"), word("ハイ", 1)], " 1ハ0イ、1ハ0イ "),
        ([word("ABC", pos="フィラー"), word("ハ", 1)], " ABC1ハ "),
        ([word("ハ", 1), word("☆", pos="記号"), word("ハ", 1)], " 1ハ 1ハ "),
    ],
)
def test_japanese_moras_stand_behind_their_pitch(words, said):
    assert spelled(japanese(*words)) == said


def test_a_japanese_table_that_does_not_fit_is_refused_and_no_other_language():
    settings = {"japanese_phoneme": JAPANESE, "french_chartokenizer": BYTES}
    rows = 384 + japanese().size + 2
    fits = Tokenizers(settings, {}, lambda _name: b"", rows)
    assert fits.readable() == ("french", "japanese")
    assert fits.offsets["french_chartokenizer"] == japanese().size
    other = Tokenizers(settings, {}, lambda _name: b"", rows + 3)
    assert other.encode("à", "french")[-1] == rows + 2
    with pytest.raises(RequestError, match="tokenizer of Japanese, which has another table"):
        other.encode("はい", "japanese")


def test_japanese_by_its_package():
    pytest.importorskip("pyopenjtalk", reason="NOT CHECKED: Japanese needs the extra `japanese`")
    tokenizer = JapaneseTokenizer(JAPANESE, None)
    said = "".join(tokenizer.tokens[number] for number in tokenizer.encode("こんにちは、 猫です。"))
    assert said == " 0コ1ン1ニ1チ1ワ、1ネ0コ0デ0ス。 "


def test_a_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyopenjtalk", None)
    with pytest.raises(RequestError, match=r"Japanese needs the package .*\[japanese\]"):
        JapaneseTokenizer(JAPANESE, None).encode("はい")
