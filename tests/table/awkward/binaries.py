"""Awkward files that are no text: workbooks, JSON, Arrow, SQLite, packed files."""

from __future__ import annotations

import bz2
import io
import json
import lzma
import sqlite3
import tempfile
from pathlib import Path

import pyarrow as pa
from tests.table.awkward.case import Case
from tests.table.awkward.workbooks import Raw, date, ods, ods_row, packed, xlsx

PEOPLE = "age,sex\n31,f\n47,m\n29,f\n"
KINDS = {"age": "numeric", "sex": "nominal"}
SHEET = [["age", "sex"], [31, "f"], [47, "m"], [29, "f"]]
RECORDS = [{"age": 31, "sex": "f"}, {"age": 47, "sex": "m"}, {"age": None, "sex": "f"}]


def feather() -> bytes:
    sink = io.BytesIO()
    table = pa.table({"age": [31, 47, 29], "sex": ["f", "m", "f"]})
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def sqlite() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.sqlite"
        connection = sqlite3.connect(path)
        connection.execute("create table people (age integer, sex text)")
        connection.executemany("insert into people values (?, ?)", [(31, "f"), (47, "m"), (None, "f")])
        connection.execute("create table empty (x)")
        connection.commit()
        connection.close()
        return path.read_bytes()


BINARIES: dict[str, Case] = {
    "Excel with two sheets": Case(
        xlsx({"people": SHEET, "more": [["x"], [1]]}),
        KINDS,
        3,
        ("sheet 'people' of 'people', 'more' is read (--sheet",),
        {"age": [31.0, 47.0, 29.0]},
        ".xlsx",
    ),
    "Excel, the second sheet by name": Case(
        xlsx({"more": [["x"], [1], [2]], "people": SHEET}), KINDS, 3, ending=".xlsx", options={"sheet": "people"}
    ),
    "Excel, the second sheet by number": Case(
        xlsx({"more": [["x"], [1], [2]], "people": SHEET}), KINDS, 3, ending=".xlsx", options={"sheet": "2"}
    ),
    "Excel without a header": Case(
        xlsx({"a": SHEET[1:]}),
        {"column_1": "numeric", "column_2": "nominal"},
        3,
        ("no header: the first row looks like data",),
        ending=".xlsx",
    ),
    "Excel: formulas, errors, merged cells, an empty header": Case(
        xlsx(
            {
                "a": [
                    ["x", None, "ok"],
                    [1.5, "b", True],
                    [],
                    [Raw('<c r="{place}"><f>A2*2</f><v>3</v></c>'), "c", False],
                    [Raw('<c r="{place}"><f>A2*3</f></c>'), "b", True],
                    [Raw('<c r="{place}" t="e"><v>#N/A</v></c>'), "b", True],
                ]
            },
            '<mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells>',
        ),
        {"x": "numeric", "column_2": "nominal", "ok": "nominal"},
        4,
        ("1 formula without a stored value", "1 cell with an error", "merged cells (A1:B1)", "column 2 has no name"),
        {"x": [1.5, 3.0, None, None], "ok": ["true", "false", "true", "true"]},
        ".xlsx",
    ),
    "ODS with two sheets, repeated and empty cells": Case(
        ods(
            {
                "people": ods_row("age", "sex")
                + ods_row(31, "f")
                + ods_row(47, "m", repeated=2)
                + ods_row(None, repeated=1_048_000),
                "more": ods_row("x"),
            }
        ),
        KINDS,
        3,
        ("sheet 'people' of 'people', 'more' is read",),
        {"age": [31.0, 47.0, 47.0]},
        ".ods",
    ),
    "ODS with a million rows of a thousand empty cells": Case(
        ods(
            {
                "a": ods_row("age", "sex")
                + ods_row(31, "f")
                + ods_row(47, "m")
                + ods_row(Raw('<table:table-cell table:number-columns-repeated="1000"/>'), repeated=1_048_573)
            }
        ),
        KINDS,
        2,
        ending=".ods",
    ),
    "Excel with many cells that hold a style and no value": Case(
        xlsx({"a": [*SHEET[:3], *[[Raw('<c r="{place}" s="1"/>')] * 1000] * 40]}), KINDS, 2, ending=".xlsx"
    ),
    "JSON records": Case(json.dumps(RECORDS), KINDS, 3, (), {"age": [31.0, 47.0, None]}, ".json"),
    "JSON lines": Case(
        "\n".join(map(json.dumps, [*RECORDS, {"sex": "m", "city": "Graz"}])),
        {**KINDS, "city": "nominal"},
        4,
        (),
        {"city": [None, None, None, "Graz"]},
        ".jsonl",
    ),
    "JSON with one level inside": Case(
        json.dumps([{"id": 1, "at": {"x": 0.5, "y": True}}, {"id": 2, "at": {"x": 1.5, "y": False}}]),
        {"id": "numeric", "at.x": "numeric", "at.y": "nominal"},
        2,
        ("flattened one level: at",),
        {"at.y": ["true", "false"]},
        ".json",
    ),
    "JSON columns": Case('{"age": [31, 47], "sex": ["f", "m"]}', KINDS, 2, ending=".json"),
    "JSON with its records under a key": Case(json.dumps({"count": 3, "rows": RECORDS}), KINDS, 3, ending=".json"),
    "Feather": Case(feather(), KINDS, 3, (), {"sex": ["f", "m", "f"]}, ".feather"),
    "SQLite, a table": Case(
        sqlite(), KINDS, 3, (), {"age": [31.0, 47.0, None]}, ".sqlite", options={"table": "people"}
    ),
    "SQLite, a query": Case(
        sqlite(), {"n": "numeric"}, 1, ending=".db", options={"query": "select count(*) as n from people"}
    ),
    "bzip2": Case(bz2.compress(PEOPLE.encode()), KINDS, 3, ending=".csv.bz2"),
    "xz": Case(lzma.compress(PEOPLE.encode()), KINDS, 3, ending=".csv.xz"),
    "Zstandard": Case(pa.Codec("zstd").compress(PEOPLE.encode(), asbytes=True), KINDS, 3, ending=".csv.zst"),
    "zip with one table": Case(packed({"people.csv": PEOPLE, "__MACOSX/._people.csv": "x"}), KINDS, 3, ending=".zip"),
    "zip with several, one of them named": Case(
        packed({"a.csv": "x\n1\n2\n", "b/people.jsonl": json.dumps(RECORDS[0])}),
        KINDS,
        1,
        ending=".zip",
        options={"member": "b/people.jsonl"},
    ),
    "Excel with dates": Case(
        xlsx({"a": [["day", "at"], [date(45352), date(45352.5, 2)], [date(45353), date(45353.25, 2)]]}),
        {"day": "numeric", "at": "numeric"},
        2,
        ("column 'day' holds dates, year first", "column 'at' holds dates"),
        {"day": [19783.0, 19784.0], "at": [19783.5, 19784.25]},
        ".xlsx",
    ),
}
