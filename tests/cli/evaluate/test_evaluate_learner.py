"""`crake evaluate` with a plan, a learner's name, costs or a test table; `crake compare` with the same."""

from __future__ import annotations

import contextlib
import io
import json
import shlex

import numpy as np
import pytest

import crake as library
from crake.cli.commands.examples import as_csv


@pytest.fixture(scope="module")
def breast(tmp_path_factory):
    """The breast cancer table in two files, costs, and a model of the first file."""
    tmp_path = tmp_path_factory.mktemp("breast")
    table = library.read("breast-cancer")
    table = table.select([*table.schema.names[:4], table.schema.target])
    (tmp_path / "train.csv").write_text(as_csv(table.take(np.arange(0, len(table), 2))))
    (tmp_path / "test.csv").write_text(as_csv(table.take(np.arange(1, len(table), 2))))
    (tmp_path / "costs.csv").write_text("actual,benign,malignant\nmalignant,10,0\nbenign,0,1\n")
    model = library.C45Classifier(min_samples_leaf=20).fit(library.read(tmp_path / "train.csv", target="diagnosis"))
    library.save(model, tmp_path / "m.crake")
    return tmp_path


def words(text):
    return " ".join(text.split())


def reproduced(code):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(code, {})  # the lines that the program itself prints
    return said.getvalue()


def test_a_learner_by_its_name(crake, breast):
    ended = crake(
        "evaluate", "naive-bayes", breast / "train.csv", "-t", "diagnosis", "--plan", "2xcv5", "--set", "alpha=2"
    )
    assert (ended.code, ended.err) == (0, "")
    table = library.read(breast / "train.csv", target="diagnosis")
    plan = library.CrossValidation(5, repeats=2)
    expected = library.evaluate(library.NaiveBayesClassifier(alpha=2), table, plan=plan)
    assert f"Naive Bayes (alpha=2) on train.csv: accuracy {expected.accuracy:.3f}" in words(ended.out)
    assert "repeated 2 times" in ended.out
    assert f"accuracy           {expected.accuracy:.4f}  [" in ended.out  # the measures with their intervals
    assert "crake.NaiveBayesClassifier(alpha=2)" in ended.out


def test_the_lines_that_reproduce_it_do(crake, breast):
    given = ("--plan", "cv3", "--positive", "malignant", "--cost", breast / "costs.csv", "--json")
    for subject in ("1r", breast / "m.crake"):
        document = json.loads(crake("evaluate", subject, breast / "train.csv", "-t", "diagnosis", *given).out)
        lines = document["reproduce"]
        again = json.loads(crake(*shlex.split(lines["Command line"])[1:], "--json").out)
        assert again["measures"] == document["measures"]
        printed = reproduced(lines["Python"])
        assert f"{document['measures']['accuracy']['value']:.4f}" in printed
        assert f"{document['cost']['mean_cost_by_least_expected']['value']:.3f}" in printed


def test_a_model_file_with_a_plan_is_refitted_with_its_parameters(crake, breast):
    document = json.loads(crake("evaluate", breast / "m.crake", breast / "test.csv", "--plan", "cv4", "--json").out)
    assert document["plan"] == "stratified 4-fold cross-validation, seed 1"
    assert document["notes"][0].endswith("m.crake, was refitted with its parameters; the model itself is not tested")
    table = library.read(breast / "test.csv", target="diagnosis")
    refitted = library.evaluate(library.C45Classifier(min_samples_leaf=20), table, plan=library.CrossValidation(4))
    assert document["measures"]["accuracy"]["value"] == refitted.accuracy.value


def test_costs_the_cutoff_and_the_rows_it_got_wrong(crake, breast):
    ended = crake("evaluate", breast / "m.crake", breast / "test.csv", "--cost", breast / "costs.csv", "--errors", "2")
    assert ended.code == 0
    text = words(ended.out)
    assert "if each row is called the class of least expected cost; the cheapest answer to all rows" in text
    assert "Cutoff: what is called malignant how P(malignant) ≥" in text
    assert "least expected cost 0.0909" in text  # 1 / (1 + 10)
    assert "cheapest on these rows" in text
    assert "the worst 2 of" in text
    document = json.loads(
        crake(
            "evaluate",
            breast / "m.crake",
            breast / "test.csv",
            "--cost",
            breast / "costs.csv",
            "--errors",
            "2",
            "--json",
        ).out
    )
    cost = document["cost"]
    assert cost["cutoff"]["reached"] <= cost["mean_cost_by_least_expected"]["value"]
    assert len(document["errors"]) == 2


