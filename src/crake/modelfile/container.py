"""The container: safetensors with one metadata key, whose JSON document ends in a checksum of the whole file.

The checksum is the SHA-256 of all bytes of the file with its own 64 digits as zeros. Its place will stay in all
versions of the format, so that damage is told from age.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors import numpy as safetensors

from crake.errors import CrakeError, ModelFileError
from crake.modelfile import strict_json
from crake.render.plain_text import shown

Tensors = dict[str, NDArray[Any]]

FORMAT = (1, 1)
"""Latest version of the format: minor versions add parts, a major version changes what is there."""
FIRST, EDITED = (1, 0), (1, 1)
"""Versions that files are written in: the first one unless a tree was edited by hand, which the second one added."""
NEEDS = "0.1.0"
"""The first crake that reads this version: what an older one tells its user."""

KEY = "crake"
DTYPES = {"F64": np.float64, "I64": np.int64, "U64": np.uint64, "I32": np.int32, "U8": np.uint8}
ORDER = ("U64", "I64", "F64", "I32", "U8")
"""The types in the order in which their arrays follow each other in a file."""
PIECE = 1 << 18
"""Entries of an array that are written at a time."""
MOST_HEADER = 10 << 20
MOST_DOCUMENT = 4 << 20
MOST_AXES = 4

_LENGTH = 8
_DIGITS = 64
_MARK = rb"\"sha256\":\""
_END = rb"\"}" + b'"'
_STARTS = {
    b"\x80": "a pickle, which crake never opens",
    b"PK": "a zip archive",
    b"<": "a web page",
    b"\x1f\x8b": "a gzip file",
    b"PAR1": "a Parquet table",
    b"\x93NUMPY": "a NumPy array",
    b"\x89HDF": "an HDF5 file",
}


def packed(document: Mapping[str, Any], tensors: Tensors) -> bytes:
    """Return the bytes of a file with this document and these tensors; equal ones give equal bytes."""
    return b"".join(pieces(document, tensors))


def pieces(document: Mapping[str, Any], tensors: Tensors) -> Iterator[bytes]:
    """Yield the bytes of such a file piece by piece, so that no second copy of large tensors is in memory."""
    text = strict_json.dumps({**document, "sha256": "0" * _DIGITS})
    if len(text) > MOST_DOCUMENT:
        raise CrakeError(
            f"the parameters of the model take {len(text):,} bytes; a model file holds at most {MOST_DOCUMENT:,}: "
            "name columns by position, or give them their kinds in the table"
        )
    names = sorted(tensors, key=lambda name: (ORDER.index(_type_of(tensors[name])), name))
    header = _header(text, names, tensors)
    digest = hashlib.sha256(header)
    for name in names:
        for piece in _pieces_of(tensors[name]):
            digest.update(piece)
    place = header.index(_MARK) + len(_MARK)
    yield b"".join([header[:place], digest.hexdigest().encode(), header[place + _DIGITS :]])
    for name in names:
        yield from _pieces_of(tensors[name])


def _header(text: str, names: list[str], tensors: Tensors) -> bytes:
    """Return the beginning of a file up to the first tensor, as the library safetensors writes it."""
    described: dict[str, Any] = {"__metadata__": {KEY: text}}
    end = 0
    for name in names:
        array = tensors[name]
        begin, end = end, end + array.nbytes
        described[name] = {"dtype": _type_of(array), "shape": array.shape or (1,), "data_offsets": [begin, end]}
    header = json.dumps(described, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    header += b" " * (-len(header) % _LENGTH)
    return len(header).to_bytes(_LENGTH, "little") + header


def _type_of(array: NDArray[Any]) -> str:
    """Return the name of an array's type in the file."""
    return next(name for name, dtype in DTYPES.items() if array.dtype == dtype)


def _pieces_of(array: NDArray[Any]) -> Iterator[bytes]:
    """Yield the array's bytes, in row-major order, with 0 for −0, which is equal to it."""
    flat = np.ascontiguousarray(array).reshape(-1)
    for begin in range(0, len(flat), PIECE):
        piece = flat[begin : begin + PIECE]
        piece = piece + 0.0 if piece.dtype.kind == "f" else piece
        yield piece.astype(piece.dtype.newbyteorder("<"), copy=False).tobytes()


def read(path: Path) -> bytes:
    """Return the bytes of a model file; of a file that begins otherwise, read no more than the beginning."""
    try:
        if not path.is_file():
            raise ModelFileError("there is no such file" if not path.exists() else "this is not a file")
        with path.open("rb") as file:
            start = file.read(_LENGTH)
            length = _header_length(start, path.stat().st_size)
            header = file.read(length)
            _digits_place(header)
            return b"".join([start, header, file.read()])
    except OSError as error:
        raise ModelFileError(f"it cannot be read: {error.strerror or error}") from error


