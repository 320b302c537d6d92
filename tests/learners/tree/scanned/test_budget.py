"""The memory that a scanned tree may take: what is kept for other things, and what an error advises."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake
from crake.errors import DataError
from crake.learners.tree.scanned import budget
from crake.learners.tree.scanned.budget import Budget


def test_compiled_code_has_room_that_rows_do_not_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading the code of a first level took 105 MB of a process that held 172."""
    monkeypatch.setattr(budget, "resident_bytes", lambda: 172_000_000)
    schema = crake.read("golf").schema
    assert Budget.of(172_000_000 + 105_000_000, schema, 0).free == 0
    assert Budget.of(400_000_000, schema, 0).free > 0


def test_a_limit_is_never_shown_larger_than_it_is() -> None:
    with pytest.raises(DataError, match=r"limited to 1,000 MB, and it needs 1,001 MB: expected --memory 1011MB or"):
        Budget(1_000_400_000, 1_000_000_000).check(500_000, "it")
    with pytest.raises(DataError, match="limited to 5 bytes, and it needs 1 MB"):
        Budget(5, 0).check(6, "it")


@pytest.mark.parametrize("learner", [crake.CARTClassifier(max_depth=2), crake.C45Classifier(max_depth=2)], ids=repr)
def test_the_advised_memory_is_enough(
    learner: crake.CARTClassifier | crake.C45Classifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "resident_bytes", lambda: 0)
    monkeypatch.setattr(budget, "BESIDE", 0)
    monkeypatch.setattr(budget, "SLACK", 0)
    rows = 40_000
    x = np.arange(rows) % 1013
    pq.write_table(pa.table({"x": x.astype(float), "y": np.where(x > 500, "b", "a")}), tmp_path / "rows.parquet")
    table = crake.read(tmp_path / "rows.parquet", target="y", in_memory=False)
    with pytest.raises(DataError) as refused:
        learner.fit(table.with_memory(5))
    (advised,) = re.findall(r"--memory (\d+MB)", str(refused.value))
    assert learner.fit(table.with_memory(advised)).n_leaves_ == 2
