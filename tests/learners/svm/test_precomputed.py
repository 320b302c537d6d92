"""A kernel given as a matrix of inner products: what scikit-learn finds, and what the kernel as a function gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_predict
from sklearn.svm import SVC
from tests.arithmetic import value_of

import crake
from crake.modelfile import describe
from crake.table.convert.frames import from_frame

RNG = np.random.default_rng(3)
X, NEW = RNG.normal(size=(90, 4)), RNG.normal(size=(20, 4))
Y = (X[:, 0] + X[:, 1] ** 2 > 0.7).astype(int) + (X[:, 2] > 0.8)


def products(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    found: np.ndarray = (x @ z.T / 4 + 1) ** 2
    return found


GRAM, ASKED = products(X, X), products(NEW, X)


@pytest.mark.parametrize("classes", [2, 3])
def test_what_scikit_learn_finds(classes: int) -> None:
    y = np.minimum(Y, classes - 1)
    mine = crake.SVMClassifier("precomputed", C=2.0, probability="votes").fit(GRAM, y)
    its = SVC(kernel="precomputed", C=2.0, decision_function_shape="ovo").fit(GRAM, y)
    expected = its.decision_function(ASKED)
    np.testing.assert_allclose(mine.decisions(ASKED), expected if classes == 2 else -expected, atol=1e-9)
    np.testing.assert_array_equal(mine.predict(ASKED), its.predict(ASKED))
    np.testing.assert_array_equal(mine.support_, its.support_)


@pytest.mark.parametrize("probability", ["platt", "votes"])
def test_what_the_function_gives(probability: str) -> None:
    matrix = crake.SVMClassifier("precomputed", probability=probability).fit(GRAM, Y)
    function = crake.SVMClassifier(products, scale=False, probability=probability).fit(X, Y)
    np.testing.assert_allclose(matrix.predict_proba(ASKED), function.predict_proba(NEW), atol=1e-9)
    np.testing.assert_allclose(matrix.margin_width_, function.margin_width_)
    hard = {"margin": "hard", "probability": probability}
    one = crake.SVMClassifier("precomputed", **hard).fit(GRAM + np.eye(90), Y > 0)
    assert (one.predict(GRAM + np.eye(90)) == (Y > 0)).all()


def test_rows_without_a_class_or_weight_keep_their_columns() -> None:
    y: Any = np.where(Y > 0, "b", "a").astype(object)
    y[7] = None
    weight = np.ones(90)
    weight[[3, 30]] = 0
    kept = np.setdiff1d(np.arange(90), [3, 7, 30])
    model = crake.SVMClassifier("precomputed").fit(GRAM, y, sample_weight=weight)
    plain = crake.SVMClassifier("precomputed").fit(GRAM[np.ix_(kept, kept)], y[kept])
    np.testing.assert_allclose(model.predict_proba(ASKED), plain.predict_proba(ASKED[:, kept]), atol=1e-9)
    np.testing.assert_array_equal(model.support_, kept[plain.support_])


def test_scikit_learn_divides_both_ways() -> None:
    mine = cross_val_predict(crake.SVMClassifier("precomputed", probability="votes"), GRAM, Y > 0, cv=5)
    its = cross_val_predict(SVC(kernel="precomputed"), GRAM, Y > 0, cv=5)
    np.testing.assert_array_equal(mine, its)


def test_a_file_holds_no_rows(tmp_path: Path) -> None:
    model = crake.SVMClassifier("precomputed").fit(GRAM, Y)
    crake.save(model, tmp_path / "given.crake")
    assert describe(tmp_path / "given.crake").rows_held == 0
    loaded = crake.load(tmp_path / "given.crake")
    np.testing.assert_array_equal(loaded.predict_proba(ASKED), model.predict_proba(ASKED))
    assert str(loaded) == str(model)
    assert str(loaded.explain(ASKED[0])) == str(model.explain(ASKED[0]))


def test_shown_and_explained() -> None:
    model = crake.SVMClassifier("precomputed").fit(GRAM, Y > 0)
    assert "precomputed kernel, each column the inner product with a training row" in str(model)
    worked = model.explain(ASKED[0])
    values = {step.statement: value_of(step.value) for step in worked.sections[0].steps}
    f = values.pop("f")
    assert f == pytest.approx(float(model.decisions(ASKED[:1])[0]), rel=1e-3)
    assert sum(values.values()) == pytest.approx(f, abs=2e-2)
    with pytest.raises(AttributeError, match="only a linear kernel has a w"):
        _ = model.coef_
    two = crake.SVMClassifier("precomputed", probability="votes").fit([[1.0, 0.1], [0.1, 1.0]], ["a", "b"])
    with pytest.raises(crake.CrakeError, match="inner products"):
        two.draw_margin([[1.0, 0.1], [0.1, 1.0]], ["a", "b"])


def test_one_class_is_certain() -> None:
    model = crake.SVMClassifier("precomputed").fit(GRAM, ["a"] * 90)
    assert model.predict_proba(ASKED[:2]).tolist() == [[1.0], [1.0]]


def test_what_is_refused_and_what_is_said() -> None:
    model = crake.SVMClassifier("precomputed")
    with pytest.raises(crake.CrakeError, match="found 90 rows and 4 columns"):
        model.fit(X, Y)
    names = pd.DataFrame(GRAM[:2, :2]).assign(name=["u", "v"]).rename(columns=str)
    with pytest.raises(crake.CrakeError, match="'name' holds names"):
        model.fit(names, [0, 1])
    with pytest.raises(crake.CrakeError, match="an inner product in every cell; 'x0' has 1 missing"):
        model.fit(np.where(np.eye(90) > 0, np.nan, GRAM), Y)
    with pytest.raises(crake.CrakeError, match="not symmetric"):
        model.fit(GRAM + np.triu(np.ones((90, 90))), Y)
    with pytest.warns(crake.CrakeWarning, match="kernel precomputed is not positive semidefinite on these rows"):
        model.fit(GRAM - 20 * np.eye(90), Y)
    table = from_frame(pd.DataFrame(GRAM).rename(columns=str).assign(y=Y.astype(str)), target="y")
    assert (crake.SVMClassifier("precomputed").fit(table).predict(table) == Y.astype(str)).mean() > 0.9
    with pytest.raises(crake.CrakeError, match=r"crake\.evaluate needs the kernel as a function"):
        crake.evaluate(model, table)
