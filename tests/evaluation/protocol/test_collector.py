"""Cross-validation in two scans gives what the same folds give in memory."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.table.sources.rows import arrow_table, write_parquet

import crake
from crake.errors import CrakeError, DataError
from crake.evaluation.protocol import collector
from crake.table.column_options import ColumnOptions
from crake.table.convert.frames import from_frame
from crake.table.formats.parquet.scan import ParquetFiles
from crake.table.sources.scanned_table import scanned as table_of


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_parquet(tmp_path_factory.mktemp("scan") / "rows.parquet", arrow_table(9000))


@pytest.mark.parametrize("learner", ["naive-bayes", "majority", "1r"])
def test_the_same_out_of_fold_table_as_in_memory(learner: str, file: Path) -> None:
    plan = crake.HashedFolds(7, random_state=3)
    held = crake.evaluate(learner, from_frame(arrow_table(9000), target="plan", name="rows.parquet"), plan=plan)
    scan = crake.evaluate(learner, crake.read(file, "plan", in_memory=False), plan=plan)
    for part in ("rows", "fold", "actual", "weights", "probabilities", "training_rows"):
        np.testing.assert_array_equal(getattr(scan.out_of_fold, part), getattr(held.out_of_fold, part), err_msg=part)
    assert (scan.classes, scan.notes, scan.plan, scan.name) == (held.classes, held.notes, held.plan, held.name)
    assert str(scan.accuracy) == str(held.accuracy)
    assert str(scan.auc_by_fold) == str(held.auc_by_fold)  # its interval knows how many rows the models learned from


def test_each_row_is_tested_by_a_model_that_has_not_seen_it(file: Path) -> None:
    """Against plain refitting."""
    table = from_frame(arrow_table(9000), target="plan")
    found = crake.evaluate("naive-bayes", crake.read(file, "plan", in_memory=False)).out_of_fold
    fold = found.fold[found.rows.searchsorted(4000) :][0]
    tested = found.rows[found.fold == fold]
    others = np.setdiff1d(np.flatnonzero(table.target >= 0), tested)
    plain = crake.NaiveBayesClassifier().fit(table.take(others)).probabilities(table, tested)
    np.testing.assert_allclose(found.probabilities[found.fold == fold], plain, rtol=1e-9, atol=1e-300)


def test_of_many_rows_a_sample_is_tested(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = crake.read(file, "plan", in_memory=False)
    whole = crake.evaluate("naive-bayes", table).out_of_fold
    monkeypatch.setattr(collector, "LARGEST_OUT_OF_FOLD", 1000 * 48)
    some = crake.evaluate("naive-bayes", table)
    found = some.out_of_fold
    assert 900 < len(found.rows) <= 1000
    np.testing.assert_array_equal(found.probabilities, whole.probabilities[np.isin(whole.rows, found.rows)])
    assert np.bincount(found.fold).min() > 60
    assert any("rows are tested, drawn by a hash" in note for note in some.notes)


def test_under_a_limit_of_memory_fewer_rows_are_tested(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = crake.read(file, "plan", in_memory=False)
    # Of three classes a row takes 48 bytes, five times as many while it is measured.
    limited = table.with_memory(collector.BESIDE + 48 * 6 * 2000)
    assert collector.most_tested(limited, 48) == collector.FEWEST_TESTED
    monkeypatch.setattr(collector, "FEWEST_TESTED", 1000)
    assert [collector.most_tested(limited, 48, learners) for learners in (1, 3, 99)] == [2000, 1500, 1000]
    assert collector.most_tested(table.with_memory("100TB"), 48) == collector.most_tested(table, 48)
    found = crake.evaluate("naive-bayes", limited)
    assert 1900 < len(found.out_of_fold.rows) <= 2000
    assert any("rows are tested, drawn by a hash" in note for note in found.notes)


@pytest.mark.parametrize("together", [1, 700, 1 << 20])
def test_how_many_rows_are_tested_at_a_time_does_not_matter(
    together: int, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = crake.read(file, "plan", in_memory=False)
    expected = crake.evaluate("naive-bayes", table).out_of_fold
    monkeypatch.setattr(collector, "TESTED_TOGETHER", together)
    portions = table_of(ParquetFiles([file], file.name, rows_per_portion=1000), ColumnOptions(target="plan"))
    found = crake.evaluate("naive-bayes", portions).out_of_fold
    for part in ("rows", "fold", "actual", "probabilities"):
        np.testing.assert_array_equal(getattr(found, part), getattr(expected, part), err_msg=part)


def test_rows_of_unknown_class_left_out_before(file: Path) -> None:
    """Numbered anew, the rows have other folds; both scans must agree on them."""
    table = crake.read(file, "plan", in_memory=False)
    held = from_frame(arrow_table(9000), target="plan").known()
    found, expected = (crake.evaluate("naive-bayes", rows, plan=crake.HashedFolds(5)) for rows in (table.known(), held))
    np.testing.assert_array_equal(found.out_of_fold.rows, expected.out_of_fold.rows)
    np.testing.assert_array_equal(found.out_of_fold.probabilities, expected.out_of_fold.probabilities)


def test_plans(file: Path) -> None:
    table = crake.read(file, "plan", in_memory=False)
    asked = crake.evaluate("majority", table, plan=crake.CrossValidation(4, random_state=2))
    assert asked.plan == "4-fold cross-validation, folds by a hash of the row number, seed 2"
    assert any("not stratified" in note for note in asked.notes)
    with pytest.raises(CrakeError, match=r"the plan is leave-one-out.*table\.sample"):
        crake.evaluate("majority", table, plan=crake.LeaveOneOut())
    with pytest.raises(CrakeError, match=r"is scanned, and LogisticRegression needs rows in memory.*table\.sample"):
        crake.evaluate(LogisticRegression(), table)
    with pytest.raises(CrakeError, match="there is no class 'gold'"):
        crake.evaluate("majority", table, positive="gold")


def test_progress_counts_the_rows_of_both_scans(file: Path) -> None:
    told: list[tuple[int, int]] = []
    crake.evaluate("majority", crake.read(file, "plan", in_memory=False), progress=lambda *done: told.append(done))
    assert told == sorted(told)
    assert told[-1] == (18_000, 18_000)


def test_rows_in_another_order_each_time_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "restless.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("create table t as select range as i, (range % 3)::varchar as y from range(5000)")
    query = "select i, y from t order by random()"
    with pytest.raises(DataError, match=r"different orders.*ORDER BY"):
        crake.evaluate("naive-bayes", crake.read(path, "y", query=query, in_memory=False))
    with pytest.raises(CrakeError, match=r"rows when they were counted|different orders"):
        crake.evaluate("naive-bayes", crake.read(path, "y", query="from t where random() < 0.5", in_memory=False))
    assert crake.evaluate("naive-bayes", crake.read(path, "y", query="from t order by i", in_memory=False)).accuracy


def test_too_little_to_learn_from(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "few.parquet", arrow_table(9))
    with pytest.raises(DataError, match="folds got none of the"):
        crake.evaluate("majority", crake.read(path, "plan", in_memory=False))
    constant = arrow_table(50).set_column(6, "plan", [["basic"] * 50])
    with pytest.raises(DataError, match="all 50 rows with a known class are of class 'basic'"):
        crake.evaluate("majority", crake.read(write_parquet(tmp_path / "c.parquet", constant), "plan", in_memory=False))