def test_costs_of_more_than_two_classes_have_no_cutoff(crake, tmp_path):
    iris = library.read("iris").schema.classes
    (tmp_path / "c.csv").write_text("a," + ",".join(iris) + "\n" + "\n".join(
        f"{one}," + ",".join("0" if one == other else "1" for other in iris) for one in iris))  # fmt: skip
    ended = crake("evaluate", "naive-bayes", "iris", "--cost", tmp_path / "c.csv")
    assert ended.code == 0
    assert "mean cost 0.047" in words(ended.out)
    assert "Cutoff" not in ended.out


def test_compare_with_a_test_table_and_costs(crake, breast):
    arguments = ("compare", breast / "train.csv", "-t", "diagnosis", "-l", "majority,1r,naive-bayes")
    given = ("--test", breast / "test.csv", "--cost", breast / "costs.csv", "--json")
    document = json.loads(crake(*arguments, *given).out)
    assert "tested on test.csv (284 rows)" in document["plan"]
    assert document["learners"][0]["mean_cost"]["value"] <= document["learners"][-1]["mean_cost"]["value"]
    lines = document["reproduce"]
    again = json.loads(crake(*shlex.split(lines["Command line"])[1:], "--json").out)
    assert again["headline"] == document["headline"]
    assert document["headline"] in words(reproduced(lines["Python"]))
    assert crake("evaluate", "1r", breast / "train.csv", "-t", "diagnosis", "--test", breast / "test.csv").code == 0


def test_compare_under_the_632_plus_bootstrap(crake, golf):
    document = json.loads(
        crake("compare", golf, "-t", "play", "-l", "majority,naive-bayes", "--plan", "bootstrap632+", "--json").out
    )
    assert document["plan"] == ".632+ bootstrap, 200 replicates, seed 1"
    assert "bootstrap .632+" in document["learners"][0]["measures"]["accuracy"]["method"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["compare", "golf", "--plan", "cv100"], "asks for 100 folds, and golf has 14 rows"),
        (["evaluate", "1r", "golf", "--plan", "2xcv15"], "asks for 15 folds, and golf has 14 rows"),
        (["compare", "golf", "--cost", "nowhere.csv"], "nowhere.csv: cannot be read: No such file"),
        (["compare", "golf", "--cost", "{costs}"], "the cost matrix has no class 'No'"),
        (["compare", "golf", "--cost", "{broken}"], "line 3"),
        (["evaluate", "1r", "golf", "--cost", "{broken}"], "line 3"),
        (["compare", "golf", "--test", "golf", "--plan", "cv3"], "both a plan and a test table are given"),
        (["evaluate", "1r", "golf", "--test", "golf", "--plan", "cv3"], "both a plan and a test table are given"),
        (["compare", "golf", "--test", "iris"], "there is no column 'play' in iris"),
        (["evaluate", "naive", "golf"], "there is no model file and no learner 'naive'"),
        (["evaluate", "no/1r", "golf"], "there is no such file"),
        (["evaluate", "{model}", "golf", "--set", "a=1"], "the parameters are the model's"),
        (["evaluate", "{model}", "golf", "--test", "golf"], "a model file is tested on TABLE"),
        (["evaluate", "{model}", "golf", "--ignore", "temp"], "the model says how columns are read"),
        (["evaluate", "1r", "golf", "--plan", "cv"], "there is no plan 'cv'"),
        (["evaluate", "1r", "golf", "--positive", "Maybe"], "there is no class 'Maybe'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(crake, breast, arguments, said):
    (breast / "broken.csv").write_text("actual,No,Yes\nNo,0,1\nYes,five,0\n")
    files = {"costs": breast / "costs.csv", "broken": breast / "broken.csv", "model": breast / "m.crake"}
    ended = crake(*(argument.format(**files) for argument in arguments))
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1


def test_checks_stand_at_the_end(crake, golf):
    ended = crake("evaluate", "id3", golf, "-t", "play")
    assert "[not-above-majority]" in words(ended.out)
    document = json.loads(crake("evaluate", "id3", golf, "-t", "play", "--json").out)
    assert "not-above-majority" in [check["code"] for check in document["checks"]]
    assert words(ended.out).count("too near 0 or 1") <= 1
