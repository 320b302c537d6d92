"""Trees of rows in mapped files are those of the same rows in memory: gaps, weights, every criterion and pruning."""

from __future__ import annotations

import errno
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from tests.learners.tree.scanned_rows import (
    assert_same_tree,
    count_rows_alone,
    held,
    keep_in_files,
    scanned,
    write_rows,
)

import crake
from crake.errors import DataError
from crake.kernels.tree.sorting import sorted_lists
from crake.learners.tree.growing.room import Room
from crake.learners.tree.growing.sorting_in_parts import sorted_in_parts
from crake.learners.tree.scanned import mapped_room

COMPLETE = [
    crake.CARTClassifier("entropy", min_weight_fraction_leaf=0.01),
    crake.CARTClassifier(variant="simple-cart", missing="fractional", min_samples_leaf=2),
    crake.C45Classifier(variant="j48", confidence=0.1),
    crake.C45Classifier(binary=True, pruning=None, collapse=False),
    crake.C45Classifier(raising=False, correction=False, max_depth=6),
    crake.C45Classifier(window=0.3),
]
WITH_GAPS = [
    crake.C45Classifier(),
    crake.C45Classifier(class_weight="balanced"),
    crake.C45Classifier(pruning="reduced-error", column_costs={"wide": 2.0}),
    crake.CARTClassifier(),
    crake.CARTClassifier("entropy", missing="branch", max_leaf_nodes=12),
    crake.CARTClassifier(missing="fractional", ccp_alpha=0.004, class_weight={"c1": 2.5}),
    crake.CARTClassifier(pruning="cost-complexity", folds=3, max_depth=4),
    crake.CARTClassifier(max_features=2, max_depth=6),
]
REGRESSORS = [
    crake.CARTRegressor(),
    crake.CARTRegressor(missing="fractional", min_samples_leaf=5),
    crake.CARTRegressor(missing="branch", max_leaf_nodes=9),
    crake.CARTRegressor(pruning="reduced-error", max_depth=5),
]
CAPS = (30_000, 70_000, 10**9)


@pytest.fixture(autouse=True)
def _in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    count_rows_alone(monkeypatch)
    keep_in_files(monkeypatch)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("rows")
    return cache(lambda classes, gaps: write_rows(folder / f"{classes}{gaps}.parquet", classes, gaps=gaps))


def check(learner: Any, path: Path, memory: int, target: str = "label") -> None:
    expected = clone(learner).fit(held(path, target))
    assert expected.n_leaves_ > 2
    found = clone(learner).fit(scanned(path, memory, target))
    assert_same_tree(found.tree_, expected.tree_)
    assert found.schema_ == expected.schema_
    assert (found.left_out_, found.n_features_in_) == (expected.left_out_, expected.n_features_in_)


@pytest.mark.parametrize(("learner", "memory"), list(zip(COMPLETE, CAPS + CAPS, strict=False)), ids=repr)
def test_the_tree_of_complete_rows(learner: Any, memory: int, files: Any) -> None:
    check(learner, files(3, False), memory)


@pytest.mark.parametrize(("learner", "memory"), list(zip(WITH_GAPS, CAPS + CAPS + CAPS, strict=False)), ids=repr)
def test_the_tree_of_rows_with_gaps(learner: Any, memory: int, files: Any) -> None:
    check(learner, files(2, True), 70_000 if learner.pruning not in (None, "pessimistic") else memory)


@pytest.mark.parametrize("memory", CAPS)
def test_one_tree_at_three_limits(memory: int, files: Any) -> None:
    check(crake.C45Classifier(), files(6, True), memory)


@pytest.mark.parametrize(("learner", "memory"), list(zip(REGRESSORS, (70_000, *CAPS), strict=True)), ids=repr)
def test_the_tree_of_numbers(learner: Any, memory: int, files: Any) -> None:
    check(learner, files(2, True), memory, "score")


@pytest.mark.parametrize(
    "learner", [crake.C45Classifier(class_weight="balanced"), crake.CARTClassifier(max_depth=5), crake.CARTRegressor()]
)
def test_rows_of_weights_are_those_of_memory(learner: Any, files: Any) -> None:
    path, target = files(2, True), "score" if isinstance(learner, crake.CARTRegressor) else "label"
    weights = np.random.default_rng(1).gamma(2.0, size=700)
    weights[::9] = 0.0
    expected = clone(learner).fit(held(path, target), sample_weight=weights)
    found = clone(learner).fit(scanned(path, target=target), sample_weight=weights)
    assert_same_tree(found.tree_, expected.tree_)
    assert found.left_out_ == expected.left_out_


@pytest.mark.parametrize("make", [crake.CARTClassifier, crake.BoostedTreesClassifier])
def test_weights_beyond_those_of_memory_are_refused(make: Any, files: Any) -> None:
    for weight, of_class in ((1e30, 3.0), (None, 3e30)):
        weights = None if weight is None else np.full(700, weight)
        for table in (held(files(2, True)), scanned(files(2, True))):
            with pytest.raises(DataError, match=r"has the weight 3.*e\+30.*at most 1e\+30"):
                make(class_weight={"c1": of_class}).fit(table, sample_weight=weights)


