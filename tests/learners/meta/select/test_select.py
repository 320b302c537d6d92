"""Attribute selection: published scores, other libraries' scores, searches, and what passes through."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.feature_selection import chi2, mutual_info_classif
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import crake
from crake.errors import CrakeError, ModelFileError
from crake.learners.meta.select.cfs import Correlations, best_subset
from crake.table.convert.frames import from_frame
from crake.table.examples import load


def noisy(rows=120, noise=6, seed=1):
    """A number and a name that say something, a copy of the number, columns of noise, missing values."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    useful = np.where(rng.random(rows) < 0.1, np.nan, y + rng.normal(size=rows) * 0.6)
    name = np.where(rng.random(rows) < 0.55, np.where(y, "a", "b"), rng.choice(["a", "b"], rows))
    frame = {"useful": useful, "name": name, "copy": useful * 2}
    frame |= {f"n{j}": rng.normal(size=rows) for j in range(noise)}
    return pd.DataFrame(frame), np.where(y, "yes", "no")


@pytest.fixture(scope="module")
def table():
    X, y = noisy()
    return from_frame(pa.Table.from_pandas(X.assign(y=y), preserve_index=False), target="y")


def codes_of(table):
    return np.column_stack([table.column(column.name) for column in table.schema.features]), table.target


def test_information_is_quinlans_gain_and_scikit_learns():
    golf = load("golf")
    select = crake.Select(k=1).fit(golf)
    assert dict(zip(select.schema_.names, select.scores_.round(3).tolist(), strict=True)) == {
        "outlook": 0.247, "temp": 0.029, "humidity": 0.152, "windy": 0.048,
    }  # fmt: skip
    assert select.names == ("outlook",)
    X, y = codes_of(golf)
    assert select.scores_ * np.log(2) == pytest.approx(mutual_info_classif(X, y, discrete_features=True))


def test_chi_square_is_that_of_scikit_learn_over_all_levels():
    golf = load("golf")
    X, y = codes_of(golf)
    expected = [chi2(OneHotEncoder().fit_transform(X[:, [j]]), y)[0].sum() for j in range(4)]
    select = crake.Select("chi-square", k=2).fit(golf)
    assert select.scores_ == pytest.approx(expected)
    assert select.scores_[0] == pytest.approx(3.547, abs=0.001)
    assert select.names == ("outlook", "humidity")


def test_without_k_columns_that_say_no_more_than_chance_are_left_out(table):
    for method in ("mutual-information", "chi-square"):
        assert crake.Select(method).fit(table).names == ("useful", "name", "copy")
    nothing = table.select([*(f"n{j}" for j in range(6)), "y"])
    assert len(crake.Select().fit(nothing).names) == 1


def test_cfs_leaves_out_copies_and_noise(table):
    assert crake.Select("cfs").fit(table).names == ("useful", "name")
    assert crake.Select("cfs").fit(load("iris")).names == ("petal length (cm)", "petal width (cm)")
    assert len(crake.Select("cfs", k=1).fit(table).names) == 1


@pytest.mark.parametrize("seed", range(4))
def test_the_search_of_cfs_finds_the_largest_merit_of_all_subsets(seed):
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 2, (150, 3))
    X = np.column_stack([base, base ^ (rng.random((150, 3)) < 0.2)]).astype(str)
    y = np.where((base.sum(axis=1) + (rng.random(150) < 0.2)) > 1, "yes", "no")
    table = from_frame(pa.table({f"c{j}": X[:, j] for j in range(6)} | {"y": y}), target="y")
    correlations = Correlations.of(table)
    every = [subset for k in range(1, 7) for subset in combinations(range(6), k)]
    best = max(map(correlations.merit, every))
    assert correlations.merit(best_subset(correlations)) >= best - 1e-4


def test_the_wrapper_adds_columns_while_its_learner_gets_better(table):
    select = crake.Select("wrapper", estimator=crake.NaiveBayesClassifier()).fit(table)
    assert {"name"} < set(select.names) <= {"useful", "name", "copy", *(f"n{j}" for j in range(6))}
    assert set(select.names) & {"useful", "copy"}
    assert len(select.names) <= 4
    assert select.p_values_ is None
    alone = crake.evaluate("naive-bayes", table.select(["name", "y"]), plan=crake.CrossValidation(5)).accuracy
    assert select.scores_[1] == pytest.approx(alone.value)
    with pytest.raises(CrakeError, match="SequentialFeatureSelector"):
        crake.Select("wrapper", estimator=make_pipeline(crake.Select(), crake.C45Classifier())).fit(table)


