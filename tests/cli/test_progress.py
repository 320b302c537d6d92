"""The line of progress: the learner that runs, how far the whole is, and a clock that does not stop."""

from __future__ import annotations

from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import crake
from crake.cli.output import Output
from crake.cli.progress import Steps, Terminal
from crake.table.examples import load
from crake.workbench.table import TableRequest
from crake.workbench.train import TrainRequest


class Written(Steps):
    """Keeps the lines instead of drawing them."""

    def __init__(self) -> None:
        super().__init__(ExitStack())
        self.lines: list[str] = []
        self.bar = self

    def update(self, _: Any, *, description: str, completed: float, total: float, refresh: bool) -> None:
        assert completed < total  # a bar at its end stops the clock
        assert refresh
        self.lines.append(description)


def test_a_comparison_names_the_running_learner_and_its_number() -> None:
    steps = Written()
    crake.compare(load("golf"), learners=["majority", "id3"], plan=crake.CrossValidation(3), progress=steps)
    assert steps.lines[0] == "majority class: learner 1 of 2, fold 1 of 3"
    assert "ID3: learner 2 of 2, fold 1 of 3" in steps.lines[:5]
    assert steps.lines[-1] == "ID3: learner 2 of 2, fold 3 of 3"


def test_training_says_what_is_fitted_before_the_folds_are_counted(tmp_path: Path) -> None:
    for learner, title in (("naive-bayes", "naive Bayes"), ("best", "SVM")):
        terminal = Terminal(Output(as_json=False, html=None, quiet=True, verbose=False), ExitStack(), has_bar=False)
        terminal.steps = steps = Written()
        TrainRequest(TableRequest("golf"), learner, str(tmp_path / "m.crake"), plan="cv3").run(terminal)
        fitting = [line for line in steps.lines if "fitting" in line]
        assert fitting == [f"{title}: fitting 14 rows"]


def _shown(steps: Steps, width: int, name: str, done: int, total: int) -> str:
    out = StringIO()
    console = Console(width=width, file=out)
    bar = steps.bar_on(console)
    task = bar.add_task(steps.line(name, done, total), total=140, completed=40)
    console.print(bar.make_tasks_table([bar.tasks[task]]))
    return out.getvalue()


@pytest.mark.parametrize("name", ["k nearest neighbours", "logistic regression, balanced by weights"])
def test_the_times_of_a_terminal_of_80_columns_stay_whole(name: str) -> None:
    steps = Steps(ExitStack())
    steps.learner(14, 14)
    line = _shown(steps, 80, name, 9, 10)
    assert line.endswith(": learner 14 of 14, fold 10 of 10 0:00:00 · left -:--:--\n")
    assert line.count("\n") == 1


def test_a_terminal_of_60_columns_has_short_words_for_the_place_of_a_learner() -> None:
    steps = Steps(ExitStack())
    steps.learner(14, 14)
    line = _shown(steps, 60, "k nearest neighbours", 9, 10)
    assert line.endswith(": 14/14, fold 10/10 0:00:00 · left -:--:--\n")
    assert line.count("\n") == 1


@pytest.mark.parametrize(("total", "end"), [(1, "rows"), (10, ": 9 of 10")])
def test_a_long_name_of_the_only_learner_does_not_cut_the_times(total: int, end: str) -> None:
    name = "SVM (kernel='rbf', solver='libsvm', probability='votes'): fitting 40,000 rows"
    for width in (60, 80):
        line = _shown(Steps(ExitStack()), width, name, 9, total)
        assert line.endswith(f"{end} 0:00:00 · left -:--:--\n")
        assert line.count("\n") == 1


def test_a_scan_names_the_learner_that_is_fitted_between_its_two_scans(tmp_path: Path) -> None:
    pq.write_table(load("golf").to_arrow(), tmp_path / "golf.parquet")
    scan = crake.read(tmp_path / "golf.parquet", target="play", in_memory=False)
    steps = Written()
    crake.compare(scan, learners=["naive-bayes", "id3", "majority"], plan=crake.HashedFolds(3), progress=steps)
    rows = "rows of golf.parquet, in two scans"
    assert steps.lines[0].startswith(f"{rows}: ")
    assert [line for line in steps.lines if line.startswith("ID3")] == [
        f"ID3: learner 2 of 3, fold {fold} of 3" for fold in (1, 2, 3, 3)
    ]
    assert steps.lines[-1] == f"{rows}: 28 of 28"


def test_a_scan_of_regressors_names_them_too(tmp_path: Path) -> None:
    x = np.arange(40.0)
    pq.write_table(pa.table({"x": x, "y": 2 * x + np.sin(x)}), tmp_path / "line.parquet")
    scan = crake.read(tmp_path / "line.parquet", target="y", in_memory=False)
    steps = Written()
    learners = [crake.MeanRegressor(), crake.LinearRegressor()]
    crake.compare(scan, learners=learners, plan=crake.HashedFolds(2), progress=steps)
    assert "linear regression: learner 2 of 2, fold 1 of 2" in steps.lines
    assert steps.lines[-1] == "rows of line.parquet, in two scans: 80 of 80"


def test_a_test_table_names_the_learner_before_it_is_fitted() -> None:
    steps, golf = Written(), load("golf")
    crake.compare(golf, test=golf, learners=["majority", "id3"], progress=steps)
    first, second = "majority class: learner 1 of 2", "ID3: learner 2 of 2"
    assert steps.lines == [first, first, second, second]


def test_rows_of_a_scan_are_counted() -> None:
    steps = Written()
    steps("rows of a.parquet", 5000, 5000)
    assert steps.lines == ["rows of a.parquet: 5,000 of 5,000"]
