"""joblib's backends that cannot hand over results one by one, as Ray's cannot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import joblib
import pytest
from joblib._parallel_backends import ThreadingBackend

import crake
from crake.table.examples import load


class AllAtOnce(ThreadingBackend):  # type: ignore[misc]
    """A backend that returns lists only, and counts what it is asked to do."""

    supports_return_generator = False
    calls = 0

    def submit(self, *arguments: Any, **options: Any) -> Any:
        type(self).calls += 1
        return super().submit(*arguments, **options)


@pytest.fixture
def all_at_once() -> Iterator[type[AllAtOnce]]:
    joblib.register_parallel_backend("all-at-once", AllAtOnce)
    AllAtOnce.calls = 0
    with joblib.parallel_config("all-at-once", n_jobs=2):
        yield AllAtOnce
    joblib.parallel.BACKENDS.pop("all-at-once")


def test_folds_are_evaluated(all_at_once: type[AllAtOnce]) -> None:
    table = load("golf")
    result = crake.evaluate(crake.ID3Classifier(), table, n_jobs=2)
    assert all_at_once.calls
    assert result.accuracy == crake.evaluate(crake.ID3Classifier(), table).accuracy


def test_cells_of_an_experiment_are_worked_on(all_at_once: type[AllAtOnce]) -> None:
    experiment = crake.Experiment([load("golf")], ["majority", "1r"], plan=crake.CrossValidation(3), repeats=2)
    frame = experiment.run(None, n_jobs=2).to_frame()
    assert all_at_once.calls
    assert set(frame["learner"].to_pylist()) == {"majority class", "1R"}
