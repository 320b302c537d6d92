"""A leaderboard as text: the headline, the table with its intervals, and how to get it again."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from crake.render import format_numbers as numbers
from crake.render.check import Check
from crake.render.grid import Grid
from crake.render.leaderboard import Entry, Leaderboard
from crake.render.plain_text import shown, unbroken, visible
from crake.render.scale import Scale, main_scale
from crake.render.text.columns import TextColumn, heading_lines, paragraph, row_lines
from crake.render.text.matrix import matrix_text

_BAR = 25
"""Cells an interval is drawn in."""
_VERDICT = 32
"""Cells that a verdict needs to stand in the learner's line; with less room it goes on a line of its own."""
MOST_CLASSES = 8
"""The confusion matrix of more classes is left to the HTML page and to JSON."""


def leaderboard_text(board: Leaderboard, width: int = 80) -> Text:
    """Return the whole comparison in lines of at most `width` cells; `.plain` is the text without colours."""
    parts = [
        paragraph(unbroken(board.headline), width, style="bold"),
        *standings_text(board, width),
        *_matrix(board, width),
        *(grid_text(grid) for grid in board.grids),
        *_facts(board, width),
        *_warnings(board, width),
        *([notes_text(board.notes, width)] if board.notes else []),
        *_checks(board, width),
        _ending(board, width),
    ]
    return Text("\n\n").join(parts)


def standings_text(board: Leaderboard, width: int) -> list[Text]:
    """Return the table of learners and, below it, the reasons for the dashes in it."""
    return [_table(board, width), *_undefined(board, width)]


def _table(board: Leaderboard, width: int) -> Text:
    numbers_width = cell_len(heading_lines(_wide_columns(board))[-1])
    verdict = max((cell_len(visible(entry.verdict)) for entry in board.entries), default=0)
    fits = numbers_width + 2 + min(verdict, _VERDICT) <= width
    return _wide_table(board, width) if fits else _narrow_table(board, width)


def _narrow_table(board: Leaderboard, width: int) -> Text:
    """Return numbers in one line per learner; its interval drawn, and the verdict, on the next; a long name before."""
    columns = _columns(board, narrow=True)
    room = width - cell_len(heading_lines(columns)[-1]) - 2
    names = [shown(entry.name, width) for entry in board.entries]
    fitting = TextColumn("learner", [name if cell_len(name) <= room else "" for name in names], right=False)
    scale = main_scale(board)
    lines = [Text(line, style="dim") for line in heading_lines([fitting, *columns])]
    for entry, name, line in zip(board.entries, names, row_lines([fitting, *columns]), strict=True):
        alone = [Text(name, style=_style(entry))] if cell_len(name) > room else []
        lines += [*alone, Text(line, style=_style(entry))]
        bar = f"  {_bar(entry, board.baseline, scale)}  "
        lines.append(paragraph(unbroken(entry.verdict), width, first=bar, style="" if entry.is_best else "dim"))
    return Text("\n").join([*lines, _legend(board, scale, width)])


def _wide_table(board: Leaderboard, width: int) -> Text:
    """Return everything in one line per learner; only a long verdict goes on below its beginning."""
    columns = _wide_columns(board)
    scale = main_scale(board)
    *above, last = heading_lines(columns)
    lines = [Text(line, style="dim") for line in (*above, f"{last}  verdict")]
    for entry, line in zip(board.entries, row_lines(columns), strict=True):
        lines.append(paragraph(unbroken(entry.verdict), width, first=f"{line}  ", style=_style(entry)))
    return Text("\n").join([*lines, _legend(board, scale, width)])


def _wide_columns(board: Leaderboard) -> list[TextColumn]:
    scale = main_scale(board)
    main, *others = _columns(board, narrow=False)
    return [
        TextColumn("learner", [shown(entry.name) for entry in board.entries], right=False),
        main,
        TextColumn("", [_bar(entry, board.baseline, scale) for entry in board.entries], right=False),
        *others,
    ]


def _columns(board: Leaderboard, *, narrow: bool) -> list[TextColumn]:
    """Return the figures; `narrow` breaks headings of several words."""
    entries, (main, *others) = board.entries, board.columns
    decimals = numbers.decimals_for(entry.main for entry in entries)
    main_texts = [
        f"{numbers.measure(e.main.value, main, decimals)} {numbers.measure_interval(e.main, main, decimals)}".strip()
        for e in entries
    ]
    between = "\n" if narrow else " "
    return [
        TextColumn(main.title, main_texts, right=False),
        *(
            TextColumn(
                column.title.replace(" ", between),
                [numbers.measure(entry.figures[place].value, column) for entry in entries],
            )
            for place, column in enumerate(others, 1)
        ),
        TextColumn(f"fit{between}s", [numbers.seconds(entry.fit_seconds) for entry in entries]),
        TextColumn(f"predict{between}s", [numbers.seconds(entry.predict_seconds) for entry in entries]),
    ]


