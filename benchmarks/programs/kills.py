"""`crake app` killed while it works: kill -9 of the app, of a worker and of both, each at a random moment of a run.

Usage: python -m benchmarks kills; KILLS=50 kills each that often (5 by default).

Some runs are finished beforehand. After each kill every finished run must be there with its result, no process may be
left, and the folder must open with no run that is called waiting or running. The first fault ends the count.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from crake.app.index import DONE, OPEN_STATES
from crake.app.project import Project

KILLS = int(os.environ.get("KILLS", "5"))
FINISHED = 3
"""Runs that are finished before the first kill."""
GONE_SECONDS = 10.0


class App:
    """A workbench in a process of its own, asked as a program asks it."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "crake", "app", "--no-browser", "--folder", str(folder)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        self.host, path = re.search(r"http://([^/]+)(/\S+)", line).groups()
        self.cookie = ""
        answer = self.asked("GET", path)
        self.cookie = answer.headers["set-cookie"].partition(";")[0]

    def asked(self, method: str, path: str, body: Any = None) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self.host, timeout=60)
        headers = {"cookie": self.cookie, "origin": f"http://{self.host}", "content-type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        return connection.getresponse()

    def document(self, method: str, path: str, body: Any = None) -> Any:
        return json.loads(self.asked(method, path, body).read())

    def begin(self) -> str:
        """Run a few learners on a sample; return the run."""
        location = self.document("POST", "/api/tables", {"source": "golf", "target": "play"})["location"]
        asked = {"table": location.partition("table=")[2], "learner": ["majority", "1r", "naive-bayes"]}
        return self.document("POST", "/api/runs", asked)["location"].rpartition("/")[2]

    def finish(self) -> float:
        """Run a few learners to their end; return the seconds that it took."""
        begin, run = time.monotonic(), self.begin()
        wait_until(lambda: self.state(run) not in OPEN_STATES, 300, "a run does not end")
        return time.monotonic() - begin

    def state(self, run: str) -> str:
        return self.document("GET", f"/api/results/{run}")["run"]["state"]


def processes(folder: Path) -> list[int]:
    """The workers of a folder that still run, zombies among them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if str(folder).encode() in path.read_bytes() and b"crake.app.worker" in path.read_bytes():
                found.append(int(path.parent.name))
    return found


def wait_until(condition: Any, seconds: float, what: str) -> None:
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            sys.exit(f"FAULT: {what}")
        time.sleep(0.02)


@contextmanager
def opened(folder: Path) -> Iterator[Project]:
    project = Project(folder)
    yield project
    project.close()


def finished(folder: Path) -> set[str]:
    """The runs that are done, each with a whole result; none may be called waiting or running."""
    with opened(folder) as project:
        runs = project.index.runs()
        if any(run.state in OPEN_STATES for run in runs):
            sys.exit("FAULT: a run that nobody works on is called open")
        done = {run.id for run in runs if run.state == DONE}
        if any(project.result(run) is None for run in done):
            sys.exit("FAULT: a run that is done has no result")
        return done


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def kill_worker(app: App, folder: Path, moment: float) -> None:
    run = app.begin()
    wait_until(lambda: processes(folder) or app.state(run) not in OPEN_STATES, 30, "no worker began")
    time.sleep(moment)
    for pid in processes(folder):
        kill(pid)
    wait_until(lambda: app.state(run) not in OPEN_STATES, GONE_SECONDS, "the run of a killed worker is called open")
    wait_until(lambda: not processes(folder), GONE_SECONDS, "a worker is left")


def kill_app(app: App, folder: Path, moment: float, *, both: bool) -> None:
    app.begin()
    time.sleep(moment)
    workers = processes(folder)
    kill(app.process.pid)
    for pid in workers if both else ():
        kill(pid)
    app.process.wait()
    wait_until(lambda: not processes(folder), GONE_SECONDS, "a worker outlives its app")


def main() -> None:
    rng = random.Random(19)
    counts = {"app": 0, "worker": 0, "both": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        app: App | None = App(folder)
        latest = 1.3 * max(app.finish() for _ in range(FINISHED))
        done: set[str] = {run["id"] for run in app.document("GET", "/api/runs")["runs"] if run["state"] == DONE}
        for kind in tuple(counts):
            for _ in range(KILLS):
                app = app or App(folder)
                moment = rng.uniform(0, latest)
                if kind == "worker":
                    kill_worker(app, folder, moment)
                else:
                    kill_app(app, folder, moment, both=kind == "both")
                    app = None
                    now = finished(folder)
                    if not done <= now:
                        sys.exit(f"FAULT: finished runs are lost: {done - now}")
                    done = now
                counts[kind] += 1
            if app is not None:
                app.process.send_signal(signal.SIGTERM)
                app.process.wait()
                app, now = None, finished(folder)
                if not done <= now:
                    sys.exit(f"FAULT: finished runs are lost: {done - now}")
                done = now
            print(f"{kind:8} {counts[kind]:4} kills, {len(done)} finished runs there, no process left", flush=True)


if __name__ == "__main__":
    main()
