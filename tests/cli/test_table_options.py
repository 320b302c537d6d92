"""Every command that reads a table has the same options about it, and gets them as one Reading."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import pytest
import typer

from crake.cli import options as o
from crake.cli.app import command
from crake.cli.requests.table import Reading
from crake.cli.table_options import COLUMNS, reads_table
from crake.errors import CrakeError

OwnTarget = Annotated[str | None, typer.Option("--target", help="Other words.")]


def made(**how: Any) -> tuple[Any, list[Any]]:
    seen: list[Any] = []

    @reads_table(**how)
    def shown(reading: Reading, file: str, seed: o.SeedOption = 1) -> None:
        """What it does."""
        seen.extend([reading, file, seed])

    return shown, seen


def test_the_options_stand_where_the_reading_stood_and_what_must_be_given_comes_first() -> None:
    shown, seen = made(target=OwnTarget)
    parameters = inspect.signature(shown).parameters
    assert list(parameters)[:4] == ["table", "file", "target", "nominal"]
    assert list(parameters)[-1] == "seed"
    assert parameters["target"].annotation is OwnTarget
    assert (shown.__name__, shown.__doc__) == ("shown", "What it does.")
    shown(table="x.csv", file="f", sample=5, seed=7, decimal=",", max_bytes=9)
    assert seen == [Reading("x.csv", sample=5, seed=7, decimal=",", max_bytes=9), "f", 7]


def test_what_does_not_go_together_is_refused_before_the_command_begins() -> None:
    shown, seen = made()
    with pytest.raises(CrakeError, match="--table and --query"):
        shown(table="x.duckdb", file="f", table_name="t", query="select 1")
    with pytest.raises(CrakeError, match="--decimal"):
        shown(table="x.csv", file="f", decimal="'")
    assert seen == []


def test_a_model_knows_its_columns() -> None:
    assert not set(inspect.signature(made(columns=False)[0]).parameters) & set(COLUMNS)


@pytest.mark.parametrize("name", ["compare", "describe", "train", "evaluate", "predict", "explain"])
def test_every_command_that_reads_a_table_can_say_how(name: str) -> None:
    options = {option for parameter in command().commands[name].params for option in parameter.opts}
    shared = {"--missing", "--delimiter", "--decimal", "--encoding", "--bad-rows", "--table", "--query", "--untrusted"}
    assert shared <= options
