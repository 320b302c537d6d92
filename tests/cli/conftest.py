"""The command line, run inside the test or as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from crake.cli.commands.examples import as_csv
from crake.cli.run import run
from crake.table import examples


@dataclass(frozen=True)
class Ended:
    """How a run ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def crake(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """Run a command inside this process: nothing is imported twice."""
    monkeypatch.setenv("COLUMNS", "80")
    # Whether somebody has compared before is no matter of the test; its kernels are compiled as they are met.
    monkeypatch.setattr("crake.kernels.cache.is_compiled", lambda *_: True)

    def call(*arguments: object) -> Ended:
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return call


@pytest.fixture
def process() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command as a process of its own."""

    def call(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", **options.pop("env", {})}
        return subprocess.run(
            [sys.executable, "-m", "crake", *arguments],
            capture_output=True,
            text=True,
            env=environment,
            timeout=60,
            check=False,
            **options,
        )

    return call


@pytest.fixture
def golf(tmp_path: Path) -> Path:
    """The golf table as a CSV file."""
    file = tmp_path / "golf.csv"
    file.write_text(as_csv(examples.load("golf")))
    return file
