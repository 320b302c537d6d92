"""CSV files become the tables that a slow and obvious reader finds, whatever the size of the chunks."""

from __future__ import annotations

import csv
import gzip
import io
import math
from pathlib import Path
from unittest import mock

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plain import csv_twin

from crake.errors import ColumnNotFound, CrakeError, ReadError, SchemaError, TargetNotFound
from crake.kernels import threads
from crake.table.formats.csv import chunks as csv_chunks
from crake.table.formats.csv.reader import read_csv
from crake.table.schema import Kind
from crake.table.table import Table


def cells_of(table: Table, name: str) -> list[object]:
    column, array = table.schema[name], table.column(name)
    if column.kind is Kind.NOMINAL:
        return [column.levels[code] if code >= 0 else None for code in array]
    if column.kind is Kind.NUMERIC:
        return [None if math.isnan(value) else value for value in array.tolist()]
    return array.tolist()


def shape_of(table: Table) -> list[tuple[object, ...]]:
    return [(c.name, str(c.kind), list(c.levels), cells_of(table, c.name)) for c in table.schema.columns]


def kinds(table: Table) -> dict[str, str]:
    return {column.name: str(column.kind) for column in table.schema.columns}


WORDS = st.text(st.sampled_from('ab1 ,;"\n\té€'), max_size=5)
NUMBERS = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.integers(-(2**54), 2**54).map(str),
    st.floats(allow_nan=False).map(repr),
    st.floats(-1e6, 1e6).map(lambda value: f"{value:.3f}"),
    st.sampled_from(["007", "-0.0", "1e5", ".5", "5.", "+3", "1e400", "1e-400", "1_0", "0x1", "-", ".", "e5", "1e"]),
    st.text("0123456789.e-+", max_size=30),
)
TOKENS = st.sampled_from(["", "?", "NA", "NaN", "null", "n/a", "inf", "None", "-Infinity"])
SENTENCES = st.lists(st.sampled_from(["the", "rain", "in", "Spain", "stays"]), min_size=6, max_size=20).map(" ".join)
CELLS = st.sampled_from([WORDS, NUMBERS, st.integers(0, 20).map(str), TOKENS, SENTENCES])


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    rows = draw(st.integers(1, 8))
    columns = draw(st.lists(CELLS, min_size=2, max_size=4))
    cells = [
        draw(st.lists(st.one_of(column, TOKENS) if draw(st.booleans()) else column, min_size=rows, max_size=rows))
        for column in columns
    ]
    return [[f"c{place}" for place in range(len(columns))], *map(list, zip(*cells, strict=True))]


def written(table: list[list[str]], *, quote_all: bool, end: str) -> str:
    """As the csv module writes it, with cells that begin or end with spaces in quotes."""
    file = io.StringIO()
    always = quote_all or any(cell != cell.strip() for row in table for cell in row)
    csv.writer(file, quoting=csv.QUOTE_ALL if always else csv.QUOTE_MINIMAL, lineterminator=end).writerows(table)
    return file.getvalue()


@settings(max_examples=300, deadline=None)
@given(tables(), st.booleans(), st.sampled_from(["\n", "\r\n"]), st.integers(1, 200), st.booleans())
def test_equals_the_plain_twin(
    table: list[list[str]], quote_all: bool, end: str, chunk_bytes: int, last_end: bool
) -> None:
    text = written(table, quote_all=quote_all, end=end)
    text = text if last_end else text.removesuffix(end)
    with mock.patch.object(csv_chunks, "CHUNK_BYTES", chunk_bytes):
        try:
            expected = csv_twin.read(text)
        except csv_twin.Infinite as infinite:
            with pytest.raises(ReadError, match=f"column '{infinite.column}': .* is infinite"):
                read_csv(text.encode(), delimiter=",")
            return
        found = read_csv(text.encode(), delimiter=",")
    assert shape_of(found) == [(c.name, c.kind, c.levels, c.cells) for c in expected]


@settings(max_examples=300, deadline=None)
@given(
    st.text('a1,";\n\r \t0.\0é', max_size=60).map(str.encode) | st.binary(max_size=40),
    st.integers(1, 30),
    st.booleans(),
)
def test_any_bytes_are_a_table_or_an_error_whatever_the_chunks(data: bytes, chunk_bytes: int, skip: bool) -> None:
    def outcome() -> object:
        try:
            table = read_csv(data, bad_rows="skip" if skip else "error")
        except CrakeError as error:
            return str(error)
        return shape_of(table), table.notes

    whole = outcome()
    with mock.patch.object(csv_chunks, "CHUNK_BYTES", chunk_bytes):
        assert outcome() == whole
        with threads.limited(3):
            assert outcome() == whole


