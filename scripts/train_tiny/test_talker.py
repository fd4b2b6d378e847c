"""The talker's training at toy scale: books as one table, checkpoints that come late, a third of the clips as references."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
sys.path[:0] = [str(Path(__file__).parent)]
import tokenizer as text_tokenizer
from fake_data import WORDS
from pack import slim_talker
from pool import REFERENCE_ONE_IN, may_be_reference, taught
from sizes import PRESETS
from speakers import HUMAN_PREFIX
from talker import AVERAGED_FROM, TalkerTraining
from talker_model import Talker
from training import Ranks, load, moved, save

TOY = PRESETS["toy"]


@pytest.fixture
def training(tmp_path):
    text_tokenizer.write(tmp_path / "tokenizer", *text_tokenizer.train([" ".join(WORDS)] * 3, 300))
    options = SimpleNamespace(
        out=tmp_path,
        preset="toy",
        tokenizer=tmp_path / "tokenizer",
        seed=0,
        learning_rate=1e-3,
        eager=True,
        no_context=False,
        listener=None,
        copies=None,
        preset_share=0.3,
        keep_encoder=False,
    )
    return lambda: TalkerTraining(options, Ranks("cpu"))


def weights(training):
    return torch.cat([group.values.data for group in training.groups])


def test_books_as_one_table_are_the_sum_of_the_books():
    torch.manual_seed(0)
    model, books, entries = Talker(TOY, 300), TOY.codec.books, TOY.codec.entries
    codes, hidden = torch.randint(0, entries, (2, 5, books)), torch.randn(3, TOY.talker.talker.hidden)
    on = torch.ones(2, 5)
    none = torch.zeros(2, 5)
    track = {
        "text": none.long(),
        "text_on": none,
        "codec": none.long(),
        "codec_on": none,
        "codes": codes,
        "codes_on": on,
    }
    tables = model.code_predictor.model.codec_embedding
    expected = sum(tables[book - 1](codes[..., book]) for book in range(1, books))
    assert torch.allclose(model.embed(track), expected, atol=1e-6)
    rows = codes[0, :3]
    inputs = [hidden, model.model.codec_embedding(rows[:, 0])]
    inputs += [tables[book - 1](rows[:, book]) for book in range(1, books - 1)]
    y = model.code_predictor.model(torch.stack(inputs, 1))
    expected = torch.stack([head(y[:, book + 1]) for book, head in enumerate(model.code_predictor.lm_head)], 1)
    assert torch.allclose(model.predict(hidden, rows), expected, atol=1e-5)


def test_a_packed_talker_that_arrives_late_is_gone_on_with(training):
    first = training()
    for group in first.groups:
        group.values.data.normal_()
    first.save(0.1)
    packed = slim_talker(load(first.checkpoint))
    first.checkpoint.unlink()
    second = training()
    assert not torch.allclose(weights(second), weights(first))
    save(second.checkpoint, packed)
    second.restore()
    for ours, theirs in zip(first.parts.parameters(), second.parts.parameters(), strict=True):
        assert torch.equal(ours.half().float(), theirs)
    assert torch.equal(second.averages[0], second.groups[0].values.data)
    assert second.step == 0


@pytest.mark.parametrize("progress", [AVERAGED_FROM / 2, AVERAGED_FROM * 2])
def test_a_checkpoint_from_before_the_averages_holds_the_newest_weights(training, progress):
    talker = training()
    for group in talker.groups:
        group.values.data.add_(1.0)
    talker.save(progress)
    state, name = load(talker.checkpoint), "codec_head.weight"
    newest = torch.equal(state["average"][name], state["talker"][name])
    assert newest == (progress < AVERAGED_FROM)


def test_references_are_a_third_of_the_usable_clips():
    items = [{"text": f"Text {number}.", "speaker": "s00001", "frames": 60} for number in range(600)]
    assert abs(np.mean([may_be_reference(item) for item in items]) - 1 / REFERENCE_ONE_IN) < 0.06
    chosen = next(item for item in items if may_be_reference(item))
    assert not may_be_reference(chosen | {"frames": 10})
    assert not may_be_reference(chosen | {"speaker": f"{HUMAN_PREFIX}one"})


def test_the_deadline_can_be_moved(tmp_path):
    path = tmp_path / "DEADLINE"
    assert moved(path, 5.0) == 5.0
    path.write_text("")
    assert moved(path, 5.0) == 5.0
    path.write_text("7.5\n")
    assert moved(path, 5.0) == 7.5
    assert moved(None, 5.0) == 5.0


def test_people_do_not_count_as_taught():
    assert taught({"synthetic": 0.5, "preset": 0.7, "human": 5.0}) == 0.7
    assert taught({"human": 5.0}) == 0.0
