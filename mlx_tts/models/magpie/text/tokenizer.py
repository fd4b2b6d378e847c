"""All tokenizers of a checkpoint: text and language -> ids of one vocabulary, in which theirs lie end to end."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from mlx_tts.errors import ModelError, RequestError
from mlx_tts.models.magpie.text.characters import BYTE_OFFSET, ByteTokenizer, CharacterTokenizer, table_of
from mlx_tts.models.magpie.text.chinese import ChineseTokenizer
from mlx_tts.models.magpie.text.ipa import IPARules, IPATokenizer
from mlx_tts.models.magpie.text.japanese import G2P, JapaneseTokenizer
from mlx_tts.shortened import shown
from mlx_tts.text.languages import named

ARTIFACT = "nemo:"
TABLES = "tables.json"  # in the folder text/ of a conversion: name -> symbols
OUTSIDE = 2  # ids behind the tables: BOS, which nothing uses, and EOS
BYTES_MODEL = "google/byt5-small"
NEWER_TABLES = (2, 8, 0)  # of NeMo: from here on, versions that are not set mean the second ones
# The tokenizers of NeMo's languages where the checkpoint has no mapping of its own.
USUAL = {
    "en": "english_phoneme",
    "es": "spanish_phoneme",
    "de": "german_phoneme",
    "fr": "french_chartokenizer",
    "it": "italian_phoneme",
    "vi": "vietnamese_phoneme",
    "zh": "mandarin_phoneme",
    "hi": "hindi_chartokenizer",
    "ja": "japanese_phoneme",
}
MAIN_DIALECT = "MSA"  # of Arabic: the one that is meant where none is named

Read = Callable[[str], bytes]


class Tokenizer(Protocol):
    @property
    def size(self) -> int: ...
    @property
    def tokens(self) -> list[str] | None: ...
    def encode(self, text: str) -> list[int]: ...


class UnknownTokenizer:
    """One that this program cannot read with; it only takes its place in the vocabulary."""

    tokens = None

    def __init__(self, target: str):
        self.target, self.size = target, 0

    def encode(self, _text: str) -> list[int]:
        raise RequestError(f"this program cannot read with the tokenizer {self.target}: choose another language")


class Tokenizers:
    """read: the bytes of a file that the config names. rows: of the text table, which says how many ids there are."""

    def __init__(
        self,
        settings: dict[str, Any],
        languages: dict[str, Any],
        read: Read,
        rows: int | None,
        nemo_version: str = "",
        tables: dict[str, list[str]] | None = None,
    ):
        old = _version(nemo_version) < NEWER_TABLES
        self.tokenizers = {
            name: _tokenizer(name, own, read, (tables or {}).get(name), old) for name, own in settings.items()
        }
        self._rows = rows
        self.languages = _languages(languages, list(self.tokenizers))
        self._offsets: dict[str, int] | None = None

    def readable(self) -> tuple[str, ...]:
        """The languages that can be spoken, by name."""
        return tuple(
            name
            for name, tokenizer in self.languages.items()
            if not isinstance(self.tokenizers[tokenizer], UnknownTokenizer)
        )

    @property
    def offsets(self) -> dict[str, int]:
        """Where each tokenizer's ids begin; ModelError where they do not fill the table of the weights."""
        if self._offsets is None:
            self._fill_in()
            offsets, total = {}, 0
            for name, tokenizer in self.tokenizers.items():
                offsets[name] = total
                total += tokenizer.size
            if self._rows is not None and total + OUTSIDE != self._rows:
                raise ModelError(
                    f"the tokenizers have {total} ids, the weights {self._rows} rows in place of {total + OUTSIDE}: "
                    "dictionaries and weights are of different checkpoints"
                )
            self._offsets, self._total = offsets, total
        return self._offsets

    @property
    def eos(self) -> int:
        self.offsets  # noqa: B018 (it counts)
        return self._total + 1

    def _fill_in(self) -> None:
        """The size of a tokenizer that cannot be read is what the others leave of the table. One that is unproven
        cannot, where its own table does not fit."""
        total = sum(own.size for own in self.tokenizers.values())
        if self._rows is not None and total + OUTSIDE != self._rows:
            for name, own in self.tokenizers.items():
                if isinstance(own, JapaneseTokenizer):
                    self.tokenizers[name] = UnknownTokenizer("of Japanese, which has another table of symbols")
        unknown = [own for own in self.tokenizers.values() if isinstance(own, UnknownTokenizer) and not own.size]
        if unknown and (self._rows is None or len(unknown) > 1):
            raise ModelError(f"the tokenizers {', '.join(own.target for own in unknown)} are unknown to this program")
        if unknown:
            unknown[0].size = max(0, (self._rows or 0) - OUTSIDE - sum(own.size for own in self.tokenizers.values()))

    def encode(self, text: str, language: str) -> list[int]:
        """The ids of a text, the end among them; RequestError where nothing in it can be read."""
        name = self.languages[language]
        ids = self.encode_with(text, name)
        if not ids:
            raise RequestError(f"there is nothing in {shown(text)} that this model reads as {language}: give words")
        return [*ids, self.eos]

    def encode_with(self, text: str, name: str) -> list[int]:
        """The ids by one tokenizer, without the end."""
        offset = self.offsets[name]
        return [offset + number for number in self.tokenizers[name].encode(text)]

    def spaces(self, language: str) -> frozenset[int]:
        """The ids that stand between the words of a language."""
        name = self.languages[language]
        tokens = self.tokenizers[name].tokens
        number = tokens.index(" ") if tokens else ord(" ") + BYTE_OFFSET
        return frozenset((self.offsets[name] + number,))

    def frozen(self) -> dict[str, list[str]]:
        """The symbols of each table, so that a conversion does not depend on how they are worked out."""
        return {name: own.tokens for name, own in self.tokenizers.items() if own.tokens}


