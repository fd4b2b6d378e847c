"""A command that is forked is the command: its streams, its exit code, its signals, its variables."""

import os
import signal

import pytest

from mlx_tts import __version__
from tests.helpers.forked import CAN_FORK, ForkedCommand, start_command

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CAN_FORK, reason="on this system each command is started anew"),
]


@pytest.mark.parametrize("forked", [True, False])
def test_it_says_and_returns_what_the_command_does(forked):
    done = start_command(["--version"], os.environ, forked=forked)
    assert (done.stdout.read(), done.stderr.read(), done.wait(20)) == (f"mlx-tts {__version__}\n", "", 0)
    wrong = start_command(["speak", "--colour"], os.environ, forked=forked)
    out, error = wrong.stdout.read(), wrong.stderr.read()
    assert (out, wrong.wait(20)) == ("", 2) and error.startswith("mlx-tts: No such option: --colour")


def test_nothing_was_begun_before_the_fork():
    """No thread, without which MLX hangs, and no module that has read the variables of another command."""
    plant = (
        "import os, sys, threading\n"
        "print(len(os.listdir('/proc/self/task')), threading.active_count(), 'mlx.core' in sys.modules,\n"
        "    'huggingface_hub' in sys.modules, dict(os.environ), sys.argv[1:])\n"
        "raise SystemExit(7)"
    )
    done = ForkedCommand(["speak", "Hi."], {"ONLY": "this"}, plant)
    assert done.stdout.read() == "1 1 True False {'ONLY': 'this'} ['speak', 'Hi.']\n"
    assert done.wait(20) == 7


def test_a_signal_ends_it():
    done = ForkedCommand([], os.environ, "import time\nprint('here', flush=True)\ntime.sleep(60)")
    assert done.stdout.readline() == "here\n" and done.poll() is None
    done.terminate()
    assert done.wait(20) == -signal.SIGTERM
    done.kill()  # no harm where it has ended
