"""Trees of public tables, which are not in the repository, are those of memory at three limits of memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from tests.learners.tree.scanned_rows import assert_same_tree, count_rows_alone, keep_in_files
from tests.weka.reference import SHARED

import crake
from crake.learners.tree.scanned import grower
from crake.learners.tree.scanned.rows import ScannedRows

ABSENT = not (SHARED / "data" / "arff").is_dir()


@pytest.mark.skipif(ABSENT, reason="the public tables of ../shared are not here")
@pytest.mark.parametrize(
    ("name", "learner"),
    [
        ("labor", crake.C45Classifier()),
        ("vote", crake.CARTClassifier()),
        ("glass", crake.CARTClassifier("entropy")),
        ("breast-cancer", crake.CARTClassifier(missing="fractional")),
        ("credit-g", crake.C45Classifier(variant="j48")),
        ("diabetes", crake.CARTClassifier()),
    ],
)
def test_the_tree_of_memory(name: str, learner: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count_rows_alone(monkeypatch)
    keep_in_files(monkeypatch)
    table = crake.read(SHARED / "data" / "arff" / f"{name}.arff")
    file = tmp_path / "rows.parquet"
    pq.write_table(table.to_arrow(), file)
    target = table.schema.target or table.schema.names[-1]
    expected = clone(learner).fit(crake.read(file, target=target))
    for bytes_per_row in (30, 90, 10**6):
        memory = bytes_per_row * len(table) + 100_000
        found = clone(learner).fit(crake.read(file, target=target, in_memory=False).with_memory(memory))
        assert_same_tree(found.tree_, expected.tree_)


@pytest.mark.skipif(ABSENT, reason="the public tables of ../shared are not here")
@pytest.mark.parametrize("name", ["iris", "glass", "diabetes", "credit-g", "car", "unbalanced"])
def test_the_tree_of_memory_from_counts(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As tasks of an engine count: by entropy and gain ratio, of all tables without gaps, at three limits of rows."""
    monkeypatch.setattr(ScannedRows, "has_tasks", True)
    table = crake.read(SHARED / "data" / "arff" / f"{name}.arff")
    file = tmp_path / "rows.parquet"
    pq.write_table(table.to_arrow(), file)
    target = table.schema.target or table.schema.names[-1]
    for learner in (crake.C45Classifier(), crake.C45Classifier(variant="j48"), crake.CARTClassifier("entropy")):
        expected = clone(learner).fit(crake.read(file, target=target))
        for rows in (len(table) // 3, len(table) // 10, len(table) // 40):
            monkeypatch.setattr(grower, "rows_at_once", lambda _, rows=rows: rows)
            found = clone(learner).fit(crake.read(file, target=target, in_memory=False))
            assert_same_tree(found.tree_, expected.tree_)
