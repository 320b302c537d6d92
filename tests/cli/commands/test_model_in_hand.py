"""A model after a comparison: --save, train -l best, and learners set, tuned or named by import path."""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.workbench.test_requests import executed

import crake as library
from crake.errors import CrakeError
from crake.evaluation.comparison.best_model import with_least_cost
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.cutoffs import least_expected_cost
from crake.table.sources import scanned_table
from crake.workbench.learners.import_path import learner_at, learner_class
from crake.workbench.table import TableRequest
from crake.workbench.train import TrainRequest

COSTS = "actual,No,Yes\nNo,0,5\nYes,1,0\n"
FOREST = "sklearn.ensemble.RandomForestClassifier"


def test_the_best_learner_is_saved_and_the_output_says_which_and_why(crake, golf, tmp_path):
    file = tmp_path / "best.crake"
    ended = crake("compare", golf, "-t", "play", "-l", "majority,1r,id3", "--save", file)
    assert ended.code == 0, ended.err
    assert f"written: {file} (" in ended.err
    said = " ".join(ended.out.split())
    assert "fitted to all rows: ID3, best of 3 learners by accuracy, not distinguishable from majority class" in said
    model, table = library.load(file), library.read(golf, target="play")
    assert type(model).__name__ == "ID3Classifier"
    assert crake("predict", file, golf).code == 0
    np.testing.assert_array_equal(model.predict(table), library.ID3Classifier().fit(table).predict(table))


def test_the_printed_lines_write_the_same_file(crake, golf, tmp_path):
    file = tmp_path / "best.crake"
    options = ("-l", "majority,knn", "--set", "knn.n_neighbors=3", "--plan", "cv3", "--save", file, "--json")
    document = json.loads(crake("compare", golf, "-t", "play", *options).out)
    assert document["saved"]["bytes"] == file.stat().st_size
    assert document["saved"]["learner"] == document["best"]
    written = file.read_bytes()
    file.unlink()
    executed(document["reproduce"]["Python"])
    assert file.read_bytes() == written


def test_with_costs_the_model_predicts_by_them(crake, golf, tmp_path):
    file, costs = tmp_path / "best.crake", tmp_path / "costs.csv"
    costs.write_text(COSTS)
    options = ("-l", "majority,naive-bayes", "--cost", costs, "--save", file)
    ended = crake("compare", golf, "-t", "play", *options)
    assert "best of 2 learners by mean cost" in " ".join(ended.out.split())
    model, table = library.load(file), library.read(golf, target="play")
    least = least_expected_cost(model.predict_proba(table), CostMatrix.read(costs).aligned(("No", "Yes")))
    assert model.predict(table).tolist() == np.array(["No", "Yes"])[least].tolist()


