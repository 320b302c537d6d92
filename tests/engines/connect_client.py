"""The client of a Spark Connect server that it starts; its last line says what it found. It is run as a process."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from tests.engines.test_spark import EXACT, made
from tests.laws.arrays import assert_same_bits

import crake
import crake.errors
from crake.statistics import gather
from crake.table.formats.spark.session import partitions_of, plain_files
from crake.table.table import Table


def file_of(model: Any) -> bytes:
    """Return the bytes of the model's file."""
    with tempfile.NamedTemporaryFile(suffix=".crake") as file:
        crake.save(model, file.name)
        return Path(file.name).read_bytes()


def numbers_of(source: Any) -> Table:
    """Return the table of a number to predict."""
    return crake.read(source, "size", numeric=["size"], ignore=["id"])


def _refusal_of(call: Callable[[], Any]) -> str:
    """Return the words of the error that a call raises."""
    try:
        call()
    except crake.errors.SchemaError as error:
        return str(error)
    return ""


def main() -> None:
    """Gather, fit and predict through Connect, and compare with rows in memory."""
    warnings.simplefilter("ignore")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession  # noqa: PLC0415 (an extra)

    rows = made(300)
    spark = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    frame = spark.createDataFrame(rows).repartition(3)
    table, held = crake.read(frame, "y", ignore=["id"]), crake.read(rows, "y", ignore=["id"])
    assert_same_bits(gather(table, EXACT), gather(held, EXACT))
    model = crake.NaiveBayesClassifier().fit(held)
    predicted = model.predict(frame).toArrow().sort_by("id")
    few = [name for name in ("id", "place") if name in rows.column_names]
    logistic = crake.LogisticClassifier().fit(crake.read(frame, "y", ignore=few))
    expected = crake.LogisticClassifier().fit(crake.read(rows, "y", ignore=few))
    complete = rows.drop_null()
    whole = crake.read(complete, "y", ignore=["id"])
    parts = crake.read(spark.createDataFrame(complete).repartition(2), "y", ignore=["id"])
    lines = [crake.LinearRegressor().fit(crake.read(each, "size", ignore=["id"])) for each in (frame, rows)]
    pairs = [(crake.CARTClassifier(max_depth=3), parts, whole), (crake.C45Classifier(max_depth=3), table, held)]
    pairs.append((crake.CARTRegressor(max_depth=3), numbers_of(frame), numbers_of(rows)))
    odd = frame.selectExpr("Colour", "place", "array(size) as size")
    found = {
        "refusal": _refusal_of(lambda: model.predict(odd)),
        "equal_files": file_of(crake.NaiveBayesClassifier().fit(table)) == file_of(model)
        and file_of(logistic) == file_of(expected),
        "equal_lines": file_of(lines[0]) == file_of(lines[1]),
        "equal_trees": all(file_of(clone(tree).fit(a)) == file_of(clone(tree).fit(b)) for tree, a, b in pairs),
        "is_connect": getattr(frame, "_jdf", None) is None,
        "has_files": plain_files(frame) is not None,
        "partitions": partitions_of(frame),
        "equal_answers": bool(np.all(np.array(predicted["predicted y"].to_pylist()) == model.predict(held))),
    }
    spark.stop()
    print(json.dumps(found))  # noqa: T201


if __name__ == "__main__":
    main()
