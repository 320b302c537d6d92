"""The commands; `crake data.csv …` is short for `crake compare data.csv …`."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

import crake
from crake.cli.commands.app import app as workbench
from crake.cli.commands.compare import compare
from crake.cli.commands.describe import describe
from crake.cli.commands.edit import edit
from crake.cli.commands.evaluate import evaluate
from crake.cli.commands.examples import examples
from crake.cli.commands.experiment import experiment
from crake.cli.commands.explain import explain
from crake.cli.commands.export import export
from crake.cli.commands.learners import learners
from crake.cli.commands.predict import predict
from crake.cli.commands.serve import serve
from crake.cli.commands.train import train
from crake.errors import CrakeError

_GROUP_OPTIONS = {"--help", "-h", "--version", "--install-completion", "--show-completion"}
_FLAGS = {"-q", "--quiet", "-v", "--verbose", "--debug", "--no-progress"}


class Commands(TyperGroup):
    """A group in which a table where the command should stand means `compare`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `compare` in front where no command is named; raise for a misspelt command."""
        return super().parse_args(ctx, with_command(args, list(self.commands)))


def with_command(arguments: list[str], commands: list[str]) -> list[str]:
    """Return the arguments with their command first.

    >>> with_command(["golf.csv", "--target", "play"], ["compare", "describe"])
    ['compare', 'golf.csv', '--target', 'play']
    >>> with_command(["--debug", "describe", "golf.csv"], ["compare", "describe"])
    ['describe', '--debug', 'golf.csv']
    """
    flags = next((k for k, word in enumerate(arguments) if word not in _FLAGS), len(arguments))
    rest = arguments[flags:]
    if not rest or rest[0] in _GROUP_OPTIONS:
        return arguments
    if rest[0] in commands:
        return [rest[0], *arguments[:flags], *rest[1:]]
    _check_misspelt(rest[0], commands)
    return ["compare", *arguments]


def _check_misspelt(word: str, commands: list[str]) -> None:
    close = difflib.get_close_matches(word, commands, n=1, cutoff=0.7)
    if close and not Path(word).exists():
        raise CrakeError(f"there is no command and no file {word!r}. Did you mean {close[0]!r}?")


app = typer.Typer(
    name="crake",
    cls=Commands,
    help="Train the classic classifiers on a table, estimate each honestly, and compare them.\n\n"
    "`crake data.csv --target y` is short for `crake compare data.csv --target y`.",
    epilog="Example: crake loans.csv --target default",
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
for function, example in (
    (compare, "Example: crake compare loans.csv --target default --html report.html"),
    (describe, "Example: crake describe loans.csv --target default --json"),
    (train, "Example: crake train loans.csv -t default -l naive-bayes -o loans.crake"),
    (evaluate, "Example: crake evaluate loans.crake test.csv --fail-under accuracy=0.8"),
    (predict, "Example: crake predict loans.crake new.csv > scored.csv"),
    (explain, "Example: crake explain loans.crake new.csv --row 3"),
    (edit, "Example: crake edit loans.crake --node 3 -o pruned.crake"),
    (serve, "Example: crake serve loans.crake --port 8000"),
    (workbench, "Example: crake app loans.csv --target default"),
    (export, "Example: crake export loans.crake --to sql --dialect duckdb"),
    (experiment, "Example: crake experiment grid.toml --html report.html"),
    (learners, "Example: crake learners c4.5"),
    (examples, "Example: crake examples golf > golf.csv"),
):
    app.command(epilog=example)(function)


def _version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"crake {crake.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def command() -> Any:
    """Return the whole command line as one command, to be run or asked for its options."""
    return get_command(app)
