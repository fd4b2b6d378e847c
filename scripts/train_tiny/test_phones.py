"""Phones in the training text: where they stand, which share of the sound each token bears, what comes back from a run."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
sys.path[:0] = [str(Path(__file__).parent)]
import copies
import export
import first_items
import from_shipped
import pack_codes
import phone_tokens
import stage_phones
import talker_data
import tokenizer as text_tokenizer
from codec_model import Codec
from dequantise import plain
from fake_data import WORDS
from phone_tokens import ALL, COPIES, LETTERS, MIXED, phones, spoken_shares, with_phones, words_of_sentences
from phonemes import place_of, spoken_instead
from phonemise import Reading
from shards import FRAME_SAMPLES, LABEL_SAMPLES, ShardWriter
from sizes import PRESETS
from speaker_model import LogMel, SpeakerEncoder
from speakers import SPEAKERS
from talker import TalkerTraining
from talker_data import TalkerData
from talker_model import Talker
from training import Ranks, differentiate

TOY = PRESETS["toy"]
TEXT, SPOKEN = "Ask Siobhan, now.", "ˈæsk ʃɪvˈɔn, nˈW."
WORDS_OF_TEXT = [[0, 3, "ˈæsk"], [4, 11, "ʃɪvˈɔn"], [13, 16, "nˈW"]]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokenizer")
    text_tokenizer.write(folder, *text_tokenizer.train([" ".join(WORDS)] * 3, 300), phones=True)
    return folder


def test_words_and_their_phones_are_found_sentence_by_sentence():
    assert words_of_sentences(TEXT, [[0, 17]], [SPOKEN]) == WORDS_OF_TEXT
    text = f"In 1999. {TEXT}"
    found = words_of_sentences(text, [[0, 8], [9, 26]], ["ɪn nˌIntˈin nˈIndi nˈIn.", SPOKEN])
    assert [text[a:b] for a, b, _ in found] == ["Ask", "Siobhan", "now"]
    assert words_of_sentences(TEXT, [None], [SPOKEN]) == []


@pytest.mark.parametrize(
    ("sentence", "text", "found"),
    [
        ("Yes, he said.", '"Yes," he said.', [1, 15]),
        ("Yes, he said.", "No. “Yes,” he said.", [5, 19]),
        ("Monday, he said.", "Mon. he said.", None),
    ],
)
def test_a_sentence_is_found_but_for_its_quotation_marks(sentence, text, found):
    assert place_of(sentence, text, 0) == found


def test_a_word_is_said_as_it_is_asked_for():
    assert spoken_instead("Ask Siobhan, now.", "ˈæsk sˈIəbˌæn, nˈW.", {"Siobhan": "ʃɪvˈɔn"}) == SPOKEN
    assert spoken_instead("Siobhan's cat.", "sˈIəbˌænz kˈæt.", {"Siobhan": "ʃɪvˈɔn"}) != "sˈIəbˌænz kˈæt."
    with pytest.raises(ValueError, match="fall apart"):
        spoken_instead("In 1999.", "ɪn nˌIntˈin nˈIndi nˈIn.", {"In": "ɪn"})


@pytest.mark.parametrize(
    ("kind", "shown"), [(LETTERS, "Ask Siobhan, now."), (ALL, "ˈæsk ʃɪvˈɔn, nˈW."), (MIXED, "Ask ʃɪvˈɔn, now.")]
)
def test_a_copy_has_the_words_in_their_places(kind, shown, monkeypatch):
    monkeypatch.setattr(phone_tokens, "RARE_SHARE", 1.0)
    monkeypatch.setattr(phone_tokens, "COMMON_SHARE", 0.0)
    text, places = with_phones(TEXT, WORDS_OF_TEXT, kind, {"ask", "now"})
    assert phones.public(text) == shown
    assert [phones.public(text[a:b]) for a, b, _ in places] == [
        shown.split()[0],
        *shown.replace(",", "").replace(".", "").split()[1:],
    ]
    assert [count for *_, count in places] == [4, 6, 3]


def test_what_no_spelling_tells_goes_as_phones_in_every_copy():
    text, _ = with_phones("A blug.", [[0, 1, "ə"], [2, 6, "blˈʌɡ", True]], LETTERS, set())
    assert phones.public(text) == "A blˈʌɡ."


def test_a_token_begins_where_its_share_of_the_phones_does(tokenizer):
    plain_text, _ = text_tokenizer.load(tokenizer)
    text, places = with_phones(TEXT, WORDS_OF_TEXT, ALL, set())
    encoding = plain_text.encode(text)
    shares = spoken_shares(encoding, text, places)
    assert shares[0] == 0 and shares[-1] == 1 and (np.diff(shares) > 0).all()
    tokens = [text[a:b] for a, b in encoding.offsets]
    # phones: 4, blank 1, 6, comma 1, blank 1, 3, stop; the last token begins after all others
    first_of_name = next(at for at, token in enumerate(tokens) if phones.public(token) == "ʃ")
    assert shares[first_of_name] == pytest.approx(5 / 16)
    letters, places = with_phones(TEXT, WORDS_OF_TEXT, LETTERS, set())
    encoding = plain_text.encode(letters)
    name = next(at for at, (a, b) in enumerate(encoding.offsets) if b > 4 and letters[a:b].strip() and a <= 4)
    assert spoken_shares(encoding, letters, places)[name] == pytest.approx(4 / 15, abs=0.08)
    assert spoken_shares(encoding, letters, []) == pytest.approx(np.linspace(0, 1, len(encoding.ids)))


def made(folder, texts, tokenizer):
    """Encoded shards of these texts, and their copies."""
    random, writer = np.random.default_rng(0), ShardWriter(folder, "some")
    for number, text in enumerate(texts):
        frames = 20 + number
        labels = np.repeat(random.integers(1, 100, frames), 4).astype(np.uint8)
        writer.add(text, "hazel" if number % 2 else "s00001", np.ones(frames * FRAME_SAMPLES, np.int16), labels)
    writer.close()
    codes = random.integers(0, TOY.codec.entries, (writer.frames, TOY.codec.books)).astype(np.int16)
    np.save(folder / "some.codes.npy", codes)
    words = [[match.start(), match.end(), "blˈʌɡ"] for match in phone_tokens.re.finditer(r"\w+", texts[0])]
    copier = copies.Copier(tokenizer)
    reading = SimpleNamespace(text=texts[0], words=words)
    copies.write(folder / "copies.npz", [copier.copies(reading)])
    return copies.Copies(folder / "copies.npz")


def test_all_copies_are_drawn_and_phones_are_never_streamed(tmp_path, tokenizer):
    texts = [f"{' '.join(WORDS[: 1 + number % 4])}." for number in range(40)]
    found = made(tmp_path, texts, tokenizer)
    data = TalkerData(None, torch.device("cpu"))
    data.load(tmp_path, text_tokenizer.load(tokenizer)[0], found)
    plan, _ = data.draw(np.arange(40), np.random.default_rng(0), 4000)
    kinds = [kind for kind, _, _ in COPIES]
    assert np.bincount(plan.copy) / 4000 == pytest.approx([share for *_, share in COPIES], abs=0.03)
    assert (
        plan.streamed[plan.copy == kinds.index(LETTERS)].any()
        and not plan.streamed[plan.copy == kinds.index(ALL)].any()
    )
    lengths = data.text_length
    assert lengths[0, kinds.index(ALL)] == lengths[4, kinds.index(ALL)]  # the same text: both have its phones
    assert (lengths[1] == lengths[1, 0]).all()  # one that copies.py did not see has its letters alone
    start, length = data.text_start[0, kinds.index(ALL)], lengths[0, kinds.index(ALL)]
    ids = data.text[start : start + length].tolist()
    first = json.loads((tokenizer / "text_ids.json").read_text())["phones"]
    assert sum(number >= first for number in ids) == 4 * 1  # one word of four phones


def test_the_sound_is_looked_up_in_the_text():
    data = TalkerData(None, torch.device("cpu"))
    data.text_share = torch.tensor([0.0, 0.5, 1.0, 0.0, 0.1, 0.2, 1.0])
    spoken = torch.tensor([[0.0, 0.25, 1.0], [0.0, 0.15, 0.6]])
    found = data._place_in_text(spoken, np.array([0, 3]), np.array([3, 4]))
    assert found.tolist() == [pytest.approx([0, 0.25, 1]), pytest.approx([0, 0.5, 2.5 / 3])]


def test_codes_come_back_from_a_transfer_as_they_were(tmp_path, tokenizer):
    texts = [f"{WORDS[number]} one." for number in range(12)]
    made(tmp_path / "data", texts, tokenizer)
    pack_codes.pack(tmp_path / "data", tmp_path / "parts")
    pack_codes.unpack(tmp_path / "parts", tmp_path / "again")
    plain_text, _ = text_tokenizer.load(tokenizer)
    both = []
    for folder in ("data", "again"):
        data = TalkerData(None, torch.device("cpu"))
        data.load(tmp_path / folder, plain_text)
        both.append(data)
    first, second = both
    assert torch.equal(first.codes, second.codes) and torch.equal(first.text, second.text)
    assert (first.frames == second.frames).all() and (first.speaker == second.speaker).all()
    for start, frames in zip(first.start, first.frames, strict=True):
        ours, theirs = (data.phones[start : start + frames] for data in both)
        assert torch.equal(ours - ours[0], theirs - theirs[0])
    assert len(first.references) and not len(second.references)  # their sound was left behind


def test_bits_of_many_numbers_survive(monkeypatch):
    monkeypatch.setattr(pack_codes, "AT_ONCE", 80)
    numbers = np.random.default_rng(0).integers(0, 512, 3 * 80 + 13)
    assert (pack_codes.from_bits(pack_codes.in_bits(numbers, 9), 9, len(numbers)) == numbers).all()


def test_the_shipped_codec_and_speaker_encoder_hear_what_they_heard(tmp_path, tokenizer):
    torch.manual_seed(0)
    codec, ids = Codec(TOY.codec).eval(), json.loads((tokenizer / "text_ids.json").read_text())
    encoder = SpeakerEncoder(TOY.speaker_encoder, TOY.talker.talker.hidden).eval()
    talker = Talker(TOY, ids["vocabulary"])
    audio = torch.randn(1, 12 * FRAME_SAMPLES) * 0.1
    with torch.no_grad():
        for quantiser in (codec.semantic, codec.acoustic):
            quantiser.measure(codec.latent(audio))
    torch.save({"preset": "toy", "codec": codec.state_dict()}, tmp_path / "codec_joint.pt")
    saved = {
        "average": talker.state_dict(),
        "speakers": list(SPEAKERS),
        "speaker_encoder_average": encoder.state_dict(),
    }
    torch.save(saved, tmp_path / "talker.pt")
    export.run(
        SimpleNamespace(out=tmp_path / "tiny", base_out=tmp_path / "base", checkpoints=tmp_path, tokenizer=tokenizer)
    )
    tensors, codec_found, _ = plain(tmp_path / "base")
    found = from_shipped.shipped_codec(codec_found, "toy").eval()
    again = SpeakerEncoder(TOY.speaker_encoder, TOY.talker.talker.hidden).eval()
    again.load_state_dict(from_shipped.shipped_speaker_encoder(tensors, TOY))
    with torch.no_grad():
        assert (codec.encode(audio) == found.encode(audio)).float().mean() > 0.9  # float16 in between: near ties
        assert (codec.encode(audio)[:, 0] == found.encode(audio)[:, 0]).all()
        mel = LogMel()(audio)
        assert torch.allclose(encoder(mel), again(mel), atol=2e-3)


def test_a_kept_speaker_encoder_does_not_move(tmp_path, tokenizer, monkeypatch):
    monkeypatch.setattr(talker_data, "DRAWS", 2000)
    options = SimpleNamespace(
        out=tmp_path,
        preset="toy",
        tokenizer=tokenizer,
        seed=0,
        learning_rate=1e-2,
        eager=True,
        no_context=True,
        listener=None,
        copies=None,
        preset_share=0.3,
        keep_encoder=True,
        positions=600,
        predictor_share=0.25,
    )
    training = TalkerTraining(options, Ranks("cpu"))
    training.data.fake(TOY, count=60)
    before = [group.values.data.clone() for group in training.groups]
    asked = (plan for _, plan in training.data.batches(0, 600, 0, 1))
    speakers = training.data.speaker
    plan = next(plan for plan in asked if len(set(speakers[plan.item[plan.reference >= 0]])) > 1)
    length = int(training.data.positions(plan).max())
    first, rest, guide, identity, apart = training.losses(length, plan, True, training.random)
    assert float(identity) == float(apart) == 0
    differentiate(first + rest + guide, training.groups)
    for group, share in zip(training.groups, training.shares_of_rate, strict=True):
        group.step(1e-2 * share, 1.0)
    moved = [not torch.equal(group.values.data, was) for group, was in zip(training.groups, before, strict=True)]
    assert moved == [True, True, False]


def test_a_reading_without_places_has_no_words():
    assert Reading("Now.", False, ((58, 39),)).words == []


def test_the_stages_are_named(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "argv", ["stage_phones.py", "--run", str(tmp_path), "--stages", "warm,dta"])
    with pytest.raises(SystemExit):
        stage_phones.parse()
    assert "no such stage: dta; there are warm, data, train, pack" in capsys.readouterr().err


def test_a_talker_whose_phones_and_sound_disagree_ends_the_run(tmp_path):
    session = SimpleNamespace(
        talker=SimpleNamespace(finished=lambda: False, attempt=0),
        run=tmp_path,
        out=tmp_path,
        end=float("inf"),
        options=SimpleNamespace(preset="clone"),
    )
    (tmp_path / "talker.jsonl").write_text(json.dumps({"step": 400, "guide": 0.9, "first": 1.0}) + "\n")
    with pytest.raises(stage_phones.LostError, match=r"guide 0.9 at step 400"):
        stage_phones.Session.train(session)


def ending_session(tmp_path):
    """A session whose teachers have all ended and whose files are there."""
    session = object.__new__(stage_phones.Session)
    session.run = session.out = tmp_path
    session.options = SimpleNamespace(stages=["data"], encode_seconds=1, device="cpu")
    session.begin, session.data_end, session.end = 0.0, float("inf"), float("inf")
    session.beside, session.gpus, session.common = {}, ["0"], []
    session.teachers = [SimpleNamespace(poll=lambda: 1, kill=lambda: None, wait=lambda: None)]
    (tmp_path / "data").mkdir()
    (tmp_path / "codec_joint.pt").touch()
    return session


def test_teachers_that_end_without_audio_end_the_run(tmp_path):
    session = ending_session(tmp_path)
    session.begin = stage_phones.time.time()
    (tmp_path / "data/some.jsonl").touch()
    with pytest.raises(stage_phones.LostError, match="ended without audio"):
        session.teach()
    (tmp_path / "data/some.jsonl").write_text("{}\n")
    session.teach()


def test_a_run_without_codes_ends(tmp_path, monkeypatch):
    session = ending_session(tmp_path)
    monkeypatch.setattr(stage_phones, "Stage", lambda *_: SimpleNamespace(wait=lambda until: None))
    with pytest.raises(stage_phones.LostError, match="nothing was encoded"):
        session.encode()


def test_the_first_items_of_growing_shards_are_shards_of_their_own(tmp_path, tokenizer):
    made(tmp_path / "data", [f"{WORDS[number]} one." for number in range(12)], tokenizer)
    assert not first_items.cut(tmp_path / "empty", tmp_path / "try", 1)
    assert not first_items.cut(tmp_path / "data", tmp_path / "try", 13) and not (tmp_path / "try").exists()
    assert first_items.cut(tmp_path / "data", tmp_path / "try", 5)
    whole, first = ((tmp_path / name / "some.jsonl").read_text().splitlines() for name in ("data", "try"))
    assert first == whole[:5]
    assert (tmp_path / "try/some.pcm").read_bytes() == (tmp_path / "data/some.pcm").read_bytes()


@pytest.mark.parametrize("name", ["calls_phones", "calls_phones_full"])
def test_the_calls_fit_their_limits(name):
    lines = (Path(__file__).parent / f"kit/{name}.jsonl").read_text().splitlines()
    calls = [json.loads(line) for line in lines]
    assert all(len(call["command"]) <= 2000 and call["timeout_s"] <= 600 for call in calls)
    assert [call.get("carry") for call in calls[:3]] == [[".kit/part1"], [".kit/part2"], [".kit/part3"]]


def test_labels_are_counted_to_the_middle_of_a_frame():
    labels = np.array([1, 1, 2, 2, 2, 3, 3, 4], np.uint8)
    assert pack_codes.begun(labels).tolist() == [1, 2]
    assert LABEL_SAMPLES * 4 == FRAME_SAMPLES
