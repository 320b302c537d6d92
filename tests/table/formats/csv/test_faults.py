"""Bad CSV files: every fault is named with its line, in bounded time and memory."""

from __future__ import annotations

import gzip
import io
import time
import tracemalloc
from pathlib import Path

import pytest

from crake.errors import ReadError
from crake.table.formats.csv.reader import read_csv
from crake.table.schema import Kind


def refused(data: bytes | Path, **options: object) -> str:
    with pytest.raises(ReadError) as caught:
        read_csv(data, **({} if isinstance(data, Path) else {"name": "a.csv"}) | options)  # type: ignore[arg-type]
    return str(caught.value)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"  \n"])
def test_empty(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_bytes(data)
    assert refused(path) == "empty.csv: the file is empty; expected a header and rows"


def test_header_only() -> None:
    assert refused(b"a,b\n") == "a.csv: there is no row below the header; expected one row at least"


def test_ragged_row() -> None:
    text = b"a,b,c\n1,2,3\n4,5\n6,7,8\n\n9,10,11,12\n"
    assert refused(text) == "a.csv, line 3: expected 3 fields, found 2; --bad-rows=skip leaves such rows out"
    table = read_csv(text, bad_rows="skip")
    assert table.column("a").tolist() == [1, 6]
    assert table.notes == ("2 bad rows left out (lines 3, 6)",)
    assert read_csv(b"a,b\n1,2\n3\n", bad_rows="skip").notes == ("1 bad row left out (line 3)",)


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (
            b"Sales\n\nof May\na,b,c\n1,2,x\n",
            "line 4: expected 1 field, as in the lines before, found 3; --skip-rows 3",
        ),
        (
            b"# made by hand\na,b\n1,2\n# more\n3,4\n",
            "line 2: expected 1 field, as in the lines before, found 2; --comment '#' ",
        ),
        (b"a\n" + b"1\n" * 40 + b"2,3\n", "line 42: expected 1 field, found 2; --bad-rows=skip "),
    ],
)
def test_lines_above_a_table_name_the_option_that_passes_over_them(data: bytes, hint: str) -> None:
    assert hint in refused(data, delimiter=",")


def test_every_row_ragged() -> None:
    assert "none of the 2 rows could be read" in refused(b"a,b\n1\n2\n", bad_rows="skip")


def test_ragged_row_after_fields_of_several_lines() -> None:
    assert refused(b'a,b\n"1\n2",3\nx\n').startswith("a.csv, line 4: expected 2 fields, found 1")


