"""Tables that are scanned, on the command line."""

from __future__ import annotations

import json
import re

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake as library
from crake.evaluation.protocol import scan_together as scanned_together
from crake.table.sources import scanned_table as scanning
from crake.workbench import train


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A file that is scanned because it is larger than what is loaded."""
    rows = 2000
    pattern = [(7 * i * i + i // 3) % 11 for i in range(rows)]
    table = pa.table(
        {
            "x": pa.array([float(k) for k in pattern]),
            "colour": ["red" if k > 4 else "blue" for k in pattern],
            "y": ["yes" if (k + i % 5) > 6 else "no" for i, k in enumerate(pattern)],
        }
    )
    pq.write_table(table, tmp_path / "large.parquet")
    monkeypatch.setattr(scanning, "LARGEST_LOADED", 1000)
    return tmp_path / "large.parquet"


def test_train_gives_an_estimate_of_a_scan(crake, large, tmp_path):
    file = tmp_path / "m.crake"
    ended = crake("train", large, "-t", "y", "-l", "naive-bayes", "-o", file)
    table = library.read(large, "y", in_memory=False)
    expected, majority = library.evaluate("naive-bayes", table), library.evaluate("majority", table)
    assert ended.out.splitlines()[-1] == (
        f"accuracy {expected.accuracy!s} (10-fold cross-validation, folds by a hash of the row number, seed 1); "
        f"majority class {majority.accuracy:.3f}"
    )
    assert "note: a table that is scanned has folds by a hash of the row number, not stratified ones" in ended.err
    plain = tmp_path / "plain.crake"
    ended = crake("train", large, "-t", "y", "-l", "naive-bayes", "--no-estimate", "-o", plain)
    assert ended.out.splitlines()[-1] == f"no estimate of its accuracy: crake evaluate {plain} TEST-TABLE gives one"
    assert plain.read_bytes() == file.read_bytes()


def test_train_as_json_has_the_estimate_and_its_notes(crake, large, tmp_path):
    arguments = ["-t", "y", "-l", "1r", "--plan", "cv5", "--seed", "3", "-o", tmp_path / "m.crake", "--json"]
    document = json.loads(crake("train", large, *arguments).out)
    assert document["estimate"]["plan"] == "5-fold cross-validation, folds by a hash of the row number, seed 3"
    assert any("not stratified" in note for note in document["notes"])


def test_a_plan_that_no_scan_can_follow_is_refused(crake, large, tmp_path):
    file = tmp_path / "m.crake"
    ended = crake("train", large, "-t", "y", "-l", "naive-bayes", "--plan", "holdout", "-o", file)
    assert ended.code == 2
    assert "a table that is scanned is cross-validated" in ended.err
    assert not file.exists()


def test_a_learner_that_needs_rows_names_the_sample(crake, large, tmp_path):
    ended = crake("train", large, "-t", "y", "-l", "knn", "-o", tmp_path / "m.crake")
    assert ended.code == 2
    assert "--sample 100000" in ended.err
    arguments = ["-t", "y", "-l", "knn", "--sample", "500", "-o", tmp_path / "m.crake"]
    ended = crake("train", large, *arguments)
    assert ended.code == 0
    assert "note: a random sample of 500 of 2,000 rows, seed 1" in ended.err


def test_rows_in_another_order_each_time_cost_the_estimate_not_the_model(crake, tmp_path, monkeypatch):
    with duckdb.connect(tmp_path / "s.duckdb") as connection:
        connection.execute("create table t as select range as x, range % 2 = 0 as y from range(3000)")
    monkeypatch.setattr(scanning, "LARGEST_LOADED", 1000)
    query = ["--query", "select * from t order by random()", "-t", "y"]
    file = tmp_path / "m.crake"
    ended = crake("train", tmp_path / "s.duckdb", *query, "-l", "naive-bayes", "-o", file)
    assert ended.code == 0
    assert "no estimate of its accuracy (the two scans of s.duckdb gave the rows in different orders" in ended.out
    assert library.load(file).class_count_.tolist() == [1500, 1500]


def test_compare_puts_all_learners_on_the_same_rows(crake, large, monkeypatch):
    monkeypatch.setattr(scanned_together, "SAMPLE_ROWS", 600)
    learners = ["-l", "majority,1r,c4.5,cart,naive-bayes"]
    document = json.loads(crake("compare", large, "-t", "y", *learners, "--json").out)
    names = {learner["learner"] for learner in document["learners"]}
    assert names == {"majority class", "1R", "naive Bayes", "C4.5, on a sample", "CART, on a sample"}
    assert {learner["rows"] for learner in document["learners"]} == {2000}
    assert document["plan"] == "10-fold cross-validation, folds by a hash of the row number, seed 1"
    said = "C4.5 and CART learned from a random sample of 600 of 2,000 rows, seed 1, the others from all;"
    assert any(note.startswith(said) for note in document["notes"])


def test_compare_of_a_scan_takes_a_positive_class_as_it_is_written(crake, tmp_path, monkeypatch):
    rows = pa.table({"x": [float(i % 7) for i in range(600)], "y": [int(i % 7 > 3) for i in range(600)]})
    pq.write_table(rows, tmp_path / "t.parquet")
    monkeypatch.setattr(scanning, "LARGEST_LOADED", 1000)
    learners = ["-l", "majority,naive-bayes", "--positive", "1", "--json"]
    document = json.loads(crake("compare", tmp_path / "t.parquet", "-t", "y", *learners).out)
    assert [learner["positive"] for learner in document["learners"]] == [1, 1]
    ended = crake("compare", tmp_path / "t.parquet", "-t", "y", "-l", "majority", "--positive", "2")
    assert (ended.code, "there is no class '2' to call positive; classes: [0, 1]" in ended.err) == (2, True)


def test_describe_of_a_scan(crake, large):
    ended = crake("describe", large, "-t", "y")
    assert ended.code == 0
    assert "the file was scanned; repeated rows were not looked for" in ended.out
    assert "large.parquet: 2,000 rows, 3 columns, target y" in ended.out
    limited = crake("describe", large, "-t", "y", "--memory", "2GB", "--python").out
    assert 'in_memory=False).with_memory("2GB")' in limited


def test_train_on_a_scan_warns_of_columns_that_look_like_ids(crake, tmp_path):
    rows = pa.table({"id": range(600), "x": [i % 7 for i in range(600)], "y": ["a", "b", "b"] * 200})
    pq.write_table(rows, tmp_path / "t.parquet")
    asked = ("train", tmp_path / "t.parquet", "-t", "y", "-l", "majority", "-o", tmp_path / "m.crake", "--no-estimate")
    warned = crake(*asked, "--memory", "8GB").err
    assert "warning: of the first 600 rows: 'id' looks like an id: " in warned
    assert "Leave it out: --ignore id" in warned
    assert "looks like" not in crake(*asked, "--memory", "8GB", "--keep", "id").err
    assert "left out: 'id' (an id)" in crake(*asked).err


def test_train_says_where_a_limit_of_memory_was_not_kept(crake, golf, tmp_path, monkeypatch):
    asked = ("train", golf, "-t", "play", "-l", "c4.5", "--memory", "8GB", "-o", tmp_path / "m.crake")
    monkeypatch.setattr(train, "peak_of_process", lambda: 7_900_000_000)
    assert "more than" not in crake(*asked).err
    monkeypatch.setattr(train, "peak_of_process", lambda: 8_100_000_000)
    assert "warning: that is more than --memory 8GB: Python and its libraries take some 300 MB" in crake(*asked).err
    monkeypatch.setattr(train, "MANY_NODES", 3)
    assert "--memory 8GB: the tree itself has 8 nodes; --set max_depth=10" in crake(*asked).err


def test_a_tree_is_trained_below_a_limit_of_memory(crake, golf, tmp_path):
    scanned, held = tmp_path / "scanned.crake", tmp_path / "held.crake"
    asked = ("train", golf, "-t", "play", "-l", "c4.5", "--no-estimate")
    ended = crake(*asked, "--memory", "8GB", "--json", "-o", scanned)
    assert crake(*asked, "-o", held).code == 0
    assert scanned.read_bytes() == held.read_bytes()
    assert "was scanned 2 times under --memory 8GB; the process took at most" in ended.err
    lines = json.loads(ended.out)["reproduce"]
    assert "--memory 8GB" in lines["Command line"]
    assert 'in_memory=False).with_memory("8GB")' in lines["Python"]
    refused = crake(*asked, "--memory", "much", "-o", scanned)
    assert "memory of 'much': expected a size above 0, such as 800MB or 2GB" in refused.err
    refused = crake(*asked, "--memory", "9MB", "-o", scanned)
    assert re.search(r"the memory is limited to 9 MB, and .* needs [\d,]+ MB: expected --memory \d+MB", refused.err)


def test_a_scanned_tree_says_why_it_has_no_estimate(crake, golf, tmp_path):
    asked = ("train", golf, "-t", "play", "-l", "c4.5", "--memory", "8GB", "-o", tmp_path / "m.crake")
    for plan in ((), ("--plan", "holdout")):
        said = crake(*asked, *plan).out
        assert "no estimate of its accuracy (golf.csv is scanned, and each fold takes as long as the model" in said


def test_evaluate_and_compare_fit_trees_to_all_rows_below_a_limit_of_memory(crake, large, monkeypatch):
    monkeypatch.setattr(scanned_together, "SAMPLE_ROWS", 600)
    asked = ("-t", "y", "--memory", "8GB", "--plan", "cv3", "--json")
    document = json.loads(crake("evaluate", "cart", large, *asked).out)
    assert document["plan"] == "3-fold cross-validation, folds by a hash of the row number, seed 1"
    learners = json.loads(crake("compare", large, "-l", "majority,cart", *asked).out)["learners"]
    (tree,) = (learner for learner in learners if learner["learner"] == "CART")
    assert tree["measures"]["accuracy"] == document["measures"]["accuracy"]


@pytest.mark.parametrize("learner", ["cart", "naive-bayes"])
def test_a_scan_of_one_class_is_refused_as_it_is_in_memory(crake, tmp_path, learner):
    (tmp_path / "one.csv").write_text("x,y\n1,a\n2,a\n3,a\n")
    asked = ("train", tmp_path / "one.csv", "-t", "y", "-l", learner, "-o", tmp_path / "m.crake")
    ended, held = crake(*asked, "--memory", "8GB"), crake(*asked)
    assert (ended.code, ended.err) == (held.code, held.err)
    assert "the target 'y' of one.csv is constant: every row is 'a'" in ended.err
    assert not (tmp_path / "m.crake").exists()


def test_what_cannot_be_scanned_names_the_option(crake, tmp_path):
    ended = crake("train", "golf", "-l", "cart", "--memory", "8GB", "-o", tmp_path / "m.crake")
    assert "leave it out (--memory on the command line)" in ended.err
