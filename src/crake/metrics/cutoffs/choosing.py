"""Methods of choosing a cutoff from a ranking: every distinct score is tried, none and all included."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.errors import CrakeError, DataError
from crake.metrics.cutoffs.cutoff import Cutoff, at_step, at_value
from crake.metrics.cutoffs.expected_cost import cost_array
from crake.metrics.cutoffs.prior_shift import cutoff_for_prior, probability
from crake.metrics.ranking.ranking import Ranking
from crake.metrics.ranking.three_point import NEARLY

EQUAL = 1e-12
"""Relative to the largest: values so near each other differ by roundings only and are equally good."""


def choose_cutoff(ranking: Ranking, by: str, **options: Any) -> Cutoff:
    """Return the cutoff that is best by one of the methods below; the options are those of its function.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> ranking = rank_scores([True, False, True, False], [4, 3, 2, 1])
    >>> choose_cutoff(ranking, "cost", cost_fp=1, cost_fn=5).value
    1.5
    """
    if by not in METHODS:
        raise CrakeError(f"by = {by!r}; expected one of {', '.join(map(repr, METHODS))}")
    function = METHODS[by]
    known = list(inspect.signature(function).parameters)[1:]
    if unknown := [name for name in options if name not in known]:
        raise CrakeError(f"a cutoff by {by!r} has no option {unknown[0]!r}; it has {', '.join(known) or 'none'}")
    try:
        inspect.signature(function).bind(ranking, **options)
    except TypeError as error:
        raise CrakeError(f"a cutoff by {by!r} needs more: {error}; it has the options {', '.join(known)}") from error
    return function(ranking, **options)


def by_cost(ranking: Ranking, cost_fp: float = 1, cost_fn: float = 1, prior: float | None = None) -> Cutoff:
    """Least cost_fp · FP + cost_fn · FN; `reached` is the cost of a row.

    With `prior`, the share of positives where the model will be used, the two sides are weighed as they will be there.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> ranking = rank_scores([True, False, True, False], [0.9, 0.7, 0.4, 0.1])
    >>> by_cost(ranking, cost_fp=1, cost_fn=3).value, by_cost(ranking, cost_fp=3, cost_fn=1).value
    (0.25, 0.8)
    """
    for name, cost in (("cost_fp", cost_fp), ("cost_fn", cost_fn)):
        if not 0 <= cost < math.inf:
            raise CrakeError(f"{name} = {cost}; expected a number, 0 or greater (gains: a cost matrix)")
    words = f"least cost, {cost_fp:g} a false positive, {cost_fn:g} a false negative"
    costs = np.array([[0.0, cost_fn], [cost_fp, 0.0]])
    return _least_cost(ranking, costs, prior, words)


def by_cost_matrix(ranking: Ranking, costs: ArrayLike, positive: int = 1, prior: float | None = None) -> Cutoff:
    """Least total cost under a 2 × 2 matrix: costs[i, j] = cost of calling an actual i a j, a gain being negative.

    `positive` is the code of the positive class, so that the matrix may stand in the order of the classes.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> mailing = [[0, 1], [0, -9]]                            # a letter costs 1, an answer brings 10
    >>> found = by_cost_matrix(rank_scores([True, False, False, False], [4, 3, 2, 1]), mailing)
    >>> found.value, found.reached                             # −9 over 4 rows
    (3.5, -2.25)
    """
    C = cost_array(costs, 2)
    if positive not in (0, 1):
        raise CrakeError(f"positive = {positive}; expected the code of a class, 0 or 1")
    return _least_cost(ranking, C if positive == 0 else C[::-1, ::-1], prior, "least cost under the cost matrix")


def by_f(ranking: Ranking, beta: float = 1) -> Cutoff:
    """Highest F_β = (β² + 1)TP / ((β² + 1)TP + β²·FN + FP)."""
    if not 0 <= beta < math.inf:
        raise CrakeError(f"beta = {beta}; expected a number, 0 or greater (1 weighs both alike)")
    TP, FP = _steps(ranking, "an F")
    FN = ranking.positives - TP
    below = (beta**2 + 1) * TP + beta**2 * FN + FP
    F = np.divide((beta**2 + 1) * TP, below, out=np.zeros_like(TP), where=below > 0)
    return _best(ranking, F, "f", f"highest F with beta = {beta:g}")


def by_youden(ranking: Ranking) -> Cutoff:
    """Highest Youden's J = sensitivity + specificity − 1 = TPR − FPR."""
    TP, FP = _steps(ranking, "Youden's J")
    J = TP / ranking.positives - FP / ranking.negatives
    return _best(ranking, J, "youden", "Youden's J, highest sensitivity + specificity − 1")


