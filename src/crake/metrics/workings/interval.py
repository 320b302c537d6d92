"""Hand calculations of intervals: Wilson's, Student's, DeLong's and Newcombe's; those that are drawn are described."""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Floats
from crake.metrics.bootstrap import REPLICATES
from crake.metrics.estimate import Estimate
from crake.metrics.intervals import MeanMoments, mean_moments, normal_quantile, student, unskewed
from crake.metrics.ranking.delong import delong_degrees, delong_variance
from crake.metrics.ranking.ranking import Ranking
from crake.render.workings import Section, Step, number

Z = normal_quantile()
"""1.96: a normal number lies within ± this in 95 of 100 cases."""


HOW = {
    "percentile bootstrap": f"the rows are drawn again with replacement, {REPLICATES} times, and measured each time; "
    "its ends are where the middle 95 % of these numbers begin and end",
    "Dirichlet": f"each class gets half a row called right and half a row called wrong beside its counts; {REPLICATES} "
    "tables are drawn from the posterior of the cells (Dirichlet) and measured; its ends are where the middle 95 % of "
    "these numbers begin and end",
    "test inversion": "it holds every true error under which an error such as this one is no surprise: at the lower "
    "end 2.5 % of samples would have a greater one, at the upper end 2.5 % a smaller one",
}


def ends(estimate: Estimate) -> tuple[str, str]:
    """Return the two ends as text; dashes for a measure without an interval."""
    interval = estimate.interval
    return ("–", "–") if interval is None else (number(interval[0]), number(interval[1]))


def interval_section(estimate: Estimate) -> Section:
    """Describe an interval that is not worked by hand: the method and the ends."""
    low, high = ends(estimate)
    if estimate.interval is None:
        return Section("Interval", lines=(f"there is none ({estimate.method})",))
    how = HOW.get(estimate.interval_method.kind if estimate.interval_method else "", estimate.method)
    return Section("95 % interval", (Step("ends", "", "", f"{low} and {high}", estimate.method),), (how,))


def wilson_section(successes: float, n: float, estimate: Estimate) -> Section:
    """[s + z²/2 ± z·√(s·(n − s)/n + z²/4)] / (n + z²)."""
    low, high = ends(estimate)
    s, total, z2 = number(successes), number(n), Z * Z
    root = f"√({s} × {number(n - successes)}/{total} + {number(z2 / 4)})"

    def end(name: str, sign: str, value: str) -> Step:
        return Step(
            name,
            f"(s + z²/2 {sign} z·√(s·(n − s)/n + z²/4)) / (n + z²)",
            f"({s} + {number(z2 / 2)} {sign} {number(Z)} × {root}) / ({total} + {number(z2)})",
            value,
        )

    quantile = Step("z", "the normal quantile of 95 %", "", number(Z))
    return Section(
        f"95 % interval (Wilson), s = {s} of n = {total}",
        (quantile, end("lower end", "−", low), end("upper end", "+", high)),
    )


def student_section(values: Floats, weights: Floats, estimate: Estimate, most: float = math.inf) -> Section:
    """Work the interval of a mean over rows: skewness taken off, or between 0 and `most` on the logit scale.

    With weights that are no copies the interval is only described.
    """
    moments = mean_moments(values, weights)
    if estimate.interval is None or moments is None or not np.all(weights == np.floor(weights)):
        return interval_section(estimate)
    n, t = number(moments.n), student(moments.n - 1)
    s = moments.error * math.sqrt(moments.n)
    steps = [
        Step("s", "√(Σ (x − mean)²/(n − 1))", "", number(s), f"the spread of {n} rows"),
        Step("t", f"Student's t of {number(moments.n - 1)} degrees of freedom", "", number(t)),
    ]
    if estimate.is_by("logit t"):
        return Section("95 % interval (Student) over rows, on the scale of log odds", (*steps, *_logits(moments, most)))
    a = moments.skewness
    steps.append(Step("a", "Σ (x − mean)³ / √(Σ (x − mean)²)³", "", number(a), "the skewness of the mean"))
    for name, sign, v, end in zip(("lower end", "upper end"), "+−", (t, -t), estimate.interval, strict=True):
        u = unskewed(v, a)
        computed = moments.mean - u * moments.error
        inner = f"1 + {number(a)} × ({'' if v > 0 else '−'}{number(t)} − {number(a)}/6)"
        steps.append(
            Step(f"u for {sign}t", "(3/a)·(∛(1 + a·(±t − a/6)) − 1)", f"3/{number(a)} × (∛({inner}) − 1)", number(u))
        )
        written = f"{number(moments.mean)} − {number(u)} × {number(s)}/√({n})"
        is_held = abs(computed - end) > 1e-9 * max(1.0, abs(end))
        steps.append(Step(name, "mean − u·s/√n", written, number(computed if is_held else end)))
        if is_held:
            steps.append(Step(name, "", "", number(end), "the measure cannot go beyond it"))
    return Section("95 % interval (Student) over rows, corrected for skewness (Hall)", tuple(steps))


