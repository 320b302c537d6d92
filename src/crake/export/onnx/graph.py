"""A graph of operators while it is built: each operator returns the name of its result."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.export.exported import Exported
from crake.export.onnx import protobuf
from crake.table.schema import Column, Kind, Label

ML = "ai.onnx.ml"
OPSETS = {"": 17, ML: 3}
"""Versions of the operators; onnxruntime has them since 1.12."""
UNSEEN, MISSING, FIRST = 0, 1, 2
"""Meanings of a text: a value that training did not meet, a missing one, or the first level."""


class Graph:
    """Operators and constants; columns are inputs of (rows, 1)."""

    def __init__(self, model: Exported, missing_text: str) -> None:
        self.model, self.missing_text = model, missing_text
        self.columns = [model.schema.features[at] for at in model.features or (0,) if model.schema.features]
        self.taken = {column.name for column in self.columns}
        self.nodes: list[bytes] = []
        self.constants: list[bytes] = []
        self.known: dict[tuple[Any, ...], str] = {}
        self.shared: dict[tuple[Any, ...], str] = {}
        self.count = 0

    def name(self, kind: str) -> str:
        """Return a name that is none of a column."""
        while True:
            self.count += 1
            if (name := f"{kind}_{self.count}") not in self.taken:
                return name

    def op(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add an operator and return the name of its result."""
        out = self.name(kind.lower())
        self.nodes.append(protobuf.node(kind, inputs, [out], domain, attributes))
        return out

    def constant(self, values: Any, dtype: type = np.float64) -> str:
        """Return the name of a constant; equal ones are written once."""
        array: NDArray[Any] = np.asarray(values, dtype)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self.known:
            self.known[key] = self.name("constant")
            self.constants.append(protobuf.tensor(array, self.known[key]))
        return self.known[key]

    def whole(self, values: Any) -> str:
        """Return the name of a constant of whole numbers."""
        return self.constant(values, np.int64)

    def labels(self, labels: Sequence[Label]) -> tuple[str, int]:
        """Return the name of a constant list of labels, and its kind."""
        name, values = self.name("labels"), label_constant(labels)
        self.constants.append(protobuf.tensor(values, name))
        return name, protobuf.STRING if isinstance(values, list) else protobuf.OF_DTYPE[values.dtype.str[1:]]

    def take(self, matrix: str, places: Any) -> str:
        """Return some columns of a matrix, in their order."""
        return self.op("Gather", matrix, self.whole(places), axis=1)

    def double(self, values: str) -> str:
        """Return numbers of double precision."""
        return self.op("Cast", values, to=protobuf.DOUBLE)

    def filled(self, line: Any) -> str:
        """Return the same line for every row, shape (rows, width)."""
        line = np.atleast_1d(np.asarray(line, np.float64))
        size = self.op("Concat", self.rows(), self.whole([len(line)]), axis=0)
        return self.op("Expand", self.constant(line[None]), size)

    def once(self, key: tuple[Any, ...], make: Callable[[], str]) -> str:
        """Return what `make` returns, computed once for all its users."""
        if key not in self.shared:
            self.shared[key] = make()
        return self.shared[key]

    def either(self, condition: str, yes: Callable[[], str], no: Callable[[], str]) -> str:
        """Return the result of one of two graphs; only that one is computed."""
        graphs = [self.apart(kind, make) for kind, make in (("yes", yes), ("no", no))]
        return self.op("If", condition, then_branch=graphs[0], else_branch=graphs[1])

    def apart(self, name: str, make: Callable[[], str]) -> bytes:
        """Write the operators that `make` adds as a graph of their own, which sees what is computed outside it."""
        outside, shared, self.nodes = self.nodes, dict(self.shared), []
        result = make()
        own = protobuf.graph(name, self.nodes, (), (), [protobuf.value_info(result, protobuf.DOUBLE, None)])
        self.nodes, self.shared = outside, shared
        return own

    def rows(self) -> str:
        """Return the number of rows, shape (1,)."""
        return self.once(("rows",), lambda: self.op("Shape", self.columns[0].name, start=0, end=1))

    def numbers(self, features: Sequence[int]) -> str:
        """Return columns of numbers, shape (rows, features); NaN is missing."""
        read = [at for at in self.model.features if self.column(at).kind is not Kind.NOMINAL]
        names = [self.column(at).name for at in read]
        joined = self.once(("numbers",), lambda: self.op("Concat", *names, axis=1))
        places = [read.index(feature) for feature in features]
        return joined if places == list(range(len(read))) else self.take(joined, places)

    def codes(self, feature: int) -> str:
        """Return what each text of a column becomes, shape (rows,): FIRST plus the code of a level."""
        return self.once(("codes", feature), lambda: self._codes(self.column(feature)))

    def column(self, feature: int) -> Column:
        """Return a column of the model's table."""
        return self.model.schema.features[feature]

    def _codes(self, column: Column) -> str:
        texts = plain_texts(column.levels)
        if len(set(texts)) < len(texts):
            raise CrakeError(
                f"column {column.name!r} cannot be exported to ONNX: two of its levels have the same text, "
                f"{next(text for text in texts if texts.count(text) > 1)!r}"
            )
        if self.missing_text in texts:
            raise CrakeError(
                f"missing_text={self.missing_text!r}; expected a text that no column has, got a level of "
                f"{column.name!r}. Give another, such as missing_text='(missing)'"
            )
        keys = [self.missing_text, *texts]
        flat = self.op("Reshape", column.name, self.whole([-1]))
        return self.op(
            "LabelEncoder", flat, domain=ML, keys_strings=keys, default_int64=UNSEEN,
            values_int64s=[MISSING, *range(FIRST, FIRST + len(texts))],
        )  # fmt: skip

    def inputs(self) -> list[bytes]:
        """Write the columns that the graph reads."""
        return [self._input(column) for column in self.columns]

    def _input(self, column: Column) -> bytes:
        if not column.name or "\0" in column.name:
            raise CrakeError(
                f"expected a column name that is not empty and has no character of code 0, got {column.name!r}"
            )
        is_name = column.kind is Kind.NOMINAL
        note = f"{json.dumps(self.missing_text)} is missing" if is_name else "NaN is missing"
        kind = protobuf.STRING if is_name else protobuf.DOUBLE
        return protobuf.value_info(column.name, kind, ("rows", 1), note)


def plain_texts(labels: Sequence[Label]) -> list[str]:
    """Return the texts of labels; a character of code 0 is refused.

    >>> plain_texts(["a", True, 3])
    ['a', 'True', '3']
    """
    texts = [str(label) for label in labels]
    if odd := [text for text in texts if "\0" in text]:
        raise CrakeError(f"{odd[0]!r} has a character of code 0, at which a text ends for some readers; rename it")
    return texts


def label_constant(labels: Sequence[Label]) -> NDArray[Any] | list[str]:
    """Return labels as a constant: whole numbers and numbers stay numbers, others are text."""
    if all(type(label) is int and abs(label) < 2**63 for label in labels):
        return np.array(labels, np.int64)
    if all(type(label) is float for label in labels):
        return np.array(labels, np.float64)
    return plain_texts(labels)
