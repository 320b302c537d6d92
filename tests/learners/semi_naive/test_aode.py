"""AODE against the formula in plain Python, on rows with gaps, new values and rare parents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import crake
from crake.learners.semi_naive.aode import learner
from crake.statistics import PairCounts, gather
from crake.table.examples import load

ROWS: list[tuple[Any, ...]] = [
    ("red", "s", "u"), ("red", "m", "u"), ("blue", "s", "v"), ("blue", None, "v"), ("red", "l", "v"),
    (None, "s", "u"), ("green", "m", "u"), ("blue", "l", None), ("red", "s", "v"),
]  # fmt: skip
LABELS = ["a", "a", "b", "b", "b", "c", "a", "b", "a"]


def plain_aode(row: tuple[Any, ...], alpha: float, min_count: float) -> list[float]:
    """The average over the parents, counted from the rows themselves."""
    columns = range(3)
    levels = [sorted({r[j] for r in ROWS} - {None}) for j in columns]
    classes = sorted(set(LABELS))

    def count(label: str | None, **_: Any) -> Any:
        def of(*conditions: tuple[int, Any]) -> int:
            return sum(
                (label is None or y == label)
                and all(r[j] is not None if v is ... else r[j] == v for j, v in conditions)
                for r, y in zip(ROWS, LABELS, strict=True)
            )

        return of

    known = [j for j in columns if row[j] in levels[j]]
    parents = [p for p in known if count(None)((p, row[p])) >= min_count]
    scores = []
    for label in classes:
        n = count(label)
        if not parents:
            product = (n() + alpha) / (len(ROWS) + alpha * len(classes))
            for a in known:
                product *= (n((a, row[a])) + alpha) / (n((a, ...)) + alpha * len(levels[a]))
            scores.append(product)
            continue
        total = 0.0
        for p in parents:
            cells = len(classes) * len(levels[p])
            product = (n((p, row[p])) + alpha) / (count(None)((p, ...)) + alpha * cells)
            for a in known:
                if a != p:
                    both, any_ = n((p, row[p]), (a, row[a])), n((p, row[p]), (a, ...))
                    product *= (both + alpha) / (any_ + alpha * len(levels[a]))
            total += product
        scores.append(total / len(parents))
    return [score / sum(scores) for score in scores]


@pytest.mark.parametrize(("alpha", "min_count"), [(1.0, 1), (0.3, 3), (1.0, 100)])
def test_the_formula(alpha: float, min_count: float) -> None:
    model = crake.AODEClassifier(alpha, min_count=min_count).fit(np.array(ROWS, object), LABELS)
    asked = [*ROWS, ("black", "s", "u"), (None, None, None), ("green", "l", "v")]
    expected = [plain_aode(row, alpha, min_count) for row in asked]
    np.testing.assert_allclose(model.predict_proba(np.array(asked, object)), expected, rtol=1e-12)
    for row, answer in zip(asked, expected, strict=True):
        assert [share for _, share in model.explain(list(row)).answer] == pytest.approx(answer, rel=1e-12)


@pytest.mark.parametrize(("alpha", "is_log"), [(1e-6, False), (1e-90, True)])
def test_products_far_below_the_smallest_number(alpha: float, is_log: bool) -> None:
    """60 columns and little smoothing: products of the whole row are about 1e-200, or 1e-3000."""
    random = np.random.default_rng(4)
    X, y = random.integers(0, 2, (12, 60)).astype(str).astype(object), np.array(list("aabbbcccccab"))
    X[random.random(X.shape) < 0.1] = None
    X[0], X[1] = "0", "1"
    model = crake.AODEClassifier(alpha).fit(X, y)
    assert model.tables_.is_log == is_log
    assert is_log or model.tables_.stride < len(model.tables_.begin)
    asked = random.integers(0, 3, (5, 60)).astype(str).astype(object)  # "2" is new
    pairs, values = model.counts_.pairs, model.counts_.values
    for row, found in zip(asked, model.predict_proba(asked), strict=True):
        known = [j for j in range(60) if row[j] != "2"]
        terms = []
        for p in known:
            table, x = values.table(p)[0], int(row[p])
            term = np.log((table[:, x] + alpha) / (table.sum() + alpha * 3 * 2))
            for a in known:
                if a != p:
                    counts = pairs.table(p, a)[0, :, x]
                    term += np.log((counts[:, int(row[a])] + alpha) / (counts.sum(axis=1) + alpha * 2))
            terms.append(term)
        logs = np.logaddexp.reduce(terms, axis=0)
        np.testing.assert_allclose(found, np.exp(logs - np.logaddexp.reduce(logs)), rtol=1e-10, atol=1e-300)


def test_the_unit_of_weights_does_not_matter() -> None:
    """Light rows are parents as heavy ones are, up to a `min_count` of 1."""
    X = np.array(ROWS, object)
    whole = crake.AODEClassifier(1.0).fit(X, LABELS)
    light = crake.AODEClassifier(1 / 64).fit(X, LABELS, sample_weight=[1 / 64] * len(X))
    np.testing.assert_allclose(light.predict_proba(X), whole.predict_proba(X), rtol=1e-12)
    assert "is no parent" not in str(light.explain(list(ROWS[0])))
    rare = crake.AODEClassifier(min_count=3).fit(X, LABELS)
    assert "weigh less than 3" in str(rare.explain(["green", "s", "u"]))


def test_columns_that_work_together_are_learned() -> None:
    """Either of two switches: naive Bayes sees nothing, one parent is enough."""
    X = np.array([[a, b] for a in "ud" for b in "ud"] * 5, object)
    y = np.where(X[:, 0] == X[:, 1], "on", "off")
    assert crake.AODEClassifier().fit(X, y).score(X, y) == 1.0
    assert crake.NaiveBayesClassifier().fit(X, y).score(X, y) == 0.5


def test_numbers_are_cut_in_each_training_part() -> None:
    iris = load("iris")
    model = crake.AODEClassifier().fit(iris)
    cuts = dict(zip((column.name for column in iris.schema.numeric), model.counts_.cuts, strict=True))
    discretizer = crake.Discretizer().fit(iris)
    for name, own in cuts.items():
        np.testing.assert_array_equal(own, discretizer.cuts_[name])
    assert "3 intervals" in str(model)


def test_a_number_that_no_cut_divides_is_left_out() -> None:
    X, y = np.arange(8.0)[:, None], list("abababab")
    model = crake.AODEClassifier().fit(X, y)
    assert model.predict_proba([[3.0]]).tolist() == [[0.5, 0.5]]
    assert "not used: no cut pays" in str(model)
    assert "x0 is skipped: no cut of it pays" in str(model.explain([3.0]))


def test_pairs_that_do_not_fit_are_refused_with_their_size() -> None:
    """Before anything is allocated."""
    X = np.array([[f"v{i}"] * 40 for i in range(400)], object)
    with pytest.raises(crake.CrakeError, match=r"would take [\d.]+ GB, with 2 classes"):
        crake.AODEClassifier().fit(X, ["a", "b"] * 200)


def test_rows_of_numbers_come_and_go() -> None:
    """Cuts follow all rows at once; still rows are added, forgotten and merged as if fitted together."""
    iris = load("iris")
    first, second = iris.take(np.arange(0, 150, 2)), iris.take(np.arange(1, 150, 2))
    whole, half = crake.AODEClassifier().fit(iris), crake.AODEClassifier().fit(first)
    merged = half.merge(crake.AODEClassifier().fit(second))
    np.testing.assert_array_equal(merged.predict_proba(iris), whole.predict_proba(iris))
    np.testing.assert_array_equal(merged.forget(second).predict_proba(iris), half.predict_proba(iris))
    with pytest.raises(crake.CrakeError, match="not learned"):
        half.forget(second.take(np.arange(3)))


def test_the_strongest_dependence_comes_first() -> None:
    weather = load("weather")
    grid = crake.AODEClassifier().fit(weather).dependences(2)
    assert grid.rows[0][:2] == ("outlook", "temp")
    # I(outlook; temp | play), from the counts themselves.
    table = gather(weather, [PairCounts])[PairCounts].table(0, 1)[0]
    shares = table / table.sum()
    given = shares.sum(axis=(1, 2), keepdims=True)
    expected = shares.sum(axis=2, keepdims=True) * shares.sum(axis=1, keepdims=True) / given
    bits = np.sum(shares[shares > 0] * np.log2(shares[shares > 0] / expected[shares > 0]))
    assert grid.rows[0][2] == f"{bits:.4f}"


def test_models_of_folds_that_are_too_large_together_answer_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = crake.CrossValidation(3)
    together = crake.evaluate(crake.AODEClassifier(), load("golf"), plan=plan).out_of_fold.probabilities
    monkeypatch.setattr(learner, "MOST_SIDE_BY_SIDE", 0)
    one_by_one = crake.evaluate(crake.AODEClassifier(), load("golf"), plan=plan).out_of_fold.probabilities
    np.testing.assert_array_equal(together, one_by_one)
