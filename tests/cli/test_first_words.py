"""The first commands of a stranger: each speaks, or leads on in one line that says what to type."""

import io
import os
import re
import sys
import threading
import time

import pytest
import soundfile

from mlx_tts.cli import run
from mlx_tts.cli.arguments import prepared
from mlx_tts.cli.commands import COMMANDS
from mlx_tts.cli.console import Console
from tests.cli.test_speak import BASE, CUSTOM, Terminal, models, place, sample  # noqa: F401 (fixtures)
from tests.helpers.fakes import FRAME


@pytest.fixture(autouse=True)
def desk(place, monkeypatch):  # noqa: F811
    """What lies in the folder of somebody who tries the tool. Standard input is empty."""
    (place / "book.md").write_text("# One\n\nIt was late.\n\n# Two\n\nThe sun rose.\n")
    (place / "notes.txt").write_text("Buy some milk.")
    (place / "LICENSE").write_text("Do what you like.")
    (place / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (place / "program.py").write_text("print(1)")
    (place / "pages").mkdir()
    sample(place / "me.wav")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b""), encoding="utf-8"))
    return place


@pytest.fixture
def terminal(monkeypatch):
    """Somebody sits there, and says yes to everything."""
    monkeypatch.setattr("sys.stdin", Terminal(io.BytesIO(b"\n\n"), encoding="utf-8"))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)


def said(capfd) -> str:
    return capfd.readouterr().err


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["Hello."], ["speak", "Hello."]),
        (["hello", "world"], ["speak", "hello", "world"]),
        (["book.md", "-o", "book.m4b"], ["speak", "book.md", "-o", "book.m4b"]),
        (["-o", "a.wav", "Hello."], ["speak", "-o", "a.wav", "Hello."]),
        (["-"], ["speak", "-"]),
        (["-5 degrees"], ["speak", "-5 degrees"]),
        (["-q", "Hello."], ["speak", "Hello.", "-q"]),
        (["-v", "Hello"], ["speak", "Hello", "-v"]),
        (["voice", "show", "-v", "ivy"], ["voice", "show", "-v", "ivy"]),
        (["https://example.org/a"], ["speak", "https://example.org/a"]),
        (["--help-all"], ["speak", "--help-all"]),
        (["clone", "--help-all"], ["clone", "--help-all"]),
        (["voices", "--help-all"], ["voices", "--help"]),
        (["voice", "make", "--help-all"], ["voice", "make", "--help"]),
        (["cast", "--", "--help-all"], ["cast", "--", "--help-all"]),
        (["speak", "Hello."], ["speak", "Hello."]),
        (["help"], ["--help"]),
        (["help", "clone"], ["clone", "--help"]),
        (["speak", "-h"], ["speak", "--help"]),
        (["version"], ["--version"]),
        (["--version"], ["--version"]),
        ([], []),
    ],
)
def test_a_text_needs_no_command(typed, meant):
    assert prepared(typed, COMMANDS) == (meant, False)


@pytest.mark.parametrize("typed", [[], ["-q"]])
def test_a_text_that_is_piped_in_is_spoken(typed, monkeypatch, tmp_path):
    """`echo Hello. | mlx-tts`; a terminal, or nothing at all, gets the help."""
    (tmp_path / "text").write_text("Hello.")
    reader, writer = os.pipe()
    inputs = {reader: True, os.open(tmp_path / "text", os.O_RDONLY): True, os.open(os.devnull, os.O_RDONLY): False}
    for number, is_text in inputs.items():
        with os.fdopen(number) as stdin:
            monkeypatch.setattr("sys.stdin", stdin)
            assert prepared(typed, COMMANDS) == (["speak", *typed] if is_text else typed, False)
    os.close(writer)
    monkeypatch.setattr("sys.stdin", None)
    assert prepared(typed, COMMANDS) == (typed, False)


ORDINARY = ["Read book.md now.", "see a.txt b.txt", "-5 °C", "- first item"]


