"""The Python that repeats a comparison. The command line knows how the table was read, and says more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from inspect import signature
from typing import Any

import numpy as np

import crake
from crake.evaluation.comparison.choice import measure_before, measure_of_tested
from crake.evaluation.comparison.criterion import ByCost
from crake.evaluation.comparison.standing import Standing
from crake.evaluation.protocol.arguments import shape_of
from crake.evaluation.protocol.scan_together import ON_SAMPLE, SAMPLE_ROWS
from crake.evaluation.protocol.test_table import SuppliedTest
from crake.evaluation.result.regression import NumberEvaluation
from crake.learners.registry import compared, name_of, title_of
from crake.plans import Plan
from crake.plans.splitter import SplitterPlan
from crake.table.table import Table

PUBLIC = frozenset(dir(crake))


def reproduce(table: Table, plan: Plan, standings: Sequence[Standing]) -> tuple[tuple[str, str], ...]:
    """Return the lines that compare the same learners in the same way: imports of other libraries' learners, the call.

    The learners are named unless they are those that are compared by default.
    """
    arguments = [*_learners(table, standings), _plan(plan), *_measure(table, standings), *_positive(standings)]
    call = f"crake.compare(table, {', '.join(arguments)})"
    return (("Python", "\n".join([*_imports(standings), call])),)


def _learners(table: Table, standings: Sequence[Standing]) -> list[str]:
    evaluations = [standing.evaluation for standing in standings]
    each = [_written(evaluation) for evaluation in evaluations]
    if any(map(_has_own_name, evaluations)):
        names = (repr(evaluation.name.removesuffix(ON_SAMPLE)) for evaluation in evaluations)
        return [f"learners={{{', '.join(map(': '.join, zip(names, each, strict=True)))}}}"]
    numbers = isinstance(evaluations[0], NumberEvaluation)
    usual = {f'"{name}"' for name in compared(shape_of(table, SAMPLE_ROWS), numbers=numbers)}
    return [] if set(each) == usual else [f"learners=[{', '.join(each)}]"]


def _has_own_name(evaluation: Any) -> bool:
    """Return True for a name that the user gave: it is neither the learner's title nor that of a constant class."""
    if evaluation.learner is None or (evaluation.key == "majority" and evaluation.name.startswith("constant ")):
        return False
    return bool(evaluation.name.removesuffix(ON_SAMPLE) != title_of(evaluation.learner))


def _written(evaluation: Any) -> str:
    """Return the name of a learner whose parameters are the usual ones, otherwise the call that makes it."""
    learner = evaluation.learner
    if learner is None:
        return f'"{evaluation.key or evaluation.name}"'
    name = name_of(learner)
    return _call(learner) if name is None or _changed(learner) else f'"{name}"'


def _call(made: Any) -> str:
    """Return the call that makes a learner or a part of one, with those parameters that are not the usual ones."""
    name = type(made).__name__
    arguments = (f"{parameter}={_value(value)}" for parameter, value in _changed(made).items())
    return f"{f'crake.{name}' if name in PUBLIC else name}({', '.join(arguments)})"


def _changed(made: Any) -> dict[str, Any]:
    usual = {name: each.default for name, each in signature(type(made).__init__).parameters.items()}
    given: dict[str, Any] = made.get_params(deep=False)
    return {name: each for name, each in given.items() if name not in usual or repr(each) != repr(usual[name])}


def _value(value: Any) -> str:
    """Return a parameter as Python: what `repr` writes is cut where it is long, or names what was not imported.

    >>> _value({"a": (1.0, float("inf")), "b": [np.float64(0.5), np.arange(2)]})
    "{'a': (1.0, float('inf')), 'b': [0.5, [0, 1]]}"
    """
    if hasattr(value, "get_params") and not isinstance(value, type):
        return _call(value)
    if isinstance(value, np.ndarray | np.generic):
        return _value(value.tolist())
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_value(key)}: {_value(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_value, value))}{',' * (len(value) == 1)})"
    return f"float({str(value)!r})" if isinstance(value, float) and not math.isfinite(value) else repr(value)


def _imports(standings: Sequence[Standing]) -> list[str]:
    """Return the imports of learners that are not crake's own, and of their parts."""
    learners = [standing.evaluation.learner for standing in standings]
    parts = [part for each in learners if each is not None for part in (each, *each.get_params().values())]
    classes = {type(part) for part in parts if hasattr(part, "get_params") and not isinstance(part, type)}
    foreign = [each for each in classes if not each.__module__.startswith("crake.")]
    return sorted(f"from {each.__module__.split('._')[0]} import {each.__name__}" for each in foreign)


def _plan(plan: Plan) -> str:
    if isinstance(plan, SuppliedTest):
        return "test=test"
    return f"plan={plan.describe() if isinstance(plan, SplitterPlan) else f'crake.{plan!r}'}"


def _measure(table: Table, standings: Sequence[Standing]) -> list[str]:
    """Return the costs, and the measure unless the comparison would choose it by itself."""
    criterion, evaluations = standings[0].criterion, [standing.evaluation for standing in standings]
    if isinstance(criterion, ByCost):
        costs = [f"cost={criterion.costs.costs.tolist()}"]
        return costs if criterion.of.name == "mean_cost" else [*costs, f'measure="{criterion.of.name}"']
    if criterion.of.name == "rmse" or (criterion.of.name == "accuracy" and _ranks_by_accuracy(table, evaluations)):
        return []
    return [f'measure="{criterion.of.name}"']


def _ranks_by_accuracy(table: Table, evaluations: Sequence[Any]) -> bool:
    """Return True if no class is so rare that another measure ranks where nobody names one."""
    learners = [evaluation.learner for evaluation in evaluations]
    if table.in_memory and all(learner is not None for learner in learners):
        return measure_before(None, learners, table, None, numbers=False)[0] == "accuracy"
    return measure_of_tested(evaluations)[0] == "accuracy"


def _positive(standings: Sequence[Standing]) -> list[str]:
    evaluation = standings[0].evaluation
    positive = None if isinstance(evaluation, NumberEvaluation) else evaluation.positive
    return [] if positive is None else [f"positive={positive!r}"]
