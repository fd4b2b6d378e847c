"""Long texts: order, pauses, memory, resuming and chapters, with a synthesizer that hums; then with a voice."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile

from mlx_tts import AudioChunk, Capabilities, GuardReport, SpeechRequest, api
from mlx_tts.audio.sinks import ChapterSink
from mlx_tts.cli import run
from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.narration.narrate import AHEAD, NarrationOptions, narrate
from mlx_tts.narration.piece_store import PieceStore, settings_of, store_folder
from mlx_tts.narration.timeline import Pauses
from mlx_tts.speech import CheckedRequest, Mark, ModelInfo
from mlx_tts.text.cutting.pieces import CHAPTER, PARAGRAPH, SENTENCE, START, Piece
from tests.helpers.forked import start_command
from tests.helpers.made_stream import MadeStream
from tests.helpers.paths import ROOT

TINY = ROOT / "mlx_tts" / "builtin" / "tiny"
RATE = 24_000


@dataclass
class Hummer:
    """Says number n at level (n + 1) / 1000 for as many samples as its text has letters; every third piece is slow."""

    info: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(sample_rate=RATE, can=Capabilities()))
    asked: list[SpeechRequest] = field(default_factory=list)
    fail_at: int = -1
    most_rows: int = 1

    def serve_rows(self, rows=None):
        self.most_rows = rows or self.most_rows
        return self.most_rows

    def submit(self, request, *, live=False, low_latency=False, condition=None, number=0) -> MadeStream:
        self.asked.append(request)
        return MadeStream(request, self.chunks(request, number))

    def chunks(self, request: SpeechRequest, number: int) -> Iterator[AudioChunk]:
        if number == self.fail_at:
            raise KeyboardInterrupt
        for _ in range(29 if number % 20 == 0 else 6 if number % 3 == 0 else 0):
            yield AudioChunk(np.zeros(0, np.float32), RATE)  # the others go on meanwhile
        samples = np.full(len(request.text), 0.01 + number / 1000, np.float32)
        half = len(samples) // 2
        yield AudioChunk(samples[:half], RATE)
        yield AudioChunk(samples[half:], RATE, GuardReport(1))


def numbered(*texts: str, gap: str = SENTENCE) -> list[Piece]:
    return [Piece(number, text, 0, gap if number else START) for number, text in enumerate(texts)]


def joined(spoken) -> np.ndarray:
    return np.concatenate([part.samples for part in spoken])


NONE = Pauses(0, 0, 0)
REQUEST = CheckedRequest("", voice="hazel", seed=5)
TEXTS = [f"{'word ' * (3 + number % 5)}{number}" for number in range(40)]


@pytest.mark.parametrize("rows", [1, 3, 8])
def test_pieces_leave_in_order_whatever_finishes_first(rows):
    spoken = list(narrate(Hummer(), REQUEST, iter(numbered(*TEXTS)), NarrationOptions(rows, pauses=NONE)))
    order = [part.piece.number for part in spoken if part.report is not None]
    assert order == list(range(40))
    alone = list(narrate(Hummer(), REQUEST, iter(numbered(*TEXTS)), NarrationOptions(1, live=True, pauses=NONE)))
    np.testing.assert_array_equal(joined(spoken), joined(alone))


def test_every_piece_has_the_same_voice_and_seed():
    hummer = Hummer()
    list(narrate(hummer, REQUEST, iter(numbered(*TEXTS)), NarrationOptions(4)))
    assert {replace(request, text="") for request in hummer.asked} == {REQUEST}


def test_few_pieces_wait_for_a_slow_one():
    taken, left = [], []

    def source():
        for piece in numbered(*TEXTS):
            taken.append(piece.number)
            assert len(taken) - len(left) <= 2 * AHEAD + 1  # constant memory, however long the book
            yield piece

    for part in narrate(Hummer(), REQUEST, source(), NarrationOptions(2)):
        if part.report is not None:
            left.append(part.piece.number)
    assert len(left) == 40


@pytest.mark.parametrize(("gap", "seconds"), [(SENTENCE, 0.25), (PARAGRAPH, 0.7), (CHAPTER, 1.5)])
def test_pauses(gap, seconds):
    spoken = joined(narrate(Hummer(), REQUEST, iter(numbered("a" * 100, "b" * 100, gap=gap)), NarrationOptions()))
    assert len(spoken) == 200 + round(seconds * RATE)
    assert not spoken[100:-100].any()
    assert spoken[:100].all()
    assert spoken[-100:].all()


def test_the_quiet_end_of_a_voice_counts_as_pause():
    class Quiet(Hummer):
        def chunks(self, *request):
            for chunk in super().chunks(*request):
                quiet = np.zeros(1000 if chunk.report else 0, np.float32)
                yield replace(chunk, samples=np.concatenate([chunk.samples, quiet]))

    spoken = joined(narrate(Quiet(), REQUEST, iter(numbered("a" * 100, "b" * 100)), NarrationOptions()))
    assert len(spoken) == 2 * 100 + 1000 + round(0.25 * RATE)


# Resuming ------------------------------------------------------------------------------------------------------------


def store_at(folder: Path, texts=TEXTS, resume=True, **changes) -> PieceStore:
    store = PieceStore(folder, RATE)
    store.begin(settings_of(replace(REQUEST, **changes), texts, "tiny", NONE), 5, resume)
    return store


@pytest.mark.parametrize("rows", [1, 4])
def test_a_run_that_stopped_goes_on_and_sounds_the_same(tmp_path, rows):
    whole = joined(
        narrate(
            Hummer(), REQUEST, iter(numbered(*TEXTS)), NarrationOptions(rows, pauses=NONE), store_at(tmp_path / "w")
        )
    )
    store = store_at(tmp_path / "p")
    with pytest.raises(KeyboardInterrupt):
        list(narrate(Hummer(fail_at=17), REQUEST, iter(numbered(*TEXTS)), NarrationOptions(rows, pauses=NONE), store))
    kept = len(store)
    assert 17 - rows <= kept < 40
    again = Hummer()
    store = store_at(tmp_path / "p")
    resumed = joined(narrate(again, REQUEST, iter(numbered(*TEXTS)), NarrationOptions(rows, pauses=NONE), store))
    np.testing.assert_array_equal(resumed, whole)
    assert len(again.asked) == 40 - kept


def test_a_piece_that_is_made_is_kept_though_keeping_it_was_interrupted(tmp_path, monkeypatch):
    store = store_at(tmp_path / "p")
    write, stops = store.write, iter([None, KeyboardInterrupt()])

    def interrupted(*piece):
        if (stop := next(stops, None)) is not None:
            raise stop
        write(*piece)

    monkeypatch.setattr(store, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(narrate(Hummer(), REQUEST, iter(numbered(*TEXTS)), NarrationOptions(pauses=NONE), store))
    assert 1 in store


def test_pieces_that_are_made_are_kept_though_nobody_took_them(tmp_path):
    class Quick(Hummer):
        def submit(self, *request, **delivery):
            stream = super().submit(*request, **delivery)
            stream.ended = True
            return stream

    store, model = store_at(tmp_path / "p"), Quick()
    spoken = narrate(model, REQUEST, iter(numbered(*TEXTS)), NarrationOptions(4, pauses=NONE), store)
    next(spoken)
    spoken.close()  # as where the caller is interrupted while it writes what it was given
    assert len(store) == len(model.asked)
    whole = joined(narrate(Hummer(), REQUEST, iter(numbered(*TEXTS)), NarrationOptions(pauses=NONE)))
    again = joined(
        narrate(Hummer(), REQUEST, iter(numbered(*TEXTS)), NarrationOptions(pauses=NONE), store_at(tmp_path / "p"))
    )
    np.testing.assert_allclose(again, whole, atol=1e-4)  # the store has 16 bits


def test_a_run_whose_pieces_are_all_there_makes_none(tmp_path):
    whole = joined(narrate(Hummer(), REQUEST, iter(numbered(*TEXTS)), NarrationOptions(2), store_at(tmp_path / "p")))
    again = Hummer()
    resumed = joined(narrate(again, REQUEST, iter(numbered(*TEXTS)), NarrationOptions(2), store_at(tmp_path / "p")))
    np.testing.assert_array_equal(resumed, whole)
    assert again.asked == []


def test_a_resumed_run_computes_as_the_first_one_did(tmp_path):
    settings = settings_of(REQUEST, TEXTS, "tiny", NONE)
    first = PieceStore(tmp_path / "p", RATE)
    first.begin(settings, 5, resume=False, kernel_form="half")
    again = PieceStore(tmp_path / "p", RATE)
    assert again.begin(settings, 9, resume=True, kernel_form="fused") == 5
    assert again.kernel_form == "half"


def test_what_is_stored_is_what_a_file_gets(tmp_path):
    """16-bit samples go into the store and out of it into the file without a second rounding."""
    store = store_at(tmp_path / "p")
    samples = np.random.default_rng(0).uniform(-1, 1, 20_000).astype(np.float32)
    store.write(3, samples)
    soundfile.write(tmp_path / "direct.wav", samples, RATE, subtype="PCM_16")
    soundfile.write(tmp_path / "stored.wav", store.read(3), RATE, subtype="PCM_16")
    direct, stored = (soundfile.read(tmp_path / name, dtype="int16")[0] for name in ("direct.wav", "stored.wav"))
    np.testing.assert_array_equal(stored, store.read(3) * 32768)
    np.testing.assert_allclose(direct, stored, atol=1)  # libsndfile rounds down for WAV and to the nearest for FLAC


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"texts": [*TEXTS[:-1], "other"]}, "text"),
        ({"voice": "ryan"}, "voice"),
        ({"seed": 6}, "seed"),
        ({"language": "german"}, "language"),
        ({"instruct": "calmly"}, "instruct"),
        ({"retries": 0}, "limits"),
        ({"options": {"steps": 5}}, "options"),
    ],
)
def test_pieces_of_other_settings_are_refused(tmp_path, changes, named):
    store_at(tmp_path / "p")
    with pytest.raises(RequestError, match=rf"other settings \({named}\)"):
        store_at(tmp_path / "p", **changes)
    assert len(PieceStore(tmp_path / "p", RATE)) == 0


def test_an_earlier_seed_is_taken_over_where_none_is_given(tmp_path):
    settings = settings_of(replace(REQUEST, seed=None), TEXTS, "tiny", NONE)
    assert PieceStore(tmp_path / "p", RATE).begin(settings, 111, resume=True) == 111
    assert PieceStore(tmp_path / "p", RATE).begin(settings, 222, resume=True) == 111
    assert PieceStore(tmp_path / "p", RATE).begin(settings, 333, resume=False) == 333  # begun anew


def test_a_damaged_manifest_and_a_foreign_folder_are_clear_lines(tmp_path):
    store_at(tmp_path / "p")
    (tmp_path / "p" / "manifest.json").write_text("{")
    with pytest.raises(MlxTtsError, match="cannot be read"):
        store_at(tmp_path / "p")
    (tmp_path / "p" / "manifest.json").write_text('{"format": "other"}')
    with pytest.raises(MlxTtsError, match="not a manifest of this version"):
        store_at(tmp_path / "p")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("mine")
    with pytest.raises(RequestError, match="in the way"):
        store_at(tmp_path / "mine", resume=False)
    assert (tmp_path / "mine" / "diary.txt").read_text() == "mine"


def test_a_file_for_each_chapter_and_a_playlist(tmp_path):
    sink = ChapterSink(tmp_path / "book.wav", ["One", None], RATE)
    for chapter in (0, 0, 1):
        sink.begin_chapter(chapter)
        sink.write(np.full(RATE, 0.1 * (chapter + 1), np.float32))
    assert sink.finish() == tmp_path / "book.m3u"
    lines = (tmp_path / "book.m3u").read_text().splitlines()
    assert lines == ["#EXTM3U", "#EXTINF:2,One", "book-01.wav", "#EXTINF:1,Chapter 2", "book-02.wav"]
    assert [soundfile.info(tmp_path / name).frames for name in lines[2::2]] == [2 * RATE, RATE]


# With the built-in voice ---------------------------------------------------------------------------------------------

STORY = """# One