def folder_reader(folder: Path) -> Read:
    """Reads files of folder/text by the names in the config."""

    def read(name: str) -> bytes:
        plain = name.removeprefix(ARTIFACT)
        if Path(plain).name != plain or plain in ("", ".", ".."):
            raise ModelError(f"the config of {folder} names a file outside of it ({shown(plain, 80)}): fetch it again")
        try:
            return (folder / "text" / plain).read_bytes()
        except OSError:
            raise ModelError(f"{folder / 'text'} has no {plain}: fetch or convert the model again") from None

    return read


def read_tables(folder: Path) -> dict[str, list[str]]:
    """The frozen tables of a conversion; an empty result where it has none."""
    path = folder / "text" / TABLES
    if not path.is_file():
        return {}
    try:
        tables = json.loads(path.read_text(encoding="utf-8"))
        if all(isinstance(own, list) and all(isinstance(token, str) for token in own) for own in tables.values()):
            return tables  # type: ignore[no-any-return]
    except (OSError, ValueError, AttributeError):
        pass
    raise ModelError(f"{path} holds no tables of symbols: convert the model again")


def _tokenizer(name: str, settings: Any, read: Read, table: list[str] | None, old: bool) -> Tokenizer:
    if not isinstance(settings, dict):
        raise ModelError(f"the config's tokenizer {name} is {shown(settings)}: fetch the model again")
    target = str(settings.get("_target_", "")).rpartition(".")[2]
    g2p = settings.get("g2p") if isinstance(settings.get("g2p"), dict) else {}
    assert isinstance(g2p, dict)

    def text_of(key: str) -> Callable[[], str]:
        def load() -> str:
            file = g2p.get(key)
            return "" if file is None else _decoded(read(str(file)), str(file))

        return load

    if target == "AutoTokenizer":
        if settings.get("pretrained_model") != BYTES_MODEL:
            return UnknownTokenizer(str(settings.get("pretrained_model")))
        return ByteTokenizer()
    if target == "IPATokenizer":
        rules = IPARules.of(settings, f"the config's tokenizer {name}")
        return IPATokenizer(rules, text_of("phoneme_dict"), text_of("heteronyms"), table)
    if target in ("HindiCharsTokenizer", "ArabicCharsTokenizer"):
        kind = "hindi" if target.startswith("Hindi") else "arabic"
        return CharacterTokenizer(table or table_of(kind, settings, old), bool(settings.get("pad_with_space", False)))
    if target == "ChinesePhonemesTokenizer":
        return ChineseTokenizer(settings, text_of("phoneme_dict"), table)
    if target == "JapanesePhonemeTokenizer" and str(g2p.get("_target_", "")).endswith(f".{G2P}"):
        return JapaneseTokenizer(settings, table)
    return UnknownTokenizer(target or name)


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise ModelError(f"the dictionary {name} is not UTF-8 text: fetch the model again") from None


def _version(text: str) -> tuple[int, ...]:
    """A version's numbers; those of a pre-release count as below it."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", text)[:3])
    before = bool(re.search(r"\d(a|b|rc|\.?dev)\d", text))
    return (*numbers, -1) if before else numbers or NEWER_TABLES


def _languages(mapping: dict[str, Any], there: list[str]) -> dict[str, str]:
    """Language by name -> its tokenizer; dialects that share a name keep their tags."""
    found: dict[str, str] = {}
    tags: dict[str, list[str]] = {}
    for tag, names in (mapping or USUAL).items():
        wanted = [names] if isinstance(names, str) else list(names) if isinstance(names, (list, tuple)) else []
        tokenizer = next((name for name in wanted if name in there), None)
        if tokenizer is not None:
            base = named(tag.partition("-")[0]) or tag.lower().replace("-", "_")
            tags.setdefault(base, []).append(tag)
            found[tag] = tokenizer
    by_name = {}
    for base, own in tags.items():
        main = next((tag for tag in own if tag.endswith(f"-{MAIN_DIALECT}")), own[0])
        for tag in own:
            by_name[base if tag == main else tag.lower().replace("-", "_")] = found[tag]
    return by_name