def test_too_little_memory_is_said(files: Any) -> None:
    for learner, target in ((crake.C45Classifier(), "label"), (crake.CARTRegressor(), "score")):
        with pytest.raises(
            crake.CrakeError, match=r"limited to 9,000 bytes, and .* needs \d+ MB: expected --memory \d+MB"
        ):
            learner.fit(scanned(files(2, True), 9_000, target))


def test_a_full_disk_is_said_and_nothing_stays(files: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room, reserve = [40_000], os.posix_fallocate

    def reserve_some(file: int, begin: int, size: int) -> None:
        room[0] -= size
        if room[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        reserve(file, begin, size)

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(os, "posix_fallocate", reserve_some)
    with pytest.raises(crake.CrakeError, match=r"MB and more in .*No space left on device; name another folder in TMP"):
        crake.C45Classifier().fit(scanned(files(2, True)))
    assert not list(tmp_path.iterdir())


def test_portions_of_no_rows_change_nothing(tmp_path: Path, files: Any) -> None:
    whole = pq.read_table(files(2, True))
    for name, part in (
        ("0", whole.slice(0, 0)),
        ("1", whole.slice(0, 300)),
        ("2", whole.slice(0, 0)),
        ("3", whole.slice(300)),
    ):
        pq.write_table(part, tmp_path / f"{name}.parquet")
    expected = crake.C45Classifier().fit(held(files(2, True)))
    assert_same_tree(crake.C45Classifier().fit(scanned(tmp_path)).tree_, expected.tree_)
    numbers = crake.CARTRegressor(max_depth=3)
    assert_same_tree(
        clone(numbers).fit(scanned(tmp_path, target="score")).tree_,
        clone(numbers).fit(held(files(2, True), "score")).tree_,
    )


def test_files_are_used_again_and_pages_come_back() -> None:
    with mapped_room.MappedRoom(1, 10, "rows") as room:
        one = room.every(3000)
        room.give_back()
        assert one[2999] == 2999
        place = one.ctypes.data
        del one
        other = room.filled(2000, np.int32, 7)
        assert other.ctypes.data == place
        room.give_back()
    assert (other == 7).all()


def test_few_entries_are_read_from_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    with mapped_room.MappedRoom(1, 10, "rows") as room:
        cells = room.empty((200, 3), np.float64)
        cells[:] = np.arange(600.0).reshape(200, 3)
        rows, read = np.array([199, 0, 7], np.int32), []
        pread = os.pread
        monkeypatch.setattr(os, "pread", lambda *what: read.append(what) or pread(*what))
        assert room.at(cells[:, 1], rows).tolist() == [598.0, 1.0, 22.0]
        assert len(read) == 3
        assert room.at(np.arange(9.0), np.array([4])).tolist() == [4.0]
        monkeypatch.setattr(mapped_room, "FEW", 2)
        assert room.at(cells[:, 1], rows).tolist() == [598.0, 1.0, 22.0]
        assert len(read) == 3


@pytest.mark.parametrize("at_once", [3, 40, 1000])
def test_columns_sorted_in_parts_are_those_sorted_at_once(at_once: int) -> None:
    rng = np.random.default_rng(3)
    values = np.column_stack(
        [rng.normal(size=300), rng.integers(0, 4, 300) - 1.0, np.where(rng.random(300) < 0.2, np.nan, 5)]
    )
    values[:50, 1] = -0.0
    found, expected = sorted_in_parts(values, 0.3, Room(), at_once), sorted_lists(values, 0.3)
    assert found.known.tolist() == expected.known.tolist()
    for j in range(3):
        for name in ("order", "rank", "reach"):
            assert getattr(found, name)[j].tolist() == getattr(expected, name)[j].tolist(), (j, name)


def test_memory_is_looked_at_before_each_column(files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the thread that watches the memory comes late, whoever works on a column has looked."""
    looks, arrays = [], []
    look, extent = mapped_room.MappedRoom.look, mapped_room.MappedRoom._extent

    def counted(room: mapped_room.MappedRoom) -> None:
        looks.append(1)
        look(room)

    def taken(room: mapped_room.MappedRoom, size: int) -> Any:
        arrays.append(1)
        return extent(room, size)

    monkeypatch.setattr(mapped_room, "EVERY", 10**6)
    monkeypatch.setattr(mapped_room.MappedRoom, "look", counted)
    monkeypatch.setattr(mapped_room.MappedRoom, "_extent", taken)
    path = files(2, gaps=True)
    model = crake.C45Classifier(max_depth=3).fit(scanned(path, 70_000))
    assert len(looks) - len(arrays) >= 3 * len(model.schema_.features)
