"""The delimiter and the line ends are found from the first lines."""

from __future__ import annotations

import pytest

from crake.errors import ReadError
from crake.table.formats.csv.dialect import sniff
from crake.table.formats.csv.reader import read_csv


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters(delimiter: str) -> None:
    assert sniff(f"a{delimiter}b{delimiter}c\n1{delimiter}2{delimiter}3\n").delimiter == delimiter


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a;b\n1,5;2,5\n1,5;3,5\n", ";"),
        ('"a,x,y";"b,c"\n"1,1";"2"\n', ";"),
        ("class\ttext\nham\tGo, on, and on; yes\nspam\tBuy | sell, now\n", "\t"),
        ("a|b|c,d\n1|2|3,4\n", "|"),
        ("a,b\n1,2\n1,2,3\n4,5\n", ","),
        ("text\nno delimiter in the header, but here\n", ","),
    ],
)
def test_the_most_consistent_delimiter_wins(text: str, delimiter: str) -> None:
    assert sniff(text).delimiter == delimiter


def test_a_row_cut_in_two_by_the_sample_does_not_count() -> None:
    assert sniff("a;b;c,d\n1;2;3,4\n1;2", whole=False).delimiter == ";"
    rows = "".join(f"{row};some, words;{row}\n" for row in range(10_000))
    table = read_csv(f"a;b;c\n{rows}".encode())
    assert table.schema.names == ("a", "b", "c")
    assert len(table) == 10_000


@pytest.mark.parametrize(
    ("text", "end"), [("a\r\nb", "\n"), ("a\nb", "\n"), ("a\rb", "\r"), ('"a\rb"\nc', "\n"), ("", "\n")]
)
def test_line_ends(text: str, end: str) -> None:
    assert sniff(text).end == end


@pytest.mark.parametrize(("asked", "used"), [("tab", "\t"), ("\\t", "\t"), (" ", " "), (":", ":")])
def test_a_delimiter_given_is_used(asked: str, used: str) -> None:
    assert sniff("a,b:c\td e", delimiter=asked).delimiter == used
    assert len(read_csv(f"a{used}b\n1{used}2\n".encode(), delimiter=asked).schema.names) == 2


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "é", "\0"])
def test_a_delimiter_that_cannot_be(delimiter: str) -> None:
    with pytest.raises(ReadError, match="must be one character"):
        sniff("a,b", delimiter=delimiter)
