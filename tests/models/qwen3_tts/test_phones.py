"""A checkpoint with rows for phones: what is marked in a text becomes their ids, and marks speak of written words."""

import json
import shutil

import pytest

from mlx_tts import load
from mlx_tts.models.qwen3_tts.config import model_config
from mlx_tts.models.qwen3_tts.tokenizer import TextTokenizer
from mlx_tts.speech import SpeechRequest
from mlx_tts.text.phonemes.phones import CONSONANTS, TOKENS, marked
from tests.helpers.paths import ROOT

TINY = ROOT / "mlx_tts" / "builtin" / "tiny"
FIRST = 1012


@pytest.fixture(scope="module")
def letters_alone(tmp_path_factory):
    """The built-in voices as a checkpoint of letters alone: nothing names the rows of phones."""
    folder = tmp_path_factory.mktemp("letters") / "tiny"
    shutil.copytree(TINY, folder)
    config = json.loads((folder / "config.json").read_text())
    del config["phones"]
    (folder / "config.json").write_text(json.dumps(config))
    whole = json.loads((folder / "tokenizer.json").read_text())
    whole["added_tokens"] = [token for token in whole["added_tokens"] if token["id"] < FIRST]
    (folder / "tokenizer.json").write_text(json.dumps(whole))
    return folder


def tokenizer_of(folder):
    path = folder / "config.json"
    return TextTokenizer(folder, model_config(json.loads(path.read_text()), path))


def test_phones_have_their_ids_and_the_rest_stays(letters_alone):
    text = f"Ask {marked('Siobhan', 'ʃəvˈɔn')} now."
    with_phones, plain = tokenizer_of(TINY), tokenizer_of(letters_alone)
    sounds = [FIRST + TOKENS.index(token) for token in ("ʃ", "ə", "v", "ˈɔ", "n")]
    ids = with_phones.assistant(text)
    at = ids.index(sounds[0])
    assert ids[at : at + 5] == sounds
    assert plain.assistant(text) == plain.assistant("Ask Siobhan now.")
    assert with_phones.assistant("Ask Siobhan now.") == plain.assistant("Ask Siobhan now.")
    assert TOKENS.index("b") == 3 * 21 and len(CONSONANTS) == 26 and len(TOKENS) == 90


def test_marks_have_the_written_word():
    words, begins, count = tokenizer_of(TINY).word_begins(f"“{marked('Siobhan', 'ʃəvˈɔn')}, go”")
    assert words == ("“Siobhan,", "go”")
    ids = tokenizer_of(TINY).assistant(f"“{marked('Siobhan', 'ʃəvˈɔn')}, go”")
    assert 0 <= begins[0] < begins[1] < count == len(ids) - 3 - 5


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("late!” (w", "001111110"),
        ("I’ve", "01110"),
        (f"{marked('Siobhan', 'ʃəvˈɔn')}, or", "0000010"),
    ],
)
def test_which_ids_are_signs(text, signs):
    """The built-in vocabulary has three ids for a quotation mark of print; phones stand for sounds."""
    tokenizer = tokenizer_of(TINY)
    assert tokenizer.signs(text) == tuple(sign == "1" for sign in signs)
    assert len(signs) == tokenizer.word_begins(text)[2]


@pytest.mark.slow
def test_it_speaks_and_says_what_it_can(letters_alone):
    with load(letters_alone, offline=True) as model:
        assert not model.info.can.reads_phones and model.info.british_voices == ()
    with load(TINY, offline=True) as model:
        assert model.info.can.reads_phones and set(model.info.british_voices) == {"rowan", "ivy"}
        request = SpeechRequest(f"{marked('Hi', 'hˈI')}.", voice="miles", seed=1, max_frames=4)
        assert len(model.generate_codes(request)) > 0
