"""The options about a table: declared once, given to every command that reads one, handed to it as a TableRequest."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from crake.cli import option_values
from crake.cli import options as o
from crake.errors import CrakeError
from crake.workbench.table import MAX_MEMORY, MAX_SECONDS, TableRequest

Command = Callable[..., None]
COLUMNS = ("target", "nominal", "numeric", "text", "ignore")


def _request(
    table: o.SourceArgument,
    target: o.TargetOption = None,
    file_format: o.FormatOption = None,
    nominal: o.NominalOption = None,
    numeric: o.NumericOption = None,
    text: o.TextOption = None,
    ignore: o.IgnoreOption = None,
    keep_columns: o.KeepOption = None,
    date_parts: o.DatePartsOption = None,
    missing: o.MissingOption = None,
    delimiter: o.DelimiterOption = None,
    encoding: o.EncodingOption = None,
    bad_rows: o.BadRowsOption = o.BadRows.ERROR,
    header: o.HeaderOption = None,
    names: o.NamesOption = None,
    skip_rows: o.SkipRowsOption = 0,
    comment: o.CommentOption = None,
    quote: o.QuoteOption = None,
    widths: o.WidthsOption = None,
    dates: o.DatesOption = None,
    decimal: o.DecimalOption = ".",
    table_name: o.TableOption = None,
    query: o.QueryOption = None,
    sheet: o.SheetOption = None,
    member: o.MemberOption = None,
    sample: o.SampleOption = None,
    max_bytes: o.MaxBytesOption = None,
    untrusted: o.UntrustedOption = False,
    max_memory: o.MaxMemoryOption = MAX_MEMORY,
    max_seconds: o.MaxSecondsOption = MAX_SECONDS,
) -> TableRequest:
    return TableRequest(
        table,
        target,
        file_format,
        nominal=option_values.names(nominal),
        numeric=option_values.names(numeric),
        text=option_values.names(text),
        ignore=option_values.names(ignore),
        missing=tuple(missing or ()),
        delimiter=delimiter,
        decimal=decimal,
        encoding=encoding,
        bad_rows=bad_rows.value,
        header=header,
        names=option_values.names(names),
        skip_rows=skip_rows,
        comment=comment,
        quote=quote,
        widths=option_values.widths(widths),
        dates=dates,
        table=table_name,
        query=query,
        sheet=sheet,
        member=member,
        sample=sample,
        max_bytes=max_bytes,
        untrusted=untrusted,
        max_memory=max_memory,
        max_seconds=max_seconds,
        keep=option_values.names(keep_columns),
        date_parts=option_values.parts(date_parts),
    )


def reads_table(
    *, columns: bool = True, target: Any = None, learns: bool = False, optional: bool = False
) -> Callable[[Command], Command]:
    """Give a command the options of a table in place of its parameter `table`, which becomes a TableRequest.

    `columns` False leaves out the options on how columns are read, which a model knows. `target` is the declaration of
    --target where a command means something else by it. `learns` adds --keep and --date-parts, for commands that choose
    columns. `optional`: the command gets None where no table is named.
    """

    def around(command: Command) -> Command:
        declared = _options(columns=columns, target=target, learns=learns, optional=optional)
        parameters = list(_in_place(command, declared))

        @functools.wraps(command)
        def run(**values: Any) -> None:
            about = {name: values.pop(name) for name in declared if name in values}
            if about["table"] is None:
                _check_no_options(about, declared)
            command(table=None if about["table"] is None else _request(**about), **values)

        # Where typer looks for the options.
        vars(run)["__signature__"] = inspect.Signature(parameters)
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run

    return around


def _check_no_options(about: Mapping[str, Any], declared: Mapping[str, inspect.Parameter]) -> None:
    """Raise an error for an option about a table that is not named."""
    for name, value in about.items():
        if value != declared[name].default:
            raise CrakeError(f"expected a TABLE beside --{name.replace('_', '-')}, which says how a table is read")


def _in_place(command: Command, declared: Mapping[str, inspect.Parameter]) -> Iterator[inspect.Parameter]:
    """Return the parameters of both, required ones first, each otherwise where it stands in the help."""
    parameters: list[inspect.Parameter] = []
    for name, own in inspect.signature(command, eval_str=True).parameters.items():
        parameters += declared.values() if name == "table" else [own]
    parameters.sort(key=lambda each: each.default is not inspect.Parameter.empty)
    return (each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters)


def _options(*, columns: bool, target: Any, learns: bool, optional: bool) -> dict[str, inspect.Parameter]:
    shared = dict(inspect.signature(_request, eval_str=True).parameters)
    if optional:
        shared["table"] = shared["table"].replace(annotation=o.OptionalSourceArgument, default=None)
    if target is not None:
        shared["target"] = shared["target"].replace(annotation=target)
    left_out = () if columns else COLUMNS if target is None else COLUMNS[1:]
    if not learns:
        left_out = (*left_out, "keep_columns", "date_parts")
    return {name: option for name, option in shared.items() if name not in left_out}
