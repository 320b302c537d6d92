"""ARFF as WEKA writes it, and as it should not be written."""

from __future__ import annotations

import csv
import gzip
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crake.errors import ColumnNotFound, CrakeError, ReadError, SchemaError, TargetNotFound
from crake.table.dates import DAY
from crake.table.formats.arff.reader import read_arff
from crake.table.schema import Kind
from crake.table.table import Table


def arff(rows: str, *attributes: str) -> bytes:
    return "\n".join(["@relation r", *(f"@attribute {a}" for a in attributes), "@data", rows]).encode()


def cells(table: Table, name: str) -> list[object]:
    column = table.schema[name]
    array = table.column(name).tolist()
    return [None if code < 0 else column.levels[code] for code in array] if column.kind is Kind.NOMINAL else array


def test_declared_levels_keep_their_order_and_those_without_rows() -> None:
    table = read_arff(arff("b\n'quoted, c'", """x { b, a , 'quoted, c', "d" }"""))
    assert table.schema["x"].levels == ("b", "a", "quoted, c", "d")
    assert table.schema["x"].declared
    assert cells(table, "x") == ["b", "quoted, c"]


def test_level_names_are_exact_text() -> None:
    table = read_arff(arff("01234\n1e5", "x {01234, 1e5, 1.0}"))
    assert table.schema["x"].levels == ("01234", "1e5", "1.0")


def test_keywords_in_any_case_comments_and_blank_lines() -> None:
    text = (
        b"% title\n\n@RELATION r\n@Attribute a REAL % inches\n@ATTRIBUTE b Integer\n\n@DATA\n% note\n1,2 % end\n\n3,4\n"
    )
    table = read_arff(text)
    assert cells(table, "a") == [1.0, 3.0]
    assert cells(table, "b") == [2.0, 4.0]


def test_spaces_tabs_and_commas_separate() -> None:
    table = read_arff(arff("1 a\n2\tb\n3 , a\n 4,b ", "n numeric", "x {a b}"))
    assert cells(table, "n") == [1.0, 2.0, 3.0, 4.0]
    assert cells(table, "x") == ["a", "b", "a", "b"]


def test_levels_may_touch_the_name() -> None:
    assert read_arff(arff("a", "x{a,b}")).schema["x"].levels == ("a", "b")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_ends_of_lines(end: str) -> None:
    assert len(read_arff(arff("1\n2\n", "n numeric").decode().replace("\n", end).encode())) == 2


def test_bare_question_mark_is_missing_quoted_is_a_value() -> None:
    table = read_arff(arff("?,?,?\n'?','?',1", "x {'?', a}", "s string", "n numeric"))
    assert cells(table, "x") == [None, "?"]
    assert cells(table, "s") == [None, "?"]
    assert np.isnan(table.column("n")).tolist() == [True, False]


@pytest.mark.parametrize(
    ("word", "text"),
    [
        (r"'it\'s'", "it's"),
        (r'"a \"b\" c"', 'a "b" c'),
        (r"'a\\b'", "a\\b"),
        (r"'a\nb\tc'", "a\nb\tc"),
        (r"'\u00e9 \uD83D\uDE00'", "é 😀"),
        (r"'5\% 7%'", "5% 7%"),
        (r"C:\temp", r"C:\temp"),
        ("''", ""),
        ("'{a, b}'", "{a, b}"),
        ("\u00a0x", "\u00a0x"),
    ],
)
def test_quotes_and_escapes(word: str, text: str) -> None:
    assert cells(read_arff(arff(word, "s string")), "s") == [text]


def test_dates_are_days_since_1970() -> None:
    table = read_arff(
        arff(
            '1970-01-02T00:00:01,"2001/04/03 12:12:12.5",19700103\n?,?,?',
            "a date",
            'b date "yyyy/MM/dd HH:mm:ss.SSS"',
            "c DATE yyyyMMdd",
        )
    )
    assert table.column("a")[0] == 86_401_000 / DAY
    assert table.column("b")[0] == 986_299_932_005 / DAY  # date -u -d '2001-04-03 12:12:12' +%s
    assert table.column("c")[0] == 2
    assert np.isnan([table.column(name)[1] for name in "abc"]).all()
    assert all(table.schema[name].is_date for name in "abc")
    assert table.notes[0] == "column 'a' holds dates: learners see days since 1970"


