"""Permutation importance: what a measure loses when one column is shuffled among rows that were not learned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crake.arrays import Floats, Rows
from crake.errors import CrakeError
from crake.evaluation.columns.relations import relations_of
from crake.evaluation.columns.shuffled_rows import Part, parts_of, parts_of_scan
from crake.evaluation.comparison.criterion import BY_ACCURACY, BY_RMSE, ByCost, Criterion
from crake.evaluation.result.out_of_fold import ClassPredictions, OutOfFold
from crake.evaluation.result.regression import NumberEvaluation
from crake.learners.meta.cutoff.learner import has_cutoff
from crake.metrics.intervals import mean_interval, student
from crake.render.format_numbers import amount
from crake.render.leaderboard import Figure
from crake.render.sentences import counted
from crake.table.table import Table

MOST_COLUMNS, MOST_ROWS, MOST_REPEATS, MOST_PREDICTIONS = 50, 1000, 5, 20_000
"""Columns that are shuffled, rows, how often each column is shuffled, and all predictions together."""
FEWEST_ROWS, BLOCKS, SEED = 100, 20, 1


@dataclass(frozen=True)
class Importances:
    """The loss of each column, the largest first; `repeats` is how often each was shuffled."""

    learner: str
    measure: str
    is_loss: bool
    value: float
    columns: tuple[tuple[str, Figure], ...]
    rows: int
    folds: int
    repeats: int
    others: int = 0

    @property
    def about(self) -> str:
        """Return a sentence on the measure, the rows and the number of times that columns were shuffled."""
        change = "rise" if self.is_loss else "fall"
        folds = "" if self.folds == 1 else f" of {self.folds} folds"
        times = "once" if self.repeats == 1 else f"{self.repeats} times"
        others = f" Not tried, since they say less: {counted(self.others, 'column')}." if self.others else ""
        return (
            f"The {change} of {self.measure} ({amount(self.value, 3)}) when one column is shuffled, on "
            f"{self.rows:,} rows{folds} that the model had not learned, {times} each; 95 % intervals. "
            f"Columns that say the same share their importance.{others}"
        )


def permutation_importance(evaluation: Any, criterion: Criterion | None = None) -> Importances | None:
    """Return the importance of each column to a learner; None for scores from elsewhere.

    Models are fitted anew to the training parts of the first folds, as many as it takes to test enough rows; those of a
    scanned table were kept, with some of the rows that they had not learned. The model of a fold predicts its test rows
    with each column shuffled among them. The measure is the criterion's; accuracy, or RMSE for numbers.

    >>> from crake.evaluation.evaluate import evaluate
    >>> from crake.table.examples import load
    >>> found = permutation_importance(evaluate("c4.5", load("iris")))
    >>> [(name, round(loss.value, 2)) for name, loss in found.columns[:2]]
    [('petal width (cm)', 0.54), ('petal length (cm)', 0.1)]
    """
    context, kept = evaluation.context, evaluation.scan_parts
    by = criterion or (BY_RMSE if isinstance(evaluation, NumberEvaluation) else BY_ACCURACY)
    if kept:
        return _Shuffling(evaluation, by).importances(parts_of_scan(kept), kept[0].table)
    if context is None or not context.tested_table.in_memory or not context.table.in_memory:
        return None
    parts = parts_of(context, len(getattr(evaluation, "classes", ())))
    return None if parts is None else _Shuffling(evaluation, by).importances(parts, context.tested_table)


class _Shuffling:
    """The predictions of one evaluation's learner with each column shuffled, and what its measure makes of them."""

    def __init__(self, evaluation: Any, criterion: Criterion) -> None:
        self.evaluation, self.criterion = evaluation, criterion
        lines: OutOfFold = next(evaluation.out_of_fold.by_repeat())
        self.lines, self.order = lines, np.argsort(lines.rows, kind="stable")
        self.rows = 0
        self.repeats = 1

    def importances(self, parts: Iterator[Part], table: Table) -> Importances | None:
        """Predict part after part until there are enough rows; then compare."""
        pieces: list[list[OutOfFold]] = []
        chosen: list[str] = []
        names: tuple[str, ...] = ()
        tested = 0
        for folds, part in enumerate(parts, 1):
            if not names:
                names = part.names
                chosen = _chosen(table, names)
                self._share_out(len(chosen))
            piece = self._piece(part, [names.index(name) for name in chosen], folds)
            if piece:
                tested += len(piece[0].rows)
                pieces.append(piece)
            if tested >= self.rows:
                break
        if tested < 2:
            return None
        blocks = [_joined(block) for block in zip(*pieces, strict=True)]
        figures = self._figures(blocks, len(chosen))
        if figures is None:
            return None
        value, losses = figures
        ranked = sorted(zip(chosen, losses, strict=True), key=lambda pair: -(pair[1].value or 0.0))
        of = self.criterion.of
        return Importances(
            self.evaluation.name, of.title, of.sign < 0, value, tuple(ranked), tested, len(pieces), self.repeats,
            len(names) - len(chosen),
        )  # fmt: skip

    def _share_out(self, columns: int) -> None:
        """Settle the number of rows, and how often each column is shuffled."""
        self.rows = max(FEWEST_ROWS, min(MOST_ROWS, MOST_PREDICTIONS // max(1, columns)))
        tested = min(self.rows, len(self.lines.rows))
        self.repeats = max(1, min(MOST_REPEATS, MOST_PREDICTIONS // max(1, columns * tested)))

    def _piece(self, part: Part, chosen: Sequence[int], seed: int) -> list[OutOfFold]:
        """Return the lines of a part as they are, then with each column shuffled, repeat by repeat."""
        line_of = self._line_of(part.rows if part.numbers is None else part.numbers)
        tested = np.flatnonzero(line_of >= 0)
        tested = np.sort(tested[_shuffle(len(tested), SEED)[: self.rows]])
        if len(tested) == 0:
            return []
        rows = part.rows[tested]
        n, blocks = len(rows), 1 + len(chosen) * self.repeats
        indices = [np.tile(rows, blocks) for _ in part.names]
        for k, j in enumerate(chosen):
            for repeat in range(self.repeats):
                start = (1 + k * self.repeats + repeat) * n
                order = _shuffle(n, SEED + 1 + (seed * len(part.names) + j) * MOST_REPEATS + repeat)
                indices[j][start : start + n] = rows[order]
        predicted, answered = part.predict(part.take(indices))
        lines = self.lines.lines(line_of[tested])
        return [
            self._with(lines, predicted[at : at + n], None if answered is None else answered[at : at + n])
            for at in range(0, n * blocks, n)
        ]

    def _line_of(self, rows: Rows) -> Rows:
        """Return the line of each row; −1 for rows that were not tested."""
        at = np.minimum(np.searchsorted(self.lines.rows, rows, sorter=self.order), len(self.order) - 1)
        lines = self.order[at]
        return np.where(self.lines.rows[lines] == rows, lines, -1)

    def _with(self, lines: OutOfFold, predicted: Floats, answered: Any) -> OutOfFold:
        if isinstance(lines, ClassPredictions):
            return replace(lines, probabilities=predicted, answered=answered)
        return replace(lines, predicted=predicted)  # type: ignore[call-arg]

    def _figures(self, blocks: Sequence[OutOfFold], columns: int) -> tuple[float, list[Figure]] | None:
        whole = self._measured(blocks[0])
        if whole is None:
            return None
        shuffled = [blocks[1 + k * self.repeats : 1 + (k + 1) * self.repeats] for k in range(columns)]
        if not self._is_mean([blocks[0], *(each[0] for each in shuffled)]):
            return whole, [self._by_jackknife(blocks[0], each, whole) for each in shuffled]
        return whole, [self._over_rows(blocks[0], each) for each in shuffled]

    def _over_rows(self, lines: OutOfFold, shuffled: Sequence[OutOfFold]) -> Figure:
        """Return the mean loss of a row, the repeats averaged first."""
        losses = self._of_rows(lines) - np.mean([self._of_rows(each) for each in shuffled], axis=0)
        interval = mean_interval(losses, lines.weights) or (None, None)
        return Figure(float(np.average(losses, weights=lines.weights)), *interval)

    def _by_jackknife(self, lines: OutOfFold, shuffled: Sequence[OutOfFold], whole: float) -> Figure:
        """Return the loss of a measure that is no mean over rows; its interval leaves out one block of rows in turn."""
        sign, n = self.criterion.of.sign, len(lines.rows)
        values = [self._measured(each) for each in shuffled]
        if any(value is None for value in values):
            return Figure(None, reason="undefined on shuffled rows")
        value = sign * (whole - float(np.mean(np.array(values, np.float64))))
        G = min(BLOCKS, n)
        block = _shuffle(n, SEED) % G
        without = [self._loss(lines, shuffled, np.flatnonzero(block != g)) for g in range(G)]
        if any(each is None for each in without):
            return Figure(value)
        spread = float(np.sum((np.array(without) - np.mean(np.array(without))) ** 2)) * (G - 1) / G
        if spread == 0:
            return Figure(value)
        half = student(G - 1) * spread**0.5
        return Figure(value, value - half, value + half)

    def _loss(self, lines: OutOfFold, shuffled: Sequence[OutOfFold], rows: Rows) -> float | None:
        values = [self._measured(each.lines(rows)) for each in (lines, *shuffled)]
        if any(value is None for value in values):
            return None
        numbers = np.array(values, np.float64)
        return float(self.criterion.of.sign * (numbers[0] - numbers[1:].mean()))

    def _is_mean(self, blocks: Sequence[OutOfFold]) -> bool:
        """Return True if the measure is the mean of one term per row, on these lines."""
        if self.criterion.terms(self._evaluation(blocks[0])) is None:
            return False
        means = [float(np.average(self._of_rows(each), weights=each.weights)) for each in blocks]
        values = [self._measured(each) for each in blocks]
        if any(value is None for value in values):
            return False
        return bool(np.allclose(self.criterion.of.sign * np.array(values, np.float64), means, rtol=1e-9, atol=1e-12))

    def _of_rows(self, lines: OutOfFold) -> Floats:
        return np.asarray(self.criterion.terms(self._evaluation(lines)), np.float64)

    def _measured(self, lines: OutOfFold) -> float | None:
        try:
            return self.criterion.measure(self._evaluation(lines)).value
        except CrakeError:  # a measure that these rows do not have
            return None

    def _evaluation(self, lines: OutOfFold) -> Any:
        evaluation = replace(self.evaluation, out_of_fold=lines, notes=(), bootstrap=None)
        costs = self.criterion.costs if isinstance(self.criterion, ByCost) else None
        if costs is None or evaluation.answers != "probabilities":
            return evaluation
        if evaluation.context is not None and has_cutoff(evaluation.context.learner):
            return evaluation
        return evaluation.with_least_cost(costs)


def _chosen(table: Table, names: Sequence[str]) -> list[str]:
    """Return the columns to shuffle: all, or of very many those that say most about the target."""
    if len(names) <= MOST_COLUMNS:
        return list(names)
    relations = relations_of(table, MOST_COLUMNS)
    ranked = [] if relations is None else [each.column for each in relations.ranked if each.column in names]
    return [*ranked, *(name for name in names if name not in ranked)][:MOST_COLUMNS]


def _shuffle(rows: int, seed: int) -> Rows:
    """Return an order that follows from the seed alone, with any version of NumPy."""
    return np.argsort(np.asarray(np.random.PCG64(seed).random_raw(rows)), kind="stable")


def _joined(pieces: Sequence[OutOfFold]) -> OutOfFold:
    """Return the lines of several parts one after the other."""
    first = pieces[0]
    columns: dict[str, Any] = {
        name: None if getattr(first, name) is None else np.concatenate([getattr(each, name) for each in pieces])
        for name in first.COLUMNS
    }
    return replace(first, **columns)
