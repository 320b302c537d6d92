"""The majority class: the baseline every other learner must beat. ZeroR in WEKA."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.export.forms import Additive, Form
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import StrOptions
from crake.learners.base.priors import class_prior, prior_written
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.learners.majority.drawing import draw_shares
from crake.render.drawing.drawing import Drawing
from crake.render.plain_text import visible
from crake.render.workings import Section, Step, Workings, fraction, number
from crake.statistics import ClassCounts, Statistics
from crake.table.schema import Column
from crake.table.table import Table


class MajorityClassifier(StatisticsClassifier):
    """Predicts the most frequent class, with the class shares as probabilities; no column is looked at.

    P(c) = n_c / n, or with prior="laplace" (n_c + 1) / (n + K).

    Parameters
    ----------
    prior : "empirical", "laplace", or the numbers: by class in order, or a mapping.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.

    >>> from crake.table.examples import load
    >>> model = MajorityClassifier().fit(load("golf"))
    >>> model.majority_, model.class_prior_.round(3)
    ('Yes', array([0.357, 0.643]))
    """

    reads_columns = False
    card = Card(
        title="majority class",
        about="always the most frequent class: the baseline to beat",
        model="one class",
        missing="no column is read",
        probabilities="shares of the classes",
        time="one pass",
        is_baseline=True,
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "prior": [StrOptions({"empirical", "laplace"}), "array-like", dict],
        "class_weight": CONSTRAINT,
    }
    nominal = "auto"
    only_estimate = frozenset({"prior"})

    def __init__(self, prior: Any = "empirical", *, class_weight: Any = None) -> None:
        self.prior = prior
        self.class_weight = class_weight

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # It is the baseline: scoring poorly is its job.
        tags.classifier_tags.poor_score = True
        return tags

    def _estimate(self, statistics: Statistics) -> None:
        self.class_count_ = statistics[ClassCounts].counts[0]
        self.class_prior_ = class_prior(self.prior, self.class_count_, statistics.classes)
        self.majority_ = statistics.classes[int(np.argmax(self.class_prior_))]

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the class shares, equal for every row."""
        return np.tile(self.class_prior_, (len(table) if rows is None else len(rows), 1))

    def _form(self) -> Form:
        return Additive(self.class_prior_)

    def _cut_points(self, column: Column) -> Floats:
        del column
        return np.zeros(0)

    def draw(self, *, most: int = 20, width: float = 560) -> Drawing:
        """Draw a bar for each class, the predicted one first."""
        check_is_fitted(self)
        return draw_shares(self, most=most, width=width)

    def explain(self, row: Any = None) -> Workings:
        """Return the counts behind the prediction, which is the same for every row."""
        del row
        check_is_fitted(self)
        total, classes = self.class_count_.sum(), len(self.classes_)
        formula = {"empirical": "n({}) / n", "laplace": "(n({}) + 1)/(n + K)"}.get(str(self.prior), "given")
        steps = tuple(
            Step(
                f"P({label})",
                formula.format(label),
                prior_written(self.prior, count, total, classes, share),
                number(share),
                "the prior given" if formula == "given" else f"{number(count)} of {number(total)} rows are {label}",
            )
            for label, count, share in zip(self.classes_, self.class_count_, self.class_prior_, strict=True)
        )
        return Workings(
            f"The majority class is {self.majority_}, whatever the row",
            (Section("Class shares", steps),),
            tuple((str(label), float(share)) for label, share in zip(self.classes_, self.class_prior_, strict=True)),
        )

    def __str__(self) -> str:
        if not hasattr(self, "class_count_"):
            return repr(self)
        shares = ", ".join(
            f"{visible(label)} {fraction(count, self.class_count_.sum())}"
            for label, count in zip(self.classes_, self.class_count_, strict=True)
        )
        return f"Majority class: {visible(self.majority_)} ({shares})"
