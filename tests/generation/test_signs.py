"""Nonsense and speech: paths through a text that skip, repeat, jump or get lost, and draws that surprise."""

import json
from dataclasses import replace

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts import SpeechRequest, api
from mlx_tts.errors import ModelError
from mlx_tts.generation import guarded
from mlx_tts.generation.guard import Fault, is_of_the_text
from mlx_tts.generation.guarded import GuardedGeneration
from mlx_tts.generation.signs import (
    Following,
    Surprises,
    TakeSigns,
    TellsOfTakes,
    TextAttention,
    barely_strayed,
    how_it_followed,
    how_it_strayed,
    is_unclear,
    misspoken,
)
from mlx_tts.models.qwen3_tts import alignment
from mlx_tts.models.qwen3_tts import synthesizer as synthesizer_module
from mlx_tts.models.qwen3_tts.config import model_config
from mlx_tts.models.qwen3_tts.frames import surprise, surprises_of
from mlx_tts.models.qwen3_tts.rows import PendingAttention
from mlx_tts.speech import GuardReport
from mlx_tts.text.cutting.pace import expected_seconds
from tests.helpers.gpu_form import with_policy
from tests.helpers.paths import TINY
from tests.helpers.toy_family import ToySynthesizer

RATE = 12.5
WORDS = ("Nobody", "knew", "why", "the", "bridge", "was", "closed")
BEGINS = (0, 3, 5, 7, 8, 11, 13)
IDS = 16
LOST = "lost its place in the text"
AGAIN = "said words twice or in another order"
LEFT_OUT = "left out words of the text"
SLOW = "spoke far too slowly"
NOT_THE_TEXT = "did not follow the text"
STRICT = Following(near=0.8, spread=1.27, looked_back=0.03, word_frames=0.85, pace=1.1)


def attention(path, blur=0.1, elsewhere=(), reach=1) -> TextAttention:
    """Frames that look at the ids of `path`, a little at those within `reach`, and at nothing particular where
    `elsewhere`."""
    seen = np.full((len(path), IDS), 0.002, np.float32)
    for frame, place in enumerate(path):
        if frame in elsewhere:
            seen[frame] = 1 / IDS
            continue
        seen[frame, place] += 1 - 2 * blur * reach
        for beside in range(place - reach, place + reach + 1):
            if 0 <= beside < IDS and beside != place:
                seen[frame, beside] += blur
    return TextAttention(seen, WORDS, BEGINS)


def steadily(ids, frames=2):
    return [place for place in ids for _ in range(frames)]


def test_a_glance_elsewhere_is_not_a_fault_in_a_short_text():
    """The same frames: of a heading they are good speech, of a sentence they are not."""
    found = attention(steadily(range(8)))
    looks_back = found.seen.copy()
    looks_back[14:16] = 0.002
    looks_back[14:16, 2] = 1.0  # at the end, two frames look back to the second word
    sentence = replace(found, seen=looks_back, limits=STRICT)
    heading = replace(sentence, words=WORDS[:4], begins=BEGINS[:4])
    assert how_it_followed(heading, RATE).looked_back > STRICT.looked_back
    assert how_it_strayed(replace(sentence, words=WORDS), RATE) is not None
    said_twice = replace(heading, seen=np.concatenate([found.seen, found.seen]))
    assert how_it_strayed(said_twice, RATE) is not None


def test_half_a_second_that_looks_about_is_a_fault_in_a_short_text():
    """One word of a heading that is wrong is hidden in the mean; the same looks all over it are not a fault."""
    limits = replace(STRICT, near=0.1, word_frames=0.4, looked_back=1.0)
    path, blurred = steadily(range(8), 3), range(9, 15)
    heading = replace(attention(path, elsewhere=blurred), words=WORDS[:4], begins=BEGINS[:4], limits=limits)
    found = how_it_followed(heading, RATE)
    assert found.spread < STRICT.spread < found.blur
    assert how_it_strayed(heading, RATE) == NOT_THE_TEXT
    now_and_then = replace(heading, seen=attention(path, elsewhere=range(0, 24, 4)).seen)
    assert how_it_followed(now_and_then, RATE).spread == pytest.approx(found.spread, abs=0.02)
    assert how_it_strayed(now_and_then, RATE) is None
    assert how_it_strayed(replace(heading, words=WORDS, begins=BEGINS), RATE) is None  # of a sentence the mean counts


