"""A language as people write it ("en", "English", "pt_BR", "zh-Hans-CN") -> the checkpoint's name for it, or "auto"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from mlx_tts.errors import RequestError

AUTO = "auto"

# ISO 639-1, 639-2 (both forms), 639-3, and the language's own name; a checkpoint's own names come from its config.
SPELLINGS = {
    "chinese": "zh zho chi cmn mandarin 中文 汉语 漢語 普通话 普通話 国语 國語 zhongwen putonghua",
    "english": "en eng",
    "german": "de deu ger deutsch",
    "french": "fr fra fre français francais",
    "spanish": "es spa español espanol castellano castilian",
    "italian": "it ita italiano",
    "portuguese": "pt por português portugues",
    "russian": "ru rus русский",
    "japanese": "ja jpn jp 日本語 nihongo",
    "korean": "ko kor kr 한국어 hangugeo",
    "vietnamese": "vi vie",
    "hindi": "hi hin हिन्दी हिंदी",
    "arabic": "ar ara العربية",
    "burmese": "my mya bur မြန်မာ",
    "danish": "da dan dansk",
    "dutch": "nl nld dut nederlands",
    "finnish": "fi fin suomi",
    "greek": "el ell gre ελληνικά",
    "hebrew": "he heb iw עברית",
    "indonesian": "id ind",
    "khmer": "km khm ខ្មែរ",
    "lao": "lo ລາວ",
    "malay": "ms msa may zsm melayu",
    "norwegian": "no nor nb nob nn nno norsk",
    "polish": "pl pol polski",
    "swahili": "sw swa swh kiswahili",
    "swedish": "sv swe svenska",
    "tagalog": "tl tgl fil filipino",
    "thai": "th tha ไทย",
    "turkish": "tr tur türkçe turkce",
    "beijing_dialect": "beijing 北京话 北京話 beijinghua",
    "sichuan_dialect": "sichuan sichuanese 四川话 四川話 sichuanhua",
}
NAMES = {spelling: name for name, spellings in SPELLINGS.items() for spelling in spellings.split()}
LONGEST_SHOWN = 60  # characters of what was asked, in a message
TAG = re.compile(r"([a-z]{2,3})([-_][a-z0-9]{2,8})+", re.IGNORECASE)


def resolve(asked: str, allowed: Sequence[str]) -> str:
    """The name in `allowed` (or "auto") that `asked` means; RequestError names the near or the allowed ones."""
    shown = repr(asked if len(asked) <= LONGEST_SHOWN else f"{asked[:LONGEST_SHOWN]}…")
    by_key = {name.casefold(): name for name in (AUTO, *allowed)}
    word = asked.strip().split(".")[0].split("@")[0]  # pt_BR.UTF-8 and de_DE@euro are locales as well
    key = re.sub(r"[\s-]+", "_", word).casefold()
    if key in by_key:
        return by_key[key]
    name = NAMES.get(word.casefold())
    if name is None and (tag := TAG.fullmatch(word)):
        name = NAMES.get(tag.group(1).casefold())
    if name in by_key:
        return by_key[name]
    if name is not None:
        raise RequestError(f"language {shown} ({name}) is none this model speaks: use {_listed(by_key.values())}")
    spoken = {spelling: target for spelling, target in NAMES.items() if target in by_key and len(spelling) > 3}
    candidates = {**spoken, **{key: key for key in by_key}}
    near = {by_key[candidates[match]] for match in get_close_matches(key, candidates, n=2, cutoff=0.7)}
    hint = f"did you mean {' or '.join(sorted(near))}? " if near else ""
    raise RequestError(f"unknown language {shown}: {hint}use {_listed(by_key.values())}, an ISO code or a locale tag")


def named(asked: str) -> str | None:
    """The language that a spelling, a code or a locale means, whichever model speaks it; None: none that is known."""
    word = asked.strip().split(".")[0].split("@")[0].casefold()
    if word in SPELLINGS:
        return word
    tag = TAG.fullmatch(word)
    return NAMES.get(word) or (NAMES.get(tag.group(1)) if tag else None)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
