"""A screen: a document for programs, and the same in the frame of the workbench for people."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from crake.app.guard import HEADERS
from crake.render.page import filled, style_sheet
from crake.render.report.script import script
from crake.server.exchange import Response

RAIL = (
    ("open", "Open", "/"),
    ("data", "Data", "/data"),
    ("models", "Models", "/models"),
    ("results", "Results", "/results"),
    ("inspect", "Inspect", "/inspect"),
    ("explain", "Explain", "/explain"),
    ("predict", "Predict", "/predict"),
    ("runs", "Runs", "/runs"),
)
"""The screens in the order of the work: name, words, address."""


@dataclass(frozen=True)
class Fact:
    """One of the facts that every number depends on, and where it is changed."""

    name: str
    value: str
    address: str = ""


@dataclass(frozen=True)
class Screen:
    """A screen: `document` is its JSON twin, `parts` what its template needs beside it.

    `table` and `run` stand in the links of the rail, so that every state is in the address. A screen that `is_waiting`
    is loaded again from time to time where no script does it. One whose table `has_changed` since its run says so.
    `jobs` are the runs that work meanwhile, for the foot of the page. `project` names the folder where no facts stand.
    """

    name: str
    title: str
    template: str
    document: Any
    parts: dict[str, Any] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()
    shell: str = ""
    python: str = ""
    table: str = ""
    run: str = ""
    jobs: Sequence[Mapping[str, Any]] = ()
    project: str = ""
    has_script: bool = False
    is_waiting: bool = False
    has_changed: bool = False
    status: int = 200

    def as_json(self) -> Response:
        """Return the document."""
        return Response.of_json(self.document, self.status, HEADERS)

    def as_page(self) -> Response:
        """Return the page."""
        html = filled("workbench/page.html.jinja", {
            "screen": self,
            "rail": [(name, words, self._address(name, address)) for name, words, address in RAIL],
            "document": self.document,
            **self.parts,
        })  # fmt: skip
        return Response(html.encode("utf-8", "backslashreplace"), "text/html; charset=utf-8", self.status, HEADERS)

    def _address(self, name: str, address: str) -> str:
        """Return the address of a screen about the same table and run."""
        if name in ("data", "models") and self.table:
            return f"{address}?table={self.table}"
        if name in ("results", "inspect", "explain", "predict") and self.run:
            return f"{address}/{self.run}"
        return address


def static_file(name: str) -> Response | None:
    """Return a style sheet or a script of the workbench; None if there is no such file."""
    # Only what there is is kept: anyone may ask for any name.
    return _static_files().get(name)


@functools.cache
def _static_files() -> dict[str, Response]:
    texts = {
        "workbench.css": ("text/css; charset=utf-8", str(style_sheet()) + _own("workbench.css")),
        "workbench.js": ("text/javascript; charset=utf-8", _own("workbench.js")),
        "report.js": ("text/javascript; charset=utf-8", str(script())),
    }
    return {name: Response(text.encode(), kind, headers=HEADERS) for name, (kind, text) in texts.items()}


def _own(name: str) -> str:
    return resources.files("crake.render").joinpath(f"static/{name}").read_text("utf-8")
