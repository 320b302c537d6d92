"""The criteria by which `WithCutoff` chooses a cutoff, and the options that belong to each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crake.errors import CrakeError
from crake.metrics.cost.matrix import CostMatrix, costs_for
from crake.table.schema import Label

OPTIONS: dict[str, tuple[str, ...]] = {
    "cost": ("cost_fp", "cost_fn", "cost", "prior"),
    "f": ("beta",),
    "youden": (),
    "recall": ("least",),
    "precision": ("least",),
    "share": ("share",),
    "prior": ("prior", "cost_fp", "cost_fn"),
}
NEEDED = {"recall": "least=0.9", "precision": "least=0.9", "share": "share=0.1", "prior": "prior=0.1"}


@dataclass(frozen=True, eq=False)
class CutoffChoice:
    """The choice of a cutoff: `by` with its options, or a fixed cutoff; `positive` None for the rarer of two."""

    by: str
    values: Mapping[str, Any]
    positive: Label | None
    cutoff: float | None

    @classmethod
    def of(cls, learner: Any) -> CutoffChoice:
        """Read the parameters of a WithCutoff; raise if they do not go together."""
        names = dict.fromkeys(name for names in OPTIONS.values() for name in names)
        values = {name: getattr(learner, name) for name in names if getattr(learner, name) is not None}
        choice = cls(learner.by, values, learner.positive, learner.cutoff)
        choice.check()
        return choice

    def check(self) -> None:
        """Raise for options of another criterion, missing options, and costs given twice."""
        if self.cutoff is not None:
            if self.values:
                raise CrakeError(
                    f"cutoff = {self.cutoff:g} is given, so {next(iter(self.values))} has no say; give one"
                )
            return
        own = OPTIONS[self.by]
        if other := [name for name in self.values if name not in own]:
            raise CrakeError(f"a cutoff by {self.by!r} has no option {other[0]!r}; it has {', '.join(own) or 'none'}")
        needed = NEEDED.get(self.by)
        if needed is not None and needed.partition("=")[0] not in self.values:
            raise CrakeError(f"a cutoff by {self.by!r} needs {needed.partition('=')[0]}, such as {needed}")
        if "cost" in self.values and ("cost_fp" in self.values or "cost_fn" in self.values):
            raise CrakeError("costs are given twice, as a matrix and as numbers; give cost=, or cost_fp= and cost_fn=")

    @property
    def takes_many(self) -> bool:
        """True if more than two classes are possible without naming one of them."""
        return self.positive is not None or "cost" in self.values or self.is_indifferent

    @property
    def is_indifferent(self) -> bool:
        """True if every error costs the same: then the most probable class costs least."""
        alike = self.values.get("cost_fp", 1) == self.values.get("cost_fn", 1) != 0
        return self.cutoff is None and self.by == "cost" and alike and not {"cost", "prior"} & set(self.values)

    def costs(self, classes: tuple[Label, ...]) -> CostMatrix | None:
        """Return the cost matrix in the order of the classes; None if there is none."""
        return costs_for(self.values.get("cost"), classes)

    def options(self, classes: tuple[Label, ...], positive: int) -> tuple[str, dict[str, Any]]:
        """Return the arguments of `choose_cutoff`."""
        costs = self.costs(classes)
        own = {name: value for name, value in self.values.items() if name != "cost"}
        if costs is not None:
            return "cost matrix", {**own, "costs": costs.costs, "positive": positive}
        if self.by == "prior":
            own["new"] = own.pop("prior")
        return self.by, own

    def __str__(self) -> str:
        """Return the words for titles: cutoff by recall (least=0.9).

        >>> print(CutoffChoice("cost", {"cost_fp": 1, "cost_fn": 5}, "bad", None))
        cutoff by cost (cost_fp=1, cost_fn=5, positive=bad)
        """
        words = [f"{name}={_short(value)}" for name, value in self.values.items()]
        words += [] if self.positive is None else [f"positive={self.positive}"]
        more = f" ({', '.join(words)})" if words else ""
        return f"cutoff by {self.by}{more}" if self.cutoff is None else f"cutoff {self.cutoff:g}{more}"


def _short(value: Any) -> str:
    if isinstance(value, CostMatrix):
        return str(value.costs.tolist())
    return f"{value:g}" if isinstance(value, int | float) else str(value)
