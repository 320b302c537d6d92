"""The base of arbiter and combiner trees: partitions of the rows, a member for each, and the joins above them."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Rows
from crake.errors import CrakeError
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import HasMethods, Interval
from crake.learners.base.state import State, StateReader
from crake.learners.ensemble.base import EnsembleClassifier
from crake.learners.tree.algorithms.c45 import C45Classifier
from crake.plans.dealing import shuffled
from crake.render.drawing.bars import Bar, BarPicture, bar_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.sentences import counted
from crake.slow_modules import sklearn_base
from crake.table.convert.export import label_array
from crake.table.schema import Column, Schema
from crake.table.table import Table

DEALS_ROWS = "copies of a row are dealt to several partitions, a heavy row to one"
CONSTRAINTS: dict[str, list[Any]] = {
    "estimator": [HasMethods(["fit", "predict_proba"]), None],
    "n_partitions": [Interval(Integral, 1, 1000, closed="both")],
    "max_samples": [Interval(Real, 0, None, closed="neither"), None],
    "random_state": [Interval(Integral, 0, 2**31 - 1, closed="both")],
    "n_jobs": [Integral, None],
}


class Join(NamedTuple):
    """A node of the tree: members are numbered first, joins after them; `children` have smaller numbers."""

    number: int
    children: tuple[int, ...]


def joins_of(members: int, fan_in: int) -> list[Join]:
    """Return the joins above the members, level by level, the root last.

    A member or join without a partner on its level takes part in the next level.

    >>> [join.children for join in joins_of(5, 2)]
    [(0, 1), (2, 3), (5, 6), (7, 4)]
    >>> [join.children for join in joins_of(3, 3)]
    [(0, 1, 2)]
    """
    joins: list[Join] = []
    level = list(range(members))
    while len(level) > 1:
        groups = [tuple(level[at : at + fan_in]) for at in range(0, len(level), fan_in)]
        above = []
        for group in groups:
            if len(group) == 1:
                above.append(group[0])
                continue
            joins.append(Join(members + len(joins), group))
            above.append(joins[-1].number)
        level = above
    return joins


class PartitionTree(EnsembleClassifier):
    """Members learn from partitions of the rows; each join learns from what its children say about their rows.

    A tree implements `_join_of`, `_joined` and `_fan_in`. Fitted: `estimators_` (a member for each partition), `joins_`
    (the fitted arbiters or combiners of each join, which may be several), `member_scores_` (the accuracy of each member
    on the rows of the other partitions).
    """

    _no_form: ClassVar[str] = "further learners join the answers of its members"

    n_partitions: int
    max_samples: float | None
    random_state: int
    n_jobs: int | None
    joins_: list[dict[str, Any]]
    parts: ClassVar[tuple[str, ...]] = ()
    """The names of what a join may learn."""

    def _learn(self, table: Table) -> None:
        parts = self._partitions(table)
        learner = self._inner_learner()
        self.schema_, self.classes_ = table.schema, label_array(table.schema.classes)
        self.estimators_ = _fitted_each(learner, [table.take(rows) for rows in parts], self.n_jobs)
        self.member_scores_ = self._scores(table, parts)
        rows, self.joins_ = list(parts), []
        for join in joins_of(len(parts), self._fan_in(len(parts))):
            union = np.sort(np.concatenate([rows[child] for child in join.children]))
            answers = self._answers(table, union, join.children)
            self.joins_.append(self._join_of(join, table, union, answers, len(parts[0])))
            rows.append(union)

    def _partitions(self, table: Table) -> list[Rows]:
        """Return the rows of each partition, of each class as many as of the others within one; each has two rows."""
        order = shuffled(table.target.astype(np.intp), self.random_state, by_class=True)
        number = max(1, min(self.n_partitions, len(order) // 2))
        return [np.sort(order[at::number]) for at in range(number)]

    def _scores(self, table: Table, parts: Sequence[Rows]) -> Floats:
        weights = np.ones(len(table)) if table.weights is None else table.weights
        scores = []
        for member, own in zip(self.estimators_, parts, strict=True):
            others = np.setdiff1d(np.arange(len(table)), own) if len(parts) > 1 else own
            right = member.decide(member.probabilities(table, others)) == table.target[others]
            scores.append(float(np.average(right, weights=weights[others])))
        return np.array(scores)

    def _sampled(self, rows: Rows, size: int, seed: int) -> Rows:
        """Return the rows that a join learns from: at most `max_samples` × the rows of a partition, drawn by seed."""
        most = len(rows) if self.max_samples is None else max(2, int(self.max_samples * size))
        if len(rows) <= most:
            return rows
        keys = np.asarray(np.random.PCG64([self.random_state, seed]).random_raw(len(rows)))
        return np.sort(rows[np.argsort(keys, kind="stable")[:most]])

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the probabilities that the root gives: what its children say, joined."""
        members, joins = len(self.estimators_), joins_of(len(self.estimators_), self._fan_in(len(self.estimators_)))
        rows = np.arange(len(table)) if rows is None else rows
        top = joins[-1].number if joins else members - 1
        return self._answers(table, rows, (top,))[0]

    def _answers(self, table: Table, rows: Rows, nodes: Sequence[int]) -> list[Floats]:
        """Return what each of these nodes says about the rows; nodes above the last fitted join are not asked."""
        members = len(self.estimators_)
        joins = joins_of(members, self._fan_in(members))
        found: dict[int, Floats] = {}

        def answer(node: int) -> Floats:
            if node not in found:
                if node < members:
                    found[node] = self.estimators_[node].probabilities(table, rows)
                else:
                    below = [answer(child) for child in joins[node - members].children]
                    found[node] = self._joined(self.joins_[node - members], below, table, rows)
            return found[node]

        return [answer(node) for node in nodes]

    def _fan_in(self, members: int) -> int:
        """Return the number of children of a join."""
        del members
        return 2

    def _join_of(self, join: Join, table: Table, rows: Rows, answers: list[Floats], size: int) -> dict[str, Any]:
        """Return what a join learns from these rows and the answers of its children."""
        raise NotImplementedError

    def _joined(self, learned: dict[str, Any], answers: list[Floats], table: Table, rows: Rows) -> Floats:
        """Return the probabilities of a join from those of its children."""
        raise NotImplementedError

    def draw(self, *, width: float = 560) -> Drawing:
        """Draw the accuracy of each member on the rows of the other partitions."""
        check_is_fitted(self)
        scores = self.member_scores_
        best = int(np.argmax(scores))
        bars = tuple(Bar(f"member {i + 1}", float(s), f"{s:.3f}", i == best) for i, s in enumerate(scores[:40]))
        rows = "on the rows of the other partitions" if len(scores) > 1 else "on its own rows: there is one partition"
        finding = f"The members' accuracy goes from {scores.min():.3f} to {scores.max():.3f} {rows}."
        title = f"{self._name()}: {counted(len(scores), 'member')} and {joins_text(len(self.joins_))}"
        return bar_drawing(BarPicture(title, f"accuracy of each member {rows}", finding, bars, ()), width)

    def member_note(self, number: int) -> str:
        """Return one sentence on a member: its number, its accuracy on the rows of the other partitions."""
        score = self.member_scores_[self._place(number)]
        rows = "on the rows of the other partitions" if self.n_members_ > 1 else "on its own rows"
        return f"Member {number} of {self.n_members_}: its accuracy {rows} is {score:.4f}."

    def _curve_pictures(self) -> tuple[Drawing, ...]:
        return (self.draw(),)

    def _default_learner(self) -> Any:
        return C45Classifier()

    def _weight_exception(self) -> str:
        return DEALS_ROWS

    def _cut_points(self, column: Column) -> Floats | None:
        learned = [*self.estimators_, *(each for join in self.joins_ for each in join.values())]
        asked = [each for each in learned if column in each.schema_.features]
        cuts = [each._cut_points(column) for each in asked]  # noqa: SLF001 (the same hook)
        return None if any(each is None for each in cuts) else np.unique(np.concatenate(cuts))

    def __str__(self) -> str:
        if not hasattr(self, "estimators_"):
            return repr(self)
        scores = self.member_scores_
        where = "the rows of the other partitions" if len(scores) > 1 else "its own rows"
        return (
            f"{self._name()}: {counted(len(scores), 'member')}, {self._inner_learner()!r}, "
            f"and {joins_text(len(self.joins_))}\n"
            f"  accuracy of the members on {where}: {scores.min():.4f} to {scores.max():.4f}"
        )

    def state(self) -> State:
        """Return the members, the joins and the members' scores."""
        joins = {str(at): dict(join) for at, join in enumerate(self.joins_)}
        return {**super().state(), "joins": joins, "scores": self.member_scores_}

    def restore(self, reader: StateReader) -> Self:
        """Take back the members and as many joins as they need."""
        super().restore(reader)
        members = len(self.estimators_)
        self.member_scores_ = reader.floats("scores", (members,), 0, 1)
        joins, self.joins_ = reader.part("joins"), []
        for at, join in enumerate(joins_of(members, self._fan_in(members))):
            stored = joins.part(str(at))
            learned = {name: stored.learner(name) for name in self.parts if name in stored}
            names = self._names_of_join()
            if tuple(learned) != names:
                raise stored.refusal(names[0], f"stands beside {sorted(learned)}", f"the fitted learners {list(names)}")
            kind, schema = type(self._join_learner()), self._join_schema(join)
            for name, each in learned.items():
                if type(each) is not kind:
                    raise stored.refusal(name, f"is a {type(each).__name__}", f"a {kind.__name__}")
                if getattr(each, "schema_", None) != schema:
                    raise stored.refusal(name, "was fitted on other columns", "those that its join reads")
            self.joins_.append(learned)
        return self

    def _children_text(self, join: Join) -> str:
        """Return in words which members and joins a join has as its children, by their numbers from 1."""
        members = len(self.estimators_)
        each = [f"member {at + 1}" if at < members else f"join {at - members + 1}" for at in join.children]
        return ", ".join(each[:-1]) + " and " + each[-1]

    def _names_of_join(self) -> tuple[str, ...]:
        """Return the names of what each join learns."""
        return self.parts

    def _join_learner(self) -> Any:
        """Return the learner of the joins, not fitted."""
        return self._inner_learner()

    def _join_schema(self, join: Join) -> Schema:
        """Return the columns that a join reads."""
        del join
        return self.schema_


def joins_text(number: int) -> str:
    """Return the number of joins in words.

    >>> joins_text(1), joins_text(3)
    ('1 join', '3 joins')
    """
    return "1 join" if number == 1 else f"{number} joins"


def _fitted_each(learner: Any, tables: list[Table], n_jobs: int | None) -> list[Any]:
    """Fit a clone to each partition, by joblib's workers where `n_jobs` asks for them."""
    number = len(tables)
    works = [(sklearn_base.clone(learner), part, f"member {at + 1} of {number}") for at, part in enumerate(tables)]
    if n_jobs is None or n_jobs == 1:
        return [fit_one(*work) for work in works]
    from joblib import Parallel, delayed  # noqa: PLC0415 (only where workers are asked for)

    fitted: list[Any] = Parallel(n_jobs=n_jobs)(delayed(fit_one)(*work) for work in works)
    return fitted


def fit_one(learner: Any, part: Table, which: str) -> Any:
    """Fit a learner to its rows; an error says in words which one it was."""
    try:
        return learner.fit(part)
    except Exception as error:
        kind = type(error) if isinstance(error, CrakeError) else CrakeError
        raise kind(f"{which}, {learner!r}, cannot be fitted: {error}") from error
