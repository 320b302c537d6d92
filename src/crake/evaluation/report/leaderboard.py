"""A comparison put into words and figures: the leaderboard's data, before anything is drawn."""

from __future__ import annotations

import platform
import textwrap
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

import crake
from crake.evaluation.checks.leaking_columns import Suspicion
from crake.evaluation.comparison.criterion import ByCost, Criterion
from crake.evaluation.comparison.standing import Standing, with_article
from crake.evaluation.comparison.winner import WIDENED
from crake.evaluation.drawing.draw import matrix_of
from crake.evaluation.protocol.test_table import SuppliedTest
from crake.evaluation.report.board_columns import LONGEST_TITLE, columns_by
from crake.evaluation.report.reproduce import reproduce
from crake.evaluation.result.base import CONSTANT
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.data import TestTable
from crake.evaluation.result.regression import NumberEvaluation
from crake.metrics.estimate import Estimate
from crake.plans import Bootstrap, Plan
from crake.render.format_numbers import amount, amount_interval, decimals_for, with_share
from crake.render.leaderboard import Entry, Figure, Leaderboard
from crake.render.plain_text import minus, shown, unbroken
from crake.render.sentences import listed
from crake.table.table import Table

WIDTH = 80
"""Characters of a line; a headline has two of them."""
MOST_NAMED = 2
"""Learners as good as the best that a headline names."""


def leaderboard_of(
    table: Table,
    plan: Plan,
    standings: Sequence[Standing],
    warnings: tuple[str, ...],
    notes: tuple[str, ...],
    winner: Estimate | None = None,
    suspicious: Sequence[Suspicion] = (),
) -> Leaderboard:
    """Return everything that a page or a terminal shows of a comparison, of classifiers or of regressors.

    `winner` is the measure of the best learner, corrected for having been chosen. `suspicious` columns are named first.
    """
    best, criterion = standings[0].evaluation, standings[0].criterion
    classes = [each.evaluation for each in standings if isinstance(each.evaluation, Evaluation)]
    return Leaderboard(
        title=f"{table.name}: predicting {best.target}",
        headline=headline(standings, winner, suspicious) + _unlearned(best),
        facts=_facts(table, plan, best),
        warnings=warnings,
        notes=notes,
        entries=tuple(_entry(standing) for standing in standings),
        matrices=tuple(matrix_of(each.name, each.confusion) for each in classes),
        protocol=_protocol(plan, standings, winner),
        reproduce=reproduce(table, plan, standings),
        versions=versions(),
        columns=columns_by(best, criterion),
        baseline_name=next((each.evaluation.name for each in standings if each.evaluation.key in CONSTANT), ""),
    )


def _protocol(plan: Plan, standings: Sequence[Standing], winner: Estimate | None) -> str:
    evaluation, criterion = standings[0].evaluation, standings[0].criterion
    same = "rows" if isinstance(plan, SuppliedTest) else "folds"
    before = f"{plan.describe()}; the same {same} for every learner; "
    intervals = _interval_words(standings[0], winner)
    if isinstance(evaluation, NumberEvaluation):
        return f"{before}{intervals}{criterion.test(evaluation)}{_holm_words(standings)}"
    called = "each row is called the class of least expected cost; " if isinstance(criterion, ByCost) else ""
    if called and isinstance(plan, Bootstrap):
        called += "all is measured out of bag; "
    return f"{before}{called}{intervals}{criterion.test(evaluation)}{_holm_words(standings)}{auc_words(evaluation)}"


def _interval_words(best: Standing, winner: Estimate | None) -> str:
    """Return how the intervals are made, and why that of the headline is another than that of the learner's line."""
    name = best.measure.interval_name
    if not name:
        return ""
    is_moved = winner is not None and _value(best, winner) != _value(best, best.measure)
    is_other = winner is not None and _with_interval(best, winner) != _with_interval(best, best.measure)
    why = ""
    if winner is not None and is_other and not is_moved:  # where it is moved, the first line says so itself
        why = f" (in the first line {WIDENED if WIDENED in winner.method else 'corrected for choosing the best'})"
    return f"intervals are 95\N{NO-BREAK SPACE}%, of {best.criterion.name} {name}{why}; "


