"""Hand calculations of intervals: Wilson's, Student's, DeLong's and Newcombe's; the bootstrap is described."""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Floats
from crake.metrics.bootstrap import REPLICATES
from crake.metrics.estimate import Estimate
from crake.metrics.intervals import normal_quantile, student
from crake.metrics.ranking.delong import delong_variance
from crake.metrics.ranking.ranking import Ranking
from crake.render.workings import Section, Step, number

Z = normal_quantile()
"""1.96: a normal number lies within ± this in 95 of 100 cases."""


def ends(estimate: Estimate) -> tuple[str, str]:
    """Return the two ends as text; dashes for a measure without an interval."""
    interval = estimate.interval
    return ("–", "–") if interval is None else (number(interval[0]), number(interval[1]))


def interval_section(estimate: Estimate) -> Section:
    """Describe an interval that is not worked by hand: the method and the ends."""
    low, high = ends(estimate)
    if estimate.interval is None:
        return Section("Interval", lines=(f"there is none ({estimate.method})",))
    if estimate.is_by("percentile bootstrap", "basic bootstrap"):
        how = f"the rows are drawn again with replacement, {REPLICATES} times, and measured each time; "
        how += "its ends are where the middle 95 % of these numbers begin and end"
        if estimate.is_by("basic bootstrap"):
            how += ", mirrored at the measure"
    else:
        how = estimate.method
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


def student_section(values: Floats, weights: Floats, estimate: Estimate) -> Section:
    """Mean ± t·s/√n over rows; with weights that are no copies the interval is only described."""
    if estimate.interval is None or not np.all(weights == np.floor(weights)):
        return interval_section(estimate)
    n = float(weights.sum())
    mean = float(np.dot(weights, values) / n)
    s = math.sqrt(float(np.dot(weights, (values - mean) ** 2)) / (n - 1))
    t = student(n - 1)
    steps = [
        Step("s", "√(Σ (x − mean)²/(n − 1))", "", number(s), f"the spread of {number(n)} rows"),
        Step("t", f"Student's t of {number(n - 1)} degrees of freedom", "", number(t)),
    ]
    half = t * s / math.sqrt(n)
    for name, sign, computed, end in zip(
        ("lower end", "upper end"), "−+", (mean - half, mean + half), estimate.interval, strict=True
    ):
        written = f"{number(mean)} {sign} {number(t)} × {number(s)}/√({number(n)})"
        is_held = abs(computed - end) > 1e-9 * max(1.0, abs(end))
        steps.append(Step(name, f"mean {sign} t·s/√n", written, number(computed if is_held else end)))
        if is_held:
            steps.append(Step(name, "", "", number(end), "the measure cannot go beyond it"))
    return Section("95 % interval (Student) over rows", tuple(steps))


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
    logit, half = math.log(A / (1 - A)), Z * math.sqrt(V) / (A * (1 - A))
    return Section(
        "95 % interval (DeLong), on the scale of log odds",
        (
            Step("S10", "variance over the positives of the share of negatives ranked below", "", number(S10)),
            Step("S01", "variance over the negatives of the share of positives ranked above", "", number(S01)),
            Step("V", "S10/m + S01/n", f"{number(S10)}/{number(m)} + {number(S01)}/{number(n)}", number(V)),
            Step("logit", "log(A/(1 − A))", f"log({number(A)}/(1 − {number(A)}))", number(logit)),
            Step(
                "h",
                "z·√V / (A·(1 − A))",
                f"{number(Z)} × √({number(V)}) / ({number(A)} × (1 − {number(A)}))",
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