Go. No.

"Why?"

# Two

It is.
"""


@pytest.fixture(scope="module")
def voice():
    return api.load_folder(TINY)


@pytest.fixture
def story(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("story.md").write_text(STORY)
    return tmp_path


def line(*more: str) -> list[str]:
    return ["speak", "-f", "story.md", "--model", "tiny", "-l", "en", "--seed", "3", *more]


@pytest.mark.slow
def test_the_number_of_rows_changes_nothing(voice):
    """Codes, in float32: a piece's draws depend on its own address alone."""
    texts = ["Come here.", "He left.", "No."]
    requests = [SpeechRequest(text, voice="hazel", language="english", seed=3) for text in texts]
    codes = {}
    for rows in (1, 3):
        streams = [
            voice.submit(replace(request, seed=3 + number), silent=True) for number, request in enumerate(requests)
        ]
        if rows == 1:
            [list(stream) for stream in streams]
        else:
            [list(stream) for stream in reversed(streams)]
        codes[rows] = [stream.codes for stream in streams]
    for number in range(len(texts)):
        np.testing.assert_array_equal(codes[1][number], codes[3][number])


@pytest.mark.slow
def test_killed_and_resumed_is_the_same_file(story, capfd):
    assert run([*line("-o", "whole.wav", "--batch", "2")]) == 0
    process = start_command(line("-o", "cut.wav", "--batch", "1"), os.environ)
    folder, deadline = store_folder(story / "cut.wav"), time.monotonic() + 120
    while len(list(folder.glob("0*.flac"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = len(list(folder.glob("0*.flac")))
    assert 2 <= kept < 5
    assert not (story / "cut.wav").exists()
    assert json.loads((folder / "manifest.json").read_text())["seed"] == 3
    capfd.readouterr()
    assert run(line("-o", "cut.wav", "--resume", "--seed", "4")) == 2
    assert "other settings (seed)" in capfd.readouterr().err
    assert run(line("-o", "cut.wav", "--resume")) == 0
    assert f"{kept} of 5 pieces are there already" in capfd.readouterr().err
    whole, cut = (soundfile.read(name, dtype="int16")[0] for name in ("whole.wav", "cut.wav"))
    # the same codes; a BLAS may round the last bit of a sample's sum differently in a batch of another size
    np.testing.assert_allclose(whole.astype(np.int32), cut.astype(np.int32), rtol=0, atol=3)
    assert not folder.exists()


@pytest.mark.slow
def test_text_from_a_pipe_is_spoken_while_it_arrives(story):
    command = [
        sys.executable,
        "-c",
        "from mlx_tts.cli import main; main()",
        "speak",
        "-",
        "--model",
        "tiny",
        "-l",
        "en",
    ]
    process = subprocess.Popen(
        [*command, "-o", "-", "--format", "pcm", "--latency", "low"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    process.stdin.write(b"Nobody came. It was")
    process.stdin.flush()
    first = process.stdout.read(2 * 1920)  # sound of the first sentence, while the second is not yet complete
    assert len(first) == 2 * 1920
    process.stdin.write(b" cold.\n")
    process.stdin.close()
    rest = process.stdout.read()
    assert process.wait(60) == 0
    assert (len(first) + len(rest)) // 2 > 1.5 * RATE


def test_options_that_do_not_go_together(story, capfd):
    for more, said in [
        (["--chapters", "-o", "-"], "--chapters is for files"),
        (["--resume", "-o", "-"], "--resume is for files"),
        (["--batch", "3", "-o", "-"], "--rows is for files"),
        (["--latency", "none", "-o", "x.wav"], "use normal or low"),
        (["--device", "3", "-o", "x.wav"], "add --play"),
        (["--retries", "-1", "-o", "x.wav"], "--retries is -1: give 0 to 20"),
    ]:
        assert run(line(*more)) == 2
        assert said in capfd.readouterr().err


def test_a_text_of_signs_alone_is_refused(story, capfd):
    assert run(["speak", "😀 ...", "--model", "tiny", "-o", "x.wav"]) == 2
    assert "nothing to say" in capfd.readouterr().err


@pytest.mark.slow
def test_a_book_takes_constant_memory(tmp_path):
    """18,000 characters, twenty minutes: far less is held than the 100 MB that the sound of it is."""
    import tracemalloc

    from mlx_tts.audio.files import AudioWriter
    from mlx_tts.text.cutting.pieces import Chapter, Packing
    from mlx_tts.text.reading import Reading

    class Speaker(Hummer):
        def chunks(self, *request):
            for chunk in super().chunks(*request):
                yield replace(chunk, samples=np.repeat(chunk.samples, 1600))

    text = "The old man sat by the sea and looked at the boats that came and went. " * 250
    pieces = list(Reading().pieces([Chapter(None, text)], Packing("english")))
    tracemalloc.start()
    sink, samples = AudioWriter(tmp_path / "book.wav", RATE), 0
    for part in narrate(Speaker(), REQUEST, iter(pieces), NarrationOptions(4)):
        sink.write(part.samples)
        samples += len(part.samples)
    sink.finish()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert samples > 1000 * RATE
    assert peak < 40e6, f"{peak / 1e6:.0f} MB"


def test_each_piece_that_is_not_stored_is_told_with_its_stream(tmp_path):
    pieces, store = numbered(*TEXTS), store_at(tmp_path / "p")
    list(narrate(Hummer(), REQUEST, iter(pieces[:1]), NarrationOptions(pauses=NONE), store))
    told = []
    begun = lambda piece, stream: told.append((piece.number, stream.request.text))  # noqa: E731
    list(narrate(Hummer(), REQUEST, iter(pieces), NarrationOptions(2, pauses=NONE), store, begun))
    assert told == [(piece.number, piece.spoken) for piece in pieces[1:]]


def test_progress_tells_the_time_left():
    from mlx_tts.cli.progress import Counts, progress_line
    from mlx_tts.narration.time_left import TimeLeft

    left = TimeLeft()
    counts = Counts(left=left, pieces=5)
    assert progress_line(counts, 0.0, 0.3) == ("0.3 s: beginning to speak", None)
    assert progress_line(counts, 0.1) == ("0.0 s spoken, 0 of 5 pieces", 0.0)
    assert progress_line(Counts(left=left, pieces=1), 12.0) == ("12.0 s spoken", None)


def test_a_link_in_a_pieces_place_is_never_followed(tmp_path):
    store = store_at(tmp_path / "p")
    (tmp_path / "mine.flac").write_bytes(b"mine")
    (tmp_path / "mine.json").write_bytes(b"mine")
    for ending in ("flac", "json"):
        (tmp_path / "p" / f"000000.{ending}").symlink_to(f"../mine.{ending}")
    assert 0 not in store
    store.write(0, np.full(RATE, 0.1, np.float32), (Mark("a", 0.0, 1.0),))
    assert (0 in store, store.marks(0)) == (True, (Mark("a", 0.0, 1.0),))
    assert (tmp_path / "mine.flac").read_bytes() == (tmp_path / "mine.json").read_bytes() == b"mine"


def test_a_damaged_piece_is_made_again(tmp_path):
    store_at(tmp_path / "p")
    store = PieceStore(tmp_path / "p", RATE)
    store.write(0, np.full(RATE, 0.1, np.float32))
    whole = (tmp_path / "p" / "000000.flac").read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"fLaC", whole[:50]):
        (tmp_path / "p" / "000000.flac").write_bytes(damaged)
        assert 0 not in PieceStore(tmp_path / "p", RATE)
        assert not (tmp_path / "p" / "000000.flac").exists()
    (tmp_path / "p" / "000000.flac").write_bytes(whole)
    assert 0 in PieceStore(tmp_path / "p", RATE)


def test_a_folder_with_an_unfinished_manifest_alone_is_ours(tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / ".manifest.json.unfinished").write_text("{")
    store_at(tmp_path / "p", resume=False)
    assert (tmp_path / "p" / "manifest.json").is_file()


def test_voices_of_a_text_that_arrives_are_checked_as_they_come():
    from mlx_tts.errors import RequestError
    from mlx_tts.narration.plan import checked_names

    asked = []

    def check(request):
        asked.append(request.voice)
        if request.voice == "nobody":
            raise RequestError("unknown voice 'nobody'")
        return CheckedRequest(request.text, voice=request.voice.lower(), language="english", seed=1)

    pieces = [Piece(0, "One.", 0, "start"), None, Piece(1, "Two.", 0, "sentence", voice="Ivy")]
    pieces += [Piece(2, "Three.", 0, "sentence", voice="Ivy"), Piece(3, "Four.", 0, "sentence", voice="nobody")]
    info = ModelInfo(Path(), "toy", "", "", (), (), 24_000, 12.5, 1, "")
    checked = checked_names(iter(pieces), CheckedRequest("...", seed=1), check, info)
    assert [piece and piece.voice for piece in (next(checked) for _ in range(4))] == [None, None, "ivy", "ivy"]
    assert asked == ["Ivy"]
    with pytest.raises(RequestError, match="nobody"):
        next(checked)
