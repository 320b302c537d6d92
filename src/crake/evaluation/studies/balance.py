"""Ways to treat a rare class side by side: none, samplers, and a moved cutoff, on the same folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from crake.balance.names import IN_WORDS, SAMPLERS
from crake.errors import CrakeError, did_you_mean
from crake.evaluation.compare import Comparison, compare
from crake.evaluation.comparison.criterion import ByCost
from crake.evaluation.comparison.standing import LEVEL, p_text
from crake.evaluation.protocol.arguments import learner_of, table_of
from crake.evaluation.protocol.roads import rows_of
from crake.evaluation.protocol.timing import Progress
from crake.evaluation.protocol.wrapped import balancing
from crake.evaluation.result.classification import Evaluation
from crake.learners.base.scikit_learn import clone
from crake.learners.meta.cutoff import WithCutoff
from crake.learners.registry import title_of
from crake.metrics.cost.matrix import CostMatrix, costs_for
from crake.render.grid import Grid
from crake.render.plain_text import shown, visible
from crake.render.sentences import capital
from crake.table.schema import Label
from crake.table.table import Table

NONE, CUTOFF = "none", "cutoff"
WORDS = {NONE: "as it is", **IN_WORDS, CUTOFF: "moved cutoff"}
"""The ways in words, in the order of the table."""
MEASURES = ("recall", "precision", "auc", "average_precision", "calibration_error")


@dataclass(frozen=True, eq=False)
class BalanceComparison:
    """One learner with several ways to treat the rare class `positive`, on the same folds; `costs` rank them.

    `print` shows the table and the sentence. `comparison["SMOTE"]` is the evaluation of one way.
    """

    learner: str
    comparison: Comparison
    costs: CostMatrix
    positive: Label
    notes: tuple[str, ...] = ()

    @property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """The evaluations of the ways, in their order."""
        return self.comparison.evaluations

    def __getitem__(self, way: str) -> Evaluation:
        """Return the evaluation of a way, by its words or by its name: "SMOTE" or "smote"."""
        evaluation: Evaluation = self.comparison[WORDS.get(str(way).lower(), way)]
        return evaluation

    def __iter__(self) -> Iterator[Evaluation]:
        return iter(self.evaluations)

    @property
    def criterion(self) -> ByCost:
        """The mean cost, by which the ways are ranked and tested."""
        return ByCost(self.costs)

    @property
    def sentence(self) -> str:
        """The sentence on what balancing does that a moved cutoff does not.

        The p-value is that of the least costly sampler against the cutoff, times the number of samplers, as it was
        chosen among them.
        """
        samplers = [each for each in self.evaluations if each.name not in (WORDS[NONE], WORDS[CUTOFF])]
        cutoff = next((each for each in self.evaluations if each.name == WORDS[CUTOFF]), None)
        if not samplers or cutoff is None:
            return ""
        best = min(samplers, key=lambda each: float(each.mean_cost(self.costs)))
        p = self.criterion.p_value(best, cutoff)
        p = 1.0 if p is None else min(1.0, p * len(samplers))
        figures = f"mean cost {self._cost(cutoff)} against {self._cost(best)} of {best.name} (p {p_text(p)})"
        if p >= LEVEL:
            same = "A moved cutoff does the same as far as these rows can tell, without a row drawn or made up"
            return f"{same}: {figures}."
        if float(cutoff.mean_cost(self.costs)) < float(best.mean_cost(self.costs)):
            return f"A moved cutoff does better than every way of balancing: {figures}."
        return f"A moved cutoff does worse than {best.name}: {figures}."

    def grid(self) -> Grid:
        """Return one line per way, with intervals: cost, the rare class, ranking and calibration."""
        header = ("way", "mean cost", *("AUC" if name == "auc" else name.replace("_", " ") for name in MEASURES))
        rows = tuple(
            (
                shown(each.name, 40),
                _written(each.mean_cost(self.costs)),
                *(_written(each.estimate(m)) for m in MEASURES),
            )
            for each in self.evaluations
        )
        title = f"{self.learner} on {self.comparison.table.name}, {self.comparison.plan.describe()}"
        return Grid(title, header, rows, below=f"recall and precision of {shown(self.positive, 40)}; {self._costs()}")

    def to_dict(self) -> dict[str, Any]:
        """Return the table and the sentence for JSON: schema "crake-balance/1"."""
        return {
            "schema": "crake-balance/1",
            "learner": self.learner,
            "table": self.comparison.table.name,
            "plan": self.comparison.plan.describe(),
            "positive": str(self.positive),
            "costs": self.costs.costs.tolist(),
            "ways": [
                {
                    "way": each.name,
                    "mean_cost": each.mean_cost(self.costs).to_dict(),
                    **{name: each.estimate(name).to_dict() for name in MEASURES},
                }
                for each in self.evaluations
            ],
            "sentence": self.sentence,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return "\n".join([str(self.grid()), *([self.sentence] if self.sentence else []), *self.notes])

    def _repr_html_(self) -> str:
        said = "".join(f"<p>{escape(visible(line))}</p>" for line in (self.sentence, *self.notes) if line)
        return f"{self.grid()._repr_html_()}{said}"

    def _cost(self, evaluation: Evaluation) -> str:
        return f"{evaluation.mean_cost(self.costs):.3f}"

    def _costs(self) -> str:
        labels, costs = self.costs.labels, self.costs.costs
        off = ~np.eye(len(labels), dtype=bool)
        each = [float(costs[k][off[k]].mean()) for k in range(len(labels))]
        return "an error costs " + ", ".join(
            f"{cost:.3g} ({shown(label, 40)})" for label, cost in zip(labels, each, strict=True)
        )


def compare_balance(
    learner: Any,
    table: Any,
    y: Any = None,
    *,
    target: str | None = None,
    ways: Iterable[str] | None = None,
    plan: Any = None,
    cost: Any = None,
    positive: Label | None = None,
    random_state: int = 1,
    progress: Progress | None = None,
    n_jobs: int | None = None,
) -> BalanceComparison:
    """Compare ways to treat a rare class: the learner as it is, on balanced classes, and with a moved cutoff.

    All are tested on the same folds, whose tested rows are never balanced. `ways` names some of "none", "weights",
    "under", "over", "smote", "perturb", "gan" and "cutoff"; all but the GAN if None, as that is fitted anew in each
    fold. If no ways are named, one that fails in a fold is left out, with a note. `cost` is a cost matrix as in
    `compare`; without one, an error costs the more the rarer its class is, so that all classes count the same. The
    cutoff is chosen by these costs on rows held out of each training part; samplers answer as their balanced learner
    does. `positive` is the class of recall and precision, the rarest one if None.

    >>> from crake.table.examples import load
    >>> result = compare_balance("naive-bayes", load("breast-cancer"), ways=["none", "weights", "cutoff"])
    >>> [way.name for way in result]
    ['as it is', 'weights', 'moved cutoff']
    """
    learner, table = learner_of(learner), table_of(table, y, target)
    chosen = _checked_ways(ways)
    rows = rows_of(learner, table, y).table
    costs = costs_for(cost, rows.schema.classes) or CostMatrix.by_rarity(rows.schema.classes, _totals(rows))
    positive = _rarest(rows) if positive is None else positive
    learners, notes = {}, []
    for way in chosen:
        try:
            learners[WORDS[way]] = _treated(learner, way, costs, positive, random_state)
        except CrakeError as error:
            if ways is not None:
                raise
            notes.append(f"{WORDS[way]} is left out: {error}")
    comparison = compare(
        table,
        y,
        learners=learners,
        plan=plan,
        random_state=random_state,
        positive=positive,
        measure="average_precision",
        progress=progress,
        n_jobs=n_jobs,
    )
    for failure in comparison.failures:
        if ways is not None or failure.name == WORDS[NONE]:
            raise failure.error
        notes.append(f"{failure.name} is left out: {failure.reason}")
    return BalanceComparison(capital(title_of(learner)), comparison, costs, positive, tuple(notes))


def _checked_ways(ways: Iterable[str] | None) -> tuple[str, ...]:
    known = tuple(way for way in WORDS if way in (NONE, CUTOFF, *SAMPLERS))
    if ways is None:
        return tuple(way for way in known if way != "gan")
    chosen = [ways] if isinstance(ways, str) else list(ways)
    for way in chosen:
        if way not in known:
            raise CrakeError(f"ways names {way!r}; expected some of {', '.join(known)}.{did_you_mean(str(way), known)}")
    return tuple(way for way in known if way in chosen)


def _treated(learner: Any, way: str, costs: CostMatrix, positive: Label, random_state: int) -> Any:
    if way == NONE:
        return clone(learner)
    if way != CUTOFF:
        return balancing(clone(learner), way, random_state).checked()
    return WithCutoff(clone(learner), by="cost", cost=costs, positive=positive if len(costs.labels) == 2 else None)


def _totals(table: Table) -> Any:
    known = table.target >= 0
    weights = None if table.weights is None else table.weights[known]
    return np.bincount(table.target[known], weights, minlength=len(table.schema.classes))


def _rarest(table: Table) -> Label:
    totals = _totals(table)
    return table.schema.classes[int(np.argmin(np.where(totals > 0, totals, np.inf)))]


def _written(estimate: Any) -> str:
    if not estimate.is_defined:
        return "undefined"
    if estimate.interval is None:
        return f"{estimate:.3f}"
    low, high = estimate.interval
    return f"{estimate:.3f} [{low:.3f}, {high:.3f}]"
