"""Options on columns: the target, kinds that are not to be inferred, and what a fitted model expects of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict, Unpack

from crake.errors import ColumnNotFound, SchemaError, TargetNotFound
from crake.table.schema import DATES, Kind, Schema

TYPED = DATES[-1]
LAST = "last"
"""The target that is the last column, whatever its name is."""


class ColumnKeywords(TypedDict, total=False):
    """The keywords of `ColumnOptions.of`; one name alone may stand for a list of one."""

    target: str | int | None
    nominal: Iterable[str]
    numeric: Iterable[str]
    text: Iterable[str]
    ignore: Iterable[str]


@dataclass(frozen=True)
class ColumnOptions:
    """The column to predict, and the columns to read as nominal, numeric or text, or to leave out.

    `target` is a name; or "last", or a position: 1 is the first column, -1 the last. A name comes first.
    """

    target: str | None = None
    nominal: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    @classmethod
    def of(cls, **keywords: Unpack[ColumnKeywords]) -> ColumnOptions:
        """Return the options for these keywords.

        >>> ColumnOptions.of(target="play", nominal="zip")
        ColumnOptions(target='play', nominal=('zip',), numeric=(), text=(), ignore=())
        >>> ColumnOptions.of(weights="w")
        Traceback (most recent call last):
        TypeError: expected keywords among target, nominal, numeric, text, ignore, got weights
        """
        if unknown := set(keywords).difference(ColumnKeywords.__annotations__):
            known = ", ".join(ColumnKeywords.__annotations__)
            raise TypeError(f"expected keywords among {known}, got {', '.join(sorted(unknown))}")
        target = keywords.get("target")
        return cls(
            None if target is None else str(target),
            as_tuple(keywords.get("nominal", ())),
            as_tuple(keywords.get("numeric", ())),
            as_tuple(keywords.get("text", ())),
            as_tuple(keywords.get("ignore", ())),
        )

    def resolved(self, names: Sequence[str], table: str = "") -> ColumnOptions:
        """Return the options with the target by its name; raise if a table with these columns has none such.

        >>> [ColumnOptions(target).resolved(["age", "play"]).target for target in ("age", "last", "1", "-1")]
        ['age', 'play', 'age', 'play']
        """
        if self.target is None or self.target in names:
            return self
        where = f" in {table}" if table else ""
        if self.target == LAST and names:
            return replace(self, target=names[-1])
        if not is_position(self.target):
            raise TargetNotFound(self.target, names, where=where)
        position = int(self.target)
        if not 1 <= abs(position) <= len(names):
            raise SchemaError(
                f"there is no column {position}{where}; expected a position from 1 to {len(names)} "
                f"(or from -1, the last column, to -{len(names)}), or a name"
            )
        return replace(self, target=names[position - 1 if position > 0 else position])

    def kinds(self, names: Sequence[str], table: str = "") -> dict[str, Kind]:
        """Return the requested kind by column; raise for unknown columns, two kinds of one, and a target left out.

        >>> ColumnOptions(nominal=("zip",)).kinds(["zip", "age"])
        {'zip': <Kind.NOMINAL: 'nominal'>}
        """
        where = f" in {table}" if table else ""
        known = set(names)
        kinds: dict[str, Kind] = {}
        for kind, name in self._requests():
            if name not in known:
                raise ColumnNotFound(name, names, where=where)
            if kinds.setdefault(name, kind) is not kind:
                raise SchemaError(f"column {name!r} is asked for as {kinds[name]} and as {kind}; name it once")
        if self.target is not None and kinds.get(self.target) is Kind.IGNORED:
            raise SchemaError(f"column {self.target!r} is both the target and ignored; take it out of one of them")
        return kinds

    def ignoring(self, names: Iterable[str]) -> ColumnOptions:
        """Return the options with these columns left out as well, but for the target."""
        return replace(self, ignore=(*self.ignore, *(name for name in names if name != self.target)))

    def names(self) -> tuple[str, ...]:
        """Return the columns whose kind is not to be inferred."""
        return tuple(name for _, name in self._requests())

    def _requests(self) -> Iterable[tuple[Kind, str]]:
        yield from ((Kind.NOMINAL, name) for name in self.nominal)
        yield from ((Kind.NUMERIC, name) for name in self.numeric)
        yield from ((Kind.TEXT, name) for name in self.text)
        yield from ((Kind.IGNORED, name) for name in self.ignore)


@dataclass(frozen=True)
class Expected:
    """The columns that a model expects of a file, read as they were in training.

    Other columns are not read, unless they are to be kept. `missing` holds the tokens that meant missing in the
    training file, if the caller named them, and `notations` how numbers and dates were written; only texts need them.
    """

    kinds: Mapping[str, Kind]
    keep: bool = False
    missing: tuple[str, ...] | None = None
    notations: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, schema: Schema, *, keep: bool = False, target: str | None = None) -> Expected:
        """Return the expectations of the model of this schema.

        `target` is the column with the labels: it is read as nominal, or as numeric if the schema's target is.
        """
        kinds = {column.name: column.kind for column in (*schema.features, *schema.texts)}
        if target is not None:
            is_numeric = schema.target is not None and schema[schema.target].kind is Kind.NUMERIC
            kinds[target] = Kind.NUMERIC if is_numeric else Kind.NOMINAL
        notations = {c.name: c.notation for c in schema.features if c.notation and not c.is_part}
        for source in {part.source for part in schema.parts}.difference(kinds):
            kinds[source], notations[source] = Kind.NUMERIC, TYPED
        return cls(kinds, keep, notations=notations)

    @classmethod
    def of_model(cls, model: Any, *, keep: bool = False, target: str | None = None) -> Expected:
        """Return the expectations of a fitted model."""
        return replace(cls.of(model.schema_, keep=keep, target=target), missing=getattr(model, "missing_", None))

    def unwanted(self, names: Sequence[str]) -> list[str]:
        """Return the columns of a file that need not be read.

        >>> Expected({"zip": Kind.NOMINAL}).unwanted(["zip", "note"])
        ['note']
        """
        return [name for name, kind in self.of_columns(names).items() if kind is Kind.IGNORED]

    def of_columns(self, names: Sequence[str]) -> dict[str, Kind]:
        """Return the kinds of the columns a file has.

        >>> Expected({"zip": Kind.NOMINAL}).of_columns(["zip", "note"])
        {'zip': <Kind.NOMINAL: 'nominal'>, 'note': <Kind.IGNORED: 'ignored'>}
        """
        kinds = {name: self.kinds.get(name, None if self.keep else Kind.IGNORED) for name in names}
        return {name: Kind(kind) for name, kind in kinds.items() if kind is not None}


def is_position(target: str) -> bool:
    """Return True if a target is a position in the list of columns.

    >>> is_position("4"), is_position("-1"), is_position("play")
    (True, True, False)
    """
    return target.removeprefix("-").isdecimal()


def as_tuple(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names as a tuple; one name alone is a tuple of one, not of its letters.

    >>> as_tuple("zip"), as_tuple(["zip", "age"])
    (('zip',), ('zip', 'age'))
    """
    return (names,) if isinstance(names, str) else tuple(names)