def test_sparse_rows_mean_zero_and_the_first_level() -> None:
    table = read_arff(arff("{1 b, 3 'x y'}\n{}\n{0 ?,2 7}", "n numeric", "x {a,b}", "m numeric", "s string", "d date"))
    assert np.array_equal(table.column("n"), [0, 0, np.nan], equal_nan=True)
    assert cells(table, "x") == ["b", "a", "a"]
    assert cells(table, "m") == [0, 0, 7]
    assert cells(table, "s") == ["x y", None, None]
    assert cells(table, "d") == [0, 0, 0]


def test_weights_of_rows() -> None:
    table = read_arff(arff("1,2, {0.5}\n3,4\n{1 5}, {3}", "a numeric", "b numeric"))
    assert table.weights is not None
    assert table.weights.tolist() == [0.5, 1.0, 3.0]
    assert cells(table, "b") == [2, 4, 5]
    assert read_arff(arff("1", "a numeric")).weights is None


def test_weights_of_attributes_are_noted() -> None:
    table = read_arff(arff("1,a", "n numeric {0.5}", "x {a,b} {2}"))
    assert table.schema["x"].levels == ("a", "b")
    assert table.notes == ("weights of attributes are not used: 'n', 'x'",)


def test_nan_is_missing_as_in_weka() -> None:
    assert np.isnan(read_arff(arff("NaN\n1", "n numeric")).column("n")).tolist() == [True, False]


def test_overrides_read_the_exact_text() -> None:
    data = arff("007,5,a,x\n10,?,b,y\n007,6,a,z", "id numeric", "n {5,6}", "c {b,a}", "left numeric")
    table = read_arff(data, nominal=["id"], numeric=["n"], text=["c"], ignore=["left"], target="id")
    assert table.schema.classes == ("007", "10")
    assert np.array_equal(table.column("n"), [5, np.nan, 6], equal_nan=True)
    assert cells(table, "c") == ["a", "b", "a"]
    assert table.schema["left"].kind is Kind.IGNORED


def test_overrides_are_refused_by_name() -> None:
    data = arff("1,a", "age numeric", "x {a}")
    with pytest.raises(TargetNotFound, match=r"no column 'agee' in table\. Did you mean 'age'"):
        read_arff(data, target="agee")
    with pytest.raises(ColumnNotFound, match="'y'"):
        read_arff(data, nominal=["y"])
    with pytest.raises(SchemaError, match="'age' is asked for as nominal and as ignored"):
        read_arff(data, nominal=["age"], ignore=["age"])
    with pytest.raises(SchemaError, match="both the target and ignored"):
        read_arff(data, target="x", ignore=["x"])
    with pytest.raises(ReadError, match="line 5, column 'x': 'a' is not a finite number"):
        read_arff(data, numeric=["x"])


def test_names_are_made_different_by_the_rule_for_all_files() -> None:
    table = read_arff(arff("1,2,3", "a numeric", "a numeric", "'' numeric"))
    assert table.schema.names == ("a", "a_2", "column_3")
    assert len(table.notes) == 2


