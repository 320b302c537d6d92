"""`crake edit`: a tree changed by hand at one node."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crake.cli import options as o
from crake.cli.output import Output, write_stdout
from crake.cli.progress import working
from crake.cli.table_options import reads_table
from crake.workbench.table import TableRequest

NodeOption = Annotated[
    int,
    typer.Option(
        "--node", min=0, metavar="NUMBER", help="Change this node; 0 is the root.", show_default=False,
        rich_help_panel=o.RUNNING,
    ),
]  # fmt: skip
SplitOption = Annotated[
    str | None,
    typer.Option(
        "--split", metavar="COLUMN", help="Split the node on this column [default: make it a leaf].",
        rich_help_panel=o.RUNNING,
    ),
]  # fmt: skip
AtOption = Annotated[
    float | None,
    typer.Option(
        "--at", metavar="NUMBER", help="Send numbers up to this one into the first branch.", rich_help_panel=o.RUNNING
    ),
]
LevelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--level", metavar="VALUE", help="Send this value into the first branch; repeat it for more.",
        rich_help_panel=o.RUNNING,
    ),
]  # fmt: skip
FileOption = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write the edited model here.", show_default=False,
        rich_help_panel=o.SHOWING,
    ),
]  # fmt: skip


@reads_table(columns=False, optional=True)
def edit(
    model: o.ModelArgument,
    table: TableRequest | None,
    node: NodeOption,
    output: FileOption,
    split: SplitOption = None,
    at: AtOption = None,
    level: LevelOption = None,
    seed: o.SampleSeedOption = 1,
    as_json: o.JsonOption = False,
    html: o.HtmlOption = None,
    python: o.PythonOption = False,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Change a tree by hand: make a node a leaf, or split it on another column and grow anew below.

    A split needs TABLE, with the rows that the model was fitted on. The model stays as it is; the edited one is a file
    of its own, which says what was edited. Nodes have the numbers that `crake explain` names and
    `crake describe MODEL --html FILE` draws.
    """
    from crake.workbench.edit import EditRequest, TreeEdit  # noqa: PLC0415 (not for --help)

    show = Output(as_json=as_json, html=html, quiet=quiet, verbose=verbose)
    show.check()
    request = EditRequest(model, table, TreeEdit(node, split, at, tuple(level or ())), str(output), seed)
    if python:
        write_stdout(request.python())
        return
    with working(show, has_bar=False) as progress:
        result = request.run(progress)
    show.show(result)
    show.note(f"written: {output}")
