"""Samplers of imbalanced-learn in the place of crake's: a table becomes an array or a frame, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

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

    Class labels are given as codes. Rows that the sampler names in `sample_indices_` are known by number. Of other
    samplers the rows that were given come first, and the rest is made up.
    """

    makes_rows = True

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler

    def sample(self, table: Table, random_state: int | None = None) -> Sample:
        """Return the sample of the sampler within, with another seed if one is given and it takes one."""
        own = clone(self.sampler)
        if random_state is not None and "random_state" in own.get_params():
            own.set_params(random_state=random_state)
        names = [column.name for column in table.schema.features]
        X = table.select(names).to_pandas() if table.schema.nominal else table.matrix(names, np.float64)
        chosen, codes = own.fit_resample(X, np.asarray(table.target))
        if hasattr(own, "sample_indices_"):
            return Sample(np.asarray(own.sample_indices_, np.intp))
        rows = encode(chosen, table.schema.select(names), by_name=bool(table.schema.nominal))
        columns = {name: rows.column(name) for name in names}
        target = np.asarray(codes, np.int32)
        own_rows = _own_rows(table, names, columns)
        made = {name: values[own_rows:] for name, values in columns.items()}
        new = table_of_columns(table.schema, {**made, table.class_column: target[own_rows:]}, len(target) - own_rows)
        return Sample(np.arange(own_rows), made=new)

    def _words(self) -> str:
        return type(self.sampler).__name__


def _own_rows(table: Table, names: list[str], columns: dict[str, Any]) -> int:
    """Return the number of rows of the table if they come first among these, 0 otherwise."""
    rows = len(table)
    alike = (np.array_equal(columns[n][:rows], table.column(n), equal_nan=columns[n].dtype.kind == "f") for n in names)
    return rows if len(columns[names[0]]) >= rows and all(alike) else 0
