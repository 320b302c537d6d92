"""The workbench that screens work on: the project, its tables, its jobs."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from crake.app.fitted import FittedModels
from crake.app.guard import FORM, JSON
from crake.app.index import RunEntry, TableEntry
from crake.app.jobs import Jobs
from crake.app.page import Fact
from crake.app.project import Project
from crake.app.readings import Reading, StillReading, Tell
from crake.app.servers import Servers
from crake.app.stored import checked_comparison
from crake.app.tables import Tables
from crake.errors import CrakeError
from crake.server.exchange import Request
from crake.server.problems import Problem
from crake.table.table import Table
from crake.workbench.compare import CompareRequest
from crake.workbench.describe import DescribedTable
from crake.workbench.table import TableRequest

Made = TypeVar("Made")

MOST_FIELDS = 5000
"""Fields of a form: a few for each column of a wide table."""
LARGEST_FORM = 2**20
FORM_SECONDS = 20.0
PATIENCE = 0.7
"""Seconds that a page waits for a table before it shows the progress instead."""


@dataclass(eq=False)
class Workbench:
    """A project with its tables and jobs."""

    project: Project
    tables: Tables
    jobs: Jobs

    patience: float = PATIENCE

    def __post_init__(self) -> None:
        self.models = FittedModels(self.project)
        self.threads = self.tables.threads
        self.servers = Servers(self.project.start)

    async def in_thread(self, function: Callable[[], Made]) -> Made:
        """Run what reads files or computes, while other pages are answered."""
        return await self.threads.run(function)

    async def table(self, request: TableRequest) -> Table:
        """Return the rows of a table; raise StillReading where that takes longer than a page may wait."""
        table: Table = await self._waited_for(lambda: self.tables.reading(request))
        return table

    async def described(self, request: TableRequest) -> tuple[DescribedTable, dict[str, Any]]:
        """Return the description of a table and the parts of its page; raise StillReading where that takes longer."""
        described: tuple[DescribedTable, dict[str, Any]] = await self._waited_for(
            lambda: self.tables.describing(request)
        )
        return described

    async def result_of(self, request: TableRequest, what: str, words: str, make: Callable[[Tell], Made]) -> Made:
        """Return what `make` makes of a table and `what`; raise StillReading where that takes longer."""
        result: Made = await self._waited_for(lambda: self.tables.making(request, what, words, make))
        return result

    async def _waited_for(self, begin: Callable[[], Reading]) -> Any:
        reading = await self.in_thread(begin)  # the fingerprint of the file is read
        until = time.monotonic() + self.patience
        while not reading.has_ended:
            if time.monotonic() > until:
                raise StillReading(reading)
            await asyncio.sleep(0.01)
        return reading.value()

    def run(self, id: str | None) -> RunEntry:  # noqa: A002 (the word of the index)
        """Return the run of an id, the latest one that is done without; raise if there is none."""
        if id is None:
            runs = self.project.index.runs()
            latest = sorted(runs, key=lambda run: run.created, reverse=True)
            found = next((run for run in latest if run.state == "done"), next(iter(latest), None))
            if found is None:
                raise Problem(404, "no_run", "nothing has been run yet; choose learners and press Run")
            return found
        entry = self.project.index.run(id)
        if entry is None:
            raise Problem(404, "no_run", "there is no such run in this project")
        return entry

    def table_of(self, request: Request) -> TableEntry:
        """Return the table that an address names, the one opened last without."""
        named = request.query.get("table")
        entry = self.tables.latest() if named is None else self.tables.entry(named)
        if entry is None:
            raise Problem(404, "no_table", "no table is open yet; open one first")
        return entry

    def working(self, besides: str = "") -> list[dict[str, Any]]:
        """Return the runs that wait or work, but one, for the foot of a page."""
        shown = []
        for job in self.jobs.working():
            entry = self.project.index.run(job.run) if job.run != besides else None
            if entry is not None:
                name = f"{self.project.shown_source(entry.request['table']['source'])}: {entry.name}"
                shown.append({"id": job.run, "name": name, "words": job.words, "percent": job.percent})
        return shown

    def compare_request(self, run: RunEntry) -> CompareRequest:
        """Return the request of a run."""
        project = self.project
        return checked_comparison(run.request, project.start, project.uploads, project.model_file(run.id))

    async def has_changed(self, run: RunEntry) -> bool:
        """Return True if the file of a run's table is not the one that was opened."""
        entry = self.project.index.table(run.table_id)
        return entry is not None and await self.in_thread(lambda: self.tables.has_changed(entry))

    def facts_of_table(self, table: Table, id: str) -> tuple[Fact, ...]:  # noqa: A002
        """Return the facts about a table for the top of a page."""
        target = table.schema.target or "none"
        return (
            Fact("table", table.name, f"/?table={id}"),
            Fact("rows × columns", f"{len(table):,} × {len(table.schema.columns):,}"),
            Fact("target", target, f"/?table={id}"),
        )

    def facts_of_run(self, run: RunEntry) -> tuple[Fact, ...]:
        """Return the facts that the numbers of a run depend on."""
        request = self.compare_request(run)
        return (
            Fact("table", self.project.shown_source(request.table.source), f"/data?table={run.table_id}"),
            Fact("target", request.table.target or "the last column", f"/?table={run.table_id}"),
            *((Fact("positive class", request.positive),) if request.positive else ()),
            Fact("protocol", request.plan, settings_address(run, request)),
            *((Fact("training", f"balanced, {request.balance}"),) if request.balance else ()),
            Fact("seed", str(request.seed), settings_address(run, request)),
        )


