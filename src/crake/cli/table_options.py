"""The options about a table: declared once, given to every command that reads one, handed to it as a Reading."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from crake.cli import options as o
from crake.cli.requests.table import Reading

Command = Callable[..., None]
COLUMNS = ("target", "nominal", "numeric", "text", "ignore")


def _reading(
    table: o.SourceArgument,
    target: o.TargetOption = None,
    nominal: o.NominalOption = None,
    numeric: o.NumericOption = None,
    text: o.TextOption = None,
    ignore: o.IgnoreOption = None,
    missing: o.MissingOption = None,
    delimiter: o.DelimiterOption = None,
    encoding: o.EncodingOption = None,
    bad_rows: o.BadRowsOption = o.BadRows.ERROR,
    decimal: o.DecimalOption = ".",
    table_name: o.TableOption = None,
    query: o.QueryOption = None,
    sample: o.SampleOption = None,
    max_bytes: o.MaxBytesOption = None,
    untrusted: o.UntrustedOption = False,
    max_memory: o.MaxMemoryOption = o.MAX_MEMORY,
    max_seconds: o.MaxSecondsOption = o.MAX_SECONDS,
    *,
    seed: int = 1,
) -> Reading:
    reading = Reading(table, target, nominal, numeric, text, ignore, missing, delimiter, encoding, bad_rows)
    limited = reading.limited(max_bytes, untrusted, max_memory, max_seconds)
    return limited.of_rows(table_name, query, sample, seed).written(decimal)


def reads_table(*, columns: bool = True, target: Any = None) -> Callable[[Command], Command]:
    """A command with the options of a table in place of its parameter `reading`.

    `columns` False leaves out those that say how columns are read, which a model knows; `target` is what the command
    declares for --target where it means something else there. The command's own --seed is also that of --sample.
    """

    def around(command: Command) -> Command:
        parameters = list(_in_place(command, columns=columns, target=target))

        @functools.wraps(command)
        def run(**given: Any) -> None:
            about = {name: given.pop(name) for name in _options(columns=columns) if name in given}
            command(reading=_reading(**about, seed=given.get("seed", 1)), **given)

        # Where typer looks for the options.
        vars(run)["__signature__"] = inspect.Signature(parameters)
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run

    return around


def _in_place(command: Command, *, columns: bool, target: Any) -> Iterator[inspect.Parameter]:
    """The parameters of both, what must be given first, each otherwise where it stands in the help."""
    found: list[inspect.Parameter] = []
    for name, own in inspect.signature(command, eval_str=True).parameters.items():
        found += _options(columns=columns, target=target).values() if name == "reading" else [own]
    found.sort(key=lambda each: each.default is not inspect.Parameter.empty)
    return (each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in found)


def _options(*, columns: bool, target: Any = None) -> dict[str, inspect.Parameter]:
    shared = dict(inspect.signature(_reading, eval_str=True).parameters)
    del shared["seed"]
    if target is not None:
        shared["target"] = shared["target"].replace(annotation=target)
    return {name: option for name, option in shared.items() if columns or name not in COLUMNS}