def test_unclosed_quote_in_30_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    row = b"12,blue,some words\n"
    rows = 30_000_000 // len(row)
    path.write_bytes(b"a,b,c\n" + row * (rows // 2) + b'7,"red,oops\n' + row * (rows // 2))
    start = time.process_time()
    assert refused(path).startswith(
        f"large.csv, line {rows // 2 + 2}: a field is longer than 10,000,000 bytes; is a quote"
    )
    assert time.process_time() - start < 2


def test_unclosed_quote() -> None:
    text = b'a,b\n1,x\n2,"y\n3,z\n'
    assert refused(text).startswith("a.csv, line 3: a quote opens here and is never closed")
    assert refused(text, bad_rows="skip").startswith("a.csv, line 3: a quote opens here")


def test_unclosed_quote_before_other_quotes() -> None:
    text = b'a,b\n1,"x\n2,"y"\n3,z\n'
    assert refused(text).startswith("a.csv, line 2: a quoted field that opens here goes on after its closing quote")
    assert read_csv(text, bad_rows="skip").notes == ("1 bad row left out (line 2)",)


def test_unclosed_quote_in_the_header() -> None:
    assert refused(b'"a,b\n1,2\n').startswith("a.csv, line 1: a quote opens here")


def test_a_late_word_among_integers() -> None:
    text = "\n".join(["id,n", *(f"{row},{row}" for row in range(100_000)), "x,1"]).encode()
    table = read_csv(text)
    assert (table.schema["id"].kind, table.schema["n"].kind) == (Kind.NOMINAL, Kind.NUMERIC)
    assert len(table) == 100_001
    assert table.schema["id"].levels[table.column("id")[70_000]] == "70000"
    assert table.notes == (
        (
            "column 'id' is nominal: 1 of 100,001 values is no number, first 'x' in line 100002; "
            "if it means missing, say --missing 'x'; to insist on numbers, --numeric 'id'"
        ),
    )
    assert read_csv(text, missing=["x"]).schema["id"].kind is Kind.NUMERIC
    assert refused(text, numeric=["id"]).startswith("a.csv, line 100002, column 'id': 'x' is no number")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("größe,b\n1,ä\n".encode(encoding))
    for source in (path, path.read_bytes()):
        table = read_csv(source)
        assert table.schema.names == ("größe", "b")
        assert table.schema["b"].levels == ("ä",)


def test_latin_1() -> None:
    text = "a,b\n1,x\n2,ä\n".encode("latin-1")
    assert refused(text) == "a.csv, line 3: the byte 0xe4 is not UTF-8; it reads as Windows-1252: --encoding cp1252"
    assert read_csv(text, encoding="latin-1").schema["b"].levels == ("x", "ä")
    assert "line 1: the byte 0xe4" in refused("ä,b\n1,x\n".encode("latin-1"))
    for name in ("klingon", "hex"):
        message = refused(text, encoding=name)
        assert "expected an encoding among utf-8, utf-16, " in message
        assert f"got '{name}'" in message


def test_zero_byte() -> None:
    assert refused(b"a,b\n1,x\n2,\0y\n").startswith("a.csv, line 3: a NUL byte")
    assert "--encoding utf-16" in refused("a,b\n1,x\n".encode("utf-16-le"))


def test_headers() -> None:
    table = read_csv(b"a,,a,A\n1,2,3,4\n")
    assert table.schema.names == ("a", "column_2", "a_2", "A")
    assert len(table.notes) == 3


def test_hostile_headers() -> None:
    names = ['a" from t; drop table t; --', "/etc/passwd", "x" * 10_000, "🦤", "a,b"]
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    assert read_csv(f"{header}\n1,2,3,4,5\n".encode()).schema.names == tuple(names)


def test_exact_texts() -> None:
    table = read_csv(b"zip,id,label,account\n01234,9007199254740993,1e5,7\n10115,9007199254740992,2,x\n")
    assert table.schema["zip"].levels == ("01234", "10115")
    assert table.schema["id"].levels == (9007199254740992, 9007199254740993)
    assert table.column("label").tolist() == [1e5, 2.0]
    assert table.notes[:2] == (
        (
            "column 'zip' is nominal: '01234' in line 2 has leading zeros, which a number would lose; "
            "--numeric 'zip' overrides"
        ),
        (
            "column 'id' is nominal: '9007199254740993' in line 2 is an integer beyond 2^53, which a number would "
            "lose; --numeric 'id' overrides"
        ),
    )
    assert read_csv(b"y\n1e5\nno\n").schema["y"].levels == ("1e5", "no")
    assert read_csv(b"y\n1e5\n2\n", nominal=["y"]).schema["y"].levels == ("1e5", "2")
    assert read_csv(b"id\n18446744073709551616\n").schema["id"].levels == ("18446744073709551616",)


def test_integers_rounded_on_request() -> None:
    table = read_csv(b"id\n9007199254740993\n", numeric=["id"])
    assert table.column("id").tolist() == [2.0**53]
    assert table.notes == ("column 'id' was rounded: '9007199254740993' in line 2 is beyond 2^53",)


def test_missing_rule() -> None:
    cells = ["", "?", "NA", "N/A", "NaN", "nan", "None", "null", "NULL", '""', '"NA"', "  NA  ", "5"]
    table = read_csv("\n".join(["n,w", *(f"{cell},w" for cell in cells)]).encode())
    assert table.schema["n"].kind is Kind.NUMERIC
    assert [value == value for value in table.column("n").tolist()] == [False] * 12 + [True]


@pytest.mark.parametrize("token", ["inf", "-inf", "Infinity", "+INF", "1e999", "-1e400"])
def test_infinity_is_refused(token: str) -> None:
    found = refused(f"a,b\n1,x\n2,y\n{token},z\n".encode())
    assert found.startswith(f"a.csv, line 4, column 'a': {token!r} is infinite")
    assert read_csv(f"a\n{token}\nx\n".encode()).schema["a"].kind is Kind.NOMINAL


def test_infinity_in_a_target_of_classes() -> None:
    assert refused(b"a,y\n1,0\n2,inf\n3,1\n", target="y").startswith("a.csv, line 3, column 'y': 'inf' is infinite")


def test_gzip_bomb(tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 52_500_000, 9, mtime=0))
    tracemalloc.start()
    try:
        found = refused(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.startswith("bomb.csv.gz: the gzip file unpacks to more than 64,000,000 bytes")
    assert peak < 100_000_000


def test_cap_given() -> None:
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 100)
    assert len(read_csv(packed, max_bytes=404)) == 100
    assert "more than 403 bytes" in refused(packed, max_bytes=403)


def test_broken_gzip() -> None:
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 100)
    assert "ends too early" in refused(packed[:-9])
    assert "no sound gzip file" in refused(packed[:20] + b"\xff" * 20 + packed[40:])
    assert len(read_csv(packed + gzip.compress(b"3,4\n"))) == 101


def test_many_columns() -> None:
    header = ",".join(f"c{place}" for place in range(20_000))
    row = ",".join("1" for _ in range(20_000))
    table = read_csv(f"{header}\n{row}\n{row}\n".encode())
    assert len(table.schema.columns) == 20_000
    assert table.column("c19999").tolist() == [1, 1]


def test_too_many_columns() -> None:
    header = io.BytesIO(b",".join([b"c"] * 1_000_000) + b"\n1\n")
    start = time.process_time()
    with pytest.raises(ReadError, match="1,000,000 columns; expected at most 100,000"):
        read_csv(header)
    assert time.process_time() - start < 1


@pytest.mark.parametrize("quote", [b"", b'"'])
def test_a_field_of_50_megabytes(quote: bytes) -> None:
    text = b"a,b\n1,x\n2," + quote + b"y" * 50_000_000 + quote + b"\n3,z\n"
    assert refused(text).startswith("a.csv, line 3: a field is longer than 10,000,000 bytes")
