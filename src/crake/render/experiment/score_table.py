"""Learners by tables: means, deviations, and a mark against the baseline; as text, HTML and data."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from crake.render.format_numbers import UNDEFINED
from crake.render.plain_text import shown
from crake.render.text.columns import TextColumn, heading_lines, row_lines

BETTER, WORSE, SAME = "v", "*", ""


@dataclass(frozen=True)
class Score:
    """One learner on one table: mean and standard deviation over the folds, and how it stands to the baseline.

    `mark` is "v" where it is better, "*" where it is worse, "" where neither can be said; the baseline has no p.
    """

    mean: float | None
    deviation: float | None
    mark: str = SAME
    p_value: float | None = None
    folds: int = 0


@dataclass(frozen=True)
class ScoreRow:
    """A table and its scores, in the order of the learners; `folds` are those of all repeats."""

    table: str
    folds: int
    scores: tuple[Score, ...]


@dataclass(frozen=True)
class ScoreTable:
    """The table of an experiment, as WEKA's Experimenter prints it: v better, * worse than the baseline.

    >>> row = ScoreRow("iris", 100, (Score(0.333, 0.0), Score(0.953, 0.05, "v", 0.001)))
    >>> print(ScoreTable("accuracy", ("majority class", "naive Bayes"), 0, (row,), (2.0, 1.0), "corrected t, 0.05"))
    accuracy, mean of the folds (standard deviation)
      table      folds  (1)            (2)
      iris         100  0.333 (0.000)  0.953 (0.050) v
      v / same / *                     1/0/0
      mean rank         2.00           1.00
    v better, * worse than (1) by the corrected t, 0.05
      (1) majority class
      (2) naive Bayes
    """

    measure: str
    learners: tuple[str, ...]
    baseline: int
    rows: tuple[ScoreRow, ...]
    mean_ranks: tuple[float, ...] | None
    test: str

    @property
    def tallies(self) -> tuple[tuple[int, int, int] | None, ...]:
        """For every learner on how many tables it is better, the same, worse; None for the baseline."""
        marks = [[row.scores[k].mark for row in self.rows] for k in range(len(self.learners))]
        counts = [(m.count(BETTER), m.count(SAME), m.count(WORSE)) for m in marks]
        return tuple(None if k == self.baseline else count for k, count in enumerate(counts))

    def to_dict(self) -> dict[str, object]:
        """Return a dictionary for JSON."""
        return {
            "measure": self.measure,
            "baseline": self.learners[self.baseline],
            "test": self.test,
            "learners": list(self.learners),
            "tables": [
                {"table": row.table, "folds": row.folds, "scores": [dict(score.__dict__) for score in row.scores]}
                for row in self.rows
            ],
            "better_same_worse": [None if tally is None else list(tally) for tally in self.tallies],
            "mean_ranks": None if self.mean_ranks is None else list(self.mean_ranks),
        }

    def text(self, width: int = 80) -> str:
        """In lines of at most `width` where that is possible: many learners stand in several blocks."""
        head = [f"{self.measure}, mean of the folds (standard deviation)"]
        foot = [f"v better, * worse than ({self.baseline + 1}) by the {self.test}"]
        foot += [f"  ({k + 1}) {shown(name, width - 8)}" for k, name in enumerate(self.learners)]
        return "\n".join([*head, "\n\n".join(self._blocks(width)), *foot])

    def __str__(self) -> str:
        return self.text()

    def _blocks(self, width: int) -> list[str]:
        names = self._names(width)
        columns = [self._column(k) for k in range(len(self.learners))]
        left = sum(column.width + 2 for column in names) + 2
        blocks: list[list[TextColumn]] = [[]]
        for column in columns:
            used = left + sum(each.width + 2 for each in blocks[-1])
            if blocks[-1] and used + column.width > width:
                blocks.append([])
            blocks[-1].append(column)
        return ["\n".join(f"  {line}" for line in _lines([*names, *block])) for block in blocks]

    def _names(self, width: int) -> list[TextColumn]:
        ranks = ["mean rank"] if self.mean_ranks is not None else []
        names = [shown(row.table, max(12, width // 3)) for row in self.rows]
        folds = [str(row.folds) for row in self.rows]
        return [
            TextColumn("table", [*names, "v / same / *", *ranks], right=False),
            TextColumn("folds", [*folds, "", *([""] * len(ranks))]),
        ]

    def _column(self, k: int) -> TextColumn:
        tally = self.tallies[k]
        cells = [score_text(row.scores[k]) for row in self.rows]
        cells.append("" if tally is None else "{}/{}/{}".format(*tally))
        cells += [f"{self.mean_ranks[k]:.2f}"] if self.mean_ranks is not None else []
        return TextColumn(f"({k + 1})", cells, right=False)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in ("table", "folds", *self.learners))
        body = "".join(
            f"<tr><th>{escape(row.table)}</th><td>{row.folds}</td>"
            + "".join(f"<td>{escape(score_text(score))}</td>" for score in row.scores)
            + "</tr>"
            for row in self.rows
        )
        base = escape(self.learners[self.baseline])
        caption = f"{escape(self.measure)}; v better, * worse than {base} by the {escape(self.test)}"
        return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def score_text(score: Score) -> str:
    """Return a mean with its deviation and mark.

    >>> score_text(Score(0.9533, 0.0512, "v")), score_text(Score(None, None))
    ('0.953 (0.051) v', '–')
    """
    if score.mean is None or score.deviation is None:
        return UNDEFINED
    return f"{score.mean:z.3f} ({score.deviation:z.3f}) {score.mark}".rstrip()


def _lines(columns: list[TextColumn]) -> list[str]:
    return [*heading_lines(columns), *row_lines(columns)]