def test_words_and_files_are_spoken(models, capfd):  # noqa: F811
    assert run(["Hello.", *CUSTOM, "-o", "a.wav"]) == 0
    assert models.request.text == "Hello."
    assert run(["notes.txt", *CUSTOM, "-o", "a.wav"]) == 0
    assert models.request.text == "Buy some milk."
    assert run(["book.md", *CUSTOM, "--dry-run"]) == 0
    assert capfd.readouterr().out == "One\nIt was late.\nTwo\nThe sun rose.\n"
    assert run(["speak", "./LICENSE", *CUSTOM, "--dry-run"]) == 0
    assert capfd.readouterr().out == "Do what you like.\n"


@pytest.mark.parametrize(
    "text",
    [
        "LICENSE",
        "pages",
        "Read book.md now.",
        "Node.js",
        "notes.js",
        "gone.tx",
        "see a.txt b.txt",
        "-5 °C",
        "- first item",
        "1.5",
    ],
)
def test_what_names_no_document_is_a_text(models, text, capfd):  # noqa: F811
    assert run(["speak", text, *CUSTOM, "--dry-run", "--normalise", "off"]) == 0
    assert capfd.readouterr().out == text + "\n"


def test_words_that_name_a_file_can_be_spoken(models, capfd):  # noqa: F811
    assert run(["speak", "--text", "book.md", *CUSTOM, "--dry-run", "--normalise", "off"]) == 0
    assert capfd.readouterr().out == "book.md\n"


def test_options_keep_their_values_next_to_a_text_with_a_dash(models):  # noqa: F811
    assert run(["speak", "-5 °C", "--loudness", "-20", *CUSTOM, "-o", "a.wav", "outside"]) == 0
    assert models.request.text == "-5 °C outside"


def test_a_page_of_the_web_is_read_after_asking(models, monkeypatch, terminal, capfd):  # noqa: F811
    from mlx_tts.text.source.documents import text_document

    monkeypatch.setattr("mlx_tts.text.source.web.fetch_document", lambda url, asides: text_document(f"From {url[8:]}"))
    asked = []
    monkeypatch.setattr(Console, "agrees", lambda self, question, option: asked.append(question) or len(asked) == 1)
    assert run(["https://example.org/news", *CUSTOM, "--dry-run", "--normalise", "off"]) == 0
    assert capfd.readouterr().out == "From example.org/news\n"
    assert asked == ["Read https://example.org/news aloud?"]
    assert run(["https://example.org/news", *CUSTOM, "--dry-run"]) == 1
    assert said(capfd) == "mlx-tts: nothing was done: the answer was no\n"
    assert run(["https://example.org/news", *CUSTOM, "--dry-run", "--yes"]) == 0
    assert len(asked) == 2


def test_a_clone_names_its_steps_while_they_take_long(models, monkeypatch, capfd):  # noqa: F811
    """The sample is read and the voice is made before anything is spoken: the line moves all the time."""
    from mlx_tts.cli import clone

    for name in ("read_sample", "make_voice"):
        own = getattr(clone, name)
        monkeypatch.setattr(clone, name, lambda *given, own=own: time.sleep(1.3) or own(*given))
    assert run(["clone", "Hello.", "--voice-sample", "me.wav", *BASE, "-o", "a.wav", "--progress", "bar"]) == 0
    error = said(capfd)
    for step in ("reading me.wav", "making the voice"):
        assert len(set(re.findall(rf"\d\.\d s: {step}", error))) >= 2, error


def test_a_clone_without_a_text_says_some_sentences(models, terminal, capfd):  # noqa: F811
    assert run(["clone", "--voice-sample", "me.wav", *BASE]) == 0
    error = said(capfd)
    assert soundfile.info("speech.wav").frames == 25 * FRAME
    assert models.request.text.startswith("Did you hear the rain last night?")
    assert "wrote speech.wav: 2.0 s, the voice of me.wav" in error
    assert 'mlx-tts clone "your text" --voice-sample me.wav\n' in error
    assert "mlx-tts voice make NAME --sample me.wav\n" in error
    german = "Ich habe gestern den Regen gehört, und dann war der Garten wieder ganz hell und schön."
    assert run(["clone", "--voice-sample", "me.wav", "--transcript", german, *BASE]) == 0
    assert "Regen" in models.request.text or "Nacht" in models.request.text
    assert run(["clone", "me.wav", *BASE, "--language", "german"]) == 0
    assert "Did you" not in models.request.text


