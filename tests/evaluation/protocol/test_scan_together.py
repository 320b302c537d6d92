"""Several learners in two scans: the same numbers as each in scans of its own; a sample for those that need rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.naive_bayes import GaussianNB

import crake
from crake.errors import CrakeError, DataError
from crake.evaluation.protocol.scan_together import evaluate_scans, learn, notes_on, put_to_test
from crake.statistics import distinct_counts
from crake.table.column_options import ColumnOptions
from crake.table.formats.parquet.scan import ParquetFiles
from crake.table.sources.scanned_table import scanned
from crake.table.table import Table

ROWS = 3000
NB, RULE, MAJORITY, C45 = (
    crake.NaiveBayesClassifier(),
    crake.OneRuleClassifier(),
    crake.MajorityClassifier(),
    crake.C45Classifier(),
)


def rows() -> pa.Table:
    generator = np.random.default_rng(3)
    x, c = generator.normal(size=ROWS).round(2), generator.integers(4, size=ROWS)
    y = np.where(x + (c == 2) + generator.normal(size=ROWS) > 0.5, "yes", "no").astype(object)
    y[::50] = None
    return pa.table({"x": x, "c": [f"v{k}" for k in c], "y": y})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    pq.write_table(rows(), tmp_path / "t.parquet", row_group_size=700)
    return tmp_path / "t.parquet"


@pytest.fixture
def table(path: Path) -> Table:
    return scanned(ParquetFiles([path], "t.parquet", rows_per_portion=400), ColumnOptions.of(target="y"))


def test_statistics_learners_have_the_numbers_of_their_own_scans(table: Table) -> None:
    found, _ = evaluate_scans([MAJORITY, RULE, NB], table, crake.CrossValidation(4, random_state=7))
    for evaluation, learner in zip(found, (MAJORITY, RULE, NB), strict=True):
        alone = crake.evaluate(learner, table, plan=crake.HashedFolds(4, random_state=7))
        assert (evaluation.name, evaluation.plan) == (alone.name, alone.plan)
        assert np.array_equal(evaluation.out_of_fold.rows, alone.out_of_fold.rows)
        assert np.array_equal(evaluation.out_of_fold.probabilities, alone.out_of_fold.probabilities)


def test_a_sample_of_all_rows_gives_what_memory_gives(table: Table, path: Path) -> None:
    """A learner that needs rows is refitted on the same folds as it would be in memory."""
    plan = crake.HashedFolds(3)
    (found,), learned = evaluate_scans([C45], table, plan)
    held = crake.evaluate(C45, crake.read(path, "y"), plan=plan)
    assert found.name == held.name == "C4.5"
    assert np.array_equal(found.out_of_fold.probabilities, held.out_of_fold.probabilities)
    assert notes_on([C45], learned, table)[:-1] == ()


def test_no_row_is_tested_by_a_model_that_has_seen_it(table: Table) -> None:
    """The models of a fold have none of its rows: a tree that learns rows by heart would show it."""
    plan = crake.HashedFolds(5)
    learned = learn([C45], table, plan, sample_rows=600)
    models = learned.models(0, C45, table)
    fold = plan[0:ROWS]
    known = np.array([label is not None for label in rows()["y"].to_pylist()])
    drawn = learned.sampled
    assert len(drawn) == 600
    for f, model in enumerate(models):
        seen = int(np.sum((fold[drawn] != f) & known[drawn]))
        assert model.tree_.counts[0].sum() == seen == learned.training_rows()[f]


def test_learners_on_a_sample_are_tested_on_the_same_rows_and_say_so(table: Table) -> None:
    learners = [MAJORITY, C45, NB]
    found, learned = evaluate_scans(learners, table, None, sample_rows=500)
    assert [evaluation.name for evaluation in found] == ["majority class", "C4.5, on a sample", "naive Bayes"]
    for evaluation in found[1:]:
        assert np.array_equal(evaluation.out_of_fold.rows, found[0].out_of_fold.rows)
        assert np.array_equal(evaluation.out_of_fold.actual, found[0].out_of_fold.actual)
    assert notes_on(learners, learned, table)[0] == (
        "C4.5 learned from a random sample of 500 of 3,000 rows, seed 1, the others from all; every learner is tested "
        "on the same rows. To give all learners the same rows: --sample, or table.sample(…)"
    )


def test_too_many_distinct_numbers_for_1r_are_a_reason_for_the_sample(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distinct_counts, "MOST_CELLS", 200)
    found, learned = evaluate_scans([RULE, NB], table, None, sample_rows=400)
    assert [evaluation.name for evaluation in found] == ["1R, on a sample", "naive Bayes"]
    assert "too many distinct numbers" in notes_on([RULE, NB], learned, table)[1]


def test_the_model_of_all_rows_comes_from_the_same_scan(table: Table) -> None:
    told = []
    counting = table.with_progress(lambda rows, total, *_: told.append(rows))
    learned = learn([NB, MAJORITY], counting, None, fitted=crake.NaiveBayesClassifier(), sample_rows=0)
    assert told.count(ROWS) == 1
    expected = crake.NaiveBayesClassifier().fit(table).statistics_.class_moments.moments
    assert learned.model.statistics_.class_moments.moments.tobytes() == expected.tobytes()
    assert learned.model.left_out_ == 60
    found, majority = put_to_test([NB, MAJORITY], table, learned, None)
    assert float(found.accuracy) > float(majority.accuracy)


def test_what_cannot_be_compared_is_refused_before_the_scan(table: Table) -> None:
    with pytest.raises(CrakeError, match=r"t\.parquet is scanned, and GaussianNB, not one of crake.s learners, needs"):
        evaluate_scans([GaussianNB()], table, None)
    with pytest.raises(CrakeError, match="a table that is scanned is cross-validated"):
        evaluate_scans([NB], table, crake.Holdout())
    with pytest.raises(CrakeError, match="there is no class 'maybe'"):
        evaluate_scans([NB], table, None, "maybe")


def test_a_learner_that_needs_rows_refuses_a_scan(table: Table) -> None:
    with pytest.raises(DataError, match=r"t\.parquet is scanned.*ID3Classifier needs rows.*--sample"):
        crake.ID3Classifier().fit(table)


def test_a_learner_that_answers_by_a_cutoff_does_so_in_a_scan_and_under_costs_too(table: Table, path: Path) -> None:
    plan, costs = crake.HashedFolds(3), [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    held = crake.read(path, "y")
    learner = crake.WithCutoff(NB, cutoff=1e-3, positive=held.schema.classes[0])
    K = len(held.schema.classes)
    for cost in (None, np.array(costs)[:K, :K]):
        both = (crake.compare(rows, learners=[MAJORITY, learner], plan=plan, cost=cost) for rows in (table, held))
        scanned_one, held_one = (comparison.evaluations[1] for comparison in both)
        assert np.array_equal(scanned_one.out_of_fold.predicted, held_one.out_of_fold.predicted)
        most_probable = np.argmax(held_one.out_of_fold.probabilities, axis=1)
        assert not np.array_equal(held_one.out_of_fold.predicted, most_probable)
