"""A fitted tree pruned once more, by any of the ways, into a new model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crake.errors import CrakeError
from crake.learners.tree.explaining.labelled_rows import labelled_rows
from crake.learners.tree.pruning.collapse import collapsed
from crake.learners.tree.pruning.cost_complexity import impurity_risk, pruned_at
from crake.learners.tree.pruning.pessimistic import pruned_pessimistically
from crake.learners.tree.pruning.reduced_error import pruned_by_errors
from crake.learners.tree.tree import Tree

if TYPE_CHECKING:
    from crake.learners.tree.showing.class_views import ClassTreeViews

WAYS = ("pessimistic", "reduced-error", "cost-complexity", "collapse")


def pruned_again(
    model: ClassTreeViews, how: str, rows: tuple[Any, Any, Any], *, confidence: float, raising: bool, alpha: float
) -> Tree:
    """The pruned tree; `rows` are (X or Table, y, sample_weight): needed where errors are counted anew."""
    if how not in WAYS:
        raise CrakeError(f"there is no pruning {how!r}; expected one of {', '.join(map(repr, WAYS))}")
    if how == "collapse":
        return collapsed(model.tree_)
    if how == "cost-complexity":
        return pruned_at(model.tree_, impurity_risk(model.tree_, model._measure), alpha)  # noqa: SLF001 - one family
    if rows[0] is None:
        which = "the rows it was fitted on" if how == "pessimistic" else "rows it was not fitted on"
        raise CrakeError(f"{how} pruning needs rows, and a model holds none: give {which}, as a Table or X and y")
    held = labelled_rows(model, *rows)
    if how == "reduced-error":
        return pruned_by_errors(model.tree_, held)
    if not 0 < confidence < 1:
        raise CrakeError(f"confidence={confidence}; expected a number between 0 and 1, such as 0.25")
    return pruned_pessimistically(model.tree_, held, confidence, raising=raising)
