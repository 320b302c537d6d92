"""Encodings: those of texts are read, other codecs are an error that lists what is allowed."""

from __future__ import annotations

import codecs
import warnings
from pathlib import Path

import pytest

import crake
from crake.errors import ReadError
from crake.table.formats.encoding import ENCODINGS, decode


@pytest.mark.parametrize("ending", ["csv", "arff"])
@pytest.mark.parametrize(
    "name",
    ["unicode_escape", "raw_unicode_escape", "idna", "punycode", "utf-7", "rot13", "base64", "zlib", "none", "\0"],
)
def test_codecs_that_are_no_encoding_of_texts_are_refused(name: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{ending}"
    path.write_bytes(b"a,b\n\\d,2\n" if ending == "csv" else b"@relation r\n@attribute a {x}\n@data\nx\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ReadError, match=r"expected an encoding among utf-8, utf-16, .*, got '"):
            crake.read(path, encoding=name)


def test_every_encoding_listed_is_one_of_python_by_that_name() -> None:
    for name in ENCODINGS:
        assert codecs.lookup(name).name == name
        assert decode("a,b".encode(name), file="a.csv", encoding=name) == "a,b"
