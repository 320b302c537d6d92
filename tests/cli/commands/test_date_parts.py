"""Commands that learn add parts of dates where they help, say so, and print lines that give the same again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.table.test_date_parts import text

from crake.table.table import Table
from crake.workbench.compare import CompareRequest
from crake.workbench.table import TableRequest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "d.csv"
    file.write_text(text())
    return file


def test_parts_are_added_said_and_repeated(crake: Any, path: Path) -> None:
    result = crake("compare", str(path), "-t", "y", "-l", "1r,c4.5")
    shown = " ".join(result.out.split())
    assert "added of 'day': day.year, day.month, day.weekday; --date-parts none leaves them out" in shown
    assert '.with_date_parts() print(crake.compare(table, learners=["1r", "c4.5"], random_state=1))' in shown
    none = crake("compare", str(path), "-t", "y", "-l", "1r,c4.5", "--date-parts", "none")
    assert "day.month" not in none.out
    assert "--date-parts none" in none.out
    assert "with_date_parts" not in none.out


def test_a_request_names_the_columns(path: Path) -> None:
    request = CompareRequest(TableRequest(str(path), "y", date_parts=("day",)), learners=("1r",))
    assert "--date-parts day" in request.command_line()
    script: dict[str, Any] = {}
    exec(request.python().replace("print(", "_ = ("), script)
    assert "day.month" in script["table"].schema.names
    assert isinstance(script["table"], Table)


def test_a_model_is_trained_evaluated_explained_and_used(crake: Any, path: Path, tmp_path: Path) -> None:
    model = str(tmp_path / "m.crake")
    assert "day.month = Jun" in crake("train", str(path), "-t", "y", "-l", "c4.5", "-o", model).out
    (tmp_path / "new.csv").write_text("day,x\n3.7.2025,1\n5.11.2025,1\n")
    lines = crake("predict", model, str(tmp_path / "new.csv"), "--keep").out.splitlines()
    assert lines[0] == "day,x,p(hi),p(lo),predicted"
    assert [line.split(",")[-1] for line in lines[1:]] == ["hi", "lo"]
    assert "day.month" in crake("explain", model, str(path), "--row", "3").out
    assert 'with_date_parts(["day"])' in crake("evaluate", model, str(path), "--plan", "cv3").out
    assert "accuracy 1" in crake("evaluate", model, str(path)).out


def test_an_experiment_learns_from_parts_and_leaves_out_ids(crake: Any, path: Path, tmp_path: Path) -> None:
    header, *rows = path.read_text().splitlines()
    path.write_text("\n".join([f"id,{header}", *(f"A{k},{row}" for k, row in enumerate(rows))]))
    grid = tmp_path / "grid.toml"
    grid.write_text('tables = ["d.csv"]\nlearners = ["1r"]\nfolds = 2\nrepeats = 1\n')
    result = crake("experiment", grid)
    assert result.code == 0, result.err
    notes = " ".join(result.err.split())
    assert "note: d.csv: added of 'day': day.year, day.month, day.weekday" in notes
    assert "note: d.csv: left out: 'id'" in notes
    assert "note: d.csv: no target is named: predicting the last column, 'y'" in notes
    assert "note: in a grid these options are keys of the table: { source =" in notes
    assert 'ignore=["id"]).with_date_parts()' in " ".join(result.out.split())
    grid.write_text(grid.read_text().replace('"d.csv"', '{ source = "d.csv", keep = ["id"], date_parts = [] }'))
    plain = crake("experiment", grid)
    assert "added of" not in plain.err
    assert "left out" not in plain.err


def test_dates_that_two_rules_fit_are_refused_with_both(crake: Any, tmp_path: Path) -> None:
    file = tmp_path / "monthly.csv"
    file.write_text(
        "day,x,y\n" + "".join(f"{1 + k % 12}/1/{2000 + k // 12},{k % 5},{'ab'[k % 2]}\n" for k in range(60))
    )
    learning = (
        ("compare", file, "-l", "1r"),
        ("train", file, "-l", "1r", "-o", tmp_path / "m"),
        ("evaluate", "1r", file),
    )
    fact = "column 'day': dates such as '1/1/2000' in line 2 may have the day or the month first"
    both = f"{fact}; say --dates dmy or --dates mdy"
    for arguments in learning:
        refused = crake(*arguments)
        said = " ".join(refused.err.split())
        assert (refused.code, both in said) == (2, True), said
        assert "--dates text keeps them as names, --ignore leaves the column out" in said
        for option in (("--dates", "mdy"), ("--dates", "text"), ("--nominal", "day"), ("--ignore", "day")):
            assert crake(*arguments, *option).code == 0
    assert "may have the day or the month first" in " ".join(crake("describe", file).out.split())
