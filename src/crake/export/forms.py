"""The forms of a model that leaves the house: each gives a row some numbers, and every target writes each form once.

A form reads features by their number in the schema: a number (NaN: missing), or the code of a level (−1: missing, −2: a
value that training did not meet).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from crake.arrays import Floats
from crake.render.short_repr import short_repr
from crake.table.schema import Label, Schema

SIGNS = ("<=", ">", ">=", "<")
FARTHEST = 1e100
"""Standard deviations from the mean that a number can lie away."""


@dataclass(frozen=True)
class Compare:
    """A number is on one side of a value; a missing one is on neither."""

    feature: int
    sign: str
    value: float


@dataclass(frozen=True)
class Among:
    """A name is one of these levels."""

    feature: int
    codes: tuple[int, ...]


@dataclass(frozen=True)
class Known:
    """A number is not missing."""

    feature: int


@dataclass(frozen=True)
class Missing:
    """A name is missing; one that training did not meet is not."""

    feature: int


Condition = Compare | Among | Known | Missing
Test = tuple[Condition, ...]
"""Conditions that must all hold."""
Question = tuple[Test | None, ...]
"""The test of each branch; None: no known value takes the branch."""


@dataclass(frozen=True)
class Node:
    """A leaf has no children. A split asks its questions in turn; the first that is answered tells the branch.

    A row that answers none takes the branch `fallback`, or all branches by their `shares` if that is −1.
    """

    questions: tuple[Question, ...] = ()
    children: tuple[int, ...] = ()
    fallback: int = -1
    shares: tuple[float, ...] = ()
    heaviest: int = 0


@dataclass(frozen=True, eq=False)
class Tree:
    """Node 0 is the root. `answers` (nodes, outputs) are the numbers of the leaves."""

    nodes: tuple[Node, ...]
    answers: Floats

    __repr__ = short_repr

    @property
    def width(self) -> int:
        """Return how many numbers a row gets."""
        return int(self.answers.shape[1])

    @property
    def mixes(self) -> bool:
        """Return True if a row may go down several branches."""
        return any(node.children and node.fallback < 0 for node in self.nodes)

    @property
    def leaves(self) -> list[int]:
        """Return the numbers of the leaves."""
        return [number for number, node in enumerate(self.nodes) if not node.children]

    def paths(self) -> dict[int, list[tuple[int, int]]]:
        """Return the nodes and branches that lead to each leaf."""
        paths: dict[int, list[tuple[int, int]]] = {0: []}
        for number, node in enumerate(self.nodes):
            if node.children:
                own = paths.pop(number)
                for branch, child in enumerate(node.children):
                    paths[child] = [*own, (number, branch)]
        return paths

    @property
    def depth(self) -> int:
        """Return the most splits on a path."""
        return max(len(path) for path in self.paths().values())


@dataclass(frozen=True)
class RuleCondition:
    """A condition of a rule; a row whose value is not known satisfies it in part, by `share`."""

    condition: Compare | Among
    share: float


@dataclass(frozen=True, eq=False)
class Rules:
    """The first rule whose conditions hold answers; the last line of `answers` is for a row that no rule takes."""

    rules: tuple[tuple[RuleCondition, ...], ...]
    answers: Floats

    __repr__ = short_repr

    @property
    def width(self) -> int:
        """Return how many numbers a row gets."""
        return int(self.answers.shape[1])

    @property
    def mixes(self) -> bool:
        """Return True if a row may be divided among rules."""
        return any(each.share > 0 for rule in self.rules for each in rule)


@dataclass(frozen=True, eq=False)
class LevelTerm:
    """Adds the line of the level; `missing` or `unseen` where it is not known."""

    feature: int
    values: Floats
    missing: Floats
    unseen: Floats


@dataclass(frozen=True, eq=False)
class NumberTerm:
    """Adds z × coefficient, z = ((x·unit − centre) − rest)·scale within ±farthest; `missing` where x is not known."""

    feature: int
    unit: float
    centre: float
    rest: float
    scale: float
    coefficient: Floats
    missing: Floats
    farthest: float = FARTHEST


@dataclass(frozen=True, eq=False)
class NormalTerm:
    """Adds the log density −z²/2 − log_norm, z = ((x·scale − mean) − rest)·precision, at least log_floor.

    A missing number adds nothing, nor does a class of precision 0.
    """

    feature: int
    scale: float
    mean: Floats
    rest: Floats
    precision: Floats
    log_norm: Floats
    log_floor: float


@dataclass(frozen=True, eq=False)
class StepTerm:
    """Adds the line of the first interval with x ≤ cut, the last one beyond; `missing` where x is not known."""

    feature: int
    cuts: Floats
    values: Floats
    missing: Floats


Term = LevelTerm | NumberTerm | NormalTerm | StepTerm


@dataclass(frozen=True, eq=False)
class Additive:
    """A constant and what each column adds."""

    constant: Floats
    terms: tuple[Term, ...] = ()

    __repr__ = short_repr

    @property
    def width(self) -> int:
        """Return how many numbers a row gets."""
        return len(self.constant)


@dataclass(frozen=True, eq=False)
class Part:
    """A member of a sum: its numbers times `weight`; a vote adds the weight to the output of its largest number.

    Numbers nearer to the largest than `tie` are equal to it, and the first of equals has the vote. A member of one
    number may go to one `output`.
    """

    form: Form
    weight: float = 1.0
    is_vote: bool = False
    tie: float = 0.0
    output: int | None = None


@dataclass(frozen=True, eq=False)
class Sum:
    """A constant and what the members add."""

    constant: Floats
    parts: tuple[Part, ...]

    __repr__ = short_repr

    @property
    def width(self) -> int:
        """Return how many numbers a row gets."""
        return len(self.constant)


@dataclass(frozen=True, eq=False)
class Softmax:
    """exp(score) of each output over their sum; `fallback` where every score is −∞."""

    form: Form
    fallback: Floats | None = None

    @property
    def width(self) -> int:
        """Return how many numbers a row gets."""
        return self.form.width


@dataclass(frozen=True, eq=False)
class Logistic:
    """1 − P and P = 1/(1 + exp(−(a·score + b))) of one score, P within [least, 1 − least]."""

    form: Form
    a: float = 1.0
    b: float = 0.0
    least: float = 0.0
    width: int = 2


@dataclass(frozen=True, eq=False)
class Shares:
    """Each number over their sum; then times `factor`, plus `constant`."""

    form: Form
    factor: float = 1.0
    constant: float = 0.0

    @property
    def width(self) -> int:
        """Return how many numbers a row gets."""
        return self.form.width


@dataclass(frozen=True, eq=False)
class PairVotes:
    """The share of pairs (i, j) that each class wins: j where the pair's number is above 0."""

    form: Form
    pairs: tuple[tuple[int, int], ...]
    width: int


@dataclass(frozen=True, eq=False)
class Placed:
    """The numbers of some classes; the others have 0."""

    form: Form
    places: tuple[int, ...]
    width: int


Form = Tree | Rules | Additive | Sum | Softmax | Logistic | Shares | PairVotes | Placed
Link = (Softmax, Logistic, Shares, PairVotes, Placed)
"""Forms that turn the numbers of another."""


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
        case _:
            yield from features_of(form.form)


def divides(form: Form) -> bool:
    """Return True if a row with a gap may go to several leaves or rules."""
    match form:
        case Tree() | Rules():
            return form.mixes
        case Additive():
            return False
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
        case Additive():
            return form
        case Sum():
            return replace(form, parts=tuple(replace(part, form=without_mixing(part.form)) for part in form.parts))
        case _:
            return replace(form, form=without_mixing(form.form))
