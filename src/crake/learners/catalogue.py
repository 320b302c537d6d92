"""The catalogue of learners: name, kind, one line and parameters, read from cards, signatures and docstrings."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from crake.errors import CrakeError, did_you_mean
from crake.learners.base.card import Card
from crake.learners.base.parameters import StrOptions
from crake.learners.registry import CLASSIFIERS, REGRESSORS, listed_names

__all__ = ["Listed", "Parameter", "catalogue", "listed", "markdown_table"]

Kind = Literal["classifier", "regressor"]
MOST_DIGITS = 10
"""Characters beyond which a default is shown as a fraction."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a learner: its default, what it means, and the values that --tune tries.

    `choices` are all its values where they can be counted: words, and None.
    """

    name: str
    default: Any
    about: str
    tuned: tuple[Any, ...] = ()
    choices: tuple[str | None, ...] = ()

    @property
    def default_text(self) -> str:
        """Return the default as the option --set takes it; a third as 1/3.

        >>> [Parameter("p", value, "").default_text for value in (None, True, "gini", 0.25, 1 / 3)]
        ['null', 'true', 'gini', '0.25', '1/3']
        """
        return setting_text(self.default)

    def to_dict(self) -> dict[str, Any]:
        """Return the parameter for JSON."""
        document = {"name": self.name, "default": self.default, "about": self.about, "tuned": list(self.tuned)}
        return {**document, "choices": list(self.choices)} if self.choices else document


@dataclass(frozen=True, eq=False)
class Listed:
    """A learner under the name that people type."""

    name: str
    kind: Kind
    make: Any

    @property
    def card(self) -> Card:
        """Return the learner's card."""
        card: Card = self.make.card
        return card

    @property
    def class_name(self) -> str:
        """Return the name in Python, below `crake`."""
        return str(self.make.__name__)

    @property
    def largest_table(self) -> str:
        """Return the tables that the learner takes by default: of any size, in memory, or up to a number of rows."""
        if self.card.most_rows is not None:
            return f"{self.card.most_rows:,} rows, more if named"
        is_held = self.make.learns_from == "rows" and not self.make.scans_rows
        usual = "in memory" if is_held else "any size, by scans"
        return self.make.card.size or usual

    @property
    def read_model(self) -> str:
        """Return what there is to read in a fitted model, and "no" where that explains nothing."""
        return self.card.model if self.card.is_readable else f"no: {self.card.model}"

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Return the facts by which a learner is chosen, each with its heading.

        >>> dict(listed("naive-bayes")[0].facts())["missing values"]
        'skipped'
        """
        card = self.card
        facts = (
            ("readable model", self.read_model),
            ("missing values", card.missing),
            ("interactions", "yes" if card.has_interactions else "no"),
            ("probabilities", card.probabilities),
            ("work of fitting", card.time),
            ("largest table", self.largest_table),
        )
        return tuple((heading, text) for heading, text in facts if text)

    def parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters in the order of the signature.

        >>> [(each.name, each.default) for each in listed("1r")[0].parameters()][:2]
        [('min_bucket', 6), ('probability', 'shares')]
        """
        about = dict(_documented(inspect.getdoc(self.make) or ""))
        grid = self.card.usual_grid or {}
        parameters = list(inspect.signature(self.make.__init__).parameters.values())[1:]
        taken = self.make._parameter_constraints  # noqa: SLF001 (declared once for all who ask)
        return tuple(
            Parameter(
                each.name, each.default, about.get(each.name, ""), tuple(grid.get(each.name, ())),
                _choices(taken.get(each.name, ())),
            )
            for each in parameters
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return the learner for JSON."""
        card = self.card
        return {
            "name": self.name,
            "kind": self.kind,
            "title": card.title,
            "about": card.about,
            "class": f"crake.{self.class_name}",
            "is_compared": card.is_compared,
            "is_baseline": card.is_baseline,
            "facts": dict(self.facts()),
            "parameters": [each.to_dict() for each in self.parameters()],
        }


def catalogue() -> tuple[Listed, ...]:
    """Return all learners that have a name: classifiers in teaching order, then regressors.

    >>> [each.name for each in catalogue() if each.kind == "regressor"][:2]
    ['mean', 'linear']
    """
    classifiers = (Listed(name, "classifier", make) for name, make in CLASSIFIERS.items())
    return (*classifiers, *(Listed(name, "regressor", make) for name, make in REGRESSORS.items()))


def listed(name: str) -> tuple[Listed, ...]:
    """Return the learners of one name: the classifier, the regressor, or both.

    >>> [each.class_name for each in listed("kNN")]
    ['NeighborsClassifier', 'NeighborsRegressor']
    """
    key = name.lower()
    classifier = (Listed(key, "classifier", CLASSIFIERS[key]),) if key in CLASSIFIERS else ()
    regressor = (Listed(key, "regressor", REGRESSORS[key]),) if key in REGRESSORS else ()
    if not classifier and not regressor:
        hint = did_you_mean(key, (*CLASSIFIERS, *REGRESSORS))
        raise CrakeError(f"there is no learner {name!r}.{hint} Learners: {listed_names()}")
    return (*classifier, *regressor)


def markdown_table(kind: Kind) -> str:
    """Return the facts of all learners of a kind as a table of docs/which_learner.md; a test holds the page to it."""
    rows = [each for each in catalogue() if each.kind == kind]
    headings = [heading for heading, _ in rows[0].facts()]
    lines = [_line(["learner", *headings]), "|---" * (len(headings) + 1) + "|"]
    return "\n".join([*lines, *(_line([f"`{each.name}`", *dict(each.facts()).values()]) for each in rows)]) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _choices(constraints: Sequence[Any]) -> tuple[str | None, ...]:
    """Return the words that a parameter takes, and None where it takes that; nothing if it takes others, too."""
    words: list[str | None] = []
    for constraint in constraints:
        if not isinstance(constraint, StrOptions) and constraint is not None:
            return ()
        words += [None] if constraint is None else sorted(constraint.options)
    return tuple(words)


def _documented(docstring: str) -> Iterator[tuple[str, str]]:
    """Yield each parameter that a docstring explains, with its text in one line; "m, p : …" explains two."""
    _, _, rest = docstring.partition("Parameters\n----------\n")
    section, _, _ = rest.partition("\n\n")
    for part in re.split(r"\n(?! )", section):
        names, colon, text = part.partition(" : ")
        if colon:
            yield from ((name.strip(), " ".join(text.split())) for name in names.split(","))


def setting_text(value: Any) -> str:
    """Return a value of a parameter as the option --set takes it: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and len(repr(value)) > MOST_DIGITS:
        return f"1/{1 / value:g}"
    return json.dumps(value)
