"""A tree as rules: one per leaf, the conditions on each attribute merged; together they say what the tree says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.conditions import Condition, condition_of
from crake.learners.tree.number_text import prediction_text, weight_text
from crake.learners.tree.tree import Tree
from crake.render.grid import Grid
from crake.render.plain_text import visible
from crake.render.sentences import counted
from crake.render.short_repr import short_repr
from crake.table.schema import Label, Schema

SHOWN = 100
"""Rules printed before the rest is only counted."""


@dataclass(frozen=True)
class Rule:
    """If all conditions hold, then `answer`: `coverage` is the weight of the training rows, `errors` of those it fails.

    `node` is the number of its leaf.
    """

    conditions: tuple[Condition, ...]
    answer: Label
    coverage: float
    errors: float
    node: int

    __repr__ = short_repr

    def __str__(self) -> str:
        wrong = f"/{weight_text(self.errors)}" if self.errors else ""
        return f"{self.premise} → {prediction_text(self.answer)} ({weight_text(self.coverage)}{wrong})"

    @property
    def premise(self) -> str:
        """The conditions joined by "and"; "always" if there is none."""
        return " and ".join(map(str, self.conditions)) or "always"


@dataclass(frozen=True)
class Rules(Sequence[Rule]):
    """The rules in the order of the printed tree. One and only one holds for a row without missing values."""

    rules: tuple[Rule, ...]
    target: str

    __repr__ = short_repr

    @overload
    def __getitem__(self, at: int) -> Rule: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Rule, ...]: ...
    def __getitem__(self, at: int | slice) -> Rule | tuple[Rule, ...]:
        return self.rules[at]

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __str__(self) -> str:
        lines = [str(rule) for rule in self.rules[:SHOWN]]
        more = [f"… {counted(len(self) - SHOWN, 'more rule')}"] if len(self) > SHOWN else []
        return "\n".join([*lines, *more])

    def grid(self) -> Grid:
        """Condition, class, rows and errors as a table."""
        rows = tuple(
            (
                rule.premise,
                prediction_text(rule.answer),
                weight_text(rule.coverage),
                weight_text(rule.errors),
                str(rule.node),
            )
            for rule in self.rules
        )
        return Grid(counted(len(self), "rule"), ("if", f"then {visible(self.target)}", "rows", "errors", "node"), rows)

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def rules_of(tree: Tree, schema: Schema, predictions: Sequence[Label]) -> Rules:
    """Return one rule per leaf, in the order of the printed tree; predictions[node] is that of a leaf."""
    rules: list[Rule] = []
    waiting: list[tuple[int, dict[str, Condition]]] = [(0, {})]
    while waiting:
        node, conditions = waiting.pop()
        if tree.kind[node] == LEAF:
            rules.append(_rule(tree, predictions[node], node, conditions))
            continue
        children = [
            (child, _with(conditions, condition_of(tree, schema, node, b)))
            for b, child in enumerate(tree.children(node))
        ]
        waiting.extend(reversed(children))
    return Rules(tuple(rules), schema.target or "class")


def _with(conditions: dict[str, Condition], new: Condition) -> dict[str, Condition]:
    """The conditions so far and one more, merged with what is asked of its column already."""
    name = new.column.name
    return {**conditions, name: conditions[name].and_also(new) if name in conditions else new}


def _rule(tree: Tree, answer: Label, node: int, conditions: dict[str, Condition]) -> Rule:
    coverage = float(tree.counts[node].sum())
    errors = coverage - float(tree.counts[node].max())  # there is but one class of numbers
    return Rule(tuple(conditions.values()), answer, coverage, errors if errors > 1e-6 else 0.0, node)
