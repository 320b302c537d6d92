"""A target that cannot be learned is refused by name before any learning."""

from __future__ import annotations

import pytest

from crake.errors import DataError, SchemaError
from crake.table.column_options import ColumnOptions
from crake.table.convert.recode import with_classes
from crake.table.formats.arff.reader import read_arff
from crake.table.table import Table
from crake.table.target import check_target


def table(*cells: str, kind: str = "{a,b,c,d}") -> Table:
    return read_arff(f"@relation r\n@attribute y {kind}\n@data\n".encode() + "\n".join(cells).encode(), target="y")


def test_a_sound_target_passes() -> None:
    check_target(table("a", "b", "a", "?"))
    check_target(table("a", "b"))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["a", "a", "?"], "the target 'y' of table is constant: every row is 'a'"),
        (["?", "?"], "every value of the target 'y' is missing in table"),
        (["a", "b", "c", "d"], "'y' of table has another value in every one of its 4 rows, as an identifier"),
    ],
)
def test_what_cannot_be_learned(cells: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        check_target(table(*cells))


def test_a_numeric_or_ignored_or_absent_target() -> None:
    with pytest.raises(SchemaError, match=r"'y' of table is numeric; a classifier needs classes.*--nominal y"):
        check_target(table("1", "2.5", kind="numeric"))
    with pytest.raises(SchemaError, match="'y' of table is text"):
        check_target(table("p", "q", kind="string"))
    with pytest.raises(SchemaError, match=r"table has no target; .*--target\. Columns: y"):
        check_target(table("a", "b").with_target(None))


def test_no_rows() -> None:
    with pytest.raises(DataError, match="table has no rows"):
        check_target(table("a", "b").take(table("a").target[:0]))


def test_few_whole_numbers_are_classes() -> None:
    changed = with_classes(table("1", "0", "?", kind="numeric"), ColumnOptions())
    assert changed.schema.classes == (0, 1)
    assert changed.target.tolist() == [1, 0, -1]
    assert changed.notes == ("the target 'y' holds 2 whole numbers: read as classes",)
    many = table(*map(str, range(51)), kind="numeric")
    assert with_classes(many, ColumnOptions()) is many
    fractions = table("0.5", "1", kind="numeric")
    assert with_classes(fractions, ColumnOptions()) is fractions