def _holm_words(standings: Sequence[Standing]) -> str:
    """Return what was done about several comparisons; nothing where there is only one."""
    k = standings[0].comparisons
    return f", corrected for {k} comparisons by Holm's method" if k > 1 else ""


def headline(
    standings: Sequence[Standing], winner: Estimate | None = None, suspicious: Sequence[Suspicion] = ()
) -> str:
    """Return one sentence of at most two lines: who is best, how sure that is, and what the baseline does.

    Where choosing the best of several makes its measure look better than it is, the corrected one stands beside it.
    Suspicions come first, and the learners that are as good as the best give way to them.
    """
    best = standings[0]
    k = len(standings)
    figure = _figure(best, winner)
    of = f" is best of {k}" if k > 1 else ""
    measure = best.criterion.name if len(best.criterion.name) <= LONGEST_TITLE else best.criterion.of.words
    praise = f"{best.evaluation.beginning}{of}: {measure} {figure}"
    rivals = () if suspicious else [s.evaluation.name for s in standings[1:] if s.is_tied]
    doubts = doubts_of(suspicious)
    for tie, most in (("not distinguishable from", MOST_NAMED), ("tied with", MOST_NAMED), ("tied with", 0)):
        text = f"{doubts}{'; '.join((praise, *_baseline_words(standings, rivals, tie, most)))}."
        if len(textwrap.wrap(unbroken(text), WIDTH)) <= 2:
            break
    return text


def _figure(best: Standing, winner: Estimate | None) -> str:
    """Return the measure of the best learner with its interval, or with that of the winner and what was corrected."""
    if winner is None:
        return _with_interval(best, best.measure)
    is_moved = _value(best, winner) != _value(best, best.measure)
    plain = f"{_value(best, best.measure)}, corrected for choosing " if is_moved else ""
    return plain + _with_interval(best, winner)


def doubts_of(suspicious: Sequence[Suspicion]) -> str:
    """Return the sentence on columns that know too much, which opens a headline; "" without such columns."""
    return f"Suspicious: {'; '.join(map(str, suspicious))}. " if suspicious else ""


def _baseline_words(standings: Sequence[Standing], rivals: Sequence[str], tie: str, most: int) -> Iterator[str]:
    """Yield what the baseline does, and which learners are as good as the best, as far as a test can tell.

    `tie` are the words before them; more than `most` are counted.
    """
    best = standings[0]
    if best.baseline is not None and best.corrected_p_baseline is not None:
        base = next(s for s in standings if s.evaluation.name == best.baseline)
        name, value = base.evaluation.name, _value(best, base.measure)
        if not best.beats_baseline:
            others = [rival for rival in rivals if rival != name]
            nor = f", nor {_counted(others, most)}" if others else ""
            yield f"not shown to beat {with_article(name)}, {value}{nor}"
            return
        yield f"{name} {value}"
    elif best.evaluation.is_baseline and len(standings) > 1:
        yield "no learner does better than the baseline"
    if rivals:
        yield f"{tie} {_counted(rivals, most)}"


def _counted(names: Sequence[str], most: int) -> str:
    """Return the names, or the number of more than `most`."""
    return listed(names) if len(names) <= most else "1 other" if len(names) == 1 else f"{len(names)} others"


def _unlearned(best: Evaluation | NumberEvaluation) -> str:
    """Return a sentence on test rows of a class that no learner could learn; it belongs to the first lines."""
    if not isinstance(best, Evaluation) or best.context is None or not isinstance(best.context.data, TestTable):
        return ""
    rows = int(np.sum(best.actual >= len(best.context.table.schema.classes)))
    have = "row has" if rows == 1 else "rows have"
    return f" Warning: {rows:,} tested {have} a class that was not learned, counted as errors." if rows else ""


def _with_interval(standing: Standing, measure: Estimate) -> str:
    if not isinstance(standing.evaluation, NumberEvaluation):
        return measure.text(_decimals(standing))
    interval = measure.interval
    between = "" if interval is None else f" {amount_interval(measure.value, *interval)}{measure.level_note}"
    return f"{_value(standing, measure)}{between}"


