"""Candidate elimination: all conjunctions that fit the examples, between the most specific and the most general."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crake.errors import CrakeError
from crake.render.workings import Section, Workings

ANY, NONE = "?", "∅"
"""Stand for any value, and for none."""
MOST = 10_000
"""Most general hypotheses that are kept: their number may grow with every negative example."""

Hypothesis = tuple[Any, ...]


@dataclass(frozen=True)
class VersionSpace:
    """The boundaries `S` (most specific) and `G` (most general) of the conjunctions that fit all examples.

    `history` holds both after each example. Print it to see the steps.
    """

    names: tuple[str, ...]
    S: tuple[Hypothesis, ...]
    G: tuple[Hypothesis, ...]
    history: tuple[tuple[str, tuple[Hypothesis, ...], tuple[Hypothesis, ...]], ...]

    @property
    def is_collapsed(self) -> bool:
        """True if no conjunction fits all examples."""
        return not self.S or not self.G

    def classify(self, row: Sequence[Any]) -> bool | None:
        """Return True or False where all hypotheses agree on a row, and None where they do not.

        >>> space = candidate_elimination([("sun", "warm"), ("rain", "cold")], [True, False])
        >>> space.classify(("sun", "warm")), space.classify(("sun", "cold")), space.classify(("rain", "cold"))
        (True, None, False)
        """
        if self.is_collapsed:
            raise CrakeError(
                "expected a conjunction that fits all examples, got none: the version space has collapsed; print it to "
                "see by which example"
            )
        row = _cells(row, "the row")
        if len(row) != len(self.names):
            raise CrakeError(f"expected {len(self.names)} values in the row, got {len(row)}; give one for each column")
        if all(_covers(s, row) for s in self.S):
            return True
        return False if not any(_covers(g, row) for g in self.G) else None

    def workings(self) -> Workings:
        """Return the boundaries after each example."""
        sections = tuple(
            Section(example, lines=(f"S: {_listed(specific)}", f"G: {_listed(general)}"))
            for example, specific, general in self.history
        )
        note = (
            "the version space has collapsed: no conjunction fits all examples; either an example is noise, or the "
            "concept is no conjunction"
        )
        notes = (note,) if self.is_collapsed else ()
        return Workings(f"Candidate elimination over {', '.join(self.names)}", sections, (), notes)

    def __str__(self) -> str:
        return str(self.workings())


def candidate_elimination(
    rows: Sequence[Sequence[Any]],
    labels: Sequence[bool],
    *,
    names: Sequence[str] | None = None,
    values: Sequence[Sequence[Any]] | None = None,
) -> VersionSpace:
    """Return the version space of conjunctions: a value, or "?" for any, in each column.

    rows, labels : the examples, and True for the positive ones.
    names : the names of the columns.
    values : the possible values of each column; by default those of the examples.

    >>> space = candidate_elimination([("sun", "warm"), ("sun", "cold"), ("rain", "cold")], [True, True, False])
    >>> space.S, space.G
    ((('sun', '?'),), (('sun', '?'),))

    Mitchell (1982), Generalization as search.
    """
    examples = [_cells(row, f"row {at}") for at, row in enumerate(rows, 1)]
    width = _checked_width(examples, labels)
    names = tuple(f"x{j}" for j in range(width)) if names is None else tuple(names)
    seen = [list(dict.fromkeys(row[j] for row in examples)) for j in range(width)]
    domains = [_cells(own, f"values[{j}]") for j, own in enumerate(seen if values is None else values)]
    for what, given in (("names", names), ("values", domains)):
        if len(given) != width:
            raise CrakeError(f"expected {width} {what}, got {len(given)}; give one for each column")
    specific: list[Hypothesis] = [(NONE,) * width]
    general: list[Hypothesis] = [(ANY,) * width]
    history = [("Before the first example", tuple(specific), tuple(general))]
    for number, (row, label) in enumerate(zip(examples, labels, strict=True), 1):
        if label:
            general = [g for g in general if _covers(g, row)]
            specific = [_generalised(s, row) for s in specific]
            specific = [s for s in specific if any(_is_as_general(g, s) for g in general)]
        else:
            specific = [s for s in specific if not _covers(s, row)]
            general = _specialised(general, row, domains, specific)
        example = f"Example {number}, {'positive' if label else 'negative'}: {_written(row)}"
        history.append((example, tuple(specific), tuple(general)))
        if not specific or not general:
            specific, general = [], []
            break
    return VersionSpace(names, tuple(specific), tuple(general), tuple(history))


def _cells(row: Any, where: str) -> Hypothesis:
    """Return the cells of a row; raise if one of them reads as "any value" or "no value"."""
    cells = tuple(row.tolist() if isinstance(row, np.ndarray) else row)
    for cell in cells:
        if isinstance(cell, str) and cell in (ANY, NONE):
            raise CrakeError(
                f"expected values in {where}, got {cell!r}, which stands for {'any' if cell == ANY else 'no'} value in "
                "a hypothesis; give missing cells a name of their own, such as 'unknown'"
            )
    return cells


def _checked_width(rows: Sequence[Hypothesis], labels: Sequence[bool]) -> int:
    """Return the number of columns; raise if rows or labels are not as expected."""
    if len(rows) != len(labels) or not rows:
        raise CrakeError(
            f"expected a label for each of at least one row, got {len(rows)} rows and {len(labels)} labels"
        )
    for label in labels:
        if not isinstance(label, bool | np.bool_):
            raise CrakeError(
                f"expected labels True and False, got {label!r}; compare them with the positive class: "
                f"[label == {label!r} for label in labels]"
            )
    width = len(rows[0])
    for at, row in enumerate(rows, 1):
        if len(row) != width:
            values = "1 value" if width == 1 else f"{width} values"
            raise CrakeError(f"expected {values} in row {at}, got {len(row)}; give all rows as many as the first")
    return width


def _covers(hypothesis: Hypothesis, row: Sequence[Any]) -> bool:
    return all(own in (ANY, value) for own, value in zip(hypothesis, row, strict=True))


def _is_as_general(one: Hypothesis, other: Hypothesis) -> bool:
    """Return True if the first covers every row that the second covers."""
    return NONE in other or all(mine in (ANY, its) for mine, its in zip(one, other, strict=True))


def _generalised(hypothesis: Hypothesis, row: Sequence[Any]) -> Hypothesis:
    """Return the least general hypothesis that covers the row too."""
    pairs = zip(hypothesis, row, strict=True)
    return tuple(value if own in (NONE, value) else ANY for own, value in pairs)


def _specialised(
    general: list[Hypothesis], row: Sequence[Any], domains: Sequence[Sequence[Any]], specific: list[Hypothesis]
) -> list[Hypothesis]:
    """Return the most general hypotheses below these that do not cover the row, and lie above the specific ones."""
    found: dict[Hypothesis, None] = {}
    for g in general:
        if not _covers(g, row):
            found[g] = None
            continue
        for j in (j for j, own in enumerate(g) if own == ANY):
            for value in domains[j]:
                narrower = (*g[:j], value, *g[j + 1 :])
                if value != row[j] and any(_is_as_general(narrower, s) for s in specific):
                    found[narrower] = None
        if len(found) > MOST:
            raise CrakeError(
                f"there are more than {MOST:,} most general hypotheses; expected fewer: give the positive examples "
                "first, or fewer columns"
            )
    return [g for g in found if not any(other != g and _is_as_general(other, g) for other in found)]


def _written(hypothesis: Hypothesis) -> str:
    return f"⟨{', '.join(str(value) for value in hypothesis)}⟩"


def _listed(hypotheses: Sequence[Hypothesis]) -> str:
    return f"{{{', '.join(_written(each) for each in hypotheses)}}}" if hypotheses else "{} (none is left)"
