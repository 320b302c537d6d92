"""A model file described: what it predicts, the columns it reads, its parameters, and the model itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crake.cli.requests.table import Reading
from crake.errors import CrakeError
from crake.render.grid import Grid
from crake.render.plain_text import shown, visible

if TYPE_CHECKING:
    from rich.text import Text

    from crake.modelfile import ModelDescription
    from crake.table.schema import Column

ENDING = ".crake"
COLUMNS, NAME, LEVELS = 100, 40, 60
"""Columns that are listed; characters of a column's name, and of its values, that are shown."""


@dataclass(frozen=True, eq=False)
class ModelShown:
    """A model, and what its file says of itself."""

    file: Path
    model: Any
    description: ModelDescription

    def headline(self) -> str:
        """What it is, what it predicts, and from how many columns."""
        schema = self.description.schema
        said = f"{self.file.name}: {self._title()}, {len(schema.features)} columns"
        if schema.target is None:
            return said
        what = f"{len(schema.classes)} classes" if schema.classes else "a number"
        return f"{said}; predicts {shown(schema.target, NAME)}, {what}"

    def facts(self) -> str:
        """The file's size and checksum, and whether it holds rows."""
        found = self.description
        rows = f"; it holds {found.rows_held:,} training rows, with every value" if found.rows_held else ""
        return f"{found.file_bytes:,} bytes, format {found.format}, sha256 {found.sha256[:12]}…{rows}"

    def columns(self) -> Grid:
        """The columns it reads, and the values of those that are nominal."""
        read = self.description.schema.features
        rows = [(shown(each.name, NAME), each.kind.value, _levels(each)) for each in read[:COLUMNS]]
        if len(read) > COLUMNS:
            rows.append((f"… {len(read) - COLUMNS} more columns: --json", "", ""))
        return Grid("Columns", ("column", "kind", "values"), tuple(rows))

    def text(self, width: int) -> Text:
        """For a terminal; the model is shown whole."""
        from rich.text import Text  # noqa: PLC0415 (not needed for --json)

        del width  # lines of tables are not broken
        model = "\n".join(visible(line) for line in str(self.model).splitlines())
        return Text("\n").join(
            [Text(visible(self.headline()), style="bold"), Text(f"{self.facts()}\n\n{self.columns()}\n\n{model}")]
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON, under the schema "crake-describe-model/1"; `classes` is null where a number is predicted."""
        found = self.description
        schema = found.schema
        columns = [
            {
                "name": each.name,
                "kind": each.kind.value,
                **({"levels": list(map(str, each.levels))} if each.levels else {}),
            }
            for each in schema.features
        ]
        return {
            "schema": "crake-describe-model/1",
            "learner": self._title(),
            "parameters": json.loads(json.dumps(self.model.get_params(deep=False), default=str)),
            "target": schema.target,
            "classes": [str(label) for label in schema.classes] or None,
            "columns": columns,
            "file": {
                "name": str(self.file),
                "bytes": found.file_bytes,
                "format": found.format,
                "sha256": found.sha256,
                "rows_held": found.rows_held,
            },
            "text": str(self.model),
        }

    def page(self) -> str:
        """A page of its own, with the model drawn."""
        from markupsafe import Markup, escape  # noqa: PLC0415 (only for a page)

        from crake.render.page import filled_page  # noqa: PLC0415

        # Every name in these fragments is escaped where they are made.
        made = [self.columns()._repr_html_(), self.model._repr_html_()]
        facts = [escape(visible(line)) for line in (self.headline(), self.facts())]
        fragments = [*(Markup("<p>{}</p>").format(fact) for fact in facts), *map(Markup, made)]
        return filled_page(self.file.name, "workings.html.jinja", {"fragments": fragments})

    def _title(self) -> str:
        from crake.learners.registry import title_of  # noqa: PLC0415 (numba and numpy only when there is work)

        return title_of(self.model)


def is_model_file(source: str) -> bool:
    """Whether it is called as model files are, and is there."""
    return source.lower().endswith(ENDING) and Path(source).is_file()


def described_model(reading: Reading) -> ModelShown:
    """The model of a file; what speaks of a table's columns is refused."""
    from crake.modelfile import describe, load  # noqa: PLC0415

    if reading != Reading(reading.source, seed=reading.seed):
        raise CrakeError(
            f"{reading.source} is a model file: options that read a table say nothing of it; leave them out"
        )
    file = Path(reading.source)
    return ModelShown(file, load(file), describe(file))


def _levels(column: Column) -> str:
    return shown(", ".join(map(str, column.levels)), LEVELS)
