"""The state of a stored model, checked as it is taken: nothing reaches a learner unseen."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import ModelFileError
from crake.statistics.levels import level_key
from crake.table.schema import Label

State = dict[str, Any]
"""Truth values, whole numbers, text, None, arrays, Labels, fitted learners, and states within: never a row."""
Shape = tuple[int | None, ...]


@dataclass(frozen=True)
class Labels:
    """Levels, classes or names: text, truth values and numbers that keep their type."""

    values: tuple[Label, ...]


class StateReader:
    """Reads one part of a stored state. Each value is read by name with its constraints; `done` raises for the rest.

    >>> reader = StateReader({"rows": 14, "cuts": np.array([2.0, 1.0])})
    >>> reader.whole("rows")
    14
    >>> reader.floats("cuts", (3,))
    Traceback (most recent call last):
    crake.errors.ModelFileError: cuts has the shape (2,); expected (3,)
    """

    def __init__(self, values: Mapping[str, Any], where: str = "") -> None:
        self._values, self._where = values, where
        self._read: set[str] = set()
        self._parts: list[StateReader] = []

    def __contains__(self, name: str) -> bool:
        """Return True if there is such a part, and it is not None."""
        self._read.add(name)
        return self._values.get(name) is not None

    def part(self, name: str) -> StateReader:
        """Return an inner state."""
        part = StateReader(self._of(name, dict), f"{self._where}{name}/")
        self._parts.append(part)
        return part

    def flag(self, name: str) -> bool:
        """Return a truth value."""
        return bool(self._of(name, bool))

    def whole(self, name: str, least: int = 0, most: int = 2**63 - 1) -> int:
        """Return a whole number within its range."""
        value: int = self._of(name, int)
        if not least <= value <= most:
            raise self.refusal(name, f"is {value}", f"a number from {least} to {most}")
        return value

    def learner(self, name: str) -> Any:
        """Return a fitted inner learner."""
        value = self._value(name)
        if not hasattr(value, "get_params"):
            raise self.refusal(name, f"is {_kind(value)}", "a learner")
        return value

    def labels(self, name: str) -> tuple[Label, ...]:
        """Return labels of any type."""
        labels: tuple[Label, ...] = self._of(name, Labels).values
        return labels

    def names(self, name: str) -> tuple[str, ...]:
        """Return labels that are all text."""
        labels = self.labels(name)
        if not all(type(label) is str for label in labels):
            raise self.refusal(name, "holds a number", "text")
        return cast("tuple[str, ...]", labels)

    def floats(self, name: str, shape: Shape, least: float = -np.inf, most: float = np.inf) -> Floats:
        """Return finite numbers within their range."""
        return self._array(name, np.dtype(np.float64), shape, least, most)

    def integers(self, name: str, dtype: type[np.integer[Any]], shape: Shape, least: int, most: int) -> NDArray[Any]:
        """Return whole numbers within their range."""
        return self._array(name, np.dtype(dtype), shape, least, most)

    def done(self) -> None:
        """Raise if a part was never read."""
        for part in self._parts:
            part.done()
        unknown = sorted(set(self._values) - self._read)
        if unknown:
            raise self.refusal(unknown[0][:100], "is not a part this learner knows", f"only {sorted(self._read)}")

    def refusal(self, name: str, content: str, expected: str) -> ModelFileError:
        """Return the error to raise for a part that is not what it must be."""
        return ModelFileError(f"{self._where}{name} {content}; expected {expected}")

    def _value(self, name: str) -> Any:
        self._read.add(name)
        if name not in self._values:
            raise self.refusal(name, "is not there", "it")
        return self._values[name]

    def _of(self, name: str, kind: type) -> Any:
        value = self._value(name)
        if type(value) is not kind:
            raise self.refusal(name, f"is {_kind(value)}", _NAMES.get(kind, kind.__name__))
        return value

    def _array(self, name: str, dtype: np.dtype[Any], shape: Shape, least: float, most: float) -> NDArray[Any]:
        array: NDArray[Any] = self._of(name, np.ndarray)
        if array.dtype != dtype:
            raise self.refusal(name, f"holds {array.dtype}", str(dtype))
        if array.ndim != len(shape) or any(
            want is not None and have != want for have, want in zip(array.shape, shape, strict=True)
        ):
            expected = f"({', '.join('any' if n is None else str(n) for n in shape)}{',' if len(shape) == 1 else ''})"
            raise self.refusal(name, f"has the shape {array.shape}", expected)
        # NaN is not at least anything, so it is refused here too.
        if array.size and not (least <= array.min() and array.max() <= most and np.isfinite(array).all()):
            raise self.refusal(name, f"holds {array.min()} … {array.max()}", f"finite numbers from {least} to {most}")
        return array


_NAMES = {bool: "true or false", int: "a whole number", dict: "a group of parts", np.ndarray: "an array"}


def _kind(value: Any) -> str:
    return "nothing" if value is None else _NAMES.get(type(value), f"a {type(value).__name__}")


def are_distinct(labels: tuple[Label, ...]) -> bool:
    """Return True if no label occurs twice; True and 1 are two labels, 1 and 1.0 are one."""
    kinds = set(map(type, labels))
    # Most lists are in order, and asking neighbours is several times as fast as filling a set.
    if len(kinds) == 1 and all(map(operator.lt, labels, islice(labels, 1, None))):
        return True
    keys = set(labels) if kinds <= {str} else {level_key(label) for label in labels}
    return len(keys) == len(labels)
