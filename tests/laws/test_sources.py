"""Law 5 for sources: the same rows give the same model, held in memory or scanned in portions of any size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.laws.arrays import arrays_of
from tests.table.sources.rows import arrow_table, write_parquet

import crake
from crake.kernels import threads
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.table.column_options import ColumnOptions
from crake.table.convert.frames import from_frame
from crake.table.formats.parquet.scan import ParquetFiles
from crake.table.sources.scanned_table import scanned
from crake.table.table import Table

LEARNERS = (crake.NaiveBayesClassifier, crake.OneRuleClassifier, crake.MajorityClassifier)


def bits(model: StatisticsClassifier) -> dict[str, Any]:
    """Everything the model is a function of."""
    arrays = {n: a.tobytes() if isinstance(a, np.ndarray) else a for n, a in arrays_of(model.statistics_)}
    assert arrays
    return {"schema": model.statistics_.schema, "left out": model.left_out_, **arrays}


@pytest.fixture(scope="module")
def rows() -> pa.Table:
    return arrow_table()


@pytest.fixture(scope="module")
def file(rows: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_parquet(tmp_path_factory.mktemp("parquet") / "rows.parquet", rows)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("portion", [1000, 4096, 5000, 1 << 16])
def test_portions_do_not_matter(learner: Callable[[], Any], portion: int, rows: pa.Table, file: Path) -> None:
    held = learner().fit(from_frame(rows, target="plan"))
    table = scanned(ParquetFiles([file], "rows", rows_per_portion=portion), ColumnOptions.of(target="plan"))
    assert not table.in_memory
    assert bits(learner().fit(table)) == bits(held)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_threads_do_not_matter(count: int, rows: pa.Table, file: Path) -> None:
    held = crake.NaiveBayesClassifier().fit(from_frame(rows, target="plan"))
    with threads.limited(count):
        assert bits(crake.NaiveBayesClassifier().fit(crake.read(file, "plan", in_memory=False))) == bits(held)


@pytest.mark.parametrize("files", [2, 7])
@pytest.mark.parametrize("in_memory", [True, False])
def test_a_folder_is_the_table_of_its_files(files: int, in_memory: bool, rows: pa.Table, tmp_path: Path) -> None:
    folder = write_parquet(tmp_path / "rows", rows, files)
    held = crake.NaiveBayesClassifier().fit(from_frame(rows, target="plan"))
    for source in (folder, str(folder / "*.parquet")):
        table = crake.read(source, "plan", in_memory=in_memory)
        assert table.in_memory is in_memory
        assert bits(crake.NaiveBayesClassifier().fit(table)) == bits(held)


def test_added_scans_are_one_scan(rows: pa.Table, tmp_path: Path) -> None:
    """The law of adding, across sources: counts to the bit."""
    half = rows.num_rows // 2
    first = write_parquet(tmp_path / "first.parquet", rows.slice(0, half))
    model = crake.NaiveBayesClassifier().partial_fit(crake.read(first, "plan", in_memory=False))
    model.partial_fit(from_frame(rows.slice(half), target="plan"))
    whole = crake.NaiveBayesClassifier().fit(from_frame(rows, target="plan"))
    assert bits(model)["/value_counts/counts"] == bits(whole)["/value_counts/counts"]
    np.testing.assert_allclose(model.mean_, whole.mean_, rtol=1e-12)


def predictions(model: Any, table: Table) -> np.ndarray:
    return np.concatenate([probabilities for _, probabilities in model.predict_batches(table)])


def test_predictions_stream(rows: pa.Table, file: Path) -> None:
    held = from_frame(rows, target="plan")
    model = crake.NaiveBayesClassifier().fit(from_frame(rows.slice(0, 5000), target="plan"))
    expected = model.predict_proba(held)
    starts = [start for start, _ in model.predict_batches(held)]
    assert starts == [0]
    for portion in (999, 1 << 16):
        table = scanned(ParquetFiles([file], "rows", rows_per_portion=portion))
        np.testing.assert_array_equal(predictions(model, table), expected)
        np.testing.assert_array_equal(model.predict_proba(table), expected)
