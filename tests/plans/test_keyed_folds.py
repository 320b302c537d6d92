"""Folds by a key: equal keys together, the same in every order, in scans, and in the tasks of an engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake
from crake.errors import CrakeError, SchemaError
from crake.table.sources.keyed_rows import FoldsOfRows, KeyHash


def rows() -> pa.Table:
    draw = np.random.default_rng(3)
    customer = draw.integers(0, 80, 700)
    return pa.table(
        {
            "customer": pa.array([f"c{number}" for number in customer]),
            "colour": np.array(["red", "blue"])[draw.integers(0, 2, 700)],
            "size": draw.normal(0, 1, 700) + customer % 2,
            "n": customer * 1.0,
            "y": np.array(["no", "yes"])[customer % 2],
        }
    )


def scan(folder: Path, data: pa.Table, **options: object) -> crake.Table:
    pq.write_table(data, folder / "rows.parquet", row_group_size=100)
    return crake.read(folder / "rows.parquet", in_memory=False, **options)


def test_equal_keys_are_tested_together_in_any_order(tmp_path: Path) -> None:
    plan = crake.KeyedFolds(5, key="customer")
    found = {}
    for name, data in (("as it is", rows()), ("reversed", rows().take(pa.array(np.arange(700)[::-1])))):
        table = scan(tmp_path, data, target="y", ignore=["customer", "n", "size"])
        evaluation = crake.evaluate("naive-bayes", table, plan=plan)
        tested = evaluation.out_of_fold
        customers = np.array(data["customer"].to_pylist())[tested.rows]
        assert all(len(set(tested.fold[customers == each])) == 1 for each in set(customers))
        assert len(set(tested.fold)) == 5
        found[name] = evaluation.accuracy.value
        assert evaluation.plan == "5-fold cross-validation, folds by a hash of 'customer', seed 1"
        models = crake.compare(table, learners=["majority", "c4.5"], plan=plan)
        assert len(models.evaluations) == 2
    assert found["as it is"] == found["reversed"]
    numbers = scan(tmp_path, rows(), target="n", numeric=["n"], ignore=["customer", "y"])
    assert crake.evaluate("linear", numbers, plan=plan).out_of_fold.fold.max() == 4


def test_what_a_key_must_be(tmp_path: Path) -> None:
    with pytest.raises(CrakeError, match="key=''; expected the name of a column"):
        crake.KeyedFolds(5)
    with pytest.raises(CrakeError, match=r"in memory take GroupedCrossValidation\('customer'\)"):
        crake.evaluate("majority", crake.read(rows(), "y"), plan=crake.KeyedFolds(5, key="customer"))
    with pytest.raises(SchemaError, match="there is no column 'client'"):
        crake.evaluate("majority", scan(tmp_path, rows(), target="y"), plan=crake.KeyedFolds(5, key="client"))


def test_keys_of_all_types_are_dealt_evenly() -> None:
    by = KeyHash("k", 4, 1)
    for cells in (pa.array(range(4000)), pa.array([f"k{i}" for i in range(4000)]), np.arange(4000) + 0.5):
        assert np.bincount(by.folds_of(cells)).min() > 900
    assert (
        by.folds_of(pa.array([2**63 - 1, -1, None])).tolist() == by.folds_of(pa.array([2**63 - 1, -1, None])).tolist()
    )
    assert by.folds_of(pa.array([True, False])).tolist() == by.folds_of(np.array([True, False])).tolist()


def test_folds_of_rows_are_found_by_number() -> None:
    many = FoldsOfRows()
    many.add(0, np.array([40_000, 5], np.int32))
    assert many[0:2].tolist() == [40_000, 5]
    folds = FoldsOfRows()
    for start in (0, 3, 5):
        folds.add(start, np.arange(start, start + 3 if start == 0 else start + 2, dtype=np.int32))
    assert folds[0:7].tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert folds[2:4].tolist() == [2, 3]
    folds.add(0, np.array([9], np.int32))
    assert folds[0:1].tolist() == [9]