def test_a_look_that_is_hardly_blurred_is_a_slight_fault():
    heading = replace(attention(steadily(range(8), 3), elsewhere=range(9, 15)), words=WORDS[:4], begins=BEGINS[:4])
    blur = how_it_followed(heading, RATE).blur
    for share, slight in ((0.95, True), (0.6, False)):
        limits = replace(STRICT, near=0.1, word_frames=0.4, looked_back=1.0, spread=share * blur - 0.2)
        found = TakeSigns(attention=replace(heading, limits=limits))
        assert misspoken(found, RATE) == NOT_THE_TEXT
        assert barely_strayed(found, RATE) is slight
    assert not barely_strayed(TakeSigns(draws_from(40, 3.0)), RATE)


def test_three_takes_with_the_same_slight_fault_are_how_the_text_looks():
    slight, other, clear = Fault("a", 9, True), Fault("b", 9, True), Fault("a", 9)
    assert is_of_the_text([slight] * 3)
    for faults in ([slight] * 2, [slight, other, slight], [slight, slight, clear], []):
        assert not is_of_the_text(faults)


def test_phones_are_more_ids_for_the_same_look():
    """A short text, of which twice as many ids are looked at: the limits of letters would blame it."""
    path = steadily(range(8), 3)
    heading = replace(attention(path, blur=0.12, reach=3), words=WORDS[:4], begins=BEGINS[:4])
    limits = replace(
        STRICT, near=0.1, word_frames=0.4, looked_back=1.0, spread=how_it_followed(heading, RATE).blur - 0.3
    )
    assert how_it_strayed(replace(heading, limits=limits), RATE) == NOT_THE_TEXT
    assert how_it_strayed(replace(heading, limits=limits, crowding=1.2), RATE) is None


def test_speech_that_follows_its_text():
    assert how_it_strayed(attention(steadily(range(IDS))), RATE) is None
    assert how_it_strayed(attention(steadily(range(IDS), 5), blur=0.2), RATE) is None
    assert how_it_strayed(attention(steadily(range(IDS), 1)), RATE) is None
    assert how_it_strayed(attention(steadily(range(IDS)), elsewhere=range(9, 13)), RATE) is None


@pytest.mark.parametrize(
    ("path", "elsewhere", "reason"),
    [
        ([*steadily(range(5)), *steadily(range(11, IDS))], (), LEFT_OUT),
        (steadily(range(8), 4), (), LEFT_OUT),
        ([*steadily(range(11)), *steadily(range(3, IDS))], (), AGAIN),
        ([*steadily(range(7, IDS)), *steadily(range(8))], (), AGAIN),
        (steadily(range(IDS), 4), range(20, 30), LOST),
    ],
)
def test_words_left_out_doubled_moved_and_a_place_that_was_lost(path, elsewhere, reason):
    found = how_it_strayed(attention(path, elsewhere=elsewhere), RATE)
    assert found == reason or (found, reason) == (LOST, AGAIN)  # who goes far back is lost for a while


def test_signs_between_two_words_are_one_place():
    """`late!” (when` in a small vocabulary: six ids without a sound, over which speech glides within a few frames. Six
    ids of letters are words, and a path that goes by them so has lost them."""
    found = attention(steadily(range(IDS)))
    glide = np.zeros((6, IDS), np.float32)
    glide[:, 4], glide[:, 11] = np.linspace(0.8, 0.2, 6), np.linspace(0.2, 0.8, 6)
    seen = np.concatenate([found.seen[:10], glide, found.seen[22:]])
    signs = tuple(5 <= place <= 10 for place in range(IDS))
    limits = replace(STRICT, pace=100.0)
    words, begins = ("So", "I", "am", "too", "late!”", "(when", "she"), (0, 1, 2, 3, 4, 11, 13)
    glided = TextAttention(seen, words, begins, limits)
    assert how_it_strayed(glided, RATE) == LOST
    assert how_it_strayed(replace(glided, signs=signs), RATE) is None
    of_letters = tuple(place in (4, 11) for place in range(IDS))
    assert how_it_strayed(replace(glided, signs=of_letters), RATE) == LOST


