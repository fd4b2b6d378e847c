"""People's words for a language -> the checkpoint's."""

import subprocess
import sys
from pkgutil import iter_modules

import pytest

import mlx_tts.text.languages
from mlx_tts.errors import RequestError
from mlx_tts.text.languages import every_language, find, names, resolve, sample_sentences
from mlx_tts.text.languages.without_rules import LANGUAGES

ALL = ("chinese", "english", "german", "italian", "portuguese", "spanish", "japanese", "korean", "french", "russian")
ALLOWED = ("auto", *ALL, "beijing_dialect", "sichuan_dialect")


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("en", "english"), ("English", "english"), (" ENGLISH ", "english"), ("en-US", "english"), ("en_GB", "english"),
        ("eng", "english"), ("zh", "chinese"), ("zh-Hans-CN", "chinese"), ("zh_TW", "chinese"), ("cmn", "chinese"),
        ("中文", "chinese"), ("pt_BR", "portuguese"), ("pt-PT", "portuguese"), ("pt_BR.UTF-8", "portuguese"),
        ("de_DE@euro", "german"), ("Deutsch", "german"), ("ger", "german"), ("fr-CA", "french"), ("français", "french"),
        ("es-419", "spanish"), ("it", "italian"), ("ja", "japanese"), ("日本語", "japanese"), ("ko-KR", "korean"),
        ("ru", "russian"), ("Русский", "russian"), ("auto", "auto"), ("Auto", "auto"),
        ("Sichuan Dialect", "sichuan_dialect"), ("sichuan", "sichuan_dialect"), ("beijing-dialect", "beijing_dialect"),
    ],
)  # fmt: skip
def test_spellings(asked, name):
    assert resolve(asked, ALLOWED) == name


def test_the_checkpoints_own_spelling_is_returned():
    assert resolve("en", ("English", "Klingon")) == "English"
    assert resolve("klingon", ("English", "Klingon")) == "Klingon"


def test_auto_is_always_allowed():
    assert resolve("auto", ("english",)) == "auto"


def test_every_spelling_belongs_to_one_language():
    words = [word for language in every_language() for word in language.spellings.split()]
    assert len(words) == len(set(words))
    others = (
        "arabic burmese danish dutch finnish greek hebrew hindi indonesian khmer lao malay norwegian polish swahili"
    )
    others += " swedish tagalog thai turkish vietnamese czech hungarian romanian"
    assert set(names()) == {*ALL, "beijing_dialect", "sichuan_dialect", *others.split()}


def test_languages_that_one_family_alone_speaks():
    for code, name in (
        ("nl", "dutch"),
        ("nb-NO", "norwegian"),
        ("fil", "tagalog"),
        ("my", "burmese"),
        ("sw-KE", "swahili"),
    ):
        assert resolve(code, ("english", name)) == name


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("englsh", "unknown language 'englsh': did you mean english?"),
        ("deutsh", "did you mean german?"),
        ("klingon", "unknown language 'klingon': use auto, beijing_dialect, chinese, english"),
        ("yue", "unknown language 'yue': use auto"),
        ("yue-HK", "unknown language 'yue-HK': use auto"),
        ("en-", "unknown language 'en-'"),
        ("", "unknown language ''"),
        ("e", "unknown language 'e'"),
    ],
)
def test_unknown_ones_name_the_near_or_the_allowed(asked, says):
    with pytest.raises(RequestError) as error:
        resolve(asked, ALLOWED)
    assert says in str(error.value)


def test_a_language_this_model_does_not_speak():
    with pytest.raises(RequestError, match=r"this model does not speak 'de-AT' \(german\): use auto, english$"):
        resolve("de-AT", ("auto", "english"))


def test_a_long_name_is_not_repeated_whole():
    with pytest.raises(RequestError) as error:
        resolve("x" * 100_000, ALLOWED)
    assert len(str(error.value)) < 400


def test_every_module_is_the_language_of_its_name():
    modules = {module.name for module in iter_modules(mlx_tts.text.languages.__path__)} - {"without_rules"}
    others = {language.name for language in LANGUAGES}
    assert not modules & others
    assert [language.name for language in every_language()] == sorted(modules | others)
    assert all(find(name).name == name and find(name).recognise for name in modules)
    unspelled = {language.name for language in every_language() if not language.spellings}
    assert unspelled == {"czech", "hungarian", "romanian"}  # only guessed


def test_a_language_that_nobody_knows():
    assert find("klingon") is None and find("German") is None and find("") is None
    assert sample_sentences("klingon") == sample_sentences(None) == sample_sentences("english")
    assert sample_sentences("german").startswith("Hast du")


def imported(code: str) -> set[str]:
    """The languages with rules that a program imports."""
    prefix = "mlx_tts.text.languages."
    code += f"; import sys; print(*(name[{len(prefix)}:] for name in sys.modules if name.startswith({prefix!r})))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name for name in result.stdout.split() if "." not in name} - {"without_rules"}  # a table of words


@pytest.mark.slow
def test_a_language_is_imported_when_it_is_asked_for():
    reading = "from mlx_tts.text.reading import Chapter, Packing, Reading"
    assert imported(reading) == set()
    english = (
        f"{reading}; list(Reading('on').pieces([Chapter(None, 'It is €5 – or 5 pm. She left.')], Packing('english')))"
    )
    assert imported(english) == {"english"}
    assert imported(f"{reading}; Reading('on').spoken('Es sind 5 km.', 'german')") == {"german"}
