"""A confusion matrix as text: rows actual, columns predicted, the rates at the edges."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from crake.render import format_numbers as numbers
from crake.render.leaderboard import Matrix
from crake.render.plain_text import shown
from crake.render.text.columns import TextColumn, heading_lines, paragraph, row_lines

LONGEST = 60
"""Letters of a label at most."""


def matrix_text(matrix: Matrix, width: int) -> Text:
    """Return the counts under the predicted classes; names are written out only at the rows, letters stand above.

    >>> matrix = Matrix("1R", ("no", "yes"), ((2, 3), (1, 8)), (0.4, 0.889), (0.667, 0.727))
    >>> print(matrix_text(matrix, 60).plain)
    Confusion matrix of 1R (rows: actual, columns: predicted)
                    a      b  recall
      a = no        2      3   0.400
      b = yes       1      8   0.889
      precision 0.667  0.727
    """
    letters = [_letter(position) for position in range(len(matrix.labels))]
    names = [f"{letter} = {label}" for letter, label in zip(letters, _told_apart(matrix.labels, width), strict=True)]
    precision = [numbers.figure(value) for value in matrix.precision]
    predicted = [
        TextColumn(letter, [*(numbers.count(row[k]) for row in matrix.counts), precision[k]])
        for k, letter in enumerate(letters)
    ]
    columns = [
        TextColumn("", [*names, "precision"], right=False),
        *predicted,
        TextColumn("recall", [*(numbers.figure(value) for value in matrix.recall), ""]),
    ]
    title = f"Confusion matrix of {shown(matrix.name)} (rows: actual, columns: predicted)"
    *body, last = row_lines(columns)
    lines = [Text(f"  {line}", style="dim") for line in heading_lines(columns)]
    lines += [Text(f"  {line}") for line in body] + [Text(f"  {last}", style="dim")]
    return Text("\n").join([paragraph(title, width, rest="  "), *lines])


def _told_apart(labels: Sequence[str], width: int) -> list[str]:
    """Return the labels in the room beside the counts; in more, where two of them would look the same.

    >>> _told_apart(["build wind float", "build wind non-float", "tableware"], 40)
    ['build wind float', 'build wind n…oat', 'tableware']
    """
    room = max(12, width - 8 * (len(labels) + 1) - 8)
    while room < LONGEST and len({shown(label, room) for label in labels}) < len(set(labels)):
        room += 4
    return [shown(label, room) for label in labels]


def _letter(position: int) -> str:
    """Column letters: a … z, then aa, ab …

    >>> _letter(0), _letter(25), _letter(26)
    ('a', 'z', 'aa')
    """
    ahead, rest = divmod(position, 26)
    return (_letter(ahead - 1) if ahead else "") + chr(ord("a") + rest)