def _logits(moments: MeanMoments, most: float) -> tuple[Step, ...]:
    """Return the steps of an interval on the logit scale of mean / most."""
    A, t, se = moments.mean / most, student(moments.n - 1), moments.error / most
    logit, half = math.log(A / (1 - A)), t * se / (A * (1 - A))
    low, high = (most / (1 + math.exp(-(logit + side))) for side in (-half, half))
    share = "mean" if most == 1 else f"mean/{number(most)}"
    top = number(most)
    return (
        Step("A", share, "", number(A)),
        Step("logit", "log(A/(1 − A))", f"log({number(A)}/(1 − {number(A)}))", number(logit)),
        Step(
            "h", "t·s/√n / (A·(1 − A))", f"{number(t)} × {number(se)} / ({number(A)} × (1 − {number(A)}))", number(half)
        ),
        Step(
            "lower end",
            f"{top}/(1 + exp(−(logit − h)))",
            f"{top}/(1 + exp(−({number(logit)} − {number(half)})))",
            number(low),
        ),
        Step(
            "upper end",
            f"{top}/(1 + exp(−(logit + h)))",
            f"{top}/(1 + exp(−({number(logit)} + {number(half)})))",
            number(high),
        ),
    )


def delong_section(ranking: Ranking, A: float, estimate: Estimate) -> Section:
    """DeLong's variance and the interval of the logit; Newcombe's in words where the variance is undefined."""
    m, n = ranking.positives, ranking.negatives
    V = delong_variance(ranking)
    low, high = ends(estimate)
    if not estimate.is_by("DeLong") or V is None:
        how = (
            f"every θ with (A − θ)² ≤ z²·V(θ), V(θ) = θ(1 − θ)/(mn)·[1 + N(1 − θ)/(2 − θ) + Nθ/(1 + θ)], "
            f"N = (m + n)/2 − 1, m = {number(m)}, n = {number(n)}"
        )
        return Section("95 % interval (Newcombe)", (Step("ends", "", "", f"{low} and {high}"),), (how,))
    S10, S01 = _spreads(ranking, A)
    degrees = delong_degrees(ranking, S10 / m, S01 / n)
    t = student(degrees)
    logit, half = math.log(A / (1 - A)), t * math.sqrt(V) / (A * (1 - A))
    return Section(
        "95 % interval (DeLong), on the scale of log odds",
        (
            Step("S10", "variance over the positives of the share of negatives ranked below", "", number(S10)),
            Step("S01", "variance over the negatives of the share of positives ranked above", "", number(S01)),
            Step("V", "S10/m + S01/n", f"{number(S10)}/{number(m)} + {number(S01)}/{number(n)}", number(V)),
            Step(
                "t",
                "Student's t of V²/((S10/m)²/(m − 1) + (S01/n)²/(n − 1)) degrees of freedom",
                "",
                number(t),
                f"{number(degrees)} degrees",
            ),
            Step("logit", "log(A/(1 − A))", f"log({number(A)}/(1 − {number(A)}))", number(logit)),
            Step(
                "h",
                "t·√V / (A·(1 − A))",
                f"{number(t)} × √({number(V)}) / ({number(A)} × (1 − {number(A)}))",
                number(half),
            ),
            Step("lower end", "1/(1 + exp(−(logit − h)))", f"1/(1 + exp(−({number(logit)} − {number(half)})))", low),
            Step("upper end", "1/(1 + exp(−(logit + h)))", f"1/(1 + exp(−({number(logit)} + {number(half)})))", high),
        ),
    )


def _spreads(ranking: Ranking, A: float) -> tuple[float, float]:
    """S10 and S01, as in `delong_variance`."""
    m, n = ranking.positives, ranking.negatives
    S10 = S01 = 0.0
    for TP, FP, positives, negatives in ranking.blocks():
        S10 += float((positives * ((n - FP + negatives / 2) / n - A) ** 2).sum())
        S01 += float((negatives * ((TP - positives / 2) / m - A) ** 2).sum())
    return S10 / (m - 1), S01 / (n - 1)
