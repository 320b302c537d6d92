"""Arbiter and combiner trees: partitions, the rules of selection and arbitration, composition, workers, failures."""

from __future__ import annotations

from pathlib import Path

import joblib
import numpy as np
import pytest
from tests.learners.ensemble.bagging.test_learner import gappy

import crake
from crake.errors import CrakeError
from crake.learners.ensemble.partition.base import joins_of
from crake.modelfile.writing import model_bytes
from crake.table.convert.frames import from_xy

BREAST = crake.read("breast-cancer")


def labels(model: crake.ArbiterTreeClassifier, rows: np.ndarray) -> list[np.ndarray]:
    return [np.argmax(member.probabilities(BREAST, rows), axis=1) for member in model.estimators_]


def test_partitions_are_disjoint_and_have_each_class_alike() -> None:
    parts = crake.ArbiterTreeClassifier(n_partitions=5)._partitions(BREAST)
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(len(BREAST)))
    counts = np.array([np.bincount(BREAST.target[part], minlength=2) for part in parts])
    assert np.ptp(counts, axis=0).max() <= 1


def test_odd_members_go_up_alone() -> None:
    assert [join.children for join in joins_of(3, 2)] == [(0, 1), (3, 2)]
    assert joins_of(1, 2) == []


def test_the_arbiter_decides_where_the_children_differ_and_only_there() -> None:
    """Two members and one arbiter, by hand: its rows are those on which the members differ."""
    rows = np.arange(len(BREAST))
    model = crake.ArbiterTreeClassifier(n_partitions=2, max_samples=None).fit(BREAST)
    one, other = labels(model, rows)
    differ = one != other
    assert 0 < differ.sum() < 60
    arbiter = crake.C45Classifier().fit(BREAST.take(rows[differ]))
    assert str(model.joins_[0]["different"]) == str(arbiter)
    expected = np.where(differ, np.argmax(arbiter.probabilities(BREAST), axis=1), one)
    np.testing.assert_array_equal(np.argmax(model.probabilities(BREAST), axis=1), expected)


def test_rows_on_which_both_are_wrong_are_selected_too() -> None:
    rows = np.arange(len(BREAST))
    model = crake.ArbiterTreeClassifier(n_partitions=2, selection="different-incorrect", max_samples=None).fit(BREAST)
    one, other = labels(model, rows)
    chosen = (one != other) | (one != BREAST.target)
    assert str(model.joins_[0]["different"]) == str(crake.C45Classifier().fit(BREAST.take(rows[chosen])))


def test_three_arbiters_one_for_each_group_of_rows() -> None:
    rows = np.arange(len(BREAST))
    model = crake.ArbiterTreeClassifier(
        crake.DecisionStump(), n_partitions=2, selection="different-incorrect-correct", max_samples=None
    ).fit(BREAST)
    one, other = labels(model, rows)
    by = {name: np.argmax(each.probabilities(BREAST), axis=1) for name, each in model.joins_[0].items()}
    agreed = np.where(by["correct"] == one, one, by["incorrect"])
    expected = np.where(one != other, by["different"], agreed)
    np.testing.assert_array_equal(np.argmax(model.probabilities(BREAST), axis=1), expected)


def test_one_combiner_above_all_members_is_stacking() -> None:
    """Its columns are the predictions, one level for each class."""
    model = crake.CombinerTreeClassifier(n_partitions=3, fan_in=None, combiner=crake.NaiveBayesClassifier()).fit(BREAST)
    said = np.column_stack([np.argmax(member.probabilities(BREAST), axis=1) for member in model.estimators_])
    names = np.array([str(label) for label in BREAST.schema.classes])
    plain = crake.NaiveBayesClassifier(nominal="all").fit(names[said], names[BREAST.target])
    np.testing.assert_allclose(model.predict_proba(BREAST), plain.predict_proba(names[said]), atol=1e-12)


def test_the_columns_of_the_row_are_read_where_they_are_asked_for() -> None:
    model = crake.CombinerTreeClassifier(n_partitions=2, composition="class-attribute").fit(gappy())
    names = [column.name for column in model.joins_[0]["combiner"].schema_.features]
    assert names == [*(column.name for column in gappy().schema.features), "prediction 1", "prediction 2"]


