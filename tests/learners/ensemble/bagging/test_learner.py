"""Bagging: means of members, samples as copies, the estimate out of bag, threads, model files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import crake
from crake.errors import CrakeError, ModelFileError
from crake.kernels import threads
from crake.learners.base.state import StateReader
from crake.learners.ensemble.bagging.samples import samples
from crake.learners.ensemble.members import Members
from crake.modelfile.writing import model_bytes
from crake.table.examples import load

TREES = (
    crake.C45Classifier(),
    crake.C45Classifier(pruning=None),
    crake.CARTClassifier(),
    crake.CARTClassifier(missing="fractional"),
    crake.DecisionStump(),
    crake.REPTreeClassifier(pruning=None),
)


def gappy(rows: int = 150) -> crake.Table:
    """Numbers, names and missing values."""
    rng = np.random.default_rng(2)
    numbers = rng.normal(size=(rows, 2)).round(1)
    names = rng.choice(["a", "b", "c"], rows)
    y = np.where(numbers[:, 0] + (names == "b") + 0.5 * rng.normal(size=rows) > 0.4, "yes", "no")
    numbers[rng.random(numbers.shape) < 0.1] = np.nan
    return crake.read(pa.table({"x": numbers[:, 0], "z": numbers[:, 1], "c": names, "y": y}), target="y")


@pytest.mark.parametrize("learner", TREES, ids=repr)
def test_copies_as_weights_are_the_rows_of_the_sample(learner: Any) -> None:
    table = gappy()
    members = Members(learner, table, 1)
    (sample,) = samples(np.ones(len(table)), len(table), 1, "crake", 5)
    assert 0.5 < np.count_nonzero(sample.copies(len(table))) / len(table) < 0.75
    by_weight = members.weighted(sample.copies(len(table)), 0)
    by_rows = members.sampled(np.sort(sample.rows), 0)
    assert str(by_weight) == str(by_rows)
    np.testing.assert_allclose(by_weight.predict_proba(table), by_rows.predict_proba(table), atol=1e-12)


def test_the_prediction_is_the_mean_of_the_members() -> None:
    table = gappy()
    model = crake.BaggingClassifier(n_estimators=5).fit(table)
    each = [member.predict_proba(table) for member in model.estimators_]
    np.testing.assert_allclose(model.predict_proba(table), np.mean(each, axis=0), atol=1e-12)
    votes = crake.BaggingClassifier(n_estimators=5, voting="votes").fit(table).predict_proba(table)
    counted = sum((one.argmax(axis=1)[:, None] == np.arange(2)).astype(float) for one in each)
    np.testing.assert_allclose(votes, counted / 5)


def test_the_estimate_out_of_bag_by_hand() -> None:
    table = gappy()
    model = crake.BaggingClassifier(n_estimators=8, random_state=4).fit(table)
    sums, seen = np.zeros((len(table), 2)), np.zeros(len(table), int)
    for member, sample in zip(model.estimators_, samples(np.ones(len(table)), len(table), 8, "crake", 4), strict=True):
        absent = np.setdiff1d(np.arange(len(table)), sample.rows)
        sums[absent] += member.predict_proba(table)[absent]
        seen[absent] += 1
    right = (sums.argmax(axis=1) == table.target)[seen > 0]
    assert float(model.oob_score_) == pytest.approx(right.mean())
    assert model.oob_score_.low < right.mean() < model.oob_score_.high
    assert model.oob_errors_[-1] == pytest.approx(1 - right.mean())


@pytest.mark.parametrize("learner", [None, crake.REPTreeClassifier(), crake.NaiveBayesClassifier()], ids=repr)
def test_threads_do_not_change_the_model(learner: Any) -> None:
    table, found = gappy(), []
    for number in (1, 3):
        with threads.limited(number):
            found.append(crake.BaggingClassifier(learner, n_estimators=6).fit(table))
    np.testing.assert_array_equal(found[0].predict_proba(table), found[1].predict_proba(table))
    assert found[0]._oob_counts == found[1]._oob_counts


def test_a_bag_may_have_one_class_and_a_table_no_row_out_of_bag() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], ["a"] * 5 + ["b"]
    model = crake.BaggingClassifier(n_estimators=20).fit(X, y)
    assert model.predict_proba(X).shape == (6, 2)
    one = crake.BaggingClassifier(n_estimators=3).fit([[1.0]], ["a"])
    assert one.oob_score_.value is None
    assert "every row is in all samples" in one.oob_score_.reason
    (importance,) = crake.BaggingClassifier(n_estimators=2, oob_score=False).fit(X, y).pictures()
    assert "importance of the columns" in importance.title  # and no errors, of which none are known
    with pytest.raises(CrakeError, match="expected errors out of bag to draw, got none: fit with oob_score=True"):
        crake.BaggingClassifier(n_estimators=2, oob_score=False).fit(X, y).draw()


def test_rows_are_sampled_by_weight() -> None:
    (sample,) = samples(np.array([0.0, 1.0, 3.0]), 4000, 1, "crake", 1)
    assert sample.copies(3) / 4000 == pytest.approx([0, 0.25, 0.75], abs=0.03)
    table = load("iris").with_weights(np.r_[np.ones(100), np.full(50, 1e-9)])
    assert 2 not in crake.BaggingClassifier(n_estimators=3).fit(table).predict_proba(load("iris")).argmax(axis=1)


def test_a_stored_bag_is_checked() -> None:
    learner = crake.BaggingClassifier(n_estimators=2)
    state = {**learner.fit(load("golf")).state(), "oob_counts": np.array([9.0, 5.0])}
    with pytest.raises(ModelFileError, match="no more right than there are"):
        crake.BaggingClassifier(n_estimators=2).restore(StateReader(state))


@pytest.mark.parametrize(
    "model", [crake.BaggingClassifier(n_estimators=10**9), crake.AdaBoostClassifier(n_estimators=10**9)], ids=repr
)
def test_more_members_than_memory_are_refused_before_the_start(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crake.learners.base.foreseen.machine_memory", lambda: 2.0**30)
    with pytest.raises(
        crake.CrakeError,
        match=r"1,000,000,000 members would take about 2,794.0 GB of memory; expected .*: set a smaller n_estim",
    ):
        model.fit(gappy())
    assert not hasattr(model, "estimators_")


def test_an_interrupted_fit_leaves_the_model_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    model = crake.BaggingClassifier(crake.NaiveBayesClassifier(), n_estimators=3).fit(gappy())
    before = model.predict_proba(gappy())

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(crake.NaiveBayesClassifier, "fit", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(gappy().take(np.arange(10, 40)))
    np.testing.assert_array_equal(model.predict_proba(gappy()), before)


def test_the_error_by_members_is_drawn_with_its_band() -> None:
    model = crake.BaggingClassifier(n_estimators=6).fit(crake.read("iris"))
    drawing = model.draw()
    low, high = 1 - model.oob_score_.high, 1 - model.oob_score_.low
    assert drawing.finding.endswith(f"{model.oob_errors_[-1]:.4f} [{low:.4f}, {high:.4f}].")
    assert "its 95 % interval" in drawing.svg()


def test_no_error_out_of_bag_is_known_before_a_sample_lacks_a_row(tmp_path: Path) -> None:
    model = crake.BaggingClassifier(n_estimators=12, max_samples=2.0, random_state=3)
    model.fit([[1.0], [2.0], [3.0], [4.0]], ["a", "b", "b", "a"])
    is_unknown = np.isnan(model.oob_errors_)
    assert 0 < is_unknown.sum() < 12
    assert is_unknown[: is_unknown.sum()].all()
    assert model.oob_errors_[-1] == 1 - float(model.oob_score_)
    assert "nan" not in model.draw().svg().lower()
    crake.save(model, tmp_path / "bag.crake")
    np.testing.assert_array_equal(crake.load(tmp_path / "bag.crake").oob_errors_, model.oob_errors_)


@pytest.mark.parametrize("draws", [1e-17, 40.0, 1e3])
def test_the_band_is_drawn_for_samples_of_any_size(draws: float) -> None:
    """Next to no row is left out of large samples: its probability is lost beside 1."""
    model = crake.BaggingClassifier(n_estimators=2, max_samples=draws).fit([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    if draws > 1:  # as if a row were left out after all
        with pytest.raises(crake.CrakeError, match="every row is in all samples"):
            model.draw()
        model._oob_counts, model.oob_errors_ = (0.0, 1.0), np.ones(2)
    assert "its 95 % interval" in model.draw().svg()


def test_n_jobs_limits_threads_and_leaves_the_model_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    iris, counted = load("iris"), []
    learn = crake.BaggingClassifier._learn_members

    def counting(self: Any, table: crake.Table) -> None:
        counted.append(threads.count())
        learn(self, table)

    monkeypatch.setattr(crake.BaggingClassifier, "_learn_members", counting)
    for make in (crake.BaggingClassifier, crake.ForestClassifier):
        files = {model_bytes(make(n_estimators=3, n_jobs=n_jobs).fit(iris)) for n_jobs in (None, 1, 3)}
        assert len(files) == 1
    assert counted == [threads.count(), 1, 3] * 2
    with pytest.raises(ValueError, match="n_jobs"):
        crake.ForestClassifier(n_jobs=0).fit(iris)


def test_jobs_are_counted_as_scikit_learn_counts_them() -> None:
    with threads.limited(None):
        every = threads.count()
        for n_jobs, expected in ((None, every), (-1, every), (2, 2), (-2, max(1, every - 1)), (-99, 1)):
            with threads.jobs(n_jobs):
                assert threads.count() == expected
    with threads.limited(1), threads.jobs(None):
        assert threads.count() == 1
