"""A file that is scanned together with the parts of its dates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from crake.table import cells
from crake.table.codes import Cells
from crake.table.date_parts import part_cells
from crake.table.schema import Column
from crake.table.sources.file_around import FileAround
from crake.table.sources.protocol import FileColumn, Portion


@dataclass(frozen=True, eq=False)
class FileWithParts(FileAround):
    """The rows of a file, with columns that are parts of its dates; `notations` tells how texts of dates are read."""

    parts: tuple[Column, ...]
    notations: Mapping[str, str]

    @property
    def columns(self) -> tuple[FileColumn, ...]:
        """Return the columns of the file, each followed by its parts."""
        by_source: dict[str, list[FileColumn]] = {}
        for part in self.parts:
            column = FileColumn(part.name, part.kind, "date", declared=part.declared, notation=part.notation)
            by_source.setdefault(part.source, []).append(column)
        return tuple(each for column in self.file.columns for each in (column, *by_source.get(column.name, ())))

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """Yield all rows in their order, of these columns only."""
        parts = [part for part in self.parts if part.name in names]
        own = {part.name for part in parts}
        of_file = dict.fromkeys([*(name for name in names if name not in own), *(part.source for part in parts)])
        for portion in self.file.portions(list(of_file)):
            parts_by_name = {part.name: self._made(part, portion) for part in parts}
            yield replace(portion, columns={**portion.columns, **parts_by_name})

    def _made(self, part: Column, portion: Portion) -> Cells:
        notation = self.notations[part.source]
        days = cells.numbers(portion.columns[part.source], part.source, portion.start, notation)
        return part_cells(days, part.notation)
