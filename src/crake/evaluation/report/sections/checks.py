"""The checks of the table and of the result."""

from __future__ import annotations

from dataclasses import asdict

from crake.evaluation.report.material import Material
from crake.render.report.blocks import Checks
from crake.render.report.report import Section


def checks_section(material: Material) -> Section | None:
    """Return the checks that raised something; no block where no checks were made."""
    board = material.board
    if board is None:
        return None
    if board.checks is None:
        return Section("checks", "Checks", (), {"checks": None})
    return Section("checks", "Checks", (Checks(board.checks),), {"checks": [asdict(check) for check in board.checks]})
