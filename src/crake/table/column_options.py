"""What the caller says about columns, nominal=, numeric=, text=, ignore=, target=, against what was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import ColumnNotFound, SchemaError, TargetNotFound
from crake.table import cells
from crake.table.codes import Coded, distinct, observe
from crake.table.read_options import listed
from crake.table.schema import Column, Kind, Schema
from crake.table.table import Table

Names = Iterable[str]


@dataclass(frozen=True)
class Expected:
    """What a model expects of a file: its columns, where they are there, read as they were in training.

    Other columns are not read, unless they are to be kept. `missing` is what meant missing in the training file, where
    that was said; only CSV files need it.
    """

    kinds: Mapping[str, Kind]
    keep: bool = False
    missing: tuple[str, ...] | None = None

    @classmethod
    def of(cls, schema: Schema, *, keep: bool = False, target: str | None = None) -> Expected:
        """What the model of this schema expects; a column with labels is read as names."""
        kinds = {column.name: column.kind for column in schema.features}
        return cls(kinds if target is None else {**kinds, target: Kind.NOMINAL}, keep)

    @classmethod
    def of_model(cls, model: Any, *, keep: bool = False, target: str | None = None) -> Expected:
        """What this fitted model expects."""
        return replace(cls.of(model.schema_, keep=keep, target=target), missing=getattr(model, "missing_", None))

    def unwanted(self, names: Sequence[str]) -> list[str]:
        """The columns of a file that need not be read.

        >>> Expected({"zip": Kind.NOMINAL}).unwanted(["zip", "note"])
        ['note']
        """
        return [name for name, kind in self.of_columns(names).items() if kind is Kind.IGNORED]

    def of_columns(self, names: Sequence[str]) -> dict[str, Kind]:
        """The kinds of the columns a file has.

        >>> Expected({"zip": Kind.NOMINAL}).of_columns(["zip", "note"])
        {'zip': <Kind.NOMINAL: 'nominal'>, 'note': <Kind.IGNORED: 'ignored'>}
        """
        found = {name: self.kinds.get(name, None if self.keep else Kind.IGNORED) for name in names}
        return {name: Kind(kind) for name, kind in found.items() if kind is not None}


def asked_kinds(
    names: Sequence[str],
    *,
    nominal: Names = (),
    numeric: Names = (),
    text: Names = (),
    ignore: Names = (),
    table: str = "",
) -> dict[str, Kind]:
    """The kind asked for, by column; a column that does not exist or is named for two kinds is refused.

    >>> asked_kinds(["zip", "age"], nominal=["zip"])
    {'zip': <Kind.NOMINAL: 'nominal'>}
    """
    wishes = {Kind.NOMINAL: nominal, Kind.NUMERIC: numeric, Kind.TEXT: text, Kind.IGNORED: ignore}
    asked: dict[str, Kind] = {}
    known = set(names)
    for kind, columns in wishes.items():
        for name in listed(columns):
            if name not in known:
                raise ColumnNotFound(name, names, where=f" in {table}" if table else "")
            if asked.setdefault(name, kind) is not kind:
                raise SchemaError(f"column {name!r} is asked for as {asked[name]} and as {kind}; name it once")
    return asked


def require_target(target: str | None, asked: Mapping[str, Kind], names: Sequence[str], table: str) -> None:
    """Refuse a target that is not a column or that is left out."""
    if target is not None and target not in names:
        raise TargetNotFound(target, names, where=f" in {table}")
    if target is not None and asked.get(target) is Kind.IGNORED:
        raise SchemaError(f"column {target!r} is both the target and ignored; take it out of one of them")


def apply(
    table: Table,
    *,
    target: str | None = None,
    nominal: Names = (),
    numeric: Names = (),
    text: Names = (),
    ignore: Names = (),
) -> Table:
    """The table with these columns read another way and, where one is given, another target."""
    names = table.schema.names
    asked = asked_kinds(names, nominal=nominal, numeric=numeric, text=text, ignore=ignore, table=table.name)
    require_target(target, asked, names, table.name)
    schema, arrays = table.schema, {}
    for name, kind in asked.items():
        if schema[name].kind is kind:
            continue
        column, array = _as_kind(table, schema[name], kind)
        schema = schema.with_column(column)
        if array is not None:
            arrays[name] = array
    schema = schema.with_target(_target(table, asked) if target is None else target)
    return replace(table, schema=schema, source=table.require_memory().with_columns(arrays) if arrays else table.source)


def _target(table: Table, asked: Mapping[str, Kind]) -> str | None:
    target = table.schema.target
    require_target(target, asked, table.schema.names, table.name)
    return target


def _as_kind(table: Table, column: Column, kind: Kind) -> tuple[Column, NDArray[Any] | None]:
    if kind is Kind.IGNORED:
        return Column(column.name, kind), None
    if column.kind is Kind.IGNORED:
        raise SchemaError(
            f"column {column.name!r} was left out when {table.name} was read; read it again without ignoring it"
        )
    array = table.column(column.name)
    held = Coded(column.levels, array, column.declared) if column.kind is Kind.NOMINAL else array
    if kind is Kind.NUMERIC:
        return Column(column.name, kind), cells.numbers(held, column.name)
    if kind is Kind.TEXT:
        return Column(column.name, kind), cells.texts(_whole(held))
    levels, codes = observe(_whole(held))
    return Column(column.name, kind, levels), codes


def _whole(held: NDArray[Any] | Coded) -> Coded:
    """Numbers that are all whole become whole labels: 1, not 1.0."""
    coded = distinct(held)
    if isinstance(held, np.ndarray) and held.dtype == np.float64:
        labels = [label for label in coded.labels if label is not None]
        if all(isinstance(label, float) and label.is_integer() for label in labels):
            return Coded([None if label is None else int(label) for label in coded.labels], coded.codes)
    return coded
