"""The ways of choosing a cutoff that `WithCutoff` offers, and the options that belong to each."""

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
class Way:
    """How a cutoff is chosen: `by` with its options, or the number given; `positive` None for the rarer of two."""

    by: str
    given: Mapping[str, Any]
    positive: Label | None
    cutoff: float | None

    @classmethod
    def of(cls, learner: Any) -> Way:
        """The parameters of a WithCutoff; what does not go together is refused."""
        names = dict.fromkeys(name for names in OPTIONS.values() for name in names)
        given = {name: getattr(learner, name) for name in names if getattr(learner, name) is not None}
        way = cls(learner.by, given, learner.positive, learner.cutoff)
        way.refuse_what_does_not_fit()
        return way

    def refuse_what_does_not_fit(self) -> None:
        """Options of another way, options that are missing, costs given twice."""
        if self.cutoff is not None:
            if self.given:
                raise CrakeError(f"cutoff = {self.cutoff:g} is given, so {next(iter(self.given))} has no say; give one")
            return
        own = OPTIONS[self.by]
        if other := [name for name in self.given if name not in own]:
            raise CrakeError(f"a cutoff by {self.by!r} has no option {other[0]!r}; it has {', '.join(own) or 'none'}")
        needed = NEEDED.get(self.by)
        if needed is not None and needed.partition("=")[0] not in self.given:
            raise CrakeError(f"a cutoff by {self.by!r} needs {needed.partition('=')[0]}, such as {needed}")
        if "cost" in self.given and ("cost_fp" in self.given or "cost_fn" in self.given):
            raise CrakeError("costs are given twice, as a matrix and as numbers; give cost=, or cost_fp= and cost_fn=")

    @property
    def takes_many(self) -> bool:
        """Whether it answers rows of more than two classes without one of them being named."""
        return self.positive is not None or "cost" in self.given or self.is_indifferent

    @property
    def is_indifferent(self) -> bool:
        """Whether every error costs the same: then the most probable class costs least."""
        alike = self.given.get("cost_fp", 1) == self.given.get("cost_fn", 1) != 0
        return self.cutoff is None and self.by == "cost" and alike and not {"cost", "prior"} & set(self.given)

    def costs(self, classes: tuple[Label, ...]) -> CostMatrix | None:
        """The matrix in the order of the classes, where one was given."""
        return costs_for(self.given.get("cost"), classes)

    def options(self, classes: tuple[Label, ...], positive: int) -> tuple[str, dict[str, Any]]:
        """What `choose_cutoff` is asked for."""
        costs = self.costs(classes)
        own = {name: value for name, value in self.given.items() if name != "cost"}
        if costs is not None:
            return "cost matrix", {**own, "costs": costs.costs, "positive": positive}
        if self.by == "prior":
            own["new"] = own.pop("prior")
        return self.by, own

    def __str__(self) -> str:
        """For titles: cutoff by recall (least=0.9).

        >>> str(Way("cost", {"cost_fp": 1, "cost_fn": 5}, "bad", None)), str(Way("youden", {}, None, None))
        ('cutoff by cost (cost_fp=1, cost_fn=5, positive=bad)', 'cutoff by youden')
        """
        said = [f"{name}={_short(value)}" for name, value in self.given.items()]
        said += [] if self.positive is None else [f"positive={self.positive}"]
        more = f" ({', '.join(said)})" if said else ""
        return f"cutoff by {self.by}{more}" if self.cutoff is None else f"cutoff {self.cutoff:g}{more}"


def _short(value: Any) -> str:
    if isinstance(value, CostMatrix):
        return str(value.costs.tolist())
    return f"{value:g}" if isinstance(value, int | float) else str(value)
