"""CSV files that are scanned: the kinds, levels, notes, faults and models of the same file loaded."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import crake
from crake.errors import CrakeError, DataError, ReadError
from crake.table.formats.csv import chunks as csv_chunks
from crake.table.sources import levels as levels_met


def both(path: Path, target: str | None = None, **options: Any) -> tuple[crake.Table, crake.Table]:
    return tuple(crake.read(path, target, in_memory=held, **options) for held in (True, False))  # type: ignore[return-value]


def csv(tmp_path: Path, text: str, name: str = "t.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def rows(count: int) -> str:
    lines = ["zip,age,note,code,grade,y"]
    for i in range(count):
        note = f'"He said ""{i % 7}"", and left"' if i % 3 else "?"
        age = "NA" if i % 11 == 0 else f"{i % 80}.{i % 10}"
        lines.append(f"0{i % 9},{age},{note},{i % 13},{'x' if i == count - 2 else i % 4},{i % 3}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("chunk", [1500, 20_000, 8_000_000])
def test_the_same_table_and_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(csv_chunks, "CHUNK_BYTES", chunk)
    held, scan = both(csv(tmp_path, rows(5000)), "y", nominal=["code"])
    assert (held.in_memory, scan.in_memory) == (True, False)
    assert (len(scan), scan.name) == (5000, "t.csv")
    assert [(c.name, c.kind) for c in scan.schema.columns] == [(c.name, c.kind) for c in held.schema.columns]
    assert [note for note in held.notes if note not in scan.notes] == []
    for learner in (crake.NaiveBayesClassifier, crake.OneRuleClassifier):
        one, other = learner().fit(held).statistics_, learner().fit(scan).statistics_
        assert one.schema == other.schema
        assert one.value_counts.counts.tobytes() == other.value_counts.counts.tobytes()
        if "class_moments" in one.parts:
            assert one.class_moments.moments.tobytes() == other.class_moments.moments.tobytes()
    assert one.schema["zip"].levels[:2] == ("00", "01")
    assert one.schema["code"].levels[:2] == (0, 1)
    assert one.schema["grade"].levels == ("0", "1", "2", "3", "x")
    assert one.schema.classes == (0, 1, 2)


def test_wishes(tmp_path: Path) -> None:
    path = csv(tmp_path, "a;b;c\n1;-9;yes\n2;x;no\n\n3;y;yes\n4;z\n5;-9;no\n")
    options = {"missing": ["-9"], "delimiter": ";", "bad_rows": "skip", "ignore": ["a"]}
    held, scan = both(path, "c", **options)
    assert (len(scan), scan.notes) == (len(held), held.notes)
    model = crake.NaiveBayesClassifier().fit(scan)
    assert model.schema_ == crake.NaiveBayesClassifier().fit(held).schema_
    assert model.schema_["b"].levels == ("x", "y")
    headless = crake.read(csv(tmp_path, "1,x\n2,y\n", "headless.csv"), "column_2", header=False, in_memory=False)
    assert crake.NaiveBayesClassifier().fit(headless).classes_.tolist() == ["x", "y"]


def test_classes_written_as_decimals(tmp_path: Path) -> None:
    held, scan = both(csv(tmp_path, "a,y\n1,1.0\n2,0.0\n3,1\n4,?\n"), "y")
    for table in (held, scan):
        model = crake.NaiveBayesClassifier().fit(table)
        assert model.classes_.tolist() == [0, 1]
        assert model.left_out_ == 1


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "empty"),
        ("a,b\n", {}, "no row below the header"),
        ("a,b\n1,2\n3\n", {}, r"line 3: expected 2 fields, found 1"),
        ('a,b\n1,2\n3,"4\n', {}, "line 3"),
        ("a,b\n1,2\ninf,3\n", {}, "line 3, column 'a': 'inf' is infinite"),
        ("a,b\n1,2\nx,3\n", {"numeric": ["a"]}, "line 3, column 'a': 'x' is no number"),
        ("a,b\n1,2\n", {"target": "c"}, "there is no column 'c'"),
        ("a,b\n1,\0\n", {}, "NUL"),
    ],
)
def test_the_same_faults(tmp_path: Path, text: str, options: dict[str, Any], message: str) -> None:
    path = csv(tmp_path, text)
    said = []
    for in_memory in (True, False):
        with pytest.raises(CrakeError, match=message) as error:
            crake.read(path, in_memory=in_memory, **options)
        said.append(str(error.value))
    assert said[0] == said[1]


def test_packed_texts_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,x\n2,y\n"))
    assert crake.read(path).in_memory
    with pytest.raises(ReadError, match=r"t\.csv\.gz: a packed file.*unpack it"):
        crake.read(path, in_memory=False)
    with pytest.raises(ReadError, match="another encoding"):
        crake.read(csv(tmp_path, "a,b\n1,2\n"), encoding="latin-1", in_memory=False)


def test_memory_is_bounded_by_distinct_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels_met, "MOST_LEVELS", 100)
    path = csv(tmp_path, "id,x,y\n" + "".join(f"id{i},{i},{i % 2}\n" for i in range(500)))
    with pytest.raises(DataError, match=r"column 'id' has more than 100 distinct values.*--ignore id"):
        crake.read(path, "y", in_memory=False)
    table = crake.read(path, "y", ignore=["id"], in_memory=False)
    assert crake.NaiveBayesClassifier().fit(table).class_count_.tolist() == [250, 250]


def test_a_file_changed_between_scans_is_noticed(tmp_path: Path) -> None:
    path = csv(tmp_path, "a,y\n1,x\n2,y\n")
    table = crake.read(path, "y", in_memory=False)
    csv(tmp_path, "a,y\n1,x\n2,y\n3,y\n")
    with pytest.raises(ReadError, match="it had 2 rows, now it has 3"):
        crake.NaiveBayesClassifier().fit(table)


def test_size_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = csv(tmp_path, "a,y\n1,x\n2,y\n")
    assert crake.read(path, "y").in_memory
    monkeypatch.setattr("crake.table.sources.scanned_table.LARGEST_LOADED", 10)
    assert not crake.read(path, "y").in_memory
    assert crake.read(path, "y", in_memory=True).in_memory


def test_what_can_only_be_loaded_says_so(tmp_path: Path) -> None:
    crake.write_arff(crake.read("golf"), tmp_path / "golf.arff")
    for source, what in ((tmp_path / "golf.arff", "ARFF"), ("golf", "a bundled example"), ([[1, 2]], "data in memory")):
        with pytest.raises(ReadError, match=f"in_memory=False is for files that can be scanned, and this is {what}"):
            crake.read(source, in_memory=False)


def test_classes_written_with_a_decimal_comma(tmp_path: Path) -> None:
    held, scan = both(csv(tmp_path, "x;y\n1,5;1,0\n2,5;2,0\n3,5;1\n"), "y", decimal=",")
    assert held.schema == scan.sample(10).schema
    assert held.target.tolist() == scan.sample(10).target.tolist() == [0, 1, 0]


@pytest.mark.parametrize("numbers", ["1.5\n2.5\n1", "1e300\n2\n1e300"])
def test_a_target_of_numbers_stays_numeric(tmp_path: Path, numbers: str) -> None:
    held, scan = both(csv(tmp_path, f"y\n{numbers}\n"), "y")
    assert [table.schema["y"].kind for table in (held, scan)] == ["numeric", "numeric"]
    assert held.notes == scan.notes == ()
    assert held.to_arrow().num_rows == 3


def test_options_are_checked_by_a_scan_too(tmp_path: Path) -> None:
    path = csv(tmp_path, "x,y\n1,a\n2,b\n")
    for held in (True, False):
        with pytest.raises(ReadError, match="to be error or skip, got 'skp'"):
            crake.read(path, bad_rows="skp", in_memory=held)  # type: ignore[arg-type]


def test_a_sample_of_a_scan_has_its_numeric_target(tmp_path: Path) -> None:
    held, scan = both(csv(tmp_path, "x,y\n" + "".join(f"{i},{i / 4}\n" for i in range(50))), "y")
    for rows in (20, 100):
        drawn, expected = scan.sample(rows), held.sample(rows)
        assert (drawn.schema, len(drawn)) == (expected.schema, min(rows, 50))
        assert drawn.column("y").tolist() == expected.source.column("y").tolist()
