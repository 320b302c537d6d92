"""Tables that go with the result: all measures, costs at cutoffs, the rows with the worst errors."""

from __future__ import annotations

from dataclasses import asdict

from crake.evaluation.report.material import Material
from crake.render.report.report import Section


def tables_section(material: Material) -> Section:
    """Return the tables, each under its own title."""
    grids = material.summary.grids
    return Section("tables", "", grids, {"grids": [asdict(grid) for grid in grids]})