def unpacked(data: bytes) -> tuple[dict[str, Any], Tensors]:
    """Check the checksum and return the document and the tensors."""
    length = _header_length(data, len(data))
    header = data[_LENGTH : _LENGTH + length]
    digest = _checked_digest(data, _LENGTH + _digits_place(header))
    described = strict_json.loads(header)
    document = strict_json.loads(_document_text(described))
    if not isinstance(document, dict) or document.get("sha256") != digest:
        raise ModelFileError("its description does not end in its checksum")
    _check_version(document)
    return document, _tensors(data, described)


def _header_length(start: bytes, size: int) -> int:
    """Return the length of the header, from the first eight bytes; the header must end within the file."""
    length = int.from_bytes(start[:_LENGTH], "little")
    if len(start) < _LENGTH or not 2 <= length <= MOST_HEADER:
        hint = next((f": it looks like {what}" for first, what in _STARTS.items() if start.startswith(first)), "")
        raise ModelFileError(f"this is not a model file{hint}; expected a file that crake.save wrote")
    if _LENGTH + length > size:
        raise ModelFileError(
            f"it is cut short or not a model file; expected {_LENGTH + length:,} bytes, found {size:,}"
        )
    return length


def _digits_place(header: bytes) -> int:
    """Return the place of the checksum in the header: the end of the one document, which no other text can imitate."""
    place = header.find(_MARK) + len(_MARK)
    if not header.startswith(b"{") or header.count(_MARK) != 1 or header[place + _DIGITS :][: len(_END)] != _END:
        raise ModelFileError("this is not a model file: it has no checksum of crake's; expected one of crake.save")
    return place


def _checked_digest(data: bytes, place: int) -> str:
    view = memoryview(data)
    digest = hashlib.sha256(view[:place])
    digest.update(b"0" * _DIGITS)
    digest.update(view[place + _DIGITS :])
    if digest.hexdigest().encode() != data[place : place + _DIGITS]:
        raise ModelFileError("it is damaged: its checksum does not match its content; copy or download it again")
    return digest.hexdigest()


def _document_text(described: Any) -> str:
    metadata = described.get("__metadata__") if isinstance(described, dict) else None
    if not isinstance(metadata, dict) or set(metadata) != {KEY} or not isinstance(metadata[KEY], str):
        raise ModelFileError(f"its metadata is not one text under the key {KEY!r}")
    text: str = metadata[KEY]
    if len(text) > MOST_DOCUMENT:
        raise ModelFileError(f"its description has {len(text):,} characters; expected at most {MOST_DOCUMENT:,}")
    return text


def _check_version(document: dict[str, Any]) -> None:
    version = document.get("format")
    if not isinstance(version, list) or len(version) != 2 or not all(type(n) is int for n in version):
        raise ModelFileError(f"its format is {str(version)[:100]}; expected two whole numbers")
    if tuple(version) < (FORMAT[0], 0):
        raise ModelFileError(
            f"its format is {str(version)[:100]}, which no crake wrote; expected {FORMAT[0]}.0 or later"
        )
    if tuple(version) > FORMAT:
        needs = shown(document.get("needs"), 20)
        raise ModelFileError(
            f"it needs crake ≥ {needs}: its format is {version[0]}.{version[1]}, this crake reads up to "
            f"{FORMAT[0]}.{FORMAT[1]}; upgrade crake"
        )


def _tensors(data: bytes, described: dict[str, Any]) -> Tensors:
    for name, entry in described.items():
        if name != "__metadata__":
            _check_entry(name, entry)
    try:
        arrays = safetensors.load(data)
    except (SafetensorError, KeyError, MemoryError, OverflowError, TypeError, ValueError) as error:
        raise ModelFileError(f"its arrays are not in order: {str(error)[:200]}") from error
    # Arrays of their own: those of safetensors cannot be written to, and kernels would be compiled again for them.
    return {name: array.copy() for name, array in arrays.items()}


def _check_entry(name: str, entry: Any) -> None:
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ModelFileError(f"array {name[:100]!r} is not described by dtype, shape and data_offsets")
    shape, dtype = entry["shape"], entry["dtype"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ModelFileError(f"array {name[:100]!r} is of type {str(dtype)[:20]}; expected one of {', '.join(DTYPES)}")
    if not isinstance(shape, list) or len(shape) > MOST_AXES or not all(type(n) is int and n >= 0 for n in shape):
        raise ModelFileError(
            f"array {name[:100]!r} has the shape {str(shape)[:100]}; expected up to {MOST_AXES} lengths"
        )
