"""The measure of the winner: an estimate and an interval that know that the best of several learners was chosen.

The best of eleven equally good learners looks better than it is: its rows happened to suit it. How much better is read
off the table of all learners' out-of-fold predictions. Learners as good as these, and as alike from row to row, are
drawn a few thousand times; each time the best is chosen again, and its measure compared with its true one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from crake.arrays import Floats
from crake.evaluation.comparison.criterion import Criterion
from crake.evaluation.comparison.influence import shared_training
from crake.metrics.bootstrap import SEED
from crake.metrics.estimate import Estimate, Interval, IntervalMethod
from crake.metrics.intervals import LEVEL, normal_quantile
from crake.metrics.measure import Measure
from crake.metrics.ranking.delong import newcombe_end

DRAWS = 4000
"""Times that the best is chosen again."""

SHARED = 0.65
"""The part by which the variance of out-of-fold rows exceeds that of independent rows, if the models of two folds had
all their training rows in common. Found by refitting learners on drawn tables (`python -m benchmarks winners`)."""

ROUNDING = 1e-12
"""A share nearer to 0 or 1 has no log odds."""
FEW_ROWS = 4.0
"""The ends of a ranking's interval are moved farther by this part of 1/n − 1/m, with n rows of a class and m others."""
WIDENED = "widened for folds that share training rows"
"""The words of it, in the method of an interval and in the protocol of a comparison."""

CLEAR = 0.99
"""A winner that wins more often than this again was hardly chosen: its measure is not corrected for that."""


@dataclass(frozen=True)
class Optimism:
    """The standardised error of the winner's measure, (measured − true) / standard error: three of its quantiles."""

    low: float
    middle: float
    high: float


def winner_estimate(evaluations: Sequence[Any], criterion: Criterion) -> Estimate | None:
    """Return the measure of the first evaluation, the winner, corrected for having been chosen as the best.

    None for one learner, for a criterion without terms, and for a measure without an interval. Learners that lack the
    measure were not to choose from. A constant prediction that wins, such as the majority class, was chosen like any
    other, and wins more often where its class has many of these rows. It learned nothing from them, though: its measure
    stays, and only the worse end of its interval is moved. It has its own interval, None here, where it wins by far.

    Tsamardinos, Greasidou and Borboudakis (2018), Bootstrapping the out-of-sample predictions for efficient and
    accurate cross-validation (the table of all learners' predictions; here drawn from its means and covariances).
    Tibshirani and Tibshirani (2009), A bias correction for the minimum error rate in cross-validation. James and Stein
    (1961), Estimation with quadratic loss (the shrinkage).
    """
    plain = criterion.measure(evaluations[0])
    ranked = [each for each in evaluations if criterion.measure(each).value is not None]
    if len(ranked) < 2 or plain.value is None or plain.interval is None:
        return None
    terms = [each for each in map(criterion.terms, ranked) if each is not None]
    if len(terms) < len(ranked):
        return None
    T, weights = _by_row(evaluations[0], np.column_stack(terms))
    if len(T) < 2 or np.ptp(T[:, 0]) == 0:
        return None  # no error, or none right: its terms do not say how sure that is, its own interval does
    larger_by, is_constant = _larger_by(evaluations[0], plain), evaluations[0].is_baseline
    # The models of a constant prediction do not vary with their rows; among the others that hardly matters.
    of_each = [1.0 if each.is_baseline else larger_by for each in ranked] if is_constant else larger_by
    optimism = winners_optimism(T, weights, of_each)
    is_logit = plain.interval_method is not None and "logit" in plain.interval_method.words
    place = partial(_moved_on_logits if is_logit else _moved, plain.value, plain.interval, criterion.of)
    wider = _wider_for_few(evaluations[0], criterion.of) if is_logit else 1.0
    ends = sorted((place(wider * optimism.high), place(wider * optimism.low)))
    if is_constant:
        return None if optimism.middle == 0 else _with_its_best(plain, ends, len(terms))
    is_area = criterion.of.name == "auc" and len(evaluations[0].classes) == 2
    if is_area and optimism.middle != 0:
        ends[0] = min(ends[0], _lowest_area(evaluations[0], plain, optimism.high))
    if _inverts_a_test(plain):
        worst = _worst_of_any(evaluations[0], criterion.of, len(terms))
        ends[1] = min(max(ends[1], plain.value + larger_by * (worst - plain.value)), criterion.of.bounds[1])
        if _reaches_its_best(plain, criterion.of):
            return _with_its_best(plain, ends, len(terms))
    moved = ", moved by the optimism of choosing the best" if optimism.middle != 0 else ""
    widened = f", {WIDENED}" if larger_by > 1 else ""
    least = ", at least to Newcombe's lower end" if is_area and moved else ""
    words = f"{plain.interval_name} {{}}{moved}{least}{widened}"
    by = IntervalMethod("chosen", words, LEVEL)
    about = f"the best of {len(terms)} learners"
    return Estimate.with_interval(place(optimism.middle), (ends[0], ends[1]), by, about)


