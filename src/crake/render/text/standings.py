"""The table of a leaderboard as text: one line per learner where 100 columns are there, two where they are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from crake.render import format_numbers as numbers
from crake.render.leaderboard import Entry, Leaderboard
from crake.render.plain_text import shown, unbroken, visible
from crake.render.scale import Scale, main_scale
from crake.render.sentences import listed
from crake.render.text.columns import TextColumn, heading_lines, paragraph, row_lines

ONE_LINE = 100
"""Columns of a terminal from which every learner has one line."""
_BAR, _LEAST_BAR = 25, 14
"""Cells an interval is drawn in, and the fewest in which it is worth drawing."""
_VERDICT = 32
"""Cells that a verdict needs to stand in the learner's line; with less room it goes on a line of its own."""
_NAME = 20
"""Cells of a learner's name that are shown in any case."""
_MARKS = "†‡§¶"


def standings_text(board: Leaderboard, width: int) -> list[Text]:
    """Return the table of learners and, below it, the reasons for the dashes in it."""
    return [_table(board, width), *_undefined(board, width)]


def _table(board: Leaderboard, width: int) -> Text:
    numbers_width = cell_len(heading_lines(_wide_columns(board))[-1])
    verdict = max((cell_len(visible(entry.verdict)) for entry in board.entries), default=0)
    room = width - numbers_width - 2
    if width >= ONE_LINE:
        return _wide_table(board, width) if verdict <= room else _short_table(board, width)
    return _wide_table(board, width) if min(verdict, _VERDICT) <= room else _narrow_table(board, width)


def _short_table(board: Leaderboard, width: int) -> Text:
    """Return one line per learner: short verdicts, and as many columns as fit. Below it, what they leave out."""
    scale, marks = main_scale(board), _marks(board)
    verdicts = [_short_verdict(entry, marks, width // 2) for entry in board.entries]
    room = width - max(map(cell_len, verdicts), default=0) - 2
    columns, left_out, has_bar = _fitting(board, room)
    *above, last = heading_lines(columns)
    lines = [Text(line, style="dim") for line in (*above, f"{last}  verdict")]
    for entry, line, verdict in zip(board.entries, row_lines(columns), verdicts, strict=True):
        lines.append(Text(f"{line.ljust(len(last))}  {verdict}", style=_style(entry)))
    notes = [_legend(board, scale, width, is_drawn=has_bar), *_meanings(board, marks, left_out, width)]
    return Text("\n").join([*lines, *notes])


def _fitting(board: Leaderboard, room: int) -> tuple[list[TextColumn], list[str], bool]:
    """Return the columns that fit, the headings of those that do not, and True if the intervals are drawn.

    The drawing shrinks and goes first, then columns from the right. Then long names are cut.
    """
    main, *others = _columns(board, narrow=True)
    names = _names(board, room)
    free = room - _width([names, main, *others]) - 2
    if free >= _LEAST_BAR:
        return [names, main, _bar_column(board, min(free, _BAR)), *others], [], True
    kept = list(others)
    while kept and _width([names, main, *kept]) > room:
        kept.pop()
    names = _names(board, max(_NAME, room - _width([main, *kept]) - 2))
    left_out = [" ".join(column.heading.split()) for column in others[len(kept) :]]
    return [names, main, *kept], left_out, False


def _width(columns: Sequence[TextColumn]) -> int:
    return sum(column.width for column in columns) + 2 * (len(columns) - 1)


def _names(board: Leaderboard, most: int) -> TextColumn:
    return TextColumn("learner", [shown(entry.name, most) for entry in board.entries], right=False)


def _marks(board: Leaderboard) -> dict[str, str]:
    """Return the mark of each remark, in the order of the lines."""
    remarks = dict.fromkeys(entry.remark for entry in board.entries if entry.remark)
    return {remark: _MARKS[min(k, len(_MARKS) - 1)] for k, remark in enumerate(remarks)}


def _short_verdict(entry: Entry, marks: Mapping[str, str], most: int) -> str:
    text = shown(entry.short_verdict or entry.verdict, most)
    return f"{text} {marks[entry.remark]}" if entry.remark else text


def _meanings(board: Leaderboard, marks: Mapping[str, str], left_out: Sequence[str], width: int) -> Iterator[Text]:
    """Yield a line on words and marks of the verdicts, and one on columns without room."""
    tied = ["tied: not distinguishable from the best"] * any(
        entry.short_verdict.startswith("tied") for entry in board.entries
    )
    words = [*tied, *(f"{mark}\N{NO-BREAK SPACE}{visible(remark)}" for remark, mark in marks.items())]
    if words:
        yield paragraph("; ".join(words), width, first="  ", style="dim")
    if left_out:
        yield paragraph(f"no room for: {', '.join(left_out)}", width, first="  ", style="dim")


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
    main, *others = _columns(board, narrow=False)
    return [
        TextColumn("learner", [shown(entry.name) for entry in board.entries], right=False),
        main,
        _bar_column(board),
        *others,
    ]


def _bar_column(board: Leaderboard, cells: int = _BAR) -> TextColumn:
    scale = main_scale(board)
    return TextColumn("", [_bar(entry, board.baseline, scale, cells) for entry in board.entries], right=False)


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


def _bar(entry: Entry, baseline: Entry | None, scale: Scale, width: int = _BAR) -> str:
    """Return the interval as ├──●──┤ on the common scale, the baseline's measure as ┊."""
    cells = [" "] * width
    if baseline is not None and baseline.main.value is not None:
        cells[_cell(baseline.main.value, scale, width)] = "┊"
    measure = entry.main
    if measure.low is not None and measure.high is not None:
        low, high = _cell(measure.low, scale, width), _cell(measure.high, scale, width)
        cells[low : high + 1] = "─" * (high - low + 1)
        if low < high:
            cells[low], cells[high] = "├", "┤"
    if measure.value is not None:
        cells[_cell(measure.value, scale, width)] = "●"
    return "".join(cells)


def _cell(value: float, scale: Scale, width: int) -> int:
    return round(scale.place(value) * (width - 1))


def _legend(board: Leaderboard, scale: Scale, width: int, *, is_drawn: bool = True) -> Text:
    baseline = board.baseline
    mark = f", ┊ = {shown(baseline.name, 20)}" if baseline is not None else ""
    titles: dict[str, list[str]] = {}
    for each in board.columns:
        titles.setdefault(visible(each.about), []).append(each.title)
    meaning = "".join(f"; {listed(names)}: {about}" for about, names in titles.items() if about)
    drawn = f", drawn from {numbers.amount(scale.low)} to {numbers.amount(scale.high)}{mark}" if is_drawn else ""
    text = f"{board.main.title} with its {visible(board.interval_name)}{drawn}{meaning}"
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
