"""Scores of families: by hand, as pgmpy 1.1.2 gives them, and from sparse counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from crake.learners.structure import families
from crake.learners.structure.families import CodedRows, FamilyScores
from crake.learners.structure.scores import CRITERIA, node_scores

A = [0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1]
B = [0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1]
C = [0, 1, 2, 1, 0, 2, 1, 2, 2, 0, 1, 1]
ROWS = CodedRows(("a", "b", "c"), (2, 2, 3), np.array([A, B, C], np.int32), np.ones(12))

PGMPY = {
    ("bic", 1.0): (-16.669743269244563, -7.891641156183658, -9.560219491613346),
    ("aic", 1.0): (-14.730116670092563, -7.406734506395657, -9.317766166719345),
    ("k2", 1.0): (-12.891439638771159, -7.475339236566738, -9.393661429103219),
    ("bdeu", 10.0): (-12.918422573146076, -7.520773289135204, -8.7255939329403),
    ("bdeu", 1.0): (-14.895448767010917, -8.406276184727421, -9.806820261797004),
}
"""pgmpy's `local_score` of c given a and b, of b given a, and of a alone."""


@pytest.mark.parametrize(("criterion", "sample_size"), PGMPY)
def test_scores_are_those_of_pgmpy(criterion: str, sample_size: float) -> None:
    scores = FamilyScores(ROWS, criterion, sample_size)
    found = (scores.score(2, (0, 1)), scores.score(1, (0,)), scores.score(0, ()))
    assert found == pytest.approx(PGMPY[criterion, sample_size], rel=1e-12)


def test_scores_by_hand() -> None:
    """Two configurations with the counts 3, 1 and 0, 2."""
    counts = np.array([[[3.0, 1.0], [0.0, 2.0]]])
    likelihood = 3 * math.log(3 / 4) + math.log(1 / 4)
    factorials = math.log(6 * 1 / 120) + math.log(1 * 2 / 6)  # 3!·1!/5! and 0!·2!/3!
    # ½·(3/2)·(5/2)·½ / (1·2·3·4) and ½·(3/2) / (1·2), by Γ(½ + n)/Γ(½)
    halves = math.log(0.5 * 1.5 * 2.5 * 0.5 / 24) + math.log(0.5 * 1.5 / 2)
    # the same with ¼ for each value, ½ for each configuration
    quarters = math.log(0.25 * 1.25 * 2.25 * 0.25 / (0.5 * 1.5 * 2.5 * 3.5)) + math.log(0.25 * 1.25 / (0.5 * 1.5))
    expected = {
        "entropy": likelihood,
        "mdl": likelihood - math.log(6),
        "bic": likelihood - math.log(6),
        "aic": likelihood - 2,
        "k2": factorials,
        "bayes": halves,
        "bdeu": quarters,
    }
    assert set(expected) == set(CRITERIA)
    for criterion, value in expected.items():
        assert node_scores(counts, criterion, 6)[0] == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_sparse_counts_score_as_dense_ones(criterion: str, monkeypatch: pytest.MonkeyPatch) -> None:
    weighted = CodedRows(ROWS.names, ROWS.sizes, ROWS.codes, np.linspace(0.5, 3, 12))
    dense = FamilyScores(weighted, criterion).score(2, (0, 1))
    monkeypatch.setattr(families, "DENSE_CELLS", 1)
    assert FamilyScores(weighted, criterion).score(2, (0, 1)) == pytest.approx(dense, rel=1e-12)


def test_families_are_counted_as_by_hand() -> None:
    """Six candidates of three sizes, of which the kernel takes four at a time; rows have weights."""
    rng = np.random.default_rng(2)
    sizes = (2, 3, 2, 4, 3, 2, 2, 3)
    codes = np.array([rng.integers(0, size, 30) for size in sizes], np.int32)
    rows = CodedRows(tuple("abcdefgh"), sizes, codes, rng.random(30))
    found = FamilyScores(rows, "k2").with_each(7, (1,), (0, 2, 3, 4, 5, 6))
    for score, candidate in zip(found, (0, 2, 3, 4, 5, 6), strict=True):
        counts = np.zeros((3, sizes[candidate], 3))
        np.add.at(counts, (codes[1], codes[candidate], codes[7]), rows.weights)
        assert score == pytest.approx(node_scores(counts.reshape(1, -1, 3), "k2", 30)[0], rel=1e-12)


def test_a_family_that_is_too_large_is_passed_by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "MOST_CELLS", 6)
    scores = FamilyScores(ROWS, "bic")
    assert scores.with_each(2, (0,), (1,)).tolist() == [-math.inf]
    assert scores.passed_by == {2}
    assert math.isfinite(scores.score(2, (0,)))


def test_each_family_is_counted_once() -> None:
    scores = FamilyScores(ROWS, "bic")
    first = scores.with_each(2, (0,), (1,))
    size = len(scores)
    assert scores.score(2, (0, 1)) == first[0]
    assert len(scores) == size