def test_signs_that_stand_alone_change_nothing():
    found = attention([*steadily(range(6)), 3, 2, *steadily(range(6, IDS))], blur=0.18, reach=2)
    alone = replace(found, signs=tuple(place % 2 == 1 for place in range(IDS)))
    assert how_it_followed(alone, RATE) == how_it_followed(found, RATE)


def test_how_speech_followed_is_measured():
    seen = np.zeros((16, 8), np.float32)
    for frame, place in enumerate(steadily(range(8))):
        seen[frame, place] = 1
    seen[10] = [0.5, 0, 0, 0, 0, 0.5, 0, 0]  # of the six frames around it each other one looks at its place alone
    measured = how_it_followed(TextAttention(seen, ("One", "two,", "up"), (0, 3, 6)), RATE)
    assert measured.near == pytest.approx(5.5 / 6)
    assert measured.spread == pytest.approx(np.log(2) / 16, abs=2e-3)
    assert measured.blur == pytest.approx(np.log(2) / 6, abs=4e-3)
    assert measured.looked_back == pytest.approx((5 - 2.5 - 1.5) / 16)
    assert measured.word_frames == pytest.approx(5.5)  # of "two,": shorter words may get less
    assert measured.pace == pytest.approx((16 / RATE - 1) / expected_seconds("One two, up"))


@pytest.mark.parametrize(
    ("path", "options", "reason"),
    [
        (steadily(range(IDS)), {"blur": 0.18, "reach": 2}, NOT_THE_TEXT),
        (steadily(range(IDS)), {"elsewhere": range(20, 23)}, LOST),
        ([*steadily(range(6)), 3, 2, *steadily(range(6, IDS))], {}, AGAIN),
        ([*steadily(range(8)), *steadily(range(11, IDS))], {}, LEFT_OUT),
        (steadily(range(IDS), 4), {}, SLOW),
    ],
)
def test_heads_whose_good_takes_were_measured_tell_more(path, options, reason):
    found = attention(path, **options)
    assert how_it_strayed(found, RATE) is None
    assert how_it_strayed(replace(found, limits=STRICT), RATE) == reason
    assert how_it_strayed(replace(attention(steadily(range(IDS))), limits=STRICT), RATE) is None


def test_phones_are_more_ids_for_the_same_sound():
    """What would be blurred on letters is the same look at the same sound where the text has half as many ids again."""
    found = replace(attention(steadily(range(IDS)), blur=0.18, reach=2), limits=STRICT)
    assert how_it_strayed(found, RATE) == NOT_THE_TEXT
    assert how_it_strayed(replace(found, crowding=1.5), RATE) is None
    assert how_it_strayed(replace(found, crowding=1.05), RATE) == NOT_THE_TEXT
    lost = replace(attention(steadily(range(IDS)), elsewhere=range(18, 25)), limits=STRICT, crowding=1.5)
    assert how_it_strayed(lost, RATE) == LOST


def test_a_text_in_capitals_is_one_of_words_and_abbreviations_are_letters():
    seen = np.full((60, 16), 0.06, np.float32)

    def pace(text):
        words = tuple(text.split())
        return how_it_followed(TextAttention(seen, words, tuple(range(len(words)))), RATE).pace

    assert pace("NEVER GIVE UP, MY FRIENDS.") == pytest.approx(pace("never give up, my friends."))
    assert pace("The BBC and NATO.") < pace("The bbc and nato.")
    assert pace("USA, UK, UN.") < pace("usa, uk, un.")


def test_speech_too_short_to_say_anything_is_let_be():
    assert how_it_strayed(attention([0, 5, 2, 9, 15]), RATE) is None
    assert not is_unclear(draws_from(5, 3.0))


def draws_from(frames: int, temperature: float, seed: int = 0) -> Surprises:
    """Of codes that were drawn at a temperature, from logits as peaked as a talker's."""
    chance = np.random.default_rng(seed)
    logits = 4 * chance.standard_normal((frames, 300)).astype(np.float32)
    codes = np.argmax(logits / temperature + chance.gumbel(size=logits.shape), axis=1)
    draws = surprises_of(np.array(surprise(mx.array(logits), mx.array(codes))))
    assert draws is not None
    return draws


