"""CSV that other programs read: exact when raw, safe for spreadsheets otherwise."""

from __future__ import annotations

import csv
import gzip
import io
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crake
from crake.errors import CrakeError, DataError, SchemaError
from crake.kernels.csv.write import LONGEST, write_probability
from crake.table.convert.frames import encode, from_frame
from crake.table.formats.csv.reader import read_csv
from crake.table.formats.csv.writer import cell, csv_pieces

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
NAMES = st.lists(TEXT.filter(str.strip), min_size=1, max_size=4, unique=True)
FILE_NAMES = st.lists(TEXT.map(str.strip).filter(bool), min_size=1, max_size=4, unique=True)
"""Names as every file has them: readers drop the spaces around a name."""
NUMBERS = st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53).map(float)


def written(table, **options) -> bytes:
    return b"".join(bytes(piece) for piece in csv_pieces(table, **options))


def cells(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


@given(NAMES, st.data())
def test_any_text_comes_back_as_it_was(names, data):
    rows = data.draw(st.integers(1, 5))
    columns = {name: data.draw(st.lists(TEXT, min_size=rows, max_size=rows)) for name in names}
    found = cells(written(from_frame(pa.table(columns)), raw=True))
    assert found[0] == names
    assert found[1:] == [list(row) for row in zip(*columns.values(), strict=True)]


@given(FILE_NAMES, st.data())
def test_raw_files_read_back_exactly(names, data):
    """Texts and numbers beside each other, missing ones among them, through crake's own reader."""
    rows = data.draw(st.integers(1, 5))
    frame, nominal = {}, []
    for name in names:
        is_text = data.draw(st.booleans())
        drawn = data.draw(
            st.lists((st.none() | TEXT.filter(bool)) if is_text else NUMBERS, min_size=rows, max_size=rows)
        )
        frame[name] = pa.array(drawn, pa.string() if is_text else pa.float64())
        nominal += [name] * is_text
    table = from_frame(pa.table(frame))
    others = [name for name in names if name not in nominal]
    back = read_csv(written(table, raw=True), missing=[], nominal=nominal, numeric=others, delimiter=",")
    assert back.schema.names == tuple(names)
    for name in names:
        found = back.to_arrow().column(name).to_pylist()
        if name in nominal:
            found = [None if cell is None else str(cell) for cell in found]
        assert [repr(cell) for cell in found] == [repr(cell) for cell in frame[name].to_pylist()]


HOSTILE = ['=HYPERLINK("http://x.y","z")', "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", "-"]


@pytest.mark.parametrize("text", HOSTILE)
def test_formulas_are_guarded_in_cells_and_names(text):
    table = from_frame(pa.table({text: [text, "safe"]}))
    assert cells(written(table)) == [[f"'{text}"], [f"'{text}"], ["safe"]]
    assert cells(written(table, raw=True)) == [[text], [text], ["safe"]]


def test_guarded_text_columns_too():
    table = from_frame(pa.table({"note": ["=1", None], "x": [1.0, 2.0]}), text=["note"])
    assert written(table) == b"note,x\n'=1,1\n,2\n"


@given(TEXT)
def test_what_is_not_a_formula_is_not_changed(text):
    (guarded,), (raw,) = (cells(written(from_frame(pa.table({"a": [text]})), raw=raw))[1] for raw in (False, True))
    assert guarded in (text, f"'{text}")
    assert raw == text
    assert (guarded == text) or text.strip()[:1] in "=+-@＝＋－＠" or text[0] in "\t\r\n"


def test_numbers_stay_numbers():
    table = from_frame(pa.table({"x": [-1.5, 2.0, None], "level": ["-1", "+2.5e3", "-1x"]}))
    assert written(table) == b"x,level\n-1.5,-1\n2,+2.5e3\n,'-1x\n"


def test_many_rows_are_written_in_pieces():
    rows = 150_000
    table = from_frame(pa.table({"i": np.arange(rows), "half": np.arange(rows) / 2}))
    lines = written(table).decode().splitlines()
    assert lines[1:] == [f"{i},{i // 2 if i % 2 == 0 else i / 2}" for i in range(rows)]


def test_a_file_is_replaced_whole_and_compressed_by_its_name(tmp_path):
    table = crake.read("golf")
    crake.write_csv(table, tmp_path / "golf.csv")
    crake.write_csv(table, tmp_path / "golf.csv.gz")
    assert gzip.decompress((tmp_path / "golf.csv.gz").read_bytes()) == (tmp_path / "golf.csv").read_bytes()
    again = crake.read(tmp_path / "golf.csv.gz", target="play")
    assert again.to_arrow().equals(table.to_arrow())


def test_a_failed_write_leaves_the_old_file(tmp_path):
    file = tmp_path / "old.csv"
    file.write_text("old")
    table = from_frame(pa.table({"a": ["x"]}))
    with pytest.raises(DataError, match="not among its levels"):
        crake.write_csv(encode(pa.table({"a": ["y"]}), table.schema), file)
    with pytest.raises(CrakeError, match="cannot write"):
        crake.write_csv(table, tmp_path / "no" / "such" / "folder.csv")
    with pytest.raises(SchemaError, match="nothing to write"):
        crake.write_csv(from_frame(pa.table({"a": ["x"]}), ignore=["a"]), file)
    assert [path.name for path in tmp_path.iterdir()] == ["old.csv"]
    assert file.read_text() == "old"


@given(st.floats(0, 1) | st.floats(0, 1).map(lambda x: x**20) | st.integers(0, 330).map(lambda k: float(f"1e-{k}")))
def test_probabilities_have_six_digits(p):
    out = np.zeros(LONGEST, np.uint8)
    text = out[: write_probability(p, out, 0)].tobytes().decode()
    # A tie in the seventh digit may be rounded either way; otherwise it is what Python writes.
    assert text == f"{p:.6g}" or math.isclose(float(text), p, rel_tol=5.0001e-6)
    assert len(text) == len(f"{float(text):.6g}")


def test_a_level_without_end_is_written() -> None:
    assert cell(float("inf")) == "inf"
