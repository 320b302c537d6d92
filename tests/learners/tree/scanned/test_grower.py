"""Trees of scanned tables are, node for node, those of the same rows in memory, whatever the limit of memory."""

from __future__ import annotations

import errno
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import crake
from crake.learners.tree.scanned import budget, grower, pruning, spill
from crake.learners.tree.tree import Tree
from crake.table.table import Table

LEARNERS = [
    crake.CARTClassifier(),
    crake.CARTClassifier(min_samples_leaf=9, max_depth=5),
    crake.CARTClassifier(missing="branch", max_leaf_nodes=12, min_samples_split=20),
    crake.CARTClassifier(missing="fractional", ccp_alpha=0.004, min_impurity_decrease=0.001),
    crake.CARTClassifier("entropy", min_weight_fraction_leaf=0.01),
    crake.CARTClassifier(variant="simple-cart", missing="fractional", min_samples_leaf=2),
    crake.C45Classifier(),
    crake.C45Classifier(variant="j48", confidence=0.1),
    crake.C45Classifier(binary=True, pruning=None, collapse=False),
    crake.C45Classifier(raising=False, correction=False, max_depth=6),
]
ROWS = 700


@pytest.fixture(autouse=True)
def _memory_of_rows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count neither what the process of the tests holds nor batches: limits are for the rows of a tree."""
    monkeypatch.setattr(budget, "resident_bytes", lambda: 0)
    monkeypatch.setattr(budget, "BATCHES", 0)
    monkeypatch.setattr(budget, "BESIDE", 0)


def rows_of(classes: int) -> pa.Table:
    """Return columns with ties, few and many levels, a useless one, and classes that follow some of them."""
    rng = np.random.default_rng(classes)
    wide, narrow = rng.normal(size=ROWS), rng.integers(0, 9, ROWS).astype(float)
    colour, town = rng.choice(["red", "green", "blue"], ROWS), rng.choice([f"t{i:02}" for i in range(25)], ROWS)
    score = np.where(colour == "red", wide, narrow / 4 - 1) + 0.2 * (town < "t11") + rng.normal(0, 0.3, ROWS)
    label = np.digitize(score, np.linspace(-1, 1, classes - 1) if classes > 2 else [0.3])
    return pa.table(
        {
            "wide": wide,
            "colour": colour,
            "narrow": narrow,
            "noise": np.round(rng.normal(size=ROWS), 2),
            "town": town,
            "same": np.zeros(ROWS),
            "label": [f"c{i}" for i in label],
        }
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("rows")

    @cache
    def file(classes: int) -> Path:
        path = folder / f"{classes}.parquet"
        pq.write_table(rows_of(classes), path, row_group_size=150)
        return path

    return file


def scanned(path: Path, memory: int = 10**9) -> Table:
    """Return the file as a scan, with this memory for its rows."""
    return crake.read(path, target="label", in_memory=False).with_memory(memory)


def assert_same_tree(one: Tree, other: Tree) -> None:
    for each in fields(Tree):
        if each.name != "surrogates":
            np.testing.assert_array_equal(getattr(one, each.name), getattr(other, each.name), err_msg=each.name)


@pytest.mark.parametrize(("classes", "rows"), [(2, 40), (3, 400), (6, 150)])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_tree_of_memory(learner: Any, classes: int, rows: int, files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = files(classes)
    expected = clone(learner).fit(crake.read(path, target="label"))
    for module in (grower, pruning):
        monkeypatch.setattr(module, "rows_at_once", lambda _: rows)
    found = clone(learner).fit(scanned(path))
    assert_same_tree(found.tree_, expected.tree_)
    assert found.schema_ == expected.schema_
    assert (found.left_out_, found.n_features_in_) == (expected.left_out_, expected.n_features_in_)


@pytest.mark.parametrize("memory", [52_000, 70_000, 120_000])
@pytest.mark.parametrize("learner", [crake.CARTClassifier(), crake.C45Classifier()], ids=repr)
def test_columns_that_do_not_fit_together_are_read_in_turn(learner: Any, memory: int, files: Any) -> None:
    expected = clone(learner).fit(crake.read(files(2), target="label"))
    assert_same_tree(clone(learner).fit(scanned(files(2), memory)).tree_, expected.tree_)


def test_a_node_that_no_split_makes_purer_is_split_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = np.tile([0.0, 0.0, 1.0, 1.0], 50), np.tile([0.0, 1.0, 0.0, 1.0], 50)
    names = np.where(np.arange(200) % 8 < 4, "even", "odd")
    rows = {"a": a, "b": b, "names": names, "label": np.where(a == b, "same", "other")}
    pq.write_table(pa.table(rows), tmp_path / "xor.parquet")
    expected = crake.CARTClassifier().fit(crake.read(tmp_path / "xor.parquet", target="label"))
    assert expected.n_leaves_ == 4
    monkeypatch.setattr(grower, "rows_at_once", lambda _: 120)
    found = crake.CARTClassifier().fit(scanned(tmp_path / "xor.parquet"))
    assert_same_tree(found.tree_, expected.tree_)


def test_many_nodes_are_spilled_and_nothing_stays(files: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    written = []
    kept = spill.Fetch._in_files
    monkeypatch.setattr(
        spill.Fetch, "_in_files", lambda fetch, folder: written.extend(found := kept(fetch, folder)) or found
    )
    crake.CARTClassifier().fit(scanned(files(3), 50_000))
    assert len(written) > 3
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
    with pytest.raises(crake.CrakeError, match=r"limited to 9,000 bytes, and .* needs \d+ MB: expected --memory \d+MB"):
        crake.C45Classifier().fit(scanned(files(2), 9_000))
    with pytest.raises(crake.CrakeError, match="memory of 'much': expected a size above 0, such as 800MB or 2GB"):
        scanned(files(2), 9_000).with_memory("much")


@pytest.mark.parametrize(
    ("learner", "user"),
    [
        (crake.C45Classifier(pruning="reduced-error"), "reduced-error pruning"),
        (crake.CARTClassifier(pruning="cost-complexity"), "pruning='cost-complexity'"),
        (crake.CARTClassifier(max_features=2), "max_features"),
        (crake.CARTClassifier(class_weight="balanced"), "class_weight"),
        (crake.ID3Classifier(), "ID3Classifier"),
    ],
)
def test_what_needs_rows_in_memory_says_so(learner: Any, user: str, files: Any) -> None:
    with pytest.raises(crake.CrakeError, match=f"is scanned, and {user} needs rows in memory"):
        learner.fit(scanned(files(2)))
