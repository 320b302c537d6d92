"""`crake learners`: one line per learner, and the parameters of one."""

from __future__ import annotations

import json

import pytest

import crake as package
from crake.learners.registry import names, regressor_names


def test_each_learner_has_one_line_under_its_kind(crake) -> None:
    classifiers, regressors, _ = crake("learners").out.split("\n\n")
    assert [line.split()[0] for line in classifiers.splitlines()[1:]] == list(names())
    assert [line.split()[0] for line in regressors.splitlines()[1:]] == list(regressor_names())


def test_one_learner_is_shown_with_its_parameters_as_set_takes_them(crake) -> None:
    out = crake("learners", "C4.5").out
    assert out.startswith("c4.5: C4.5, classifier, crake.C45Classifier\n")
    for text in ("confidence=0.25", "pruning=pessimistic", "max_depth=null", "raising=true", "validation_fraction=1/3"):
        assert f"  {text} " in out
    assert "[--tune: 0.05, 0.1, 0.25, 0.5]" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_name_of_both_kinds_shows_both(crake) -> None:
    out = crake("learners", "knn").out
    assert "crake.NeighborsClassifier" in out
    assert "crake.NeighborsRegressor" in out


@pytest.mark.parametrize("arguments", [(), ("cart",)])
def test_json_has_the_same_with_values_as_they_are(crake, arguments) -> None:
    document = json.loads(crake("learners", *arguments, "--json").out)
    assert document["schema"] == "crake-learners/1"
    found = {each["class"]: each for each in document["learners"]}
    assert len(found) == (2 if arguments else len(names()) + len(regressor_names()))
    parameters = {each["name"]: each["default"] for each in found["crake.CARTClassifier"]["parameters"]}
    assert parameters == package.CARTClassifier().get_params()


def test_an_unknown_name_is_an_error_with_a_hint(crake) -> None:
    ended = crake("learners", "naive")
    assert (ended.code, ended.out) == (2, "")
    assert "there is no learner 'naive'. Did you mean 'naive-bayes'?" in ended.err
