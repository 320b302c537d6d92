"""Data: one row per column, what each says about the target, warnings, the balance of classes; the rows, by page."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import urlencode

from crake.app.guard import HEADERS
from crake.app.page import Screen
from crake.app.workbench import Workbench, fields_of, one, whole
from crake.errors import CrakeError
from crake.server.exchange import Request, Response
from crake.table.describe.rows import rows_between
from crake.workbench.describe import DescribeRequest
from crake.workbench.table import TableRequest

ROWS, COLUMNS = 100, 30
"""Rows and columns of one page."""
MOST_LEFT_OUT = 100
"""Columns that a link chooses to be left out; an address has an end."""
BEAT = 0.2
"""Seconds between two lines about the progress of a reading."""


async def data_screen(workbench: Workbench, request: Request) -> Screen:
    """Show the description of a table."""
    entry = workbench.table_of(request)
    asked = workbench.tables.request(entry)
    described, parts = await workbench.described(asked)
    table = await workbench.table(asked)
    has_changed = await workbench.in_thread(lambda: workbench.tables.has_changed(entry))
    again = DescribeRequest(asked)
    return Screen(
        "data",
        parts["sentence"],
        "workbench/data.html.jinja",
        {**described.to_dict(), "changed": has_changed},
        {**parts, "level": 1, "table_id": entry.id, "leave_out": _without(entry.id, parts["useless"])},
        facts=workbench.facts_of_table(table, entry.id),
        shell=again.command_line(),
        python=again.python(),
        table=entry.id,
    )


def _without(table: str, names: Sequence[str]) -> str:
    """Return the address that opens a table with columns chosen to be left out; nothing without any."""
    kinds = {f"kind:{name}": "ignore" for name in names[:MOST_LEFT_OUT]}
    return f"/?{urlencode({'table': table, **kinds})}" if kinds else ""


async def rows_screen(workbench: Workbench, request: Request) -> Screen:
    """Show rows of a table from the one on that the address names, and a few columns of a wide one."""
    entry = workbench.table_of(request)
    asked = workbench.tables.request(entry)
    table = await workbench.table(asked)
    rows, columns = len(table), table.schema.columns
    first = _place(request, "row", rows)
    left = _place(request, "column", len(columns))
    shown = columns[left : left + COLUMNS]
    cells = await workbench.in_thread(lambda: rows_between(table, first, first + ROWS, shown))
    document: dict[str, Any] = {
        "rows": rows,
        "columns": len(columns),
        "row": first,
        "column": left,
        "names": [column.name for column in shown],
        "kinds": [str(column.kind) for column in shown],
        "target": table.schema.target,
        "cells": cells,
    }
    title = f"Rows {first:,} to {first + len(cells) - 1:,} of {rows:,}"
    places = {"previous": max(0, first - ROWS), "next": first + ROWS, "last": (rows - 1) // ROWS * ROWS}
    return Screen(
        "data",
        title,
        "workbench/rows.html.jinja",
        document,
        {"table_id": entry.id, "places": places, "step": COLUMNS},
        facts=workbench.facts_of_table(table, entry.id),
        python=_python(asked, table.in_memory, first),
        table=entry.id,
    )


def _place(request: Request, name: str, most: int) -> int:
    """Return the number in the address from which on rows or columns are shown, counted from 0."""
    place = whole(request.query.get(name, "0"), name)
    if not 0 <= place < max(1, most):
        raise CrakeError(f"{name} is {place}; expected a number from 0 to {most - 1:,}")
    return place


def _python(asked: TableRequest, in_memory: bool, first: int) -> str:
    """Return the lines that show the rows; those of a scanned table have no numbers in Python."""
    if not in_memory:
        return ""
    return f"import numpy\n{asked.python()}\nprint(table.take(numpy.arange({first}, min({first + ROWS}, len(table)))))"


async def reading_events(workbench: Workbench, reading: str) -> Response:
    """Tell a browser how far a table is read."""
    watched = workbench.tables.readings.named(reading)

    async def parts() -> AsyncIterator[bytes]:
        told = None
        while not watched.has_ended:
            if watched.to_dict() != told:
                told = watched.to_dict()
                yield f"data: {json.dumps(told)}\n\n".encode()
            await asyncio.sleep(BEAT)
        yield f"data: {json.dumps(watched.to_dict())}\n\n".encode()

    return Response(media_type="text/event-stream", headers=HEADERS, parts=parts())


async def cancel_reading(workbench: Workbench, request: Request, reading: str) -> str:
    """End the reading of a table; return the page that waited for it."""
    back = one(await fields_of(request), "back", "/")
    workbench.tables.readings.named(reading).cancel()
    return back if re.fullmatch(r"/(?:[!-.0-\[\]-~][!-~]*)?", back) else "/"
