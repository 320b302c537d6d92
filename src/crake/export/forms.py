"""The forms of a model that leaves the house: each gives a row some numbers, and every target writes each form once.

A form reads features by their number in the schema: a number (NaN: missing), or the code of a level (−1: missing, −2: a
value that training did not meet).
"""

from __future__ import annotations

from dataclasses import dataclass

from crake.arrays import Floats
from crake.render.short_repr import short_repr

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


@dataclass(frozen=True, eq=False)
class LevelOf:
    """The level of a column of names, or the interval of a number: the first whose cut is at least x."""

    feature: int
    cuts: Floats | None = None


@dataclass(frozen=True, eq=False)
class Levels:
    """The numbers of the case of a row's level; where it is not known, log Σ exp over the cases.

    `unknown` is the case that a value that is not known takes instead, −1: none. Cases may share forms.
    """

    level: LevelOf
    cases: tuple[Form, ...]
    unknown: int = -1

    __repr__ = short_repr

    @property
    def width(self) -> int:
        """Return how many numbers a row gets."""
        return self.cases[0].width


@dataclass(frozen=True, eq=False)
class LogSum:
    """log Σ exp over the cases of all columns, None for a level that has none; `otherwise` for a row without any."""

    parents: tuple[tuple[LevelOf, tuple[Form | None, ...]], ...]
    otherwise: Form

    __repr__ = short_repr

    @property
    def width(self) -> int:
        """Return how many numbers a row gets."""
        return self.otherwise.width


@dataclass(frozen=True, eq=False)
class Mixture:
    """Σ share × form: the tree gives the share of the row that each form answers."""

    tree: Tree
    forms: tuple[Form, ...]

    __repr__ = short_repr

    @property
    def width(self) -> int:
        """Return how many numbers a row gets."""
        return self.forms[0].width


Form = Tree | Rules | Additive | Sum | Softmax | Logistic | Shares | PairVotes | Placed | Levels | LogSum | Mixture
Link = (Softmax, Logistic, Shares, PairVotes, Placed)
"""Forms that turn the numbers of another."""
