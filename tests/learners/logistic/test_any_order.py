"""The model file is the same, byte for byte, for any order of rows, any threads and any way to read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake
from crake.kernels import threads
from crake.kernels.linear.rounded_sums import ROUNDING
from crake.learners.logistic import bounds
from crake.learners.logistic.bounds import Bounds, Expected, fits
from crake.learners.logistic.likelihood import Likelihood
from crake.table.table import Table

SEEDS = (1, 2)


def made(rows: int, classes: int, scale: float = 1.0) -> pa.Table:
    """Return names and numbers, one of them with a long tail, with gaps in both."""
    rng = np.random.default_rng(rows + classes)
    missing, x, tail = rng.random((2, rows)) < 0.05, rng.normal(size=rows), rng.exponential(size=rows) ** 3
    lean = np.arange(classes)[:, None] * (0.7 * x + 0.3 * np.log1p(tail)) + rng.gumbel(size=(classes, rows))
    return pa.table(
        {
            "colour": pa.array(np.array(list("abcd"))[rng.integers(0, 4, rows)], mask=missing[0]),
            "x": pa.array((np.round(x, 3) + 1e3) * scale, mask=missing[1]),
            "tail": tail,
            "whole": rng.integers(-3, 4, rows),
            "y": np.array(["no", "yes", "perhaps"])[lean.argmax(axis=0)],
        }
    )


def file_of(asked: dict[str, Any], table: Table, folder: Path) -> bytes:
    crake.save(crake.LogisticClassifier(**asked).fit(table), folder / "model.crake")
    return (folder / "model.crake").read_bytes()


def shuffled(rows: pa.Table, seed: int) -> pa.Table:
    return rows.take(pa.array(np.random.default_rng(seed).permutation(rows.num_rows)))


CASES: list[dict[str, Any]] = [
    {},
    {"penalty": "ridge", "contrasts": "all"},
    {"penalty": "firth"},
    {"class_weight": "balanced"},
    {"class_weight": {"yes": 0.3, "no": 1e-9}, "penalty": "ridge"},
    {"missing": "mean"},
    {"missing": "drop"},
    {"solver": "gradient", "tol": 0.05},
]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("asked", CASES, ids=str)
def test_shuffled_rows_give_the_same_file(asked: dict[str, Any], classes: int, tmp_path: Path) -> None:
    rows = made(700, classes)
    expected = file_of(asked, crake.read(rows, "y"), tmp_path)
    for seed in SEEDS:
        assert file_of(asked, crake.read(shuffled(rows, seed), "y"), tmp_path) == expected
    pq.write_table(shuffled(rows, 3), tmp_path / "rows.parquet", row_group_size=97)
    if "class_weight" not in asked:
        assert file_of(asked, crake.read(tmp_path / "rows.parquet", "y", in_memory=False), tmp_path) == expected


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_numbers_at_the_ends_of_the_floats(scale: float, tmp_path: Path) -> None:
    rows = made(200, 2, scale)
    expected = file_of({}, crake.read(rows, "y"), tmp_path)
    assert file_of({}, crake.read(shuffled(rows, 1), "y"), tmp_path) == expected


@pytest.mark.parametrize("weight", [1e-30, 0.25, 1e29])
def test_weights_of_any_size(weight: float, tmp_path: Path) -> None:
    rows = made(300, 3)
    weights = weight * np.random.default_rng(1).integers(1, 10, 300)
    order = np.random.default_rng(2).permutation(300)
    expected = file_of({}, crake.read(rows, "y").with_weights(weights), tmp_path)
    table = crake.read(rows.take(pa.array(order)), "y").with_weights(weights[order])
    assert file_of({}, table, tmp_path) == expected


def test_weights_that_are_fractions(tmp_path: Path) -> None:
    rows, weights = made(300, 2), np.random.default_rng(1).random(300)
    for asked in ({}, {"penalty": "ridge"}):
        expected = file_of(asked, crake.read(rows, "y").with_weights(weights), tmp_path)
        for seed in SEEDS:
            order = np.random.default_rng(seed).permutation(300)
            table = crake.read(rows.take(pa.array(order)), "y").with_weights(weights[order])
            assert file_of(asked, table, tmp_path) == expected


def test_separated_classes(tmp_path: Path) -> None:
    """The note on what separates them, and the fit under a slight ridge."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    rows = pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": np.where(X[:, 0] + X[:, 1] > 0, "high", "low")})
    expected = file_of({}, crake.read(rows, "y"), tmp_path)
    for seed in SEEDS:
        assert file_of({}, crake.read(shuffled(rows, seed), "y"), tmp_path) == expected