def by_recall(ranking: Ranking, least: float, then: Literal["precision", "specificity"] = "precision") -> Cutoff:
    """Return the cutoff of highest precision, or specificity, among those with recall ≥ `least`."""
    _between_0_and_1("least", least)
    if then not in ("precision", "specificity"):
        raise CrakeError(f"then = {then!r}; expected 'precision' or 'specificity'")
    TP, FP = _steps(ranking, "a recall")
    recall = TP / ranking.positives
    reaches = recall >= least * NEARLY
    quality = _precision(TP, FP) if then == "precision" else 1 - FP / ranking.negatives
    words = f"highest {then} with recall of at least {least:g}"
    return _best(ranking, quality, "recall", words, where=reaches, reached=recall)


def by_precision(ranking: Ranking, least: float) -> Cutoff:
    """Return the cutoff of highest recall among those with precision ≥ `least`; raise where none is so precise."""
    _between_0_and_1("least", least)
    TP, FP = _steps(ranking, "a precision")
    precision = _precision(TP, FP)
    reaches = precision >= least * NEARLY
    if not reaches.any():
        best = int(np.argmax(precision))
        raise DataError(
            f"no cutoff reaches a precision of {least:g}; the highest is {precision[best]:.4g}, at score ≥ "
            f"{ranking.scores[best - 1]:.6g} with recall {TP[best] / ranking.positives:.4g}. Ask for less"
        )
    words = f"highest recall with precision of at least {least:g}"
    return _best(ranking, TP / ranking.positives, "precision", words, where=reaches, reached=precision)


def by_share(ranking: Ranking, share: float, *, at_most: bool = False) -> Cutoff:
    """Return the cutoff whose share of rows called positive comes nearest; `at_most`: the nearest not above it.

    Rows with equal scores are called alike, so not every share can be had; `reached` is the one that was.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> ranking = rank_scores([True, True, False, False, False], [0.9, 0.5, 0.5, 0.2, 0.1])
    >>> by_share(ranking, 0.4).reached, by_share(ranking, 0.5, at_most=True).reached
    (0.2, 0.2)
    """
    if not 0 <= share <= 1:
        raise CrakeError(f"share = {share}; expected the share of the rows to take, 0 … 1, such as 0.1")
    if ranking.total == 0:
        raise DataError("there are no rows; a cutoff by share needs some")
    shares = _from_none(ranking.true_positives + ranking.false_positives) / ranking.total
    allowed = shares <= share / NEARLY if at_most else np.ones(len(shares), np.bool_)
    if at_most and share > 0 and not allowed[1:].any():
        raise DataError(
            f"the highest score alone is {shares[1]:.4g} of the rows; at most {share:g} cannot be taken. "
            f"Ask for at least {shares[1]:.4g}"
        )
    words = f"{share:g} of the rows, {'at most' if at_most else 'the nearest'}"
    return _best(ranking, -np.abs(shares - share), "share", words, where=allowed, reached=shares)


