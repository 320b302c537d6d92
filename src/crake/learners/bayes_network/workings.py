"""A network worked by hand: each table that has the class, the product of what it says, the normalisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Codes, Floats
from crake.learners.semi_naive.row_words import (
    LONGEST,
    fraction_written,
    normalisation,
    notes_on_classes,
    skipped_columns,
    value_name,
    written_out,
)
from crake.learners.structure.blanket import markov_blanket
from crake.render.workings import Section, Step, Workings, number, scientific
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.bayes_network.learner import BayesNetworkClassifier


def explain_row(model: BayesNetworkClassifier, row: Table, probabilities: Floats) -> Workings:
    """Factors, products, normalisation; the answer is what `predict_proba` gives."""
    tables, read = model.tables_, model.counts_.codes_of(row)[0]
    codes = tables.with_modes(model.variables_.codes_of(read[None, :]))[0]
    known = _known_factors(model, codes)
    products = _log_products(model, codes, known)
    labels = [str(label) for label in model.classes_]
    of = written_out(products)
    shown = known[:LONGEST]
    sections = (
        Section(
            "Each value given its parents in the network",
            tuple(_step(model, codes, at, k) for at in shown for k in of),
        ),
        Section("Product of these", _products(model, codes, known, products, of)),
        Section("Normalised to sum to 1", normalisation(products, probabilities, labels, of)),
    )
    notes = skipped_columns(model, row, read, _instead(model, read, codes))
    notes += _outside(model)
    if len(known) > LONGEST:
        notes.append(f"{len(known) - LONGEST} more factors are in the products but not written out")
    notes += notes_on_classes(products, probabilities, of)
    return Workings(
        "Bayesian network: P(class | row) = Π P(value | values of its parents) / sum over the classes",
        sections,
        tuple(zip(labels, map(float, probabilities), strict=True)),
        tuple(notes),
    )


def _known_factors(model: BayesNetworkClassifier, codes: Codes) -> list[int]:
    """Return the variables whose tables have the class, and whose values are all known."""
    tables = model.tables_
    families = {at: (*tables.graph.parents[at], at) for at in tables.factors}
    return [at for at, family in families.items() if all(codes[v] >= 0 or v == tables.target for v in family)]


def _log_products(model: BayesNetworkClassifier, codes: Codes, known: list[int]) -> Floats:
    tables = model.tables_
    if tables.is_plain(codes[None, :])[0]:
        return sum((tables.log_factor(codes, at) for at in known), np.zeros(len(model.classes_)))
    products: Floats = tables.log_products(codes[None, :])[0]
    return products


def _instead(model: BayesNetworkClassifier, read: Codes, codes: Codes) -> dict[int, str]:
    """Return what becomes of the columns whose value is not known, where they are not skipped."""
    tables, variables = model.tables_, model.variables_
    missing = {at: j for at, j in enumerate(variables.of_read) if j >= 0 and read[j] < 0}
    if model.missing == "mode":
        names = {j: value_name(model, j, int(tables.mode[at])) for at, j in missing.items()}
        return {j: f"counts as its most frequent value ({name})" for j, name in names.items()}
    if tables.is_plain(codes[None, :])[0]:
        return {}
    barren = tables.barren(codes[None, :])[0]
    return {j: "is summed over" for at, j in missing.items() if not barren[at]}


def _outside(model: BayesNetworkClassifier) -> list[str]:
    """Return a sentence on the columns outside the Markov blanket of the class."""
    tables = model.tables_
    inside = markov_blanket(tables.graph.parents, tables.target)
    names = [name for at, name in enumerate(tables.graph.names) if at != tables.target and at not in inside]
    if not names:
        return []
    listed = ", ".join([*names[:6], *([f"… ({len(names) - 6} more)"] if len(names) > 6 else [])])
    target, verb = tables.graph.names[tables.target], "says" if len(names) == 1 else "say"
    return [
        f"{listed} {verb} nothing of {target} in this network{' once the other columns are known' if inside else ''}"
    ]


def _name(model: BayesNetworkClassifier, at: int, codes: Codes, k: int) -> str:
    if at == model.tables_.target:
        return str(model.classes_[k])
    return value_name(model, model.variables_.of_read[at], int(codes[at]))


def _step(model: BayesNetworkClassifier, codes: Codes, at: int, k: int) -> Step:
    tables = model.tables_
    family = (*tables.graph.parents[at], at)
    place = tuple(k if v == tables.target else int(codes[v]) for v in family)
    given = ", ".join(_name(model, v, codes, k) for v in family[:-1])
    line = tables.counts[at][place[:-1]]
    count = float(line[place[-1]])
    return Step(
        f"P({_name(model, at, codes, k)}{' | ' if given else ''}{given})",
        "",
        fraction_written(count, float(line.sum()), model.alpha, len(line)),
        scientific(tables.log_factor(codes, at)[k]),
        f"{number(count)} of {number(line.sum())} rows",
    )


def _products(
    model: BayesNetworkClassifier, codes: Codes, known: list[int], products: Floats, of: list[int]
) -> tuple[Step, ...]:
    tables = model.tables_
    shown = [tables.log_factor(codes, at) for at in known]
    with np.errstate(invalid="ignore"):
        all_known = sum(shown, np.zeros(len(model.classes_)))
        rest = np.where(np.isneginf(all_known), 0.0, products - all_known)
    has_sum = bool(np.any(np.abs(rest) > 1e-12))
    steps = []
    for k in of:
        factors = [scientific(factor[k]) for factor in shown[:LONGEST]]
        more = ["…"] if len(shown) > LONGEST else []
        summed = [f"{scientific(rest[k])} (sum over the values of missing columns)"] if has_sum else []
        written = " × ".join([*factors, *more, *summed])
        steps.append(Step(str(model.classes_[k]), "", written, scientific(products[k])))
    return tuple(steps)
