"""Save and serve: a model as a file of the start folder, and behind an address that programs can call."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, urlsplit

from crake.app.fitted import FittedModel
from crake.app.index import RunEntry
from crake.app.servers import Server
from crake.app.workbench import Workbench, fields_of, one
from crake.server.exchange import Request
from crake.server.models import ENDING, ServedModel
from crake.server.page import curl_line
from crake.server.problems import Problem

_NAME = re.compile(r"\w[\w .-]{0,79}")
LONGEST_NAME = 60
"""Letters of a name that crake proposes; a number may follow."""


async def save_model(workbench: Workbench, request: Request, run: str) -> str:
    """Copy a model of a run to a new file of the start folder; return the page that says so."""
    entry = workbench.run(run)
    name = _file_name(one(await fields_of(request), "name"))
    fitted = await workbench.in_thread(lambda: workbench.models.chosen(entry, request))
    start = workbench.project.start
    await workbench.in_thread(lambda: _copy(start / fitted.path, start / name))
    return f"/predict/{run}?model={fitted.place}&saved={quote(name)}"


async def serve_model(workbench: Workbench, request: Request, run: str) -> str:
    """Start a server of a model; return the page that shows its address."""
    entry = workbench.run(run)
    await fields_of(request)
    fitted = await workbench.in_thread(lambda: workbench.models.chosen(entry, request))
    await workbench.servers.begin(fitted.path)
    return f"/predict/{run}?model={fitted.place}"


async def stop_server(workbench: Workbench, request: Request, run: str, server: str) -> str:
    """End a server; return the page of its model."""
    await fields_of(request)
    await workbench.servers.stop(server)
    place = request.query.get("model", "0")
    return f"/predict/{run}?model={place if place.isdecimal() else 0}"


def saved_file(workbench: Workbench, request: Request) -> str:
    """Return the file that the address says was saved; nothing if there is none."""
    name = request.query.get("saved", "")
    is_there = _NAME.fullmatch(name) and name.endswith(ENDING) and (workbench.project.start / name).is_file()
    return name if is_there else ""


def free_name(workbench: Workbench, entry: RunEntry, fitted: FittedModel) -> str:
    """Return a name for a model's file, of its table and its learner, that no file of the start folder has."""
    source = workbench.compare_request(entry).table.source
    table = Path(source).name.partition(".")[0]
    table = re.sub(r"-[0-9a-f]{8}$", "", table) if source != workbench.project.shown_source(source) else table
    name = re.sub(r"[^\w-]+", "-", f"{table} {fitted.learner}").strip("-")[:LONGEST_NAME] or "model"
    taken = {file.name for file in workbench.project.start.glob(f"*{ENDING}")}
    numbered = (f"{name}-{number}" for number in itertools.count(2))
    return next(each for each in itertools.chain([name], numbered) if f"{each}{ENDING}" not in taken)


def curl_of(fitted: FittedModel, server: Server) -> str:
    """Return a line that asks a server for a made-up row."""
    served = ServedModel(fitted.learner, fitted.model, "", None)
    return curl_line(served, urlsplit(server.address).netloc, key=server.key)


def _file_name(text: str) -> str:
    """Return the name of a model file that a person typed.

    >>> _file_name("loans 2024"), _file_name("loans.crake")
    ('loans 2024.crake', 'loans.crake')
    """
    name = text.strip()
    name = name if name.endswith(ENDING) else f"{name}{ENDING}"
    if not _NAME.fullmatch(name) or name.endswith((" ", f" {ENDING}")):
        raise Problem(422, "name", "expected a name of letters, digits, blanks, dots and dashes, up to 74 characters")
    return name


def _write(new: BinaryIO, content: bytes, file: Path) -> None:
    try:
        new.write(content)
        new.flush()
    except OSError:  # the disk is full: half a model is none
        file.unlink()
        raise


def _copy(model: Path, file: Path) -> None:
    content = model.read_bytes()
    try:
        with file.open("xb") as new:  # never over another file, nor through a link
            _write(new, content, file)
    except FileExistsError:
        raise Problem(422, "exists", f"there is a file {file.name} already; choose another name") from None
    except OSError as error:
        raise Problem(422, "not_saved", f"{file.name} cannot be written: {error.strerror or error}") from None