@pytest.mark.parametrize("make", [crake.ArbiterTreeClassifier, crake.CombinerTreeClassifier])
def test_workers_do_not_change_the_model(make: type) -> None:
    table = gappy()
    alone = make(n_partitions=3).fit(table)
    with joblib.parallel_config("threading"):
        together = make(n_partitions=3, n_jobs=2).fit(table)
    np.testing.assert_array_equal(alone.predict_proba(table), together.predict_proba(table))


@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_workers_of_other_machines(backend: str) -> None:
    pytest.importorskip("dask.distributed" if backend == "dask" else "ray", reason=f"{backend} is not installed")
    if backend == "dask":
        from dask.distributed import Client  # noqa: PLC0415 (skipped where it is not)

        client = Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None)
    else:
        from ray.util.joblib import register_ray  # noqa: PLC0415 (skipped where it is not)

        register_ray()
    try:
        with joblib.parallel_config(backend):
            model = crake.ArbiterTreeClassifier(n_partitions=2, n_jobs=2).fit(gappy())
    finally:
        if backend == "dask":
            client.close()
    alone = crake.ArbiterTreeClassifier(n_partitions=2).fit(gappy())
    np.testing.assert_array_equal(model.predict_proba(gappy()), alone.predict_proba(gappy()))


def test_a_member_that_fails_says_which() -> None:
    class Broken(crake.C45Classifier):
        def _learn(self, table: crake.Table) -> None:
            raise ValueError("no luck")

    model = crake.ArbiterTreeClassifier(Broken(), n_partitions=2)
    with pytest.raises(CrakeError, match=r"member 1 of 2, Broken\(\), cannot be fitted: no luck"):
        model.fit(BREAST)
    assert not hasattr(model, "joins_")


def test_a_join_that_fails_says_of_which_members() -> None:
    class Fails(crake.NaiveBayesClassifier):
        def _learn(self, table: crake.Table) -> None:
            raise ValueError("no luck")

    model = crake.CombinerTreeClassifier(combiner=Fails(), n_partitions=2)
    with pytest.raises(
        CrakeError, match=r"^the combiner of member 1 and member 2, Fails\(\), cannot be fitted: no luck"
    ):
        model.fit(gappy())


def two_columns(columns: int = 2) -> crake.Table:
    cells = np.random.default_rng(1).normal(size=(20, columns))
    return from_xy(cells, np.where(cells[:, -1] > 0, "p", "q"))


@pytest.mark.parametrize(
    ("stranger", "said"),
    [
        (crake.C45Classifier().fit(two_columns(30)), "was fitted on other columns"),
        (crake.DecisionStump().fit(two_columns()), "is a DecisionStump"),
    ],
)
@pytest.mark.parametrize("make", [crake.ArbiterTreeClassifier, crake.CombinerTreeClassifier])
def test_a_stored_join_of_other_columns_or_another_kind_is_refused(
    make: type, stranger: object, said: str, tmp_path: Path
) -> None:
    """Such a tree would read columns that the rows do not have."""
    model = make(n_partitions=2).fit(two_columns())
    (name,) = model.joins_[0]
    model.joins_[0][name] = stranger
    (tmp_path / "m.crake").write_bytes(model_bytes(model))
    with pytest.raises(crake.CrakeError, match=said):
        crake.load(tmp_path / "m.crake")


def test_a_stored_combiner_reads_as_many_predictions_as_it_has_children(tmp_path: Path) -> None:
    two, three = (crake.CombinerTreeClassifier(n_partitions=n, fan_in=None).fit(two_columns()) for n in (2, 3))
    two.joins_ = three.joins_
    (tmp_path / "m.crake").write_bytes(model_bytes(two))
    with pytest.raises(crake.CrakeError, match="was fitted on other columns"):
        crake.load(tmp_path / "m.crake")


def test_an_interrupted_fit_leaves_the_model_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    model = crake.ArbiterTreeClassifier(n_partitions=3).fit(gappy())
    before = model.predict_proba(gappy())

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(crake.ArbiterTreeClassifier, "_join_of", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(BREAST)
    np.testing.assert_array_equal(model.predict_proba(gappy()), before)
