"""The data: facts about the table, warnings and notes."""

from __future__ import annotations

from crake.evaluation.report.material import Material
from crake.render.report.blocks import Block, Facts, Messages
from crake.render.report.report import Section


def data_section(material: Material) -> Section:
    """Return the facts, then warnings that may change what the reader makes of the result, then notes."""
    summary = material.summary
    blocks: list[Block] = [Facts(summary.facts)]
    if summary.warnings:
        blocks.append(Messages("warnings", summary.warnings))
    if summary.notes:
        blocks.append(Messages("notes", summary.notes))
    data = {"facts": summary.facts, "warnings": summary.warnings, "notes": summary.notes}
    return Section("data", "The data", tuple(blocks), data)
