"""A model file taken apart, changed, and put together again with a right checksum: what an attacker would send."""

from __future__ import annotations

import hashlib
import json
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import numpy as safetensors

import crake
from crake.errors import ModelFileError

Document = dict[str, Any]
Tensors = dict[str, np.ndarray]
Change = Callable[[Document, Tensors], object]

NO_DIGITS = "0" * 64


def parts(data: bytes) -> tuple[Document, Tensors]:
    """The document and the tensors of a good file."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    tensors = {name: array.copy() for name, array in safetensors.load(data).items()}
    return json.loads(header["__metadata__"]["crake"]), tensors


def changed(data: bytes, change: Change) -> bytes:
    """The file after `change` has worked on its document and tensors in place; the checksum fits again."""
    document, tensors = parts(data)
    change(document, tensors)
    return packed(written(document), tensors)


def written(document: Document) -> str:
    """The document as text that ends in a checksum of zeros."""
    others = {key: value for key, value in document.items() if key != "sha256"}
    return json.dumps({**others, "sha256": NO_DIGITS}, separators=(",", ":"))


def packed(document: str, tensors: Tensors) -> bytes:
    """A file of this text, which must end in a checksum of zeros, and these tensors."""
    entries: dict[str, Any] = {}
    at = 0
    for name, array in tensors.items():
        kind = {"f": "F", "i": "I", "u": "U"}[array.dtype.kind]
        entries[name] = {
            "dtype": f"{kind}{8 * array.dtype.itemsize}",
            "shape": list(array.shape),
            "data_offsets": [at, at + array.nbytes],
        }
        at += array.nbytes
    return framed({"__metadata__": {"crake": document}, **entries}, b"".join(a.tobytes() for a in tensors.values()))


def framed(header: Any, data: bytes = b"") -> bytes:
    """A file of this header, given as an object or as bytes, its checksum made right."""
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    return sealed(struct.pack("<Q", len(text)) + text + data)


def sealed(data: bytes) -> bytes:
    """The file with the checksum of all its other bytes in the place of the digits that stand there."""
    mark = rb"\"sha256\":\""
    at = data.rindex(mark) + len(mark)
    emptied = data[:at] + NO_DIGITS.encode() + data[at + 64 :]
    return emptied[:at] + hashlib.sha256(emptied).hexdigest().encode() + emptied[at + 64 :]


def refused(data: bytes, path: Path) -> str:
    """Return what is said of a file with a right checksum; it is refused in less than a second."""
    path.write_bytes(data)
    start = time.process_time()
    with pytest.raises(ModelFileError) as caught:
        crake.load(path)
    assert time.process_time() - start < 1
    message = str(caught.value)
    assert len(message) < 1000
    assert "damaged" not in message, "the attack did not get past the checksum"
    assert "no checksum" not in message
    return message
