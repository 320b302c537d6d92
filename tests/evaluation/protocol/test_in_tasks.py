"""Cross-validation where an engine has its rows: none comes to the driver, and the figures are those of a scan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.statistics.partitions.test_task import CUTS, Parted

import crake
from crake.errors import DataError
from crake.evaluation.protocol import collector, tested_in_tasks
from crake.table.column_options import ColumnOptions
from crake.table.sources.scan import Scan
from crake.table.sources.scanned_table import scanned
from crake.table.table import Table

PLAN = crake.KeyedFolds(3, key="id")
LEARNERS = ["majority", "1r", "naive-bayes", "c4.5"]


def rows(n: int = 600) -> pa.Table:
    draw = np.random.default_rng(4)
    y = draw.integers(0, 2, n)
    return pa.table(
        {
            "id": [f"row {i}" for i in range(n)],
            "colour": pa.array(np.array(["red", "blue", None], dtype=object)[(draw.integers(0, 3, n) + y) % 3]),
            "size": pa.array(np.round(draw.normal(y, 1), 1), mask=draw.random(n) < 0.1),
            "y": pa.array(np.array(["no", "yes"])[y], mask=draw.random(n) < 0.05),
        }
    )


def table(cuts: Sequence[int], *, reads: bool = False) -> Table:
    return scanned(Parted(rows(), cuts, reads), ColumnOptions(target="y", ignore=("id",)))


def figures(evaluation: Any) -> tuple[Any, ...]:
    """Every row that was tested, in an order of its own, and the measures."""
    out = evaluation.out_of_fold
    lines = np.column_stack([out.fold, out.actual, out.predicted, out.probabilities])
    return lines[np.lexsort(lines.T)].tolist(), evaluation.accuracy.value, evaluation.notes


@pytest.mark.parametrize("learner", ["naive-bayes", "1r", "tan"])
def test_evaluate_is_that_of_a_scan(learner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [crake.evaluate(learner, table(cuts), plan=PLAN) for cuts in CUTS]
    monkeypatch.setattr(Scan, "engine", None)
    whole = crake.evaluate(learner, table([], reads=True), plan=PLAN)
    for each in found:
        assert figures(each) == figures(whole)
        np.testing.assert_array_equal(each.out_of_fold.probabilities, found[0].out_of_fold.probabilities)
        assert each.log_loss.value == found[0].log_loss.value == pytest.approx(whole.log_loss.value, rel=1e-12)


def test_compare_is_that_of_a_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [crake.compare(table(cuts), learners=LEARNERS, plan=PLAN) for cuts in CUTS]
    monkeypatch.setattr(Scan, "engine", None)
    whole = crake.compare(table([], reads=True), learners=LEARNERS, plan=PLAN)
    for one, other, last in zip(found[1], whole, found[2], strict=True):
        assert figures(one) == figures(other) == figures(last)
    assert [each.name for each in found[0]] == [each.name for each in whole]


def test_learners_that_need_rows_learn_from_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crake.evaluation.protocol.scan_together.SAMPLE_ROWS", 200)
    learners = [*LEARNERS, crake.WithCutoff(crake.C45Classifier(), cutoff=0.3)]  # has a rule of its own
    found = [crake.compare(table(cuts), learners=learners, plan=PLAN) for cuts in CUTS]
    assert "learned from a random sample of 200 of 600 rows" in " ".join(found[0].notes)
    for one, other, third in zip(*found, strict=True):
        assert figures(one) == figures(other) == figures(third)


def test_of_many_rows_a_part_is_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tested_in_tasks, "LARGEST_OUT_OF_FOLD", 300 * 40)
    monkeypatch.setattr(tested_in_tasks, "MOST_AT_ONCE", 1)  # a pass for each learner
    found = [crake.compare(table(cuts), learners=LEARNERS[:3], plan=PLAN) for cuts in CUTS]
    assert len(found[0].evaluations[2].out_of_fold.rows) == pytest.approx(300, abs=30)
    assert "rows are tested, drawn by a hash of their cells" in " ".join(found[0].notes)
    for one, other, third in zip(*found, strict=True):
        assert figures(one) == figures(other) == figures(third)


def test_rows_are_kept_for_what_is_asked_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "ROWS_KEPT", 100)
    parts = [crake.evaluate("naive-bayes", table(cuts), plan=PLAN).scan_parts for cuts in CUTS]
    assert sum(len(part.rows) for part in parts[0]) == pytest.approx(100, abs=30)
    for one, other in zip(parts[0], parts[2], strict=True):
        np.testing.assert_array_equal(one.rows, other.rows)
        for name in ("colour", "size", "y"):
            np.testing.assert_array_equal(one.table.column(name), other.table.column(name))
    evaluation = crake.evaluate("naive-bayes", table(CUTS[1]), plan=PLAN)
    probabilities = evaluation.out_of_fold.probabilities
    for part in evaluation.scan_parts:
        np.testing.assert_array_equal(part.model.predict_proba(part.table), probabilities[part.rows])


def test_rows_that_change_between_the_scans_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    given = table([100])
    plain = Parted.map_statistics

    def changing(self: Parted, task: Any, names: Sequence[str]) -> Sequence[bytes]:
        if type(task).__name__ == "TestTask":
            self = Parted(self.data.slice(0, 500), [], self.reads)
        return plain(self, task, names)

    monkeypatch.setattr(Parted, "map_statistics", changing)
    with pytest.raises(DataError, match="the rows changed"):
        crake.evaluate("naive-bayes", given, plan=PLAN)
