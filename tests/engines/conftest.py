"""Engines of the tests, each started once."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.engines.private_server import started
from tests.engines.required import missing, required

from crake.cli.run import run

SPARK = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "Asia/Kolkata",
}


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server that was started for the tests."""
    required("adbc_driver_postgresql", "postgres")
    with started() as address:
        yield address


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark in this process, with two workers and a time zone of its own."""
    required("pyspark", "spark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        missing("Java, which Spark needs, is not installed", "spark")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # Spark warns of the version of pandas
        from pyspark.sql import SparkSession  # noqa: PLC0415 (an extra)

        builder = SparkSession.builder.master("local[2,3]")
        for name, value in SPARK.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@dataclass(frozen=True)
class Ended:
    """The exit code of a command and the text that it printed."""

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
