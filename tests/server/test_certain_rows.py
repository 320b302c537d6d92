"""Cells that are coded at once get the codes that the reader of files gives them."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

import crake
from crake.server.certain_rows import CertainRows
from crake.server.reading import Body
from crake.table.column_options import Expected
from crake.table.convert.frames import encode

CELLS = [
    '"a"', '"a "', '" a"', '"b "', '"c"', '"?"', '""', "null", "true", '"true"', '"True"', "1", "1.0", '"1"', '"01"',
    "-0", "0.5", '"0.5"', '"1e3"', "1e3", "1E-2", "-7.25", "1e400", "123456789012345678", '"1,5"', '"x"', '"NA"',
    '"nan"', "-999", '"-999"', "0", "2", '"2"', '"2.0"', "[1]", '{"a": 1}', "3.141592653589793238462", '"+3"', '".5"',
    '"\\u001f"', '"-"', '"é"',
]  # fmt: skip
"""Cells as JSON writes them, ordinary and odd."""


@pytest.fixture(scope="module")
def model():
    """Columns of texts, of texts that look like numbers, of whole numbers as names, and of numbers."""
    frame = pa.table({
        "text": ["a", "b ", "é", "c", "True", "-"],
        "digits": ["1", "02", "2", "1e3", "x", "0.5"],
        "whole": pa.array([1, 2, 3, 2, 1, 0]).dictionary_encode(),
        "number": [0.5, 1.0, -7.25, 3.0, 2.0, None],
        "y": ["p", "n", "p", "n", "p", "n"],
    })  # fmt: skip
    return crake.NaiveBayesClassifier().fit(crake.read(frame, target="y"))


def by_files(model, text):
    """The coded rows of a body, or the error that reading raises."""
    try:
        table = Body(text.encode(), "json").table(Expected.of_model(model), 1 << 20)
        return encode(table, model.schema_.select(model._read_names()))
    except crake.errors.CrakeError as error:
        return error


def columns_of(table):
    return {column.name: table.column(column.name).tolist() for column in table.schema.features}


@pytest.mark.parametrize("column", ["text", "digits", "whole", "number"])
@pytest.mark.parametrize("missing", [None, ("-999", "-")])
def test_certain_cells_are_coded_as_the_reader_of_files_codes_them(model, column, missing, monkeypatch):
    monkeypatch.setattr(model, "missing_", missing)
    certain = CertainRows.of(model)
    known = 0
    for cell in CELLS:
        cells = {"text": '"a"', "digits": '"x"', "whole": "2", "number": "1.5", column: cell}
        text = "[{" + ", ".join(f'"{name}": {value}' for name, value in cells.items()) + "}]"
        quick = certain.table(Body(text.encode(), "json").records())
        if quick is None:
            continue
        known += 1
        slow = by_files(model, text)
        assert not isinstance(slow, Exception), (cell, slow)
        ours, theirs = columns_of(quick[0]), columns_of(slow)
        assert all(np.array_equal(ours[name], theirs[name], equal_nan=True) for name in theirs), (cell, ours, theirs)
    assert known >= 5


def test_ordinary_rows_are_certain_and_odd_ones_are_not(model):
    certain = CertainRows.of(model)
    row = {"text": "a", "digits": "02", "whole": "3", "number": "1.5"}
    table, notes = certain.table([row, {**row, "text": None, "id": "7"}])
    assert len(table) == 2
    assert notes == ("columns the model does not know, not used: id",)
    assert certain.table([row, {**row, "text": "never seen"}]) is None
    for odd in ({**row, "more": ["1"]}, {**row, " text": "a"}, {**row, "TEXT": "a"}, {"text": "a"}, "text", None):
        assert certain.table([odd]) is None


def test_two_keys_that_differ_by_blanks_are_left_to_the_reader(model):
    """The reader takes the first of them for the column, and so must the server."""
    text = json.dumps([{"text ": "a", "text": "é", "digits": "x", "whole": 1, "number": 1}])
    assert CertainRows.of(model).table(Body(text.encode(), "json").records()) is None
    assert columns_of(by_files(model, text))["text"] == [model.schema_["text"].levels.index("a")]


def test_models_of_dates_and_text_have_no_certain_rows():
    frame = pa.table({"day": pa.array([1, 2, 3, 4], pa.date32()), "y": ["a", "b", "a", "b"]})
    assert CertainRows.of(crake.C45Classifier().fit(crake.read(frame, target="y"))) is None
