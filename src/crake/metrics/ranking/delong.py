"""DeLong's variance of the AUC and the interval made of it."""

from __future__ import annotations

from collections.abc import Callable

from crake.metrics.estimate import Estimate, IntervalMethod
from crake.metrics.intervals import checked_level, logit_interval, normal_quantile, shared_degrees
from crake.metrics.ranking.auc import METHOD, area
from crake.metrics.ranking.ranking import Ranking


def delong(ranking: Ranking, level: float = 0.95) -> Estimate:
    """AUC with the interval of its logit: logistic(log(A / (1 − A)) ± t · √V / (A(1 − A))), V after DeLong.

    On the logit scale the interval stays within 0 … 1 and keeps its level nearer to what is promised where A is high
    and rows are few. t has the degrees of freedom of V, which few positives make few. Where V is 0 (A is 0 or 1, or
    all scores are equal) or a side has but one row, no such interval exists, and Newcombe's score interval stands in;
    `method` names the one that was used.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> found = delong(rank_scores([True, True, True, False, False, False], [9, 8, 4, 6, 3, 2]))
    >>> print(found, found.method, sep="; ")
    0.889 [0.088, 0.998]; Wilcoxon-Mann-Whitney, ties count half; DeLong 95 %, logit scale

    DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver operating
    characteristic curves. Brunner and Munzel (2000), The nonparametric Behrens-Fisher problem (degrees of freedom).
    Pepe (2003), The statistical evaluation of medical tests, section 5.2.4 (logit). Newcombe
    (2006), Confidence intervals for an effect size measure based on the Mann-Whitney statistic, part 2, method 5.
    """
    checked_level(level)
    if ranking.missing_side:
        return Estimate.undefined(ranking.missing_side)
    A = area(ranking)
    parts = delong_parts(ranking)
    if parts is None or sum(parts) == 0 or not 0 < A < 1:
        interval = newcombe(A, ranking.positives, ranking.negatives, level)
        by = IntervalMethod("Newcombe", "Newcombe {}, no DeLong variance", level)
        return Estimate.with_interval(A, interval, by, METHOD)
    by = IntervalMethod("DeLong", "DeLong {}, logit scale", level)
    degrees = delong_degrees(ranking, *parts)
    return Estimate.with_interval(A, logit_interval(A, sum(parts), level, degrees), by, METHOD)


def delong_variance(ranking: Ranking) -> float | None:
    """V = S10 / m + S01 / n, or None where a side has no more than one row.

    S10 = Σ (X_i − A)² / (m − 1) over the m positives, X_i = the share of the negatives ranked below positive i;
    S01 = Σ (Y_j − A)² / (n − 1) over the n negatives, Y_j = the share of the positives ranked above negative j; ties
    count half. Both are read off the ranking: rows with equal scores have equal shares. Weights count rows.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> ranking = rank_scores([True, True, True, False, False, False], [9, 8, 4, 6, 3, 2])
    >>> V = delong_variance(ranking)                            # X = 1, 1, ⅔ and Y = ⅔, 1, 1: (1/27 + 1/27) / 3
    >>> round(V * 81, 9)
    2.0
    """
    parts = delong_parts(ranking)
    return None if parts is None else sum(parts)


def delong_degrees(ranking: Ranking, of_positives: float, of_negatives: float) -> float:
    """Return the degrees of freedom of V = S10 / m + S01 / n, given these two parts."""
    return shared_degrees([(of_positives, ranking.positives), (of_negatives, ranking.negatives)])


def delong_parts(ranking: Ranking) -> tuple[float, float] | None:
    """S10 / m and S01 / n, the parts of `delong_variance`; None where a side has no more than one row."""
    m, n = ranking.positives, ranking.negatives
    if m <= 1 or n <= 1:
        return None
    A, S10, S01 = area(ranking), 0.0, 0.0
    for TP, FP, positives, negatives in ranking.blocks():
        X = (n - FP + negatives / 2) / n - A
        Y = (TP - positives / 2) / m - A
        S10 += float((positives * X * X).sum())
        S01 += float((negatives * Y * Y).sum())
    return S10 / (m - 1) / m, S01 / (n - 1) / n


def newcombe(A: float, m: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """The θ for which |A − θ| ≤ z · √V(θ): a width even where every pair is ranked right.

    V(θ) = θ(1 − θ) / (mn) · [1 + N · (1 − θ) / (2 − θ) + N · θ / (1 + θ)], N = (m + n) / 2 − 1.

    >>> low, high = newcombe(1.0, 10, 10)
    >>> round(low, 3), high
    (0.8, 1.0)
    """
    z = normal_quantile(level)
    return newcombe_end(A, m, n, z, 0.0), newcombe_end(A, m, n, z, 1.0)


def newcombe_end(A: float, m: float, n: float, errors: float, towards: float) -> float:
    """Return the θ between A and `towards`, 0 or 1, from which A is `errors` standard errors √V(θ) away."""

    def is_inside(theta: float) -> bool:
        return (A - theta) ** 2 <= errors**2 * newcombe_variance(theta, m, n)

    return _edge(A, towards, is_inside)


def newcombe_variance(theta: float, m: float, n: float) -> float:
    """Return V(θ) of `newcombe`: the variance of an AUC that is truly θ, of m rows and n others.

    >>> round(newcombe_variance(0.5, 10, 10), 4)                                  # (m + n + 1) / 12mn is 0.0175
    0.0175
    """
    N = max(0.0, (m + n) / 2 - 1)
    return theta * (1 - theta) / (m * n) * (1 + N * (1 - theta) / (2 - theta) + N * theta / (1 + theta))


def _edge(inside: float, outside: float, is_inside: Callable[[float], bool]) -> float:
    """The end of the interval between a point within it and one beyond it, halved down to neighbouring floats."""
    if is_inside(outside):
        return outside
    while (middle := (inside + outside) / 2) not in (inside, outside):
        inside, outside = (middle, outside) if is_inside(middle) else (inside, middle)
    return inside
