"""Describing a table, or a model file: what is in it, and what to look at before learning from it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from crake.errors import CrakeError
from crake.render.grid import Grid
from crake.render.plain_text import shown, visible
from crake.render.sentences import counted
from crake.workbench.calls import Script, call, printed, public
from crake.workbench.explanation import read_names
from crake.workbench.first_run import note_reading_compiles
from crake.workbench.models import load_call
from crake.workbench.progress import SILENT, Progress
from crake.workbench.request import Request, changed, options
from crake.workbench.table import MODEL, TABLE, TableRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from crake.modelfile import ModelDescription
    from crake.render.description import Description

ENDING = ".crake"
COLUMNS, NAME, LEVELS = 100, 40, 60
"""Columns that are listed; characters of a column's name, and of its values, that are shown."""


@dataclass(frozen=True)
class DescribeRequest(Request):
    """A table to describe, or a model file (.crake).

    >>> DescribeRequest(TableRequest("golf", sample=5)).command_line()
    'crake describe golf --sample 5 --seed 1'
    """

    table: TableRequest
    seed: int = 1

    command: ClassVar[str] = "describe"

    def check(self) -> None:
        """Raise an error for options about a table that is a model file."""
        self.table.check()
        source = self.table.source
        if self._is_model() and self.table != TableRequest(source):
            raise CrakeError(f"{source} is a model file: options that read a table say nothing of it; leave them out")

    def run(self, progress: Progress = SILENT) -> DescribedTable | DescribedModel:
        """Read the table or load the model, and describe it."""
        self.check()
        if self._is_model():
            from crake.modelfile import describe as describe_model  # noqa: PLC0415
            from crake.modelfile import load  # noqa: PLC0415

            file = Path(self.table.source)
            return DescribedModel(file, load(file), describe_model(file))
        from crake.evaluation.columns.describe import describe_table  # noqa: PLC0415 (Arrow and numpy only if needed)

        note_reading_compiles(progress, self.table.source)
        table = self.table.run(progress, seed=self.seed)
        return DescribedTable(describe_table(progress.watching(table)))

    def words(self) -> list[str]:
        """Return the arguments and options of the command line."""
        seed = changed(self.seed, 1) if self.table.sample is None else self.seed
        return [*self.table.words(), *options(seed=seed)]

    def python(self) -> str:
        """Return the lines that describe in Python.

        >>> print(DescribeRequest(TableRequest("golf")).python())
        import crake
        table = crake.read("golf")
        print(crake.describe(table))
        """
        if self._is_model():
            return str(Script((("model", load_call(self.table.source)), ("", printed(MODEL)))))
        describe = call(public("describe"), TABLE)
        return str(Script((("table", self.table.read_call(self.seed)), ("", printed(describe)))))

    def _is_model(self) -> bool:
        source = self.table.source
        return source.lower().endswith(ENDING) and Path(source).is_file()


@dataclass(frozen=True, eq=False)
class DescribedTable:
    """The description of a table."""

    description: Description

    def text(self, width: int) -> Text:
        """Return the description for a terminal."""
        from crake.render.text.description import description_text  # noqa: PLC0415 (rich only where there is text)

        return description_text(self.description, width)

    def to_dict(self) -> dict[str, Any]:
        """Return the description as a JSON document."""
        return self.description.to_dict()

    def page(self) -> str:
        """Return the description as one HTML page."""
        return self.description.to_html()


@dataclass(frozen=True, eq=False)
class DescribedModel:
    """A model, and the facts of its file."""

    file: Path
    model: Any
    description: ModelDescription

    def headline(self) -> str:
        """Return what the model is, what it predicts, and from how many columns."""
        schema = self.description.schema
        read = read_names(self.model) if hasattr(self.model, "_read_names") else []  # a network is no estimator
        texts = [name for name in read if str(schema[name].kind) == "text"]
        text = f"{self.file.name}: {self._title()}, {counted(len(schema.features) + len(texts), 'column')}"
        if schema.target is None:
            return text
        what = f"{len(schema.classes)} classes" if schema.classes else "a number"
        return f"{text}; predicts {shown(schema.target, NAME)}, {what}"

    def facts(self) -> str:
        """Return the size and checksum of the file, and how many rows it holds."""
        facts = self.description
        rows = f"; it holds {facts.rows_held:,} training rows, with every value" if facts.rows_held else ""
        return f"{facts.file_bytes:,} bytes, format {facts.format}, sha256 {facts.sha256[:12]}…{rows}"

    def columns(self) -> Grid:
        """Return the columns that the model reads, with the values of nominal ones."""
        read = self.description.schema.features
        rows = [(shown(each.name, NAME), each.kind.value, _levels(each.levels)) for each in read[:COLUMNS]]
        if len(read) > COLUMNS:
            rows.append((f"… {counted(len(read) - COLUMNS, 'more column')}: --json", "", ""))
        return Grid("Columns", ("column", "kind", "values"), tuple(rows))

    def text(self, width: int) -> Text:
        """Return the description for a terminal; the model is shown whole."""
        from rich.text import Text  # noqa: PLC0415 (not needed for --json)

        del width  # lines of tables are not broken
        model = "\n".join(visible(line) for line in str(self.model).splitlines())
        return Text("\n").join(
            [Text(visible(self.headline()), style="bold"), Text(f"{self.facts()}\n\n{self.columns()}\n\n{model}")]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the document of the schema "crake-describe-model/1"; `classes` is null for a regressor."""
        from crake.learners.registry import parameters_of  # noqa: PLC0415 (numba and numpy only when there is work)

        facts = self.description
        schema = facts.schema
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
            "parameters": json.loads(json.dumps(parameters_of(self.model), default=str)),
            "target": schema.target,
            "classes": [str(label) for label in schema.classes] or None,
            "columns": columns,
            "file": {
                "name": str(self.file),
                "bytes": facts.file_bytes,
                "format": facts.format,
                "sha256": facts.sha256,
                "rows_held": facts.rows_held,
            },
            "text": str(self.model),
        }

    def page(self) -> str:
        """Return one HTML page, with the model drawn."""
        from markupsafe import Markup, escape  # noqa: PLC0415 (only for a page)

        from crake.render.page import filled_page  # noqa: PLC0415

        # Every name in these fragments is escaped where they are made.
        parts = [self.columns()._repr_html_(), self.model._repr_html_()]
        facts = [escape(visible(line)) for line in (self.headline(), self.facts())]
        fragments = [*(Markup("<p>{}</p>").format(fact) for fact in facts), *map(Markup, parts)]
        return filled_page(self.file.name, "workings.html.jinja", {"fragments": fragments})

    def _title(self) -> str:
        from crake.learners.registry import title_of  # noqa: PLC0415 (numba and numpy only when there is work)

        return title_of(self.model)


def _levels(levels: Sequence[object]) -> str:
    """Return the first values and how many more there are.

    >>> _levels(["no", "yes"]), _levels(range(1000))
    ('no, yes', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, … (986 more)')
    """
    names = [shown(level, LEVELS) for level in levels[: LEVELS // 2]]
    if len(names) == len(levels) and len(", ".join(names)) <= LEVELS:
        return ", ".join(names)
    width = LEVELS - len(f", … ({len(levels)} more)")
    count = 1
    while count < len(names) and len(", ".join(names[: count + 1])) <= width:
        count += 1
    return f"{', '.join(names[:count])}, … ({len(levels) - count} more)"
