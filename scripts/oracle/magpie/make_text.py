"""text_vectors.json: what NeMo's tokenizers make of texts with the released dictionaries (ids without offset, no EOS).

    python make_text.py DICTIONARY_FOLDER      # files of NeMo's scripts/tts_dataset_files; environment of make_case.py

The file names and sums of the dictionaries are noted; they are not stored here. phoneme_probability is 1.0.
"""

import hashlib
import json
import sys
from pathlib import Path

from nemo.collections.common.tokenizers.text_to_speech import tts_tokenizers as t
from nemo.collections.tts.g2p.models.i18n_ipa import IpaG2p
from nemo.collections.tts.g2p.models.zh_cn_pinyin import ChineseG2p

TEXTS = {
    "en-US": [
        "Hello world, this is Dr. Smith's test.",
        "The airports' data -- re-read it!",
        "I read 3 books.  Café",
        "She lives near the lead mine; they live there.",
        "The jones's boats, cats and buses aren't here.",
        'A state-of-the-art, twenty-first-century "device" (new).',
        "Supercalifragilistic words: ChatGPT, NVIDIA & Qwen.",
        "It’s 10:45 a.m. on May 3rd, 2024.",
        "Read |h ə ˈ l o ʊ| twice.",
        "O'Brien's rock-'n'-roll; y'all'd've.",
        "What?! No... [yes] {maybe}/so",
    ],
    "es-ES": [
        "¡Hola, mundo! ¿Qué tal?",
        "El señor Núñez compró cinco «libros» ayer.",
        "Mañana será otro día, ¿no?",
        "Whatsapp y café-bar.",
    ],
    "zh": ["你好，世界。Hello", "我们今天去北京大学，好吗？", "银行行长说：“行。”", "一二三 GPU abc"],
    "hi-chars-1": ["नमस्ते दुनिया।", "Hello भारत, कैसे हो?"],
    "hi-chars-2": ["नमस्ते दुनिया।", "Hello भारत, कैसे हो?"],
    "ar-chars-1": ["مرحبا بالعالم، كيف حالك؟", "كَتَبَ Hello"],
}


def main(folder: Path) -> None:
    def ipa(locale, dictionary, heteronyms=None, pad=True):
        g2p = IpaG2p(
            phoneme_dict=str(folder / dictionary),
            locale=locale,
            heteronyms=heteronyms and str(folder / heteronyms),
            use_chars=True,
            ignore_ambiguous_words=False,
            phoneme_probability=1.0,
            use_stresses=True,
            grapheme_case="upper",
            grapheme_prefix="",
        )
        return t.IPATokenizer(g2p, locale=locale, punct=True, apostrophe=True, pad_with_space=pad), [dictionary] + (
            [heteronyms] if heteronyms else []
        )

    def zh(dictionary):
        g2p = ChineseG2p(
            phoneme_dict=str(folder / dictionary),
            word_segmenter="jieba",
            phoneme_prefix="",
            phoneme_case="lower",
            tone_prefix="#",
            ascii_letter_prefix="",
            ascii_letter_case="upper",
        )
        return t.ChinesePhonemesTokenizer(g2p, punct=True, apostrophe=True, pad_with_space=True), [dictionary]

    options = dict(punct=True, apostrophe=True, pad_with_space=True)
    tokenizers = {
        "en-US": ipa("en-US", "ipa_cmudict-0.7b_nv23.01.txt", "heteronyms-052722", pad=False),
        "es-ES": ipa("es-ES", "es_ES_nv230301.dict"),
        "zh": zh("ipa_dict_nv23.05.txt"),
        "hi-chars-1": (t.HindiCharsTokenizer(charset_version=1, punct_version=1, **options), []),
        "hi-chars-2": (t.HindiCharsTokenizer(charset_version=2, punct_version=2, **options), []),
        "ar-chars-1": (t.ArabicCharsTokenizer(charset_version=1, **options), []),
    }
    out = {}
    for name, (tokenizer, files) in tokenizers.items():
        out[name] = {
            "files": {f: hashlib.sha256((folder / f).read_bytes()).hexdigest() for f in files},
            "tokens": list(tokenizer.tokens),
            "vectors": [{"text": text, "ids": tokenizer.encode(text)} for text in TEXTS[name]],
        }
        print(name, len(tokenizer.tokens))
        for v in out[name]["vectors"]:
            print("  ", v["text"], "=>", "|".join(tokenizer.tokens[i] for i in v["ids"]))
    (Path(__file__).parent / "text_vectors.json").write_text(json.dumps(out, ensure_ascii=False))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
