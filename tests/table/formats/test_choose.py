"""The registry of formats: by name, ending, content, address and object; packed files in front of any of them."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import crake
from crake.errors import ReadError
from crake.table.formats import FORMATS, choose
from crake.table.formats.format import Format
from crake.table.formats.frame.reader import open_frame
from crake.table.read_options import FORMAT_OPTIONS, ReadOptions

CSV = b"a,y\n1,x\n2,z\n"
ARFF = b"@relation r\n@attribute a numeric\n@attribute y {x,z}\n@data\n1,x\n2,z\n"


@dataclass
class Remote:
    """An object of a library that a format accepts."""

    rows: dict[str, list[Any]]


def _open_remote(source: Any, name: str, options: ReadOptions) -> crake.Table:
    rows = source.rows if isinstance(source, Remote) else {"a": [1.5, 2.5], "y": ["x", "z"]}
    return open_frame(pa.table(rows), name, options)


@pytest.fixture
def remote(monkeypatch: pytest.MonkeyPatch) -> Format:
    remote = Format(
        "remote", "Remote", _open_remote, schemes=("remote",), accepts=lambda source: isinstance(source, Remote)
    )
    monkeypatch.setattr(choose, "FORMATS", (remote, *FORMATS))
    return remote


def test_a_format_by_name_for_any_ending(tmp_path: Path) -> None:
    for name, content in (("csv", CSV), ("arff", ARFF), ("csv", gzip.compress(CSV)), ("arff", gzip.compress(ARFF))):
        path = tmp_path / "rows.log"
        path.write_bytes(content)
        with pytest.raises(ReadError, match=r"the ending '\.log' is not known.* format='csv'"):
            crake.read(path)
        table = crake.read(path, "y", format=name)
        assert (table.schema.classes, table.column("a").tolist()) == (("x", "z"), [1, 2])
    (tmp_path / "rows.csv").write_bytes(ARFF)
    assert len(crake.read(tmp_path / "rows.csv", format="arff")) == 2


def test_a_format_by_name_for_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for content, form in ((ARFF, "arff"), (gzip.compress(CSV), "csv"), (gzip.compress(ARFF), None), (CSV, None)):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        assert crake.read("-", "y", format=form).schema.classes == ("x", "z")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(CSV)))
    with pytest.raises(ReadError, match="DuckDB is read from a file, not from bytes"):
        crake.read("-", format="duckdb")


def test_names_of_formats_are_checked(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(CSV)
    names = ", ".join(each.name for each in FORMATS if each.endings)
    with pytest.raises(ReadError, match=f"expected a format among {names}, got 'xls'"):
        crake.read(tmp_path / "rows.csv", format="xls")
    with pytest.raises(ReadError, match="format= is for files, and this is a Table"):
        crake.read(crake.read("golf"), format="csv")


def test_formats_by_address_and_by_object(remote: Format) -> None:
    assert crake.read("remote://host/rows", "y").name == "remote://host/rows"
    assert crake.read(Remote({"a": [1, 2], "y": ["u", "v"]}), "y").schema.classes == ("u", "v")
    with pytest.raises(ReadError, match="delimiter= is for CSV files, and this is Remote"):
        crake.read("remote://host/rows", delimiter=";")
    with pytest.raises(ReadError, match="in_memory=False is for files that can be scanned, and this is Remote"):
        crake.read("remote://host/rows", in_memory=False)
    with pytest.raises(ReadError, match="there is no"):
        crake.read("other://host/rows")


def test_every_option_belongs_to_a_format_and_every_format_can_be_told_apart() -> None:
    assert {option for each in FORMATS for option in each.options} == FORMAT_OPTIONS
    endings = [ending for each in FORMATS for ending in each.endings]
    assert len(set(endings)) == len(endings)
    assert len({each.name for each in FORMATS}) == len(FORMATS)
    assert FORMATS[-1].accepts is not None
    assert FORMATS[-1].accepts(object())


def test_the_registry_loads_no_reader() -> None:
    heavy = "{'pyarrow', 'duckdb', 'narwhals', 'pandas', 'polars', 'numba'}"
    code = f"import sys, crake.table.read; print(*{heavy} & set(sys.modules))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.stdout.strip(), ended.returncode) == ("", 0)