@pytest.mark.parametrize(
    ("rows", "attributes", "message"),
    [
        ("1\n2,3", ["n numeric"], "table, line 5: expected 1 fields, found 2"),
        ("1", ["n numeric", "m numeric"], "line 5: expected 2 fields, found 1"),
        ("new york,1", ["s string", "m numeric"], "line 5: expected 2 fields, found 3; a value with a space"),
        ("1,,2", ["n numeric", "m numeric"], "line 5: a field is empty"),
        (",1,2", ["n numeric", "m numeric"], "line 5: a field is empty"),
        ("yes\nyse", ["x {yes,no}"], "line 5, column 'x': 'yse' is not a declared level. Did you mean 'yes'"),
        ("inf", ["n numeric"], "line 4, column 'n': 'inf' is not a finite number"),
        ("-Infinity", ["n numeric"], "is not a finite number"),
        ("1e999", ["n numeric"], "column 'n': 1e999 is beyond"),
        ("1\n1_0", ["n numeric"], "line 5, column 'n': '1_0' is not a finite number"),
        ("\u0661", ["n numeric"], "is not a finite number"),
        ("five", ["n numeric"], "'five' is not a finite number"),
        ("'a", ["s string"], "line 4: the quote ' at character 1 is never closed"),
        ("don't", ["s string"], "a quote at character 4 within an unquoted value"),
        ("'a'b", ["s string"], "follows a value without a comma"),
        ("50%", ["s string"], "a % at character 3 within an unquoted value"),
        (r"'\u12'", ["s string"], "four hexadecimal digits"),
        (r"'\ud83d'", ["s string"], "half a character"),
        ("{0 1", ["n numeric"], "line 4: a sparse row is not closed"),
        ("{0}", ["n numeric"], "'0' has no partner"),
        ("{1 5}", ["n numeric"], "'1' is not the index of an attribute; expected 0 to 0"),
        ("{-1 5}", ["n numeric"], "'-1' is not the index"),
        ("{0 5, 0 6}", ["n numeric"], "index 0 is given twice"),
        ("a}", ["s string"], "a } without a {"),
        ("1, {-2}", ["n numeric"], "the weight '-2'"),
        ("1, {nan}", ["n numeric"], "the weight 'nan'"),
        ("1, {2} 3", ["n numeric"], "expected one weight"),
        ("2020-02-30T00:00:00", ["d date"], "line 4, column 'd': '2020-02-30T00:00:00' is not a date"),
        ("yesterday", ["d date"], "not a date of the form yyyy-MM-dd'T'HH:mm:ss"),
        ("1", ["d date 'yyyy EEE'"], "the date format has 'EEE'"),
        ("1", ["d date 'yyyy yyyy'"], "names a field twice"),
        ("1", ["r relational"], "line 2: attribute 'r' is relational"),
        ("1", ["n nummeric"], "Did you mean 'numeric'"),
        ("1", ["sepal length numeric"], "'length' is not a type.*needs quotes"),
        ("1", ["n numeric 5"], "expected nothing after n numeric, found '5'"),
        ("1", ["n"], "line 2: an attribute needs a name and a type"),
        ("a", ["x {a,b"], "the levels are not closed"),
        ("a", ["x {a,b,a}"], "the level 'a' is declared 2 times"),
        ("a", ["x {a,,b}"], "a field is empty"),
        ("", ["n numeric"], "table: no row follows @data"),
        ("% nothing\n", ["n numeric"], "no row follows @data"),
        ("1", [], "no @attribute stands before @data"),
    ],
)
def test_faults_are_named_with_their_place(rows: str, attributes: list[str], message: str) -> None:
    with pytest.raises(ReadError, match=message.replace("{", r"\{")):
        read_arff(arff(rows, *attributes))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no @data line"),
        (b"@relation r\n@attribute n numeric\n1\n", "line 3: expected @relation, @attribute or @data, found '1'"),
        (b"a,b\n1,2\n", "line 1: expected @relation"),
        (b"@relation r\n@attribute n numeric\n@data 1\n2", "expected nothing after @data"),
        (b"@relation r\n@attribute n string\n@data\na\x00b", "line 4: a NUL byte"),
        ("@relation r\n@attribute n string\n@data\né".encode("latin-1"), "line 4: byte 0xe9 is not UTF-8.*--encoding"),
        (b"\x1f\x8b\x08garbage", "gzip"),
    ],
)
def test_what_is_no_arff_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        read_arff(data)


def test_encodings() -> None:
    text = "@relation r\n@attribute s string\n@data\né"
    for data in (text.encode("utf-8-sig"), text.encode("utf-16"), text.encode("utf-32")):
        assert cells(read_arff(data), "s") == ["é"]
    assert cells(read_arff(text.encode("latin-1"), encoding="latin-1"), "s") == ["é"]
    for unknown in ("klingon", "hex"):
        with pytest.raises(ReadError, match=f"expected an encoding among utf-8, .* got '{unknown}'"):
            read_arff(text.encode(), encoding=unknown)


@pytest.mark.parametrize(
    "line",
    ["{" + "'," * 400, "'" * 100_001, "a" * 100_000 + "'", "'" + "\\" * 100_001, "a " * 100_000 + "{", "{" * 100_000],
)
def test_hostile_lines_are_refused_at_once(line: str) -> None:
    start = time.process_time()
    with pytest.raises(ReadError):
        read_arff(arff(line, "a numeric", "b string"))
    with pytest.raises(ReadError):
        read_arff(arff("1", f"a {line}"))
    assert time.process_time() - start < 1


def test_wide_tables_are_read_and_the_widest_refused() -> None:
    wide = arff(",".join(["1"] * 20_000), *(f"a{j} numeric" for j in range(20_000)))
    assert len(read_arff(wide).schema.columns) == 20_000
    with pytest.raises(ReadError, match="no more than 100,000"):
        read_arff(arff("1", *("a numeric" for _ in range(100_001))))


def test_a_field_of_fifty_megabytes_is_refused() -> None:
    with pytest.raises(ReadError, match="line 4, column 's': 50,000,000 characters in one field"):
        read_arff(arff("a" * 50_000_000, "s string"))