def test_surprise_and_entropy_are_those_of_the_distribution():
    logits = np.array([[0.0, np.log(3.0), -np.inf], [0.0, 0.0, -np.inf]], np.float32)
    surprised, entropy, variance = np.array(surprise(mx.array(logits), mx.array([1, 0]))).T
    np.testing.assert_allclose(surprised, [np.log(4 / 3), np.log(2)], rtol=1e-5)
    np.testing.assert_allclose(entropy, [-(0.25 * np.log(0.25) + 0.75 * np.log(0.75)), np.log(2)], rtol=1e-5)
    np.testing.assert_allclose(variance, [0.25 * 0.75 * np.log(3) ** 2, 0], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("temperature", [0.01, 0.7, 0.9, 1.0])
def test_a_model_that_is_sampled_rightly_is_not_surprised(temperature):
    assert not any(is_unclear(draws_from(frames, temperature, seed)) for frames in (12, 40, 400) for seed in range(20))


def test_draws_from_another_distribution_surprise_it():
    assert all(is_unclear(draws_from(60, 1.6, seed)) for seed in range(20))
    drawn = draws_from(60, 0.9)
    other = replace(drawn, surprise=np.roll(draws_from(60, 3.0).surprise, 7))
    assert misspoken(TakeSigns(other), RATE) == "spoke unclearly"
    assert misspoken(TakeSigns(drawn), RATE) is None
    assert misspoken(TakeSigns(), RATE) is None


def test_a_family_that_knows_nothing_says_nothing(tmp_path):
    assert not isinstance(ToySynthesizer(None), TellsOfTakes)


# The built-in voice --------------------------------------------------------------------------------------------------

TEXT = "Nobody knew why the bridge was closed, so we walked along the river."
SHORT = "Nobody knew why it was so."


@pytest.fixture(scope="module")
def voice():
    return api.load_folder(TINY)


def request(text: str = TEXT, **options) -> SpeechRequest:
    return SpeechRequest(text, voice="hazel", language="english", **{"seed": 4, **options})


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Nobody knew why the bridge along the river.", LEFT_OUT),
        ("Nobody knew why the bridge was closed, knew why the bridge was closed, so we walked along the river.", AGAIN),
        ("So we walked along the river, nobody knew why the bridge was closed.", AGAIN),
    ],
)  # fmt: skip
def test_frames_of_other_words_are_told_from_those_of_the_text(voice, said, reason):
    synthesizer = voice._synthesizer
    codes = {text: voice.generate_codes(request(text, guard=False)) for text in (TEXT, said)}

    def judged(frames):
        row = next_row(synthesizer, synthesizer.prepare(voice.check(request())))
        return how_it_strayed(synthesizer.signs(row, frames).attention, RATE)

    assert judged(codes[TEXT]) is None
    assert judged(codes[said]) in (reason, LOST)


@pytest.mark.smoke("hazel-names", "miles-a question in capitals")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TEXT, "Please bring two cups of flour, a spoon of salt and a little cold water."),
        (
            "The package should arrive on Tuesday, March fourteenth.",
            "George, Peter and Sam went from Athens to Dallas.",
        ),
        ("WHERE IS THE WINDOW THAT YOU WANTED TO SELL?", "WHERE IS THE WINDOW THAT YOU WANTED TO SELL?"),
        ("NEVER GIVE UP, EVEN WHEN THINGS LOOK IMPOSSIBLE.", "NEVER GIVE UP, EVEN WHEN THINGS LOOK IMPOSSIBLE."),
    ],
    ids=["a recipe", "names", "a question in capitals", "advice in capitals"],
)
@pytest.mark.parametrize("name", ["hazel", "miles"])
def test_speech_of_other_words_and_capitals_that_are_read_as_letters(voice, name, text, said):
    synthesizer = voice._synthesizer
    frames = voice.generate_codes(replace(request(said, guard=False), voice=name))
    asked = voice.check(replace(request(text), voice=name))
    found = synthesizer.signs(next_row(synthesizer, synthesizer.prepare(asked)), frames).attention
    assert how_it_strayed(found, RATE) is not None


@pytest.mark.long
@pytest.mark.slow
def test_good_takes_of_every_voice_keep_within_the_measured_limits(voice):
    for name in voice.voices:
        for text in (TEXT, "I paid thirty three pounds for eighteen light tables.", "Are you going out today?"):
            report = voice.speak(replace(request(text), voice=name)).report
            assert report == GuardReport(1), (name, text)


