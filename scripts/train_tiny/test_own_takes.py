"""Sampling side by side, likelihoods and judges of many clips: each against the plain way."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from batched_judges import byte_characters
from batched_sampler import NONE, VECTOR, Likelihood, Prompts, Sampler, drawn, gumbel
from sizes import PRESETS
from talker_model import Talker

TOY = PRESETS["toy"]
PAD, END = 5, TOY.control_ids()["eos"]
ENTRIES = TOY.codec.entries


@pytest.fixture
def talker():
    torch.manual_seed(0)
    return Talker(TOY, TOY.text_tokens)


def tracks_of(*lengths):
    random = np.random.default_rng(1)
    tracks = []
    for length in lengths:
        codec = np.r_[[NONE] * 3, random.integers(0, ENTRIES, length - 3)]
        codec[4] = VECTOR
        tracks.append((random.integers(0, 300, length), codec, random.integers(0, 300, 3)))
    return tracks


def test_takes_of_one_choice_are_what_a_whole_pass_finds_likeliest(talker):
    tracks, vectors = tracks_of(9, 14, 11), torch.randn(3, 64)
    sampler = Sampler(talker, PAD, END, ENTRIES, top_k=1)
    codes, frames, ended = sampler(tracks, vectors, torch.tensor([7, 5, 6]))
    takes = [row[:count].numpy() for row, count in zip(codes, frames, strict=True)]
    assert frames.tolist() == [7, 5, 6] or ended.any()
    likelihood = Likelihood(PAD, END, ENTRIES, temperature=0.01)  # the likeliest has nearly all
    first, others, _ = likelihood(talker, likelihood.batch(tracks, vectors, takes, ended.numpy()))
    assert first.exp().min() > 0.9
    assert others.exp().min() > 0.5  # of a few codes two are nearly as likely
    wrong = [(take + 1) % ENTRIES for take in takes]
    first, _, _ = likelihood(talker, likelihood.batch(tracks, vectors, wrong, ended.numpy()))
    assert first.exp().min() < 0.1


def test_a_row_speaks_alone_as_beside_others(talker):
    tracks, vectors = tracks_of(9, 16), torch.randn(2, 64)
    sampler = Sampler(talker, PAD, END, ENTRIES, top_k=1)
    both, *_ = sampler(tracks, vectors, torch.tensor([6, 6]))
    alone, *_ = sampler(tracks[:1], vectors[:1], torch.tensor([6]))
    assert torch.equal(both[0], alone[0])


def test_codes_are_drawn_with_their_probabilities():
    torch.manual_seed(0)
    logits = torch.tensor([1.0, 0.0, 2.0, -1.0]).log_softmax(0)
    ids = drawn(logits.expand(40_000, 4), 0.5, gumbel(40_000, 3, device="cpu"))
    share = torch.bincount(ids, minlength=4) / 40_000
    wanted = (logits[:3] / 0.5).softmax(0)
    assert torch.allclose(share[:3], wanted, atol=0.01)
    assert share[3] == 0


def test_prompts_end_together_or_begin_together():
    at_end = Prompts(tracks_of(5, 8), torch.zeros(2, 64), "cpu")
    assert (at_end.text[0, :3] == NONE).all()
    assert at_end.track()["vector_on"].sum(1).tolist() == [1, 1]
    in_front = Prompts(tracks_of(5, 8), torch.zeros(2, 64), "cpu", at_end=False)
    assert (in_front.text[0, 5:] == NONE).all()


def test_each_byte_has_a_letter():
    assert len(set(byte_characters().values())) == 256
