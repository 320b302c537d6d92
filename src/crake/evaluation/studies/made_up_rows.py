"""A study of made-up rows: their distances from the real ones, and what a learner learns from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.balance.cells import cells_of
from crake.balance.foreign import as_sampler
from crake.balance.quality.quality import Quality, quality_of
from crake.balance.sample import Sample, balanced_table
from crake.balance.smote.sampler import SMOTE
from crake.balance.weights import Weights
from crake.errors import CrakeError, DataError
from crake.evaluation.comparison.standing import LEVEL
from crake.evaluation.protocol.arguments import learner_of
from crake.evaluation.protocol.memory import deal
from crake.evaluation.protocol.roads import rows_of
from crake.learners.base.scikit_learn import clone
from crake.learners.base.training_rows import present_rows
from crake.learners.registry import title_of
from crake.metrics.ranking.auc import auc_of_scores
from crake.metrics.significance.corrected_t import corrected_t
from crake.metrics.significance.paired import PairedTest
from crake.plans import CrossValidation, Plan
from crake.render.grid import Grid
from crake.render.plain_text import minus, visible
from crake.render.short_repr import short_repr
from crake.table.table import Table

SAMPLE = "real and made-up rows"
"""Name of the line of the whole sample."""
LOSS = 0.05
"""AUC that a learner may lose if it learns from made-up rows in place of real ones."""


@dataclass(frozen=True, eq=False)
class MadeUpQuality:
    """Quality of made-up rows, and the AUC of a learner on real rows that it did not learn, by what it learned from.

    `learned_from` has lines of a name and the AUC of each fold, `fold_rows` the rows that were learned and tested in
    each fold.
    """

    sampler: str
    learner: str
    plan: str
    label: str
    qualities: tuple[Quality, ...]
    learned_from: tuple[tuple[str, tuple[float, ...]], ...]
    fold_rows: tuple[tuple[int, int], ...]

    __repr__ = short_repr

    @property
    def loss(self) -> float:
        """The mean AUC of real rows less that of made-up rows in their place."""
        real, made = (float(np.mean(values)) for _, values in self.learned_from[:2])
        return real - made

    def gain(self, name: str) -> PairedTest | None:
        """Return the AUC of real and made-up rows less that of another line; None if there is one fold.

        The interval is that of the corrected resampled t test.
        """
        folds, (training, tested) = dict(self.learned_from), zip(*self.fold_rows, strict=True)
        if len(tested) < 2:
            return None
        return corrected_t(np.subtract(folds[SAMPLE], folds[name]), training, tested)

    @property
    def advice(self) -> str:
        """Sentences: whether these made-up rows can be recommended for this table, and what does the same."""
        problems = [problem for quality in self.qualities for problem in quality.problems]
        if self.loss > LOSS:
            problems.append(f"a model of made-up rows loses {self.loss:.3f} of AUC, more than {LOSS:g}")
        if problems:
            return f"{self.sampler} is not advised here: {'; '.join(problems)}."
        means = {name: float(np.mean(values)) for name, values in self.learned_from}
        best = max((name for name, _ in self.learned_from[3:]), key=lambda name: means[name])
        gain = self.gain(best)
        figures = (
            f"AUC {means[SAMPLE]:.3f} against {means[best]:.3f}{'' if gain is None else f', gain {_signed(gain)}'}"
        )
        within = f"{self.sampler} is within all limits"
        if gain is None or gain.p_value >= LEVEL:
            same = f"{within} and does no better than {best}, as far as these folds can tell: {figures}."
            return f"{same} The simpler way is {best}."
        return f"{within} and {'better' if gain.difference > 0 else 'worse'} than {best}: {figures}."

    def grid(self) -> Grid:
        """Return one line per training set: the mean AUC, its range over the folds, and the gain by made-up rows."""
        lines = tuple(
            (name, f"{np.mean(values):.3f}", f"{min(values):.3f} … {max(values):.3f}", self._gain_text(name))
            for name, values in self.learned_from
        )
        title = f"{self.learner}, tested on real rows: AUC of {self.label}, {self.plan}"
        below = "gain: AUC of real and made-up rows less that of the line, with its 95 % interval"
        return Grid(title, ("learned from", "mean", "folds", "gain"), lines, below)

    def _gain_text(self, name: str) -> str:
        gain = None if name == SAMPLE else self.gain(name)
        return "" if gain is None else _signed(gain)

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.qualities), str(self.grid()), self.advice])


def made_up_quality(
    sampler: Any, table: Any, y: Any = None, *, learner: Any = "forest", plan: Plan | None = None
) -> MadeUpQuality:
    """Judge the rows that a sampler makes up, on the same folds as SMOTE and weights.

    In each fold the sampler makes rows up from the training part. They are compared with the real rows of their class
    (the figures are those of the first fold), and `learner` learns from: the real rows; the real rows with those of
    the rarest class replaced by as many made-up ones (train on synthetic, test on real); the sample; the sample of
    SMOTE; and weights. Each model is tested on the real rows of the fold, by the AUC of the rarest class. That is the
    rarest of the classes that get made-up rows. The plan is stratified 3-fold cross-validation unless given.

    >>> import crake
    >>> study = made_up_quality(crake.SMOTE(), crake.read("breast-cancer"), learner="naive_bayes")
    >>> [name for name, _ in study.learned_from]
    ['real rows', 'made-up rows in their place', 'real and made-up rows', 'weights']
    """
    sampler = as_sampler(sampler)
    if not sampler.makes_rows:
        raise CrakeError(f"{sampler!r} makes no rows up; expected a sampler that does, such as SMOTE() or GAN()")
    learner = learner_of(learner)
    plan, data, rounds = deal(learner, rows_of(learner, table, y), plan or CrossValidation(3))
    rows, assignment = data.table, next(iter(rounds))
    rare: int | None = None
    sampler = clone(sampler).checked()
    qualities: tuple[Quality, ...] = ()
    figures: dict[str, list[float]] = {}
    fold_rows = []
    for training, testing in assignment.splits():
        train, test = present_rows(rows.take(training)), present_rows(rows.take(testing))
        fold_rows.append((len(train), len(test)))
        sample = sampler.sample(train)
        if sample.made is None:
            raise DataError("the sampler made no row up; expected an amount above the rows that the classes have")
        rare = _rarest_made(train, sample.made) if rare is None else rare
        if not np.any(sample.made.target == rare):
            raise DataError(
                f"the sampler made no row of {visible(rows.schema.classes[rare])} up in one of the folds; expected an "
                "amount above the rows that the class has in each of them"
            )
        qualities = qualities or _qualities(train, sample)
        for name, some in _training_sets(sampler, train, sample, rare).items():
            scores = _scores(clone(learner).fit(some()), test, rare)
            figures.setdefault(name, []).append(float(auc_of_scores(test.target == rare, scores)))
    assert rare is not None  # noqa: S101 (a plan has a fold)
    return MadeUpQuality(
        sampler=sampler.words(),
        learner=title_of(learner),
        plan=plan.describe(),
        label=visible(rows.schema.classes[rare]),
        qualities=qualities,
        learned_from=tuple((name, tuple(values)) for name, values in figures.items()),
        fold_rows=tuple(fold_rows),
    )


def _signed(gain: PairedTest) -> str:
    """Return a difference with its interval: "+0.004 [−0.010, +0.018]"."""
    between = "" if gain.interval is None else " [{:+.3f}, {:+.3f}]".format(*gain.interval)
    return minus(f"{gain.difference:+.3f}{between}")


def _rarest_made(train: Table, made: Table) -> int:
    """Return the class with the fewest real rows, of those that have made-up ones."""
    real, new = (np.bincount(each.target, minlength=len(train.schema.classes)) for each in (train, made))
    return int(np.where(new > 0, real, real.max() + 1).argmin())


def _training_sets(sampler: Any, train: Table, sample: Sample, rare: int) -> dict[str, Callable[[], Table]]:
    """Return the tables to learn from by name, each made when it is its turn."""
    sets = {
        "real rows": lambda: train,
        "made-up rows in their place": lambda: balanced_table(train, _in_place(train, sample, rare)),
        SAMPLE: lambda: balanced_table(train, sample),
        "SMOTE": lambda: balanced_table(train, SMOTE(getattr(sampler, "amount", "equal")).sample(train)),
        "weights": lambda: balanced_table(train, Weights().sample(train)),
    }
    if isinstance(sampler, SMOTE):
        del sets["SMOTE"]
    return sets


def _in_place(train: Table, sample: Sample, rare: int) -> Sample:
    """Return the real rows of the other classes, and as many made-up rows of the rare class as it has real ones."""
    assert sample.made is not None  # noqa: S101 (asked for by the caller)
    others = np.flatnonzero(train.target != rare)
    made = np.flatnonzero(sample.made.target == rare)
    return Sample(others, made=sample.made.take(np.resize(made, len(train) - len(others))))


def _scores(model: Any, test: Table, rare: int) -> Floats:
    scores: Floats = model.predict_proba(test)[:, rare]
    return scores


def _qualities(train: Table, sample: Sample) -> tuple[Quality, ...]:
    assert sample.made is not None  # noqa: S101 (asked for by the caller)
    return tuple(
        quality_of(
            train.schema,
            visible(label),
            cells_of(train, np.flatnonzero(train.target == code)),
            cells_of(sample.made, np.flatnonzero(sample.made.target == code)),
        )
        for code, label in enumerate(train.schema.classes)
        if np.any(sample.made.target == code)
    )
