"""`crake describe`: what is in a table, or in a model file."""

from __future__ import annotations

from dataclasses import replace

from crake.cli import options as o
from crake.cli.output import Output, write_stdout
from crake.cli.progress import working
from crake.cli.table_options import reads_table
from crake.workbench.table import TableRequest


@reads_table()
def describe(
    table: TableRequest,
    memory: o.MemoryOption = None,
    seed: o.SampleSeedOption = 1,
    as_json: o.JsonOption = False,
    html: o.HtmlOption = None,
    python: o.PythonOption = False,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    no_progress: o.NoProgressOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Describe a table: its columns, the balance of its classes, and what to look at before learning.

    Of a model file (.crake), describe what it predicts from which columns, and print the model.
    """
    from crake.workbench.describe import DescribeRequest  # noqa: PLC0415 (not for --help)

    output = Output(as_json=as_json, html=html, quiet=quiet, verbose=verbose)
    output.check()
    request = DescribeRequest(replace(table, memory=memory), seed)
    if python:
        write_stdout(request.python())
        return
    with working(output, has_bar=not no_progress) as progress:
        result = request.run(progress)
    output.show(result)
