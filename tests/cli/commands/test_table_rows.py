"""Which rows of a source: a table or a query of a DuckDB file, a sample."""

from __future__ import annotations

import json
import shlex

import duckdb
import pytest

import crake as library


@pytest.fixture
def shop(tmp_path):
    """Two tables in one file."""
    file = tmp_path / "shop.duckdb"
    with duckdb.connect(file) as connection:
        connection.execute("create table orders as select range as price, range % 3 = 0 as returned from range(600)")
        connection.execute("create table other as select 1 as a")
    return file


def test_a_table_of_a_database(crake, shop):
    ended = crake("describe", shop, "--table", "orders", "--json")
    document = json.loads(ended.out)
    assert (document["rows"], [column["name"] for column in document["columns"]]) == (600, ["price", "returned"])


def test_a_database_of_two_tables_says_which_options_choose(crake, shop):
    ended = crake("compare", shop, "--target", "returned")
    assert ended.code == 2
    assert ended.err == (
        "crake: shop.duckdb: 2 tables: orders, other; name one with table= (--table), or write a query= (--query)\n"
    )


def test_train_predict_and_evaluate_on_queries(crake, shop, tmp_path):
    model = tmp_path / "m.crake"
    query = "select price, returned from orders where price < 300"
    learner = ["-l", "naive-bayes", "-o", model]
    assert crake("train", shop, "--query", query, "-t", "returned", *learner).code == 0
    table = library.read(shop, query=query, target="returned")
    assert str(library.load(model)) == str(library.NaiveBayesClassifier().fit(table))
    rest = "select price, returned from orders where price >= 300 order by price"
    predicted = crake("predict", model, shop, "--query", rest)
    assert len(predicted.out.splitlines()) == 301
    tested = json.loads(crake("evaluate", model, shop, "--query", rest, "--json").out)
    assert tested["reproduce"]["Command line"] == shlex.join(
        ["crake", "evaluate", str(model), str(shop), "--query", rest]
    )
    assert f'query="{rest}"' in tested["reproduce"]["Python"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["golf", "--query", "select 1"],
            "query= is for SQLite, DuckDB and PostgreSQL files, and this is a bundled example; leave it out",
        ),
        (
            ["golf", "--table", "t"],
            "table= is for SQLite, DuckDB and PostgreSQL files, and this is a bundled example; leave it out",
        ),
        (["{shop}", "--table", "t", "--query", "select 1"], "table= and query= are both given"),
        (["golf", "--sample", "0"], "Invalid value for '--sample'"),
    ],
)
def test_table_options_that_do_not_go_together(crake, shop, arguments, said):
    ended = crake("describe", *(str(word).format(shop=shop) for word in arguments))
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_a_sample_is_drawn_by_the_seed_and_says_so(crake, tmp_path):
    described = json.loads(crake("describe", "iris", "--sample", 60, "--seed", 5, "--json").out)
    assert described["rows"] == 60
    assert described["notes"] == ["a random sample of 60 of 150 rows, seed 5"]
    other = json.loads(crake("describe", "iris", "--sample", 60, "--seed", 6, "--json").out)
    assert other["columns"] != described["columns"]
    file = tmp_path / "x.crake"
    ended = crake("train", "iris", "-l", "naive-bayes", "--sample", 60, "--seed", 5, "-o", file)
    assert "note: a random sample of 60 of 150 rows, seed 5" in ended.err
    expected = library.NaiveBayesClassifier().fit(library.read("iris").sample(60, random_state=5))
    assert str(library.load(file)) == str(expected)


def test_a_sample_of_more_than_all_rows_is_all_rows_without_a_note(crake):
    described = json.loads(crake("describe", "golf", "--sample", 15, "--json").out)
    assert (described["rows"], described["notes"]) == (14, [])


def test_the_comparison_of_a_sample_can_be_given_again(crake):
    arguments = ["iris", "--sample", "90", "--seed", "2", "-l", "majority", "-l", "naive-bayes", "--json"]
    document = json.loads(crake("compare", *arguments).out)
    python = document["reproduce"]["Python"]
    assert 'crake.read("iris").sample(90, random_state=2)' in python
    again = json.loads(crake(*shlex.split(document["reproduce"]["Command line"])[1:], "--json").out)
    assert [e["measures"] for e in again["learners"]] == [e["measures"] for e in document["learners"]]


def test_predictions_of_a_sample_are_those_of_these_rows(crake, tmp_path):
    file = tmp_path / "x.crake"
    crake("train", "iris", "-l", "naive-bayes", "--no-estimate", "-o", file)
    whole = crake("predict", file, "iris", "--keep").out.splitlines()
    sample = crake("predict", file, "iris", "--keep", "--sample", 7).out.splitlines()
    assert len(sample) == 8
    rest = iter(whole)
    assert all(line in rest for line in sample)  # in their order


def test_decimal_commas(crake, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("x;y\n" + "1,5;a\n2,5;b\n3;a\n1,25;b\n" * 10)
    assert "'1,5' is read as 1.5" in crake("describe", file).out
    (tmp_path / "either.csv").write_text("x;y\n" + "1,500;a\n2,500;b\n" * 10)
    assert "--decimal ," in crake("describe", tmp_path / "either.csv").out
    document = json.loads(crake("compare", file, "-t", "y", "--decimal", ",", "-l", "majority", "--json").out)
    assert "--decimal ," in document["reproduce"]["Command line"]
    assert 'decimal=","' in document["reproduce"]["Python"]
    ended = crake("describe", file, "--decimal", "x")
    assert (ended.code, ended.err) == (2, "crake: expected decimal= (--decimal) to be . or a comma, got 'x'\n")
