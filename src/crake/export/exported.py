"""A fitted model as it leaves the house: its form, its columns and its classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from crake.export.forms import Additive, Form, Levels, LogSum, Mixture, Rules, Sum, Tree
from crake.render.short_repr import short_repr
from crake.table.schema import Label, Schema


@dataclass(frozen=True, eq=False)
class Exported:
    """A fitted model: a form of its schema's features. Classes are probabilities of a form; without, it is a number."""

    title: str
    schema: Schema
    form: Form
    classes: tuple[Label, ...] = ()
    features: tuple[int, ...] = field(init=False)

    __repr__ = short_repr

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(sorted(set(features_of(self.form)))))


def features_of(form: Form) -> Iterator[int]:
    """Yield the features that a form reads, some of them repeatedly."""
    match form:
        case Tree():
            tests = (test for node in form.nodes for question in node.questions for test in question if test)
            yield from (condition.feature for test in tests for condition in test)
        case Rules():
            yield from (each.condition.feature for rule in form.rules for each in rule)
        case Additive():
            yield from (term.feature for term in form.terms)
        case Sum():
            for part in form.parts:
                yield from features_of(part.form)
        case Levels() | LogSum() | Mixture():
            yield from _features_of_cases(form)
        case _:
            yield from features_of(form.form)


def _features_of_cases(form: Levels | LogSum | Mixture) -> Iterator[int]:
    """Yield the features of forms that others share: each form is looked at once."""
    seen: set[Form] = set()
    waiting: list[Form] = [form]
    while waiting:
        own = waiting.pop()
        if own in seen:
            continue
        seen.add(own)
        match own:
            case Levels():
                yield own.level.feature
                waiting += own.cases
            case LogSum():
                yield from (level.feature for level, _ in own.parents)
                waiting += [own.otherwise, *(case for _, cases in own.parents for case in cases if case is not None)]
            case Mixture():
                waiting += [own.tree, *own.forms]
            case Sum():
                waiting += [part.form for part in own.parts]
            case _:
                yield from features_of(own)
