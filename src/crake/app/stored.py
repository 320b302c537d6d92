"""The folder of a project as a stranger may have left it: what is read from it is checked as if a browser had sent it.

A folder `.crake` travels with the tables beside it: in an archive, on a shared disk. Opening it must not read other
files, import other modules or write to other places than a project of one's own does.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from crake.app.paths import NO_FILE, below
from crake.errors import CrakeError
from crake.learners.catalogue import listed
from crake.learners.registry import CLASSIFIERS, REGRESSORS
from crake.server.problems import Problem
from crake.table import examples
from crake.workbench.compare import CompareRequest
from crake.workbench.learners.import_path import is_import_path
from crake.workbench.table import TableRequest

_NEVER = frozenset({"form", "iframe", "object", "embed", "link", "meta", "base", "frame", "portal"})
"""Elements that no report holds, and that act or reach beyond the page."""
_ADDRESSES = ("href", "src", "action", "formaction", "xlink:href", "data", "srcset", "ping")


def check_folder(folder: Path) -> None:
    """Raise for a project folder that belongs to another user, or that holds links to other places."""
    link = str(folder) if folder.is_symlink() else next(_links_below(folder), None)
    if link is not None:
        raise CrakeError(f"{link} is a link; expected a folder or file that crake made: remove it")
    if not folder.exists() or not hasattr(os, "getuid"):
        return
    owner = folder.stat().st_uid
    if owner not in (os.getuid(), 0) and os.getuid() != 0:
        raise CrakeError(
            f"{folder} belongs to {_user_name(owner)}; expected a project of your own: copy the tables to a folder of "
            "yours, or name another --folder"
        )


def _links_below(folder: Path) -> Iterator[str]:
    waiting = [str(folder)] if folder.is_dir() else []
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_symlink():
                    yield entry.path
                elif entry.is_dir():
                    waiting.append(entry.path)


def _user_name(user: int) -> str:
    import pwd  # noqa: PLC0415 (not on Windows)

    try:
        return f"the user {pwd.getpwuid(user).pw_name}"
    except KeyError:
        return f"user number {user}"


def checked_table(values: Mapping[str, Any], start: Path, uploads: str) -> TableRequest:
    """Return a stored request for a table: of a file below the start folder, an upload, or an example."""
    request = TableRequest.from_dict(values)
    source = request.source
    if source.startswith(f"{uploads}/"):
        name = source.removeprefix(f"{uploads}/")
        if name in (".", "..") or any(sign in name for sign in ("/", "\\", "\0")):
            raise Problem(403, "path", f"expected the name of an upload, got {name[:100]!r}")
        return replace(request, untrusted=True)
    if source not in examples.names() or (start / source).exists():
        below(start, source)
    return request


def checked_comparison(values: Mapping[str, Any], start: Path, uploads: str, model: str) -> CompareRequest:
    """Return the stored request of a run, whose model goes nowhere but to the file `model`.

    The file of its table may be gone: what was found out about it is still shown. Whoever reads it is told.
    """
    asked = CompareRequest.from_dict(values)
    try:
        checked_table(asked.table.to_dict(), start, uploads)
    except Problem as problem:
        if problem.code != NO_FILE:
            raise
    check_learners(asked.learners, asked.parameters)
    if asked.test is not None or asked.cost is not None or asked.save not in (None, model):
        raise Problem(403, "path", "this run names files that the workbench does not read or write")
    return asked


def check_learners(names: Iterable[str], parameters: Mapping[str, Any]) -> None:
    """Raise for a learner that is not crake's own: neither a browser nor a project names modules to import."""
    for name in names:
        if name not in CLASSIFIERS and name not in REGRESSORS:
            listed(name)  # raises
    for name, value in parameters.items():
        if isinstance(value, str) and is_import_path(value):
            raise CrakeError(f"{name} is {value[:100]!r}; expected a learner of crake's own")


def checked_result(document: Any) -> dict[str, Any] | None:
    """Return the result of a run where it has what the screens show of one; None of anything else.

    >>> checked_result({"headline": "x"}) is None
    True
    """
    if not isinstance(document, dict) or not isinstance(document.get("reproduce"), dict):
        return None
    learners, texts = document.get("learners"), [*document["reproduce"].values()]
    is_whole = all(isinstance(text, str) for text in (document.get("headline"), document.get("measure"), *texts))
    return document if is_whole and isinstance(learners, list) and all(map(_is_measured, learners)) else None


def _is_measured(learner: Any) -> bool:
    measures = learner.get("measures") if isinstance(learner, dict) else None
    if not isinstance(measures, dict) or not isinstance(learner.get("learner"), str):
        return False
    estimates = [*measures.values(), learner.get("ranked_by", {})]
    values = [each.get("value") if isinstance(each, dict) else "" for each in estimates]
    return all(value is None or isinstance(value, int | float) for value in values)


def checked_body(html: str) -> str:
    """Return the body of a stored report; raise if it holds what no report of crake does.

    >>> checked_body('<p class="x">0.9</p>')
    '<p class="x">0.9</p>'
    """
    _Body().feed(html)
    return html


def _leads_away(address: str) -> bool:
    """Return True for an address outside the workbench.

    >>> [_leads_away(address) for address in ("#top", "?node=3", "/explain", "//evil.example", "javascript:x")]
    [False, False, False, True, True]
    """
    return not address.startswith(("#", "?", "/")) or address.startswith(("//", "/\\"))


class _Body(HTMLParser):
    """Reads a report and raises at the first part that acts, or leaves the page."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        is_program = tag == "script" and values.get("type") != "application/json"
        leads_away = any(_leads_away(value or "") for name, value in attrs if name in _ADDRESSES)
        if tag in _NEVER or is_program or leads_away or any(name.startswith("on") for name in values):
            raise Problem(403, "foreign_report", "the report of this run was not written by crake; run it again")
