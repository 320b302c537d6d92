"""`--cutoff recall=0.9`: a learner that answers by a cutoff, from the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crake.cli import options as o
from crake.cli.commands.compare import class_called
from crake.errors import CrakeError

if TYPE_CHECKING:
    from crake.table.schema import Label

CutoffOption = Annotated[
    str | None,
    typer.Option(
        "--cutoff",
        metavar="WAY",
        help="Answer by a cutoff: cost, f, f=2, youden, recall=0.9, precision=0.9, share=0.1, prior=0.1, or a number.",
        rich_help_panel=o.RUNNING,
    ),
]
CostOption = Annotated[
    Path | None,
    typer.Option(
        "--cost",
        metavar="FILE",
        help="With --cutoff cost: a CSV file, a line for each actual class, a column for each class it is called.",
        rich_help_panel=o.RUNNING,
    ),
]
PositiveOption = Annotated[
    str | None,
    typer.Option(
        "--positive", metavar="CLASS", help="The class the cutoff is for; the rarer of two.", rich_help_panel=o.RUNNING
    ),
]

VALUES = {"f": "beta", "recall": "least", "precision": "least", "share": "share", "prior": "prior"}
"""The option of each way that takes a value."""
WAYS = ("cost", "youden", *VALUES)


@dataclass(frozen=True)
class AskedCutoff:
    """What the options say; nothing where none was given."""

    cutoff: str | None = None
    cost: Path | None = None
    positive: str | None = None

    def words(self) -> list[str]:
        """The options again, for the line that gives the model again."""
        return [word for option, value in self.options().items() if value is not None for word in (option, str(value))]

    def options(self) -> dict[str, Any]:
        """What each option was given."""
        return {"--cutoff": self.cutoff, "--cost": self.cost, "--positive": self.positive}

    def around(self, learner: Any, classes: Sequence[Label]) -> Any:
        """The learner, with a cutoff if one was asked for."""
        if self.cutoff is None:
            if self.cost is not None or self.positive is not None:
                raise CrakeError(
                    f"{'--cost' if self.cost is not None else '--positive'} needs --cutoff, such as --cutoff cost"
                )
            return learner
        from crake.cli.requests.parameters import checked  # noqa: PLC0415 (scikit-learn and numba only when there is work)
        from crake.learners.meta.cutoff import WithCutoff  # noqa: PLC0415
        from crake.metrics.cost.matrix import CostMatrix  # noqa: PLC0415

        given = way(self.cutoff)
        if self.cost is not None:
            given["cost"] = CostMatrix.read(self.cost).aligned(classes)
        positive = class_called(self.positive, classes)
        return checked(WithCutoff(learner, positive=positive, **given), "--cutoff: ")


def way(text: str) -> dict[str, Any]:
    """The parameters of WithCutoff that stand for a way.

    >>> way("youden"), way("recall=0.9"), way("0.3")
    ({'by': 'youden'}, {'by': 'recall', 'least': 0.9}, {'cutoff': 0.3})
    >>> way("recal=0.9")
    Traceback (most recent call last):
    crake.errors.CrakeError: --cutoff recal=0.9: expected a number or one of cost, youden, f, recall, precision, ...
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    try:
        if not equals and name not in WAYS:
            return {"cutoff": float(name)}
        if not equals or name in VALUES:
            return {"by": name, **({VALUES[name]: float(value)} if equals else {})}
    except ValueError:
        pass
    raise CrakeError(f"--cutoff {text}: expected a number or one of {', '.join(WAYS)}, such as recall=0.9")