def test_costs_of_three_classes_are_kept_as_they_are_and_senseless_ones_raise():
    table = library.read("iris")
    costs = CostMatrix(table.schema.classes, 1 - np.eye(3))
    assert with_least_cost(library.NaiveBayesClassifier(), costs, table.schema.classes).cost.costs.shape == (3, 3)
    with pytest.raises(CrakeError, match="expected costs above 0"):
        with_least_cost(library.NaiveBayesClassifier(), CostMatrix(("a", "b"), [[5, 0], [0, 5]]), ("a", "b"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("compare", "golf", "-l", "1r", "--save", "no/such/m.crake"), "there is no folder no/such"),
        (("compare", "iris", "-l", f"1r,{FOREST}", "--save", "m.crake"), f"{FOREST} cannot be saved: a model file"),
        (("train", "iris", "-l", FOREST, "-o", "m.crake"), "needs a pickle, and a pickle can run any code"),
        (("compare", "golf", "--set", "c45.confidence=0.1"), "no learner 'c45'. Did you mean 'c4.5'?"),
        (("compare", "golf", "--set", "c4.5.confidnce=0.1"), "no parameter 'confidnce'. Did you mean 'confidence'?"),
        (("compare", "golf", "--set", "confidence=0.1"), "expected LEARNER.NAME=VALUE"),
        (("compare", "golf", "-l", "1r", "--set", "knn.n_neighbors=3"), "knn is not compared; add -l knn"),
        (("compare", "golf", "--tune", "--set", "c4.5.confidence=0.1"), "--tune chooses confidence itself"),
        (("compare", "iris", "-l", "no_such_module.Forest"), "there is no module 'no_such_module' here"),
        (("compare", "iris", "-l", "sklearn.ensemble.Forest"), "sklearn.ensemble has no 'Forest'"),
        (("compare", "iris", "-l", "os.getcwd"), "os.getcwd is no learner"),
        (("compare", "iris", "-l", "sklearn.preprocessing.StandardScaler"), "is no learner"),
        (
            ("compare", "golf", "-l", FOREST),
            "the columns 'outlook', 'temp', 'humidity', 'windy' are nominal. Leave them",
        ),
        (
            ("evaluate", "sklearn.linear_model.Ridge", "iris"),
            "is a regressor, and the target 'species' of iris holds classes",
        ),
        (("train", "golf", "-l", "best", "-o", "m.crake", "--no-estimate"), "-l best is chosen by an estimate"),
        (("train", "golf", "-l", "best", "-o", "m.crake", "--cutoff", "youden"), "--cutoff youden: -l best takes"),
        (("train", "golf", "-l", "best", "-o", "m.crake", "--cutoff", "cost"), "expected --cost FILE"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(crake, arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended = crake(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert list(tmp_path.iterdir()) == []


def test_an_older_model_stays_if_the_comparison_fails(crake, golf, tmp_path):
    file = tmp_path / "best.crake"
    crake("compare", golf, "-t", "play", "-l", "1r", "--save", file)
    written = file.read_bytes()
    assert crake("compare", golf, "-t", "play", "-l", "1r", "--positive", "Maybe", "--save", file).code == 2
    assert file.read_bytes() == written


def test_a_scanned_table_has_no_best_model(crake, tmp_path, monkeypatch):
    pq.write_table(library.read("golf").to_arrow(), tmp_path / "golf.parquet")
    monkeypatch.setattr(scanned_table, "LARGEST_LOADED", 10)
    ended = crake("compare", tmp_path / "golf.parquet", "-t", "play", "-l", "1r", "--save", tmp_path / "m.crake")
    assert ended.code == 2
    assert "fitting the best learner needs rows in memory" in ended.err


def test_tuned_learners_stand_on_the_leaderboard_and_can_be_saved(crake, golf, tmp_path):
    file = tmp_path / "best.crake"
    options = ("-l", "majority,1r", "--tune", "--plan", "cv3", "--save", file, "--json")
    document = json.loads(crake("compare", golf, "-t", "play", *options).out)
    names = {learner["learner"] for learner in document["learners"]}
    assert names == {"majority class", "1R, tuned (min_bucket; 4 candidates, inner 5-fold)"}
    assert ", tune=True)" in document["reproduce"]["Python"]
    assert library.load(file) is not None


def test_tuning_regressors_is_said_to_change_nothing(crake):
    ended = crake("compare", "iris", "-t", "petal width (cm)", "-l", "mean,knn", "--plan", "cv2", "--tune")
    assert "note: --tune changes nothing: no regressor has a usual grid" in ended.err
    assert "tuned" not in ended.out


def test_parameters_of_the_usual_learners_are_set_and_the_others_stay(crake):
    document = json.loads(crake("compare", "golf", "--plan", "cv2", "--set", "knn.n_neighbors=3", "--json").out)
    names = [learner["learner"] for learner in document["learners"]]
    assert "k nearest neighbours (n_neighbors=3)" in names
    assert len(names) == 14
    assert 'crake.NeighborsClassifier(n_neighbors=3), "svm", ' in document["reproduce"]["Python"]


def test_a_learner_of_scikit_learn_is_named_by_its_import_path(crake):
    path = "sklearn.tree.DecisionTreeClassifier"
    options = ("-l", f"majority,{path}", "--set", f"{path}.max_depth=2", "--plan", "cv3", "--json")
    document = json.loads(crake("compare", "iris", *options).out)
    assert document["best"] == "DecisionTreeClassifier"
    python = document["reproduce"]["Python"]
    assert "from sklearn.tree import DecisionTreeClassifier\n" in python
    assert "DecisionTreeClassifier(max_depth=2, random_state=1)" in python
    accuracy = {each["learner"]: each["measures"]["accuracy"]["value"] for each in document["learners"]}
    assert f"{accuracy['DecisionTreeClassifier']:.3f}" in executed(python)[1]


def test_evaluate_takes_classifiers_and_regressors_by_import_path(crake):
    ended = crake("evaluate", "sklearn.tree.DecisionTreeClassifier", "iris", "--plan", "cv3", "--json")
    assert json.loads(ended.out)["learner"] == "DecisionTreeClassifier", ended.err
    target = ("-t", "petal width (cm)", "--ignore", "species", "--plan", "cv3")
    ended = crake("evaluate", "sklearn.linear_model.LinearRegression", "iris", *target)
    assert "RMSE" in ended.out, ended.err


def test_nothing_is_imported_or_made_but_the_class_that_is_named(tmp_path, monkeypatch):
    (tmp_path / "some_learners").mkdir()
    for name in ("__init__", "named", "other"):
        (tmp_path / "some_learners" / f"{name}.py").write_text(
            "class NoLearner:\n    def __init__(self):\n        raise SystemExit('made')\n"
        )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(CrakeError, match=r"some_learners.named.NoLearner is no learner: expected a class with fit"):
        learner_class("some_learners.named.NoLearner")
    assert "some_learners.named" in sys.modules
    assert "some_learners.other" not in sys.modules
    with pytest.raises(CrakeError, match=r"there is no module 'some_learners.absent' here"):
        learner_class("some_learners.absent.Tree")


def test_a_module_that_fails_while_it_is_imported_is_named(tmp_path, monkeypatch):
    (tmp_path / "broken_learners.py").write_text("raise RuntimeError('no licence')")
    (tmp_path / "odd_learners.py").write_text(
        "class Needs:\n    def __init__(self, k): pass\n    def fit(self): pass\n    predict = get_params = fit\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(CrakeError, match="importing broken_learners failed: RuntimeError: no licence"):
        learner_class("broken_learners.Tree")
    with pytest.raises(CrakeError, match="cannot be made without arguments"):
        learner_at("odd_learners.Needs", {}, 1)


@pytest.fixture(scope="module")
def iris_best(tmp_path_factory):
    """The winner on every third row of iris, trained once."""
    file = tmp_path_factory.mktemp("best") / "best.crake"
    request = TrainRequest(TableRequest("iris", sample=60), "best", str(file), plan="cv3")
    with warnings.catch_warnings():  # the winner may hold its rows
        warnings.simplefilter("ignore")
        return request, request.run()


@pytest.mark.filterwarnings("ignore:.*of the rows that the model was trained on")
def test_training_the_best_compares_first_and_says_so(iris_best):
    request, result = iris_best
    assert "best of 14 learners by accuracy" in result.sentence()
    assert "; corrected for choosing the best of 14: 0." in result.sentence()
    estimate = result.to_dict()["estimate"]
    assert estimate["chosen_among"] == 14
    assert estimate["corrected_for_choosing"]["value"] <= estimate["measures"]["accuracy"]["value"]
    written = result.file.read_bytes()
    result.file.unlink()
    executed(request.python())
    assert result.file.read_bytes() == written


def test_the_best_regressor(crake, tmp_path):
    file = tmp_path / "best.crake"
    ended = crake("train", "iris", "-t", "petal width (cm)", "-l", "best", "--plan", "cv3", "-o", file)
    assert ended.code == 0, ended.err
    assert "best of 6 learners by RMSE" in ended.out
    assert "compared 6 learners: training linear regression" in ended.err
    assert type(library.load(file)).__name__ == "LinearRegressor"


def test_best_names_the_learners_that_were_too_slow_to_compare(crake, tmp_path, monkeypatch):
    slow = "SVM is left out, slow with 90,000 rows: -l svm compares it"
    compared = replace(library.compare("golf", learners=["majority", "1r"], plan="cv2"), protocol_notes=(slow,))
    monkeypatch.setattr("crake.workbench.compare.CompareRequest.comparison_on", lambda *_: compared)
    ended = crake("train", "golf", "-l", "best", "-o", tmp_path / "m.crake")
    assert f"note: {slow}" in ended.err