def test_blocks_join_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "\n".join(f"{i},l{i % 3},'t {i}'" for i in range(10))
    data = arff(rows, "n numeric", "x {l0,l1,l2}", "s string")
    whole = read_arff(data)
    monkeypatch.setattr("crake.table.formats.arff.rows.CELLS_PER_BLOCK", 12)
    parts = read_arff(data)
    assert [cells(parts, name) for name in "nxs"] == [cells(whole, name) for name in "nxs"]
    with pytest.raises(ReadError, match="line 15, column 'x'"):
        read_arff(data.replace(b"9,l0", b"9,l9"))


def test_max_bytes(tmp_path: Path) -> None:
    data = arff("1\n" * 1000, "n numeric")
    packed = tmp_path / "n.arff.gz"
    packed.write_bytes(gzip.compress(data))
    assert len(read_arff(packed)) == 1000
    with pytest.raises(ReadError, match=r"n\.arff\.gz: .*more than 1,000 bytes"):
        read_arff(packed, max_bytes=1000)
    with pytest.raises(ReadError, match="max_bytes= allows 1,000"):
        read_arff(data, max_bytes=1000)
    with pytest.raises(ReadError, match="cannot be read"):
        read_arff(tmp_path / "none.arff")


PIECES = st.sampled_from(
    [
        *("@relation r\n", "@attribute a numeric\n", "@attribute b {x, 'y z'}\n", "@attribute d date\n", "@data\n"),
        *("1", "x", "?", ",", " ", "\n", "'y z'", "'", '"', "\\", "{", "}", "{0 1}", ", {0.5}", "%", "\r", "@"),
        *("\u00e9", "1e999", "1970-01-01T00:00:00", "\\u00", "\0"),
    ]
)


@given(st.one_of(st.lists(PIECES, max_size=40).map("".join).map(str.encode), st.binary(max_size=60)))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_a_table_or_a_named_error(data: bytes) -> None:
    header = b"@relation r\n@attribute a numeric\n@attribute b {x, 'y z'}\n@data\n"
    for text in (data, header + data):
        with suppress(CrakeError):
            assert len(read_arff(text)) > 0


SETS = [
    "breast-cancer",
    "car",
    "contact-lenses",
    "credit-g",
    "diabetes",
    "glass",
    "hypothyroid",
    "iris",
    "labor",
    "vote",
    "weather.nominal",
    "weather.numeric",
]


@pytest.mark.parametrize("name", SETS)
def test_rows_and_classes_are_those_weka_saw(shared: Path, name: str) -> None:
    table = read_arff(shared / "data" / "arff" / f"{name}.arff")
    table = table.with_target(table.schema.names[-1])
    with (shared / "reference" / "weka" / "folds" / f"{name}.csv").open() as file:
        expected = [row["class"] for row in csv.DictReader(file)]
    assert table.labels(table.target) == expected


def test_glass_keeps_its_empty_class(shared: Path) -> None:
    table = read_arff(shared / "data" / "arff" / "glass.arff", target="Type")
    assert len(table.schema.classes) == 7
    assert len(np.unique(table.target)) == 6


@pytest.mark.parametrize(
    ("name", "rows", "columns", "seconds"),
    [("arff/supermarket.arff", 4627, 217, 1.5), ("arff/adult-train.arff.gz", 32561, 15, 2.0)],
)
def test_large_files_are_read_fast(shared: Path, name: str, rows: int, columns: int, seconds: float) -> None:
    start = time.process_time()
    table = read_arff(shared / "data" / name)
    assert time.process_time() - start < seconds
    assert (len(table), len(table.schema.columns)) == (rows, columns)


def test_running_text(shared: Path) -> None:
    table = read_arff(shared / "data" / "text" / "ReutersCorn-train.arff.gz", target="class-att")
    first = table.column("Text")[0]
    assert first.startswith("BAHIA COCOA REVIEW Showers continued throughout the week in\nthe Bahia")
    assert table.schema["Text"].kind is Kind.TEXT
    assert np.bincount(table.target).tolist() == [1509, 45]


@pytest.mark.parametrize("declared", ["INTEGER [0,9]", "real [0, 1]", "numeric (-5,5]", "integer [0,9] {0.5}"])
def test_the_range_of_a_number_is_read_over(declared: str) -> None:
    table = read_arff(f"@relation r\n@attribute legs {declared}\n@attribute class {{a,b}}\n@data\n4,a\n12,b\n".encode())
    assert table.column("legs").tolist() == [4, 12]


def test_something_else_after_a_type_is_an_error() -> None:
    with pytest.raises(ReadError, match="expected nothing after legs integer"):
        read_arff(b"@relation r\n@attribute legs integer [0,9\n@attribute class {a,b}\n@data\n4,a\n")