def test_columns_pass_as_they_are():
    X, y = noisy()
    select = crake.Select("cfs").fit(X, y)
    assert select.get_support().tolist() == [True, True, False] + [False] * 6
    assert select.get_support(indices=True).tolist() == [0, 1]
    assert select.get_feature_names_out().tolist() == ["useful", "name"]
    pd.testing.assert_frame_equal(select.transform(X), X[["useful", "name"]])
    polars = crake.Select("cfs").fit(pl.from_pandas(X), y).transform(pl.from_pandas(X))
    assert polars.columns == ["useful", "name"]
    arrow = pa.Table.from_pandas(X, preserve_index=False)
    assert crake.Select("cfs").fit(arrow, y).transform(arrow).column_names == ["useful", "name"]
    numbers = X.drop(columns="name").to_numpy()
    plain = crake.Select("cfs").fit(numbers, y)
    assert plain.transform(numbers).dtype == np.float64
    assert plain.get_feature_names_out().tolist() == ["x0"]
    framed = crake.Select("cfs").set_output(transform="pandas").fit(X, y).transform(X)
    assert list(framed.columns) == ["useful", "name"]


def test_a_table_keeps_its_target_and_text(table):
    kept = crake.Select("cfs").fit(table).transform(table)
    assert [column.name for column in kept.schema.columns] == ["useful", "name", "y"]
    assert kept.schema.target == "y"


def test_it_stands_in_pipelines_of_scikit_learn():
    X, y = noisy()
    scores = cross_val_score(make_pipeline(crake.Select("cfs"), crake.C45Classifier()), X, y, cv=4)
    assert scores.mean() > 0.75


def test_choosing_inside_the_folds_is_honest():
    rng = np.random.default_rng(2)
    X, y = (rng.random((60, 600)) < 0.5).astype(float), np.arange(60) % 2
    inside = crake.evaluate(crake.Selected(crake.NaiveBayesClassifier(), "mutual-information", k=10), X, y).accuracy
    chosen = crake.Select(k=10).fit_transform(X, y)
    outside = crake.evaluate(crake.NaiveBayesClassifier(), chosen, y).accuracy
    assert inside.low < 0.55 < 0.65 < outside.low


def test_weights_are_copies(table):
    weights = 1.0 + np.arange(len(table)) % 3
    copies = table.take(np.repeat(np.arange(len(table)), weights.astype(int)))
    for method in ("mutual-information", "chi-square", "cfs"):
        one = crake.Select(method).fit(table.with_weights(weights))
        other = crake.Select(method).fit(copies)
        assert one.scores_ == pytest.approx(other.scores_)
        assert one.names == other.names


def test_selected_is_the_learner_on_the_columns_that_are_kept(table):
    model = crake.Selected(crake.NaiveBayesClassifier(), "cfs").fit(table)
    plain = crake.NaiveBayesClassifier().fit(table.select(["useful", "name", "y"]))
    assert np.array_equal(model.predict_proba(table), plain.predict_proba(table))
    assert "It reads 2 of 9 columns, chosen by cfs." in str(model.explain(table.take(np.array([3]))))
    assert str(model).startswith("Columns by cfs: 2 of 9")
    assert crake.compare(table, learners=["majority", model]).best.name == "naive Bayes, columns by cfs"
    assert model.changes(table.take(np.array([3])))
    with pytest.raises(CrakeError, match="make_pipeline"):
        crake.Selected(make_pipeline(crake.C45Classifier())).fit(table)


def test_a_model_file_holds_the_choice(table, tmp_path):
    for model in (crake.Selected(crake.C45Classifier(), "cfs"), crake.Select("chi-square", k=2)):
        crake.save(model.fit(table), tmp_path / "m.crake")
        loaded = crake.load(tmp_path / "m.crake")
        assert str(loaded) == str(model)
        if hasattr(model, "predict_proba"):
            assert np.array_equal(loaded.predict_proba(table), model.predict_proba(table))
        else:
            assert loaded.get_support().tolist() == model.get_support().tolist()
            assert loaded.p_values_.tolist() == model.p_values_.tolist()
    broken = crake.Select(k=1).fit(table)
    broken.support_ = np.zeros_like(broken.support_)
    crake.save(broken, tmp_path / "b.crake")
    with pytest.raises(ModelFileError, match="keeps no column"):
        crake.load(tmp_path / "b.crake")
    other = crake.Selected(crake.C45Classifier(), "cfs").fit(table)
    other.select_ = crake.Select(k=1).fit(table.select(["n1", "n2", "y"]))
    crake.save(other, tmp_path / "o.crake")
    with pytest.raises(ModelFileError, match="other columns"):
        crake.load(tmp_path / "o.crake")


def test_bad_input_is_explained(table):
    with pytest.raises(CrakeError, match="requires y"):
        crake.Select().fit([[1.0], [2.0]])
    with pytest.raises(CrakeError, match="no column to choose from"):
        crake.Select().fit(table.select(["y"]))
    with pytest.raises(ValueError, match="method"):
        crake.Select("best").fit(table)


