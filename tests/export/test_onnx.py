"""ONNX answers as the library in onnxruntime, where that is installed; the file itself needs no library."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.export.cases import LEVELS, NAMES, NUMBERS, Case, assert_same, exported_cases

import crake
from crake.export.onnx import protobuf

GAP = "(missing)"


def runtime() -> Any:
    """Return onnxruntime; without it, skip, or fail where the tests are demanded."""
    if os.environ.get("CRAKE_REQUIRE_ONNX"):
        import onnxruntime  # noqa: PLC0415

        return onnxruntime
    return pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def ran(data: bytes, rows: pa.Table, names: list[str]) -> list[Any]:
    """Return the results of a file for rows: missing names are GAP, missing numbers NaN."""
    options = runtime().SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = runtime().InferenceSession(data, options, providers=["CPUExecutionProvider"])
    columns = {}
    for name in names:
        values = rows[name].to_pylist()
        if pa.types.is_string(rows[name].type):
            columns[name] = np.array([[GAP if v is None else v] for v in values], object)
        else:
            columns[name] = np.array([[np.nan if v is None else v] for v in values], np.float64)
    return list(session.run(None, columns))


def inputs(case: Case) -> list[str]:
    return case.names or [case.exported.schema.features[0].name]


def without_gaps(case: Case) -> list[int]:
    """Return the rows in which all is known: they are not divided, and other operators answer them."""
    known = dict(zip(NAMES, LEVELS, strict=True))
    return [
        at
        for at, row in enumerate(case.rows.to_pylist())
        if None not in row.values() and all(row[name] in known[name] for name in NAMES)
    ]


def of_ties(case: Case, answers: list[Any]) -> list[Any]:
    """Return the answers, those of the library where theirs is as probable: ONNX adds parts of rows in another order.

    A row of which nothing is known may have three classes of a third each, but for the last digit.
    """
    place = {label: k for k, label in enumerate(case.model.classes_.tolist())}
    ties = 0
    for at, (answer, expected) in enumerate(zip(answers, case.answers.tolist(), strict=True)):
        if answer != expected and abs(case.shares[at][place[answer]] - case.shares[at][place[expected]]) < 1e-15:
            answers[at], ties = expected, ties + 1
    assert ties <= 5, case.name
    return answers


def test_onnx_answers_as_the_library() -> None:
    runtime()
    for case in exported_cases():
        data, complete = case.model.to_onnx(missing_text=GAP), without_gaps(case)
        last = ran(data, case.rows.take(complete), inputs(case))[-1]
        np.testing.assert_allclose(last.reshape(len(complete), -1), case.shares[complete], rtol=1e-12, atol=1e-12)
        found = ran(data, case.rows, inputs(case))
        if case.classes:
            assert found[1].dtype == np.float64
            assert_same(case, of_ties(case, found[0].tolist()), found[1])
        else:
            assert_same(case, [], found[0][:, None])


def test_the_file_is_well_formed() -> None:
    onnx = pytest.importorskip("onnx", reason="onnx is not installed")
    for case in exported_cases():
        model = onnx.load_from_string(case.model.to_onnx(missing_text=GAP))
        onnx.checker.check_model(model, full_check=True)
        assert [each.name for each in model.graph.input] == inputs(case)
        assert model.opset_import[0].version == 17


def test_single_precision_would_change_answers() -> None:
    """Count the rows next to thresholds that a graph of floats would answer otherwise: the reason for doubles."""
    case = next(case for case in exported_cases() if type(case.model).__name__ == "CARTClassifier")
    most = float(np.finfo(np.float32).max)
    columns = {name: case.rows[name].to_pylist() for name in case.rows.column_names}
    for name, values in columns.items():
        if name in NUMBERS:
            columns[name] = [None if v is None else float(np.float32(min(max(v, -most), most))) for v in values]
    rounded = pa.table(columns)
    changed = np.abs(case.model.predict_proba(rounded) - case.shares).max(axis=1) > 1e-9
    assert 0 < changed.sum() < len(changed)


def test_messages_are_those_of_protobuf() -> None:
    """Compare with the bytes that the description of protobuf gives: 150 in field 1, "testing" in field 2."""
    assert protobuf.number(1, 150) == bytes.fromhex("089601")
    assert protobuf.part(2, "testing") == bytes.fromhex("120774657374696e67")


def test_texts_for_missing_names_are_no_levels() -> None:
    rows = pa.table({"a": ["", "x", None] * 4, "y": ["n", "p", "n"] * 4})
    model = crake.C45Classifier(min_samples_leaf=1).fit(crake.read(rows, target="y"))
    with pytest.raises(crake.CrakeError, match="expected a text that no column has, got a level of 'a'"):
        model.to_onnx()
    assert b"TreeEnsemble" in model.to_onnx(missing_text="?") or b"CumSum" in model.to_onnx(missing_text="?")
