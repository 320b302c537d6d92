"""Cost matrices: the cost of calling a row of one class another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError, DataError
from crake.metrics.confusion import table as matrix_table
from crake.metrics.cost import file as cost_file
from crake.metrics.inputs import numbers
from crake.table.schema import Label


@dataclass(frozen=True, eq=False)
class CostMatrix:
    r"""`costs` of shape (K, K): the row is the actual class, the column what it was called, as in a confusion matrix.

    So C(i given j), the cost of calling a j an i, is `costs[j, i]`. A gain is a negative cost.

    >>> loans = CostMatrix.of_errors(("good", "bad"), positive="bad", false_positive=1, false_negative=5)
    >>> print(loans)
    actual \ called  good  bad
    good                0    1
    bad                 5    0
    >>> loans.cost("good", given="bad")                                           # calling a bad one good
    5.0
    """

    labels: tuple[Label, ...]
    costs: Floats

    def __post_init__(self) -> None:
        costs = np.array(numbers(self.costs, "costs"))
        K = len(self.labels)
        if K == 0 or costs.shape != (K, K):
            raise DataError(
                f"{K} labels and costs of shape {costs.shape}; expected shape ({K}, {K}): a row for each actual class, "
                "a column for each class it may be called"
            )
        if len({(type(label), label) for label in self.labels}) < K:
            raise DataError(f"the labels {self.labels} are not all different; every class needs a label of its own")
        if not np.isfinite(costs).all():
            j, i = (int(place[0]) for place in np.nonzero(~np.isfinite(costs)))
            raise DataError(
                f"the cost of calling a {self.labels[j]!r} a {self.labels[i]!r} is {costs[j, i]}; "
                "expected a finite number"
            )
        costs.flags.writeable = False
        object.__setattr__(self, "labels", tuple(self.labels))
        object.__setattr__(self, "costs", costs)

    @classmethod
    def of_errors(
        cls, labels: Sequence[Label], positive: Label, *, false_positive: float, false_negative: float
    ) -> CostMatrix:
        """Two classes, two numbers: a negative called positive, a positive called negative; what is right is free."""
        if len(labels) != 2 or positive not in labels:
            raise CrakeError(
                f"classes {list(labels)}, positive {positive!r}; expected two classes, one of them positive"
            )
        negative_first = np.array([[0.0, false_positive], [false_negative, 0.0]])
        costs = negative_first if labels[1] == positive else negative_first[::-1, ::-1]
        return cls(tuple(labels), costs)

    @classmethod
    def by_rarity(cls, labels: Sequence[Label], totals: Floats) -> CostMatrix:
        """Return costs under which all classes count the same: an error on one of the n_c rows costs n / (K·n_c).

        K is the number of classes that have rows; an error on another class costs 1.

        >>> CostMatrix.by_rarity(("no", "yes"), np.array([90.0, 10.0])).costs.round(3).tolist()
        [[0.0, 0.556], [5.0, 0.0]]
        """
        present = totals > 0
        each = np.where(present, totals.sum() / (present.sum() * np.where(present, totals, 1)), 1.0)
        return cls(tuple(labels), each[:, None] * (1 - np.eye(len(each))))

    @classmethod
    def of(cls, costs: Mapping[Label, Mapping[Label, float]]) -> CostMatrix:
        """From {actual: {called: cost}}; the cost of what is right may be left out: 0.

        >>> CostMatrix.of({"good": {"bad": 1}, "bad": {"good": 5}}).costs.tolist()
        [[0.0, 1.0], [5.0, 0.0]]
        """
        labels = tuple(costs)
        for actual, line in costs.items():
            if unknown := [called for called in line if called not in costs]:
                raise DataError(f"a {actual!r} called {unknown[0]!r} has a cost, but {unknown[0]!r} has no line itself")
            if missing := [called for called in labels if called not in line and called != actual]:
                raise DataError(f"the cost of calling a {actual!r} a {missing[0]!r} is missing")
        lines = [[line.get(called, 0.0) for called in labels] for line in costs.values()]
        return cls(labels, numbers(lines, "costs"))

    @classmethod
    def read(cls, path: str | Path) -> CostMatrix:
        """From a CSV file: the first row names what was called, the first column what it is, in any order."""
        return cls(*cost_file.read(path))

    def aligned(self, classes: Sequence[Label]) -> CostMatrix:
        """In the order of these classes, which must be the ones of the matrix; text '1' stands for the class 1 too.

        >>> CostMatrix.of({"1": {"0": 5}, "0": {"1": 1}}).aligned([0, 1]).costs.tolist()
        [[0.0, 1.0], [5.0, 0.0]]
        """
        order = [self._position(label) for label in classes]
        if missing := [label for label, position in zip(classes, order, strict=True) if position is None]:
            raise DataError(f"the cost matrix has no class {missing[0]!r}; it has {self._named()}")
        if extra := [label for position, label in enumerate(self.labels) if position not in order]:
            raise DataError(f"the cost matrix has a class {extra[0]!r} that the table has not: {list(classes)}")
        which = np.array(order, dtype=np.intp)
        return CostMatrix(tuple(classes), self.costs[np.ix_(which, which)])

    def cost(self, called: Label, given: Label) -> float:
        """C(called given actual)."""
        row, column = self._position(given), self._position(called)
        if row is None or column is None:
            raise CrakeError(f"there is no class {given if row is None else called!r}; expected one of {self._named()}")
        return float(self.costs[row, column])

    def normalised(self) -> CostMatrix:
        """C(i given j) − C(j given j), over the largest of them: what is right is free, the worst error costs 1.

        It ranks all calls and all classifiers as before.

        >>> CostMatrix(("a", "b"), np.array([[1, 3], [11, 1]])).normalised().costs.tolist()
        [[0.0, 0.2], [1.0, 0.0]]
        """
        beyond = self.costs - np.diag(self.costs)[:, None]
        largest = np.abs(beyond).max()
        return CostMatrix(self.labels, beyond / largest if largest else beyond)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CostMatrix):
            return NotImplemented
        return self.labels == other.labels and np.array_equal(self.costs, other.costs)

    def __hash__(self) -> int:
        return hash((self.labels, self.costs.tobytes()))

    def __str__(self) -> str:
        names = [matrix_table.printable(label) for label in self.labels]
        lines = [[name, *(f"{cost:g}" for cost in line)] for name, line in zip(names, self.costs, strict=True)]
        return matrix_table.as_text([["actual \\ called", *names], *lines])

    def to_dict(self) -> dict[str, object]:
        """For JSON: labels and costs, rows actual, columns called."""
        return {"labels": list(self.labels), "costs": self.costs.tolist()}

    def _position(self, label: Label) -> int | None:
        equal = [i for i, known in enumerate(self.labels) if known == label]
        same = [i for i in equal if type(self.labels[i]) is type(label)]
        as_text = [i for i, known in enumerate(self.labels) if isinstance(known, str) and known == str(label)]
        return next(iter([*same, *equal, *as_text]), None)

    def _named(self) -> str:
        return ", ".join(repr(label) for label in self.labels[:20])


def costs_for(costs: object, classes: Sequence[Label]) -> CostMatrix | None:
    """Return the costs in the order of the classes: from a CostMatrix, a mapping, the path of a CSV file, or an array.

    >>> costs_for({"no": {"yes": 1}, "yes": {"no": 5}}, ["yes", "no"]).costs.tolist()
    [[0.0, 5.0], [1.0, 0.0]]
    """
    if costs is None:
        return None
    if isinstance(costs, CostMatrix):
        return costs.aligned(classes)
    if isinstance(costs, Mapping):
        return CostMatrix.of(costs).aligned(classes)
    if isinstance(costs, str | Path):
        return CostMatrix.read(costs).aligned(classes)
    return CostMatrix(tuple(classes), numbers(costs, "costs"))  # type: ignore[arg-type]
