"""Results of an experiment: scores by table and learner, ranks, and tests between learners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError, DataError
from crake.evaluation.experiment.cell import Folds
from crake.evaluation.experiment.export import csv_of, frame_of
from crake.evaluation.experiment.measures import measure_of, title_of, values_of
from crake.evaluation.protocol.trials import Failure
from crake.files import replace_file
from crake.metrics.measure import Measure
from crake.metrics.significance.bayesian_t import Posterior, bayesian_correlated_t
from crake.metrics.significance.corrected_t import corrected_t
from crake.metrics.significance.five_by_two import five_by_two_f
from crake.metrics.significance.friedman import Friedman, friedman
from crake.metrics.significance.holm import AgainstBaseline, holm_against
from crake.metrics.significance.nemenyi import Nemenyi, nemenyi
from crake.metrics.significance.p_text import LEVEL
from crake.metrics.significance.paired import PairedTest
from crake.metrics.significance.ranks import ranks_by_table
from crake.metrics.significance.sign_test import SignTest, sign_test
from crake.metrics.significance.wilcoxon import Wilcoxon, wilcoxon
from crake.render.experiment.critical_difference import CriticalDifference
from crake.render.experiment.score_table import BETTER, SAME, WORSE, Score, ScoreRow, ScoreTable
from crake.render.short_repr import short_repr

if TYPE_CHECKING:
    import pyarrow as pa


from crake.errors import did_you_mean

Place = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class ExperimentResult:
    """Folds by (table, learner, repeat), each by its number; every score and test is a function of them.

    `print(result)` shows the table, the ranks and what can be told apart; `measure=` and `baseline=` of the methods
    are those of the experiment unless given. `failures` are learners that failed on a table and are left out;
    `failed_baseline` is the one that the others were to be held against, "" if it did not fail. `titles` are
    the names that are crake's own.
    """

    tables: tuple[str, ...]
    learners: tuple[str, ...]
    folds: Mapping[Place, Folds] = field(repr=False)
    plan: str
    repeats: int
    seed: int
    measure: str = "accuracy"
    baseline: int = 0
    failures: tuple[Failure, ...] = ()
    failed_baseline: str = ""
    titles: tuple[str, ...] = ()

    __repr__ = short_repr

    def viewed(self, *, measure: str | None = None, baseline: str | int | None = None) -> ExperimentResult:
        """Return the result, shown by another measure or against another baseline."""
        failed = self.failed_baseline if baseline is None else ""
        chosen = self._learner(baseline)
        return replace(self, measure=self._measure(measure).name, baseline=chosen, failed_baseline=failed)

    def scores(self, table: str | int, measure: str | None = None) -> Floats:
        """Return one number per fold, shape (learners, folds of all repeats); NaN where the measure has no value."""
        t, chosen = position(table, self.tables, "table"), self._measure(measure)
        repeats = range(self.repeats)
        rows = [[values_of(chosen, self.folds[t, k, r]) for r in repeats] for k in range(len(self.learners))]
        return np.array([np.concatenate(row) for row in rows])

    def means(self, measure: str | None = None) -> Floats:
        """The mean of the defined folds, shape (tables, learners); NaN where no fold has a value."""
        return np.array([[_mean(row) for row in self.scores(t, measure)] for t in range(len(self.tables))])

    def table(
        self, measure: str | None = None, baseline: str | int | None = None, *, level: float = LEVEL
    ) -> ScoreTable:
        """Means and deviations by table; v and * by the corrected resampled t test against the baseline."""
        chosen, base = self._measure(measure), self._learner(baseline)
        rows = tuple(self._row(t, chosen, base, level) for t in range(len(self.tables)))
        means = self.means(chosen.name)
        ranked = np.isfinite(means).all() and len(self.learners) > 1
        ranks = ranks_by_table(means, higher_is_better=chosen.greater_is_better).mean(axis=0) if ranked else None
        ranks_shown = None if ranks is None else tuple(float(rank) for rank in ranks)
        test = f"corrected resampled t test at {level:g}"
        return ScoreTable(title_of(chosen), self.learners, base, rows, ranks_shown, test)

    def pair(self, first: str | int, second: str | int, table: str | int = 0, measure: str | None = None) -> PairedTest:
        """The corrected resampled t test of two learners on one table; how much better the first is."""
        differences, training, test, names = self._paired(first, second, table, measure)
        return corrected_t(differences, training, test, names=names)

    def five_by_two(
        self, first: str | int, second: str | int, table: str | int = 0, measure: str | None = None
    ) -> PairedTest:
        """Alpaydin's F test of two learners on one table: for 5 repeats of 2 folds."""
        differences, _, _, names = self._paired(first, second, table, measure)
        if self.repeats != 5 or len(differences) != 10:
            raise DataError(
                f"{self.repeats} repeats with {len(differences)} folds together; the 5 × 2 cv test needs "
                "plan=CrossValidation(2), repeats=5, and a value in every fold"
            )
        return five_by_two_f(differences.reshape(5, 2), names=names)

    def posterior(
        self,
        first: str | int,
        second: str | int,
        table: str | int = 0,
        measure: str | None = None,
        *,
        rope: float = 0.01,
    ) -> Posterior:
        """P(first better), P(as good within `rope`), P(second better) on one table."""
        differences, training, test, names = self._paired(first, second, table, measure)
        return bayesian_correlated_t(differences, training, test, rope=rope, names=names)

    def wilcoxon(self, first: str | int, second: str | int, measure: str | None = None) -> Wilcoxon:
        """Two learners over the tables, by signed ranks of their mean scores."""
        one, other, names = self._over_tables(first, second, measure)
        return wilcoxon(one, other, names=names)

    def sign_test(self, first: str | int, second: str | int, measure: str | None = None) -> SignTest:
        """Two learners over the tables, by who wins."""
        one, other, names = self._over_tables(first, second, measure)
        return sign_test(one, other, names=names)

    def friedman(self, measure: str | None = None) -> Friedman:
        """Test whether the learners differ over the tables."""
        means, chosen = self._complete(measure)
        return friedman(means, higher_is_better=chosen.greater_is_better)

    def nemenyi(self, measure: str | None = None, *, level: float = LEVEL) -> Nemenyi:
        """Test which learners differ over the tables, all pairs compared."""
        means, chosen = self._complete(measure)
        return nemenyi(means, higher_is_better=chosen.greater_is_better, level=level, names=self.learners)

    def holm(
        self, measure: str | None = None, baseline: str | int | None = None, *, level: float = LEVEL
    ) -> AgainstBaseline:
        """Every learner against the baseline over the tables."""
        means, chosen = self._complete(measure)
        base, better = self._learner(baseline), chosen.greater_is_better
        return holm_against(means, base, higher_is_better=better, level=level, names=self.learners)

    def critical_difference(self, measure: str | None = None, *, level: float = LEVEL) -> CriticalDifference:
        """Mean ranks drawn, learners that cannot be told apart joined."""
        ranks = self.nemenyi(measure, level=level)
        title = title_of(self._measure(measure))
        picture = (self.learners, ranks.mean_ranks, ranks.critical_difference, ranks.groups, ranks.tables)
        return CriticalDifference(*picture, title, level)

    def to_frame(self) -> pa.Table:
        """Return one line per fold as an Arrow table: where, how many rows, and every measure, null where undefined."""
        return frame_of(self)

    def to_csv(self, path: str | Path | None = None) -> str:
        """The lines of `to_frame` as CSV; written to `path` if given, whole or not at all."""
        text = csv_of(self)
        if path is not None:
            replace_file(path, text.encode("utf-8", "backslashreplace"))
        return text

    def to_dict(self) -> dict[str, Any]:
        """For JSON, under the schema "crake-experiment/1"."""
        from crake.evaluation.experiment.summary import document  # noqa: PLC0415  # it puts results into words

        return document(self)

    def to_html(self, path: str | Path | None = None) -> str:
        """The page; written to `path` if given, whole or not at all."""
        from crake.evaluation.experiment.summary import board_of  # noqa: PLC0415
        from crake.render.experiment.page import experiment_page  # noqa: PLC0415

        page = experiment_page(board_of(self))
        if path is not None:
            replace_file(path, page.encode("utf-8", "backslashreplace"))
        return page

    def __str__(self) -> str:
        from crake.evaluation.experiment.summary import board_of  # noqa: PLC0415
        from crake.render.experiment.board import board_text  # noqa: PLC0415

        return board_text(board_of(self)).plain

    def _repr_html_(self) -> str:
        from crake.evaluation.experiment.summary import board_of  # noqa: PLC0415
        from crake.render.experiment.page import experiment_fragment  # noqa: PLC0415

        return experiment_fragment(board_of(self))

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Return a note on a baseline that failed, and the notes of the plan on the tables, each once."""
        instead = f"{self.failed_baseline} was to be the baseline and failed; {self.learners[self.baseline]} is instead"
        notes = dict.fromkeys([instead] if self.failed_baseline else [])
        notes |= {
            f"{self.tables[t]}: {note}": None for (t, _, r), folds in sorted(self.folds.items()) for note in folds.notes
        }
        return tuple(notes)

    @property
    def seconds(self) -> tuple[float, float]:
        """Learning and predicting, of all cells together."""
        cells = self.folds.values()
        return sum(folds.fit_seconds for folds in cells), sum(folds.predict_seconds for folds in cells)

    def _measure(self, measure: str | None) -> Measure[Any]:
        numbers = next(iter(self.folds.values())).is_numeric
        return measure_of(self.measure if measure is None else measure, numbers=numbers)

    def _learner(self, learner: str | int | None) -> int:
        return self.baseline if learner is None else position(learner, self.learners, "learner")

    def _row(self, t: int, measure: Measure[Any], baseline: int, level: float) -> ScoreRow:
        scores = self.scores(t, measure.name)
        marked = []
        for k, own in enumerate(scores):
            p = None if k == baseline else self._p(t, k, baseline, measure)
            mark = SAME
            if p is not None and p < level:
                is_more = _mean_difference(own, scores[baseline]) > 0
                mark = BETTER if is_more == measure.greater_is_better else WORSE
            marked.append(Score(*_moments(own), mark, p, int(np.isfinite(own).sum())))
        return ScoreRow(self.tables[t], scores.shape[1], tuple(marked))

    def _p(self, t: int, k: int, baseline: int, measure: Measure[Any]) -> float | None:
        """The p-value, or None where fewer than two folds have both scores."""
        try:
            return self.pair(k, baseline, t, measure.name).p_value
        except DataError:
            return None

    def _paired(
        self, first: str | int, second: str | int, table: str | int, measure: str | None
    ) -> tuple[Floats, Floats, Floats, tuple[str, str]]:
        """Return the differences, first better above 0, and the rows, of the folds in which both have a score."""
        a, b, t = self._learner(first), self._learner(second), position(table, self.tables, "table")
        scores = self.scores(t, measure)
        both = np.isfinite(scores[a]) & np.isfinite(scores[b])
        cells = [self.folds[t, a, r] for r in range(self.repeats)]
        training = np.concatenate([folds.training_rows for folds in cells])[both]
        test = np.concatenate([folds.test_rows for folds in cells])[both]
        sign = 1.0 if self._measure(measure).greater_is_better else -1.0
        return sign * (scores[a] - scores[b])[both], training, test, (self.learners[a], self.learners[b])

    def _over_tables(
        self, first: str | int, second: str | int, measure: str | None
    ) -> tuple[Floats, Floats, tuple[str, str]]:
        """Mean scores of two learners, so that more is better."""
        means, chosen = self._complete(measure)
        a, b = self._learner(first), self._learner(second)
        sign = 1.0 if chosen.greater_is_better else -1.0
        return sign * means[:, a], sign * means[:, b], (self.learners[a], self.learners[b])

    def _complete(self, measure: str | None) -> tuple[Floats, Measure[Any]]:
        """The means, of tables on which every learner has one."""
        chosen = self._measure(measure)
        means = self.means(chosen.name)
        whole = np.isfinite(means).all(axis=1)
        if not whole.any():
            raise CrakeError(f"on no table every learner has a {chosen.name}; choose another measure")
        return means[whole], chosen


def _mean(values: Floats) -> float:
    defined = values[np.isfinite(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def _mean_difference(one: Floats, other: Floats) -> float:
    return _mean(one - other)


def _moments(values: Floats) -> tuple[float | None, float | None]:
    """Mean and standard deviation (n − 1) of the defined folds; 0 where there is one."""
    defined = values[np.isfinite(values)]
    if len(defined) == 0:
        return None, None
    return float(defined.mean()), float(defined.std(ddof=1)) if len(defined) > 1 else 0.0


def position(name: str | int, names: tuple[str, ...], what: str) -> int:
    """Return the position of a name, or the position itself if it exists.

    >>> position("1R", ("majority class", "1R"), "learner")
    1
    >>> position("naive bayes", ("majority class", "naive Bayes"), "learner")
    Traceback (most recent call last):
    crake.errors.CrakeError: ... 'naive bayes' in this experiment. Did you mean 'naive Bayes'? ...
    """
    if isinstance(name, int) and not isinstance(name, bool) and 0 <= name < len(names):
        return name
    if name in names:
        return names.index(str(name))
    hint = did_you_mean(str(name), names)
    raise CrakeError(f"there is no {what} {name!r} in this experiment.{hint} There are: {', '.join(names)}")
