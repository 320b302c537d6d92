"""`crake evaluate`: a model file on labelled rows."""

from __future__ import annotations

import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import crake as library
from crake.workbench.fitted import seems_trained_on


@pytest.fixture
def model(tmp_path):
    file = tmp_path / "m.crake"
    library.save(library.NaiveBayesClassifier().fit(library.read("golf")), file)
    return file


def test_measures_with_intervals_and_the_matrix(crake, model, golf):
    ended = crake("evaluate", model, golf)
    assert (ended.code, ended.err) == (0, "")
    text = " ".join(ended.out.split())
    assert text.startswith("Naive Bayes on golf.csv: accuracy 0.929 [0.685, 0.987]; ")
    assert "Confusion matrix of naive Bayes" in text
    assert f"crake evaluate {model} {golf}" in text
    assert "honest if it was not trained on them" in text


def test_the_headline_says_that_a_model_saw_the_rows(crake, tmp_path):
    table, file = library.read("iris"), tmp_path / "m.crake"
    (tmp_path / "iris.csv").write_text(csv_of(table), "utf-8")
    half = table.take(np.arange(0, 150, 2))
    for learner in (library.C45Classifier(), library.NaiveBayesClassifier(), library.RIPPERClassifier()):
        for learned, is_said in ((table, True), (half, False)):
            library.save(learner.fit(learned), file)
            document = json.loads(crake("evaluate", file, tmp_path / "iris.csv", "--json").out)
            assert ("trained on these very rows" in document["headline"]) == is_said, learner


def test_other_rows_of_the_same_classes_are_not_taken_for_its_own():
    """Halves of iris have 25 rows of each class; a stump's leaf of setosa has all of them in either half."""
    iris = library.read("iris")
    one, other = iris.take(np.arange(0, 150, 2)), iris.take(np.arange(1, 150, 2))
    for learner in (
        library.DecisionStump(), library.OneRuleClassifier(), library.AveragedNaiveBayesClassifier(),
        library.BayesNetworkClassifier(), library.C45Classifier(), library.NaiveBayesClassifier(),
    ):  # fmt: skip
        assert not seems_trained_on(learner.fit(one), other), learner
    for learner in (library.C45Classifier(), library.NaiveBayesClassifier()):
        assert seems_trained_on(learner.fit(one), one), learner
    golf = library.read("golf")
    for learner in (library.NaiveBayesClassifier(), library.ID3Classifier(), library.OneRuleClassifier()):
        assert seems_trained_on(learner.fit(golf), golf), learner


def csv_of(table):
    with io.BytesIO() as file:
        csv.write_csv(table.to_arrow(), file)
        return file.getvalue().decode()


def test_json_and_html_say_the_same(crake, model, golf, tmp_path):
    document = json.loads(crake("evaluate", model, golf, "--json", "--html", tmp_path / "x.html").out)
    assert document["schema"] == "crake-evaluate/1"
    assert document["measures"]["accuracy"]["value"] == pytest.approx(13 / 14)
    assert document["confusion"]["counts"] == [[4, 1], [0, 9]]
    assert document["majority_class"]["accuracy"]["value"] == pytest.approx(9 / 14)
    page = (tmp_path / "x.html").read_text("utf-8")
    assert "test of a fitted model on" in page
    assert "golf.csv: accuracy 0.929" in page
    assert "comparison of" not in page


def test_the_rows_that_a_model_got_wrong_have_their_cells(crake, model, golf):
    lines = crake("evaluate", model, golf, "--errors", 1).out.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("Rows that naive Bayes got wrong"))
    assert lines[first + 1].split()[4:] == ["outlook", "temp", "humidity", "…", "1", "more", "column"]
    assert lines[first + 2].split()[1:3] == ["No", "Yes"]


