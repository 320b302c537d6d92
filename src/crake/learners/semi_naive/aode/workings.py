"""AODE worked by hand: the product of each parent, their average, the normalisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Codes, Floats
from crake.learners.base.classifier import logarithms
from crake.learners.semi_naive.row_words import (
    LONGEST_OF_MANY,
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
    from crake.learners.semi_naive.aode.learner import AODEClassifier


def explain_row(model: AODEClassifier, row: Table, probabilities: Floats) -> Workings:
    """Products, average, normalisation; the answer is what `predict_proba` gives."""
    codes = model.counts_.codes_of(row)[0]
    known = np.flatnonzero(codes >= 0).tolist()
    parents = [p for p in known if model.tables_.is_parent[model.tables_.first[p] + codes[p]]]
    logs = np.array([_log_products(model, codes, p) for p in parents]).reshape(-1, len(model.classes_))
    means = (
        np.logaddexp.reduce(logs, axis=0) - np.log(len(parents)) if parents else _without_parents(model, codes, known)
    )
    labels = [str(label) for label in model.classes_]
    of = written_out(means)
    sections = [Section("Normalised to sum to 1", normalisation(means, probabilities, labels, of))]
    if parents:
        sections[:0] = [
            Section("Each value as the parent of the others", _products(model, codes, known, parents, logs, of)),
            Section("Average over the parents", _averages(means, logs, labels, of)),
        ]
    else:
        sections[:0] = [Section("Naive Bayes: no value may be a parent", _naive(model, codes, known, means, of))]
    notes = [*skipped_columns(model, row, codes), *notes_on_classes(means, probabilities, of)]
    rare = [value_name(model, p, int(codes[p])) for p in known if p not in parents]
    least = f"the training rows that have it weigh less than {number(model.min_count)}"
    why = "no training row has it" if model.min_count <= 1 else least
    notes += [f"{name} is no parent: {why}" for name in rare]
    if len(parents) > LONGEST_OF_MANY or len(known) > LONGEST_OF_MANY + 1:
        notes.append(f"{len(parents)} parents of {len(known) - 1} values each; not all are written out")
    return Workings(
        "AODE: P(class, row) = average over the parents of P(class, parent) × Π P(value | class, parent)",
        tuple(sections),
        tuple(zip(labels, map(float, probabilities), strict=True)),
        tuple(notes),
    )


def _log_products(model: AODEClassifier, codes: Codes, p: int) -> Floats:
    tables = model.tables_
    place, joined = tables.first[p] + codes[p], tables.joined
    slot = np.maximum(codes, -1) + 1
    code = slot[joined.one] * joined.slots + np.where(joined.other >= 0, slot[joined.other], 0)
    lines = tables.factors.reshape(-1, tables.joint.shape[1])
    classes = slice(len(model.classes_))
    factors = np.vstack([tables.joint[place], lines[place * tables.width + tables.begin + code]])[:, classes]
    return np.asarray((factors if tables.is_log else logarithms(factors)).sum(axis=0))


def _without_parents(model: AODEClassifier, codes: Codes, known: list[int]) -> Floats:
    tables = model.tables_
    return np.asarray(tables.prior + sum((tables.alone[tables.first[a] + codes[a]] for a in known), np.zeros(1)))


def _products(
    model: AODEClassifier, codes: Codes, known: list[int], parents: list[int], logs: Floats, of: list[int]
) -> tuple[Step, ...]:
    steps = []
    for at, p in enumerate(parents[:LONGEST_OF_MANY]):
        name = value_name(model, p, int(codes[p]))
        table = model.counts_.values.table(p)[0]
        rows = table[:, codes[p]]
        others = [a for a in known if a != p]
        for k in of:
            joint = fraction_written(rows[k], table.sum(), model.alpha, table.size)
            factors = [_factor(model, codes, k, p, a) for a in others[:LONGEST_OF_MANY]]
            terms = [joint, *factors, *(["…"] if len(others) > LONGEST_OF_MANY else [])]
            source = f"{number(rows[k])} row{'' if rows[k] == 1 else 's'} of {model.classes_[k]} with {name}"
            steps.append(
                Step(
                    f"{model.classes_[k]} by the parent ({name})",
                    "",
                    " × ".join(terms),
                    scientific(logs[at, k]),
                    source,
                )
            )
    return tuple(steps)


def _factor(model: AODEClassifier, codes: Codes, k: int, p: int, a: int) -> str:
    counts = model.counts_.pairs.table(p, a)[0, k, codes[p]]
    return fraction_written(counts[codes[a]], counts.sum(), model.alpha, len(counts))


def _averages(means: Floats, logs: Floats, labels: list[str], of: list[int]) -> tuple[Step, ...]:
    size = len(logs)
    steps = []
    for k in of:
        terms = [scientific(value) for value in logs[:LONGEST_OF_MANY, k]]
        written = " + ".join([*terms, *(["…"] if size > LONGEST_OF_MANY else [])])
        steps.append(Step(labels[k], "", f"({written})/{size}" if size > 1 else written, scientific(means[k])))
    return tuple(steps)


def _naive(model: AODEClassifier, codes: Codes, known: list[int], logs: Floats, of: list[int]) -> tuple[Step, ...]:
    steps = []
    for k in of:
        counts = model.class_count_
        terms = [fraction_written(counts[k], counts.sum(), model.alpha, len(counts))]
        for a in known[:LONGEST_OF_MANY]:
            table = model.counts_.values.table(a)[0, k]
            terms.append(fraction_written(table[codes[a]], table.sum(), model.alpha, len(table)))
        more = ["…"] if len(known) > LONGEST_OF_MANY else []
        steps.append(Step(str(model.classes_[k]), "", " × ".join([*terms, *more]), scientific(logs[k])))
    return tuple(steps)
