"""The rule of a model with a cutoff as arrays, and back. Infinite values are stored as 0 with their sign beside."""

from __future__ import annotations

import numpy as np

from crake.learners.base.state import Labels, State, StateReader
from crake.learners.meta.cutoff.rule import Rule
from crake.metrics.cutoffs import Cutoff, CutoffSpread


def rule_state(rule: Rule) -> State:
    """Return the parts that the rule has."""
    state: State = {"positive": -1 if rule.positive is None else rule.positive, "why_not": Labels((rule.why_not,))}
    if rule.cutoff is not None:
        state["cutoff"] = _cutoff_state(rule.cutoff)
    if rule.spread is not None:
        spread = rule.spread
        state["spread"] = {**_numbers(spread.lowest, spread.median, spread.highest), "folds": spread.folds}
    if rule.costs is not None:
        state["costs"] = np.asarray(rule.costs, np.float64)
    return state


def rule_in(reader: StateReader, classes: int) -> Rule:
    """Read the rule of a stored state; a cutoff needs its positive class."""
    positive = reader.whole("positive", -1, classes - 1)
    why_not = "".join(reader.names("why_not"))
    cutoff = _cutoff_of(reader.part("cutoff")) if "cutoff" in reader else None
    spread = _spread_of(reader.part("spread")) if "spread" in reader else None
    costs = reader.floats("costs", (classes, classes)) if "costs" in reader else None
    if cutoff is not None and positive < 0:
        raise reader.refusal("positive", "is not there beside a cutoff", "the class it is for")
    return Rule(None if positive < 0 else positive, cutoff, spread, costs, why_not)


def _cutoff_state(cutoff: Cutoff) -> State:
    counts = (cutoff.true_positives, cutoff.false_negatives, cutoff.false_positives, cutoff.true_negatives)
    return {
        **_numbers(cutoff.value, cutoff.reached),
        "counts": np.array(counts, np.float64),
        "words": Labels((cutoff.by, cutoff.criterion)),
        "equally_good": cutoff.equally_good,
    }


def _cutoff_of(reader: StateReader) -> Cutoff:
    value, reached = _numbers_of(reader, 2)
    words = reader.names("words")
    if len(words) != 2:
        raise reader.refusal("words", f"has {len(words)}", "the way of choosing and its criterion")
    TP, FN, FP, TN = reader.floats("counts", (4,), 0).tolist()
    return Cutoff(value, words[0], words[1], reached, TP, FN, FP, TN, reader.whole("equally_good"))


def _spread_of(reader: StateReader) -> CutoffSpread:
    lowest, median, highest = _numbers_of(reader, 3)
    if not lowest <= median <= highest:
        raise reader.refusal("numbers", "does not ascend", "lowest, median, highest")
    return CutoffSpread(lowest, median, highest, reader.whole("folds", 1))


def _numbers(*values: float) -> State:
    array = np.array(values, np.float64)
    infinite = np.isinf(array)
    return {"numbers": np.where(infinite, 0.0, array), "infinite": (np.sign(array) * infinite).astype(np.int32)}


def _numbers_of(reader: StateReader, count: int) -> list[float]:
    numbers = reader.floats("numbers", (count,))
    infinite = reader.integers("infinite", np.int32, (count,), -1, 1)
    restored: list[float] = np.where(infinite == 0, numbers, infinite * np.inf).tolist()
    return restored
