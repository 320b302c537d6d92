"""Samplers of imbalanced-learn in the place of crake's: a table becomes an array or a frame, and back."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from crake.arrays import Codes, Rows
from crake.balance.sample import Sample, table_of_columns
from crake.balance.sampler import Sampler
from crake.errors import CrakeError
from crake.learners.base.scikit_learn import clone
from crake.table.convert.frames import encode
from crake.table.table import Table


def as_sampler(sampler: Any) -> Sampler:
    """Return one of crake's samplers as it is, and one of imbalanced-learn as one of crake's."""
    if isinstance(sampler, Sampler):
        return sampler
    if isinstance(sampler, type) or not callable(getattr(sampler, "fit_resample", None)):
        made = (
            f"make one of the class, as in {sampler.__name__}()" if isinstance(sampler, type) else "take Oversample()"
        )
        raise CrakeError(
            f"expected a sampler of crake, or one with imbalanced-learn's fit_resample, got {sampler!r}: {made}"
        )
    return ForeignSampler(sampler)


class ForeignSampler(Sampler):
    """A sampler of imbalanced-learn. It is given an array if all columns are numeric, a pandas frame otherwise.

    Class labels are given as codes. Rows that the sampler names in `sample_indices_` and gives back as they were are
    known by number. Of other samplers the rows that were given come first, and the rest is made up. An object that has
    no parameters, only `fit_resample`, is copied for each sample.
    """

    makes_rows = True

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler

    def sample(self, table: Table, random_state: int | None = None) -> Sample:
        """Return the sample of the sampler within, with another seed if one is given and it takes one."""
        own = self._seeded(random_state)
        return ForeignSampler(own)._resample(self._in_memory(table), np.random.default_rng(0))  # noqa: SLF001 (its own class)

    def of_arrays(self, X: Any, codes: Codes, random_state: int | None = None) -> tuple[Any, Codes, Rows | None]:
        """Return X and class codes as the sampler within gives them, and the numbers of its rows if it names them."""
        own = self._seeded(random_state)
        chosen, drawn = own.fit_resample(X, codes)
        named = getattr(own, "sample_indices_", None)
        return chosen, np.asarray(drawn, np.int32), None if named is None else np.asarray(named, np.intp)

    def _seeded(self, random_state: int | None) -> Any:
        """Return the sampler within, not fitted, with another seed if one is given and it takes one."""
        own = _copied(self.sampler)
        if random_state is not None and "random_state" in _parameters(own):
            own.set_params(random_state=random_state)
        return own

    def _resample(self, table: Table, generator: np.random.Generator) -> Sample:
        del generator  # the sampler within draws by its own seed
        own = _copied(self.sampler)
        names = [column.name for column in table.schema.features]
        X = table.select(names).to_pandas() if table.schema.nominal else table.matrix(names, np.float64)
        chosen, codes = own.fit_resample(X, np.asarray(table.target))
        rows = encode(chosen, table.schema.select(names), by_name=bool(table.schema.nominal))
        columns = {name: rows.column(name) for name in names}
        target = np.asarray(codes, np.int32)
        if hasattr(own, "sample_indices_"):
            named = np.asarray(own.sample_indices_, np.intp)
            if np.array_equal(table.target[named], target) and _are_alike(table, named, columns):
                return Sample(named)
        own_rows = _own_rows(table, columns)
        if own_rows == len(target):
            return Sample(np.arange(own_rows))
        made = {name: values[own_rows:] for name, values in columns.items()}
        new = table_of_columns(table.schema, {**made, table.class_column: target[own_rows:]}, len(target) - own_rows)
        return Sample(np.arange(own_rows), made=new)

    def _words(self) -> str:
        return type(self.sampler).__name__


def _copied(sampler: Any) -> Any:
    """Return a sampler that is not fitted; what has no parameters to make it from is copied as it is."""
    return clone(sampler) if hasattr(sampler, "get_params") else copy.deepcopy(sampler)


def _parameters(sampler: Any) -> dict[str, Any]:
    return sampler.get_params() if hasattr(sampler, "get_params") else {}


def _own_rows(table: Table, columns: dict[str, Any]) -> int:
    """Return the number of rows of the table if they come first among these, 0 otherwise."""
    rows = len(table)
    first = {name: values[:rows] for name, values in columns.items()}
    return rows if _are_alike(table, np.arange(rows), first) else 0


def _are_alike(table: Table, rows: Rows, columns: dict[str, Any]) -> bool:
    """Return True if these columns hold these rows of the table, cell by cell."""
    return all(
        np.array_equal(values, table.column(name)[rows], equal_nan=values.dtype.kind == "f")
        for name, values in columns.items()
    )