def by_prior(ranking: Ranking, new: float, old: float | None = None, cost_fp: float = 1, cost_fn: float = 1) -> Cutoff:
    """Return the cutoff for probabilities learned with a share `old` of positives, where the share will be `new`.

    The cutoff is Elkan's, by formula and not by trying; `old` is the share in these rows unless given. `reached` is the
    cutoff itself.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> by_prior(rank_scores([True, True, False, False], [0.9, 0.8, 0.4, 0.1]), new=0.2).value    # odds 1:4
    0.8
    """
    if len(ranking) and not (ranking.scores[0] <= 1 and ranking.scores[-1] >= 0):
        outside = ranking.scores[0] if ranking.scores[0] > 1 else ranking.scores[-1]
        raise DataError(f"a score is {outside:g}; a cutoff by prior needs probabilities, 0 … 1")
    if old is None and ranking.missing_side:
        raise DataError(f"{ranking.missing_side}, so the share of positives says nothing; give it as old=")
    before = ranking.positives / ranking.total if old is None else old
    value = cutoff_for_prior(before, new, cost_fp, cost_fn)
    words = f"share of positives {before:.4g} here, {new:.4g} there, costs {cost_fp:g} and {cost_fn:g}"
    return at_value(ranking, value, "prior", words, value)


def by_value(ranking: Ranking, value: float) -> Cutoff:
    """Return a cutoff that was decided elsewhere, with its counts on these rows."""
    return at_value(ranking, value, "value", "given", value)


METHODS: dict[str, Callable[..., Cutoff]] = {
    "cost": by_cost,
    "cost matrix": by_cost_matrix,
    "f": by_f,
    "youden": by_youden,
    "recall": by_recall,
    "precision": by_precision,
    "share": by_share,
    "prior": by_prior,
    "value": by_value,
}


def _least_cost(ranking: Ranking, costs: Floats, prior: float | None, words: str) -> Cutoff:
    """The positive class is the first of the matrix here."""
    TP, FP = _steps(ranking, "a cost")
    share = ranking.positives / ranking.total if prior is None else probability("prior", prior)
    TPR, FPR = TP / ranking.positives, FP / ranking.negatives
    if prior is not None:
        words += f", share of positives {prior:g}"
    of_a_positive = costs[0, 0] * TPR + costs[0, 1] * (1 - TPR)
    of_a_negative = costs[1, 0] * FPR + costs[1, 1] * (1 - FPR)
    cost = share * of_a_positive + (1 - share) * of_a_negative
    return _best(ranking, -cost, "cost", words, reached=cost, scale=float(np.abs(costs).max()))


def _best(
    ranking: Ranking,
    quality: Floats,
    by: str,
    words: str,
    *,
    where: NDArray[np.bool_] | None = None,
    reached: Floats | None = None,
    scale: float = 1.0,
) -> Cutoff:
    """The first, so the highest, of the cutoffs whose quality is the highest but for roundings."""
    if where is not None:
        quality = np.where(where, quality, -math.inf)
    equals = quality >= quality.max() - EQUAL * scale
    best = int(np.argmax(equals))
    value = float((quality if reached is None else reached)[best])
    return at_step(ranking, best, by, words, value, int(np.count_nonzero(equals)) - 1)


def _steps(ranking: Ranking, what: str) -> tuple[Floats, Floats]:
    """Return TP and FP of every cutoff, that of no row first; raise where a side has no rows."""
    if ranking.missing_side:
        raise DataError(f"{ranking.missing_side}; a cutoff by {what} needs rows of both classes")
    return _from_none(ranking.true_positives), _from_none(ranking.false_positives)


def _from_none(cumulated: Floats) -> Floats:
    return np.concatenate([[0.0], cumulated])


def _precision(TP: Floats, FP: Floats) -> Floats:
    """Below every precision where no row is called positive: there it has none."""
    called = TP + FP
    return np.divide(TP, called, out=np.full_like(TP, -1.0), where=called > 0)


def _between_0_and_1(name: str, value: float) -> None:
    if not 0 < value <= 1:
        raise CrakeError(f"{name} = {value}; expected a number above 0, at most 1, such as 0.9")