@pytest.mark.parametrize("blocks", [0, 1e9])
def test_conjugate_gradients(blocks: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crake.learners.logistic.fitting.MOST_DIRECT", 3)
    monkeypatch.setattr("crake.learners.logistic.conjugate_gradients.LARGEST_BLOCKS", blocks)
    for classes in (2, 3):
        rows = made(500, classes)
        expected = file_of({}, crake.read(rows, "y"), tmp_path)
        assert file_of({}, crake.read(shuffled(rows, 1), "y"), tmp_path) == expected


def test_threads_and_a_start_from_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crake.learners.logistic.sample.MANY_ROWS", 5_000)
    monkeypatch.setattr("crake.learners.logistic.sample.SAMPLED_ROWS", 2_000)
    rows = made(12_000, 2)
    pq.write_table(rows, tmp_path / "rows.parquet", row_group_size=1_111)
    files = set()
    for count in (1, 2, 4):
        with threads.limited(count):
            files.add(file_of({}, crake.read(shuffled(rows, count), "y"), tmp_path))
            files.add(file_of({}, crake.read(tmp_path / "rows.parquet", "y", in_memory=False), tmp_path))
    assert len(files) == 1


def test_a_pass_whose_bounds_were_too_small_is_done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The information may grow by more than was expected; then no digit may be lost."""
    rows = made(700, 2)
    expected = crake.LogisticClassifier().fit(crake.read(rows, "y"))
    passes, plain = [], Likelihood.summed

    def summed(self: Likelihood, sums: str, *arguments: Any) -> Any:
        passes.append(sums)
        return plain(self, sums, *arguments)

    monkeypatch.setattr(Likelihood, "summed", summed)
    crake.LogisticClassifier().fit(crake.read(rows, "y"))
    usual = len(passes)
    monkeypatch.setattr(Expected, "after", lambda _, diagonal: Expected(diagonal, 1e-6 * diagonal))
    found = [crake.LogisticClassifier().fit(crake.read(each, "y")) for each in (rows, shuffled(rows, 1))]
    assert len(passes) > 3 * usual
    np.testing.assert_allclose(found[0].standard_errors_, expected.standard_errors_, rtol=1e-12)
    np.testing.assert_array_equal(found[0].standard_errors_, found[1].standard_errors_)


def test_bounds_hold_for_rows_that_lie_far_out() -> None:
    """One row has nearly all of a column's squares."""
    x = np.zeros(1000)
    x[7], y = 1e6, np.arange(1000) % 2
    model = crake.LogisticClassifier("ridge").fit(np.column_stack([x, np.arange(1000) % 7]), y)
    own = Bounds(model.design_, 1000.0, 1.0)
    z = (x - x.mean()) / x.std(ddof=1)
    assert ROUNDING * np.sum(z**2) <= own.gradient()
    scales = own.scales(None, 1)
    assert 0.25 * np.sum(z**2) < (scales**2).min()
    assert fits(np.full((1, 3), 250.0), scales)
    assert not fits(scales**2, scales)


@pytest.mark.parametrize("outputs", [1, 2, 9])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_sum_of_terms_is_above_its_bound(seed: int, outputs: int) -> None:
    """Rows of very different weights, numbers far out, scores of one output for some rows and of another for others."""
    rng = np.random.default_rng(seed)
    rows = 300
    frame = {"a": rng.standard_cauchy(rows), "b": rng.normal(size=rows), "c": rng.choice(list("uvwx"), rows)}
    y = np.arange(rows) % (outputs + 1)
    table = crake.read(pa.table({**frame, "y": y.astype(str)}), "y").with_weights(10.0 ** rng.integers(-6, 6, rows))
    design = crake.LogisticClassifier("ridge", contrasts="all").fit(table).design_
    X, w = design.matrix(table), table.weights
    assert w is not None
    own = Bounds(design, float(w.sum()), float(np.abs(X).max()))
    coefficient, direction = rng.normal(size=(2, len(design), outputs)) * 10.0 ** rng.integers(
        -3, 3, (2, len(design), 1)
    )
    scores = np.column_stack([np.zeros(rows), X @ coefficient])
    logs = scores - np.logaddexp.reduce(scores, axis=1)[:, None]
    p, d = np.exp(logs)[:, 1:], X @ direction
    left = (y[:, None] == np.arange(1, outputs + 1)) - p
    curved = p * (d - np.sum(p * d, axis=1, keepdims=True))
    assert ROUNDING * np.sum(w * np.abs(logs[np.arange(rows), y])) <= own.value(coefficient)
    assert ROUNDING * (np.abs(X).T @ (w[:, None] * np.abs(left))).max() <= own.gradient()
    assert ROUNDING * (np.abs(X).T @ (w[:, None] * np.abs(curved))).max() <= own.curvature(direction)
    assert (0.25 * (X**2).T @ w).max() <= (own.scales(None, outputs) ** 2).min()


def test_bounds_of_a_fit_that_has_run_away_are_finite() -> None:
    design = crake.LogisticClassifier("ridge").fit([[1.0], [2.0], [4.0]], [0, 1, 0]).design_
    own = Bounds(design, 1e30, 1.0)
    assert own.value(np.full((2, 1), 1e300)) == ROUNDING * bounds.power_above(np.array(bounds.LARGEST))


def test_rows_that_repeat_few_others_are_not_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crake.learners.logistic.sample.MANY_ROWS", 100)
    monkeypatch.setattr("crake.learners.logistic.sample.SAMPLED_ROWS", 200)
    drawn, plain = [], Likelihood.sample

    def sample(self: Likelihood, share: float) -> Likelihood | None:
        drawn.append(plain(self, share))
        return drawn[-1]

    monkeypatch.setattr(Likelihood, "sample", sample)
    rows = made(400, 2)
    crake.LogisticClassifier().fit(crake.read(rows, "y"))
    crake.LogisticClassifier().fit(crake.read(rows.select(["colour", "whole", "y"]), "y"))
    assert [each is not None for each in drawn] == [True, False]
    assert 100 < len(drawn[0].rows) < 300