def test_a_recording_may_stand_before_the_text(models):  # noqa: F811
    assert run(["clone", "me.wav", "Hello there.", *BASE, "-o", "a.wav"]) == 0
    assert models.request.text == "Hello there."


# The likeliest first commands that cannot do what was meant, and what their one line has to name.
LEADS_ON = [
    ("spek Hello.", "did you mean `mlx-tts speak`?"),
    ("say Hello.", "did you mean `mlx-tts speak`?"),
    ("list", "did you mean `mlx-tts models`?"),
    ("install 0.6b-custom-8bit", "did you mean `mlx-tts pull`?"),
    ("speak", 'standard input is empty: give some words in quotes, such as "Hello."'),
    ("speak Hello. --voice", "--voice' requires an argument (see mlx-tts speak --help)"),
    ("clone", "--voice-sample"),
    ("clone --voice-sample notes.txt", "notes.txt is not audio"),
    ("clone --voice-sample you.wav", "no audio file you.wav"),
    ("clone --voice-sample me.wav", "standard input is empty"),
    ("serve --port 99999999", "--port is 99999999: give 0 to 65535"),
    ("batch missing.csv -o out", "no file missing.csv: give a JSONL, CSV or Parquet file"),
    (
        "convert",
        "'SOURCE', an official checkpoint: a folder, an alias or owner/name (see mlx-tts convert --help)",
    ),
    ("pull", "Missing argument 'MODEL', an alias (see `mlx-tts models`) or owner/name (see mlx-tts pull --help)"),
    ("batch a.csv", "Missing option '--output' / '-o', the folder for the audio files (see mlx-tts batch --help)"),
    ("speak|| -o a.wav", "the text is empty"),
    ("book.epub -o book.m4b", "no file book.epub: did you mean book.md?"),
    ("gone.epub -o book.m4b", "no file gone.epub: check its name"),
    ("clone mee.wav", "no audio file mee.wav: did you mean me.wav?"),
    ("clone other.wav", "no audio file other.wav: check its name"),
    ("clone Hello. --voice-sample mee.wav", "no audio file mee.wav: did you mean me.wav?"),
    ("note.txt", "no file note.txt: did you mean notes.txt? or give --text note.txt"),
    ("notes.md", "no file notes.md: did you mean notes.txt?"),
    ("notes.tx", "no file notes.tx: did you mean notes.txt?"),
    ("gone.mobi", "no file gone.mobi: check its name"),
    ("Hello. -o pages", "pages is a folder: give a file's name"),
    ("me.wav", "`mlx-tts clone --voice-sample me.wav` speaks in its voice"),
    ("picture.png", "picture.png is a picture, not text: give text"),
    ("notes.txt book.md", "notes.txt and book.md are files: give one at a time"),
    ("-v Ryan Hello.", "-v is --verbose: write --voice Ryan"),
    ("Hello. -v ryan", "-v is --verbose: write --voice ryan"),
    ("--voice-sample me.wav Hello.", "speak has no --voice-sample: use `mlx-tts clone`"),
    ("Hello. --out a.wav", "No such option: --out: use --output (see mlx-tts speak --help)"),
    ("Hello. --speaker_wav me.wav", "speak has no --speaker_wav: use `mlx-tts clone`"),
    ("clone Hello. --ref-audio me.wav", "use --voice-sample"),
    ("serve --speaker ivy", "No such option: --speaker"),
    ("speak Hello. --record", "speak has no --record: use `mlx-tts clone`"),
    ("program.py", "--read-code"),
    ("./pages", "pages is a folder: give one of its files"),
    ("speak Hello. hello.mp3", "put -o before it"),
    ("speak Hello. -o hello", '"hello" has no file extension: use .wav'),
    ("speak Hello. -o hello.mp4", "use .wav"),
    ("speak Hello. --voice Rian", "did you mean Ryan"),
    ("speak Hello. --voice me.wav", "mlx-tts clone --voice-sample me.wav"),
    ("speak Hello. --model tiny --voice Ryan", "0.6b-custom-8bit"),
    ("speak Hello. --voices ivy", "No such option: --voices: did you mean --voice? (see mlx-tts speak --help)"),
    ("speak Hello. --bits 4", "No such option: --bits: it belongs to `mlx-tts convert` (see mlx-tts convert --help)"),
    ("Hello. --cors-origin x", "--cors-origin: it belongs to `mlx-tts serve` (see mlx-tts serve --help)"),
    ("speak Hello. --nonsense", "No such option: --nonsense (see mlx-tts speak --help)"),
    ("speak Hello. --vocie ivy", "No such option: --vocie: did you mean --voice? (see"),
    ("speak Hello. --language klingon", "unknown language"),
    ("speak Hello. --speed fast", "--speed is 'fast': give a number"),
    ("speak Hello. --model nothing", "`mlx-tts models` lists all"),
    ("clone Hello.", "give a recording of the voice, such as --voice-sample me.wav, or --record"),
    ("clone Hello. --voice-sample you.wav", "no audio file you.wav"),
    ("clone Hello. --voice-sample me.wav --model tiny", "tiny cannot clone: use a Base model, such as tiny-base"),
    ("speak https://example.org", "--url https://example.org"),
    ("voice rm me", "me"),
    ("voice Ryan", 'to speak in that voice: mlx-tts "Hello." --voice Ryan\n'),
    ("voice nobody", "No such command 'nobody' (see mlx-tts voice --help)"),
    ("voice lst", "Did you mean 'list'?"),
    ("voice make me me.wav", "extra argument(s) (me.wav): give the recording with --sample"),
    ("voices ivy", 'to speak in that voice: mlx-tts "Hello." --voice ivy\n'),
    ("voices Nobody", "extra argument(s) (Nobody) (see mlx-tts voices --help)"),
    ("pull nothing", "unknown model 'nothing': `mlx-tts models` lists all"),
]


