"""Costs of one model: of its own predictions, by least expected cost, and at the best cutoff."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crake.evaluation.comparison.criterion import ByCost
from crake.evaluation.comparison.standing import LEVEL, p_text
from crake.evaluation.report.leaderboard import entry_of, figure_of, leaderboard_auc
from crake.evaluation.result.classification import Evaluation
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.cutoffs.choosing import by_cost_matrix
from crake.metrics.cutoffs.cutoff import Cutoff, CutoffSpread, cutoff_spread
from crake.render.grid import Grid
from crake.render.leaderboard import Entry, Figure
from crake.render.plain_text import shown


@dataclass(frozen=True, eq=False)
class CostView:
    """An evaluation under costs: its own answers, those of least expected cost, and one answer to every row."""

    own: Evaluation
    cheapest: Evaluation
    constant: Evaluation
    criterion: ByCost

    @classmethod
    def of(cls, evaluation: Evaluation, constant: Evaluation, costs: CostMatrix) -> CostView:
        """Return the view of an evaluation under these costs."""
        costs = costs.aligned(evaluation.classes)
        named = replace(evaluation.with_least_cost(costs), name=f"{evaluation.name}, least cost")
        return cls(evaluation, named, constant.with_least_cost(costs), ByCost(costs))

    def headline(self) -> str:
        """Return one sentence: what a row costs now, what it could, and what it costs without a model."""
        own, cheapest, constant = (self.criterion.measure(each) for each in (self.own, self.cheapest, self.constant))
        return (
            f"{self.own.beginning} on {self.own.table}: mean cost {own!s} as it answers, {cheapest!s} if "
            f"each row is called the class of least expected cost; the cheapest answer to all rows {constant:.3f}."
        )

    def entries(self) -> tuple[Entry, ...]:
        """Three lines, each with its cost."""
        rows = (
            (self.own, self._against_constant(self.own), True),
            (self.cheapest, self._against_constant(self.cheapest), False),
            (self.constant, "baseline: the cheapest answer to all rows", False),
        )
        return tuple(
            replace(
                entry_of(evaluation, self._figures(evaluation), verdict, is_best=is_best),
                is_baseline=evaluation is self.constant,
                short_verdict=self._short(evaluation),
            )
            for evaluation, verdict, is_best in rows
        )

    def _figures(self, evaluation: Evaluation) -> tuple[Figure, ...]:
        """Return the figures in the order of `class_columns`."""
        cost, auc = self.criterion.measure(evaluation), leaderboard_auc(evaluation)
        return tuple(map(figure_of, (evaluation.accuracy, cost, auc, evaluation.f1, evaluation.log_loss)))

    def grids(self) -> tuple[Grid, ...]:
        """Return, for two classes, the cutoff that the costs imply and the cheapest one on these rows."""
        cutoff = self.cutoff()
        if cutoff is None:
            return ()
        positive = self.own.positive_class
        lines = [
            self._line("as it answers", "", self.own),
            self._line("least expected cost", self._asked(), self.cheapest),
            self._line("cheapest on these rows", _value(cutoff.value), self.own.at_cutoff(cutoff)),
        ]
        label = shown(positive, 30)
        title = f"Cutoff: what is called {label}"
        spread = self.spread()
        if spread is not None and spread.folds > 1:
            title += f" (cheapest in the folds: {_value(spread.lowest)} to {_value(spread.highest)})"
        head = ("how", f"P({label}) ≥", "recall", "precision", "mean cost", "95 % interval")
        return (Grid(title, head, tuple(lines)),)

    def cutoff(self) -> Cutoff | None:
        """Return the cheapest cutoff on the tested rows; None where there are more than two classes, or one only was
        met.
        """
        if len(self.own.classes) != 2 or self.own.ranking.missing_side:
            return None
        return by_cost_matrix(self.own.ranking, self.criterion.costs.costs, self._positive())

    def spread(self) -> CutoffSpread | None:
        """Return the cheapest cutoffs of the folds, each by itself."""
        C, positive = self.criterion.costs.costs, self._positive()
        rankings = [part.ranking for part in self.own.by_fold()]
        costs = [by_cost_matrix(ranking, C, positive) for ranking in rankings if not ranking.missing_side]
        return cutoff_spread(costs) if costs else None

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        cutoff = self.cutoff()
        return {
            "costs": self.criterion.costs.to_dict(),
            "mean_cost": self.criterion.measure(self.own).to_dict(),
            "mean_cost_by_least_expected": self.criterion.measure(self.cheapest).to_dict(),
            "mean_cost_of_one_answer": self.criterion.measure(self.constant).to_dict(),
            "cutoff": None if cutoff is None else cutoff.to_dict(),
        }

    def _positive(self) -> int:
        return self.own.confusion.code(self.own.positive_class)

    def _asked(self) -> str:
        """p* = (C(p given n) − C(n given n)) / (that + C(n given p) − C(p given p)): above it, p costs less."""
        p = self._positive()
        C, n = self.criterion.costs.costs, 1 - p
        false_alarm, miss = C[n, p] - C[n, n], C[p, n] - C[p, p]
        return f"{false_alarm / (false_alarm + miss):.4f}" if false_alarm > 0 and miss > 0 else ""

    def _line(self, how: str, cutoff: str, evaluation: Evaluation) -> tuple[str, ...]:
        matrix, label = evaluation.confusion, self.own.positive_class
        cost = self.criterion.measure(evaluation)
        between = "" if cost.interval is None else f"[{cost.interval[0]:.3f}, {cost.interval[1]:.3f}]"
        return how, cutoff, f"{matrix.recall(label):.3f}", f"{matrix.precision(label):.3f}", f"{cost:.3f}", between

    def _short(self, evaluation: Evaluation) -> str:
        if evaluation is self.constant:
            return "baseline"
        is_shown, word, p = self._test(evaluation)
        return f"{'' if is_shown else 'not shown '}{word} (p {p})"

    def _against_constant(self, evaluation: Evaluation) -> str:
        is_shown, word, p = self._test(evaluation)
        return f"{'' if is_shown else 'not shown to be '}{word} than one answer to all rows (p {p})"

    def _test(self, evaluation: Evaluation) -> tuple[bool, str, str]:
        """Return whether a difference from one answer to all rows is shown, its word, and the text of p."""
        p = self.criterion.p_value(evaluation, self.constant)
        is_cheaper = self.criterion.rank(evaluation) > self.criterion.rank(self.constant)
        is_shown = p is not None and p < LEVEL
        return is_shown, "cheaper" if is_cheaper or not is_shown else "dearer", p_text(p)


def _value(cutoff: float) -> str:
    if np.isinf(cutoff):
        return "never" if cutoff > 0 else "always"
    return f"{cutoff:.4f}"
