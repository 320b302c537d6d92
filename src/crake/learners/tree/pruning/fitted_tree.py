"""A fitted tree pruned once more, by any method, into a new model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crake.errors import CrakeError
from crake.learners.tree.explaining.labelled_rows import labelled_rows
from crake.learners.tree.explaining.model import TreeModel
from crake.learners.tree.pruning.by_rows import pruned_by_rows
from crake.learners.tree.pruning.code_length import pruned_by_code_length
from crake.learners.tree.pruning.cost_complexity import impurity_risk, pruned_at
from crake.learners.tree.pruning.critical_value import pruned_at_critical_value
from crake.learners.tree.pruning.cut import collapsed
from crake.learners.tree.pruning.pessimistic import pruned_pessimistically
from crake.learners.tree.tree import Tree

METHODS = ("pessimistic", "reduced-error", "error-complexity", "critical-value", "cost-complexity", "mdl", "collapse")
REGRESSION_METHODS = ("cost-complexity", "reduced-error", "error-complexity", "critical-value")


@dataclass(frozen=True)
class PruningSettings:
    """Settings of the methods: of pessimistic pruning the first two, of cost-complexity and critical-value one each."""

    confidence: float = 0.25
    raising: bool = True
    alpha: float = 0.0
    critical_value: float | None = None


def pruned_again(model: TreeModel, how: str, rows: tuple[Any, Any, Any], settings: PruningSettings) -> Tree:
    """Return the pruned tree; `rows` are (X or Table, y, sample_weight): needed where errors are counted anew."""
    methods, what = (REGRESSION_METHODS, " of a regression tree") if model.is_regression else (METHODS, "")
    if how not in methods:
        raise CrakeError(f"there is no pruning {how!r}{what}; expected one of {', '.join(map(repr, methods))}")
    if how == "collapse":
        return collapsed(model.tree)
    if how == "cost-complexity":
        return pruned_at(model.tree, impurity_risk(model.tree, model.measure), settings.alpha)
    if how == "critical-value" and settings.critical_value is not None:
        return pruned_at_critical_value(model.tree, model.measure, settings.critical_value)
    if rows[0] is None:
        which = "the rows it was fitted on" if how in ("pessimistic", "mdl") else "rows it was not fitted on"
        raise CrakeError(f"{how} pruning needs rows, and a model holds none: give {which}, as a Table or X and y")
    training = labelled_rows(model, *rows)
    if how == "mdl":
        return pruned_by_code_length(model.tree, training)
    if how == "pessimistic":
        if not 0 < settings.confidence < 1:
            raise CrakeError(f"confidence={settings.confidence}; expected a number between 0 and 1, such as 0.25")
        return pruned_pessimistically(model.tree, training, settings.confidence, raising=settings.raising)
    return pruned_by_rows(model.tree, training, how, model.measure)
