"""The columns that a command learns from: ids, constants and copies of the target are left out, and named."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from crake.errors import ColumnNotFound, CrakeError, did_you_mean

if TYPE_CHECKING:
    from crake.table.table import Table
    from crake.workbench.table import TableRequest


def check_select(method: str | None) -> None:
    """Raise an error for a method of choosing columns that there is not.

    >>> check_select("csf")
    Traceback (most recent call last):
    crake.errors.CrakeError: --select: expected one of mutual-information, chi-square, cfs, wrapper, got 'csf'. ...
    """
    if method is None:
        return
    from crake.learners.meta.select.transformer import METHODS  # noqa: PLC0415 (numpy only when there is work)

    if method not in METHODS:
        hint = did_you_mean(method, METHODS)
        raise CrakeError(f"--select: expected one of {', '.join(METHODS)}, got {method!r}.{hint}")


def without_useless(request: TableRequest, table: Table, plan: Any = None) -> tuple[TableRequest, Table]:
    """Return the request and the table without ids, constants and copies of the target, with parts of dates.

    Notes name them.

    In the request these columns stand as ignored, so that its lines give the same result again. Columns that the
    request keeps or reads as a certain kind stay, and so does that of the plan. A scan is not looked through.
    """
    _check_keep(request, table)
    _refuse_two_rules(table)
    if not table.in_memory or table.schema.target is None or len(table) == 0:
        return _with_date_parts(request, table)
    from crake.table.column_options import ColumnOptions  # noqa: PLC0415 (numpy only when there is work)
    from crake.table.convert.recode import apply_options  # noqa: PLC0415
    from crake.table.describe.useless_columns import useless_columns  # noqa: PLC0415

    by = getattr(plan, "by", None)
    keep = {*request.keep, *request.nominal, *request.numeric, *request.text, *([by] if isinstance(by, str) else [])}
    useless = useless_columns(table, {*keep, *(request.date_parts or ())})
    notes = tuple(_repeated(table, useless.names))
    if useless.names:
        table = apply_options(table, ColumnOptions(ignore=useless.names))
        request, notes = replace(request, ignore=(*request.ignore, *useless.names)), (useless.note(), *notes)
    return _with_date_parts(request, replace(table, notes=(*notes, *table.notes)))


def _with_date_parts(request: TableRequest, table: Table) -> tuple[TableRequest, Table]:
    """Return the table with the parts of dates that the request names, or, by rule, of all dates in memory."""
    if request.date_parts == () or (request.date_parts is None and not table.in_memory):
        return request, table
    added = table.with_date_parts(request.date_parts)
    return replace(request, has_date_parts=len(added.schema.columns) > len(table.schema.columns)), added


def _check_keep(request: TableRequest, table: Table) -> None:
    for name in request.keep:
        if name not in table.schema:
            raise ColumnNotFound(name, table.schema.names, where=f" in {table.name}")
        if name in request.ignore:
            raise CrakeError(f"--keep {name} and --ignore {name} are both given; leave one of them out")


def _refuse_two_rules(table: Table) -> None:
    """Raise an error for dates that two rules fit: as names they would hold for no other day."""
    from crake.table.notation import TWO_RULES  # noqa: PLC0415 (numpy only when there is work)

    for note in table.notes:
        if TWO_RULES in note:
            fact = note.replace(" is nominal: dates", ": dates", 1)
            raise CrakeError(f"{fact}. --dates text keeps them as names, --ignore leaves the column out")


def _repeated(table: Table, left_out: tuple[str, ...]) -> Iterator[str]:
    """Yield notes on columns that say the same in other words."""
    from crake.table.describe.useless_columns import one_to_one_columns  # noqa: PLC0415
    from crake.table.describe.warnings import named  # noqa: PLC0415

    for columns in one_to_one_columns(table):
        rest = [name for name in columns if name not in left_out]
        if len(rest) > 1:
            leaves = f"--ignore {shlex.quote(rest[-1])} leaves {shlex.quote(rest[-1])} out"
            yield f"{named(rest)} go with each other one to one: one of them is enough; {leaves}"
