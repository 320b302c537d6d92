"""Trees by entropy and gain ratio that grow from intervals are, node for node, those of the same rows in memory.

Tasks of an engine count them so; here a scan of a file does.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from tests.learners.tree.scanned_rows import assert_same_tree, count_rows_alone, held, scanned, write_rows

import crake
from crake.learners.tree import classifier
from crake.learners.tree.scanned import entropy_finder, finder, grower, raising
from crake.learners.tree.scanned.rows import ScannedRows

LEARNERS = [
    crake.C45Classifier(),
    crake.C45Classifier(pruning=None),
    crake.C45Classifier(variant="j48", confidence=0.1),
    crake.C45Classifier(raising=False, min_samples_leaf=5),
    crake.C45Classifier(binary=True, collapse=False, max_depth=7),
    crake.C45Classifier(correction=False, confidence=0.4),
    crake.CARTClassifier("entropy"),
    crake.CARTClassifier("entropy", min_samples_leaf=9, max_depth=5),
]


@pytest.fixture(autouse=True)
def _memory_of_rows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    count_rows_alone(monkeypatch)

    def laid_out(*_: Any) -> None:
        raise AssertionError("the tree grew from lists")

    monkeypatch.setattr(classifier, "laid_out", laid_out)
    monkeypatch.setattr(ScannedRows, "has_tasks", True)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("rows")
    return cache(lambda classes: write_rows(folder / f"{classes}.parquet", classes))


def check(learner: Any, path: Path, target: str = "label") -> Any:
    expected = clone(learner).fit(held(path, target))
    found = clone(learner).fit(scanned(path, target=target))
    assert_same_tree(found.tree_, expected.tree_)
    assert found.tree_.threshold.tobytes() == expected.tree_.threshold.tobytes()
    assert found.schema_ == expected.schema_
    return found


@pytest.mark.parametrize(("classes", "rows"), [(2, 40), (3, 300), (6, 100)])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_tree_of_memory(learner: Any, classes: int, rows: int, files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grower, "rows_at_once", lambda _: rows)
    assert check(learner, files(classes)).n_leaves_ > 2


@pytest.mark.parametrize("most", [2, 8, 40])
@pytest.mark.parametrize("learner", [LEARNERS[0], LEARNERS[2], LEARNERS[6]], ids=repr)
def test_few_intervals_give_the_same_tree(learner: Any, most: int, files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finder, "MOST", most)
    monkeypatch.setattr(finder, "FEWEST", 2)
    monkeypatch.setattr(grower, "rows_at_once", lambda _: 90)
    for classes in (2, 3):
        check(learner, files(classes))


@pytest.mark.parametrize("tolerance", [2e-3, 1e-2])
def test_a_wide_margin_makes_a_cut_depend_on_those_before(
    tolerance: float, files: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of millions of rows, where a margin is many rows wide; intervals before the best cut have to be read."""
    growth, turns, kept = crake.C45Classifier._growth, [], entropy_finder.EntropyFinder._near
    monkeypatch.setattr(crake.C45Classifier, "_growth", lambda learner: replace(growth(learner), tolerance=tolerance))
    monkeypatch.setattr(entropy_finder, "DEPTHS", (2.0, np.inf))
    monkeypatch.setattr(
        entropy_finder.EntropyFinder,
        "_near",
        lambda finder, wanted, depth, large: turns.append(depth) or kept(finder, wanted, depth, large),
    )
    monkeypatch.setattr(grower, "rows_at_once", lambda _: 90)
    for most in (6, 30):
        monkeypatch.setattr(finder, "MOST", most)
        for classes in (2, 3, 6):
            check(crake.C45Classifier(pruning=None), files(classes))
    assert {2.0, np.inf} <= set(turns)


@pytest.mark.parametrize("memory", [75_000, 90_000, 120_000])
@pytest.mark.parametrize("learner", [LEARNERS[0], LEARNERS[2], LEARNERS[6]], ids=repr)
def test_one_tree_at_three_limits(learner: Any, memory: int, files: Any) -> None:
    expected = clone(learner).fit(held(files(2)))
    assert_same_tree(clone(learner).fit(scanned(files(2), memory)).tree_, expected.tree_)


def test_branches_are_raised_by_scans(files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    raised, kept = [], raising._Below._raise
    monkeypatch.setattr(raising._Below, "_raise", lambda *parts: raised.append(parts) or kept(*parts))
    for rows in (12, 60):
        monkeypatch.setattr(grower, "rows_at_once", lambda _, rows=rows: rows)
        for classes in (2, 3, 6):
            check(crake.C45Classifier(confidence=0.5), files(classes))
    assert len(raised) > 2


def test_little_room_counts_branches_in_several_scans(files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grower, "rows_at_once", lambda _: 12)
    counted, kept = [], raising._Below._counted

    def some(below: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(ScannedRows, "room_for_counts", property(lambda _: 64))
            counted.append(kept(below))
        return counted[-1]

    monkeypatch.setattr(raising._Below, "_counted", some)
    check(crake.C45Classifier(), files(2))
    assert len(counted) > 3
    assert max(map(len, counted)) <= 2


def test_the_sign_of_zero_does_not_depend_on_the_order_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grower, "rows_at_once", lambda _: 30)
    x = np.tile([-0.0, 0.0, 1.0, -3.0], 50)
    y = np.where(x > 0, "b", "a")
    for order in (np.arange(200), np.roll(np.arange(200), 1)):
        pq.write_table(pa.table({"x": x[order], "label": y[order], "score": x}), tmp_path / "rows.parquet")
        found = check(crake.C45Classifier(), tmp_path / "rows.parquet")
        assert found.tree_.threshold[0] == 0.0
        assert not np.signbit(found.tree_.threshold[0])


def test_copies_of_a_column_are_equal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds cannot tell equal columns apart; then whole columns are read, and the first is taken."""
    monkeypatch.setattr(grower, "rows_at_once", lambda _: 200)
    monkeypatch.setattr(finder, "MOST", 16)
    whole, kept = [], entropy_finder.EntropyFinder._sort
    monkeypatch.setattr(entropy_finder.EntropyFinder, "_sort", lambda *parts: whole.append(parts) or kept(*parts))
    rng = np.random.default_rng(4)
    x = rng.normal(size=700)
    label = np.where(x + rng.normal(0, 0.8, 700) > 0.2, "yes", "no")
    pq.write_table(pa.table({"x": x, "copy": x, "label": label, "score": x}), tmp_path / "rows.parquet")
    for learner in (crake.C45Classifier(), crake.CARTClassifier("entropy", max_depth=4)):
        found = check(learner, tmp_path / "rows.parquet")
        assert set(found.tree_.feature.tolist()) == {-1, 0}
    assert whole
