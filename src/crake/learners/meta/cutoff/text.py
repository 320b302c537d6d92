"""The rule of a model with a cutoff in words, and for JSON."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray

from crake.learners.meta.cutoff.rule import Rule
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.cutoffs import Cutoff, CutoffSpread
from crake.render.workings import number


def rule_lines(rule: Rule, labels: NDArray[Any]) -> list[str]:
    """Return the cutoff, its effect on rows held out, and its spread over the folds."""
    if rule.costs is not None:
        costs = str(CostMatrix(tuple(map(str, labels)), rule.costs)).splitlines()
        return ["Each row is called the class of least expected cost", *(f"  {line}" for line in costs)]
    if rule.cutoff is None or rule.positive is None:
        return [f"No cutoff: {rule.why_not}"]
    cutoff, positive = rule.cutoff, labels[rule.positive]
    if cutoff.by == "value":
        return [_called(cutoff, positive)]
    return [
        _called(cutoff, positive),
        f"  on rows held out: {_does(cutoff)} of the rows called {positive}",
        f"  {_spread(rule.spread)}",
    ]


def rule_dict(rule: Rule, labels: NDArray[Any]) -> dict[str, Any]:
    """Return the rule for JSON; infinite values are null."""
    spread = None if rule.spread is None else vars(rule.spread)
    return {
        "positive": None if rule.positive is None else str(labels[rule.positive]),
        "cutoff": None if rule.cutoff is None else rule.cutoff.to_dict(),
        "spread": spread and {name: value if math.isfinite(value) else None for name, value in spread.items()},
        "costs": None if rule.costs is None else rule.costs.tolist(),
        "not_chosen": rule.why_not or None,
    }


def _called(cutoff: Cutoff, positive: Any) -> str:
    if cutoff.is_trivial:
        return f"Cutoff: {'no' if cutoff.value > 0 else 'every'} row is called {positive} ({cutoff.criterion})"
    return f"Cutoff: {positive} if P({positive}) ≥ {number(cutoff.value)} ({cutoff.criterion})"


def _does(cutoff: Cutoff) -> str:
    return f"recall {cutoff.recall:.3f}, precision {cutoff.precision:.3f}, {cutoff.share:.3f}"


def _spread(spread: CutoffSpread | None) -> str:
    if spread is None:
        return "no fold by itself has rows of both classes to choose from"
    return (
        f"the folds by themselves: {number(spread.lowest)} … {number(spread.highest)}, median {number(spread.median)} "
        f"({spread.folds} folds)"
    )
