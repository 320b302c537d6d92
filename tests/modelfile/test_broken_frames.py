"""Files whose frame around the arrays is broken, with a right checksum: refused in less than a second."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.modelfile.models import small
from tests.modelfile.repaired import NO_DIGITS, Tensors, framed, packed, parts, refused, written

from crake.modelfile.writing import model_bytes

BAYES = model_bytes(small())


def good() -> tuple[str, Tensors]:
    document, tensors = parts(BAYES)
    return written(document), tensors


def entry(**changes: Any) -> dict[str, Any]:
    return {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]} | changes


METADATA = {"__metadata__": {"crake": good()[0]}}
DOUBLED = b'{"__metadata__":{"crake":' + json.dumps(good()[0]).encode() + b'},"a":1,"a":1}'

FRAMES: dict[str, Callable[[], bytes]] = {
    "overlapping tensors": lambda: framed({**METADATA, "a": entry(), "b": entry(data_offsets=[2, 6])}, bytes(6)),
    "tensors with a hole": lambda: framed({**METADATA, "a": entry(), "b": entry(data_offsets=[6, 10])}, bytes(10)),
    "a tensor beyond the file": lambda: framed(
        {**METADATA, "a": entry(data_offsets=[0, 2**60], shape=[2**60])}, bytes(4)
    ),
    "a shape that overflows": lambda: framed({**METADATA, "a": entry(dtype="F64", shape=[2**40, 2**40])}, bytes(4)),
    "a shape of 2^62 times nothing": lambda: framed(
        {**METADATA, "a": entry(dtype="F64", shape=[0, 2**62], data_offsets=[0, 0])}
    ),
    "a negative shape": lambda: framed({**METADATA, "a": entry(shape=[-4])}, bytes(4)),
    "a shape of truth values": lambda: framed({**METADATA, "a": entry(shape=[True], data_offsets=[0, 1])}, bytes(1)),
    "a shape of a hundred axes": lambda: framed(
        {**METADATA, "a": entry(shape=[1] * 100, data_offsets=[0, 1])}, bytes(1)
    ),
    "a shape that is a number": lambda: framed({**METADATA, "a": entry(shape=4)}, bytes(4)),
    "an unknown dtype": lambda: framed({**METADATA, "a": entry(dtype="BF16", shape=[2])}, bytes(4)),
    "a dtype that is a list": lambda: framed({**METADATA, "a": entry(dtype=[])}, bytes(4)),
    "an entry that is a list": lambda: framed({**METADATA, "a": []}, bytes(4)),
    "an entry with more": lambda: framed({**METADATA, "a": entry(more=1)}, bytes(4)),
    "a doubled key": lambda: framed(DOUBLED),
    "a doubled key in the document": lambda: packed('{"format":[1,0],"format":[1,0],"sha256":"' + NO_DIGITS + '"}', {}),
    "two metadata keys": lambda: framed({"__metadata__": {"a": "b", "crake": good()[0]}}),
    "a document 10^5 deep": lambda: packed('{"a":' + "[" * 10**5 + "]" * 10**5 + ',"sha256":"' + NO_DIGITS + '"}', {}),
    "objects 10^5 deep": lambda: packed(
        '{"a":' * 10**5 + "1" + "}" * (10**5 - 1) + ',"sha256":"' + NO_DIGITS + '"}', {}
    ),
    "a million objects": lambda: packed('{"a":[' + "{}," * 10**6 + '{}],"sha256":"' + NO_DIGITS + '"}', {}),
    "a document of 6 MB": lambda: packed('{"a":"' + "x" * (6 << 20) + '","sha256":"' + NO_DIGITS + '"}', {}),
    "a header of 11 MB": lambda: packed('{"a":"' + "x" * (11 << 20) + '","sha256":"' + NO_DIGITS + '"}', {}),
    "a document that is a number": lambda: framed(
        b'{"__metadata__":{"crake":7},"x":"\\"sha256\\":\\"' + b"0" * 64 + b'\\"}"}'
    ),
    "a checksum in another place": lambda: framed(
        b'{"__metadata__":{"crake":"{}"},"x":"\\"sha256\\":\\"' + b"0" * 64 + b'\\"}"}',
    ),
    "a document that is not JSON": lambda: packed('{oops,"sha256":"' + NO_DIGITS + '"}', {}),
    "a document with NaN": lambda: packed('{"a":NaN,"sha256":"' + NO_DIGITS + '"}', {}),
    "a document with 1e999": lambda: packed('{"a":1e999,"sha256":"' + NO_DIGITS + '"}', {}),
    "a number of 10^5 digits": lambda: packed('{"a":' + "9" * 10**5 + ',"sha256":"' + NO_DIGITS + '"}', {}),
    "100,000 tensors": lambda: framed(
        {**METADATA, **{f"t{i}": entry(shape=[0], data_offsets=[0, 0]) for i in range(10**5)}}
    ),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_broken_frame_is_refused(name: str, tmp_path: Path) -> None:
    refused(FRAMES[name](), tmp_path / "attack.crake")