def _value(standing: Standing, measure: Estimate) -> str:
    is_numeric = isinstance(standing.evaluation, NumberEvaluation)
    return amount(float(measure)) if is_numeric else minus(f"{measure:.{_decimals(standing)}f}")


def _decimals(standing: Standing) -> int:
    """Return the decimals that tell the figures of a learner apart: four where its interval is narrow."""
    measure = standing.measure
    return decimals_for([Figure(measure.value, *(measure.interval or (None, None)))])


def _facts(table: Table, plan: Plan, tested: Evaluation | NumberEvaluation) -> tuple[tuple[str, str], ...]:
    nominal = len(table.schema.nominal)
    numeric = sum(column.name != table.schema.target for column in table.schema.numeric)
    target = int(table.schema.target is not None)
    texts = len(table.schema.texts)
    other = len(table.schema.columns) - nominal - numeric - texts - target
    kinds = ((nominal, "nominal"), (numeric, "numeric"), (texts, "text"), (other, "left out"))
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
    classes = ", ".join(with_share(shown(table.schema.classes[k], 40), float(shares[k])) for k in order[:6])
    return classes + (f" and {len(order) - 6} more" if len(order) > 6 else "")


def _class_shares(table: Table, tested: Evaluation) -> NDArray[np.float64]:
    """Return the shares of the classes among all rows; of a scanned table, among the tested rows."""
    if not table.in_memory:
        return tested.confusion.actual_totals / tested.confusion.total
    known = table.target[table.target >= 0]
    return np.bincount(known, minlength=len(table.schema.classes)) / len(known)


def _entry(standing: Standing) -> Entry:
    evaluation = standing.evaluation
    return Entry(
        evaluation.name,
        figures_by(evaluation, standing.criterion),
        short_verdict=standing.short_verdict,
        remark=standing.remark,
        fit_seconds=evaluation.fit_seconds,
        predict_seconds=evaluation.predict_seconds,
        is_baseline=evaluation.is_baseline,
        is_best=standing.is_best,
        verdict=standing.verdict,
        is_tied=standing.is_tied and not evaluation.is_baseline,
    )


def figures_by(evaluation: Evaluation | NumberEvaluation, criterion: Criterion) -> tuple[Figure, ...]:
    """Return the figures in the order of `columns_by`."""
    others = columns_by(evaluation, criterion)[1:]
    first = figure_of(criterion.measure(evaluation))
    return (first, *(figure_of(_usual(evaluation, column.name)) for column in others))


def _usual(evaluation: Evaluation | NumberEvaluation, name: str) -> Estimate:
    if name == "auc" and isinstance(evaluation, Evaluation):
        return leaderboard_auc(evaluation)
    return evaluation.estimate(name)


def entry_of(evaluation: Evaluation, figures: tuple[Figure, ...], verdict: str, *, is_best: bool) -> Entry:
    """Return the line of an evaluation; a fitted model has no time of fitting."""
    return Entry(
        evaluation.name,
        figures,
        fit_seconds=evaluation.fit_seconds or None,
        predict_seconds=evaluation.predict_seconds,
        is_baseline=not is_best,
        is_best=is_best,
        verdict=verdict,
    )


def leaderboard_auc(evaluation: Evaluation) -> Estimate:
    """Return the mean over the folds where every fold has one; otherwise pooled (Forman and Scholz 2010)."""
    return evaluation.auc_by_fold if evaluation.has_auc_in_every_fold else evaluation.auc


def auc_words(evaluation: Any) -> str:
    """Return how the AUC of the folds is put together; "" of one fold."""
    if evaluation.out_of_fold.fold.max(initial=0) == 0:
        return ""
    if evaluation.has_auc_in_every_fold:
        return "; AUC is the mean of the folds"
    return "; AUC is pooled over the folds"


def figure_of(estimate: Estimate) -> Figure:
    """Return an estimate as it is drawn."""
    low, high = estimate.interval or (None, None)
    return Figure(estimate.value, low, high, estimate.reason)


def versions() -> tuple[tuple[str, str], ...]:
    """Return the names and versions of the libraries in use."""
    return (
        ("crake", crake.__version__),
        ("Python", platform.python_version()),
        ("NumPy", np.__version__),
        ("scikit-learn", version("scikit-learn")),
        ("numba", numba.__version__),
    )
