"""`--select` and `--balance`: columns are chosen and classes balanced inside every training part."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.evaluation.checks.test_rare_classes import rare

from crake.errors import CrakeError
from crake.evaluation.protocol.wrapped import selected_each
from crake.learners.registry import by_name
from crake.modelfile import load
from crake.table.formats.csv.writer import write_csv


def test_learners_of_a_comparison_choose_their_columns(crake, tmp_path):
    file = tmp_path / "best.crake"
    run = crake("compare", "iris", "-l", "majority", "-l", "naive-bayes", "--select", "cfs", "--save", file, "--json")
    document = json.loads(run.out)
    assert [each["learner"] for each in document["learners"]] == ["naive Bayes, columns by cfs", "majority class"]
    assert 'select="cfs"' in document["reproduce"]["Python"]
    assert load(file).select_.names == ("petal length (cm)", "petal width (cm)")


def test_a_learner_is_trained_on_the_columns_it_chose(crake, tmp_path):
    file = tmp_path / "model.crake"
    run = crake("train", "iris", "-l", "1r", "--select", "mutual-information", "-o", file, "--json")
    assert json.loads(run.out)["learner"] == "1R, columns by mutual-information"
    assert (
        'crake.Selected(crake.OneRuleClassifier(), "mutual-information")' in json.loads(run.out)["reproduce"]["Python"]
    )
    assert load(file).select_.method == "mutual-information"


def test_regressors_choose_their_columns_too(crake, tmp_path):
    file, target = tmp_path / "model.crake", ("-t", "petal width (cm)", "--select", "cfs", "--json")
    document = json.loads(crake("compare", "iris", "-l", "mean", "-l", "linear", *target).out)
    assert document["learners"][0]["learner"] == "linear regression, columns by cfs"
    run = crake("train", "iris", "-l", "linear", "-o", file, *target)
    assert 'crake.SelectedRegressor(crake.LinearRegressor(), "cfs")' in json.loads(run.out)["reproduce"]["Python"]
    assert load(file).select_.names == ("sepal length (cm)", "petal length (cm)", "species")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("compare", "iris", "--select", "csf"), "Did you mean 'cfs'?"),
    ],
)
def test_what_cannot_be_selected_is_said(crake, words, said):
    run = crake(*words)
    assert run.code == 2
    assert said in run.err


def test_select_without_a_learner_that_takes_it_is_an_error():
    with pytest.raises(CrakeError, match="got none"):
        selected_each([by_name("majority")], "cfs")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path: Path = tmp_path_factory.mktemp("rare") / "rare.csv"
    write_csv(rare(120, 0.2), path)
    return path


def test_a_comparison_balances_all_but_the_baselines(crake, file):
    learners = ("-l", "majority,naive-bayes", "--balance", "under", "--plan", "cv3", "--json")
    document = json.loads(crake("compare", file, "-t", "class", *learners).out)
    names = [each["learner"] for each in document["learners"]]
    assert sorted(names) == ["majority class", "naive Bayes, balanced by undersampling"]
    assert "--balance under" in document["reproduce"]["Command line"]
    assert [each["share_after"] for each in document["balance"]["classes"]] == [0.5, 0.5]
    assert any(
        note.startswith("each training part is balanced; of all rows that makes: yes") for note in document["notes"]
    )
    assert 'balance="under"' in document["reproduce"]["Python"]


def test_a_search_goes_around_the_balanced_learner(crake, file):
    words = ("-l", "c4.5", "--balance", "over", "--plan", "cv2", "--tune", "--json")
    (learner,) = json.loads(crake("compare", file, "-t", "class", *words).out)["learners"]
    assert learner["learner"].startswith("C4.5, balanced by oversampling, tuned")


def test_a_learner_is_trained_on_balanced_rows(crake, file, tmp_path):
    words = ("--balance", "over", "--cutoff", "recall=0.9", "--positive", "yes", "--seed", "3", "--json")
    document = json.loads(crake("train", file, "-t", "class", "-l", "1r", "-o", tmp_path / "model.crake", *words).out)
    assert (
        "crake.Balanced(crake.OneRuleClassifier(), crake.Oversample(random_state=3))" in document["reproduce"]["Python"]
    )
    model = load(tmp_path / "model.crake").estimator_
    assert model.balance_.rows_after.tolist() == [model.balance_.rows_before.max()] * 2


def test_a_balanced_model_that_is_refitted_shows_the_shares(crake, file, tmp_path):
    model = tmp_path / "model.crake"
    crake("train", file, "-t", "class", "-l", "1r", "--balance", "under", "--no-estimate", "-o", model)
    out = crake("evaluate", model, file, "--plan", "cv3").out
    assert "each training part is balanced; of all rows that makes" in " ".join(out.split())


def test_one_learner_is_evaluated_on_balanced_rows(crake, file):
    run = crake("evaluate", "naive-bayes", file, "-t", "class", "--balance", "weights", "--plan", "cv3", "--json")
    assert json.loads(run.out)["learner"] == "naive Bayes, balanced by weights"
    assert [each["share_after"] for each in json.loads(run.out)["balance"]["classes"]] == [0.5, 0.5]
    assert "crake.Balanced(crake.NaiveBayesClassifier(), crake.Weights())" in json.loads(run.out)["reproduce"]["Python"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("compare", "iris", "--balance", "undr"), "Did you mean 'under'?"),
        (("compare", "iris", "-l", "majority", "--balance", "under"), "no baselines, got none"),
        (("compare", "iris", "-t", "petal width (cm)", "--balance", "under"), "--balance speaks of classes"),
        (
            ("train", "iris", "-t", "petal width (cm)", "-l", "linear", "-o", "m", "--balance", "under"),
            "speaks of classes",
        ),
    ],
)
def test_what_cannot_be_balanced_is_said(crake, words, said):
    run = crake(*words)
    assert run.code == 2
    assert said in run.err
