"""The messages of ONNX as bytes of protobuf: a field is its number and kind, then a number or a length and bytes.

Field numbers are those of the file onnx.proto of the standard, IR version 8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

FLOAT, INT64, STRING, BOOL, DOUBLE = 1, 7, 8, 9, 11
"""Kinds of tensors."""
OF_DTYPE = {"f4": FLOAT, "i8": INT64, "b1": BOOL, "f8": DOUBLE}
VARINT, BYTES = 0, 2
A_FLOAT, AN_INT, A_STRING, A_TENSOR, A_GRAPH, INTS, STRINGS = 1, 2, 3, 4, 5, 7, 8
"""Kinds of attributes."""


def varint(value: int) -> bytes:
    """Write a whole number, seven bits a byte, the lowest first.

    >>> varint(300).hex(), varint(-1).hex()
    ('ac02', 'ffffffffffffffffff01')
    """
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    """Write a field that is a whole number."""
    return varint(field << 3 | VARINT) + varint(value)


def part(field: int, value: bytes | str) -> bytes:
    """Write a field that is text, bytes or a message."""
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | BYTES) + varint(len(data)) + data


def parts(field: int, values: Iterable[bytes | str]) -> bytes:
    """Write a field that is repeated."""
    return b"".join(part(field, value) for value in values)


def tensor(values: NDArray[Any] | Sequence[str], name: str = "") -> bytes:
    """Write a constant: numbers of any shape, or a list of texts."""
    if isinstance(values, np.ndarray):
        kind, shape = OF_DTYPE[values.dtype.str[1:]], values.shape
        data = part(9, np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes())
    else:
        kind, shape, data = STRING, (len(values),), parts(6, values)
    dims = b"".join(number(1, size) for size in shape)
    return dims + number(2, kind) + (part(8, name) if name else b"") + data


def attribute(name: str, value: Any) -> bytes:
    """Write an attribute of an operator; `bytes` are a graph."""
    head = part(1, name)
    match value:
        case bool() | int():
            return head + number(3, int(value)) + number(20, AN_INT)
        case str():
            return head + part(4, value) + number(20, A_STRING)
        case bytes():
            return head + part(6, value) + number(20, A_GRAPH)
        case np.ndarray():
            return head + part(5, tensor(value)) + number(20, A_TENSOR)
        case [str(), *_]:
            return head + parts(9, value) + number(20, STRINGS)
        case _:
            return head + b"".join(number(8, int(each)) for each in value) + number(20, INTS)


def node(kind: str, inputs: Sequence[str], outputs: Sequence[str], domain: str, attributes: Mapping[str, Any]) -> bytes:
    """Write an operator."""
    own = parts(5, (attribute(name, value) for name, value in attributes.items()))
    named = part(3, outputs[0])
    return parts(1, inputs) + parts(2, outputs) + named + part(4, kind) + own + (part(7, domain) if domain else b"")


def value_info(name: str, kind: int, shape: Sequence[int | str] | None, note: str = "") -> bytes:
    """Write the kind of an input or output; a size that is not fixed has a name, and None is any shape."""
    own = number(1, kind)
    if shape is not None:
        dims = (number(1, size) if isinstance(size, int) else part(2, size) for size in shape)
        own += part(2, parts(1, dims))
    return part(1, name) + part(2, part(1, own)) + (part(3, note) if note else b"")


def graph(
    name: str,
    nodes: Iterable[bytes],
    constants: Iterable[bytes],
    inputs: Iterable[bytes],
    outputs: Iterable[bytes],
    note: str = "",
) -> bytes:
    """Write a graph."""
    noted = part(10, note) if note else b""
    return parts(1, nodes) + part(2, name) + parts(5, constants) + noted + parts(11, inputs) + parts(12, outputs)


def model(own: bytes, opsets: Mapping[str, int], facts: Mapping[str, str]) -> bytes:
    """Write a model: its graph, the versions of its operators and facts for readers."""
    sets = parts(8, (part(1, domain) + number(2, version) for domain, version in opsets.items()))
    noted = parts(14, (part(1, key) + part(2, value) for key, value in facts.items()))
    return number(1, 8) + part(2, "crake") + part(7, own) + sets + noted
