"""Trees whose counts an engine's tasks take are those of memory, however the rows are cut up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from tests.learners.tree.scanned_rows import ROWS, assert_same_tree, count_rows_alone, write_rows
from tests.statistics.partitions.test_task import Parted

import crake
from crake.errors import DataError
from crake.learners.tree.scanned import grower, partitions
from crake.table.column_options import ColumnOptions
from crake.table.sources.engine import PartitionTask
from crake.table.sources.protocol import Portion
from crake.table.sources.scanned_table import scanned
from crake.table.table import Table


@dataclass(frozen=True, eq=False)
class Counted(Parted):
    """Rows in partitions that note what each pass asks for."""

    reads: bool = True
    passes: list[str] = field(default_factory=list)

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        self.passes.append("rows")
        return super().portions(names)

    def map_statistics(self, task: PartitionTask, names: Sequence[str]) -> Sequence[bytes]:
        self.passes.append(type(task).__name__)
        return super().map_statistics(task, names)


@pytest.fixture(autouse=True)
def _memory_of_rows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    count_rows_alone(monkeypatch)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("rows")
    return lambda classes: pq.read_table(write_rows(folder / f"{classes}.parquet", classes)).drop(["score"])


def of(data: pa.Table, cuts: Sequence[int]) -> tuple[Table, Counted]:
    engine = Counted(data, cuts)
    return scanned(engine, ColumnOptions("label")).with_memory(10**9), engine


@pytest.mark.parametrize(("classes", "cuts"), [(2, [5, 5, 400]), (6, [699])])
@pytest.mark.parametrize(
    "learner",
    [
        crake.CARTClassifier(),
        crake.CARTClassifier(min_samples_leaf=9, max_depth=5),
        crake.CARTClassifier("entropy"),
        crake.C45Classifier(),
        crake.C45Classifier(variant="j48", confidence=0.5),
    ],
    ids=repr,
)
def test_the_tree_of_memory(
    learner: Any, classes: int, cuts: list[int], rows: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = rows(classes)
    expected = clone(learner).fit(crake.read(data, "label"))
    monkeypatch.setattr(grower, "rows_at_once", lambda _: 150)
    table, engine = of(data, cuts)
    found = clone(learner).fit(table)
    assert_same_tree(found.tree_, expected.tree_)
    assert (found.schema_, found.left_out_) == (expected.schema_, expected.left_out_)
    assert sum(name in ("LevelTask", "SiblingTask", "ThresholdTask") for name in engine.passes) > 3


def test_rows_come_once_for_nodes_that_fit(rows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grower, "rows_at_once", lambda _: 300)
    table, engine = of(rows(2), [100, 200])
    crake.CARTClassifier(max_depth=4).fit(table)
    assert engine.passes.count("rows") == 1
    engine.passes.clear()
    crake.C45Classifier(raising=False).fit(table)
    assert engine.passes.count("rows") == 1


@pytest.mark.parametrize("limit", ["MOST_SENT", "MOST_ALIVE"])
def test_what_is_too_much_to_send_is_read(limit: str, rows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data = rows(3)
    expected = crake.CARTClassifier().fit(crake.read(data, "label"))
    monkeypatch.setattr(grower, "rows_at_once", lambda _: 200)
    monkeypatch.setattr(partitions, limit, 9)
    assert_same_tree(crake.CARTClassifier().fit(of(data, [300])[0]).tree_, expected.tree_)


def test_trees_of_gaps_are_grown_from_lists(rows: Any) -> None:
    data = rows(2)
    gaps = pa.array(np.arange(ROWS) % 7 == 0)
    wide = pa.compute.if_else(gaps, None, data["wide"])
    data = data.set_column(data.column_names.index("wide"), "wide", wide)
    expected = crake.CARTClassifier().fit(crake.read(data, "label"))
    assert_same_tree(crake.CARTClassifier().fit(of(data, [300])[0]).tree_, expected.tree_)


def test_rows_without_a_class_are_left_out(rows: Any) -> None:
    data = rows(2)
    label = pa.compute.if_else(pa.array(np.arange(ROWS) % 5 == 0), None, data["label"])
    data = data.set_column(data.column_names.index("label"), "label", label)
    expected = crake.CARTClassifier(max_depth=4).fit(crake.read(data, "label"))
    found = crake.CARTClassifier(max_depth=4).fit(of(data, [10, 300])[0])
    assert_same_tree(found.tree_, expected.tree_)
    assert found.left_out_ == expected.left_out_ == ROWS // 5
    unknown = data.set_column(data.column_names.index("label"), "label", pa.nulls(ROWS, pa.string()))
    with pytest.raises(DataError, match="no row"):
        crake.CARTClassifier().fit(of(unknown, [10])[0])
