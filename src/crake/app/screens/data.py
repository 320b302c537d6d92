"""Data: one row per column, what each says about the target, warnings, the balance of classes."""

from __future__ import annotations

from crake.app.page import Screen
from crake.app.workbench import Workbench
from crake.render.page import description_parts
from crake.server.exchange import Request
from crake.workbench.describe import DescribeRequest


async def data_screen(workbench: Workbench, request: Request) -> Screen:
    """Show the description of a table."""
    entry = workbench.table_of(request)
    asked = workbench.tables.request(entry)
    described = await workbench.in_thread(lambda: workbench.tables.described(asked))
    table = await workbench.in_thread(lambda: workbench.tables.read(asked))
    parts = await workbench.in_thread(lambda: description_parts(described.description))
    again = DescribeRequest(asked)
    return Screen(
        "data",
        parts["sentence"],
        "workbench/data.html.jinja",
        {**described.to_dict(), "changed": workbench.tables.has_changed(entry)},
        {**parts, "level": 1, "table_id": entry.id},
        facts=workbench.facts_of_table(table, entry.id),
        shell=again.command_line(),
        python=again.python(),
        table=entry.id,
    )