@pytest.mark.parametrize(("line", "lead"), LEADS_ON, ids=[line for line, _ in LEADS_ON])
def test_every_first_command_leads_on_in_one_line(line, lead, capfd):
    before, bar, after = line.partition("||")
    words = [*before.split(), *([""] if bar else []), *after.split()]
    assert run(words) in (1, 2)
    error = said(capfd)
    assert error.count("\n") == 1 and error.startswith("mlx-tts: ")
    assert lead in error


def test_a_recording_comes_through_a_pipe(models, place):  # noqa: F811
    """It is read before the text, and a pipe cannot be read twice."""
    pipe = place / "pipe.wav"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[(place / "me.wav").read_bytes()], daemon=True)
    writer.start()
    assert run(["clone", "Hello.", "--voice-sample", "pipe.wav", *BASE, "-o", "a.wav"]) == 0
    writer.join(5)
    assert models.request.text == "Hello."


def test_lists_are_never_empty(models, capfd):  # noqa: F811
    assert run(["speak", "--list-devices"]) == 0
    assert capfd.readouterr() == ("", "no sound device was found: speech is written to a file here\n")
    assert run(["speak", "One. Two.\n\n# First\n\nThree.\n\n# Second\n\nFour.", *CUSTOM, "--list-chapters"]) == 0
    assert capfd.readouterr().out == "1\tOne. Two.\n2\tFirst\n3\tSecond\n"


@pytest.mark.parametrize("line", ["voice rm me", "models rm 0.6b-base"])
def test_nothing_is_removed_where_nobody_can_answer(line, place, capfd, monkeypatch):  # noqa: F811
    from mlx_tts.library import catalog, hub

    monkeypatch.setenv("HF_HUB_CACHE", str(place / "hub"))
    monkeypatch.setenv("MLX_TTS_HOME", str(place / "own"))
    hub.storage_folder(catalog.find("0.6b-base")).mkdir(parents=True)
    file = place / "own" / "voices" / "me.safetensors"
    file.parent.mkdir(parents=True)
    file.touch()
    assert run(line.split()) == 2
    assert "--yes answers it" in said(capfd)
    assert file.exists() and hub.storage_folder(catalog.find("0.6b-base")).is_dir()
