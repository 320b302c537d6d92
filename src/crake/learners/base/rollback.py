"""A refusal leaves a model as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def unchanged_if_refused(model: Any) -> Iterator[None]:
    """What the model holds comes back if the step within fails: rows of other columns, a prior without a new class."""
    before = dict(vars(model))
    try:
        yield
    except BaseException:
        vars(model).clear()
        vars(model).update(before)
        raise
