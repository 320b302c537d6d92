"""The checks of the table and of the result."""

from __future__ import annotations

from dataclasses import asdict

from crake.evaluation.report.material import Material
from crake.render.report.blocks import Checks
from crake.render.report.report import Section


def checks_section(material: Material) -> Section | None:
    """Return the checks that raised something; no block where none were made, or where warnings alone did."""
    board = material.board
    if board is None:
        return None
    if board.checks is None:
        return Section("checks", "Checks", (), {"checks": None})
    blocks = () if board.warnings and not board.checks else (Checks(board.checks),)
    return Section("checks", "Checks", blocks, {"checks": [asdict(check) for check in board.checks]})
