"""The Bayesian correlated t test: how probable it is that one learner is better, or that both are as good."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from crake.errors import CrakeError
from crake.metrics.intervals import checked_level
from crake.metrics.significance.corrected_t import fold_moments


@dataclass(frozen=True)
class Posterior:
    """P(first better), P(equivalent), P(second better): they sum to 1. `rope` is what counts as no difference."""

    difference: float
    first_better: float
    equivalent: float
    second_better: float
    rope: float
    interval: tuple[float, float] | None
    method: str
    names: tuple[str, str] = ("the first", "the second")

    def __str__(self) -> str:
        first, second = self.names
        equal = f", as good (within {self.rope:g}) {_percent(self.equivalent)}" if self.rope else ""
        return (
            f"{first} is better with probability {_percent(self.first_better)}{equal}, "
            f"{second} better {_percent(self.second_better)}; {self.method}"
        )

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "first": self.names[0],
            "second": self.names[1],
            "difference": self.difference,
            "interval": None if self.interval is None else list(self.interval),
            "first_better": self.first_better,
            "equivalent": self.equivalent,
            "second_better": self.second_better,
            "rope": self.rope,
            "method": self.method,
        }


def bayesian_correlated_t(
    differences: ArrayLike,
    training_rows: ArrayLike,
    test_rows: ArrayLike,
    *,
    rope: float = 0.01,
    level: float = 0.95,
    names: tuple[str, str] = ("the first", "the second"),
) -> Posterior:
    """The mean difference given those of k folds: Student's t around m with scale s · √(1/k + n₂/n₁), k − 1 degrees.

    P(first better) = P(μ > rope), P(equivalent) = P(−rope ≤ μ ≤ rope), P(second better) = P(μ < −rope). The numbers are
    those of the corrected t test; the question is another: not whether a difference of exactly 0 can be ruled out,
    but how probable a difference that matters is.

    >>> found = bayesian_correlated_t([0.02, 0.04, 0.00, 0.02], 75, 25, rope=0.01)
    >>> round(found.first_better, 3), round(found.equivalent, 3), round(found.second_better, 3)
    (0.759, 0.193, 0.048)

    Benavoli, Corani, Demšar and Zaffalon (2017), Time for a change: a tutorial for comparing multiple classifiers
    through Bayesian analysis.
    """
    level, rope = checked_level(level), checked_rope(rope)
    moments = fold_moments(differences, training_rows, test_rows)
    m, error, freedom = moments.mean, moments.error, moments.freedom
    method = f"Bayesian correlated t test, {freedom + 1} folds"
    if error == 0:  # all the probability lies on one point
        better, worse = float(m > rope), float(m < -rope)
        return Posterior(m, better, 1 - better - worse, worse, rope, (m, m), method, names)
    better, worse = float(stdtr(freedom, (m - rope) / error)), float(stdtr(freedom, (-rope - m) / error))
    half = float(stdtrit(freedom, (1 + level) / 2)) * error
    return Posterior(m, better, max(0.0, 1 - better - worse), worse, rope, (m - half, m + half), method, names)


def checked_rope(rope: float) -> float:
    """The half width of the region of practical equivalence."""
    number: object = rope
    if not (isinstance(number, int | float) and 0 <= number < float("inf")):
        raise CrakeError(f"rope = {number!r}; expected the largest difference that does not matter, such as 0.01")
    return float(number)


def _percent(probability: float) -> str:
    return f"{100 * probability:.1f} %"