def test_numbers_are_those_of_python() -> None:
    generator = np.random.default_rng(0)
    bits = generator.integers(0, 2**63, 50_000, dtype=np.int64).view(np.float64)
    texts = [repr(value) for value in bits.tolist() if math.isfinite(value)]
    texts += [
        f"{m}e{q}"
        for m, q in zip(generator.integers(1, 2**62, 50_000), generator.integers(-330, 290, 50_000), strict=True)
    ]
    texts += [f"{2**53 + k}.0" for k in range(-4, 5)] + [
        f"{9007199254740993 + k}e{q}" for k in range(4) for q in (1, 5, 23)
    ]
    texts += [
        "1.7976931348623157e308",
        "4.9e-324",
        "2.2250738585072011e-308",
        "9007199254740993.0",
        "0." + "0" * 400 + "1",
    ]
    found = read_csv("\n".join(["x", *texts]).encode()).column("x")
    assert found.tobytes() == np.array([float(text) for text in texts]).tobytes()


def test_quotes_spaces_and_blank_lines() -> None:
    text = 'a, b ,"c"\n\n  x  , "y, ""z""\nw" ,\t"  kept "\t\n   \nx,,"NA"\n'
    table = read_csv(text.encode(), delimiter=",")
    assert table.schema.names == ("a", "b", "c")
    assert cells_of(table, "a") == ["x", "x"]
    assert cells_of(table, "b") == ['y, "z"\nw', None]
    assert cells_of(table, "c") == ["  kept ", None]


def test_quotes_inside_a_field_belong_to_it() -> None:
    assert cells_of(read_csv(b'size\n5" pipe\n3""\n'), "size") == ['5" pipe', '3""']


def test_the_same_text_quoted_and_not_is_one_level() -> None:
    table = read_csv(b'a,b\nx"y,1\n"x""y",2\n"x""y" ,3\n')
    assert table.schema["a"].levels == ('x"y',)
    assert table.column("a").tolist() == [0, 0, 0]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    table = read_csv(end.join(["a,b", "1,x", "2,y"]).encode())
    assert cells_of(table, "a") == [1.0, 2.0]
    assert cells_of(table, "b") == ["x", "y"]


def test_one_column() -> None:
    assert cells_of(read_csv(b"age\n31\n\n?\n40"), "age") == [31.0, None, 40.0]


def test_without_a_header() -> None:
    table = read_csv(b"1,x\n2,y\n", header=False)
    assert kinds(table) == {"column_1": "numeric", "column_2": "nominal"}
    assert len(table) == 2


def test_codes_and_numbers_have_the_types_of_kernels() -> None:
    table = read_csv(b"n,c,t\n1,x,one two\n2,y,three\n", text=["t"])
    assert table.column("n").dtype == np.float64
    assert table.column("c").dtype == np.int32
    assert table.column("t").tolist() == ["one two", "three"]


def test_columns_asked_for() -> None:
    text = b"a,b,c,d\n1.0,007,one,1\n2,8,two,2\n"
    table = read_csv(text, nominal=["a", "d"], numeric=["b"], text=["c"])
    assert kinds(table) == {"a": "nominal", "b": "numeric", "c": "text", "d": "nominal"}
    assert table.schema["a"].levels == ("1.0", "2")
    assert table.schema["d"].levels == (1, 2)
    assert cells_of(table, "b") == [7.0, 8.0]
    ignored = read_csv(text, ignore=["b"])
    assert ignored.schema["b"].kind is Kind.IGNORED
    assert "b" not in ignored.source.names
    assert len(read_csv(text, ignore=["a", "b", "c", "d"])) == 2


