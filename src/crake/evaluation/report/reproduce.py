"""The Python that repeats a comparison. The command line knows how the table was read, and says more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import crake
from crake.evaluation.comparison.criterion import ByCost, Criterion
from crake.evaluation.comparison.standing import Standing
from crake.evaluation.protocol.arguments import shape_of
from crake.evaluation.protocol.scan_together import SAMPLE_ROWS
from crake.evaluation.protocol.test_table import SuppliedTest
from crake.evaluation.result.regression import NumberEvaluation
from crake.learners.registry import compared, name_of
from crake.plans import Plan
from crake.plans.splitter import SplitterPlan
from crake.table.table import Table

CLASS_NAME = re.compile(r"(?<![\w.'\"])([A-Z]\w*)\(")
PUBLIC = frozenset(dir(crake))


def reproduce(table: Table, plan: Plan, standings: Sequence[Standing]) -> tuple[tuple[str, str], ...]:
    """Return the lines that compare the same learners in the same way: imports of other libraries' learners, the call.

    The learners are named unless they are those that are compared by default.
    """
    criterion = standings[0].criterion
    arguments = [*_learners(table, standings), _plan(plan), *_measure(criterion), *_positive(standings)]
    call = f"crake.compare(table, {', '.join(arguments)})"
    return (("Python", "\n".join([*_imports(standings), call])),)


def _learners(table: Table, standings: Sequence[Standing]) -> list[str]:
    each = [_written(standing.evaluation) for standing in standings]
    numbers = isinstance(standings[0].evaluation, NumberEvaluation)
    usual = {f'"{name}"' for name in compared(shape_of(table, SAMPLE_ROWS), numbers=numbers)}
    return [] if set(each) == usual else [f"learners=[{', '.join(each)}]"]


def _written(evaluation: Any) -> str:
    """Return the name of a learner whose parameters are the usual ones, otherwise the call that makes it."""
    learner = _learner(evaluation)
    if learner is None:
        return f'"{evaluation.key or evaluation.name}"'
    text, name = re.sub(r"\s+", " ", repr(learner)), name_of(learner)
    if name is not None and text.endswith("()"):
        return f'"{name}"'
    return CLASS_NAME.sub(lambda found: f"crake.{found[0]}" if found[1] in PUBLIC else found[0], text)


def _learner(evaluation: Any) -> Any:
    return None if evaluation.context is None else evaluation.context.learner


def _imports(standings: Sequence[Standing]) -> list[str]:
    """Return the imports of learners that are not crake's own, and of their parts."""
    learners = [_learner(standing.evaluation) for standing in standings]
    parts = [part for each in learners if each is not None for part in (each, *each.get_params().values())]
    classes = {type(part) for part in parts if hasattr(part, "get_params") and not isinstance(part, type)}
    foreign = [each for each in classes if not each.__module__.startswith("crake.")]
    return sorted(f"from {each.__module__.split('._')[0]} import {each.__name__}" for each in foreign)


def _plan(plan: Plan) -> str:
    if isinstance(plan, SuppliedTest):
        return "test=test"
    return f"plan={plan.describe() if isinstance(plan, SplitterPlan) else f'crake.{plan!r}'}"


def _measure(criterion: Criterion) -> list[str]:
    if isinstance(criterion, ByCost):
        costs = [f"cost={criterion.costs.costs.tolist()}"]
        return costs if criterion.of.name == "mean_cost" else [*costs, f'measure="{criterion.of.name}"']
    return [] if criterion.of.name in ("accuracy", "rmse") else [f'measure="{criterion.of.name}"']


def _positive(standings: Sequence[Standing]) -> list[str]:
    evaluation = standings[0].evaluation
    positive = None if isinstance(evaluation, NumberEvaluation) else evaluation.positive
    return [] if positive is None else [f"positive={positive!r}"]
