"""Trees of C4.5 grown by one kernel, interpreted here to save compiling, are those grown level by level."""

from dataclasses import replace

import numpy as np
import pytest

from crake import C45Classifier
from crake.kernels.tree.counted.grow import grow_counted
from crake.kernels.tree.counted.scores import fill_logs
from crake.learners.tree.growing import coded_columns, counted_tree
from crake.learners.tree.growing.grower import grow_by_levels
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Layout, Training
from crake.learners.tree.tree import Tree

ARRAYS = ("kind", "feature", "threshold", "value", "first", "branches", "missing")


def _training(seed: int, rows: int = 60, classes: int = 2) -> Training:
    """Numbers of few and of many values, two so near that J48 does not cut between them, and names; all with gaps."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    few, many = rng.integers(0, 4, rows) + y, rng.normal(size=rows).round(3) + y
    values = np.column_stack([few + rng.choice([0.0, 1e-6], rows), many])
    codes = np.vstack([(rng.integers(0, 3, rows) + y) % 3, rng.integers(0, 5, rows)]).astype(np.int32)
    values[rng.random(values.shape) < 0.1] = np.nan
    codes[rng.random(codes.shape) < 0.1] = -1
    layout = Layout(
        np.array([True, False, True, False]), np.array([0, 0, 1, 1], np.int32), np.array([0, 3, 0, 5], np.int32)
    )
    weights = (np.zeros(0), rng.random(rows) + 0.5, rng.poisson(1.0, rows).astype(float))[seed % 3]
    return Training(values, codes, y.astype(np.uint8), weights, classes, layout).with_shared_lists(10**7)


def _growth(variant: str = "c4.5", **settings: object) -> Growth:
    return C45Classifier(variant=variant, **settings)._growth()  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Interpret the kernel."""
    monkeypatch.setattr(counted_tree, "grow_counted", grow_counted.interpret)
    monkeypatch.setattr(counted_tree, "fill_logs", fill_logs.interpret)


def check_as_by_levels(training: Training, growth: Growth) -> Tree:
    assert counted_tree.is_counted(training, growth)
    tree, expected = counted_tree.counted_tree(training, growth), grow_by_levels(training, growth)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(tree, name), getattr(expected, name), name)
    np.testing.assert_allclose(tree.counts, expected.counts, rtol=1e-12)
    return tree


@pytest.mark.parametrize("seed", range(6))
def test_the_tree_is_that_of_levels(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # The number of many values is kept sorted, or all columns but the name of three values are.
    monkeypatch.setattr(coded_columns, "FEW_CODES", 20 if seed < 4 else 4)
    variant, classes = ("c4.5", "j48")[seed % 2], 3 if seed in (2, 5) else 2
    growth = _growth(variant, max_depth=2 if seed == 3 else None, correction=seed != 4)
    tree = check_as_by_levels(_training(seed, classes=classes), growth)
    assert len(tree) >= 5
    assert seed or 2 in tree.feature  # the sorted column


def test_rows_without_weight_need_no_sorted_column() -> None:
    training = _training(2)  # a bootstrap sample; no column has many values
    assert not training.weights.all()
    check_as_by_levels(training, _growth())


def test_one_class_is_a_leaf() -> None:
    training = _training(0, rows=10)
    tree = check_as_by_levels(replace(training, target=np.zeros(10, np.uint8)), _growth())
    assert len(tree) == 1


def test_other_settings_are_grown_by_levels() -> None:
    training, growth = _training(1), _growth()
    assert counted_tree.is_counted(training, growth)
    assert not counted_tree.is_counted(replace(training, shared=None), growth)
    assert not counted_tree.is_counted(training.with_shared_lists(1), growth)  # too few cells to compile for
    assert not counted_tree.is_counted(training, _growth(binary=True))
    assert not counted_tree.is_counted(training, replace(growth, criterion="entropy"))