def test_gates_and_the_positive_class(crake, model, golf):
    assert crake("evaluate", model, golf, "--fail-under", "accuracy=0.9").code == 0
    ended = crake("evaluate", model, golf, "--fail-under", "accuracy=0.95")
    assert ended.code == 1
    assert ended.err == "crake: gate failed: accuracy of naive Bayes is 0.9286, under 0.95\n"
    assert "F1: of Yes" in " ".join(crake("evaluate", model, golf, "--positive", "Yes").out.split())
    ended = crake("evaluate", model, golf, "--positive", "Maybe")
    assert ended.code == 2
    assert "there is no class 'Maybe'" in ended.err


def test_a_gate_is_about_the_model_even_where_the_baseline_is_better(crake, tmp_path, golf):
    """Every answer of this model is wrong."""
    table = library.read("golf")
    swapped = pa.table({**{n: table.to_arrow().column(n) for n in ("outlook", "temp", "humidity", "windy")},
                        "play": ["No" if label == "Yes" else "Yes" for label in table.to_xy()[1]]})  # fmt: skip
    library.save(library.NaiveBayesClassifier().fit(library.read(swapped, target="play")), tmp_path / "x.crake")
    ended = crake("evaluate", tmp_path / "x.crake", golf, "--fail-under", "accuracy=0.5")
    assert ended.code == 1
    assert "accuracy of naive Bayes is 0.0714" in ended.err
    assert "not shown to beat the majority class" in " ".join(ended.out.split())


def test_labels_unknown_to_the_model_are_errors_and_said(crake, model, golf):
    text = golf.read_text().replace(",Yes\n", ",Maybe\n", 2)
    golf.write_text(text)
    document = json.loads(crake("evaluate", model, golf, "--json").out)
    assert document["notes"][0] == "2 rows have a play that the model does not know ('Maybe'): counted as errors"
    assert document["measures"]["accuracy"]["value"] == pytest.approx(11 / 14)
    assert document["rows"] == 14
    assert document["classes"] == ["No", "Yes", "Maybe"]


def test_labels_that_are_missing_are_left_out_and_new_values_counted(crake, model, golf):
    lines = golf.read_text().splitlines()
    lines[1] = lines[1].rsplit(",", 1)[0] + ","
    lines[2] = "Foggy," + lines[2].split(",", 1)[1]
    golf.write_text("\n".join(lines) + "\n")
    ended = crake("evaluate", model, golf)
    assert "· 1 row without a known play is left out" in ended.out
    assert "! 1 value of 'outlook' was never seen in training" in ended.out


def test_the_target_may_be_called_otherwise(crake, model, golf):
    golf.write_text(golf.read_text().replace("play\n", "Play?\n", 1))
    ended = crake("evaluate", model, golf)
    assert ended.code == 2
    assert "there is no column 'play' in golf.csv. Did you mean 'Play?'?" in ended.err
    assert "accuracy 0.929" in crake("evaluate", model, golf, "--target", "Play?").out


def test_scanned_tables(crake, tmp_path, monkeypatch):
    table = library.read("golf").to_arrow()
    plain = pa.table({name: table.column(name).cast(pa.string()) for name in table.column_names})
    pq.write_table(plain, tmp_path / "x.parquet")
    model = library.NaiveBayesClassifier().fit(library.read("golf"))
    scanned = library.read(tmp_path / "x.parquet", target="play", in_memory=False)
    held = library.read(tmp_path / "x.parquet", target="play", in_memory=True)
    assert not scanned.in_memory
    found = library.Evaluation.of_model(model, scanned)
    assert found.confusion == library.Evaluation.of_model(model, held).confusion
    few = library.NaiveBayesClassifier().fit(held.take(held.target.nonzero()[0]))  # it knows both classes
    assert len(few.classes_) == 2
    odd = plain.set_column(4, "play", pa.array(["?", "Perhaps", *plain.column("play").to_pylist()[2:]]))
    pq.write_table(odd, tmp_path / "odd.parquet")
    found = library.Evaluation.of_model(model, library.read(tmp_path / "odd.parquet", target="play", in_memory=False))
    assert found.classes == ("No", "Yes", "unknown to the model")
    assert found.confusion.actual_totals.tolist() == [3, 9, 2]
