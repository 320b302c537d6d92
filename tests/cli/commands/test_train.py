"""`crake train`: a model file, the model in short, and an honest number beside it."""

from __future__ import annotations

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake as library
from crake.table.formats.csv.reader import read_csv


def test_the_model_the_estimate_and_the_file(crake, golf, tmp_path):
    file = tmp_path / "golf.crake"
    ended = crake("train", golf, "--target", "play", "--learner", "naive-bayes", "-o", file)
    assert ended.code == 0
    assert ended.out.startswith("Naive Bayes: 14 rows, 4 columns\n")
    estimate = library.evaluate("naive-bayes", library.read(golf, target="play"))
    said = f"accuracy {estimate.accuracy!s} ({estimate.plan}); majority class 0.643"
    assert ended.out.splitlines()[-1] == said
    assert ended.err.splitlines()[-1] == f"written: {file} ({file.stat().st_size:,} bytes)"
    again = library.NaiveBayesClassifier().fit(library.read(golf, target="play"))
    assert str(library.load(file)) == str(again)


def test_a_long_model_is_shortened_and_the_line_says_how_to_see_it(crake, tmp_path):
    ended = crake("train", "breast-cancer", "-l", "naive-bayes", "--no-estimate", "-o", tmp_path / "x.crake")
    lines = ended.out.splitlines()
    assert len(lines) < 30
    more = next(line for line in lines if "more lines" in line)
    assert f'print(crake.load("{tmp_path / "x.crake"}"))' in more
    assert lines[-1].startswith("no estimate of its accuracy: crake evaluate ")


def test_a_learner_is_known_by_the_title_that_reports_show(crake, tmp_path):
    file = tmp_path / "x.crake"
    assert crake("train", "golf", "-l", "Averaged-naive-Bayes", "--no-estimate", "-o", file).code == 0
    assert type(library.load(file)) is library.AveragedNaiveBayesClassifier
    ended = crake("train", "golf", "-l", "linear regression", "-o", file)
    assert ended.err.startswith("crake: linear regression predicts a number, and the target 'play' of golf has")


def test_parameters_are_json_or_text(crake, tmp_path):
    file = tmp_path / "x.crake"
    settings = ["--set", "alpha=0", "--set", "prior=laplace", "--set", "m=null"]
    assert crake("train", "golf", "-l", "naive-bayes", *settings, "-o", file).code == 0
    parameters = library.load(file).get_params()
    assert (parameters["alpha"], parameters["prior"], parameters["m"]) == (0, "laplace", None)


def test_weights_by_class(crake, tmp_path):
    file = tmp_path / "x.crake"
    for setting, expected in (("balanced", "balanced"), ('{"Yes": 2, "No": 1}', {"No": 1, "Yes": 2})):
        train = ("train", "golf", "-l", "c4.5", "--set", f"class_weight={setting}", "--no-estimate", "-o", file)
        assert crake(*train).code == 0
        again = library.C45Classifier(class_weight=expected).fit(library.read("golf"))
        assert library.load(file).class_weight == expected
        assert str(library.load(file)) == str(again)
    ended = crake("train", "golf", "-l", "c4.5", "--set", 'class_weight={"Ys": 2}', "-o", file)
    assert ended.code == 2
    assert ended.err.rstrip().endswith("Did you mean 'Yes'?")


