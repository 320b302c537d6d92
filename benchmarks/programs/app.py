"""`crake app`: seconds until its page answers, and from pressing Run on iris to the first result.

Usage: python -m benchmarks app. The browser is left out: its own start is not the workbench's.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.programs.kills import App, processes
from benchmarks.programs.serve import processor_seconds

TIMES = 5
LEARNERS = ["majority", "1r", "c4.5", "naive-bayes", "logistic"]
"""Those that the page ticks."""


def main() -> None:
    subprocess.run([sys.executable, "-m", "crake", "compare", "iris"], check=True, capture_output=True)  # compiles
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        timed = [_timed(folder) for _ in range(TIMES)]
    bars = {
        "crake app until the page answers": "bar 1.5",
        "Run on iris until the first learner is tested": "bar 3",
        "Run on iris until all five are ranked": "none",
    }
    for place, (work, bar) in enumerate(bars.items()):
        seconds, spent = min(each[place][0] for each in timed), min(each[place][1] for each in timed)
        print(f"{work:48} {seconds:6.2f} s   {spent:6.2f} processor seconds   ({bar})")


Times = tuple[float, float]
"""Seconds by the clock, and of the processor."""


def _timed(folder: Path) -> tuple[Times, Times, Times]:
    """Return the times of a start, and of a run on iris until its first and its last result."""
    begin = time.monotonic()
    app = App(folder)
    app.document("GET", "/api/")
    started = time.monotonic() - begin, processor_seconds(app.process.pid)
    location = app.document("POST", "/api/tables", {"source": "iris", "target": "species"})["location"]
    begin = time.monotonic()
    asked = {"table": location.partition("table=")[2], "learner": LEARNERS}
    run = app.document("POST", "/api/runs", asked)["location"].rpartition("/")[2]
    first, last, state = _followed(app, run, folder, begin)
    if state != "done":
        sys.exit(f"expected a run that is done, got one that is {state}")
    app.process.send_signal(signal.SIGTERM)
    app.process.wait()
    return started, first, last


def _followed(app: App, run: str, folder: Path, begin: float) -> tuple[Times, Times, str]:
    """Watch a run as its page does; return when a learner was tested, when all were, and how the run ended."""
    first, last, state = (0.0, 0.0), (0.0, 0.0), ""
    for line in app.asked("GET", f"/runs/{run}/events"):
        if line.startswith(b"data:"):
            told = json.loads(line[5:])
            state, now = told["state"], (time.monotonic() - begin, sum(map(processor_seconds, processes(folder))))
            finished = len(told.get("finished", ()))
            first = first if first[0] or not finished else now
            last = last if last[0] or finished < len(LEARNERS) else now
    return first, last, state


if __name__ == "__main__":
    main()
