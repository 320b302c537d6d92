"""Folds and cells on the workers of Dask and of Ray: real clusters on this machine, and the numbers of one process."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from tests.engines.required import required

import crake
from crake.table.examples import load

pytestmark = pytest.mark.filterwarnings("ignore")  # each library warns of the others' older functions


class Seen(crake.ID3Classifier):
    """Notes the process that fits it, in a folder that all workers see."""

    def __init__(self, folder: str = "") -> None:
        super().__init__()
        self.folder = folder

    def _learn(self, table: crake.Table) -> None:
        (Path(self.folder) / str(os.getpid())).touch()
        super()._learn(table)


@pytest.fixture(scope="module")
def dask() -> Iterator[None]:
    distributed = required("dask.distributed", "dask")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        yield


@pytest.fixture(scope="module")
def ray() -> Iterator[None]:
    library = required("ray", "ray")
    required("ray.util.joblib", "ray").register_ray()
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp") as folder:  # its sockets need a short path
        library.init(
            num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=10**8, _temp_dir=folder
        )
        yield
        library.shutdown()


@pytest.fixture(params=["dask", "ray"])
def backend(request: pytest.FixtureRequest) -> Iterator[Any]:
    request.getfixturevalue(request.param)
    with joblib.parallel_config(request.param, n_jobs=2):
        yield request.param


def test_folds_are_evaluated_on_workers(backend: str, tmp_path: Path) -> None:
    table = load("golf")
    found = crake.evaluate(Seen(str(tmp_path)), table, n_jobs=2)
    assert {int(each.name) for each in tmp_path.iterdir()} - {os.getpid()}
    alone = crake.evaluate(crake.ID3Classifier(), table, n_jobs=1)
    np.testing.assert_array_equal(found.out_of_fold.probabilities, alone.out_of_fold.probabilities)


def test_learners_are_compared_on_workers(backend: str) -> None:
    table, learners = load("golf"), ["majority", "id3", "knn"]
    found, alone = (crake.compare(table, learners=learners, n_jobs=jobs) for jobs in (2, 1))
    assert [each.name for each in found.evaluations] == [each.name for each in alone.evaluations]
    for one, other in zip(found.evaluations, alone.evaluations, strict=True):
        np.testing.assert_array_equal(one.out_of_fold.probabilities, other.out_of_fold.probabilities)


def test_cells_of_an_experiment_are_worked_on_by_workers(backend: str) -> None:
    frames = [
        crake.Experiment([load("golf")], ["majority", "id3"], plan=crake.CrossValidation(2)).run(None, n_jobs=jobs)
        for jobs in (2, 1)
    ]
    names = ["learner", "repeat", "fold", "accuracy"]
    rows = [frame.to_frame() for frame in frames]
    names = [name for name in names if name in rows[0].column_names]
    found, alone = (each.select(names).sort_by([(name, "ascending") for name in names]).to_pylist() for each in rows)
    assert found == alone
    assert len(found) >= 2
