"""Forms under another rule for missing values, and the numbers that a member adds to a sum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crake.arrays import Floats
from crake.export.forms import Additive, Form, Levels, LogSum, Mixture, Part, Rules, Sum, Tree


def divides(form: Form) -> bool:
    """Return True if a row with a gap may go to several leaves or rules."""
    match form:
        case Tree() | Rules():
            return form.mixes
        case Additive() | Levels() | LogSum():
            return False
        case Mixture():
            return divides(form.tree)
        case Sum():
            return any(divides(part.form) for part in form.parts)
        case _:
            return divides(form.form)


def counted(part: Part, answers: Floats, width: int) -> Floats:
    """Return what a member adds for each of its answers, shape (answers, width)."""
    if part.is_vote:
        first = np.argmax(answers >= answers.max(axis=1, keepdims=True) - part.tie, axis=1)
        return np.asarray(np.eye(width)[first] * part.weight)
    out = np.zeros((len(answers), width))
    out[:, slice(None) if part.output is None else [part.output]] = answers * part.weight
    return out


def without_mixing(form: Form) -> Form:
    """Return the form in which a value that is not known takes the heaviest branch, and fails in rules."""
    match form:
        case Tree():
            nodes = tuple(
                replace(node, fallback=node.heaviest) if node.children and node.fallback < 0 else node
                for node in form.nodes
            )
            return replace(form, nodes=nodes)
        case Rules():
            return replace(form, rules=tuple(tuple(replace(c, share=0.0) for c in rule) for rule in form.rules))
        case Additive() | Levels() | LogSum():
            return form
        case Mixture():
            tree = without_mixing(form.tree)
            assert isinstance(tree, Tree)  # noqa: S101 (it was one)
            return replace(form, tree=tree)
        case Sum():
            return replace(form, parts=tuple(replace(part, form=without_mixing(part.form)) for part in form.parts))
        case _:
            return replace(form, form=without_mixing(form.form))