def _bar(entry: Entry, baseline: Entry | None, scale: Scale) -> str:
    """Return the interval as ├──●──┤ on the common scale, the baseline's measure as ┊."""
    cells = [" "] * _BAR
    if baseline is not None and baseline.main.value is not None:
        cells[_cell(baseline.main.value, scale)] = "┊"
    measure = entry.main
    if measure.low is not None and measure.high is not None:
        low, high = _cell(measure.low, scale), _cell(measure.high, scale)
        cells[low : high + 1] = "─" * (high - low + 1)
        if low < high:
            cells[low], cells[high] = "├", "┤"
    if measure.value is not None:
        cells[_cell(measure.value, scale)] = "●"
    return "".join(cells)


def _cell(value: float, scale: Scale) -> int:
    return round(scale.place(value) * (_BAR - 1))


def _legend(board: Leaderboard, scale: Scale, width: int) -> Text:
    baseline = board.baseline
    mark = f", ┊ = {shown(baseline.name, 20)}" if baseline is not None else ""
    meaning = "".join(f"; {each.title}: {visible(each.about)}" for each in board.columns if each.about)
    ends = f"{scale.low:g} to {scale.high:g}"
    text = f"{board.main.title} with its {visible(board.interval_name)}, drawn from {ends}{mark}{meaning}"
    return paragraph(text, width, first="  ", style="dim")


def _style(entry: Entry) -> str:
    return "bold" if entry.is_best else "dim" if entry.is_baseline else ""


def _undefined(board: Leaderboard, width: int) -> list[Text]:
    """Return the reasons for the dashes in the table."""
    reasons = [
        f"– {visible(column.full_title or column.title)} of {shown(entry.name)}: undefined, {visible(figure.reason)}"
        for entry in board.entries
        for column, figure in zip(board.columns, entry.figures, strict=True)
        if figure.value is None and figure.reason
    ]
    return [Text("\n").join([paragraph(reason, width, rest="  ", style="dim") for reason in reasons])] * bool(reasons)


def _matrix(board: Leaderboard, width: int) -> list[Text]:
    matrix = board.best_matrix
    return [matrix_text(matrix, width)] if matrix is not None and len(matrix.labels) <= MOST_CLASSES else []


def _facts(board: Leaderboard, width: int) -> list[Text]:
    lines = [paragraph(f"{visible(name)}: {visible(value)}", width, "  ", "    ") for name, value in board.facts]
    return [Text("\n").join([Text(visible(board.title), style="bold"), *lines])] if lines else []


def _warnings(board: Leaderboard, width: int) -> list[Text]:
    return [warnings_text(board.warnings, width)] if board.warnings else []


def warnings_text(warnings: tuple[str, ...], width: int) -> Text:
    """Return each warning with a mark that does not need colour."""
    lines = [paragraph(unbroken(warning), width, "! ", "  ", style="yellow") for warning in warnings]
    return Text("\n").join(lines)


def notes_text(notes: tuple[str, ...], width: int) -> Text:
    """Return the notes, one paragraph each."""
    return Text("\n").join([paragraph(unbroken(note), width, "· ", "  ", style="dim") for note in notes])


def grid_text(grid: Grid) -> Text:
    """Return a table of text under its title, if it has one; its lines are not broken."""
    head, *rows = grid.lines()
    title = [Text(visible(grid.title), style="bold")] if grid.title else []
    below = [Text(f"  {visible(grid.below)}")] if grid.below else []
    return Text("\n").join([*title, *below, Text(f"  {head}", style="dim"), *(Text(f"  {row}") for row in rows)])


def _checks(board: Leaderboard, width: int) -> list[Text]:
    """Return the checks; that there are none is not said below a warning, which reads as one of them."""
    if board.checks is None or (board.warnings and not board.checks):
        return []
    return [checks_text(board.checks, width)]


def checks_text(checks: tuple[Check, ...], width: int) -> Text:
    """Return the checks under their title."""
    if not checks:
        return Text("Checks: nothing found", style="bold")
    return Text("\n").join([Text("Checks", style="bold"), check_lines(checks, width)])


def check_lines(checks: tuple[Check, ...], width: int) -> Text:
    """Return one paragraph per check, warnings first; each has a mark that does not need colour, and its code."""
    lines = []
    for check in sorted(checks, key=lambda check: check.severity != "warning"):
        is_warning = check.severity == "warning"
        mark, style = ("! ", "yellow") if is_warning else ("· ", "")
        lines.append(paragraph(unbroken(visible(str(check))), width, mark, "  ", style=style))
    return Text("\n").join(lines)


def _ending(board: Leaderboard, width: int) -> Text:
    """Return the protocol and the lines that reproduce it; those are never broken, so that they can be copied."""
    lines = [paragraph(f"Protocol: {visible(board.protocol)}", width, rest="  ")]
    for name, code in board.reproduce:
        lines.append(Text(f"{visible(name)}:", style="dim"))
        lines += [Text(f"  {visible(line)}") for line in code.splitlines()]
    versions = ", ".join(f"{visible(name)} {visible(version)}" for name, version in board.versions)
    return Text("\n").join([*lines, *([paragraph(versions, width, style="dim")] if versions else [])])
