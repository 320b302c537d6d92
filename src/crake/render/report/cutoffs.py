"""The cutoff panel as data: for every model the counts at each cutoff, and all that follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

BINS = 20
"""Bars of the histogram of scores; two of them are one bin of the calibration."""


@dataclass(frozen=True)
class Costs:
    """The cost of a row, by its class and its prediction. A right prediction is mostly free."""

    false_positive: float = 1.0
    false_negative: float = 1.0
    true_positive: float = 0.0
    true_negative: float = 0.0


@dataclass(frozen=True)
class Counts:
    """The confusion matrix of one class against the others at one cutoff; rows or sums of weights.

    >>> counts = Counts(8, 1, 3, 2)
    >>> round(counts.precision, 3), round(counts.recall, 3), counts.called, counts.mean_cost(Costs(1, 5))
    (0.727, 0.889, 11, 0.5714285714285714)
    """

    true_positives: float
    false_negatives: float
    false_positives: float
    true_negatives: float

    @property
    def called(self) -> float:
        """Return rows that are called positive."""
        return self.true_positives + self.false_positives

    @property
    def positives(self) -> float:
        """Return rows that are positive."""
        return self.true_positives + self.false_negatives

    @property
    def negatives(self) -> float:
        """Return rows that are not."""
        return self.false_positives + self.true_negatives

    @property
    def total(self) -> float:
        """Return all rows."""
        return self.positives + self.negatives

    @property
    def precision(self) -> float | None:
        """TP / (TP + FP); None where no row is called positive."""
        return self.true_positives / self.called if self.called else None

    @property
    def recall(self) -> float:
        """TP / (TP + FN)."""
        return self.true_positives / self.positives

    @property
    def specificity(self) -> float:
        """TN / (TN + FP)."""
        return self.true_negatives / self.negatives

    @property
    def f1(self) -> float:
        """2·TP / (2·TP + FP + FN)."""
        return 2 * self.true_positives / (2 * self.true_positives + self.false_positives + self.false_negatives)

    @property
    def accuracy(self) -> float:
        """(TP + TN) / n."""
        return (self.true_positives + self.true_negatives) / self.total

    @property
    def share(self) -> float:
        """Return the share of all rows that is called positive."""
        return self.called / self.total

    @property
    def lift(self) -> float | None:
        """Precision / prevalence: how many times more positives among those called than among all."""
        return self.precision / (self.positives / self.total) if self.precision is not None else None

    def mean_cost(self, costs: Costs) -> float:
        """Σ count · cost / n, summed as the page sums it: TP, FN, FP, TN."""
        paid = (
            self.true_positives * costs.true_positive
            + self.false_negatives * costs.false_negative
            + self.false_positives * costs.false_positive
            + self.true_negatives * costs.true_negative
        )
        return paid / self.total

    def measures(self) -> dict[str, float | None]:
        """Return all measures by name."""
        names = ("precision", "recall", "specificity", "f1", "accuracy", "lift", "share")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Series:
    """One class against the others under one model: the counts at each cutoff, from the highest cutoff down.

    At step i (from 1) rows with a score ≥ `cutoffs[i − 1]` are called positive; at step 0 none is. A cutoff is the
    shortest decimal between two scores, so that it can be said, typed and used again. `edges[j]` is the step that calls
    the j + 1 highest bars of the histogram, `predicted` the mean score of each bin of the calibration, lowest first
    (None where it has no rows). `distinct` scores there are; of more than could be kept some are chosen.
    """

    cutoffs: tuple[float, ...]
    true_positives: tuple[float, ...]
    false_positives: tuple[float, ...]
    edges: tuple[int, ...]
    predicted: tuple[float | None, ...]
    auc: float
    distinct: int

    @property
    def positives(self) -> float:
        """Return all positive rows: the last step calls every row."""
        return self.true_positives[-1]

    @property
    def negatives(self) -> float:
        """Return all others."""
        return self.false_positives[-1]

    @property
    def is_exact(self) -> bool:
        """Return True if every distinct score has its cutoff."""
        return len(self.cutoffs) == self.distinct

    def at(self, step: int) -> Counts:
        """Return the counts at a step; a rounding in sums of weights never makes one negative."""
        TP = self.true_positives[step - 1] if step else 0.0
        FP = self.false_positives[step - 1] if step else 0.0
        return Counts(TP, max(0.0, self.positives - TP), FP, max(0.0, self.negatives - FP))

    def step_of(self, cutoff: float) -> int:
        """Return the number of cutoffs that are at least this one."""
        return sum(1 for each in self.cutoffs if each >= cutoff)


@dataclass(frozen=True)
class CutoffPanel:
    """All series: `series[m][k]` of model m and class k; what is shown first, and the costs to begin with.

    `others` is what rows of the other classes are called: the other class where there are two. `low` and `high`
    are the ends of the scale of scores. `left_out` says what models and classes did not fit; `is_pooled` that the
    scores of several models, one for each fold, are ranked together. `is_last` says that the positive class comes
    second in the confusion matrix: two classes stand in one order everywhere.
    """

    models: tuple[str, ...]
    classes: tuple[str, ...]
    others: tuple[str, ...]
    series: tuple[tuple[Series, ...], ...]
    cutoff: float
    costs: Costs
    first_class: int = 0
    scores: Literal["probability", "score"] = "probability"
    low: float = 0.0
    high: float = 1.0
    left_out: str = ""
    is_pooled: bool = False
    is_last: bool = False

    @property
    def first(self) -> Series:
        """Return the series that is shown first, that of the first model."""
        return self.series[0][self.first_class]

    def default_counts(self, model: int) -> Counts:
        """Return the counts of a model at the cutoff that is shown first."""
        series = self.series[model][self.first_class]
        return series.at(series.step_of(self.cutoff))

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON: counts from none to all, not delta-coded."""
        return {
            "scores": self.scores,
            "cutoff": self.cutoff,
            "costs": dict(self.costs.__dict__),
            "left_out": self.left_out,
            "series": [
                {"learner": model, "class": label, **series.__dict__, "is_exact": series.is_exact}
                for model, of_classes in zip(self.models, self.series, strict=True)
                for label, series in zip(self.classes, of_classes, strict=True)
            ],
        }
