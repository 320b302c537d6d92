"""`--learner knn`: the learner of a name, for the kind of target that the table has."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crake.cli.model import is_regressor
from crake.cli.settings import configured
from crake.errors import CrakeError, SchemaError

if TYPE_CHECKING:
    from crake.cli.reading import Reading
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

    def of(self, table: Table) -> Any:
        """The classifier or regressor that learns the target of this table."""
        from crake.learners import registry  # noqa: PLC0415 (scikit-learn and numba only when there is work)
        from crake.table.target import check_target  # noqa: PLC0415

        is_classifier = self.name.lower() in registry.names()
        if table.schema.target is None:
            check_target(table)
        if not has_numbers(table):
            if not is_classifier:
                raise SchemaError(self._wants_numbers(table))
            return configured(self.name, self.settings)
        if not self._is_regressor() and table.in_memory:
            raise SchemaError(self._wants_classes(table))
        # Of a target that is scanned it is not known yet whether it is a few whole numbers, which are classes.
        return configured(self.name, self.settings, numbers=table.in_memory or not is_classifier)

    def _is_regressor(self) -> bool:
        from crake.learners import registry  # noqa: PLC0415

        return self.name.lower() in registry.regressor_names()

    def _wants_numbers(self, table: Table) -> str:
        from crake.learners import registry  # noqa: PLC0415

        target, classes = table.schema.target or "", table.schema.classes
        said = f"{self.name} predicts a number, and the target {target!r} of {table.name} {_held(classes)}"
        classifier = f"take a classifier ({', '.join(registry.names())})"
        if classes and all(isinstance(label, int | float) and not isinstance(label, bool) for label in classes):
            return f"{said}: read it as numbers with --numeric {shlex.quote(target)}, or {classifier}"
        return f"{said}: {classifier}, or name a column of numbers with --target"

    def _wants_classes(self, table: Table) -> str:
        from crake.learners import registry  # noqa: PLC0415

        target = table.schema.target or ""
        return (
            f"{self.name} predicts classes, and the target {target!r} of {table.name} is numeric: take a regressor "
            f"({', '.join(registry.regressor_names())}), or read the target as classes with "
            f"--nominal {shlex.quote(target)}"
        )


def has_numbers(table: Table) -> bool:
    """Whether the target is numeric."""
    from crake.table.schema import Kind  # noqa: PLC0415

    target = table.schema.target
    return target is not None and table.schema[target].kind is Kind.NUMERIC


def warnings_for(learner: Any, table: Table) -> tuple[str, ...]:
    """What to look at before learning; that a target holds no classes is what a regressor wants."""
    from crake.table.checks import coded_warnings  # noqa: PLC0415

    found = coded_warnings(table) if table.in_memory else ()
    return tuple(warning for code, warning in found if not (code == "target" and is_regressor(learner)))


def refuse_numbers(table: Table, reading: Reading) -> None:
    """A comparison is one of classifiers; whoever has a target of numbers is told what to do instead."""
    if not table.in_memory or not has_numbers(table):
        return
    target, source = shlex.quote(table.schema.target or ""), shlex.quote(reading.source)
    raise SchemaError(
        f"the target {table.schema.target!r} of {table.name} is numeric, and compare is of classifiers: estimate a "
        f"regressor with crake evaluate linear {source} --target {target} (or knn, cart), train one with crake train, "
        f"or read the target as classes with --nominal {target}"
    )


def refuse_regressors(names: Sequence[str]) -> None:
    """Names that stand for a regressor only have no place in a comparison of classifiers."""
    from crake.learners import registry  # noqa: PLC0415

    for name in names:
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
