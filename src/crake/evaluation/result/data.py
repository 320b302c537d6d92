"""The data of an evaluation: a table in memory, a scan, a test table, a fitted model's rows, or given scores.

Each protocol reads one of them. An Evaluation keeps those from which a learner can be fitted again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.render.short_repr import short_repr
from crake.table.schema import Label
from crake.table.table import Table

Answers = Literal["probabilities", "scores", "labels"]


@dataclass(frozen=True, eq=False)
class ArrayRows:
    """X and y as the user gave them, for learners that read arrays or frames; `classes` is None for numbers."""

    X: Any
    y: NDArray[Any]
    classes: NDArray[Any] | None = None
    weights: Floats | None = None


@dataclass(frozen=True, eq=False)
class InMemory:
    """A table whose rows are in memory. `arrays` holds X and y, if those were given, and `nominal` how X was coded."""

    table: Table
    arrays: ArrayRows | None = None
    nominal: Any = "auto"


@dataclass(frozen=True, eq=False)
class Scan:
    """A table that is scanned. Learners that need rows learn from a sample of `sample_rows`; 0 raises instead.

    `positive` is looked for as soon as the first scan has met the classes.
    """

    table: Table
    sample_rows: int = 0
    positive: Label | None = None


@dataclass(frozen=True, eq=False)
class ScanPart:
    """Some tested rows of a scan, with their numbers in it, and the model of their fold, which has not learned them."""

    model: Any
    table: Table
    rows: NDArray[np.intp]

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class TestTable:
    """Two tables: all rows of `table` are learned from, those of `test` are tested.

    `arrays` and `test_arrays` hold X and y, if those were given, and `nominal` how X was coded. `positive` is looked
    for before any learning: the test rows may have classes that the other table does not.
    """

    table: Table
    test: Table
    arrays: ArrayRows | None = None
    test_arrays: ArrayRows | None = None
    nominal: Any = "auto"
    positive: Label | None = None

    __test__: ClassVar[bool] = False  # pytest takes it for a test otherwise


@dataclass(frozen=True, eq=False)
class FittedModel:
    """The rows on which a model is tested as it is; it should not have learned from them."""

    table: Table


@dataclass(frozen=True, eq=False)
class GivenScores:
    """Scores of a model from elsewhere, one column per class, beside the actual classes.

    `kind` says what they are: "probabilities", "scores" that only rank, or "labels" (1 for the predicted class).
    """

    classes: tuple[Label, ...]
    actual: NDArray[np.int32]
    probabilities: Floats
    kind: Answers
    weights: Floats

    __repr__ = short_repr
