"""The one question of a decision stump: a cut of a number, or one value of a column against the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels.tree import stumps
from crake.kernels.tree.sorting import sorted_columns
from crake.learners.tree.growing.thresholds import halfway
from crake.learners.tree.growing.training_rows import Training

NO_GAIN = 1e-15
"""The share of the weight by which a question must lessen the impurity."""


@dataclass(frozen=True)
class StumpQuestion:
    """What is asked: feature −1 is no question at all."""

    feature: int = -1
    value: int = -1
    threshold: float = float("nan")


@dataclass(frozen=True, eq=False)
class _Found:
    """A feature's best question, weight × impurity of its two branches, and the class weights of the rows it knows."""

    question: StumpQuestion
    impurity: float
    known: Floats


def best_question(training: Training, criterion: int, *, has_branch: bool) -> StumpQuestion:
    """The question with the least impurity after it, the first of equals in the order of the columns."""
    weights = training.row_weights
    target = training.target.astype(np.int32)
    all_rows = _class_weights(target, weights, training.classes)
    lists = sorted_columns(training.values)
    before = _impurity(all_rows, criterion)
    best, question = before - NO_GAIN * weights.sum(), StumpQuestion()
    for feature in range(len(training.layout)):
        if training.layout.is_numeric[feature]:
            found = _of_a_number(training, feature, target, weights, lists, criterion)
        else:
            found = _of_a_name(training, feature, target, weights, criterion)
        # The missing rows keep their own impurity, or that of all rows beyond the known ones.
        rest = (
            _impurity(all_rows - found.known, criterion) if has_branch else before - _impurity(found.known, criterion)
        )
        if found.question.feature >= 0 and found.impurity + rest < best:
            best, question = found.impurity + rest, found.question
    return question


def _of_a_number(
    training: Training,
    feature: int,
    target: Ints,
    weights: Floats,
    lists: tuple[Ints, Ints, Longs],
    criterion: int,
) -> _Found:
    j = int(training.layout.place[feature])
    order, rank, known = lists[0][j], lists[1][j], int(lists[2][j])
    rows = order[:known]
    whole = _class_weights(target[rows], weights[rows], training.classes)
    after, at = stumps.best_cut(order, rank, known, target, weights, whole, criterion)
    if at < 0:
        return _Found(StumpQuestion(), after, whole)
    beside = training.values[order[at : at + 2], j]
    return _Found(StumpQuestion(feature, threshold=float(halfway(beside[0], beside[1]))), after, whole)


def _of_a_name(training: Training, feature: int, target: Ints, weights: Floats, criterion: int) -> _Found:
    codes = training.codes[int(training.layout.place[feature])]
    table = _value_table(codes, target, weights, int(training.layout.levels[feature]), training.classes)
    whole: Floats = table.sum(axis=0)
    after, value = stumps.best_value(table, whole, criterion)
    return _Found(StumpQuestion(feature, value) if value >= 0 else StumpQuestion(), after, whole)


def _class_weights(target: Ints, weights: Floats, classes: int) -> Floats:
    return np.bincount(target, weights, minlength=classes).astype(np.float64)


def _value_table(codes: Ints, target: Ints, weights: Floats, levels: int, classes: int) -> Floats:
    known = codes >= 0
    cells = codes[known].astype(np.int64) * classes + target[known]
    cell_weights = np.bincount(cells, weights[known], minlength=levels * classes).astype(np.float64)
    return cell_weights.reshape(levels, classes)


def _impurity(counts: Floats, criterion: int) -> float:
    """Weight × impurity."""
    return float(stumps.branch_impurity(counts, criterion))
