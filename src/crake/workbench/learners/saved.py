"""The best learner of a comparison as a model file, and why it was the one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crake.render.sentences import counted, listed

if TYPE_CHECKING:
    from crake.evaluation.compare import Comparison

MOST_NAMED = 5
"""Learners that the reason names; of more the rest is counted."""


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A model file, the name of its learner, and the reason for it."""

    file: Path
    size: int
    learner: str
    reason: str

    def sentence(self) -> str:
        """Return which learner was saved, why, and where."""
        return f"Saved to {self.file}, fitted to all rows: {self.learner}, {self.reason}."

    def to_dict(self) -> dict[str, Any]:
        """Return the file, the learner and the reason as a JSON document."""
        return {"file": str(self.file), "bytes": self.size, "learner": self.learner, "reason": self.reason}


def save_best(comparison: Comparison, file: Path) -> SavedModel:
    """Fit the best learner to all rows and write it; the file is written last, when nothing can fail any more."""
    from crake.modelfile import save  # noqa: PLC0415 (numba and numpy only when there is work)

    model = comparison.model
    save(model, file)
    return SavedModel(file, file.stat().st_size, comparison.best.name, reason_for(comparison))


def reason_for(comparison: Comparison) -> str:
    """Return why the best learner is the best, and which others might be: the tests cannot tell them from it.

    >>> import crake
    >>> reason_for(crake.compare("golf", learners=["majority", "1r", "id3"]))
    'best of 3 learners by accuracy, not distinguishable from majority class and 1R'
    """
    standings = comparison.standings
    if len(standings) == 1:
        return "the only learner compared"
    text = f"best of {counted(len(standings), 'learner')} by {comparison.criterion.name}"
    tied = [each.evaluation.name for each in standings[1:] if each.is_tied]
    if not tied:
        return f"{text}, better than {'the other' if len(standings) == 2 else 'all others'}"
    more = [f"{len(tied) - MOST_NAMED} more"] if len(tied) > MOST_NAMED else []
    return f"{text}, not distinguishable from {listed([*tied[:MOST_NAMED], *more])}"
