"""The line of progress: the learner that runs, how far the whole is, and a clock that does not stop."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import crake
from crake.cli.progress import Steps
from crake.table.examples import load


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


def test_rows_of_a_scan_are_counted() -> None:
    steps = Written()
    steps("rows of a.parquet", 5000, 5000)
    assert steps.lines == ["rows of a.parquet: 5,000 of 5,000"]