def test_limits_belong_to_a_checkpoint():
    """A model whose good takes nobody measured is judged by the widest limits; the built-in voice has its own."""
    data = json.loads((TINY / "config.json").read_text())
    assert model_config(data, TINY).alignment.limits == STRICT
    del data["alignment"]["limits"]
    assert model_config(data, TINY).alignment.limits == Following()
    data["alignment"]["limits"] = {"near": "all"}
    with pytest.raises(ModelError, match=r"alignment\.limits\.near is 'all'"):
        model_config(data, TINY)


def next_row(synthesizer, prepared):
    begin = synthesizer.begin(prepared, 0)
    while True:
        try:
            next(begin)
        except StopIteration as done:
            return done.value


@pytest.mark.slow
def test_the_engine_has_a_take_of_other_words_made_again_and_says_so(voice, monkeypatch):
    synthesizer = voice._synthesizer
    whole, asked = type(synthesizer).signs, []

    def signs(self, row, frames):
        asked.append(row.take)
        found = whole(self, row, frames)
        assert len(found.surprises.surprise) >= len(frames)
        return replace(found, surprises=draws_from(40, 3.0)) if row.take == 0 else found

    monkeypatch.setattr(type(synthesizer), "signs", signs)
    few = "He left."
    report = voice.speak(request(few)).report
    assert asked == [0, 1]
    assert report == GuardReport(2, ("spoke unclearly",))
    alone = voice.speak(request(few, retries=0))
    assert alone.report == GuardReport(1, (), "spoke unclearly", kept_whole=True)
    assert alone.report.line == "the model spoke unclearly: kept as it is"
    assert alone.samples.shape == voice.speak(request(few, guard=False)).samples.shape


@pytest.mark.slow
def test_the_guard_hears_sampling_that_is_far_too_hot(voice):
    from mlx_tts import Sampling

    hot = Sampling(temperature=2.0, top_k=0, subtalker_temperature=1.0)
    assert voice.speak(request(SHORT, sampling=hot, retries=0)).report.kept_fault is not None
    assert voice.speak(request(SHORT, retries=0)).report.kept_fault is None


@pytest.mark.slow
def test_what_the_guard_asks_of_a_finished_take_is_sent_with_its_last_sound(voice, monkeypatch):
    """On a device that is sent work ahead nobody waits for it behind the next step, and it is computed once."""
    with_policy(monkeypatch, guarded, looks_ahead=True)
    events, send, read = [], synthesizer_module.text_attention, PendingAttention.read
    hear = GuardedGeneration.on_audio

    def logged(name, function):
        return lambda *given: (events.append(name), function(*given))[1]

    monkeypatch.setattr(synthesizer_module, "text_attention", logged("sent", send))
    monkeypatch.setattr(PendingAttention, "read", logged("read", read))
    monkeypatch.setattr(GuardedGeneration, "on_audio", logged("sound", hear))
    chunk = voice.speak(request("Nobody knew why."))
    assert chunk.report == GuardReport(1)
    assert chunk.marks
    assert events[-3:] == ["sent", "sound", "read"]
    assert events.count("sent") == 1


@pytest.mark.slow
def test_where_libraries_plan_each_length_a_take_is_looked_at_in_one_of_few(voice, monkeypatch):
    synthesizer = voice._synthesizer
    frames = voice.generate_codes(request("Nobody knew why.", guard=False))
    row = next_row(synthesizer, synthesizer.prepare(voice.check(request("Nobody knew why."))))
    exact = synthesizer.signs(row, frames).attention
    with_policy(monkeypatch, alignment, avoids_libraries=True)
    lengths, layer = [], type(synthesizer.talker.model.layers[0])
    call = layer.__call__
    monkeypatch.setattr(layer, "__call__", lambda own, x, *given: (lengths.append(x.shape[1]), call(own, x, *given))[1])
    row.attention = None
    rounded = synthesizer.signs(row, frames).attention
    assert lengths
    assert all(length % alignment.ROUND_POSITIONS == 0 for length in lengths)
    assert rounded.seen.shape == exact.seen.shape
    np.testing.assert_allclose(rounded.seen, exact.seen, atol=1e-5)
