"""Tuned: the plain twin of nested tuning, GridSearchCV as second witness, rules, files, and what is refused."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
from scipy.stats import uniform
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from tests.modelfile.repaired import Document, Tensors, changed
from tests.plain import tuning_twin

import crake
from crake.learners.meta.inner_folds import models_of_each
from crake.learners.meta.tune.choice import Scores
from crake.learners.registry import title_of
from crake.metrics.cost.entries import MEAN_COST
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.measures import CLASSIFICATION, find_measure
from crake.modelfile.store import loaded
from crake.modelfile.writing import model_bytes
from crake.table.examples import load

IRIS, BREAST, WEATHER = load("iris"), load("breast-cancer"), load("weather")
FEW = BREAST.take(np.arange(0, 569, 4))
BAYES = crake.NaiveBayesClassifier()


def accuracy(actual: np.ndarray, probabilities: np.ndarray) -> float:
    return float(np.mean(np.argmax(probabilities, axis=1) == actual))


def minus_log_loss(actual: np.ndarray, probabilities: np.ndarray) -> float:
    return -float(log_loss(actual, np.clip(probabilities, 1e-300, 1), labels=range(probabilities.shape[1])))


CASES = [
    (crake.CARTClassifier(), {"max_depth": [1, 2, 4], "min_samples_leaf": [10, 1]}, IRIS),
    (BAYES, {"min_variance": [0.5, 0.01], "prior": ["laplace", "empirical"]}, IRIS),
    (BAYES, {"alpha": [3.0, 1.0, 0.1], "numeric": ["gaussian", "discretised"]}, WEATHER),
    (crake.OneRuleClassifier(), {"min_bucket": [30, 6, 1]}, FEW),
]


@pytest.mark.parametrize(("learner", "grid", "table"), CASES, ids=lambda case: repr(case)[:40])
def test_nested_tuning_is_its_plain_twin(learner: Any, grid: Any, table: Any) -> None:
    outer, inner = crake.CrossValidation(3, random_state=5), crake.CrossValidation(4)
    expected, chosen = tuning_twin.nested(learner, grid, table, outer, inner, accuracy)
    tuned = crake.Tuned(learner, grid, plan=inner)
    found = crake.evaluate(tuned, table, plan=outer)
    np.testing.assert_allclose(found.out_of_fold.probabilities, expected, rtol=1e-7, atol=1e-12)
    own = [
        clone(tuned).fit(table.take(train)).best_params_
        for train, _ in outer.assign(table.target, table.schema.classes).splits()
    ]
    assert own == chosen


@pytest.mark.parametrize("measure", ["accuracy", "log_loss"])
def test_the_search_of_scikit_learn_chooses_the_same(measure: str) -> None:
    grid = {"max_depth": [1, 2, 3, 5], "min_samples_leaf": [20, 5, 1]}
    learner = crake.CARTClassifier(laplace=True)
    X, y = FEW.to_xy()
    splits = list(crake.CrossValidation(5).assign(FEW.target, FEW.schema.classes).splits())
    scoring = "accuracy" if measure == "accuracy" else "neg_log_loss"
    theirs = GridSearchCV(learner, grid, cv=splits, scoring=scoring).fit(X, y)
    ours = crake.Tuned(learner, grid, measure=measure).fit(FEW)
    shown = {row[0]: row[2] for row in ours.results_.rows}
    for parameters, mean in zip(theirs.cv_results_["params"], theirs.cv_results_["mean_test_score"], strict=True):
        assert float(shown[", ".join(f"{n}={v}" for n, v in parameters.items())]) == pytest.approx(abs(mean), abs=6e-5)
    values = dict(zip(map(str, theirs.cv_results_["params"]), theirs.cv_results_["mean_test_score"], strict=True))
    assert values[str(ours.best_params_)] == pytest.approx(theirs.best_score_)


def test_log_loss_is_made_small() -> None:
    grid = {"min_variance": [0.9, 0.3, 0.01]}
    best, _ = tuning_twin.tuned(BAYES, grid, FEW, crake.CrossValidation(5), minus_log_loss)
    assert crake.Tuned(BAYES, grid, measure="log_loss").fit(FEW).best_params_ == best


def test_candidates_that_share_statistics_are_gathered_once(monkeypatch: Any) -> None:
    calls = []
    gather = crake.NaiveBayesClassifier.gather

    def counting(self: Any, *given: Any) -> Any:
        calls.append(self)
        return gather(self, *given)

    monkeypatch.setattr(crake.NaiveBayesClassifier, "gather", counting)
    crake.Tuned(BAYES, {"alpha": [0.0, 0.5, 1, 2], "prior": ["laplace", "empirical"]}).fit(WEATHER)
    assert len(calls) == 2  # once for all eight candidates and all folds, once for the model
    calls.clear()
    crake.Tuned(BAYES, {"numeric": ["kernel", "discretised"], "alpha": [1, 2]}).fit(IRIS)
    assert len(calls) == 3


SETTINGS = [{"alpha": 0.0}, {"m": 2.0}, {"zero": 0.01}, {"prior": "laplace"}, {"ddof": 0}, {"floor": 1e-3}]


@pytest.mark.parametrize("table", [IRIS, load("tax"), WEATHER], ids=lambda table: table.name)
@pytest.mark.parametrize("base", [{}, {"numeric": "kernel"}, {"numeric": "discretised"}, {"precision": 0.2}], ids=str)
def test_models_of_shared_statistics_are_those_of_refitting(base: Any, table: Any) -> None:
    learners = [crake.NaiveBayesClassifier(**{**base, **each}) for each in SETTINGS]
    assignment = crake.CrossValidation(3).assign(table.target, table.schema.classes)
    met = set()
    for k, fold, test, model in models_of_each(learners, table, assignment):
        train, expected = assignment.split(fold)
        np.testing.assert_array_equal(test, expected)
        refitted = clone(learners[k]).fit(table.take(train))
        np.testing.assert_allclose(
            model.probabilities(table, test), refitted.probabilities(table, test), rtol=1e-8, atol=1e-12
        )
        met.add((k, fold))
    assert len(met) == 3 * len(SETTINGS)


def test_a_holdout_within() -> None:
    plan = crake.Holdout()
    train, test = next(plan.assign(IRIS.target, IRIS.schema.classes).splits())
    right = {
        d: accuracy(
            IRIS.target[test], crake.CARTClassifier(max_depth=d).fit(IRIS.take(train)).probabilities(IRIS, test)
        )
        for d in (1, 3)
    }
    model = crake.Tuned(crake.CARTClassifier(), {"max_depth": [1, 3]}, plan=plan).fit(IRIS)
    assert {row[0]: float(row[2]) for row in model.results_.rows} == {
        f"max_depth={d}": pytest.approx(value, abs=6e-5) for d, value in right.items()
    }
    bayes = crake.Tuned(BAYES, {"alpha": [0.1, 1]}, plan=plan).fit(WEATHER)
    train, test = next(plan.assign(WEATHER.target, WEATHER.schema.classes).splits())
    own = clone(BAYES).set_params(alpha=1).fit(WEATHER.take(train)).probabilities(WEATHER, test)
    shown = {row[0]: float(row[2]) for row in bayes.results_.rows}
    assert shown["alpha=1"] == pytest.approx(accuracy(WEATHER.target[test], own), abs=6e-5)


def test_one_standard_error_takes_the_first_that_is_near() -> None:
    grid = {"max_depth": [1, 2, 3, 5, 8]}
    values = tuning_twin.inner_values(crake.CARTClassifier(), grid, FEW, crake.CrossValidation(5), accuracy)
    means = values.mean(axis=1)
    best = int(np.argmax(means))
    near = means >= means[best] - values[best].std(ddof=1) / np.sqrt(5) - 1e-12
    model = crake.Tuned(crake.CARTClassifier(), grid, rule="one-standard-error").fit(FEW)
    assert model.best_params_ == {"max_depth": grid["max_depth"][int(np.argmax(near))]}
    assert sum("chosen" in row[-1] for row in model.results_.rows) == 1


def test_drawn_candidates() -> None:
    search = crake.Tuned(BAYES, distributions={"alpha": uniform(0, 3), "prior": ["laplace"]}, n_iter=7, random_state=3)
    tried = search.candidates()
    assert len(tried) == 7
    assert tried == clone(search).candidates()
    assert all(0 <= each["alpha"] <= 3 and each["prior"] == "laplace" for each in tried)
    assert search.fit(WEATHER).best_params_ in tried
    assert len(crake.Tuned(BAYES, distributions={"alpha": [1, 2]}, n_iter=50).candidates()) == 2


def test_by_cost_and_by_class() -> None:
    costs = {"benign": {"malignant": 1}, "malignant": {"benign": 50}}
    grid = {"cutoff": [0.5, 1e-9]}
    learner = crake.WithCutoff(BAYES, cutoff=0.5, positive="malignant")
    assert crake.Tuned(learner, grid, measure="cost", cost=costs).fit(BREAST).best_params_ == {"cutoff": 1e-9}
    assert crake.Tuned(learner, grid, measure="accuracy").fit(BREAST).best_params_ == {"cutoff": 0.5}
    for measure in ("f1", "auc", "average_precision"):
        model = crake.Tuned(BAYES, {"alpha": [1, 2]}, measure=measure, positive="malignant").fit(FEW)
        assert measure.replace("_", " ") in model.results_.title


def test_what_was_tuned_stands_beside_the_score() -> None:
    grid = {"confidence": [0.1, 0.25], "min_samples_leaf": [2, 5]}
    found = crake.evaluate("c4.5", IRIS, tune=grid, plan=crake.CrossValidation(3))
    assert found.name == "C4.5, tuned (confidence, min_samples_leaf; 4 candidates, inner 5-fold)"
    own = crake.evaluate(crake.Tuned(crake.C45Classifier(), grid), IRIS, plan=crake.CrossValidation(3))
    np.testing.assert_array_equal(found.out_of_fold.probabilities, own.out_of_fold.probabilities)
    board = crake.compare(IRIS, learners=["majority", "1r"], tune=True, plan=crake.CrossValidation(3))
    assert [each.name for each in board.evaluations] == [
        "majority class",
        "1R, tuned (min_bucket; 4 candidates, inner 5-fold)",
    ]
    assert "tuned (min_bucket; 4 candidates" in str(board)
    by_name = crake.compare(IRIS, learners=["1r", "cart"], tune={"1r": {"min_bucket": [3, 6]}}, plan=crake.Holdout())
    assert [each.name for each in by_name.evaluations] == ["1R, tuned (min_bucket; 2 candidates, inner 5-fold)", "CART"]
    how = crake.Tuned(grid={"min_bucket": [3, 6]}, measure="kappa", plan=crake.Holdout())
    named = title_of(crake.evaluation.protocol.wrapped.tuned(crake.OneRuleClassifier(), how))
    assert named.startswith("1R, tuned by kappa (min_bucket; 2 candidates, inner stratified holdout, ")


@pytest.mark.parametrize("name", ["c4.5", "cart", "chaid", "id3", "logistic", "naive-bayes", "1r", "knn"])
def test_every_usual_grid_can_be_tried(name: str) -> None:
    table = IRIS.take(np.arange(0, 150, 3))
    model = crake.Tuned(crake.learners.registry.by_name(name), plan=crake.Holdout()).fit(table)
    assert len(model.results_.rows) == len(model.candidates()) > 2


def test_files_and_copies(tmp_path: Any) -> None:
    for learner, grid in (
        (crake.Calibrated(BAYES), {"estimator__alpha": [0.5, 1], "method": ["isotonic", "sigmoid"]}),
        (crake.WithCutoff(BAYES, by="youden"), {"estimator": [BAYES, crake.OneRuleClassifier()]}),
        (crake.CARTClassifier(), [{"max_depth": [1, 2]}, {"ccp_alpha": [0.01]}]),
    ):
        model = crake.Tuned(learner, grid).fit(FEW)
        crake.save(model, tmp_path / "m.crake")
        for copy in (crake.load(tmp_path / "m.crake"), pickle.loads(pickle.dumps(model))):
            assert copy.predict(FEW).tolist() == model.predict(FEW).tolist()
            assert (str(copy), repr(copy)) == (str(model), repr(model))
            assert repr(copy.best_params_) == repr(model.best_params_)
            assert copy.results_ == model.results_


@pytest.mark.parametrize(
    ("search", "said"),
    [
        (crake.Tuned(BAYES, {"alhpa": [1]}), "has no parameter 'alhpa'. Did you mean 'alpha'?"),
        (crake.Tuned(BAYES, {"alpha": [1, -1]}), "a candidate cannot be tried: The 'alpha' parameter"),
        (crake.Tuned(BAYES, {"alpha": []}), "the values of 'alpha' to try are []"),
        (crake.Tuned(BAYES, {"alpha": 1}), "the values of 'alpha' to try are 1; expected a list"),
        (crake.Tuned(BAYES, {"prior": "laplace"}), "expected a list"),
        (crake.Tuned(BAYES, []), "grid is an empty list"),
        (crake.Tuned(BAYES, {"alpha": [1]}, distributions={"alpha": [1]}), "both a grid and distributions"),
        (crake.Tuned(crake.MajorityClassifier()), "has no usual grid"),
        (crake.Tuned(BAYES, measure="cost"), "measure='cost' and a cost matrix go together"),
        (crake.Tuned(BAYES, measure="recal"), "there is no measure 'recal'. Did you mean 'recall'"),
        (crake.Tuned(BAYES, measure="rmse"), "'rmse' measures predicted values"),
        (crake.Tuned(BAYES, cost=[[0, 1], [1, 0]]), "go together"),
        (crake.Tuned(BAYES, positive="ill"), "there is no class 'ill'"),
        (crake.Tuned(BAYES, distributions={"alpha": [1]}, rule="one-standard-error"), "have no order"),
        (crake.Tuned(BAYES, rule="one-standard-error", plan=crake.Holdout()), "needs two folds or more"),
        (crake.Tuned(BAYES, measure="auc", plan=crake.LeaveOneOut()), "undefined in every inner fold"),
        (crake.Tuned(LogisticRegression(), {"C": [1]}), "scikit-learn's GridSearchCV"),
    ],
    ids=repr,
)
def test_tune_raises_on_bad_requests(search: Any, said: str) -> None:
    with pytest.raises(crake.CrakeError) as refused:
        search.fit(FEW)
    assert said in str(refused.value)


def test_what_tune_refuses() -> None:
    for tune, said in (
        ({"alhpa": [1]}, "Did you mean 'alpha'"),
        ("all", "expected {name: values}"),
        (crake.Tuned(BAYES), "with a learner of its own"),
    ):
        with pytest.raises(crake.CrakeError, match=said):
            crake.evaluate("naive-bayes", IRIS, tune=tune)
    for tune, said in (({"c4.5": {}}, "not in the comparison"), ({"c45": {}}, "not a learner"), ([1], "expected True")):
        with pytest.raises(crake.CrakeError, match=said):
            crake.compare(IRIS, learners=["1r"], tune=tune)
    with pytest.raises(crake.CrakeError, match="GridSearchCV"):
        crake.evaluate(LogisticRegression(), IRIS, tune={"C": [1]})


@pytest.mark.parametrize("measure", [each.name for each in CLASSIFICATION if not each.needs_costs])
def test_every_measure_of_the_registry_chooses_the_best_mean_of_the_folds(measure: str) -> None:
    grid, plan = {"alpha": [500.0, 0.5]}, crake.CrossValidation(3)
    model = crake.Tuned(BAYES, grid, measure=measure, positive="malignant", plan=plan).fit(FEW)
    means = {}
    for alpha in grid["alpha"]:
        evaluation = crake.evaluate(clone(BAYES).set_params(alpha=alpha), FEW, plan=plan, positive="malignant")
        means[alpha] = float(evaluation.across_folds(measure))
    sign = find_measure(measure).sign
    best = max(means, key=lambda alpha: (sign * round(means[alpha], 12), alpha))
    assert model.best_params_ == {"alpha": best}
    rows = {row[0]: row[2] for row in model.results_.rows}
    assert rows == {f"alpha={alpha}": f"{mean:.4f}" for alpha, mean in means.items()}


def test_a_measure_of_one_class_is_tuned_where_that_is_named() -> None:
    model = crake.Tuned(BAYES, {"alpha": [1, 2]}, measure="Recall", positive="malignant").fit(FEW)
    assert "Recall on stratified 5-fold" in model.results_.title
    with pytest.raises(crake.CrakeError, match="say which one is meant, positive="):
        crake.Tuned(BAYES, {"alpha": [1, 2]}, measure="lift").fit(IRIS)


def test_one_class_is_not_tuned_and_says_so() -> None:
    model = crake.Tuned(BAYES, {"alpha": [2, 1]}).fit([[1.0], [2.0]], ["a", "a"])
    assert model.best_params_ == {"alpha": 2}
    assert str(model).startswith("Not tuned: all 2 rows with a known class are of class 'a'")


def test_means_that_differ_by_rounding_share_a_rank_however_large() -> None:
    costs = MEAN_COST.with_costs(CostMatrix(("a", "b"), np.array([[0.0, 1], [1, 0]])))
    values = np.array([[3e15, 5e15], [2e15, 4e15 + 1], [2e15, 4e15]])
    scores = Scores(values, np.full(2, 8.0), np.full(2, 2.0), costs)
    assert scores.best == 1
    lines = scores.grid(({"k": 1}, {"k": 2}, {"k": 3}), scores.best, "").rows
    assert [line[:2] for line in lines] == [("k=2", "1"), ("k=3", "1"), ("k=1", "3")]
    assert lines[0][-1] == "best; chosen"


def test_an_empty_grid_is_the_learner_as_it_is() -> None:
    assert str(crake.Tuned(grid={}).fit(load("golf"))).startswith("Tuned: as it is\n")


def test_a_grid_of_the_first_files_is_read_with_the_names_of_today() -> None:
    model = crake.Tuned(crake.Calibrated(BAYES), {"estimator__alpha": [0.5, 1.0]}).fit(load("golf"))

    def older(document: Document, _: Tensors) -> None:
        text = json.dumps(document["model"]["parameters"])
        assert '"learner": {' in text  # files keep the name of the inner learner
        document["model"]["parameters"] = json.loads(text.replace("estimator__alpha", "learner__alpha"))

    again = loaded(changed(model_bytes(model), older), "older.crake")
    assert again.grid == {"estimator__alpha": [0.5, 1.0]}
    assert again.best_params_ == model.best_params_
