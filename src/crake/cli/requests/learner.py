"""`--learner knn`: the learner of a name, for the kind of target that the table has."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

from crake.cli.options import names
from crake.cli.requests.model import is_regressor
from crake.cli.requests.parameters import configured
from crake.cli.requests.reproduce import requoted
from crake.errors import CrakeError, DataError, SchemaError

if TYPE_CHECKING:
    from crake.cli.requests.table import Reading
    from crake.table.schema import Label
    from crake.table.table import Table

LABELS = 3
"""Classes that an error names."""


@dataclass(frozen=True)
class Chosen:
    """The name of a learner and its parameters; a name of two learners is that of the target's kind."""

    name: str
    settings: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse, before any row is read, what no learner of this name takes."""
        try:
            configured(self.name, self.settings)
        except CrakeError:
            if not self._is_regressor():
                raise
            configured(self.name, self.settings, numbers=True)

    def read(self, reading: Reading) -> tuple[Reading, Table]:
        """The table, and how it was read: a scan takes a target for classes unless it is told that it holds numbers."""
        from crake.learners import registry  # noqa: PLC0415

        target = reading.target
        if not self._is_regressor() or target is None or target in names(reading.numeric) or reading.source == "-":
            return reading, reading.table()
        of_numbers = replace(reading, numeric=[*(reading.numeric or ()), *requoted([target])])
        try:
            table = reading.table()
        except SchemaError:
            if reading.sample is None:
                raise
            return of_numbers, of_numbers.table()  # a sample of a scan that holds no few whole numbers
        if table.in_memory or self.name.lower() in registry.names():
            return reading, table
        return of_numbers, of_numbers.table()

    def of(self, table: Table) -> Any:
        """The classifier or regressor that learns the target of this table."""
        from crake.learners import registry  # noqa: PLC0415 (scikit-learn and numba only when there is work)
        from crake.table.target import check_target  # noqa: PLC0415

        if table.schema.target is None or len(table) == 0:
            check_target(table)
        if not has_numbers(table):
            if self.name.lower() not in registry.names():
                self._refuse_classes(table)
            return configured(self.name, self.settings)
        if not self._is_regressor():
            self._refuse_numbers(table)
        check_numbers(table)
        return configured(self.name, self.settings, numbers=True)

    def _is_regressor(self) -> bool:
        from crake.learners import registry  # noqa: PLC0415

        return self.name.lower() in registry.regressor_names()

    def _refuse_classes(self, table: Table) -> NoReturn:
        from crake.learners import registry  # noqa: PLC0415
        from crake.table.target import check_target  # noqa: PLC0415

        if table.in_memory and not table.schema.classes:
            check_target(table)  # no value at all, or running text
        target, classes = table.schema.target or "", table.schema.classes
        said = f"{self.name} predicts a number, and the target {target!r} of {table.name} {_held(classes)}"
        classifier = f"take a classifier ({', '.join(registry.names())})"
        if classes and all(isinstance(label, int | float) and not isinstance(label, bool) for label in classes):
            raise SchemaError(f"{said}: read it as numbers with --numeric {shlex.quote(target)}, or {classifier}")
        raise SchemaError(f"{said}: {classifier}, or name a column of numbers with --target")

    def _refuse_numbers(self, table: Table) -> NoReturn:
        from crake.learners import registry  # noqa: PLC0415

        target = table.schema.target or ""
        raise SchemaError(
            f"{self.name} predicts classes, and the target {target!r} of {table.name} is numeric: take a regressor "
            f"({', '.join(registry.regressor_names())}), or read the target as classes with "
            f"--nominal {shlex.quote(target)}"
        )


def has_numbers(table: Table) -> bool:
    """Whether the target is numeric."""
    from crake.table.schema import Kind  # noqa: PLC0415

    target = table.schema.target
    return target is not None and table.schema[target].kind is Kind.NUMERIC


def check_numbers(table: Table) -> None:
    """Refuse a numeric target of which nothing can be learned; one that is scanned is not known yet."""
    import numpy as np  # noqa: PLC0415 (not for --help)

    target = table.schema.target or ""
    if not table.in_memory:
        return
    values = table.column(target)
    known = values[~np.isnan(values)]
    if len(known) == 0:
        raise DataError(
            f"every value of the target {target!r} is missing in {table.name}; name another target, or the values that "
            "mean something with --missing"
        )
    if known.min() == known.max():
        raise DataError(
            f"the target {target!r} of {table.name} is constant: every row is {known[0]:g}; there is nothing to learn, "
            "so name another target or add rows"
        )


def warnings_for(learner: Any, table: Table) -> tuple[str, ...]:
    """What to look at before learning; that a target holds no classes is what a regressor wants."""
    from crake.table.describe.warnings import coded_warnings  # noqa: PLC0415

    found = coded_warnings(table) if table.in_memory else ()
    return tuple(warning for code, warning in found if not (code == "target" and is_regressor(learner)))


def refuse_numbers(table: Table, reading: Reading) -> None:
    """A comparison is one of classifiers; whoever has a target of numbers is told what to do instead."""
    if not has_numbers(table):
        return
    target, source = shlex.quote(table.schema.target or ""), shlex.quote(reading.source)
    raise SchemaError(
        f"the target {table.schema.target!r} of {table.name} is numeric, and compare is of classifiers: estimate a "
        f"regressor with crake evaluate linear {source} --target {target} (or knn, cart), train one with crake train, "
        f"or read the target as classes with --nominal {target}"
    )


def refuse_regressors(asked: Sequence[str]) -> None:
    """Names that stand for a regressor only have no place in a comparison of classifiers."""
    from crake.learners import registry  # noqa: PLC0415

    for name in asked:
        if name.lower() in registry.regressor_names() and name.lower() not in registry.names():
            raise CrakeError(
                f"{name} predicts a number, and classifiers are compared; crake evaluate {name} TABLE estimates it"
            )


def refuse_class_options(subject: str, options: Mapping[str, Any]) -> None:
    """Options that speak of classes, where a number is predicted."""
    for option, given in options.items():
        if given:
            raise CrakeError(f"{subject} predicts a number: {option} speaks of classes; leave it out")


def _held(classes: Sequence[Label]) -> str:
    """What a target of classes holds, in a few words.

    >>> _held(("no", "yes")), _held((1, 2, 3, 4))
    ('has the classes no, yes', 'has the classes 1, 2, 3 and 1 more')
    """
    if not classes:
        return "is no number"
    more = f" and {len(classes) - LABELS} more" if len(classes) > LABELS else ""
    return f"has the classes {', '.join(map(str, classes[:LABELS]))}{more}"
