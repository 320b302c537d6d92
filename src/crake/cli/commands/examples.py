"""`crake examples`: the tables that come with crake; any of them is a TABLE for the other commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from crake.cli import options as o
from crake.cli.output import json_text, print_text, write_stdout
from crake.errors import CrakeError

if TYPE_CHECKING:
    from rich.text import Text

    from crake.table.table import Table

NameArgument = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="Print this one as CSV; without a name, list them.", show_default=False),
]


def examples(
    name: NameArgument = None,
    as_json: o.JsonOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """List the tables that come with crake, or print one as CSV."""
    from crake.table import examples as bundled  # noqa: PLC0415 (Arrow is not needed for --help)

    if name is not None and as_json:
        raise CrakeError(f"--json lists the examples, and {name} is printed as CSV; give one of them")
    if name is not None:
        write_stdout(as_csv(bundled.load(name)))
    elif as_json:
        listed = [{"name": each, "about": bundled.about(each)} for each in bundled.names()]
        write_stdout(json_text({"schema": "crake-examples/1", "examples": listed}))
    else:
        print_text(lambda width: _list({each: bundled.about(each) for each in bundled.names()}, width))


def _list(about: dict[str, str], width: int) -> Text:
    from rich.text import Text  # noqa: PLC0415 (not needed for --json)

    from crake.render.text.columns import paragraph  # noqa: PLC0415

    longest = max(map(len, about))
    lines = [paragraph(text, width, first=f"{name:<{longest}}  ") for name, text in about.items()]
    first = next(iter(about))
    return Text("\n").join([*lines, Text(), Text(f"Try: crake compare {first}", style="dim")])


def as_csv(table: Table) -> str:
    """Return the rows as CSV, the header first; a missing value is an empty field."""
    from crake.table.formats.csv.writer import csv_pieces  # noqa: PLC0415

    return b"".join(bytes(piece) for piece in csv_pieces(table, raw=True)).decode()
