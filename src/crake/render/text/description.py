"""The description of a table as text: classes, warnings, then one line per column."""

from __future__ import annotations

from rich.text import Text

from crake.render import format_numbers as numbers
from crake.render.description import ColumnSummary, Description, LevelShare
from crake.render.plain_text import shown, unbroken
from crake.render.sentences import capital, counted
from crake.render.text.columns import TextColumn, heading_lines, paragraph, row_lines
from crake.render.text.leaderboard import notes_text, warnings_text
from crake.render.text.relations import relations_text

_BLOCKS = "·▁▂▃▄▅▆▇█"
"""An empty bin is a dot and no space, so that the line is not broken there."""
_BINS = 8
_LONGEST_NAME = 28
_BAR = 20
_LEAST_VALUES = 18
"""Cells that the values need beside a column; in fewer they would be cut within words, and stand below it."""
_INDENT = " " * 4
MOST_COLUMNS = 100
"""Columns that are listed; a page has more, and JSON has all."""


def description_text(description: Description, width: int = 80) -> Text:
    """Return the whole description in lines of at most `width` cells; `.plain` is the text without colours."""
    parts = [
        _opening(description, width),
        *([_classes(description)] if description.classes else []),
        *([warnings_text(description.warnings, width)] if description.warnings else []),
        _columns(description, width),
        *([relations_text(description.relations, width)] if description.relations is not None else []),
        *([notes_text(notes, width)] if (notes := description.further_notes) else []),
    ]
    return Text("\n\n").join(parts)


def _opening(description: Description, width: int) -> Text:
    """Return the title, and the notes without which no other line can be understood."""
    early = [paragraph(unbroken(f"{capital(note)}."), width) for note in description.early_notes]
    return Text("\n").join([_title(description, width), *early])


def _title(description: Description, width: int) -> Text:
    target = f", target {shown(description.target)}" if description.target is not None else ", no target named"
    return paragraph(f"{shown(description.name)}: {description.size}{target}", width, style="bold")


def _classes(description: Description) -> Text:
    classes = description.classes
    columns = [
        TextColumn("class", [shown(share.level, 36) for share in classes], right=False),
        TextColumn("rows", [numbers.count(share.rows) for share in classes]),
        TextColumn("share", [numbers.percent(share.share) for share in classes]),
        TextColumn("", ["█" * _bar_length(share) for share in classes], right=False),
    ]
    headings = [Text(line, style="dim") for line in heading_lines(columns)]
    return Text("\n").join([*headings, *(Text(line) for line in row_lines(columns))])


def _bar_length(share: LevelShare) -> int:
    return max(1, round(share.share * _BAR)) if share.rows else 0


def _columns(description: Description, width: int) -> Text:
    """Name, kind, missing and distinct in columns; the values behind them, or below where there is no room."""
    columns = description.listed(MOST_COLUMNS)
    table = [
        TextColumn("column", [shown(column.name, _LONGEST_NAME) for column in columns], right=False),
        TextColumn(
            "kind",
            ["target" if c.is_target and c.levels else c.shown_kind for c in columns],
            right=False,
        ),
        TextColumn("missing", [_missing(column, description.rows) for column in columns]),
        TextColumn("distinct", [distinct_text(column) for column in columns]),
    ]
    beside = sum(each.width + 2 for each in table)
    has_room = width - beside >= _LEAST_VALUES
    lines = [Text(heading_lines(table)[-1] + ("  values" if has_room else ""), style="dim")]
    for column, line in zip(columns, row_lines(table), strict=True):
        style = "bold" if column.is_target else "" if column.kind in ("numeric", "nominal") else "dim"
        text = values_text(column)
        if has_room:
            lines.append(paragraph(text, width, first=f"{line}  ", style=style))
        else:
            below = [paragraph(text, width, first=_INDENT, style=style)] if text else []
            lines += [Text(line, style=style), *below]
    more = len(description.columns) - len(columns)
    if more:
        them = "it" if more == 1 else "them all"
        lines.append(Text(f"… {counted(more, 'more column')}: --json has {them}", style="dim"))
    return Text("\n").join(lines)


def _missing(column: ColumnSummary, rows: int) -> str:
    """Return the number of missing values, and their share of the rows where it is wanted."""
    if not (rows and column.missing):
        return numbers.count(column.missing)
    return f"{numbers.count(column.missing)} ({numbers.percent(column.missing / rows)})"


def distinct_text(column: ColumnSummary) -> str:
    """Return the number of distinct values; beyond the bound, that there are more."""
    return f"> {numbers.count(column.distinct)}" if column.is_more_distinct else numbers.count(column.distinct)


def values_text(column: ColumnSummary) -> str:
    r"""Return the values of a column in one phrase.

    >>> values_text(ColumnSummary("x", "numeric", 0, 3, minimum=1, mean=2.5, maximum=4, histogram=(1, 0, 2)))
    '▄·█  1\xa0…\xa04, mean\xa02.5'
    """
    if column.minimum is not None and column.maximum is not None and column.mean is not None:
        ends, mean = f"{column.lowest} … {column.highest}", f"mean {column.middle}"
        if column.is_date:
            return f"{sparkline(column.histogram)}  {_whole(ends)}"
        phrases = [ends, mean]
        if column.median is not None and column.spread is not None:
            phrases += [f"median {numbers.summary(column.median)}", f"IQR {numbers.summary(column.spread)}"]
        return f"{sparkline(column.histogram)}  {', '.join(map(_whole, phrases))}"
    levels = [_level(share) for share in column.levels]
    rest = column.distinct - len(levels)
    more = [_whole(f"{numbers.count(rest)} more")] if rest > 0 and levels else []
    return ", ".join([*levels, *more]) or column.without_values


def _level(share: LevelShare) -> str:
    """Return a level with its share, kept on one line if it is short."""
    name, between = shown(share.level, 24), " "
    if len(name) <= 12:
        name, between = _whole(name), "\N{NO-BREAK SPACE}"
    return numbers.with_share(name, share.share, between)


def _whole(phrase: str) -> str:
    return phrase.replace(" ", "\N{NO-BREAK SPACE}")


def sparkline(counts: tuple[int, ...]) -> str:
    """Return a histogram in at most eight cells; a bin that holds anything shows at least the lowest block.

    >>> sparkline((1, 0, 4, 100)), sparkline((0, 1, 2, 3, 0, 0, 0, 0, 9, 9, 0, 0, 0, 0, 0, 1))
    ('▁·▁█', '▁▃··█··▁')
    """
    together = max(1, -(-len(counts) // _BINS))
    bins = [sum(counts[start : start + together]) for start in range(0, len(counts), together)]
    most = max(bins, default=0)
    return "".join(_BLOCKS[-(-(len(_BLOCKS) - 1) * count // most)] if most else "·" for count in bins)
