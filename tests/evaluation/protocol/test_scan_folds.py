"""Learners that go through the rows again and again are cross-validated on scans as they are in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.table.sources.rows import arrow_table, write_parquet

import crake
from crake.errors import CrakeError
from crake.table.convert.frames import from_frame

PLAN = crake.HashedFolds(3, random_state=3)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_parquet(tmp_path_factory.mktemp("scan") / "rows.parquet", arrow_table(3000))


@pytest.mark.parametrize("asked", [{}, {"penalty": "ridge", "missing": "mean"}])
def test_the_same_out_of_fold_table_as_in_memory(asked: dict[str, str], file: Path) -> None:
    held = crake.evaluate(
        crake.LogisticClassifier(**asked), from_frame(arrow_table(3000), target="plan", name="rows.parquet"), plan=PLAN
    )
    scan = crake.evaluate(crake.LogisticClassifier(**asked), crake.read(file, "plan", in_memory=False), plan=PLAN)
    for part in ("rows", "fold", "actual", "training_rows"):
        np.testing.assert_array_equal(getattr(scan.out_of_fold, part), getattr(held.out_of_fold, part), err_msg=part)
    np.testing.assert_allclose(scan.out_of_fold.probabilities, held.out_of_fold.probabilities, rtol=1e-7, atol=1e-12)
    assert (scan.classes, scan.plan, scan.name) == (held.classes, held.plan, held.name)


def test_the_rows_of_a_fold_do_not_reach_its_model(file: Path) -> None:
    """The whole way by hand for one fold: a class that only its rows have is unknown to its model."""
    columns = arrow_table(3000)
    fold = PLAN[0:3000]
    plan = np.where(fold == 1, "only here", np.array(columns["plan"].to_pylist(), object))
    path = file.parent / "one_class.parquet"
    write_parquet(path, columns.set_column(columns.column_names.index("plan"), "plan", [plan.tolist()]))
    found = crake.evaluate(crake.LogisticClassifier("ridge"), crake.read(path, "plan", in_memory=False), plan=PLAN)
    own = list(found.classes).index("only here")
    tested = found.out_of_fold.fold == 1
    assert (found.out_of_fold.probabilities[tested, own] == 0).all()
    assert (found.out_of_fold.probabilities[~tested, own] > 0).all()


def test_rows_left_out_for_their_gaps_would_move_the_others(file: Path) -> None:
    with pytest.raises(CrakeError, match=r"table\.sample.*; or take missing='indicator'"):
        crake.evaluate(crake.LogisticClassifier(missing="drop"), crake.read(file, "plan", in_memory=False))


def test_learners_that_hold_rows_say_what_to_do(file: Path) -> None:
    with pytest.raises(CrakeError, match=r"needs rows in memory.*table\.sample"):
        crake.evaluate("knn", crake.read(file, "plan", in_memory=False))
