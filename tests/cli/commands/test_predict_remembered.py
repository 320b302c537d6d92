"""What a model knows of its training file is used on the files it predicts: missing values, columns, numbers."""

from __future__ import annotations

import io

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake as library

TRAINING = "x,c,y\n1,a,yes\n2,b,no\n-,a,yes\n4,-,no\n5,a,yes\n6,b,no\n7,b,no\n1,a,yes\n"


@pytest.fixture
def model(crake, tmp_path):
    (tmp_path / "training.csv").write_text(TRAINING)
    arguments = ["-t", "y", "--missing=-", "-l", "naive-bayes", "--no-estimate", "-o", tmp_path / "m.crake"]
    ended = crake("train", tmp_path / "training.csv", *arguments)
    assert (ended.code, "--missing" in ended.err) == (0, False)
    return tmp_path / "m.crake"


def test_missing_values_are_those_of_training(crake, model, tmp_path):
    (tmp_path / "new.csv").write_text("x,c\n-,a\n2,-\n")
    (tmp_path / "same.csv").write_text("x,c\n,a\n2,\n")
    ended = crake("predict", model, tmp_path / "new.csv")
    assert ended.out == crake("predict", model, tmp_path / "same.csv").out
    assert "note: read as missing, as in training: '-'" in ended.err
    apart = crake("predict", model, tmp_path / "new.csv", "--untrusted")
    assert apart.out == ended.out


def test_what_is_said_now_counts_more(crake, model, tmp_path):
    (tmp_path / "new.csv").write_text("x,c\n?,a\n2,b\n")
    assert "'?' is no number" in crake("predict", model, tmp_path / "new.csv").err
    ended = crake("predict", model, tmp_path / "new.csv", "--missing", "?")
    assert (ended.code, "as in training" in ended.err) == (0, False)


def test_evaluate_uses_it_too_and_says_so(crake, model, tmp_path):
    (tmp_path / "test.csv").write_text("x,c,y\n-,a,yes\n2,-,no\n3,b,-\n")
    ended = crake("evaluate", model, tmp_path / "test.csv")
    assert "read as missing, as in training: '-'" in ended.out
    assert "1 row without a known y is left out" in ended.out


def test_the_library_remembers_as_well(tmp_path):
    (tmp_path / "training.csv").write_text(TRAINING)
    table = library.read(tmp_path / "training.csv", "y", missing=["-"])
    for learner in (library.NaiveBayesClassifier(), library.C45Classifier()):
        library.save(learner.fit(table), tmp_path / "m.crake")
        assert library.load(tmp_path / "m.crake").missing_ == ("-",)
    plain = library.NaiveBayesClassifier().fit(library.read("golf"))
    library.save(plain, tmp_path / "m.crake")
    assert library.load(tmp_path / "m.crake").missing_ is None
    grown = library.NaiveBayesClassifier().fit(table)
    assert grown.partial_fit(table).missing_ == ("-",)
    assert grown.fit(np.array([[1.0], [2.0]]), ["a", "b"]).missing_ is None


def rows(x):
    """Columns as no training file had them: numbers as text, a list beside them."""
    return pa.table({"x": x, "c": ["a", "b", None], "extra": [[1], [2], [3]], "y": ["yes", "no", "no"]})


def written(kind, table, tmp_path):
    if kind == "duckdb":
        with duckdb.connect(tmp_path / "new.duckdb") as connection:
            connection.register("rows", table)
            connection.execute("create table t as select * from rows")
        return tmp_path / "new.duckdb"
    if kind == "folder":
        (tmp_path / "new").mkdir()
    path = tmp_path / "new" / "a.parquet" if kind == "folder" else tmp_path / "new.parquet"
    pq.write_table(table, path)
    return path.parent if kind == "folder" else path


@pytest.mark.parametrize("kind", ["parquet", "duckdb", "folder"])
@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_text_that_writes_numbers_is_read_by_the_rule_of_csv(crake, model, tmp_path, kind, command):
    path = written(kind, rows(["1.5", " 2 ", "NA"]), tmp_path)
    (tmp_path / "same.csv").write_text("x,c,y\n1.5,a,yes\n2,b,no\n,,no\n")
    found, expected = crake(command, model, path), crake(command, model, tmp_path / "same.csv")
    assert found.code == 0
    assert "columns the model does not know, not used: extra" in found.err + found.out
    if command == "predict":
        assert found.out == expected.out
    else:
        assert found.out.splitlines()[0].partition(": ")[2] == expected.out.splitlines()[0].partition(": ")[2]


@pytest.mark.parametrize("kind", ["parquet", "duckdb"])
@pytest.mark.parametrize("text", ["x", "1_000", "٣", "nan(1)"])
def test_text_that_writes_no_number_is_named(crake, model, tmp_path, kind, text):
    ended = crake("predict", model, written(kind, rows(["1", text, "3"]), tmp_path))
    assert ended.code == 2
    assert f"column 'x' holds {text!r}, which is not a number; expected numbers" in ended.err


def test_names_are_matched_as_they_are_written(crake, tmp_path):
    (tmp_path / "training.csv").write_text("zip,y\n" + "01,a\n1,b\n1,b\n01,a\n" * 3)
    crake("train", tmp_path / "training.csv", "-t", "y", "-l", "1r", "--no-estimate", "-o", tmp_path / "m.crake")
    pq.write_table(pa.table({"zip": [1, 1]}), tmp_path / "new.parquet")
    answers = crake("predict", tmp_path / "m.crake", tmp_path / "new.parquet").out.splitlines()[1:]
    assert [line.rpartition(",")[2] for line in answers] == ["b", "b"]


def test_parquet_through_standard_input(crake, model, tmp_path, monkeypatch):
    path = written("parquet", rows(["1.5", "2", "3"]), tmp_path)
    stdin = io.TextIOWrapper(io.BytesIO(path.read_bytes()))
    monkeypatch.setattr("sys.stdin", stdin)
    assert crake("predict", model, "-").out == crake("predict", model, path).out
