"""Experiments: what is found is what `evaluate` finds; cells, seeds, settings; and how the result is told."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import crake
from crake.errors import CrakeError
from crake.evaluation.experiment.settings import settings_of
from crake.kernels import threads
from crake.metrics.measures import CLASSIFICATION, find_measure
from crake.metrics.probability.log_loss import log_loss
from crake.metrics.ranking.auc import auc_weighted
from crake.table.convert.frames import from_xy


@pytest.fixture(scope="module")
def result():
    experiment = crake.Experiment(
        ["golf", "iris", "tax", "wine"], ["majority", "1r", "naive-bayes"], repeats=3, plan=crake.CrossValidation(5)
    )
    return experiment.run(None)


def test_each_cell_is_what_evaluate_finds(result):
    for r in range(3):
        found = crake.evaluate(
            "naive-bayes", crake.read("iris"), plan=crake.CrossValidation(5, random_state=1 + r)
        ).out_of_fold
        folds = result.folds[1, 2, r]
        for fold in range(5):
            rows = found.fold == fold
            actual, probabilities = found.actual[rows], found.probabilities[rows]
            right = actual == probabilities.argmax(axis=1)
            assert np.trace(folds.confusion[fold]) / rows.sum() == right.mean()
            assert folds.auc[fold] == auc_weighted(actual, probabilities).value
            assert folds.log_loss[fold] == log_loss(actual, probabilities).value
            assert (folds.training_rows[fold], folds.test_rows[fold]) == (120, 30)


def test_repeats_are_counted_from_1_with_the_seed_of_each(result):
    lines = result.to_frame().to_pylist()
    assert {(line["repeat"], line["seed"]) for line in lines} == {(1, 1), (2, 2), (3, 3)}


@pytest.mark.parametrize("measure", [each.name for each in CLASSIFICATION if not each.needs_costs])
def test_every_measure_of_the_registry_is_what_evaluate_finds(measure):
    plan = crake.CrossValidation(3)
    result = crake.Experiment(["breast-cancer"], ["1r", "naive-bayes"], plan=plan, repeats=1, measure=measure).run(None)
    evaluation = crake.evaluate("naive-bayes", crake.read("breast-cancer"), plan=plan)
    if measure == "auc":  # of the rarer class there, of both by size here; they differ where 1 − p rounds to a tie
        values = [auc_weighted(part.actual, part.probabilities).value for part in evaluation.by_fold()]
    else:
        values = [part.estimate(measure).value for part in evaluation.by_fold()]
    assert result.scores(0)[1] == pytest.approx(values, rel=1e-14)
    assert find_measure(measure).title in str(result)
    assert result.to_dict()["measure"] == measure
    assert find_measure(measure).on_counts is not None or measure in result.to_dict()["means"]
    assert result.viewed(measure="kappa").table().rows


def test_measures_of_probabilities_rank_by_their_direction():
    result = crake.Experiment(["iris", "wine"], ["majority", "naive-bayes"], repeats=1, measure="brier").run(None)
    assert result.means()[0, 0] > result.means()[0, 1]
    assert result.table().mean_ranks == (2.0, 1.0)
    assert "brier" in result.to_csv().splitlines()[0]
    with pytest.raises(CrakeError, match=r"average_precision was not measured.* measure='average_precision'"):
        result.means("average_precision")
    with pytest.raises(CrakeError, match="share none; choose another"):
        result.viewed(measure="mean_cost")
    with pytest.raises(CrakeError, match="naive Bayes on iris, repeat 1: 3 classes: say which one is meant"):
        crake.Experiment(["iris"], ["naive-bayes"], repeats=1, measure="lift").run(None)


def test_the_table_marks_by_the_corrected_t(result):
    table = result.table("accuracy", baseline="1R")
    for t, row in enumerate(table.rows):
        scores = result.scores(t, "accuracy")
        for k in (0, 2):
            d = scores[k] - scores[1]
            if np.ptp(d) == 0:
                continue
            n = len(d)
            ratio = np.mean([result.folds[t, k, r].test_rows for r in range(3)]) / np.mean(
                [result.folds[t, k, r].training_rows for r in range(3)]
            )
            statistic = d.mean() / np.sqrt(d.var(ddof=1) * (1 / n + ratio))
            p = 2 * stats.t.sf(abs(statistic), n - 1)
            assert row.scores[k].p_value == pytest.approx(p, abs=1e-9)
            assert row.scores[k].mark == ("" if p >= 0.05 else "v" if d.mean() > 0 else "*")
        assert row.scores[1].p_value is None
        assert [score.mean for score in row.scores] == pytest.approx(scores.mean(axis=1).tolist())
    assert table.rows[1].scores[0].mark == "*"
    assert table.tallies[1] is None
    assert sum(table.tallies[0]) == 4


def test_for_a_loss_less_is_better(result):
    accuracy, error = result.table("accuracy", baseline="1R"), result.table("error", baseline="1R")
    marks = [[score.mark for score in row.scores] for row in accuracy.rows]
    assert marks == [[score.mark for score in row.scores] for row in error.rows]
    assert accuracy.mean_ranks == error.mean_ranks
    assert result.wilcoxon(2, 0, "accuracy").p_value == result.wilcoxon(2, 0, "error").p_value
    assert result.sign_test(2, 0, "error").wins == result.sign_test(2, 0, "accuracy").wins


def test_ranks_and_tests_over_tables(result):
    means = result.means("accuracy")
    witness = stats.friedmanchisquare(*means.T)
    assert result.friedman("accuracy").chi_square == pytest.approx(witness.statistic)
    assert result.nemenyi("accuracy").mean_ranks == result.table("accuracy").mean_ranks
    diagram = result.critical_difference("accuracy")
    assert diagram.mean_ranks == result.friedman("accuracy").mean_ranks
    assert result.holm("accuracy", baseline="1R").learners == (0, 2)
    assert result.posterior("naive Bayes", "majority class", "iris").first_better > 0.99
    for measure in ("accuracy", "error"):  # of errors fewer are better
        said = str(result.pair("majority class", "naive Bayes", "iris", measure))
        assert said.startswith("naive Bayes is better than majority class (p < 0.001): difference −0.")


def test_five_by_two():
    experiment = crake.Experiment(["iris"], ["1r", "naive-bayes"], plan=crake.CrossValidation(2), repeats=5)
    found = experiment.run(None)
    scores = found.scores("iris", "accuracy")
    p = (scores[0] - scores[1]).reshape(5, 2)
    F = (p**2).sum() / (2 * ((p[:, 0] - p[:, 1]) ** 2 / 2).sum())
    assert found.five_by_two("1R", "naive Bayes", "iris").statistic == pytest.approx(F)
    with pytest.raises(CrakeError, match="repeats=5"):
        crake.Experiment(["iris"], ["1r", "majority"], repeats=1).run(None).five_by_two(0, 1)


def test_undefined_folds_are_left_out_and_null():
    found = crake.Experiment(["golf"], ["majority", "1r"], repeats=2).run(None)  # folds of one class have no AUC
    lines = found.to_frame().to_pylist()
    undefined = [line for line in lines if line["auc"] is None]
    assert 0 < len(undefined) < len(lines)
    score = found.table("auc").rows[0].scores[1]
    assert score.folds == len([line for line in lines if line["learner"] == "1R" and line["auc"] is not None])
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["schema"] == "crake-experiment/1"


def test_it_is_told_in_every_form(result):
    assert str(result).startswith("Naive Bayes ranks best by accuracy: mean rank ")
    assert "not distinguishable" in str(result)
    lines = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert len(lines) == 4 * 3 * 3 * 5
    assert {"accuracy", "kappa", "f1", "auc", "log_loss"} <= set(lines[0])
    mean = np.mean([float(line["accuracy"]) for line in lines if (line["table"], line["learner"]) == ("wine", "1R")])
    assert mean == pytest.approx(result.means("accuracy")[3, 1])
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert document["means"]["accuracy"][3][1] == pytest.approx(mean)
    page = result.to_html()
    assert "<svg" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace('http-equiv="', "")
    assert result._repr_html_().startswith('<div class="crake fragment">')
    assert result.viewed(measure="auc", baseline="1R").baseline == 1


def test_hostile_names_are_text(tmp_path):
    X = [[1, 2], [2, 1], [3, 5], [4, 4], [1, 1], [2, 2]] * 4
    y = ["a", "b"] * 12
    bad = '<script>alert(1)</script>\x1b[31m"&'
    tables = {bad: from_xy(np.array(X, float), y), "=2+2": crake.read("iris")}
    found = crake.Experiment(tables, {bad: crake.MajorityClassifier(), "x": "1r"}, repeats=2).run(tmp_path / "r.duckdb")
    for shown in (found.to_html(), found._repr_html_(), found.critical_difference().svg(), found.table()._repr_html_()):
        assert "<script>alert" not in shown
    assert "\x1b" not in str(found)
    assert "'=2+2" in found.to_csv()


def test_learners_of_other_libraries_and_their_seeds():
    learners = {"tree": DecisionTreeClassifier(), "logistic": make_pipeline(StandardScaler(), LogisticRegression())}
    plan = crake.CrossValidation(2)
    one, other = (crake.Experiment(["iris"], learners, plan=plan, repeats=2).run(None) for _ in range(2))
    assert one.to_csv() == other.to_csv()  # random_state=None became the seed of the repeat


def test_several_processes_find_the_same(tmp_path):
    experiment = crake.Experiment(["golf", "iris"], ["majority", "1r", "naive-bayes"], repeats=2)
    told = []
    found = experiment.run(tmp_path / "r.duckdb", n_jobs=2, progress=lambda *what: told.append(what))
    assert [done for _, done, _ in told] == list(range(13))
    assert found.to_csv() == experiment.run(None).to_csv() == experiment.run(tmp_path / "r.duckdb").to_csv()


def threads_used():
    """A learner that answers the first class if kernels may use one thread where it is fitted, the last otherwise.

    Its class is made here, so that it travels to the workers, which cannot import this file.
    """

    class ThreadsUsed(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            self.answer_ = self.classes_[0 if threads.count() == 1 else -1]
            return self

        def predict(self, X):
            return np.full(len(X), self.answer_)

    return ThreadsUsed()


def test_workers_use_one_thread_each():
    with threads.limited(4):
        apart = crake.Experiment(["iris"], [threads_used()], repeats=2).run(None, n_jobs=2)
        here = crake.Experiment(["iris"], [threads_used()], repeats=2).run(None)
    assert all(folds.confusion[:, :, 0].sum() == 150 for folds in apart.folds.values())
    assert all(folds.confusion[:, :, -1].sum() == 150 for folds in here.folds.values())


def test_settings_tell_learners_apart():
    one, other = settings_of(LogisticRegression(C=1.0)), settings_of(LogisticRegression(C=2.0))
    assert one != other
    assert one["version"].startswith("sklearn ")
    assert settings_of((1, 2)) != settings_of([1, 2])
    assert settings_of(1) == 1 != settings_of(True) or settings_of(True) is True
    assert json.dumps(settings_of(1)) != json.dumps(settings_of(1.0)) != json.dumps(settings_of(True))
    assert settings_of(np.log1p) == settings_of(np.log1p) != settings_of(np.exp)
    with pytest.raises(CrakeError, match="cannot be written down"):
        settings_of(FunctionTransformer(lambda x: x))
    with pytest.raises(CrakeError, match="RandomState"):
        settings_of(DecisionTreeClassifier(random_state=np.random.RandomState(1)))


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([], ["1r"]), {}, "there are no tables"),
        ((["iris"], []), {}, "there are no learners"),
        (("iris", ["1r"]), {}, "expected several, in a list"),
        ((["iris"], "1r"), {}, "expected several, in a list"),
        ((["iris"], ["1r", "1r"]), {}, "two learners are called '1R'"),
        ((["iris"], {"a": "1r", "b": "1r"}), {}, "'a' and 'b' are the same learner"),
        ((["iris", "iris"], ["1r"]), {}, "two tables are called 'iris'"),
        ((["iris"], [crake.OneRuleClassifier]), {}, "expected a learner"),
        ((["iris"], ["1rr"]), {}, "Did you mean '1r'"),
        ((["irs"], ["1r"]), {}, "irs"),
        ((["iris"], ["1r"]), {"repeats": 0}, "repeats = 0"),
        ((["iris"], ["1r"]), {"measure": "acc"}, "there is no measure 'acc'"),
        ((["iris"], ["1r"]), {"baseline": "2r"}, "there is no learner '2r'"),
        ((["iris"], ["1r"]), {"plan": crake.LeaveOneOut()}, "expected repeats=1"),
        ((["iris"], ["1r"]), {"plan": crake.CrossValidation(5, repeats=2)}, "repeats 2 times by itself"),
        ((["iris"], ["1r"]), {"plan": "cv5"}, "the plan is 'cv5'"),
        ((["golf"], [LogisticRegression()]), {}, "LogisticRegression on golf, repeat 1: .*nominal"),
    ],
)
def test_experiment_raises_on_bad_input(arguments, options, words):
    with pytest.raises(CrakeError, match=words):
        crake.Experiment(*arguments, **options).run(None)


def test_one_learner_or_one_table_can_be_shown():
    one = crake.Experiment(["golf"], ["1r"], repeats=1).run(None)
    assert "1R" in str(one)
    assert one.to_dict()["friedman"] is None
    two = crake.Experiment(["iris"], ["majority", "1r"], repeats=1).run(None)
    assert str(two).startswith("1R better than majority class by accuracy on iris.")
    assert "Mean rank" not in str(two)


def test_regressors_over_tables(tmp_path: Path) -> None:
    tables = {
        column: crake.read("iris", target=column).select(["sepal length (cm)", "petal length (cm)", column])
        for column in ("petal width (cm)", "sepal width (cm)")
    }
    experiment = crake.Experiment(
        tables, ["mean", "linear"], repeats=2, plan=crake.CrossValidation(5, stratified=False)
    )
    result = experiment.run(tmp_path / "numbers.duckdb")
    assert result.measure == "rmse"
    assert result.means().shape == (2, 2)
    assert (result.means()[:, 0] > result.means()[:, 1]).all()
    alone = crake.evaluate("linear", tables["petal width (cm)"], plan=crake.CrossValidation(5, stratified=False))
    folds = [part.rmse.value for part in alone.by_fold()]
    assert result.scores("petal width (cm)")[1, :5].tolist() == folds
    again = crake.Experiment(tables, ["mean", "linear"], repeats=2, plan=crake.CrossValidation(5, stratified=False))
    read_back = again.run(tmp_path / "numbers.duckdb")
    assert all(folds.same_numbers(read_back.folds[place]) for place, folds in result.folds.items())
    assert "RMSE, mean of the folds" in str(result)
    assert {"rmse", "mae", "r_squared"} <= set(result.to_frame().column_names)
    assert set(result.to_dict()["means"]) == {"rmse", "mae", "r_squared"}
    assert (
        "linear regression better" in result.to_dict()["headline"].lower()
        or "ranks best" in result.to_dict()["headline"]
    )


def test_an_experiment_is_of_one_kind() -> None:
    numbers = crake.read("iris", target="petal width (cm)")
    with pytest.raises(CrakeError, match="expected one kind"):
        crake.Experiment({"a": numbers, "b": crake.read("iris")}, ["mean"])
    with pytest.raises(CrakeError, match="is not a regressor"):
        crake.Experiment([numbers], ["majority"])
    with pytest.raises(CrakeError, match="measures predicted classes"):
        crake.Experiment([numbers], ["mean"], measure="accuracy")
