"""`crake describe`: what is in a table, and what to look at before learning from it; or what is in a model file."""

from __future__ import annotations

from crake.cli import options as o
from crake.cli.first_run import say_if_reading_compiles
from crake.cli.output import Output
from crake.cli.progress import reported, telling
from crake.cli.requests.model_description import described_model, is_model_file
from crake.cli.requests.table import Reading
from crake.cli.table_options import reads_table


@reads_table()
def describe(
    reading: Reading,
    seed: o.SampleSeedOption = 1,  # noqa: ARG001 (taken by the reading)
    as_json: o.JsonOption = False,
    html: o.HtmlOption = None,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    no_progress: o.NoProgressOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Describe a table: its columns, the balance of its classes, and what to look at before learning.

    Of a model file (.crake): what it predicts from which columns, and the model itself.
    """
    output = Output(as_json=as_json, html=html, quiet=quiet, verbose=verbose)
    output.check()
    if is_model_file(reading.source):
        found = described_model(reading)
        output.show(found.text, found.to_dict, found.page)
        return
    show(reading, output, progress=not quiet and not no_progress)


def show(reading: Reading, output: Output, *, progress: bool) -> None:
    """Read, describe, show."""
    from crake.render.text.description import description_text  # noqa: PLC0415
    from crake.table.describe.describe import describe as described  # noqa: PLC0415

    say_if_reading_compiles(output, reading)
    output.detail(f"reading {reading.source}")
    with reported(wanted=progress) as report:
        description = described(telling(reading.table(), report))
    output.show(lambda width: description_text(description, width), description.to_dict, description.to_html)
