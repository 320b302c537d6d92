"""The confusion matrix of the best learner."""

from __future__ import annotations

from dataclasses import asdict

from crake.evaluation.report.material import Material
from crake.evaluation.report.sections.cutoff import has_panel
from crake.render.plain_text import shown
from crake.render.report.blocks import Confusion
from crake.render.report.report import Section


def confusion_section(material: Material) -> Section | None:
    """Return the matrix; the page leaves it out for two classes if its cutoff panel shows the same counts.

    None for regressors.
    """
    board = material.board
    if board is None or material.is_regression:
        return None
    matrix = board.best_matrix
    data = {"matrices": [asdict(each) for each in board.matrices]}
    if matrix is None:
        return Section("confusion", "Where it errs", (), data)
    is_in_panel = len(matrix.labels) == 2 and has_panel(material)
    hidden_in = frozenset({"html"}) if is_in_panel else frozenset[str]()
    return Section("confusion", f"Where it errs: {shown(matrix.name, 60)}", (Confusion(matrix),), data, hidden_in)
