"""Trees of scanned tables are, node for node, those of the same rows in memory, whatever the limit of memory."""

from __future__ import annotations

import errno
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.feather import write_feather
from sklearn.base import clone
from tests.learners.tree.scanned_rows import assert_same_tree, count_rows_alone, held, scanned, write_rows

import crake
from crake.learners.tree.scanned import grower, spill
from crake.table.sources.file_states import FileStates

LEARNERS = [
    crake.CARTClassifier(),
    crake.CARTClassifier(min_samples_leaf=9, max_depth=5),
    crake.CARTClassifier(missing="branch", max_leaf_nodes=12, min_samples_split=20),
    crake.CARTClassifier(missing="fractional", ccp_alpha=0.004, min_impurity_decrease=0.001),
]


@pytest.fixture(autouse=True)
def _memory_of_rows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    count_rows_alone(monkeypatch)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("rows")
    return cache(lambda classes: write_rows(folder / f"{classes}.parquet", classes))


@pytest.mark.parametrize(("classes", "rows"), [(2, 40), (3, 400), (6, 150)])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_tree_of_memory(learner: Any, classes: int, rows: int, files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = files(classes)
    expected = clone(learner).fit(held(path))
    monkeypatch.setattr(grower, "rows_at_once", lambda _: rows)
    found = clone(learner).fit(scanned(path))
    assert_same_tree(found.tree_, expected.tree_)
    assert found.schema_ == expected.schema_
    assert (found.left_out_, found.n_features_in_) == (expected.left_out_, expected.n_features_in_)


@pytest.mark.parametrize("memory", [52_000, 70_000, 120_000])
def test_columns_that_do_not_fit_together_are_read_in_turn(memory: int, files: Any) -> None:
    expected = crake.CARTClassifier().fit(held(files(2)))
    assert_same_tree(crake.CARTClassifier().fit(scanned(files(2), memory)).tree_, expected.tree_)


def test_a_node_that_no_split_makes_purer_is_split_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = np.tile([0.0, 0.0, 1.0, 1.0], 50), np.tile([0.0, 1.0, 0.0, 1.0], 50)
    names = np.where(np.arange(200) % 8 < 4, "even", "odd")
    rows = {"a": a, "b": b, "names": names, "label": np.where(a == b, "same", "other"), "score": a}
    pq.write_table(pa.table(rows), tmp_path / "xor.parquet")
    expected = crake.CARTClassifier().fit(held(tmp_path / "xor.parquet"))
    assert expected.n_leaves_ == 4
    monkeypatch.setattr(grower, "rows_at_once", lambda _: 120)
    found = crake.CARTClassifier().fit(scanned(tmp_path / "xor.parquet"))
    assert_same_tree(found.tree_, expected.tree_)


def test_many_nodes_are_spilled_and_nothing_stays(files: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    written: list[Any] = []
    kept = spill.Fetch._in_files

    def in_files(fetch: spill.Fetch, stack: Any) -> Any:
        written.extend(found := kept(fetch, stack))
        assert not list(tmp_path.iterdir())  # files without names: a process that is killed leaves none, either
        return found

    monkeypatch.setattr(spill.Fetch, "_in_files", in_files)
    crake.CARTClassifier().fit(scanned(files(3), 50_000))
    assert len(written) > 3
    assert all(file.closed for file in written)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_said_and_nothing_stays(files: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(spill, "_fill", full)
    with pytest.raises(
        crake.CrakeError, match=r"take 1 MB in .*No space left on device; name another folder in TMPDIR"
    ):
        crake.CARTClassifier().fit(scanned(files(3), 50_000))
    assert not list(tmp_path.iterdir())


def test_too_little_memory_is_said(files: Any) -> None:
    with pytest.raises(crake.CrakeError, match="memory of 'much': expected a size above 0, such as 800MB or 2GB"):
        scanned(files(2), 9_000).with_memory("much")
    with pytest.raises(crake.CrakeError, match="is scanned, and ID3Classifier needs rows in memory"):
        crake.ID3Classifier().fit(scanned(files(2)))


@pytest.mark.parametrize("columns", [["wide", "narrow"], ["wide", "colour", "town"]])
def test_other_rows_in_a_later_scan_are_noticed(
    columns: list[str], tmp_path: Path, files: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many rows, but others, as of a query without an order."""
    rows = pq.read_table(files(3)).select([*columns, "label"]).combine_chunks()  # one batch, told once a scan
    path = tmp_path / "rows.arrow"
    others = rows.take(np.roll(np.arange(len(rows)), 1)).set_column(len(columns), "label", rows["label"])
    monkeypatch.setattr(grower, "rows_at_once", lambda _: 150)
    monkeypatch.setattr(FileStates, "check", lambda _: None)  # of a query nobody sees that rows are others

    def fitted(change: int) -> tuple[Any, int]:
        """Return the tree of a file that is others from this scan on, and the number of scans."""
        scans = []

        def told(*_: Any) -> None:
            scans.append(1)
            if len(scans) == change - 1:
                write_feather(others, tmp_path / "others")
                (tmp_path / "others").replace(path)

        write_feather(rows, path)
        table = crake.read(path, target="label", in_memory=False).with_progress(told)
        scans.clear()
        return crake.CARTClassifier().fit(table).tree_, len(scans)

    _, scans = fitted(10**6)
    assert scans >= 4
    for change in range(3, scans + 1):
        with pytest.raises(crake.CrakeError, match="gave other rows than in the scan before"):
            fitted(change)