def test_json_is_one_document(crake, tmp_path):
    file = tmp_path / "x.crake"
    document = json.loads(crake("train", "golf", "-l", "1r", "--plan", "cv5", "-o", file, "--json").out)
    assert document["schema"] == "crake-train/1"
    assert document["estimate"]["plan"] == "stratified 5-fold cross-validation, seed 1"
    assert document["model"] == {"file": str(file), "bytes": file.stat().st_size}
    assert document["classes"] == ["No", "Yes"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["golf", "-l", "naive-bays", "-o", "x.crake"], "Did you mean 'naive-bayes'?"),
        (["golf", "-l", "naive-bayes", "--set", "alhpa=1", "-o", "x.crake"], "Did you mean 'alpha'?"),
        (["golf", "-l", "naive-bayes", "--set", "alpha=-1", "-o", "x.crake"], "'alpha' parameter"),
        (["golf", "-l", "naive-bayes", "--set", "alpha", "-o", "x.crake"], "expected NAME=VALUE"),
        (["golf", "-l", "bagging", "--set", "estimator=crat", "-o", "x.crake"], "Did you mean 'cart'?"),
        (["golf", "-l", "bagging", "--set", "estimator.depth=3", "-o", "x.crake"], "c4.5 has no parameter 'depth'"),
        (["golf", "-l", "bagging", "--set", "estimator=linear", "-o", "x.crake"], "takes regressors"),
        (["golf", "-l", "bagging", "--set", "estimator=sklearn.svm.SVC", "-o", "x.crake"], "cannot be saved"),
        (["golf", "-l", "cart", "--set", "max_depth.of=3", "-o", "x.crake"], "max_depth of cart holds no learner"),
        (["golf", "-l", "1r", "-o", "no/such/x.crake"], "there is no folder"),
        (["golf", "-l", "1r"], "Missing option '--output'"),
        (["golf", "-o", "x.crake"], "Missing option '--learner'"),
        (["golf", "-t", "plya", "-l", "1r", "-o", "x.crake"], "Did you mean 'play'?"),
        (["no-such.csv", "-l", "1r", "-o", "x.crake"], "there is no such file"),
        (["constant.csv", "-t", "y", "-l", "1r", "-o", "x.crake"], "is constant"),
        (["constant.csv", "-l", "1r", "-o", "x.crake"], "has no target"),
        (["golf", "-l", "1r", "--plan", "cv1", "-o", "x.crake"], "there is no plan"),
    ],
)
def test_what_is_refused_writes_nothing(crake, arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "constant.csv").write_text("x,y\n1,a\n2,a\n3,a\n")
    ended = crake("train", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.splitlines()[-1].startswith("crake: ")
    assert list(tmp_path.iterdir()) == [tmp_path / "constant.csv"]


def test_an_older_model_stays_if_training_fails(crake, tmp_path):
    file = tmp_path / "x.crake"
    crake("train", "golf", "-l", "1r", "-o", file)
    before = file.read_bytes()
    (tmp_path / "bad.csv").write_text("x,y\n1,a\n2\n")
    assert crake("train", tmp_path / "bad.csv", "-t", "y", "-l", "1r", "-o", file).code == 2
    assert file.read_bytes() == before


def test_many_parquet_files_are_one_table(crake, golf, tmp_path):
    whole = read_csv(golf, target="play").to_arrow()
    (tmp_path / "parts").mkdir()
    for part, start in enumerate((0, 5)):
        rows = whole.slice(start, 5 if part == 0 else 9)
        plain = pa.table({name: rows.column(name).cast(pa.string()) for name in rows.column_names})
        pq.write_table(plain, tmp_path / "parts" / f"{part}.parquet")
    for source in (tmp_path / "parts" / "*.parquet", golf):
        assert crake("train", source, "-t", "play", "-l", "naive-bayes", "-o", tmp_path / "x.crake").code == 0
        models = (tmp_path / "x.crake").read_bytes()
    crake("train", tmp_path / "parts", "-t", "play", "-l", "naive-bayes", "-o", tmp_path / "y.crake")
    assert (tmp_path / "y.crake").read_bytes() == models


def test_warnings_are_said(crake, tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a,copy,y\n" + "".join(f"{i % 7},{'ab'[i % 2]},{'ab'[i % 2]}\n" for i in range(40)))
    ended = crake("train", file, "-t", "y", "-l", "1r", "--missing", "-9", "-o", tmp_path / "x.crake")
    assert "warning: " in ended.err
    assert "'copy'" in ended.err
    assert library.load(tmp_path / "x.crake").missing_ == ("-9",)
    assert crake("train", file, "-t", "y", "-l", "1r", "-q", "-o", tmp_path / "x.crake").err == ""


def test_a_column_that_groups_the_rows_is_learned_from_neither_by_the_model_nor_by_its_estimate(crake, tmp_path):
    rows = "".join(f"g{i // 3},{'pq'[i % 2]},{'yn'[i // 3 % 2]}\n" for i in range(30))
    table, file = tmp_path / "rows.csv", tmp_path / "x.crake"
    table.write_text(f"who,b,y\n{rows}")
    ended = crake("train", table, "-t", "y", "-l", "1r", "--plan", "grouped3:who", "-o", file)
    assert ended.code == 0
    assert [column.name for column in library.load(file).schema_.features] == ["b"]
    assert "note: who groups the rows and is not learned from" in ended.err


def test_the_line_that_trains_again_names_how_it_was_estimated(crake, tmp_path):
    file = tmp_path / "x.crake"
    document = json.loads(crake("train", "golf", "-l", "1r", "--plan", "cv5", "-o", file, "--json").out)
    again = document["reproduce"]["Command line"].split()[1:]
    assert json.loads(crake(*again, "--json").out)["estimate"] == document["estimate"]
    none = json.loads(crake("train", "golf", "-l", "1r", "--no-estimate", "-o", file, "--json").out)
    assert "--no-estimate" in none["reproduce"]["Command line"]


def test_folds_that_cannot_be_had_are_refused_where_asked_for_and_noted_otherwise(crake, tmp_path):
    table, file = tmp_path / "few.csv", tmp_path / "x.crake"
    table.write_text("a,y\n1,p\n2,q\n1,p\n2,q\n")
    refused = crake("train", table, "-t", "y", "-l", "1r", "--plan", "cv99", "-o", file)
    assert (refused.code, file.exists()) == (2, False)
    assert "asks for 99 folds, and few.csv has 4 rows" in refused.err
    noted = crake("train", table, "-t", "y", "-l", "1r", "-o", file)
    assert "10 folds asked for, 4 rows with a known class: 4 folds" in noted.err


def test_a_value_that_a_parameter_does_not_take_is_that_of_the_classifier(crake, tmp_path):
    """CART has a regressor, too, which has no such parameter."""
    ended = crake("train", "iris", "-l", "cart", "--set", "criterion=foo", "-o", tmp_path / "x.crake")
    assert ended.code == 2
    assert "'criterion' parameter of CARTClassifier" in ended.err
    assert "'entropy'" in ended.err
    assert "'gini'" in ended.err


def test_a_described_model_counts_the_levels_that_it_does_not_show(crake, tmp_path):
    names = [f"town number {k}" for k in range(60)]
    rows = "".join(f"{name},{'yes' if k % 3 else 'no'}\n" for k, name in enumerate(names * 2))
    (tmp_path / "towns.csv").write_text("town,y\n" + rows)
    crake("train", tmp_path / "towns.csv", "-t", "y", "-l", "naive-bayes", "--no-estimate", "-o", tmp_path / "x.crake")
    line = next(each for each in crake("describe", tmp_path / "x.crake").out.splitlines() if "town number 0" in each)
    hidden = int(re.search(r"\((\d+) more\)", line)[1])
    assert 0 < line.count("town number") == 60 - hidden


def test_an_interval_beside_a_perfect_figure_shows_its_width(crake, tmp_path):
    rows = "".join(f"{i % 2},{i % 7},{'pq'[i % 2]}\n" for i in range(2400))
    (tmp_path / "t.csv").write_text("a,b,y\n" + rows)
    ended = crake("train", tmp_path / "t.csv", "-t", "y", "--keep", "a", "-l", "1r", "-o", tmp_path / "m.crake")
    assert ended.out.splitlines()[-1].startswith("accuracy 1.0000 [0.9984, 1.0000] (")