def _reaches_its_best(plain: Estimate, of: Measure[Any]) -> bool:
    """Return True for an interval up to the best value that there is, as that of a calibration error may reach 0.

    Chance makes such an error larger, so that it is no sign of an error that is not 0; a correction upwards would be.
    """
    low, high = plain.interval or (0.0, 0.0)
    return high >= of.bounds[1] if of.greater_is_better else low <= of.bounds[0]


def _inverts_a_test(plain: Estimate) -> bool:
    """Return True for the interval of a calibration error, which is found by tests of possible errors."""
    return plain.interval_method is not None and plain.interval_method.kind == "test inversion"


def _worst_of_any(evaluation: Any, of: Measure[Any], learners: int) -> float:
    """Return the largest error that is believed of a learner which may be the luckiest of them all.

    A single end errs in 2.5 % of all tables. If each of k ends errs in 2.5 % / k, at most 2.5 % of all tables have an
    end that errs (Bonferroni), whichever learner wins.
    """
    level = 1 - (1 - LEVEL) / learners
    again: Estimate = evaluation.estimate(replace(of, of=partial(of.of, level=level)))
    return float(again) if again.interval is None else again.interval[1]


def _with_its_best(plain: Estimate, ends: Sequence[float], learners: int) -> Estimate:
    """Return the measure as it is, within an interval of which only the worse end is moved."""
    low, high = plain.interval or (0.0, 0.0)
    words = f"{plain.interval_name} {{}}, its worse end moved by the optimism of choosing the best"
    by, value = IntervalMethod("chosen", words, LEVEL), float(plain.value or 0.0)
    return Estimate.with_interval(
        value, (min(low, ends[0]), max(high, ends[1])), by, f"the best of {learners} learners"
    )


def _wider_for_few(evaluation: Any, of: Measure[Any]) -> float:
    """Return the factor of both ends for a ranking of two classes with few rows of one beside many of the other.

    The ranking that wins by luck on few rows also has the smallest standard error: the ends lie too near. The constant
    was found by drawing rankings of known AUC with 15 to 200 rows of the class. The AUC has `_lowest_area` instead.
    """
    if of.needs != "scores" or of.name == "auc" or len(evaluation.classes) != 2:
        return 1.0
    few, many = sorted(np.bincount(evaluation.actual, weights=evaluation.out_of_fold.weights, minlength=2))
    return 1.0 if few <= 0 else 1 + FEW_ROWS * (1 / max(few, 1.0) - 1 / max(many, 1.0))


def _lowest_area(evaluation: Any, plain: Estimate, errors: float) -> float:
    """Return the lower end of Newcombe's interval, `errors` standard errors below the AUC of the winner.

    The ranking that wins by luck has few rows of the class in wrong places, so that DeLong's variance of it is too
    small. Newcombe's goes by the true AUC and the numbers of rows alone.
    """
    n = np.bincount(evaluation.actual, weights=evaluation.out_of_fold.weights, minlength=2)
    is_counted = plain.interval_method is not None and plain.interval_method.counts_folds
    factor = float(np.sqrt(shared_training(evaluation))) if is_counted else 1.0
    return newcombe_end(float(plain), float(n[1]), float(n[0]), factor * max(errors, 0.0), 0.0)


def _larger_by(evaluation: Any, plain: Estimate) -> float:
    """Return how much larger a standard error is than that of independent rows; 1 where its interval counts that.

    Models that learned from the same rows err together. Those of k folds share (k − 2) of k − 1 parts.
    """
    folds = int(evaluation.out_of_fold.fold.max(initial=0)) + 1
    is_counted = plain.interval_method is not None and plain.interval_method.counts_folds
    return 1.0 if is_counted or folds < 2 else float(np.sqrt(1 + SHARED * (folds - 2) / (folds - 1)))


