"""Labels as tensors: the type of each, then the labels of each type in order; text as UTF-8 with the end of each.

Every label comes back as it was: '01234' is not 1234, 1 is not 1.0 and not True, whole numbers keep all their digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from crake.errors import CrakeError, ModelFileError
from crake.modelfile.container import Tensors
from crake.table.schema import Label

TEXT, INTEGER, FLOAT, TRUTH, UNSIGNED = range(5)
"""Kinds of labels; UNSIGNED are whole numbers from 2^63 to 2^64 − 1."""
_KIND_OF = {str: TEXT, int: INTEGER, float: FLOAT, bool: TRUTH}
_NUMBERS: dict[int, tuple[str, Any]] = {
    INTEGER: ("integers", np.int64),
    FLOAT: ("floats", np.float64),
    TRUTH: ("truths", np.uint8),
    UNSIGNED: ("unsigned", np.uint64),
}


def label_tensors(labels: Sequence[Label]) -> Tensors:
    """`kinds`, and of `text` with `ends`, `integers`, `floats`, `truths`, `unsigned` those that there are.

    >>> tensors = label_tensors(["yes", 7, "no"])
    >>> {name: array.tolist() for name, array in tensors.items()}
    {'kinds': [0, 1, 0], 'text': [121, 101, 115, 110, 111], 'ends': [3, 5], 'integers': [7]}
    """
    kinds = _kinds(labels)
    cells = np.empty(len(labels), dtype=object)
    cells[:] = labels
    tensors: Tensors = {"kinds": kinds}
    if np.any(kinds == TEXT):
        tensors |= _text_tensors(cells[kinds == TEXT].tolist())
    for kind, (name, dtype) in _NUMBERS.items():
        if np.any(kinds == kind):
            tensors[name] = np.array(cells[kinds == kind].tolist(), dtype)
    if "floats" in tensors and np.isnan(tensors["floats"]).any():
        raise CrakeError("NaN is among the labels; it means a missing value and cannot be one")
    return tensors


def labels_of(tensors: Tensors) -> tuple[Label, ...]:
    """Return the labels of these tensors, each of which must be just as long as `kinds` says."""
    kinds = _taken(tensors, "kinds", np.uint8)
    if kinds.size and kinds.max() > UNSIGNED:
        raise ModelFileError(f"labels are of kind {kinds.max()}; expected 0 to {UNSIGNED}")
    lengths = np.bincount(kinds, minlength=UNSIGNED + 1).tolist()
    parts: dict[int, list[Any]] = {}
    if lengths[TEXT]:
        parts[TEXT] = _texts(_taken(tensors, "text", np.uint8), _taken(tensors, "ends", np.int64, lengths[TEXT]))
    for kind, (name, dtype) in _NUMBERS.items():
        if lengths[kind]:
            parts[kind] = _numbers(kind, _taken(tensors, name, dtype, lengths[kind]))
    expected = {"kinds"} | ({"text", "ends"} if TEXT in parts else set()) | {_NUMBERS[k][0] for k in parts if k != TEXT}
    if set(tensors) != expected:
        raise ModelFileError(f"labels have the arrays {sorted(tensors)}; expected {sorted(expected)}")
    return _joined(kinds, parts)


def _joined(kinds: NDArray[np.uint8], parts: dict[int, list[Any]]) -> tuple[Label, ...]:
    if len(parts) == 1:
        return tuple(next(iter(parts.values())))
    cells = np.empty(len(kinds), dtype=object)
    for kind, labels in parts.items():
        cells[kinds == kind] = np.array([*labels, None], dtype=object)[:-1]
    return tuple(cells.tolist())


def _kinds(labels: Sequence[Label]) -> NDArray[np.uint8]:
    types = set(map(type, labels))
    if not types <= set(_KIND_OF):
        odd = next(label for label in labels if type(label) not in _KIND_OF)
        raise CrakeError(f"the label {odd!r} is a {type(odd).__name__}; expected text, numbers or truth values")
    kinds = np.fromiter(map(_KIND_OF.__getitem__, map(type, labels)), np.uint8, len(labels))
    if int in types:
        _mark_unsigned(labels, kinds)
    return kinds


def _mark_unsigned(labels: Sequence[Label], kinds: NDArray[np.uint8]) -> None:
    whole = [label for label in labels if type(label) is int]
    if min(whole) < -(2**63) or max(whole) >= 2**64:
        odd = next(label for label in whole if not -(2**63) <= label < 2**64)
        raise CrakeError(f"the label {str(odd)[:40]} has more than 64 bits; make it text to keep all its digits")
    if max(whole) >= 2**63:
        kinds[[type(label) is int and label >= 2**63 for label in labels]] = UNSIGNED


def _text_tensors(texts: list[str]) -> Tensors:
    try:
        array = pa.array(texts, pa.large_string())
    except UnicodeEncodeError as error:
        raise CrakeError(f"the label {error.object[:100]!r} holds half a surrogate pair, which is no text") from None
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, np.int64, len(texts) + 1)[1:]
    text = np.frombuffer(data, np.uint8, int(ends[-1])) if data is not None else np.zeros(0, np.uint8)
    return {"text": text, "ends": ends}


def _texts(text: NDArray[np.uint8], ends: NDArray[np.int64]) -> list[str]:
    """Arrow checks that all is UTF-8; the places are checked before it sees them."""
    offsets = np.concatenate([[0], ends])
    if np.any(offsets[1:] < offsets[:-1]) or offsets[-1] != len(text):
        raise ModelFileError("the ends of labels do not ascend to the end of their text")
    array = pa.Array.from_buffers(pa.large_string(), len(ends), [None, pa.py_buffer(offsets), pa.py_buffer(text)])
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as error:
        raise ModelFileError("a label is not UTF-8 text") from error
    texts: list[str] = array.to_pylist()
    return texts


def _numbers(kind: int, numbers: NDArray[Any]) -> list[Any]:
    if kind == FLOAT and np.isnan(numbers).any():
        raise ModelFileError("NaN is among the labels")
    if kind == TRUTH and numbers.max() > 1:
        raise ModelFileError(f"a truth value is {numbers.max()}; expected 0 or 1")
    if kind == UNSIGNED and numbers.min() < 2**63:
        raise ModelFileError(f"a label of 64 bits is {numbers.min()}; expected at least 2^63")
    labels: list[Any] = (numbers.astype(bool) if kind == TRUTH else numbers).tolist()
    return labels


def _taken(tensors: Tensors, name: str, dtype: Any, length: int | None = None) -> NDArray[Any]:
    array = tensors.get(name)
    if array is None:
        raise ModelFileError(f"labels lack their array {name!r}")
    if array.dtype != dtype or array.ndim != 1 or (length is not None and len(array) != length):
        raise ModelFileError(f"the labels' array {name!r} is {array.dtype}{array.shape}; expected {length or 'some'}")
    return array
