"""Plans and costs of a request, read before any long work."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from crake.errors import CrakeError

if TYPE_CHECKING:
    from crake.metrics.cost.matrix import CostMatrix
    from crake.table.table import Table


def plan_named(text: str, seed: int, *, is_numeric: bool = False) -> Any:
    """Return the plan of a short name; the folds of a numeric target have no classes to share out."""
    from crake import plans  # noqa: PLC0415 (numba and numpy only when there is work)

    plan = plans.from_text(text, seed)
    return replace(plan, stratified=False) if is_numeric and getattr(plan, "stratified", False) else plan  # type: ignore[type-var]


def check_folds(plan: Any, text: str, table: Table) -> None:
    """Raise an error for a typed plan with more folds than rows; the default plan makes fewer folds and notes it."""
    folds = getattr(plan, "folds", 0) if type(plan).__name__ == "CrossValidation" else 0
    if table.in_memory and folds > len(table):
        raise CrakeError(
            f"--plan {text} asks for {folds:,} folds, and {table.name} has {len(table):,} rows; try loo or cv5"
        )


def read_costs(file: str | None) -> CostMatrix | None:
    """Read the costs of a file."""
    if file is None:
        return None
    from crake.metrics.cost.matrix import CostMatrix  # noqa: PLC0415 (numpy only when there is work)

    return CostMatrix.read(file)
