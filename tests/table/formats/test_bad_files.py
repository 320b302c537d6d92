"""Files that would cost memory or time, or are damaged: each raises one line that names the file and the remedy."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest
from tests.table.awkward.binaries import BINARIES
from tests.table.awkward.texts import TEXTS
from tests.table.awkward.workbooks import MAIN, ods, ods_row, packed, xlsx

import crake
from crake.errors import CrakeError, ReadError
from crake.table.formats.choose import format_of_content


def far_cell() -> bytes:
    rows = "".join(f'<row r="{i}"><c r="A{i}"><v>{i}</v></c></row>' for i in range(1, 3000))
    rows += '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    parts = unzipped(xlsx({"a": [["x"]]}))
    parts["xl/worksheets/sheet1.xml"] = f"<worksheet {MAIN}><sheetData>{rows}</sheetData></worksheet>".encode()
    return packed(parts)


def unzipped(data: bytes) -> dict[str, str | bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def with_entities() -> bytes:
    parts = unzipped(xlsx({"a": [["x"], [1]]}))
    parts["xl/sharedStrings.xml"] = (
        f'<!DOCTYPE sst [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><sst {MAIN}><si><t>&b;</t></si></sst>'
    )
    return packed(parts)


def zeros(byte: bytes = b"\0") -> bytes:
    return byte * 100_000_000


BAD: dict[str, tuple[str, bytes | Callable[[], bytes], str]] = {
    "a sheet with one far cell": (".xlsx", far_cell, "1,048,576 rows × 16,384 columns, of which 3,000 cells hold"),
    "entities": (".xlsx", with_entities, "declares a document type or entities"),
    "a workbook cut short": (".xlsx", xlsx({"a": [["x"], [1]]})[:300], "not a whole archive"),
    "a workbook without sheets": (".xlsx", packed({"a.txt": "x"}), "the archive has no 'xl/workbook.xml'"),
    "an empty sheet": (".xlsx", xlsx({"a": [[None, None]]}), "the sheet has no cells"),
    "a sheet of a million empty rows": (".ods", ods({"a": ods_row(None, repeated=1_048_576)}), "has no cells"),
    "repeated rows without end": (".ods", ods({"a": ods_row(1, 2, repeated=999_999_999)}), "more cells than a sheet"),
    "a workbook that unpacks to more than allowed": (
        ".xlsx",
        lambda: packed({**unzipped(xlsx({"a": [["x"]]})), "xl/sharedStrings.xml": b"<sst>" + zeros(b" ")}),
        "unpacks to more than 64,000,000 bytes",
    ),
    "a zip bomb": (".zip", lambda: packed({"a.csv": zeros()}), "unpacks to more than 64,000,000 bytes"),
    "a zip of several tables": (
        ".zip",
        packed({"a.csv": "x", "b.csv": "y"}),
        r"got 'a.csv', 'b.csv'; name one: --member",
    ),
    "a zip whose names hold line ends": (".zip", packed({"a\nb.csv": "x", "b.csv": "y"}), r"got 'a\\nb.csv', 'b.csv'"),
    "a bzip2 bomb": (".csv.bz2", lambda: bz2.compress(zeros()), "the bzip2 file unpacks to more than"),
    "an xz bomb": (".csv.xz", lambda: lzma.compress(zeros(), preset=0), "the xz file unpacks to more than"),
    "a Zstandard bomb": (
        ".csv.zst",
        lambda: pa.Codec("zstd").compress(zeros(), asbytes=True),
        "the Zstandard file unpacks",
    ),
    "bzip2 cut short": (".csv.bz2", bz2.compress(b"a,b\n1,2\n")[:-4], "the bzip2 file ends too early"),
    "xz with a wrong byte": (".csv.xz", lzma.compress(b"a,b\n1,2\n")[:20] + bytes(20), "xz file"),
    "JSON nested 100,000 deep": (".json", b'[{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}]", "nested too deep"),
    "JSON with a list in a record": (
        ".json",
        b'[{"a": [1, 2]}]',
        r"line 1, .*'?a'?.*: expected a plain value, got a list",
    ),
    "JSON cut short": (".jsonl", b'{"a": 1}\n{"a": ', "line 2: this is no sound JSON"),
    "JSON that is a number": (".json", b"5", "expected a list of records, got a text or a number"),
    "JSON without records": (".json", b"[]", "there are no records"),
    "JSON with an infinite number": (".json", b'[{"a": 1}, {"a": Infinity}]', "infinite"),
    "an Arrow file cut short": (".feather", b"ARROW1\0\0" + bytes(50), "not a whole Arrow file"),
    "an Arrow file with a name that is no text": (
        ".feather",
        BINARIES["Feather"].data.replace(b"age", b"\xffge"),
        "not a whole Arrow file",
    ),
    "a SQLite file that is none": (".sqlite", b"SQLite format 3\0" + bytes(200), "SQLite says"),
    "text in the name of a workbook": (".xlsx", b"a,b\n1,2\n", r"file\.xlsx: expected Excel, got text; if it is CSV, "),
    "text in the name of Parquet": (
        ".parquet",
        "größe;y\n1;2\n".encode("cp1252"),
        r"expected Parquet, got text; .*format='csv'",
    ),
    "an old workbook": (".xls", b"\xd0\xcf\x11\xe0", "old Excel files are not read; save it as .xlsx or CSV"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_raises_one_line(name: str, tmp_path: Path) -> None:
    ending, data, message = BAD[name]
    (tmp_path / f"file{ending}").write_bytes(data if isinstance(data, bytes) else data())
    with pytest.raises(ReadError, match=message) as caught:
        crake.read(tmp_path / f"file{ending}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"\xef\xbb\xbf \n<!DOCTYPE html>\n<html>\n", "a web page (HTML): was an error page saved in its place?"),
        (b"<HTML><body>a,b</body></HTML>\n", "a web page (HTML)"),
        (BINARIES["Excel with two sheets"].data, "a zip archive or a workbook; rename it, or name its format"),
        (b"SQLite format 3\0" + bytes(600), "a SQLite database; rename it"),
        (b"%PDF-1.7\n", "a PDF document, in which crake finds no table"),
    ],
)
def test_other_content_in_a_file_called_csv(data: bytes, found: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    with pytest.raises(ReadError) as caught:
        crake.read(path)
    assert str(caught.value).startswith(f"t.csv: expected CSV, got {found}")


@pytest.mark.parametrize("name", ["PAR1", "ARROW1"])
def test_the_first_column_may_be_called_as_other_files_begin(name: str, tmp_path: Path) -> None:
    text = f"{name},y\n1.5,no\n2.5,yes\n"
    (tmp_path / "t.csv").write_text(text)
    assert crake.read(tmp_path / "t.csv").schema.names == (name, "y")
    assert format_of_content(text.encode()) is None


def test_max_bytes_allows_more_and_less(tmp_path: Path) -> None:
    text = b"a,b\n" + b"1,2\n" * 1000
    for ending, data in {
        ".zip": packed({"a.csv": text}),
        ".csv.bz2": bz2.compress(text),
        ".csv.gz": gzip.compress(text),
    }.items():
        path = tmp_path / f"file{ending}"
        path.write_bytes(data)
        assert len(crake.read(path, max_bytes=5000)) == 1000
        with pytest.raises(
            ReadError,
            match=r"^[^:]*: the archive unpacks to more than 1,000 bytes|file unpacks to more than 1,000 bytes",
        ):
            crake.read(path, max_bytes=1000)


@pytest.mark.parametrize(
    "query",
    [
        "delete from t",
        "attach 'x' as y",
        "pragma writable_schema = on",
        "select load_extension('x')",
        "vacuum into 'x'",
    ],
)
def test_sqlite_only_reads(query: str, tmp_path: Path) -> None:
    path = tmp_path / "file.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("create table t (a)")
    connection.execute("insert into t values (1)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(ReadError, match=r"SQLite says|gives rows"):
        crake.read(path, query=query)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["file.sqlite"]


def test_sqlite_names_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    connection = sqlite3.connect(path)
    connection.execute("create table a (x)")
    connection.execute("create table b (x blob)")
    connection.execute("insert into b values (x'00')")
    connection.commit()
    connection.close()
    with pytest.raises(ReadError, match="expected one table, got 2: 'a', 'b'; name one with --table"):
        crake.read(path)
    with pytest.raises(ReadError, match="there is no table 'c'; tables: 'a', 'b'"):
        crake.read(path, table="c")
    with pytest.raises(ReadError, match="no rows"):
        crake.read(path, table="a")
    with pytest.raises(ReadError, match="got bytes; leave the column out"):
        crake.read(path, table="b")


def test_an_untrusted_workbook_is_read_in_a_child(tmp_path: Path) -> None:
    (tmp_path / "file.xlsx").write_bytes(xlsx({"a": [["x", "y"], [1, "b"], [2, "b"]]}))
    table = crake.read(tmp_path / "file.xlsx", "y", untrusted=True)
    assert len(table) == 2
    assert str(table.schema["x"].kind) == "numeric"


def test_a_sheet_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file.xlsx").write_bytes(xlsx({"a": [["x"], [1]], "b": []}))
    with pytest.raises(ReadError, match="there is no sheet 'c'; sheets: 'a', 'b'"):
        crake.read(tmp_path / "file.xlsx", sheet="c")
    (tmp_path / "file.json").write_text(json.dumps([{"a": 1}]))
    with pytest.raises(ReadError, match="sheet= is for Excel and OpenDocument files, and this is JSON"):
        crake.read(tmp_path / "file.json", sheet="a")


def test_odd_numbers_of_a_workbook_are_passed_over(tmp_path: Path) -> None:
    parts = unzipped(xlsx({"a": [["x"], [1], [2]]}))
    parts["xl/styles.xml"] = f'<styleSheet {MAIN}><cellXfs><xf numFmtId="1:4"/></cellXfs></styleSheet>'
    (tmp_path / "file.xlsx").write_bytes(packed(parts))
    assert crake.read(tmp_path / "file.xlsx").column("x").tolist() == [1.0, 2.0]


def test_a_member_without_a_name(tmp_path: Path) -> None:
    data = packed({"a": "x"}).replace(b"\x01\x00\x00\x00a", b"\x01\x00\x00\x00\0")
    (tmp_path / "file.zip").write_bytes(data[:26] + b"\0" + data[27:])
    with pytest.raises(ReadError, match=r"file\.zip: "):
        crake.read(tmp_path / "file.zip")


def test_a_sqlite_text_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "file.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("create table t (a)")
    connection.execute("insert into t values (cast(x'ff41' as text))")
    connection.commit()
    connection.close()
    with pytest.raises(ReadError, match=r"file\.sqlite: "):
        crake.read(path)


FILES = {**BINARIES, **{name: case for name, case in TEXTS.items() if isinstance(case.content, str)}}


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files_raise_errors_of_crake_only(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    for case in FILES.values():
        data = bytearray(case.data)
        if case.ending in (".xlsx", ".ods"):
            parts = unzipped(bytes(data))
            chosen = chance.choice(list(parts))
            parts[chosen] = bytes(damaged(bytearray(parts[chosen]), chance))  # type: ignore[arg-type]
            data = bytearray(packed(parts))
        path = tmp_path / f"file{case.ending}"
        path.write_bytes(bytes(data if case.ending in (".xlsx", ".ods") else damaged(data, chance)))
        with suppress(CrakeError):
            crake.read(path, **case.options)


def damaged(data: bytearray, chance: random.Random) -> bytearray:
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(data)) if data else 0
        match chance.randrange(3):
            case 0:
                data[place : place + 1] = bytes([chance.choice(b"0123456789<>/= abcAZ&;:,[]{}\x00\xff\n'\"")])
            case 1:
                del data[place : place + chance.randrange(1, 20)]
            case _:
                data[place:place] = data[max(0, place - 30) : place]
    return data
