"""HTML of an experiment: a page of its own, or a cell of a notebook."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from crake.render.experiment.board import ExperimentBoard
from crake.render.page import filled_fragment, filled_page


def experiment_page(board: ExperimentBoard) -> str:
    """Return the experiment as a page of its own."""
    return filled_page(board.title, "experiment.html.jinja", _parts(board))


def experiment_fragment(board: ExperimentBoard) -> str:
    """Return the experiment as a part of another page: what a notebook shows."""
    return filled_fragment("experiment.html.jinja", _parts(board))


def _parts(board: ExperimentBoard) -> dict[str, Any]:
    # The drawing escapes every name itself.
    diagram = None if board.diagram is None else Markup(board.diagram.svg())  # noqa: S704
    return {"subject": board, "diagram": diagram}
