"""The leaderboard: every learner with its measures and its verdict."""

from __future__ import annotations

from crake.evaluation.report.material import Material
from crake.render.report.report import Section


def leaderboard_section(material: Material) -> Section | None:
    """Return the leaderboard; None in the report of one regressor, whose measures are a section of their own."""
    board = material.board
    if board is None:
        return None
    own = ("heading", "entries", "f1_name", "interval_name")
    data = {name: value for name, value in board.to_dict().items() if name in own}
    return Section("leaderboard", board.heading, (board,), data)
