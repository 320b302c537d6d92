"""A comparison put into words and figures: the leaderboard's data, before anything is drawn."""

from __future__ import annotations

import platform
from collections.abc import Sequence

import numba
import numpy as np
import sklearn
from numpy.typing import NDArray

import crake
from crake.evaluation.comparison.criterion import ByCost, Criterion
from crake.evaluation.comparison.standing import Standing, p_text
from crake.evaluation.drawing.draw import matrix_of
from crake.evaluation.protocol.test_table import SuppliedTest
from crake.evaluation.result.base import CONSTANT
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.data import TestTable
from crake.evaluation.result.regression import NumberEvaluation
from crake.metrics.estimate import Estimate
from crake.plans import Bootstrap, Plan
from crake.plans.splitter import SplitterPlan
from crake.render.format_numbers import amount, percent
from crake.render.leaderboard import NUMBER_COLUMNS, Entry, Figure, Leaderboard, MeasureColumn, class_columns
from crake.render.plain_text import shown
from crake.render.sentences import capital, listed
from crake.table.table import Table


def leaderboard_of(
    table: Table,
    plan: Plan,
    standings: Sequence[Standing],
    warnings: tuple[str, ...],
    notes: tuple[str, ...],
    winner: Estimate | None = None,
) -> Leaderboard:
    """Return everything that a page or a terminal shows of a comparison, of classifiers or of regressors.

    `winner` is the measure of the best learner, corrected for having been chosen.
    """
    best, criterion = standings[0].evaluation, standings[0].criterion
    classes = [each.evaluation for each in standings if isinstance(each.evaluation, Evaluation)]
    return Leaderboard(
        title=f"{table.name}: predicting {best.target}",
        headline=headline(standings, winner) + _unlearned(best),
        facts=_facts(table, plan, best),
        warnings=warnings,
        notes=notes,
        entries=tuple(_entry(standing) for standing in standings),
        matrices=tuple(matrix_of(each.name, each.confusion) for each in classes),
        protocol=_protocol(plan, standings),
        reproduce=_reproduce(plan, criterion),
        versions=versions(),
        columns=columns_of(best, has_cost=isinstance(criterion, ByCost)),
        baseline_name=next((each.evaluation.name for each in standings if each.evaluation.key in CONSTANT), ""),
    )


def _protocol(plan: Plan, standings: Sequence[Standing]) -> str:
    evaluation, criterion = standings[0].evaluation, standings[0].criterion
    same = "rows" if isinstance(plan, SuppliedTest) else "folds"
    before = f"{plan.describe()}; the same {same} for every learner; "
    if isinstance(evaluation, NumberEvaluation):
        intervals = f"of RMSE {evaluation.rmse.interval_name}"
        tests = f"{criterion.test(evaluation)}{_holm_words(standings)}"
        return f"{before}intervals are 95\N{NO-BREAK SPACE}%, {intervals}; {tests}"
    called = "each row is called the class of least expected cost; " if isinstance(criterion, ByCost) else ""
    if called and isinstance(plan, Bootstrap):
        called += "all is measured out of bag; "
    return (
        f"{before}{called}"
        f"intervals are 95\N{NO-BREAK SPACE}%, of accuracy {evaluation.accuracy.interval_name}; "
        f"{criterion.test(evaluation)}{_holm_words(standings)}{_auc_words(standings)}"
    )


def _holm_words(standings: Sequence[Standing]) -> str:
    """Return what was done about several comparisons; nothing where there is only one."""
    k = standings[0].comparisons
    return f", corrected for {k} comparisons by Holm's method" if k > 1 else ""


