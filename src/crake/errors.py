"""Errors that crake raises. A message says what was expected, what came instead, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the known word that is nearest, as a question to put into a message; nothing where none is near.

    >>> did_you_mean("alhpa", ["alpha", "prior"]), did_you_mean("x", ["alpha", "prior"])
    (" Did you mean 'alpha'?", '')
    """
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


class CrakeError(ValueError):
    """Anything crake refuses. The command line prints it in one line and exits with 2."""


class UnavailableAttribute(CrakeError, AttributeError):
    """An attribute that this model does not have, with the reason: `hasattr` and `dir` go on."""


class ReadError(CrakeError):
    """A file that cannot be read as a table.

    >>> str(ReadError("expected 3 fields, found 2; --bad-rows=skip leaves such rows out", file="a.csv", line=7))
    'a.csv, line 7: expected 3 fields, found 2; --bad-rows=skip leaves such rows out'
    """

    def __init__(
        self, message: str, *, file: str | None = None, line: int | None = None, column: str | None = None
    ) -> None:
        self.file, self.line, self.column = file, line, column
        place = [
            *([file] if file is not None else []),
            *([f"line {line}"] if line is not None else []),
            *([f"column {column!r}"] if column is not None else []),
        ]
        super().__init__(f"{', '.join(place)}: {message}" if place else message)


class SchemaError(CrakeError):
    """Columns that are missing, doubled, or of the wrong kind."""


class CellError(SchemaError):
    """Cells that are not what their column is read as: the fault, then what helps if it is a column to learn from.

    >>> error = CellError("column 'y' holds 'x', which is not a number", "; expected numbers: mend the value")
    >>> print(error.fault)
    column 'y' holds 'x', which is not a number
    """

    def __init__(self, fault: str, advice: str = "") -> None:
        super().__init__(f"{fault}{advice}")
        self.fault = fault


class ColumnNotFound(SchemaError):
    """A column was named that the table does not have.

    >>> str(ColumnNotFound("plya", ["outlook", "play"]))
    "there is no column 'plya'. Did you mean 'play'? Columns: outlook, play"
    """

    def __init__(self, name: object, columns: Sequence[str], *, where: str = "") -> None:
        hint = did_you_mean(str(name), columns)
        super().__init__(f"there is no column {str(name)!r}{where}.{hint} Columns: {_listed(columns)}")


def _listed(columns: Sequence[str]) -> str:
    """Return all names, or the first dozen and the last few: the column to predict often comes last.

    >>> _listed([f"x{i}" for i in range(40)])
    'x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, … (25 more), x37, x38, x39'
    """
    if len(columns) <= 20:
        return ", ".join(columns)
    return ", ".join([*columns[:12], f"… ({len(columns) - 15} more)", *columns[-3:]])


class TargetNotFound(ColumnNotFound):
    """The column to predict is not in the table."""


class DataError(CrakeError):
    """A table that can be read but not learned from: no rows, one class, a constant target."""


class LearnerError(CrakeError):
    """An error that a learner raised, in words alone; `kind` is the name of its class."""

    def __init__(self, message: str, *, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


class MemoryRefusal(DataError):
    """Work that would take more memory than this machine has, or than the user allowed."""


class ModelFileError(CrakeError):
    """A file that is not a model, is damaged, or holds what no model can hold."""


class UndefinedMeasure(CrakeError):
    """A measure that has no value on these rows (an AUC of one class); the message says why."""


class CrakeWarning(UserWarning):
    """Base class of crake's warnings: the user should know, the work goes on."""
