"""What the child of test_child.py does: each kind of end that a parser can come to."""

import os
import signal
import sys
import time


def load_parsers() -> None:
    pass


def work(header, data):
    what = header["do"]
    if what == "spin":
        while True:
            pass
    if what == "sleep":
        time.sleep(600)
    if what == "fill":
        kept = [bytes(50_000_000) for _ in range(1000)]
        return {"bytes": len(kept)}, b""
    if what == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "leave":
        os._exit(0)
    if what == "fail":
        raise KeyError("a fault of the parser")
    if what == "modules":
        return {"modules": sorted(sys.modules), "variables": sorted(os.environ)}, b""
    return {"said": header["said"]}, data[::-1]
