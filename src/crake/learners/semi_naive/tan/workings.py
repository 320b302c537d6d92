"""TAN worked by hand: each value given the class and the value of its parent, the product, the normalisation."""

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
from crake.render.workings import Section, Step, Workings, number, scientific
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.semi_naive.tan.learner import TANClassifier


def explain_row(model: TANClassifier, row: Table, probabilities: Floats) -> Workings:
    """Factors, products, normalisation; the answer is what `predict_proba` gives."""
    tree, codes = model.tree_, model.counts_.codes_of(row)[0]
    filled = np.where(codes[tree.used] < 0, tree.mode, codes[tree.used]).astype(np.int32)
    products = tree.log_products(filled[None, :])[0]
    labels = [str(label) for label in model.classes_]
    of = written_out(products)
    plain = [i for i in tree.order if filled[i] >= 0 and (tree.parent[i] < 0 or filled[tree.parent[i]] >= 0)]
    sections = (
        Section(
            "Each value given the class and the value of its parent",
            tuple(_step(model, filled, i, k) for i in plain[:LONGEST] for k in of),
        ),
        Section("Product of these and the prior", _products(model, filled, plain, products, of)),
        Section("Normalised to sum to 1", normalisation(products, probabilities, labels, of)),
    )
    notes = skipped_columns(model, row, codes, _instead(model, codes))
    if len(plain) > LONGEST:
        notes.append(f"{len(plain) - LONGEST} more factors are in the products but not written out")
    notes += notes_on_classes(products, probabilities, of)
    return Workings(
        "TAN: P(class | row) = P(class) × Π P(value | class, value of its parent) / sum over the classes",
        sections,
        tuple(zip(labels, map(float, probabilities), strict=True)),
        tuple(notes),
    )


def _instead(model: TANClassifier, codes: Codes) -> dict[int, str]:
    """Return what becomes of the columns of the tree whose value is not known; one that nothing hangs on is skipped."""
    tree = model.tree_
    if model.missing == "mode":
        modes = {j: value_name(model, j, int(mode)) for j, mode in zip(tree.used, tree.mode, strict=True)}
        return {j: f"counts as its most frequent value ({modes[j]})" for j in tree.used if codes[j] < 0}
    has_known = np.zeros(len(tree.used), bool)  # among the columns below
    for i in reversed(tree.order):
        if tree.parent[i] >= 0:
            has_known[tree.parent[i]] |= has_known[i] or codes[tree.used[i]] >= 0
    return {j: "is summed over" for j, known in zip(tree.used, has_known, strict=True) if known and codes[j] < 0}


def _counts(model: TANClassifier, codes: Codes, i: int) -> Floats:
    """Return the counts (classes, levels) that column i is read from, given the value of its parent."""
    tree, nodes = model.tree_, model.node_counts_
    p = int(tree.parent[i])
    return nodes.alone(tree.used[i]) if p < 0 else nodes.pair(tree.used[p], tree.used[i])[:, codes[p]]


def _step(model: TANClassifier, codes: Codes, i: int, k: int) -> Step:
    tree = model.tree_
    p = int(tree.parent[i])
    given = (
        str(model.classes_[k]) if p < 0 else f"{model.classes_[k]}, {value_name(model, tree.used[p], int(codes[p]))}"
    )
    counts = _counts(model, codes, i)[k]
    name = value_name(model, tree.used[i], int(codes[i]))
    return Step(
        f"P({name} | {given})",
        "",
        fraction_written(counts[codes[i]], counts.sum(), model.alpha, len(counts)),
        scientific(_log_factor(model, codes, i)[k]),
        f"{number(counts[codes[i]])} of {number(counts.sum())} rows",
    )


def _log_factor(model: TANClassifier, codes: Codes, i: int) -> Floats:
    tree = model.tree_
    p = int(tree.parent[i])
    factor: Floats = tree.logs[i][:, 0 if p < 0 else codes[p], codes[i]]
    return factor


def _products(
    model: TANClassifier, codes: Codes, plain: list[int], products: Floats, of: list[int]
) -> tuple[Step, ...]:
    tree = model.tree_
    with np.errstate(divide="ignore", invalid="ignore"):
        known = np.log(tree.prior) + sum((_log_factor(model, codes, i) for i in plain), np.zeros(1))
        summed = np.where(np.isneginf(known), 0.0, products - known)
    total, classes = model.class_count_.sum(), len(model.classes_)
    has_sum = bool(np.any(np.abs(summed) > 1e-12))
    steps = []
    for k in of:
        prior = fraction_written(model.class_count_[k], total, model.alpha, classes)
        factors = [scientific(_log_factor(model, codes, i)[k]) for i in plain[:LONGEST]]
        more = ["…"] if len(plain) > LONGEST else []
        rest = [f"{scientific(summed[k])} (sum over the values of missing parents)"] if has_sum else []
        written = " × ".join([prior, *factors, *more, *rest])
        source = f"the prior: {number(model.class_count_[k])} of {number(total)} rows are {model.classes_[k]}"
        steps.append(Step(str(model.classes_[k]), "", written, scientific(products[k]), source))
    return tuple(steps)
