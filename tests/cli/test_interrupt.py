"""Ctrl-C ends a command also where compiled code is at work that looks at no signal, and the processes it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crake
from crake.learners.base.interruptible import interruptible

LONG = """
while True:
    try:
        print("ready", flush=True)
        hashlib.pbkdf2_hmac("sha256", b"word", b"salt", 2**31 - 1)  # many minutes without a look at signals
    except KeyboardInterrupt:  # came before that
        pass
"""
SECONDS = 120
"""Far more than it takes, on a machine that is busy."""


def interrupted(script: str) -> tuple[int, str]:
    """Run a script, interrupt it when it prints a line, and return its exit code and the rest of its output."""
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "ready\n"
        child.send_signal(signal.SIGINT)
        output, _ = child.communicate(timeout=SECONDS)
    finally:
        child.kill()
        child.wait()
    return child.returncode, output


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_compiled_code_that_looks_at_no_signal_is_ended() -> None:
    code, output = interrupted(f"""
import hashlib
from crake.cli.interrupt import leave_when_interrupted
leave_when_interrupted()
{LONG}
""")
    assert (code, output.removeprefix("ready\n")) == (130, "crake: interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_children_end_with_the_command(tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    interrupted(f"""
import hashlib, pathlib, sys
from crake.cli.interrupt import leave_when_interrupted
from crake.table.untrusted.process import start
leave_when_interrupted()
child = start([sys.executable, "-c", "import time; time.sleep(600)"], {str(folder)!r})
pathlib.Path({str(tmp_path / "number")!r}).write_text(str(child.pid))
{LONG}
""")
    assert not folder.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "number").read_text()), 0)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_interruptible_work_raises_in_the_thread_that_waits() -> None:
    code, output = interrupted("""
import hashlib, os
from crake.learners.base.interruptible import interruptible
def work():
    print("ready", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"word", b"salt", 2**31 - 1)
try:
    interruptible(work)
except KeyboardInterrupt:
    os.write(1, b"raised")
    os._exit(7)
""")
    assert (code, output) == (7, "raised")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_an_interrupted_command_does_not_end_under_an_abandoned_thread() -> None:
    """LIBSVM in a thread would read memory that Python has freed while it ended: exit by SIGSEGV."""
    code, output = interrupted("""
import atexit, sys
import numpy as np
import crake.cli.run
from crake.learners.base.interruptible import interruptible
from sklearn.svm import SVC
X = np.random.default_rng(0).normal(size=(20000, 3))
atexit.register(print, "Python has ended")
def run(arguments):
    try:
        print("ready", flush=True)
        interruptible(lambda: SVC(C=1e6).fit(X, np.arange(20000) % 2))
    except KeyboardInterrupt:
        return crake.cli.run.INTERRUPTED
crake.cli.run.run = run
from crake.cli import main
main()
""")
    assert code == 130
    assert "Python has ended" not in output


def test_libsvm_runs_interruptibly(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def run(work: Callable[[], Any]) -> Any:
        calls.append(work)
        return work()

    monkeypatch.setattr("crake.learners.svm.fitting.interruptible", run)
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    crake.SVMClassifier(kernel="rbf", probability="votes").fit(X, [0, 0, 1, 1])
    assert calls


def test_errors_of_interruptible_work_are_raised() -> None:
    with pytest.raises(ValueError, match="wrong"):
        interruptible(lambda: int("wrong"))
    assert interruptible(lambda: 3) == 3
