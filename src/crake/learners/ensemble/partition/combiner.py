"""The combiner tree of Chan and Stolfo: a combiner learns the class from what the classifiers of partitions say."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from crake.arrays import Floats, Rows
from crake.learners.base.card import Card
from crake.learners.base.parameters import HasMethods, Interval, StrOptions
from crake.learners.ensemble.foreign import checked_member
from crake.learners.ensemble.partition.base import CONSTRAINTS, Join, PartitionTree, fit_one
from crake.learners.ensemble.partition.workings import explained
from crake.render.workings import Workings
from crake.slow_modules import sklearn_base
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table

COMBINER = "combiner"


class CombinerTreeClassifier(PartitionTree):
    """The rows are parted, a member learns from each partition, and combiners learn the class from what members say.

    A combiner learns from rows of its children. Its columns are the predicted classes of the children, and with
    `composition="class-attribute"` the columns of the row as well. One combiner above all members is stacking.

    Parameters
    ----------
    estimator : one of crake's classifiers, of the members; C4.5 if None.
    combiner : one of crake's classifiers, of the combiners; that of the members if None.
    n_partitions : the number of partitions; fewer if a partition had less than two rows.
    composition : "class" or "class-attribute".
    fan_in : the children of a combiner; None: all members, so that there is one.
    max_samples : the most rows of a combiner as a multiple of a partition's rows; None: all rows of its children.
    random_state : the seed of partitions and samples.
    n_jobs : workers that fit the members, by joblib; None: one.

    Fitted: `estimators_`, `joins_` (the combiners), `member_scores_`.

    >>> from crake.table.examples import load
    >>> print(CombinerTreeClassifier(fan_in=None).fit(load("breast-cancer")))
    Combiner tree: 4 members, C45Classifier(), and 1 join
      accuracy of the members on the rows of the other partitions: 0.9063 to 0.9225

    Chan and Stolfo (1995), Learning arbiter and combiner trees from partitioned data for scaling machine learning.
    """

    card = Card(
        title="combiner tree",
        about="trees of parts of the rows, joined by learners of their votes",
        model="a mean of many",
        is_readable=False,
        missing="as its members do",
        has_interactions=True,
        probabilities="those of the last combiner",
        time="a fit per partition, one per join",
        is_compared=False,
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "combiner": [HasMethods(["fit", "predict_proba"]), None],
        "composition": [StrOptions({"class", "class-attribute"})],
        "fan_in": [Interval(Integral, 2, None, closed="left"), None],
    }
    parts = (COMBINER,)

    def __init__(
        self,
        estimator: Any = None,
        *,
        combiner: Any = None,
        n_partitions: int = 4,
        composition: str = "class",
        fan_in: int | None = 2,
        max_samples: float | None = None,
        random_state: int = 1,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.combiner = combiner
        self.n_partitions = n_partitions
        self.composition = composition
        self.fan_in = fan_in
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fan_in(self, members: int) -> int:
        return max(2, members) if self.fan_in is None else self.fan_in

    def _join_of(self, join: Join, table: Table, rows: Rows, answers: list[Floats], size: int) -> dict[str, Any]:
        sample = self._sampled(rows, size, join.number)
        place = np.searchsorted(rows, sample)
        composed = self._composed([each[place] for each in answers], table, sample, has_target=True)
        learner = sklearn_base.clone(self._join_learner())
        return {COMBINER: fit_one(learner, composed, f"the combiner of {self._children_text(join)}")}

    def _joined(self, learned: dict[str, Any], answers: list[Floats], table: Table, rows: Rows) -> Floats:
        composed: Floats = learned[COMBINER].probabilities(self._composed(answers, table, rows, has_target=False))
        return composed

    def _composed(self, answers: list[Floats], table: Table, rows: Rows, *, has_target: bool) -> Table:
        """Return the rows as a combiner reads them: predicted classes, and the columns themselves if they are asked."""
        schema = _composed_schema(self.schema_, len(answers), has_attributes=self.composition == "class-attribute")
        part, said = table.take(rows), [column.name for column in schema.columns if column.name not in self.schema_]
        own = [column.name for column in schema.features if column.name in self.schema_]
        own += [schema.target] if has_target and schema.target is not None else []
        columns = {name: part.column(name) for name in own}
        columns |= {name: np.argmax(each, axis=1).astype(np.int32) for name, each in zip(said, answers, strict=True)}
        return replace(part, schema=schema, source=MemorySource(columns, len(rows)))

    def explain(self, row: Any) -> Workings:
        """Return what each member says of a row, and what the combiners make of it."""
        table = self._one_row(row)
        return explained(self, table, None, self.probabilities(table)[0])

    def _join_learner(self) -> Any:
        return self._inner_learner() if self.combiner is None else checked_member(self.combiner, self.random_state)

    def _join_schema(self, join: Join) -> Schema:
        has_attributes = self.composition == "class-attribute"
        return _composed_schema(self.schema_, len(join.children), has_attributes=has_attributes)

    def _name(self) -> str:
        return "Combiner tree"


def _composed_schema(schema: Schema, children: int, *, has_attributes: bool) -> Schema:
    """Return the columns of a combiner: those of the row if they are asked, the predictions, the target."""
    own = [column for column in schema.columns if column.is_feature and column.name != schema.target]
    said = []
    for at in range(children):
        name = f"prediction {at + 1}"
        while name in schema:
            name += " "
        said.append(Column(name, Kind.NOMINAL, schema.classes, declared=True))
    target = [schema[schema.target]] if schema.target is not None else []
    return Schema((*(own if has_attributes else ()), *said, *target), schema.target)
