"""Engines of the tests, each started once. CRAKE_REQUIRE_ENGINES=1 turns the skip of a missing one into a failure."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from tests.engines.private_server import started

from crake.cli.run import run

REQUIRED = "CRAKE_REQUIRE_ENGINES"


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup() -> Iterator[None]:
    """Fail in place of a skip where engines are required."""
    try:
        return (yield)
    except pytest.skip.Exception as reason:
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(f"{REQUIRED}=1, but {reason.msg}")
        raise


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server that was started for the tests."""
    pytest.importorskip("adbc_driver_postgresql", reason="the driver of crake[postgres] is not installed")
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
