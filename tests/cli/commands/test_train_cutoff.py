"""`crake train --cutoff`: printed with its spread, stored, and used by predict and evaluate."""

import csv
import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

import crake as library


@pytest.fixture
def costs(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("actual,malignant,benign\nbenign,1,0\nmalignant,0,20\n")
    return path


def test_trained_by_cost_and_used_everywhere(crake, costs, tmp_path):
    file = tmp_path / "m.crake"
    asked = ["--cutoff", "cost", "--cost", costs]
    ended = crake("train", "breast-cancer", "-l", "naive-bayes", *asked, "--plan", "cv3", "-o", file)
    lines = ended.out.splitlines()
    assert lines[0].startswith("Cutoff: malignant if P(malignant) ≥ ")
    assert "on rows held out: recall 0.9" in lines[1]
    assert "the folds by themselves: " in lines[2]
    assert "5 folds" in lines[2]
    model, table = library.load(file), library.read("breast-cancer")
    answers = model.predict(table).tolist()
    assert answers != model.estimator_.predict(table).tolist()
    written = crake("predict", file, "breast-cancer")
    assert [row["predicted"] for row in csv.DictReader(io.StringIO(written.out))] == answers
    assert f"malignant {answers.count('malignant')}" in written.err
    kept = crake("predict", file, "breast-cancer", "--keep")
    assert [row["predicted"] for row in csv.DictReader(io.StringIO(kept.out))] == answers
    crake("predict", file, "breast-cancer", "-o", tmp_path / "p.parquet")
    assert pq.read_table(tmp_path / "p.parquet").column("predicted").to_pylist() == answers
    tested = json.loads(crake("evaluate", file, "breast-cancer", "--json").out)
    y = np.array(table.labels(table.target))
    assert tested["measures"]["accuracy"]["value"] == pytest.approx(np.mean(np.array(answers) == y))
    assert tested["majority_class"]["accuracy"]["value"] == pytest.approx(357 / 569)
    assert tested["learner"].startswith("naive Bayes, cutoff by cost")


def test_json_and_the_line_that_gives_it_again(crake, tmp_path):
    file = tmp_path / "m.crake"
    asked = ["--cutoff", "recall=0.99", "--positive", "benign"]
    document = json.loads(
        crake("train", "breast-cancer", "-l", "1r", *asked, "--no-estimate", "-o", file, "--json").out
    )
    assert document["cutoff"]["positive"] == "benign"
    assert document["cutoff"]["cutoff"]["recall"]["value"] >= 0.99
    assert document["cutoff"]["spread"]["folds"] == 5
    assert "--cutoff recall=0.99 --positive benign" in document["reproduce"]["Command line"]
    assert library.load(file).positive_ == "benign"


def test_the_estimate_is_that_of_the_learner_with_the_cutoff(crake, tmp_path):
    asked = ["--cutoff", "f=3", "--plan", "cv3"]
    ended = crake("train", "breast-cancer", "-l", "naive-bayes", *asked, "-o", tmp_path / "m.crake")
    own = library.WithCutoff(library.NaiveBayesClassifier(), by="f", beta=3)
    expected = library.evaluate(own, library.read("breast-cancer"), plan=library.CrossValidation(3))
    assert ended.out.splitlines()[-1].startswith(f"accuracy {expected.accuracy!s}")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--cutoff", "recal=0.9"], "expected a number or one of cost, youden"),
        (["--cutoff", "youden=1"], "expected a number or one of"),
        (["--cutoff", "recall"], "needs least, such as least=0.9"),
        (["--cutoff", "recall=1.5"], "The 'least' parameter"),
        (["--cutoff", "nan"], "The 'cutoff' parameter"),
        (["--cutoff", "youden", "--positive", "malign"], "there is no class 'malign'"),
        (["--positive", "malignant"], "--positive needs --cutoff"),
        (["--cost", "x.csv"], "--cost needs --cutoff"),
        (["--cutoff", "cost", "--cost", "no-such.csv"], "no-such.csv"),
        (["--cutoff", "youden", "--cost", "costs.csv"], "a cutoff by 'youden' has no option 'cost'"),
    ],
)
def test_what_is_refused_writes_nothing(crake, costs, asked, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended = crake("train", "breast-cancer", "-l", "naive-bayes", *asked, "-o", "m.crake")
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert list(tmp_path.iterdir()) == [costs]