@pytest.fixture(scope="module")
def numbers():
    """A numeric target that a number and a name say something about, a copy of the number, and noise."""
    rng = np.random.default_rng(5)
    useful, name = rng.normal(size=200), rng.choice(["a", "b", "c"], 200)
    frame = {"useful": useful, "name": name, "copy": useful * 2, **{f"n{j}": rng.normal(size=200) for j in range(5)}}
    y = 2 * useful + np.where(name == "a", 3.0, 0.0) + rng.normal(size=200)
    return from_frame(pa.table({**frame, "y": y}), target="y", numeric=["y"])


@pytest.mark.parametrize(
    ("method", "kept"),
    [
        ("mutual-information", ("useful", "name", "copy")),
        ("chi-square", ("useful", "name", "copy")),
        ("cfs", ("useful", "name", "copy")),  # with a copy twice, the number has more merit beside the name
        ("wrapper", ("useful", "name")),
    ],
)
def test_columns_are_chosen_for_a_numeric_target(numbers, method, kept):
    select = crake.Select(method).fit(numbers)
    assert select.names == kept
    X, y = numbers.to_xy()
    frame = X.to_pandas()
    assert crake.Select(method).fit(frame, y).get_feature_names_out().tolist() == list(kept)
    model = crake.SelectedRegressor(method=method).fit(numbers)
    plain = crake.LinearRegressor().fit(numbers.select([*kept, "y"]))
    assert np.allclose(model.predict(numbers), plain.predict(numbers.select(list(kept))))
    if method == "wrapper":  # R² of each column alone, on the same folds, as scikit-learn has it
        assert select.scores_[0] == pytest.approx(_r_squared_alone(numbers, "useful"))


def _r_squared_alone(table, name):
    x, y = table.column(name)[:, None], table.column("y")
    fold = crake.CrossValidation(5, stratified=False).assign(np.zeros(len(y), np.int32), ()).fold
    predicted = np.empty(len(y))
    for k in range(5):
        predicted[fold == k] = LinearRegression().fit(x[fold != k], y[fold != k]).predict(x[fold == k])
    return r2_score(y, predicted)


def test_selected_regressors_are_stored_explained_and_refused(numbers, tmp_path):
    model = crake.SelectedRegressor(crake.CARTRegressor(max_depth=2), "mutual-information", k=1).fit(numbers)
    crake.save(model, tmp_path / "m.crake")
    again = crake.load(tmp_path / "m.crake")
    assert again.select_.names == ("useful",)
    assert np.array_equal(again.predict(numbers), model.predict(numbers))
    assert str(again) == str(model)
    assert model.explain(numbers.take([0])).notes[-1] == "It reads 1 of 8 columns, chosen by mutual-information."
    with pytest.raises(CrakeError, match="expected a regressor, as the target is numeric, got a NaiveBayesClassifier"):
        crake.Select("wrapper", estimator=crake.NaiveBayesClassifier()).fit(numbers)
    with pytest.raises(CrakeError, match="expected a classifier, got a LinearRegressor"):
        crake.Select("wrapper", estimator=crake.LinearRegressor()).fit(load("golf"))
    with pytest.raises(CrakeError, match="takes crake's regressors"):
        crake.SelectedRegressor(LinearRegression()).fit(numbers)


WEKA_CFS = {
    "breast-cancer": [2, 3, 4, 5, 8],
    "credit-g": [0, 1, 2],
    "diabetes": [1, 5, 7],
    "glass": [0, 1, 2, 3, 5, 6, 7],
    "labor": [1, 6, 7, 10, 12],
    "vote": [3],
}
"""CfsSubsetEval -L -M with BestFirst -D 1 -N 5 of WEKA 3.9.7: places of the columns."""


@pytest.mark.parametrize("name", WEKA_CFS)
def test_cfs_keeps_the_columns_that_weka_keeps(name, shared):
    table = crake.read(shared / "data" / "arff" / f"{name}.arff", "last")
    assert np.flatnonzero(crake.Select("cfs").fit(table).support_).tolist() == WEKA_CFS[name]


@pytest.mark.parametrize(("extra", "merit", "of_weka"), [(0, 0.1320, 0.0934), (2, 0.1281, 0.1281)])
def test_wekas_merit_differs_only_where_two_columns_are_independent(extra, merit, of_weka):
    """Merits of both columns by WEKA 3.9.7, `GreedyStepwise -R`: it counts an uncertainty of 0 between columns as 1."""
    positives = {("x", "u"): 45, ("x", "v"): 30, ("y", "u"): 30, ("y", "v"): 10}
    lines = [(*cell, "p" if row < n else "n") for cell, n in positives.items() for row in range(50)]
    lines += [("x", "u", "p"), ("x", "u", "n")][:extra]
    found = Correlations.of(from_frame(pd.DataFrame(lines, columns=["a", "b", "class"]), target="class"))
    pair = found.between(0)[1]
    assert found.merit((0, 1)) == pytest.approx(merit, abs=5e-5)
    assert found.of_class.sum() / np.sqrt(2 + 2 * (pair or 1.0)) == pytest.approx(of_weka, abs=5e-5)
