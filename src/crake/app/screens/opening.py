"""Open: files of the start folder and sample tables, a preview of what was understood, the target and the kinds."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any

from crake.app.page import Screen
from crake.app.paths import tables_below
from crake.app.tables import UPLOADS
from crake.app.workbench import Workbench, fields_of, one
from crake.files import replace_file
from crake.server.exchange import Request, Response
from crake.server.problems import Problem
from crake.table import examples
from crake.table.formats.choose import ending_of, file_endings
from crake.table.formats.contents import option_of
from crake.workbench.describe import DescribeRequest
from crake.workbench.table import TableRequest

KINDS = ("nominal", "numeric", "text", "ignore")
LARGEST_UPLOAD = 256 * 2**20
UPLOAD_SECONDS = 300.0
LONGEST_NAME = 40
"""Letters of a file's name that stay in the name that it is stored under."""


async def open_screen(workbench: Workbench, request: Request) -> Screen:
    """Show what can be opened, and a preview of the source or table in the address."""
    found = await workbench.in_thread(lambda: tables_below(workbench.project.start))
    document: dict[str, Any] = {
        "folder": str(workbench.project.start.name),
        "files": [{"path": file.path, "bytes": file.size} for file in found],
        "dropped": await workbench.in_thread(workbench.tables.dropped),
        "examples": [{"name": name, "about": examples.about(name)} for name in examples.names()],
        "inside": None,
        "preview": None,
    }
    chosen = _chosen(workbench, request)
    if chosen is None:
        return Screen("open", "Open a table", "workbench/open.html.jinja", document)
    names = await workbench.in_thread(lambda: workbench.tables.inside(chosen))
    source, part = _source_of(workbench, chosen), _part_of(chosen)
    if len(names) > 1 or (names and option_of(chosen.source) == "table"):
        has_queries = option_of(chosen.source) == "table"
        document["inside"] = {
            "source": source, "names": names, "part": part, "query": chosen.query if has_queries else None,
            "has_queries": has_queries,
        }  # fmt: skip
    if len(names) > 1 and not part and chosen.query is None and option_of(chosen.source) != "sheet":
        title = f"{len(names)} tables in {source}: choose one"
        return Screen("open", title, "workbench/open.html.jinja", document)
    table = await workbench.table(chosen)
    columns, rows = await workbench.in_thread(lambda: workbench.tables.preview(table))
    asked = {name: kind for kind in KINDS for name in getattr(chosen, kind)}
    proposed = {each.name: request.query.get(f"kind:{each.name}", "") for each in columns}
    asked |= {name: kind for name, kind in proposed.items() if kind in KINDS}
    document["preview"] = {
        "source": source,
        "part": part,
        "query": chosen.query or "",
        "name": table.name,
        "rows": len(table),
        "is_scanned": not table.in_memory,
        "target": table.schema.target,
        "columns": [{"name": each.name, "kind": each.kind, "asked": asked.get(each.name, "")} for each in columns],
        "first_rows": rows,
        "notes": list(table.notes),
    }
    described = DescribeRequest(chosen)
    return Screen(
        "open",
        f"Open {table.name}",
        "workbench/open.html.jinja",
        document,
        {"kinds": KINDS, "last_column": columns[-1].name if columns else ""},
        shell=described.command_line(),
        python=described.python(),
        table=request.query.get("table", ""),
    )


async def add_table(workbench: Workbench, request: Request) -> str:
    """Add the table of a form to the project; return the address that shows it."""
    fields = await fields_of(request)
    source = one(fields, "source")
    options: dict[str, Any] = {"target": one(fields, "target") or None}
    for kind in KINDS:
        options[kind] = tuple(
            name.removeprefix("kind:")
            for name, values in fields.items()
            if name.startswith("kind:") and values == [kind]
        )
    inside = _inside(source, {name: one(fields, name) for name in ("part", "query")})
    asked = workbench.tables.request_for(source, **options, **inside)
    # Read it now: a table that cannot be read is not added.
    table = await workbench.in_thread(lambda: workbench.tables.read(asked))
    if asked.target is None and table.schema.target is None:
        raise Problem(422, "no_target", "choose the column to predict")
    return f"/data?table={await workbench.in_thread(lambda: workbench.tables.add(asked))}"


async def add_upload(workbench: Workbench, request: Request) -> Response:
    """Store a file that was dropped under a name of its words and a number of the server's; return its preview."""
    name = request.query.get("name", "")
    ending = ending_of(name)
    packed = re.fullmatch(r".*?(\.(?:gz|bz2|xz|zst))?", name.lower(), re.DOTALL)
    if ending not in file_endings():
        raise Problem(415, "ending", f"expected a file that ends in {', '.join(file_endings())}, got {name[-40:]!r}")
    content = await request.body(LARGEST_UPLOAD, UPLOAD_SECONDS, "copy a larger file into the folder of the app")
    if not content:
        raise Problem(400, "empty_body", "expected a file, got no bytes")
    packing = (packed.group(1) if packed else None) or ""
    words = re.sub(r"[^\w-]+", "-", name.removesuffix(packing).rpartition(".")[0])[:LONGEST_NAME].strip("-")
    stored = f"{words or 'table'}-{secrets.token_hex(4)}{ending}{packing}"
    path = workbench.project.folder / "uploads" / stored
    await workbench.in_thread(lambda: replace_file(path, content))
    return Response.of_json({"source": f"{UPLOADS}{stored}", "location": f"/?source={UPLOADS}{stored}"}, 201)


def _chosen(workbench: Workbench, request: Request) -> TableRequest | None:
    if "table" in request.query:
        return workbench.tables.request(workbench.tables.entry(request.query["table"]))
    if "source" in request.query:
        source, target = request.query["source"], request.query.get("target") or None
        return workbench.tables.request_for(source, target=target, **_inside(source, request.query))
    return None


def _inside(source: str, given: Mapping[str, str]) -> dict[str, str]:
    """Return the options that choose a table inside a file: its name, or a query of a database."""
    option, chosen = option_of(source), dict[str, str]()
    if option is not None and given.get("part"):
        chosen[option] = given["part"]
    if option == "table" and given.get("query", "").strip():
        chosen = {"query": given["query"].strip()}
    return chosen


def _part_of(request: TableRequest) -> str:
    """Return the name of the table inside a file that a request chooses."""
    return request.table or request.sheet or request.member or ""


def _source_of(workbench: Workbench, request: TableRequest) -> str:
    """Return the source as a form names it."""
    uploads = f"{workbench.project.uploads}/"
    return f"{UPLOADS}{request.source.removeprefix(uploads)}" if request.source.startswith(uploads) else request.source