def winners_optimism(T: Floats, weights: Floats, larger_by: float | Sequence[float] = 1.0) -> Optimism:
    """Return the quantiles of the winner's standardised error, from one term per row and learner, the more the better.

    The winner is the first learner. Standard errors are those of independent rows; the true ones are `larger_by` times
    as large, one factor for all or one for each learner.

    Sums over rows are nearly normal, so their means and covariances say all that drawing the rows again would. The true
    means lie nearer together than those measured, by James and Stein's factor: the scatter of the measured means less
    what chance adds to it. The middle goes by that factor. The ends go halfway, as the factor itself is uncertain, and
    the better end halfway to that of a learner that was not chosen: the winner of unequal learners may well be the best
    one. That keeps the level for learners that are all alike and for others (`python -m benchmarks levels`).

    >>> rng = np.random.default_rng(0)
    >>> alike = rng.random((200, 11)) < 0.7
    >>> found = winners_optimism(alike.astype(float), np.ones(200))
    >>> round(found.low, 1), round(found.middle, 1), round(found.high, 1)       # eleven equals look too good
    (-0.8, 1.5, 2.8)
    >>> clear = alike + np.eye(1, 11)                                          # the first is better by far
    >>> round(winners_optimism(clear, np.ones(200)).middle, 1)
    0.0
    """
    n, k = float(weights.sum()), T.shape[1]
    means = weights @ T / n
    away = T - means
    factors = np.broadcast_to(np.asarray(larger_by, np.float64), k)
    S = np.outer(factors, factors) * ((away * weights[:, None]).T @ away) / n / max(n - 1, 1.0)
    of_winner = float(factors[0])
    chance = float(np.trace(S) - S.sum() / k)
    scatter = float(((means - means.mean()) ** 2).sum())
    shrunk = max(0.0, 1 - chance * max(k - 3, 1) / k / scatter) if scatter > 0 else 0.0
    values, vectors = np.linalg.eigh(S)
    spread = vectors * np.sqrt(np.maximum(values, 0.0))
    errors = np.random.default_rng(SEED).standard_normal((DRAWS, k)) @ spread.T
    z = normal_quantile()
    if np.mean(np.argmax(means + errors, axis=1) == np.argmax(means)) > CLEAR:
        return Optimism(-of_winner * z, 0.0, of_winner * z)
    sizes = np.sqrt(np.diag(S))
    away_from_mean = means - means.mean()
    ends = _of_the_best((1 + shrunk) / 2 * away_from_mean, errors, sizes)
    low, high = np.quantile(ends, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    low = (low - z) / 2
    middle = float(np.median(_of_the_best(shrunk * away_from_mean, errors, sizes)))
    return Optimism(*(of_winner * float(each) for each in (low, min(max(middle, low), high), high)))


def _of_the_best(true: Floats, errors: Floats, sizes: Floats) -> Floats:
    """Return in each draw the error of the learner that is best there, over its standard error."""
    best = np.argmax(true + errors, axis=1)
    size = sizes[best]
    return np.asarray(np.where(size > 0, errors[np.arange(len(errors)), best] / np.where(size > 0, size, 1.0), 0.0))


def _moved(value: float, interval: Interval, of: Measure[Any], errors: float) -> float:
    """Return the true measure if this one is too good by `errors` standard errors, read off its own interval."""
    worse, better = interval if of.greater_is_better else interval[::-1]
    share = abs(errors) / normal_quantile()
    moved = value + share * ((worse if errors > 0 else better) - value)
    return min(max(moved, of.bounds[0]), of.bounds[1])


def _moved_on_logits(value: float, interval: Interval, of: Measure[Any], errors: float) -> float:
    """Return the same on the scale of log odds, where the interval was made: near 1 the worse end lies farther away."""
    low, high = of.bounds
    shares = [(each - low) / (high - low) for each in (value, *interval)]
    if not all(ROUNDING < each < 1 - ROUNDING for each in shares):
        return _moved(value, interval, of, errors)
    at, *ends = special.logit(shares)
    worse, better = ends if of.greater_is_better else ends[::-1]
    moved = at + abs(errors) / normal_quantile() * ((worse if errors > 0 else better) - at)
    return low + (high - low) * float(special.expit(moved))


def _by_row(evaluation: Any, T: Floats) -> tuple[Floats, Floats]:
    """Return one line per row, the mean of its rounds where it was tested several times, and its weight."""
    predictions = evaluation.out_of_fold
    if predictions.repeats == 1:
        return T, np.asarray(predictions.weights, np.float64)
    _, place, times = np.unique(predictions.rows, return_inverse=True, return_counts=True)
    means = np.column_stack([np.bincount(place, weights=column) / times for column in T.T])
    return means, np.bincount(place, weights=predictions.weights) / times
