"""An experiment ready to be shown, and shown as text: the headline, the scores, the ranks, the tests."""

from __future__ import annotations

from dataclasses import dataclass

from rich.text import Text

from crake.render.experiment.critical_difference import CriticalDifference
from crake.render.experiment.score_table import ScoreTable
from crake.render.plain_text import unbroken, visible
from crake.render.text.columns import paragraph


@dataclass(frozen=True)
class ExperimentBoard:
    """Everything a page or a terminal shows of an experiment.

    `tests` are sentences on the learners over all tables; `diagram` is None where there are too few tables or learners.
    """

    title: str
    headline: str
    scores: ScoreTable
    diagram: CriticalDifference | None
    tests: tuple[str, ...]
    notes: tuple[str, ...]
    protocol: str
    reproduce: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]


def board_text(board: ExperimentBoard, width: int = 80) -> Text:
    """Return the whole experiment in lines of at most `width` cells where that is possible."""
    parts = [paragraph(unbroken(board.headline), width, style="bold"), Text(board.scores.text(width))]
    if board.diagram is not None:
        parts.append(Text(str(board.diagram)))
    parts += [paragraph(unbroken(test), width, "- ") for test in board.tests]
    if board.notes:
        lines = [paragraph(visible(note), width, "  - ") for note in board.notes]
        parts.append(Text("\n").join([Text("Notes"), *lines]))
    parts.append(paragraph(visible(board.protocol), width, style="dim"))
    for name, text in board.reproduce:
        lines = [Text(f"  {visible(line)}") for line in text.splitlines()]
        parts.append(Text("\n").join([Text(name, style="dim"), *lines]))
    return Text("\n\n").join(parts)
