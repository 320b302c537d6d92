"""Every command that reads a table has the same options about it, and gets them as one TableRequest."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import pytest
import typer

from crake.cli import options as o
from crake.cli.app import command
from crake.cli.table_options import COLUMNS, reads_table
from crake.errors import CrakeError
from crake.workbench.table import TableRequest

OwnTarget = Annotated[str | None, typer.Option("--target", help="Other words.")]


def made(**how: Any) -> tuple[Any, list[Any]]:
    seen: list[Any] = []

    @reads_table(**how)
    def shown(table: TableRequest, file: str, seed: o.SeedOption = 1) -> None:
        """What it does."""
        seen.extend([table, file, seed])

    return shown, seen


def test_the_options_stand_where_the_table_stood_and_what_must_be_given_comes_first() -> None:
    shown, seen = made(target=OwnTarget)
    parameters = inspect.signature(shown).parameters
    assert list(parameters)[:4] == ["table", "file", "target", "file_format"]
    assert list(parameters)[-1] == "seed"
    assert parameters["target"].annotation is OwnTarget
    assert (shown.__name__, shown.__doc__) == ("shown", "What it does.")
    shown(table="x.csv", file="f", sample=5, seed=7, decimal=",", max_bytes=9)
    assert seen == [TableRequest("x.csv", sample=5, decimal=",", max_bytes=9), "f", 7]


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (TableRequest("x.csv", sample=0), "--sample 0: expected a number above 0"),
        (TableRequest("x.csv", max_memory=-1), "--max-memory -1: expected a number above 0"),
        (TableRequest("x.csv", max_memory=64), "--max-memory 64 limits the process of --untrusted"),
        (TableRequest("x.csv", max_seconds=2), "--max-seconds 2 limits the process of --untrusted"),
    ],
)
def test_limits_that_are_not_positive_are_errors_before_anything_is_read(request_: TableRequest, words: str) -> None:
    with pytest.raises(CrakeError, match=words):
        request_.check()


def test_a_model_knows_its_columns() -> None:
    assert not set(inspect.signature(made(columns=False)[0]).parameters) & set(COLUMNS)


@pytest.mark.parametrize("name", ["compare", "describe", "train", "evaluate", "predict", "explain"])
def test_every_command_that_reads_a_table_can_say_how(name: str) -> None:
    options = {option for parameter in command().commands[name].params for option in parameter.opts}
    shared = {"--missing", "--delimiter", "--decimal", "--encoding", "--bad-rows", "--table", "--query", "--untrusted"}
    assert shared <= options
