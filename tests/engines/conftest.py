"""Engines of the tests, each started once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from tests.engines.private_server import started
from tests.engines.required import required

from crake.cli.run import run


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server that was started for the tests."""
    required("adbc_driver_postgresql", "postgres")
    with started() as address:
        yield address


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def crake_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """Run a command inside this process."""
    monkeypatch.setattr("crake.kernels.cache.is_compiled", lambda *_: True)

    def call(*arguments: object) -> Ended:
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return call
