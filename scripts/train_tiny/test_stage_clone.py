"""Who works on which GPU, what ends a run early, what a returned codec says of itself, and when the gate is passed."""

import json
import math
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
sys.path[:0] = [str(Path(__file__).parent)]
import gate
import pack
import stage_clone
from codec_model import Codec
from sizes import PRESETS
from stage_clone import LOST_CODEC, LostError, Session, Share

KIT = Path(__file__).parent / "kit"


@pytest.mark.parametrize(
    ("gpus", "codec", "teachers", "talker", "decoder"),
    [
        ("01234567", "01234", "567", "0123456", "7"),
        ("0123", "012", "3", "012", "3"),
        ("01", "01", "01", "0", "1"),
        ("0", "0", "0", "0", "0"),
    ],
)
def test_who_works_where(gpus, codec, teachers, talker, decoder):
    assert Share.of(list(gpus)) == Share(list(codec), list(teachers), list(talker), list(decoder))


def test_without_a_decoder_to_train_the_talker_gets_all_gpus():
    share = Share.of(["0", "1"], decoder=False)
    assert (share.talker, share.decoder) == (["0", "1"], [])


@pytest.fixture
def session(tmp_path):
    (tmp_path / "out").mkdir()
    options = SimpleNamespace(
        run=tmp_path,
        out=tmp_path / "out",
        gpus="0",
        device="cpu",
        resume=None,
        no_decoder=False,
        joint_seconds=9,
        total_seconds=20,
    )
    return Session(options)


@pytest.mark.parametrize(
    ("row", "lost"),
    [
        ({"step": 2999, "mel": 4.0, "phone": 4.0}, False),
        ({"step": 3000, "mel": 2.1, "phone": 3.0}, False),
        ({"step": 3000, "mel": 2.3, "phone": 3.0}, True),
        ({"step": 9000, "mel": 2.1, "phone": 3.0}, True),
        ({"step": 9000, "mel": math.nan, "phone": 3.0}, True),
    ],
)
def test_a_codec_that_is_lost_ends_the_run(session, row, lost):
    (session.out / "codec_joint.jsonl").write_text(json.dumps({"step": 1, "mel": 9}) + "\n" + json.dumps(row) + "\n")
    if not lost:
        session.check("codec_joint.jsonl", "step", LOST_CODEC)
        return
    with pytest.raises(LostError, match="more than"):
        session.check("codec_joint.jsonl", "step", LOST_CODEC)


def test_no_audio_ends_the_run(session, monkeypatch):
    session.check_audio()
    monkeypatch.setattr(session, "begin", session.begin - stage_clone.AUDIO_SECONDS - 1)
    with pytest.raises(LostError, match="no audio"):
        session.check_audio()


@pytest.mark.parametrize(
    ("name", "attempt", "lost"), [("talker", 3, True), ("talker", 2, False), ("codec_decoder", 3, False)]
)
def test_a_stage_that_fails_each_time_ends_the_run(session, name, attempt, lost):
    stage = SimpleNamespace(name=name, attempt=attempt, finished=lambda: True)
    if not lost:
        assert session.ended(stage)
        return
    with pytest.raises(LostError, match="talker failed three times"):
        session.ended(stage)


@pytest.mark.parametrize("frozen", [False, True])
def test_a_returned_codec_says_whether_its_encoder_is_done(tmp_path, frozen):
    sizes = PRESETS["toy"].codec
    state = {"preset": "toy", "codec": Codec(sizes).state_dict()}
    if frozen:
        (tmp_path / "FROZEN").touch()
    (tmp_path / "back").mkdir()
    result = tmp_path / "back"
    options = SimpleNamespace(checkpoints=tmp_path, codec_alone=True, tokenizer=None)
    pack.write_parts(result, "weights", pack.weights(options, state), compressed=frozen)
    with pytest.raises(SystemExit, match=r"lacks talker\.pt"):
        gate.unpacked(result)
    assert torch.load(result / "codec_joint.pt")["frozen"] is frozen


def test_the_calls_fit_their_limits():
    calls = [json.loads(line) for line in (KIT / "calls.jsonl").read_text().splitlines()]
    assert all(len(call["command"]) <= 2000 and call["timeout_s"] <= 600 for call in calls)
    assert [call["carry"] for call in calls[:3]] == [[".kit/part1"], [".kit/part2"], [".kit/part3"]]


def test_a_gate_is_passed_by_every_limit_or_not_at_all(capsys):
    values = {name: limit for name, limit, _, _ in gate.LIMITS}
    assert gate.report(values)
    for name, limit, _, kind in gate.LIMITS:
        worse = limit * (0.99 if kind == "least" else 1.01)
        assert not gate.report(values | {name: worse}), name
        assert not gate.report(values | {name: math.nan}), name
    assert "| people: similarity | 0.700 | 0.7 | 0.78 | ok |" in capsys.readouterr().out
