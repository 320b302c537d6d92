"""What a caller of `read` says of the columns and of the file, kept together on its way to the format's reader."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from crake.errors import ReadError

if TYPE_CHECKING:
    from crake.table.column_options import Expected

_CSV_DEFAULTS = {"missing": None, "delimiter": None, "decimal": ".", "bad_rows": "error", "header": True}


@dataclass(frozen=True)
class Wishes:
    """What the caller says of columns, and of the file."""

    columns: dict[str, Any]
    csv: dict[str, Any]
    encoding: str | None
    max_bytes: int | None
    expected: Expected | None
    in_memory: bool | None
    database: dict[str, Any]

    @property
    def expected_csv(self) -> dict[str, Any]:
        """The options for CSV, with what a model knows of missing values where the caller says nothing."""
        known = None if self.expected is None else self.expected.missing
        return self.csv if self.csv["missing"] is not None or known is None else {**self.csv, "missing": known}

    def for_columns(self, names: Sequence[str]) -> Wishes:
        """Of a file with these columns only those that a model wants are read."""
        if self.expected is None:
            return self
        unwanted = [name for name in self.expected.unwanted(names) if name != self.columns["target"]]
        return replace(self, columns={**self.columns, "ignore": [*self.columns["ignore"], *unwanted]})

    def only_for_csv(self, file: str, kind: str) -> None:
        """Refuse options that would be passed over in silence."""
        for option, default in _CSV_DEFAULTS.items():
            if self.csv[option] != default:
                raise ReadError(f"{option}= is for CSV files, and this is {kind}; leave it out", file=file)

    def only_for_text(self, file: str, kind: str) -> None:
        """The same where nothing is decoded either."""
        self.only_for_csv(file, kind)
        if self.encoding is not None:
            raise ReadError(f"encoding= is for CSV and ARFF files, and this is {kind}; leave it out", file=file)

    def only_loaded(self, file: str, kind: str) -> None:
        """Refuse to promise a scan of what can only be loaded."""
        if self.in_memory is False:
            raise ReadError(
                f"in_memory=False is for files that can be scanned, and this is {kind}; leave it out", file=file
            )


def listed(names: Iterable[str]) -> list[str]:
    """One name alone is a list of one, not of its letters."""
    return [names] if isinstance(names, str) else list(names)
