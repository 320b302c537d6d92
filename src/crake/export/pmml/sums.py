"""Additive models as regression: what columns add to each score, by derived fields where PMML has no words for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise

import numpy as np

from crake.arrays import Floats
from crake.export.forms import Additive, LevelTerm, NormalTerm, NumberTerm, StepTerm
from crake.export.pmml.elements import Element, Fields, element, label_type, text
from crake.table.schema import Label

IMPOSSIBLE = -1e300
"""The logarithm that stands for −∞, which no constant of PMML is."""


def is_ever_impossible(form: Additive) -> bool:
    """Return True if the score of a class may be −∞ for a row."""
    tables = [term.values for term in form.terms if isinstance(term, LevelTerm | StepTerm)]
    floors = [term.log_floor for term in form.terms if isinstance(term, NormalTerm)]
    return any(bool(np.isneginf(each).any()) for each in tables) or -np.inf in floors


def one_output(form: Additive, output: int) -> Additive:
    """Return the form of one of the scores."""
    terms = []
    for term in form.terms:
        arrays = {each.name: getattr(term, each.name) for each in fields(term) if each.name != "cuts"}
        own = {name: value[..., [output]] for name, value in arrays.items() if isinstance(value, np.ndarray)}
        terms.append(replace(term, **own))  # type: ignore[arg-type]
    return Additive(form.constant[[output]], tuple(terms))


def apply(function: str, *arguments: Element | float) -> Element:
    """Return a call of a built-in function; numbers are constants."""
    own = [constant(each) if isinstance(each, float) else each for each in arguments]
    return element("Apply", *own, function=function)


def constant(value: float) -> Element:
    """Return a constant number."""
    own = element("Constant", dataType="double")
    own.text = repr(float(value))
    return own


def label_constant(label: Label) -> Element:
    """Return a constant level."""
    own = element("Constant", dataType=label_type([label]))
    own.text = text(label)
    return own


def reference(name: str) -> Element:
    """Return the value of a field."""
    return element("FieldRef", field=name)


def derived(name: str, expression: Element, *, is_name: bool = False) -> Element:
    """Return a field that is computed."""
    kind, optype = ("string", "categorical") if is_name else ("double", "continuous")
    return element("DerivedField", expression, name=name, optype=optype, dataType=kind)


@dataclass
class Scores:
    """The scores of an additive model: derived fields, and the predictors of each score."""

    fields: Fields
    intercepts: Floats
    derived: list[Element] = field(default_factory=list)
    numeric: list[list[tuple[str, float]]] = field(init=False)
    categorical: list[list[tuple[str, object, float]]] = field(init=False)

    def __post_init__(self) -> None:
        self.numeric = [[] for _ in self.intercepts]
        self.categorical = [[] for _ in self.intercepts]

    @classmethod
    def of(cls, columns: Fields, form: Additive) -> Scores:
        """Return the scores of a form."""
        own = cls(columns, np.maximum(form.constant, IMPOSSIBLE))
        for term in form.terms:
            match term:
                case LevelTerm():
                    own._levels(term)
                case NumberTerm():
                    own._number(term)
                case NormalTerm():
                    own._normal(term)
                case StepTerm():
                    own._step(term)
        return own

    def derive(self, name: str, expression: Element, *, is_name: bool = False) -> str:
        """Add a field and return its name."""
        name = self.fields.free(name)
        self.derived.append(derived(name, expression, is_name=is_name))
        return name

    def add(self, name: str, coefficients: Floats) -> None:
        """Add a field times its coefficients to the scores."""
        for own, value in zip(self.numeric, coefficients, strict=True):
            if value != 0:
                own.append((name, max(float(value), IMPOSSIBLE)))

    def _add_name(self, name: str, value: object, coefficients: Floats) -> None:
        for own, coefficient in zip(self.categorical, coefficients, strict=True):
            if coefficient != 0:
                own.append((name, value, max(float(coefficient), IMPOSSIBLE)))

    def _gap(self, name: str, missing: Floats) -> None:
        if np.any(missing):
            own = apply("if", apply("isMissing", reference(name)), 1.0, 0.0)
            self.add(self.derive(f"{name} is missing", own), missing)

    def _levels(self, term: LevelTerm) -> None:
        column = self.fields.column(term.feature)
        for level, line in zip(column.levels, term.values, strict=True):
            self._add_name(column.name, level, line)
        self._gap(column.name, term.missing)
        if np.any(term.unseen):
            x = reference(column.name)
            known: Element | float = 1.0
            for level in column.levels:
                known = apply("if", apply("equal", x, label_constant(level)), 0.0, known)
            new = apply("if", apply("isMissing", x), 0.0, known)
            self.add(self.derive(f"{column.name} is new", new), term.unseen)

    def _number(self, term: NumberTerm) -> None:
        name = self.fields.column(term.feature).name
        z = self._moved(name, term.unit, [term.centre, term.rest], term.scale)
        z = apply("max", apply("min", z, term.farthest), -term.farthest)
        own = apply("if", apply("isMissing", reference(name)), 0.0, z)
        self.add(self.derive(f"{name} in units", own), term.coefficient)
        self._gap(name, term.missing)

    @staticmethod
    def _moved(name: str, unit: float, centres: Sequence[float], scale: float) -> Element:
        """Return (x·unit − centres)·scale without steps that change nothing."""
        z = reference(name) if unit == 1 else apply("*", reference(name), float(unit))
        for centre in centres:
            z = z if centre == 0 else apply("-", z, float(centre))
        return z if scale == 1 else apply("*", z, float(scale))

    def _normal(self, term: NormalTerm) -> None:
        """Add the log density of each class, a field of its own."""
        name = self.fields.column(term.feature).name
        for k, own in enumerate(self.numeric):
            if term.precision[k] > 0:
                z = self._moved(name, term.scale, [term.mean[k], term.rest[k]], float(term.precision[k]))
                density = apply("-", apply("*", -0.5, apply("*", z, z)), float(term.log_norm[k]))
                density = apply("max", density, max(float(term.log_floor), IMPOSSIBLE))
                whole = apply("if", apply("isMissing", reference(name)), 0.0, density)
                own.append((self.derive(f"{name} density {k}", whole), 1.0))

    def _step(self, term: StepTerm) -> None:
        """Add an interval as a name: its number, or "gap" where x is missing."""
        name = self.fields.column(term.feature).name
        ends = [None, *map(float, term.cuts), None]
        spans = [
            element("Interval", closure="openClosed", leftMargin=low, rightMargin=high) for low, high in pairwise(ends)
        ]
        bins = [element("DiscretizeBin", span, binValue=at) for at, span in enumerate(spans)]
        if len(term.cuts):
            whole = element("Discretize", *bins, field=name, mapMissingTo="gap")
            own = self.derive(f"{name} interval", whole, is_name=True)
            for at, line in enumerate(term.values):
                self._add_name(own, str(at), line)
            self._add_name(own, "gap", term.missing)
        else:
            known = apply("if", apply("isMissing", reference(name)), 0.0, 1.0)
            self.add(self.derive(f"{name} is known", known), term.values[0])
            self._gap(name, term.missing)

    def table(self, output: int, category: object | None = None) -> Element:
        """Return the equation of a score."""
        numeric = [
            element("NumericPredictor", name=name, exponent=1, coefficient=value)
            for name, value in self.numeric[output]
        ]
        names = [
            element("CategoricalPredictor", name=name, value=value, coefficient=coefficient)
            for name, value, coefficient in self.categorical[output]
        ]
        return element(
            "RegressionTable", *numeric, *names, intercept=float(self.intercepts[output]), targetCategory=category
        )

    def transformations(self) -> Element | None:
        """Return the derived fields."""
        return element("LocalTransformations", *self.derived) if self.derived else None
