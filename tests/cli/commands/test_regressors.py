"""Regressors on the command line: trained, estimated, predicting, explained and described as classifiers are."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import shlex

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import crake as library
from crake.table.sources import scanned_table as scanning
from crake.workbench.experiment import ExperimentRequest

NAMES = ["size", "place", "age"]
SENTENCE = "(10-fold cross-validation, seed 1); always the mean: RMSE"


@pytest.fixture
def frame():
    """Prices with a nominal column, gaps, and two rows without a price."""
    rng = np.random.default_rng(4)
    rows = 150
    size, place = rng.normal(80, 20, rows).round(2), rng.choice(["north", "south", "east, far"], rows)
    price = (3 * size + 40 * (place == "north") + rng.normal(0, 5, rows)).round(2)
    made = pd.DataFrame({"size": size, "place": place, "age": rng.integers(0, 90, rows).astype(float), "price": price})
    made.loc[rng.choice(rows, 9, replace=False), "size"] = np.nan
    made.loc[[3, 7], "price"] = np.nan
    return made


@pytest.fixture
def prices(frame, tmp_path):
    file = tmp_path / "prices.csv"
    frame.to_csv(file, index=False)
    return file


@pytest.fixture
def model(frame, tmp_path):
    """Of all prices, by least squares."""
    file = tmp_path / "price.crake"
    library.save(library.LinearRegressor().fit(library.read(frame, target="price")), file)
    return file


def _column(out: str, name: str = "predicted") -> list[float]:
    return [float(row[name]) for row in csv.DictReader(io.StringIO(out))]


@pytest.mark.parametrize(
    ("name", "learner"),
    [
        ("linear", library.LinearRegressor()),
        ("knn", library.NeighborsRegressor()),
        ("cart", library.CARTRegressor()),
    ],
)
@pytest.mark.filterwarnings("ignore:.*of the rows that the model was trained on")
def test_train_writes_the_model_and_says_what_to_expect_of_it(crake, prices, tmp_path, name, learner):
    file = tmp_path / "x.crake"
    ended = crake("train", prices, "-t", "price", "-l", name, "-o", file)
    assert ended.code == 0
    table = library.read(prices, target="price")
    plan = library.CrossValidation(stratified=False)
    estimate = library.evaluate(learner, table, plan=plan)
    assert ended.out.splitlines()[-1].startswith(f"RMSE {estimate.rmse:.4g}"[:9])
    assert SENTENCE in ended.out
    assert "note: 2 rows without a known price are left out" in ended.err
    assert "warning: the target" not in ended.err
    assert ended.err.splitlines()[-1] == f"written: {file} ({file.stat().st_size:,} bytes)"
    assert np.array_equal(library.load(file).predict(table), learner.fit(table).predict(table))


def test_train_as_json_names_the_measures_and_the_line_that_gives_them_again(crake, prices, tmp_path):
    file = tmp_path / "x.crake"
    arguments = ["-l", "cart", "--set", "max_depth=2", "--plan", "cv5"]
    found = json.loads(crake("train", prices, "-t", "price", *arguments, "-o", file, "--json").out)
    assert (found["learner"], found["classes"]) == ("CART regression tree (max_depth=2)", None)
    assert list(found["estimate"]["measures"]) == ["rmse", "mae", "r_squared"]
    assert found["estimate"]["always_the_mean"]["r_squared"] == 0
    again = crake(*shlex.split(found["reproduce"]["Command line"])[1:], "--json")
    assert json.loads(again.out)["estimate"] == found["estimate"]


def test_a_tree_says_that_it_saw_the_rows(crake, tmp_path):
    """The regression tree knows its rows by the means of its leaves, and other rows of the same table are new to it."""
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=80), 2)
    rows = pd.DataFrame({"x": x, "y": x + rng.normal(size=80)})
    for name, part in {"one": rows[::2], "other": rows[1::2]}.items():
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    for learner in ("cart", "reptree"):
        file = tmp_path / f"{learner}.crake"
        crake("train", tmp_path / "one.csv", "-t", "y", "-l", learner, "-o", file)
        for name in ("one", "other"):
            told = "trained on these very rows" in " ".join(
                crake("evaluate", file, tmp_path / f"{name}.csv").out.split()
            )
            assert told == (name == "one"), learner


def test_no_better_than_the_mean_is_said(crake, tmp_path):
    rng = np.random.default_rng(0)
    file = tmp_path / "noise.csv"
    pd.DataFrame({"x": rng.normal(size=60), "y": rng.normal(size=60)}).to_csv(file, index=False)
    assert (
        "; not shown to beat always the mean: RMSE"
        in crake("train", file, "-t", "y", "-l", "linear", "-o", tmp_path / "x.crake").out
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["prices.csv", "-t", "price", "-l", "logistic"],
            "take a regressor (mean, linear, knn, cart, reptree, bagging, forest, adaboost, boosted-trees), or read",
        ),
        (["iris", "-l", "linear"], "has the classes setosa, versicolor, virginica: take a classifier (majority,"),
        (["rooms.csv", "-t", "rooms", "-l", "linear"], "read it as numbers with --numeric rooms, or take a classifier"),
        (["prices.csv", "--ignore", "price", "-l", "linear"], "has no target"),
        (["prices.csv", "-t", "price", "-l", "linaer"], "Did you mean 'linear'?"),
        (["prices.csv", "-t", "price", "-l", "linear", "--cutoff", "0.3"], "--cutoff speaks of classes"),
        (["prices.csv", "-t", "price", "-l", "cart", "--set", "max_depht=2"], "Did you mean 'max_depth'?"),
        (["flat.csv", "-t", "y", "-l", "linear"], "is constant: every row is 1.5"),
        (["flat.csv", "-t", "none", "-l", "linear"], "every value of the target 'none' is missing"),
    ],
)
def test_what_does_not_go_together_is_refused_in_a_line(crake, prices, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(prices.parent)
    (tmp_path / "rooms.csv").write_text("x,rooms\n" + "".join(f"{k / 7:.3f},{k % 5}\n" for k in range(40)))
    (tmp_path / "flat.csv").write_text("x,y,none\n" + "".join(f"{k},1.5,\n" for k in range(20)))
    ended = crake("train", *arguments, "-o", "x.crake")
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert not (tmp_path / "x.crake").exists()


def test_few_whole_numbers_are_classes_unless_they_are_asked_for_as_numbers(crake, tmp_path):
    file, model = tmp_path / "rooms.csv", tmp_path / "x.crake"
    file.write_text("x,rooms\n" + "".join(f"{k % 5 + k / 70:.3f},{k % 5}\n" for k in range(60)))
    assert crake("train", file, "-t", "rooms", "-l", "cart", "--no-estimate", "-o", model).code == 0
    assert isinstance(library.load(model), library.CARTClassifier)
    asked = ["-l", "cart", "--numeric", "rooms", "--no-estimate"]
    ended = crake("train", file, "-t", "rooms", *asked, "-o", model)
    assert "no estimate of its errors: crake evaluate" in ended.out
    assert isinstance(library.load(model), library.CARTRegressor)


def test_compare_of_a_numeric_target_compares_regressors(crake, prices):
    ended = crake("compare", prices, "-t", "price")
    assert (ended.code, ended.err) == (0, "note: price is numeric: regressors are compared, by RMSE\n")
    best, rest = ended.out.split(" is best of 6: ", 1)
    assert best == "Linear regression"
    assert rest.startswith("RMSE ")
    for name in ("linear regression", "k nearest neighbours", "CART regression tree"):
        assert name in ended.out
    assert f"crake compare {prices} --target price --plan cv10 --seed 1" in ended.out


def test_the_lines_of_a_comparison_of_regressors_reproduce_it(crake, frame, prices, tmp_path):
    test = tmp_path / "test.csv"
    frame[100:].to_csv(test, index=False)
    for tested in (["--plan", "cv5"], ["--test", test]):
        document = json.loads(crake("compare", prices, "-t", "price", "-l", "linear,cart", *tested, "--json").out)
        again = json.loads(crake(*shlex.split(document["reproduce"]["Command line"])[1:], "--json").out)
        assert again["headline"] == document["headline"]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(document["reproduce"]["Python"], {})  # the lines that crake itself has printed
        assert document["headline"] in " ".join(printed.getvalue().split())


def test_a_comparison_of_regressors_has_pages_and_gates(crake, prices, tmp_path):
    page, text = tmp_path / "page.html", tmp_path / "report.md"
    learners = ["-l", "linear,cart", "--plan", "cv3"]
    ended = crake("compare", prices, "-t", "price", *learners, "--html", page, "--report", text)
    assert ended.code == 0
    assert "RMSE" in page.read_text("utf-8")
    assert "RMSE" in text.read_text("utf-8")
    assert crake("compare", prices, "-t", "price", *learners, "--fail-over", "rmse=1000").code == 0
    failed = crake("compare", prices, "-t", "price", *learners, "--fail-over", "rmse=0.001", "--fail-under", "r2=0.5")
    assert failed.code == 1
    assert "gate failed: rmse of linear regression is" in failed.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["prices.csv", "-t", "price", "--positive", "a"], "--positive speaks of classes"),
        (["prices.csv", "-t", "price", "-l", "linear,logistic"], "expected learners of one kind"),
        (["prices.csv", "-t", "price", "--fail-under", "accuracy=0.5"], "accuracy"),
        (["iris", "-l", "linear"], "a regressor predicts a number"),
        (["flat.csv", "-t", "y"], "is constant: every row is 1.5"),
    ],
)
def test_what_a_comparison_of_regressors_refuses(crake, prices, monkeypatch, arguments, said):
    monkeypatch.chdir(prices.parent)
    (prices.parent / "flat.csv").write_text("x,y\n" + "".join(f"{k},1.5\n" for k in range(20)))
    ended = crake("compare", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_predict_writes_one_number_a_row(crake, model, frame, tmp_path):
    new = tmp_path / "new.csv"
    frame.assign(place=["west", *frame["place"][1:]], note="x")[["note", *NAMES]].to_csv(new, index=False)
    ended = crake("predict", model, new)
    assert ended.out.splitlines()[0] == "predicted"
    expected = library.load(model).predict(library.read(new))
    assert _column(ended.out) == expected.tolist()
    assert "note: columns the model does not know, not used: note" in ended.err
    assert "warning: 1 value of 'place' was never seen in training" in ended.err
    assert f"predicted 150 rows: price from {expected.min():.4g} to {expected.max():.4g}" in ended.err


def test_predictions_beside_the_columns_and_in_parquet(crake, model, prices, tmp_path):
    kept = crake("predict", model, prices, "--keep").out
    assert kept.splitlines()[0] == "size,place,age,price,predicted"
    assert any(line.split(",")[1] == '"east' for line in kept.splitlines())
    crake("predict", model, prices, "-o", tmp_path / "out.parquet")
    crake("predict", model, prices, "--keep", "-o", tmp_path / "kept.parquet")
    for file in ("out.parquet", "kept.parquet"):
        assert pq.read_table(tmp_path / file).column("predicted").to_pylist() == _column(kept)
    assert pq.read_table(tmp_path / "kept.parquet").column_names == [*NAMES, "price", "predicted"]


def test_a_missing_column_is_named(crake, model, frame, tmp_path):
    frame[["size"]].to_csv(tmp_path / "new.csv", index=False)
    ended = crake("predict", model, tmp_path / "new.csv")
    assert ended.code == 2
    assert "columns are missing: place, age" in ended.err


def test_a_table_that_is_scanned_is_learned_from_and_predicted(crake, frame, tmp_path, monkeypatch):
    file, model = tmp_path / "prices.parquet", tmp_path / "x.crake"
    frame.to_parquet(file)
    monkeypatch.setattr(scanning, "LARGEST_LOADED", 1000)
    ended = crake("train", file, "-t", "price", "-l", "linear", "-o", model)
    assert ended.code == 0
    assert "no estimate of its errors (prices.parquet is scanned" in ended.out
    out = crake("predict", model, file).out
    whole = library.LinearRegressor().fit(library.read(frame, target="price"))
    assert np.allclose(_column(out), whole.predict(frame[NAMES]), rtol=1e-9)
    refused = crake("evaluate", "linear", file, "-t", "price")
    assert (refused.code, "take a sample, table.sample(100_000) or --sample 100000" in refused.err) == (2, True)
    sampled = crake("train", file, "-t", "price", "-l", "cart", "--sample", 100, "-o", model)
    assert (sampled.code, SENTENCE in sampled.out) == (0, True)


def test_evaluate_by_name_under_a_plan_and_on_a_test_table(crake, frame, prices, tmp_path):
    named = crake("evaluate", "linear", prices, "-t", "price", "--plan", "cv5")
    assert named.out.startswith("Linear regression on prices.csv: RMSE ")
    assert "5-fold cross-validation, seed 1" in named.out
    assert "crake.evaluate(crake.LinearRegressor(), table, plan=crake.CrossValidation(folds=5," in named.out
    test = tmp_path / "test.csv"
    frame[100:].to_csv(test, index=False)
    frame[:100].to_csv(prices, index=False)
    ended = crake("evaluate", "cart", prices, "-t", "price", "--test", test, "--set", "max_depth=3", "--json")
    found = json.loads(ended.out)
    model = library.CARTRegressor(max_depth=3).fit(library.read(prices, target="price"))
    expected = library.NumberEvaluation.of_model(model, library.read(test, target="price"))
    assert found["measures"][0]["value"] == expected.rmse.value
    assert found["learner"] == "CART regression tree (max_depth=3)"


def test_the_python_lines_give_the_same_again(crake, frame, prices, tmp_path):
    test = tmp_path / "test.csv"
    frame[100:].to_csv(test, index=False)
    for how in (["--plan", "cv5"], ["--test", test]):
        arguments = ["evaluate", "cart", prices, "-t", "price", "--set", "max_depth=2", *how]
        found = json.loads(crake(*arguments, "--json").out)
        held: dict[str, object] = {"print": lambda *_: None}
        exec(found["reproduce"]["Python"], held)  # the lines that crake itself has printed
        assert held["result"].rmse.value == found["measures"][0]["value"]


def test_explain_says_what_the_row_is_and_works_a_measure(crake, model, frame, prices, tmp_path):
    ended = crake("explain", model, prices, "--row", 0)
    assert f"Row 0 of prices.csv; price is {frame['price'][0]}" in ended.out
    assert "What would change it" not in ended.out
    assert json.loads(crake("explain", model, prices, "--row", 0, "--json").out)["rows"][0]["changes"] is None
    frame[NAMES].to_csv(tmp_path / "new.csv", index=False)
    assert "Row 1 of new.csv\n" in crake("explain", model, tmp_path / "new.csv", "--row", 1).out
    assert "RMSE = √(Σ (y − predicted)² / n)" in crake("explain", model, prices, "--measure", "rmse").out
    assert "--positive speaks of classes" in crake("explain", model, prices, "--row", 0, "--positive", "a").err
    assert "Measures: rmse, mae, r_squared" in crake("explain", model, prices, "--measure", "auc").err


def test_describe_of_a_model_file(crake, golf, model, tmp_path):
    out = crake("describe", model).out
    assert out.startswith("price.crake: linear regression, 3 columns; predicts price, a number\n")
    assert "nominal  east, far, north, south" in out
    assert "Linear regression of price" in out
    found = json.loads(crake("describe", model, "--json").out)
    assert (found["schema"], found["target"], found["classes"]) == ("crake-describe-model/1", "price", None)
    assert found["columns"][1] == {"name": "place", "kind": "nominal", "levels": ["east, far", "north", "south"]}
    crake("train", golf, "-t", "play", "-l", "1r", "--no-estimate", "-o", tmp_path / "golf.crake")
    assert crake("describe", tmp_path / "golf.crake").out.startswith("golf.crake: 1R, 4 columns; predicts play, 2 cl")
    assert crake("describe", model, "--html", tmp_path / "page.html").code == 0
    assert "<svg" in (tmp_path / "page.html").read_text("utf-8")
    assert "is a model file" in crake("describe", model, "--target", "price").err


def test_names_in_a_model_file_stay_text_on_its_page(crake, tmp_path):
    name = "<script>x</script>"
    table = library.read(pd.DataFrame({name: [1.0, 2.0, 4.0, 3.0], "y": [1.5, 2.5, 3.0, 4.25]}), target="y")
    library.save(library.LinearRegressor().fit(table), tmp_path / "evil.crake")
    assert crake("describe", tmp_path / "evil.crake", "--html", tmp_path / "page.html").code == 0
    assert "<script>" not in (tmp_path / "page.html").read_text("utf-8")


def test_an_experiment_takes_regressors_on_numeric_targets(crake, prices, tmp_path):
    file = tmp_path / "grid.toml"
    file.write_text(
        'tables = [{ source = "prices.csv", target = "price" }]\n'
        'learners = ["linear", { learner = "cart", parameters = { max_depth = 2 } }]\nfolds = 3\nrepeats = 2\n'
    )
    ended = crake("experiment", file, "--json")
    assert ended.code == 0, ended.err
    document = json.loads(ended.out)
    assert document["learners"] == ["linear regression", "CART regression tree (max_depth=2)"]
    python = ExperimentRequest(str(file), output=str(tmp_path / "again.duckdb")).python()
    variables: dict[str, object] = {"print": lambda *_: None}
    exec(python, variables)  # the lines that crake itself has printed
    assert variables["result"].to_dict()["means"] == document["means"]
    file.write_text('tables = ["iris"]\nlearners = ["linear", "1r"]\n')
    refused = crake("experiment", file)
    assert (refused.code, refused.out) == (2, "")
    assert "linear regression" in refused.err


def test_an_interval_has_the_decimals_of_its_measure(crake, tmp_path):
    rows = "".join(f"{i},{2 * i + 23 * (i % 5 - 2) / 3:.2f}\n" for i in range(40))
    (tmp_path / "t.csv").write_text("a,b\n" + rows)
    ended = crake("train", tmp_path / "t.csv", "-t", "b", "--keep", "a", "-l", "linear", "-o", tmp_path / "m.crake")
    figures = re.findall(r"RMSE ([\d.]+) \[([\d.]+), ([\d.]+)\]", ended.out)
    assert {len(number.partition(".")[2]) for number in figures[0]} == {2}, ended.out