async def fields_of(request: Request) -> dict[str, list[str]]:
    """Return the fields of a form, or of a JSON object of texts and lists of texts."""
    body = await request.body(LARGEST_FORM, FORM_SECONDS)
    if request.media_type == FORM:
        fields: dict[str, list[str]] = {}
        try:
            pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
        except ValueError:
            raise Problem(400, "bad_form", "expected a form in UTF-8") from None
        for name, value in pairs:
            fields.setdefault(name, []).append(value)
        return fields
    if request.media_type != JSON:
        raise Problem(403, "media_type", "expected a form or JSON")
    return _json_fields(body)


def _json_fields(body: bytes) -> dict[str, list[str]]:
    refusal = Problem(400, "malformed_json", "expected a JSON object whose values are texts or lists of texts")
    try:
        document = json.loads(body)
        json.dumps(document, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    except (ValueError, RecursionError):
        raise refusal from None
    if not isinstance(document, Mapping):
        raise refusal
    fields = {str(name): value if isinstance(value, list) else [value] for name, value in document.items()}
    if not all(
        isinstance(text, str | int) and not isinstance(text, bool) for values in fields.values() for text in values
    ):
        raise refusal
    return {name: [str(text) for text in values] for name, values in fields.items()}


def settings_address(run: RunEntry, request: CompareRequest) -> str:
    """Return the address of Models with the settings of a run."""
    state = {"table": run.table_id, "learners": ",".join(request.learners), "plan": request.plan, "seed": request.seed,
             "positive": request.positive or "", "balance": request.balance or "",
             "measure": request.measure or ""}  # fmt: skip
    given = {f"set:{name}": value for name, value in request.parameters.items()}
    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in (state | given).items()}
    return f"/models?{urlencode({name: text for name, text in texts.items() if text})}"


def one(fields: Mapping[str, list[str]], name: str, default: str = "") -> str:
    """Return the only value of a field."""
    values = fields.get(name, [default])
    if len(values) != 1:
        raise Problem(400, "bad_form", f"expected one value of {name}, got {len(values)}")
    return values[0]


def whole(text: str, name: str) -> int:
    """Return a whole number from a form."""
    try:
        return int(text)
    except ValueError:
        raise CrakeError(f"{name} is {text[:40]!r}; expected a whole number") from None


def seconds_text(run: RunEntry) -> str:
    """Return how long a run was worked on; nothing where it was not, or is not known."""
    from crake.render.format_numbers import seconds  # noqa: PLC0415

    return "" if run.seconds is None else str(seconds(run.seconds))
