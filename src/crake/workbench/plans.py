"""Plans, measures and costs of a request, read before any long work."""

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


def check_measure(name: str | None, *, has_costs: bool) -> None:
    """Raise for a measure that does not exist, and for one that does not go with the costs; the target comes later.

    >>> check_measure("acuracy", has_costs=False)
    Traceback (most recent call last):
    crake.errors.CrakeError: --measure acuracy: there is no measure 'acuracy'. Did you mean 'accuracy'? Measures: ...
    """
    if name is None:
        return
    from crake.metrics.measures import MEASURES, find_measure  # noqa: PLC0415 (numpy only when there is work)

    try:
        measure = find_measure(name, MEASURES)
    except CrakeError as error:
        raise CrakeError(f"--measure {name}: {error}") from None
    if measure.needs_costs and not has_costs:
        raise CrakeError(f"--measure {name}: expected --cost FILE beside it, the costs of errors")
    if has_costs and not measure.needs_costs:
        raise CrakeError(f"--measure {name}: --cost ranks by what errors cost; leave one of the two out")
