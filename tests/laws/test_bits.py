"""Laws 2 and 5: the same bits for any threads and batches; for shuffled rows the same counts, moments within 1e-12."""

from __future__ import annotations

import importlib
import pkgutil
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.base import clone
from tests.contract.estimators import VARIANTS, title
from tests.laws.arrays import arrays_of, assert_same_bits
from tests.laws.tables import InBatches

import crake
import crake.kernels
from crake.kernels import threads
from crake.statistics import MEMBERS, Statistics, gather
from crake.statistics.blocks import BLOCK
from crake.table.convert.frames import from_xy
from crake.table.table import Table

ROWS = 2 * BLOCK + 1234


@pytest.fixture(scope="module")
def large() -> Table:
    """Three blocks of rows, enough cells for threads, fractional weights, gaps, an offset and an outlier."""
    rng = np.random.default_rng(11)
    X = np.empty((ROWS, 24), dtype=object)
    for j in range(12):
        X[:, j] = rng.choice(np.array(["a", "b", "c", "d", None], dtype=object), ROWS)
        X[:, 12 + j] = rng.normal(0, 10.0**j, ROWS) + (1e9 if j == 3 else 0)
    # The label follows two columns nearly everywhere: a tree for labels by chance has 300,000 nodes.
    y = np.where(X[:, 0] == "a", "no", np.where(X[:, 12] > 0, "yes", "perhaps"))
    y = np.where(rng.random(ROWS) < 0.02, rng.choice(["no", "perhaps", "yes"], ROWS), y)
    X[rng.random(X.shape) < 0.05] = None
    X[17, 20] = 1e300
    return from_xy(X, y, nominal=list(range(12)), sample_weight=rng.random(ROWS) + 0.1)


def every_array(statistics: Statistics) -> dict[str, np.ndarray]:
    return {name: array for name, array in arrays_of(statistics) if isinstance(array, np.ndarray)}


def all_of(source: Any, group: np.ndarray | None = None) -> list[np.ndarray]:
    groups = 1 if group is None else int(group.max()) + 1
    return list(every_array(gather(source, MEMBERS, group=group, groups=groups)).values())


GROUP = np.arange(ROWS, dtype=np.int32) % 3


@pytest.fixture(scope="module")
def by_one_thread(large: Table) -> list[np.ndarray]:
    with threads.limited(1):
        return all_of(large, GROUP)


@pytest.mark.parametrize("number", [2, 3, 4])
def test_threads_do_not_change_a_bit(large: Table, by_one_thread: list[np.ndarray], number: int) -> None:
    with threads.limited(number):
        for mine, its in zip(all_of(large, GROUP), by_one_thread, strict=True):
            np.testing.assert_array_equal(mine, its)


@pytest.fixture(scope="module")
def at_once(large: Table) -> list[np.ndarray]:
    return all_of(large)


@pytest.mark.parametrize("sizes", [(BLOCK,), (1, 5000), (777,), (BLOCK + 1, 3, BLOCK - 5), (9000, 1)])
def test_batches_do_not_change_a_bit(large: Table, at_once: list[np.ndarray], sizes: tuple[int, ...]) -> None:
    for mine, its in zip(all_of(InBatches(large, sizes)), at_once, strict=True):
        np.testing.assert_array_equal(mine, its)


@pytest.fixture
def threads_for_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every loop that takes threads for many cells take them for few, so that a small table is enough."""
    for found in pkgutil.walk_packages(crake.kernels.__path__, "crake.kernels."):
        module = importlib.import_module(found.name)
        if getattr(module, "SMALL", None) == threads.SMALL and module is not threads:
            monkeypatch.setattr(module, "SMALL", 1)
    monkeypatch.setattr(threads, "SMALL", 1)


@pytest.mark.parametrize("estimator", VARIANTS, ids=title)
@pytest.mark.usefixtures("threads_for_few")
def test_threads_do_not_change_a_model(large: Table, estimator: Any) -> None:
    some = large.take(np.arange(800))
    with threads.limited(1):
        expected = clone(estimator).fit(some).predict_proba(some)
    with threads.limited(3):
        np.testing.assert_array_equal(clone(estimator).fit(some).predict_proba(some), expected)


@pytest.mark.usefixtures("threads_for_few")
def test_few_rows_are_worked_on_in_threads(large: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    pools: list[int] = []

    class Counted(ThreadPoolExecutor):
        def __init__(self, number: int) -> None:
            pools.append(number)
            super().__init__(number)

    monkeypatch.setattr(threads, "ThreadPoolExecutor", Counted)
    some = large.take(np.arange(800))
    for learner in (crake.NaiveBayesClassifier(), crake.CARTClassifier(), crake.BaggingClassifier(n_estimators=3)):
        pools.clear()
        with threads.limited(3):
            clone(learner).fit(some).predict_proba(some)
        assert 3 in pools, learner


def test_shuffled_rows_have_the_same_counts(large: Table) -> None:
    """Fault 26: whole weights, so that every count is exact."""
    rng = np.random.default_rng(2)
    whole = large.with_weights(np.ceil(4 * (large.weights if large.weights is not None else np.ones(ROWS))))
    order = rng.permutation(ROWS)
    for learner in (crake.MajorityClassifier(), crake.OneRuleClassifier(), crake.NaiveBayesClassifier()):
        one, other = clone(learner).fit(whole), clone(learner).fit(whole.take(order))
        np.testing.assert_array_equal(one.predict_proba(whole), other.predict_proba(whole))
        assert str(one) == str(other)
    one, other = (gather(t, MEMBERS) for t in (whole, whole.take(order)))
    for member in MEMBERS:
        if member.is_exact:
            assert_same_bits(one[member], other[member])


def test_zero_and_minus_zero_are_one_value() -> None:
    X, y = np.array([[0.0], [-0.0], [1.0], [1.0]]), np.array(["a", "a", "b", "b"])
    one = crake.OneRuleClassifier(min_bucket=1).fit(X, y)
    other = crake.OneRuleClassifier(min_bucket=1).fit(X[[1, 0, 2, 3]], y)
    for model in (one, other):
        (counts,) = model.statistics_.distinct_counts
        assert counts.value.tobytes() == np.array([0.0, 1.0]).tobytes()
    assert one.rule_.cuts.tobytes() == other.rule_.cuts.tobytes()


def test_the_thread_count_follows_the_limit_and_joblib() -> None:
    with threads.limited(3):
        assert threads.count() == 3
    assert Parallel(n_jobs=2, backend="threading")(delayed(threads.count)() for _ in range(2)) == [1, 1]


def test_an_error_in_a_thread_is_raised() -> None:
    def fail(task: int) -> None:
        if task == 1:
            raise ValueError("task 1")

    with threads.limited(2), pytest.raises(ValueError, match="task 1"):
        threads.each(fail, range(3))
