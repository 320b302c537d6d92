"""`--select`: learners choose their columns inside every training part."""

from __future__ import annotations

import json

import pytest

from crake.errors import CrakeError
from crake.evaluation.protocol.arguments import selected_each
from crake.learners.registry import by_name
from crake.modelfile import load


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