def test_columns_asked_for_that_cannot_be() -> None:
    text = b"age,play\n1,x\n"
    with pytest.raises(TargetNotFound, match=r"no column 'plya' in the data\. Did you mean 'play'"):
        read_csv(text, target="plya")
    with pytest.raises(ColumnNotFound, match=r"no column 'Age' in golf\.csv"):
        read_csv(text, name="golf.csv", numeric=["Age"])
    with pytest.raises(SchemaError, match="'age' is asked for as nominal and as numeric"):
        read_csv(text, nominal=["age"], numeric=["age"])
    with pytest.raises(ReadError, match="line 2, column 'play': 'x' is no number"):
        read_csv(text, numeric=["play"])
    with pytest.raises(ReadError, match="to be error or skip, got 'drop'"):
        read_csv(text, bad_rows="drop")  # type: ignore[arg-type]


def test_a_target_of_few_whole_numbers_is_classes() -> None:
    table = read_csv(b"x,y\n1,1\n2,0\n3,1.0\n4,?\n", target="y")
    assert table.schema.classes == (0, 1)
    assert table.target.tolist() == [1, 0, 1, -1]
    assert table.notes == ("the target 'y' holds 2 whole numbers: read as classes",)


@pytest.mark.parametrize("cells", [[0.5, 1], range(51)])
def test_a_target_of_other_numbers_stays_numeric(cells: list[float]) -> None:
    text = "\n".join(["x,y", *(f"a,{cell}" for cell in cells)]).encode()
    assert kinds(read_csv(text, target="y"))["y"] == "numeric"
    assert kinds(read_csv(text, target="y", nominal=["y"]))["y"] == "nominal"


def test_a_target_decided_late() -> None:
    """The first 20,000 rows, which guide the guess, hold 2 distinct numbers; the whole column holds 51."""
    first = ["x,y", *(f"a,{row % 2}" for row in range(30_000))]
    assert kinds(read_csv("\n".join(first).encode(), target="y"))["y"] == "nominal"
    later = [*first, *(f"a,{row}" for row in range(51))]
    table = read_csv("\n".join(later).encode(), target="y")
    assert table.schema["y"].kind is Kind.NUMERIC
    assert table.column("y")[-1] == 50.0


def test_missing_tokens_given_replace_the_others() -> None:
    table = read_csv(b"a,b\n-99,NA\n,x\n5,-99\n", missing=["-99"])
    assert cells_of(table, "a") == [None, None, 5.0]
    assert cells_of(table, "b") == ["NA", "x", None]


def test_a_column_without_values_is_nominal_without_levels() -> None:
    table = read_csv(b"a,b\nNA,1\n,2\n")
    assert (table.schema["a"].kind, table.schema["a"].levels) == (Kind.NOMINAL, ())
    assert table.column("a").tolist() == [-1, -1]
    assert table.notes == ("columns without any value: 'a'",)


def test_running_text_is_text() -> None:
    rows = [f"ham,this is message number {row} and it goes on for quite a while" for row in range(20)]
    assert kinds(read_csv("\n".join(["class,text", *rows]).encode())) == {"class": "nominal", "text": "text"}


def test_reads_paths_bytes_and_open_files(tmp_path: Path) -> None:
    path = tmp_path / "golf.csv"
    path.write_bytes(b"\xef\xbb\xbfa,b\n1,x\n")
    shapes = [
        shape_of(read_csv(source)) for source in (path, str(path), path.read_bytes(), io.BytesIO(path.read_bytes()))
    ]
    assert shapes == [shapes[0]] * 4
    assert read_csv(path).name == "golf.csv"
    assert read_csv(path, name="tennis").name == "tennis"
    with pytest.raises(ReadError, match="No such file"):
        read_csv(tmp_path / "none.csv")
    with pytest.raises(ReadError, match="directory"):
        read_csv(tmp_path)


@pytest.mark.parametrize("file", ["csv/bank.csv.gz", "csv/mammography.csv.gz", "text/sms-spam.tsv.gz"])
def test_public_tables_equal_polars_cell_by_cell(shared: Path, file: str) -> None:
    path = shared / "data" / file
    header = "mammography" not in file
    table = read_csv(path, header=header, quote='"')
    separator = "\t" if ".tsv" in file else ","
    with gzip.open(path) as unpacked:
        frame = pl.read_csv(
            unpacked.read(), separator=separator, has_header=header, infer_schema=False, quote_char=None
        )
    assert len(table) == len(frame)
    for name, other in zip(table.schema.names, frame.columns, strict=True):
        texts = frame[other].str.strip_chars().to_list()
        read = float if table.schema[name].kind is Kind.NUMERIC else str
        assert cells_of(table, name) == [read(text) for text in texts], name