def headline(standings: Sequence[Standing], winner: Estimate | None = None) -> str:
    """Return one sentence: who is best, how sure that is, and what the baseline does.

    Where choosing the best of several makes its measure look better than it is, the corrected one stands beside it.
    """
    best = standings[0]
    found = f"{best.criterion.name} {_with_interval(best, best.measure)}"
    if winner is not None and _with_interval(best, winner) != _with_interval(best, best.measure):
        found = (
            f"{best.criterion.name} {_value(best, best.measure)} (corrected for choosing the best of "
            f"{len(standings)}: {_with_interval(best, winner)})"
        )
    parts = [f"{capital(best.evaluation.name)} is best: {found}"]
    rivals = [s.evaluation.name for s in standings[1:] if not s.is_distinguishable_from_best]
    if rivals:
        parts.append(f"not distinguishable from {listed(rivals)}")
    if best.baseline is not None:
        base = next(s for s in standings if s.evaluation.name == best.baseline)
        name, value = base.evaluation.name, _value(base, base.measure)
        if best.beats_baseline:
            parts.append(f"{name} {value}")
        else:
            parts.append(f"not shown to beat the {name}, {value} (p {p_text(best.corrected_p_baseline)})")
    elif best.evaluation.is_baseline and len(standings) > 1:
        parts.append("no learner does better than the baseline")
    return "; ".join(parts) + "."


def _unlearned(best: Evaluation | NumberEvaluation) -> str:
    """Return a sentence on test rows of a class that no learner could learn; it belongs to the first lines."""
    if not isinstance(best, Evaluation) or best.context is None or not isinstance(best.context.data, TestTable):
        return ""
    rows = int(np.sum(best.actual >= len(best.context.table.schema.classes)))
    have = "row has" if rows == 1 else "rows have"
    return f" Warning: {rows:,} tested {have} a class that was not learned, counted as errors." if rows else ""


def _with_interval(standing: Standing, measure: Estimate) -> str:
    if not isinstance(standing.evaluation, NumberEvaluation):
        return str(measure)
    interval = measure.interval
    between = "" if interval is None else f" [{amount(interval[0])}, {amount(interval[1])}]{measure.level_note}"
    return f"{_value(standing, measure)}{between}"


def _value(standing: Standing, measure: Estimate) -> str:
    is_numeric = isinstance(standing.evaluation, NumberEvaluation)
    return amount(float(measure)) if is_numeric else f"{measure:.3f}"


def _facts(table: Table, plan: Plan, tested: Evaluation | NumberEvaluation) -> tuple[tuple[str, str], ...]:
    nominal = len(table.schema.nominal)
    numeric = sum(column.name != table.schema.target for column in table.schema.numeric)
    target = int(table.schema.target is not None)
    other = len(table.schema.columns) - nominal - numeric - target
    kinds = ((nominal, "nominal"), (numeric, "numeric"), (other, "left out"))
    columns = ", ".join(f"{number} {kind}" for number, kind in kinds if number) or "none"
    rows = f"{len(table):,}"
    if isinstance(plan, SuppliedTest):
        rows = f"{rows} learned from, {len(tested.out_of_fold.rows):,} tested"
    last = target_facts(tested) if isinstance(tested, NumberEvaluation) else ("classes", _classes(table, tested))
    return (("rows", rows), ("columns", columns), last)


def target_facts(tested: NumberEvaluation) -> tuple[str, str]:
    """Return the name of the target and the range of its numbers."""
    low, middle, high = np.quantile(tested.out_of_fold.actual, [0.05, 0.5, 0.95])
    return tested.target, f"median {amount(middle)}, the middle 90 % from {amount(low)} to {amount(high)}"


def _classes(table: Table, tested: Evaluation) -> str:
    shares = _class_shares(table, tested)
    order = np.argsort(-shares, kind="stable")
    classes = ", ".join(
        f"{shown(table.schema.classes[k], 40)}\N{NO-BREAK SPACE}{percent(float(shares[k]))}" for k in order[:6]
    )
    return classes + (f" and {len(order) - 6} more" if len(order) > 6 else "")


def _class_shares(table: Table, tested: Evaluation) -> NDArray[np.float64]:
    """Return the shares of the classes among all rows; of a scanned table, among the tested rows."""
    if not table.in_memory:
        return tested.confusion.actual_totals / tested.confusion.total
    known = table.target[table.target >= 0]
    return np.bincount(known, minlength=len(table.schema.classes)) / len(known)


