"""The process that serves a model for the workbench: `python -m crake.app.serving MODEL`.

It is `crake serve` at a free port of this machine. Its key comes by the environment, where no list of processes shows
it. Its first line on standard output is its address. It ends when its standard input does: the app has ended.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import threading

from crake.errors import CrakeError
from crake.server.options import ServeOptions
from crake.server.process import serve

KEY_VARIABLE = "CRAKE_API_KEY"


def main(model: str) -> int:
    """Serve a model file until the app ends it; return the exit code."""
    key = os.environ.pop(KEY_VARIABLE, None)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        serve(ServeOptions((model,), port=0, quiet=True), key, _tell_address)
    except CrakeError as error:
        _tell({"error": str(error)})
        return 2
    return 0


def _tell_address(line: str) -> None:
    found = re.search(r"http://\S+", line)
    _tell({"address": found.group() if found else ""})


def _tell(document: dict[str, str]) -> None:
    os.write(1, json.dumps(document).encode() + b"\n")


def _end_with_parent() -> None:
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
