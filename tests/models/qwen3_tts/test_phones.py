"""A checkpoint with rows for phones: what is marked in a text becomes their ids, and marks speak of written words."""

import json
import shutil

import mlx.core as mx
import pytest

from mlx_tts import load
from mlx_tts.models.qwen3_tts.config import model_config
from mlx_tts.models.qwen3_tts.tokenizer import TextTokenizer
from mlx_tts.speech import SpeechRequest
from mlx_tts.text.phonemes.phones import CONSONANTS, RESERVED, TOKENS, marked
from tests.helpers.paths import ROOT

TINY = ROOT / "mlx_tts" / "builtin" / "tiny"
FIRST = 1012


@pytest.fixture(scope="module")
def widened(tmp_path_factory):
    """The built-in voices with untrained rows: copies of the first ones."""
    folder = tmp_path_factory.mktemp("phones") / "tiny"
    shutil.copytree(TINY, folder)
    config = json.loads((folder / "config.json").read_text())
    config["talker_config"]["text_vocab_size"] = FIRST + RESERVED
    config["phones"] = {"set": "misaki-en", "first": FIRST, "british": ["rowan", "ivy"]}
    (folder / "config.json").write_text(json.dumps(config))
    whole = json.loads((folder / "tokenizer.json").read_text())
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    whole["added_tokens"] += [{"id": FIRST + row, "content": chr(0xE000 + row), **flags} for row in range(len(TOKENS))]
    (folder / "tokenizer.json").write_text(json.dumps(whole))
    tensors, metadata = mx.load(str(folder / "model.safetensors"), return_metadata=True)
    for name in [name for name in tensors if ".text_embedding." in name]:
        tensors[name] = mx.concatenate([tensors[name], tensors[name][:RESERVED]])
    mx.save_safetensors(str(folder / "model.safetensors"), tensors, metadata)
    return folder


def tokenizer_of(folder):
    path = folder / "config.json"
    return TextTokenizer(folder, model_config(json.loads(path.read_text()), path))


def test_phones_have_their_ids_and_the_rest_stays(widened):
    text = f"Ask {marked('Siobhan', 'ʃəvˈɔn')} now."
    with_phones, plain = tokenizer_of(widened), tokenizer_of(TINY)
    sounds = [FIRST + TOKENS.index(token) for token in ("ʃ", "ə", "v", "ˈɔ", "n")]
    ids = with_phones.assistant(text)
    at = ids.index(sounds[0])
    assert ids[at : at + 5] == sounds
    assert plain.assistant(text) == plain.assistant("Ask Siobhan now.")
    assert with_phones.assistant("Ask Siobhan now.") == plain.assistant("Ask Siobhan now.")
    assert TOKENS.index("b") == 3 * 21 and len(CONSONANTS) == 26 and len(TOKENS) == 90


def test_marks_have_the_written_word(widened):
    words, begins, count = tokenizer_of(widened).word_begins(f"“{marked('Siobhan', 'ʃəvˈɔn')}, go”")
    assert words == ("“Siobhan,", "go”")
    ids = tokenizer_of(widened).assistant(f"“{marked('Siobhan', 'ʃəvˈɔn')}, go”")
    assert 0 <= begins[0] < begins[1] < count == len(ids) - 3 - 5


def test_it_speaks_and_says_what_it_can(widened):
    with load(widened, offline=True) as model:
        assert model.info.can.reads_phones and set(model.info.british_voices) == {"rowan", "ivy"}
        request = SpeechRequest(f"{marked('Hi', 'hˈI')}.", voice="miles", seed=1, max_frames=4)
        assert len(model.generate_codes(request)) > 0
