"""JSON from strangers: bounded, without doubled keys, without NaN and Infinity."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

from crake.errors import ModelFileError

MOST_BRACKETS = 200_000
"""Objects and arrays in one document: ours have a few for each part of a model."""

MOST_DIGITS = 300
"""Digits of a whole number that a float can hold for certain."""


def loads(text: str | bytes) -> Any:
    """Return the value of a JSON text, or raise a ModelFileError, whatever its bytes.

    >>> loads('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    crake.errors.ModelFileError: its description holds the key 'a' twice
    """
    opened = (text.count("{") + text.count("[")) if isinstance(text, str) else (text.count(b"{") + text.count(b"["))
    if opened > MOST_BRACKETS:
        raise ModelFileError(f"its description has {opened} parts; expected at most {MOST_BRACKETS}")
    try:
        return json.loads(
            text, object_pairs_hook=_each_once, parse_constant=_no_constant, parse_float=_finite, parse_int=_whole
        )
    except RecursionError as error:
        raise ModelFileError("its description is nested too deep") from error
    except ModelFileError:
        raise
    except ValueError as error:
        raise ModelFileError(f"its description is not JSON: {str(error)[:100]}") from error


def dumps(value: Any) -> str:
    """Return one text for equal values: keys in order, no spaces, ASCII only."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        # Counted in one pass: of ten thousand keys, comparing each with each would take seconds.
        double, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ModelFileError(f"its description holds the key {double[:100]!r} twice")
    return values


def _no_constant(name: str) -> Any:
    raise ModelFileError(f"its description holds {name}, which is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ModelFileError(f"its description holds the number {digits[:40]}, which no float can hold")
    return number


def _whole(digits: str) -> int:
    """Return a whole number; one beyond the floats would overflow wherever it meets them."""
    if len(digits) > MOST_DIGITS:
        _finite(digits)
    return int(digits)
