"""Averaged naive Bayes against the sum over all sets of columns, in exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import crake
from crake.learners.naive_bayes.averaged.evidence import Averaging
from crake.table.examples import load

ROWS: list[tuple[Any, ...]] = [
    ("red", "s", "u"), ("red", "m", "u"), ("blue", "s", "v"), ("blue", None, "v"), ("red", "l", "v"),
    (None, "s", "u"), ("green", "m", "u"), ("blue", "l", None), ("red", "s", "v"), ("blue", "l", "v"),
]  # fmt: skip
LABELS = ["a", "a", "b", "b", "b", "c", "a", "b", "a", "b"]
ASKED = [*ROWS, ("black", "s", "u"), (None, None, None), ("green", "l", "v")]
CLASSES = sorted(set(LABELS))


def urn(values: list[Any], levels: list[Any], alpha: Fraction) -> Fraction:
    """The probability of these values drawn one by one, each by (n_v + α)/(n + α·V) of those before it."""
    result = Fraction(1)
    for at, value in enumerate(values):
        result *= (values[:at].count(value) + alpha) / (at + alpha * len(levels))
    return result


LEVELS = [sorted({row[j] for row in ROWS} - {None}) for j in range(3)]


def known(j: int, label: str | None) -> list[Any]:
    """The values of a column in the rows of a class, or in all rows."""
    cells = [row[j] for row, y in zip(ROWS, LABELS, strict=True) if label is None or y == label]
    return [cell for cell in cells if cell is not None]


def of_row(row: tuple[Any, ...], label: str, chosen: tuple[bool, ...], alpha: Fraction) -> Fraction:
    """P(class, row) of the model in which the chosen columns depend on the class."""
    joint = Fraction(LABELS.count(label) + 1, len(LABELS) + len(CLASSES))
    for j in range(3):
        if row[j] in LEVELS[j]:
            cells = known(j, label if chosen[j] else None)
            joint *= (cells.count(row[j]) + alpha) / (len(cells) + alpha * len(LEVELS[j]))
    return joint


def plain_average(alpha: Fraction, depends: Fraction) -> tuple[list[list[float]], list[float]]:
    """P(class given row) of every asked row, and P(column depends), by visiting all 2^3 models."""
    scores, total, each = [[Fraction(0)] * len(CLASSES) for _ in ASKED], Fraction(0), [Fraction(0)] * 3
    for chosen in product([True, False], repeat=3):
        posterior = Fraction(1)
        for j in range(3):
            posterior *= depends if chosen[j] else 1 - depends
            for label in CLASSES if chosen[j] else [None]:
                posterior *= urn(known(j, label), LEVELS[j], alpha)
        total += posterior
        each = [share + (posterior if is_chosen else 0) for share, is_chosen in zip(each, chosen, strict=True)]
        for row, into in zip(ASKED, scores, strict=True):
            into[:] = [s + posterior * of_row(row, y, chosen, alpha) for s, y in zip(into, CLASSES, strict=True)]
    return [[float(s / sum(row)) for s in row] for row in scores], [float(e / total) for e in each]


def test_equal_counts_are_looked_up_once_to_the_same_sum() -> None:
    """A column of 600 levels in two classes: ln of (1)(2)…(n) of each count, and the same column in one class."""
    counts = np.stack([np.arange(600.0) % 7, np.arange(600.0) % 5])
    terms = [math.log(math.prod(range(1, int(n) + 1))) for n in counts.ravel()]
    totals = [math.lgamma(600 + n) - math.lgamma(600) for n in counts.sum(axis=1)]
    alone = Averaging(1.0).log_evidence_ratio(counts[:1])
    overall = [math.log(math.prod(range(1, int(n) + 1))) for n in counts.sum(axis=0)]
    expected = sum(terms) - sum(totals) - sum(overall) + math.lgamma(600 + counts.sum()) - math.lgamma(600)
    assert Averaging(1.0).log_evidence_ratio(counts) == pytest.approx(expected, rel=1e-12)
    assert alone == 0.0


@pytest.mark.parametrize(
    ("alpha", "depends"), [(Fraction(1), Fraction(1, 2)), (Fraction(1, 3), Fraction(1, 5)), (Fraction(2), Fraction(1))]
)
def test_the_sum_over_all_sets_of_columns(alpha: Fraction, depends: Fraction) -> None:
    model = crake.AveragedNaiveBayesClassifier(float(alpha), depends=float(depends))
    model.fit(np.array(ROWS, object), LABELS)
    expected, each = plain_average(alpha, depends)
    np.testing.assert_allclose(model.predict_proba(np.array(ASKED, object)), expected, rtol=1e-12)
    np.testing.assert_allclose(model.depends_, each, rtol=1e-12)
    for row, answer in zip(ASKED, expected, strict=True):
        assert [share for _, share in model.explain(list(row)).answer] == pytest.approx(answer, rel=1e-12)


def test_a_certain_column_is_naive_bayes_and_an_impossible_one_says_nothing() -> None:
    weather = load("weather")
    naive = crake.NaiveBayesClassifier(prior="laplace").fit(weather).predict_proba(weather)
    certain = crake.AveragedNaiveBayesClassifier(depends=1).fit(weather)
    np.testing.assert_allclose(certain.predict_proba(weather), naive, rtol=1e-12)
    impossible = crake.AveragedNaiveBayesClassifier(depends=0).fit(weather)
    np.testing.assert_allclose(impossible.predict_proba(weather), [[6 / 16, 10 / 16]] * 14, rtol=1e-12)


def test_noise_columns_are_seen_through() -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 300)
    X = np.column_stack([(y ^ (rng.random(300) < 0.2)).astype(str), *rng.integers(0, 5, (6, 300)).astype(str)])
    model = crake.AveragedNaiveBayesClassifier().fit(X, y)
    assert model.depends_[0] > 0.9999
    assert max(model.depends_[1:]) < 0.3
    assert "> 0.9999" in str(model)
    assert model.columns().rows[0][0] == "x0"


def test_numbers_are_cut_and_those_without_a_cut_are_not_used() -> None:
    X = np.column_stack([np.arange(40.0), np.tile([1.0, 2.0, 3.0, 4.0], 10)])
    y = ["low"] * 20 + ["high"] * 20
    model = crake.AveragedNaiveBayesClassifier().fit(X, y)
    assert model.intervals_[0].cuts.tolist() == [19.5]
    assert model.depends_.tolist() == [pytest.approx(1.0), 0.0]
    assert "no cut pays" in str(model)
    assert "w(x1)" not in str(model.explain([3.0, 2.0]))
    assert "w(x0)" not in str(model.explain([None, 2.0]))


def test_rows_come_and_go_with_numbers_too() -> None:
    iris = load("iris")
    first, second = iris.take(np.arange(0, 150, 2)), iris.take(np.arange(1, 150, 2))
    whole, half = crake.AveragedNaiveBayesClassifier().fit(iris), crake.AveragedNaiveBayesClassifier().fit(first)
    merged = half.merge(crake.AveragedNaiveBayesClassifier().fit(second))
    np.testing.assert_array_equal(merged.predict_proba(iris), whole.predict_proba(iris))
    np.testing.assert_array_equal(merged.forget(second).predict_proba(iris), half.predict_proba(iris))
    np.testing.assert_array_equal(half.depends_, merged.depends_)


@pytest.mark.parametrize("name", ["weather", "iris"])
def test_folds_of_one_pass_are_those_of_refitting(name: str) -> None:
    table = load(name)
    evaluation = crake.evaluate(crake.AveragedNaiveBayesClassifier(), table, plan=crake.CrossValidation(3))
    found = evaluation.out_of_fold
    for fold in range(3):
        tested = found.rows[found.fold == fold]
        others = np.setdiff1d(np.arange(len(table)), tested)
        model = crake.AveragedNaiveBayesClassifier().fit(table.take(others))
        expected = model.predict_proba(table.take(tested))
        np.testing.assert_allclose(found.probabilities[found.fold == fold], expected, rtol=1e-12)


def test_weights_of_any_size() -> None:
    X, y = np.array([["a"], ["b"], ["a"], ["b"]], object), ["u", "v", "u", "v"]
    model = crake.AveragedNaiveBayesClassifier().fit(X, y, sample_weight=[1e30] * 4)
    assert model.depends_[0] == 1.0
    assert np.isfinite(model.predict_proba(X)).all()


def test_both_pictures() -> None:
    model = crake.AveragedNaiveBayesClassifier().fit(load("weather"))
    columns, nomogram = model.pictures()
    assert columns.finding == "2 of 4 columns more likely depend on the class than not."
    assert nomogram.title.startswith("Nomogram: averaged naive Bayes")


@pytest.mark.parametrize("alpha", [150.0, 1e6, 1e14, 1e306])
def test_a_large_alpha_keeps_its_digits(alpha: float) -> None:
    """Γ(s + n)/Γ(s) = sⁿ·Π (1 + i/s), and the powers of s cancel."""
    of_30, wide_30, wide_60 = (
        math.fsum(math.log1p(i / start) for i in range(n))
        for start, n in ((alpha, 30), (2 * alpha, 30), (2 * alpha, 60))
    )
    ratio = 2 * (of_30 - wide_30) - (2 * of_30 - wide_60)
    model = crake.AveragedNaiveBayesClassifier(alpha=alpha).fit([["a"], ["b"]] * 30, ["p", "q"] * 30)
    assert model.depends_[0] == pytest.approx(1 / (1 + math.exp(-ratio)), abs=1e-13)


@pytest.mark.parametrize(
    ("learner", "own"), [(crake.AveragedNaiveBayesClassifier, "columns"), (crake.SelectiveNaiveBayesClassifier, "path")]
)
def test_a_picture_that_there_is_not_names_those_that_there_are(learner: Any, own: str) -> None:
    model = learner().fit(load("weather"))
    for wrong in ("zz", "words"):
        with pytest.raises(crake.CrakeError, match=f"draw.'{wrong}'.; expected 'nomogram', 'column' or '{own}'"):
            model.draw(wrong)
