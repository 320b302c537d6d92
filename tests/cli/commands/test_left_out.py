"""Ids, constants and copies of the target: left out by commands that learn, named, and kept by --keep."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from tests.workbench.test_requests import executed

import crake as library
from crake.table.describe.useless_columns import one_to_one_columns, useless_columns
from crake.table.describe.warnings import repeats_warning


def _table(columns):
    return library.read(pa.table(columns), target="y")


NOTE = (
    "note: left out: 'customer_id' (an id); 'empty' (no value); 'currency' (constant); 'result' (a copy of the target)"
    ". --keep customer_id keeps that one\n"
)


@pytest.fixture(scope="module")
def loans(tmp_path_factory):
    """Loans with an id, a constant, an empty column, a copy of the target, and a measurement that never repeats."""
    rng = np.random.default_rng(3)
    incomes, kinds = rng.choice(10**6, 60, replace=False), rng.choice(["A", "B", "C"], 60)
    lines = ["customer_id,income,class,pclass,currency,empty,result,default"]
    for k, (income, kind) in enumerate(zip(incomes, kinds, strict=True)):
        is_bad = (income < 400_000) != (k % 7 == 0)
        result, default = ("bad", "yes") if is_bad else ("good", "no")
        lines.append(f"{7000 + 3 * k},{income},{kind},{'ABC'.index(kind) + 1},EUR,,{result},{default}")
    file = tmp_path_factory.mktemp("loans") / "loans.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_compare_leaves_them_out_says_so_first_and_the_lines_give_the_same_again(crake, loans):
    ended = crake("compare", loans, "-t", "default", "-l", "majority,1r", "--plan", "cv3", "--json")
    assert ended.err == ""
    document = json.loads(ended.out)
    assert NOTE.removeprefix("note: ").strip() in document["notes"]
    repeated = (
        "'class', 'pclass' go with each other one to one: one of them is enough; --ignore pclass leaves pclass out"
    )
    assert repeated in document["notes"]
    first = " ".join(crake("compare", loans, "-t", "default", "-l", "majority,1r", "--plan", "cv3").out.split())
    first = first.partition("learner")[0]
    assert first.count(repeated) == first.count("Left out: 'customer_id'") == 1
    assert (
        "--ignore customer_id --ignore empty --ignore currency --ignore result" in document["reproduce"]["Command line"]
    )
    assert document["learners"][0]["measures"]["accuracy"]["value"] < 1
    assert document["headline"] in " ".join(executed(document["reproduce"]["Python"])[1].split())


def test_a_model_does_not_need_the_columns_that_were_left_out(crake, loans, tmp_path):
    file, new = tmp_path / "m.crake", tmp_path / "new.csv"
    ended = crake("train", loans, "-t", "default", "-l", "naive-bayes", "--plan", "cv3", "-o", file)
    assert NOTE in ended.err
    assert list(library.load(file).feature_names_in_) == ["income", "class", "pclass"]
    new.write_text("income,class,pclass\n250000,A,1\n")
    assert crake("predict", file, new).code == 0


def test_keep_keeps_a_column_and_raises_for_one_that_is_not_there(crake, loans):
    options = ("-t", "default", "--plan", "cv3")
    ended = crake("evaluate", "1r", loans, *options, "--keep", "result,currency", "--json")
    assert "Left out: 'customer_id' (an id); 'empty' (no value). --keep" in json.loads(ended.out)["lead"][0]
    assert json.loads(ended.out)["measures"]["accuracy"]["value"] == 1
    ended = crake("compare", loans, *options, "--keep", "resul")
    assert (ended.code, "Did you mean 'result'?" in ended.err) == (2, True)
    ended = crake("compare", loans, *options, "--keep", "income", "--ignore", "income")
    assert "--keep income and --ignore income are both given" in ended.err


def test_a_column_that_is_read_as_a_kind_or_orders_the_rows_stays(crake, tmp_path):
    file = tmp_path / "days.csv"
    lines = [f"{k},{k % 3},{'up' if k % 5 < 3 else 'down'}" for k in range(1, 41)]
    file.write_text("\n".join(["day,x,y", *lines]) + "\n")
    assert "Left out: 'day' (an id)" in crake("compare", file, "-l", "1r", "--plan", "cv3").out
    assert "Left out" not in crake("compare", file, "-l", "1r", "--plan", "time5:day").out
    assert "left out" not in crake("compare", file, "-l", "1r", "--plan", "cv3", "--numeric", "day").err


def test_dates_of_a_file_order_the_rows(crake, tmp_path):
    file = tmp_path / "days.csv"
    lines = [f"2024-{k // 4 + 1:02}-{k % 28 + 1:02},{k % 3},{'up' if k % 5 < 3 else 'down'}" for k in range(40)]
    file.write_text("\n".join(["day,x,y", *lines]) + "\n")
    ended = crake("evaluate", "1r", file, "-t", "y", "--plan", "time5:day")
    assert (ended.code, ended.err) == (0, "")
    plan = library.TimeOrdered(by="day", steps=5)
    result = library.evaluate("1r", library.read(file, target="y"), plan=plan)
    assert f"accuracy {float(result.accuracy):.3f}" in ended.out


@pytest.mark.parametrize(
    ("columns", "left_out"),
    [
        ({"name": [f"n{k}" for k in range(30)]}, ("name",)),
        ({"row": list(range(1, 31))}, ("row",)),
        ({"x": list(range(31, 1, -1))}, ()),  # whole numbers that count nothing
        ({"PassengerId": [7 * k * k for k in range(30)]}, ("PassengerId",)),
        ({"population": [7 * k * k for k in range(30)]}, ()),
        ({"width": [k + 0.5 for k in range(30)]}, ()),
        ({"c": ["a"] * 30}, ("c",)),
        ({"copy": ["p", "q", "r"] * 10}, ("copy",)),
        ({"nearly": ["p", "q", "r"] * 9 + ["p", "q", "q"]}, ()),
        ({"model": [f"n{k}" for k in range(16)] + ["vw golf", "audi 80"] * 7}, ("model",)),
        ({"brand": [f"n{k}" for k in range(15)] + ["vw golf", "audi 80", "opel"] * 5}, ()),
    ],
)
def test_what_is_an_id_a_constant_or_a_copy(columns, left_out):
    y = ["a", "b", "c"] * 10
    table = _table({**columns, "z": [k % 4 for k in range(30)], "y": y})
    assert useless_columns(table).names == left_out
    assert useless_columns(table, keep=tuple(columns)).names == ()
    alone = _table({**columns, "y": y})
    assert useless_columns(alone).names == ()  # nothing would remain


def test_a_number_that_equals_the_numeric_target_is_a_copy():
    numbers = [k * 1.5 for k in range(60)]
    table = _table({"same": numbers, "x": [k % 7 for k in range(60)], "y": numbers})
    assert useless_columns(table).copies == ("same",)


def test_columns_one_to_one_are_found_whatever_their_kinds_and_gaps():
    a = ["x", "y", None, "x"] * 3
    b = [2.0, 1.0, None, 2.0] * 3
    table = _table({"a": a, "b": b, "c": [1.0, 2.0, 3.0, 4.0] * 3, "y": ["p", "q"] * 6})
    assert list(one_to_one_columns(table)) == [("a", "b")]


def test_the_warning_of_repeated_rows_is_as_loud_as_their_share():
    assert repeats_warning(9, 1000).startswith("9 rows repeat an earlier row in every column (0.9 %)")
    assert repeats_warning(400, 1000).startswith("40.0 % of the rows (400) repeat")
    assert "estimates are too good" in repeats_warning(400, 1000)
    assert repeats_warning(2, 6).startswith("2 rows repeat")


def test_a_column_with_one_value_and_gaps_stays_as_gaps_may_tell_something():
    gaps = [None if k % 3 else "t" for k in range(60)]
    table = _table({"gaps": gaps, "same": ["t"] * 60, "x": [k % 7 for k in range(60)], "y": [str(g) for g in gaps]})
    assert useless_columns(table).constant == ("same",)
    warned = [warning for warning in table.describe().warnings if "gaps" in warning]
    assert any(warning.startswith("only gaps differ in 'gaps': 1R, CHAID, logistic regression") for warning in warned)
    exact = library.evaluate("1r", table, plan=library.CrossValidation(3))
    assert exact.accuracy.value == 1
