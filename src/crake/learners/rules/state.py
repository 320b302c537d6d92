"""A list of rules in a model file: its arrays, and the checks that make any arrays a sound list or an error."""

from __future__ import annotations

import numpy as np

from crake.kernels.rules.arrays import AT_LEAST, EQUAL, ConditionArrays
from crake.learners.base.state import State, StateReader
from crake.learners.base.state.statistics import MOST
from crake.learners.rules.rule_list import RuleList
from crake.learners.tree.growing.training_rows import Layout
from crake.table.schema import Schema

LARGEST = 2**31 - 2
"""The largest number in 32 bits that a file may give for a level, or for the conditions of a rule."""
TOLERANCE = 1e-6
"""Tolerance, as a share of all rows: parts of rows add up to them but for rounding."""


def rules_state(rules: RuleList) -> State:
    """Return the number of conditions of each rule, the conditions one after another, and the class weights."""
    own = rules.conditions
    return {
        "lengths": np.diff(own.edges),
        "feature": own.feature,
        "kind": own.kind,
        "threshold": np.where(own.kind == EQUAL, 0.0, own.threshold),
        "level": own.level,
        "share": own.share,
        "answer": rules.answer,
        "counts": rules.counts,
        "prior": rules.prior,
    }


def rules_of(reader: StateReader, schema: Schema) -> RuleList:
    """Return the list of a stored state; anything that is not one is refused."""
    layout, classes = Layout.of(schema), len(schema.classes)
    lengths = reader.integers("lengths", np.int64, (None,), 0, LARGEST)
    feature = reader.integers("feature", np.int32, (None,), 0, len(layout) - 1)
    each = (len(feature),)
    if lengths.sum() != len(feature):
        raise reader.refusal("lengths", f"add up to {lengths.sum()}", f"{len(feature)}, one condition each")
    kind = reader.integers("kind", np.int32, each, EQUAL, AT_LEAST)
    level = reader.integers("level", np.int32, each, -1, LARGEST)
    is_name = kind == EQUAL
    if np.any(layout.is_numeric[feature] == is_name):
        raise reader.refusal("kind", "asks a number for its name", "thresholds of numbers and levels of names")
    if np.any(is_name & ((level < 0) | (level >= layout.levels[feature]))):
        raise reader.refusal("level", "is no level of its column", "a level")
    threshold = np.where(is_name, np.nan, reader.floats("threshold", each))
    share = reader.floats("share", each, 0, 1)
    answer = reader.integers("answer", np.int32, (len(lengths),), 0, classes - 1)
    counts = reader.floats("counts", (len(lengths) + 1, classes), 0, MOST)
    prior = reader.floats("prior", (classes,), 0, MOST)
    if not prior.sum() > 0 or np.any(np.abs(counts.sum(axis=0) - prior) > TOLERANCE * prior.sum()):
        raise reader.refusal("counts", "does not add up", "rules that share out the rows of each class")
    edges = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return RuleList(ConditionArrays(edges, feature, kind, threshold, level, share), answer, counts, prior)