def columns_of(evaluation: Evaluation | NumberEvaluation, *, has_cost: bool = False) -> tuple[MeasureColumn, ...]:
    """Return the columns of a leaderboard."""
    if isinstance(evaluation, NumberEvaluation):
        return NUMBER_COLUMNS
    positive = evaluation.positive
    return class_columns("F1 (weighted)" if positive is None else f"F1 of class {positive}", has_cost=has_cost)


def _entry(standing: Standing) -> Entry:
    evaluation = standing.evaluation
    return Entry(
        evaluation.name,
        _figures(standing),
        short_verdict=standing.short_verdict,
        remark=standing.remark,
        fit_seconds=evaluation.fit_seconds,
        predict_seconds=evaluation.predict_seconds,
        is_baseline=evaluation.is_baseline,
        is_best=standing.is_best,
        verdict=standing.verdict,
        is_tied=not (standing.is_best or standing.is_distinguishable_from_best or evaluation.is_baseline),
    )


def _figures(standing: Standing) -> tuple[Figure, ...]:
    evaluation = standing.evaluation
    if isinstance(evaluation, NumberEvaluation):
        return tuple(figure_of(evaluation.estimate(column.name)) for column in NUMBER_COLUMNS)
    return figures_of(
        evaluation, leaderboard_auc(evaluation), standing.measure if isinstance(standing.criterion, ByCost) else None
    )


def entry_of(evaluation: Evaluation, verdict: str, *, is_best: bool, cost: Estimate | None = None) -> Entry:
    """Return the line of an evaluation; a fitted model has no time of fitting."""
    return Entry(
        evaluation.name,
        figures_of(evaluation, evaluation.auc, cost),
        fit_seconds=evaluation.fit_seconds or None,
        predict_seconds=evaluation.predict_seconds,
        is_baseline=not is_best,
        is_best=is_best,
        verdict=verdict,
    )


def figures_of(evaluation: Evaluation, auc: Estimate, cost: Estimate | None = None) -> tuple[Figure, ...]:
    """Return the figures in the order of `class_columns`."""
    costs = () if cost is None else (cost,)
    return tuple(map(figure_of, (evaluation.accuracy, *costs, auc, evaluation.f1, evaluation.log_loss)))


def leaderboard_auc(evaluation: Evaluation) -> Estimate:
    """Return the mean over the folds where every fold has one; otherwise pooled (Forman and Scholz 2010)."""
    return evaluation.auc_by_fold if evaluation.has_auc_in_every_fold else evaluation.auc


def _auc_words(standings: Sequence[Standing]) -> str:
    evaluation = standings[0].evaluation
    if evaluation.out_of_fold.fold.max(initial=0) == 0:
        return ""
    if evaluation.has_auc_in_every_fold:
        return "; AUC is the mean of the folds"
    return "; AUC is pooled over the folds"


def figure_of(estimate: Estimate) -> Figure:
    """Return an estimate as it is drawn."""
    low, high = estimate.interval or (None, None)
    return Figure(estimate.value, low, high, estimate.reason)


def _reproduce(plan: Plan, criterion: Criterion) -> tuple[tuple[str, str], ...]:
    """Return the command line knows how the table was read and says more."""
    cost = f", cost={criterion.costs.costs.tolist()}" if isinstance(criterion, ByCost) else ""
    how = "test=test" if isinstance(plan, SuppliedTest) else f"plan={_written(plan)}"
    return (("Python", f"crake.compare(table, {how}{cost})"),)


def versions() -> tuple[tuple[str, str], ...]:
    """Return the names and versions of the libraries in use."""
    return (
        ("crake", crake.__version__),
        ("Python", platform.python_version()),
        ("NumPy", np.__version__),
        ("scikit-learn", sklearn.__version__),
        ("numba", numba.__version__),
    )


def _written(plan: Plan) -> str:
    return plan.describe() if isinstance(plan, SplitterPlan) else f"crake.{plan!r}"
