"""crake experiment: the grid checked key by key, resumed, shown as text, JSON, HTML and CSV."""

from __future__ import annotations

import json

import pytest

import crake as package
from crake.workbench.experiment import ExperimentRequest

GRID = """
tables = ["iris", { source = "golf.csv", target = "play", name = "days" }]
folds = 5
repeats = 2
baseline = "majority class"
output = "out.duckdb"

[[learners]]
learner = "majority"

[[learners]]
learner = "naive-bayes"

[[learners]]
learner = "naive-bayes"
name = "naive Bayes, unsmoothed"
parameters = { alpha = 0 }
"""


@pytest.fixture
def grid(golf, tmp_path):
    file = tmp_path / "grid.toml"
    file.write_text(GRID)
    return file


def test_an_experiment_is_run_and_goes_on(crake, grid, tmp_path, monkeypatch):
    monkeypatch.chdir("/")  # paths of the grid are relative to it
    first = crake("experiment", grid, "--json")
    assert first.code == 0, first.err
    document = json.loads(first.out)
    assert document["schema"] == "crake-experiment/1"
    assert document["tables"] == ["iris", "days"]
    assert document["learners"] == ["majority class", "naive Bayes", "naive Bayes, unsmoothed"]
    assert document["reproduce"]["Command line"].startswith("crake experiment ")
    assert (tmp_path / "out.duckdb").exists()
    tables = {"iris": package.read("iris"), "days": package.read(tmp_path / "golf.csv", "play")}
    learners = {
        "majority class": "majority",
        "naive Bayes": "naive-bayes",
        "naive Bayes, unsmoothed": package.NaiveBayesClassifier(alpha=0),
    }
    same = package.Experiment(tables, learners, plan=package.CrossValidation(5), repeats=2)
    told = []
    found = same.run(tmp_path / "out.duckdb", progress=lambda _, done, total: told.append((done, total)))
    assert told == [(12, 12)]  # all there already: the same cells
    assert found.to_dict()["means"] == document["means"]
    again = crake("experiment", grid)
    assert again.code == 0
    assert "v / same / *" in again.out
    assert "results: " in again.err


def test_other_measures_and_files(crake, grid, tmp_path):
    page, lines = tmp_path / "page.html", tmp_path / "folds.csv"
    ended = crake(
        "experiment", grid, "--measure", "log-loss", "--baseline", "naive Bayes", "--html", page, "--csv", lines
    )
    assert ended.code == 0, ended.err
    assert "log loss, mean of the folds" in ended.out
    assert "worse than (2)" in ended.out
    assert "<svg" in page.read_text()
    assert len(lines.read_text().splitlines()) == 1 + 2 * 3 * 2 * 5
    assert crake("experiment", grid, "-o", tmp_path / "other.duckdb", "-q").err == ""
    assert (tmp_path / "other.duckdb").exists()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("repeats", "repeat", "grid.toml: unknown key 'repeat'. Did you mean 'repeats'?"),
        ("folds = 5", 'folds = "5"', "folds = '5'; expected a whole number"),
        ("folds = 5", "folds = 1", "folds = 1; expected a whole number, 2 or greater"),
        ("repeats = 2", "repeats = true", "repeats = True; expected a whole number"),
        ("target", "targt", "table 2: unknown key 'targt'. Did you mean 'target'?"),
        ("source = ", "name2 = ", "unknown key 'name2'"),
        ('source = "golf.csv", ', "", "table 2: source is missing"),
        ('"iris", ', "3, ", "table 1: 3; expected text, or an object with source"),
        ('"iris"', '"irs"', "irs"),
        ("golf.csv", "gold.csv", "gold.csv"),
        ("golf.csv", "../nowhere/golf.csv", "there is no folder"),
        ('learner = "majority"', 'learner = "majorty"', "there is no learner 'majorty'. Did you mean 'majority'?"),
        ('learner = "majority"', 'lerner = "majority"', "learner 1: unknown key 'lerner'"),
        ("alpha", "alhpa", "naive-bayes has no parameter 'alhpa'. Did you mean 'alpha'?"),
        ("alpha = 0", 'alpha = "much"', "alpha"),
        ('name = "naive Bayes, unsmoothed"', 'name = "naive Bayes"', "two learners are called 'naive Bayes'"),
        ('baseline = "majority class"', 'baseline = "majority"', "Did you mean 'majority class'?"),
        ('baseline = "majority class"', 'measure = "accurcy"', "Did you mean 'accuracy'?"),
        ('output = "out.duckdb"', 'output = "none/out.duckdb"', "cannot write"),
        ("folds = 5", "folds = ", "this is not TOML"),
        ("tables", "# tables", "there are no tables"),
    ],
)
def test_a_bad_grid_is_refused_in_one_line(crake, grid, old, new, words):
    assert old in GRID
    grid.write_text(GRID.replace(old, new, 1))
    ended = crake("experiment", grid)
    assert ended.code == 2
    assert ended.out == ""
    assert words in ended.err
    assert len(ended.err.strip().splitlines()) == 1, ended.err


def test_a_table_without_a_target_is_told_the_key_of_the_grid(crake, tmp_path):
    (tmp_path / "notes.csv").write_text("sky,note\nsunny,a\nrainy,b\nsunny,c\n")
    (tmp_path / "grid.toml").write_text('tables = ["notes.csv"]\nlearners = ["1r"]\n')
    ended = crake("experiment", tmp_path / "grid.toml")
    assert (ended.code, 'has no target; expected target = "..."' in ended.err, "--target" in ended.err) == (
        2,
        True,
        False,
    )


def test_no_grid(crake, tmp_path):
    ended = crake("experiment", tmp_path / "grid.toml")
    assert (ended.code, "there is no such file" in ended.err) == (2, True)


def test_a_table_with_tabs_and_decimal_commas(tmp_path):
    (tmp_path / "rows.tsv").write_text("a\ty\n" + "".join(f"{i},5\t{'pq'[i % 2]}\n" for i in range(20)))
    file = tmp_path / "grid.toml"
    entry = '{ source = "rows.tsv", target = "y", delimiter = "tab", decimal = "," }'
    file.write_text(f'tables = [{entry}]\nlearners = ["majority"]\n')
    (table,) = ExperimentRequest(str(file)).experiment().tables.values()
    assert table.source.column("a")[:2].tolist() == [0.5, 1.5]
