"""`--cost FILE` and `--plan PLAN`: read and refused before any long work."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from crake.errors import CrakeError

if TYPE_CHECKING:
    from crake.metrics.cost.matrix import CostMatrix
    from crake.table.table import Table


def costs_of(file: Path | None) -> CostMatrix | None:
    """The costs in a file, which is read before the table is."""
    if file is None:
        return None
    from crake.metrics.cost.matrix import CostMatrix  # noqa: PLC0415 (numpy only when there is work)

    if not file.is_file():
        raise CrakeError(f"--cost {file}: there is no such file; expected CSV, see crake compare --help")
    return CostMatrix.read(file)


def refuse_too_many_folds(plan: Any, text: str, table: Table) -> None:
    """A plan with more folds than rows is a slip when somebody typed it; the default gives way and says so."""
    folds = getattr(plan, "folds", 0) if type(plan).__name__ == "CrossValidation" else 0
    if not table.in_memory or folds <= len(table):
        return
    raise CrakeError(
        f"--plan {text} asks for {folds:,} folds, and {table.name} has {len(table):,} rows; try loo or cv5"
    )
