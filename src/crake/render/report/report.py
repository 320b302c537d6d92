"""The report as data: a headline and sections of blocks. Every rendering shows these and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from crake.errors import CrakeError
from crake.files import replace_file
from crake.render.report.blocks import Block
from crake.render.short_repr import short_repr

Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Section:
    """A section of a report.

    `data` is the section's part of the JSON document; its keys do not depend on whether there is something to show.
    A section without blocks is not shown; the blocks of one without a title bring their own. `hidden_in` names
    renderings that show the same elsewhere ("html").
    """

    name: str
    title: str
    blocks: tuple[Block, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    hidden_in: frozenset[str] = frozenset()

    __repr__ = short_repr


@dataclass(frozen=True)
class Report:
    """A report, ready to be shown.

    `occasion` stands before the title in the first line of the page ("comparison of 3 learners on"); `lead` are the
    lines right below the headline; `schema` names the schema of `to_dict`.
    """

    schema: str
    title: str
    occasion: str
    headline: str
    sections: tuple[Section, ...]
    lead: tuple[str, ...] = ()

    __repr__ = short_repr

    def __getitem__(self, name: str) -> Section:
        """Return the section of this name."""
        for section in self.sections:
            if section.name == name:
                return section
        raise CrakeError(f"expected one of {[section.name for section in self.sections]}, got {name!r}")

    def with_section(self, section: Section) -> Report:
        """Return the report with this section in the place of the one of its name; a new one comes last."""
        if all(each.name != section.name for each in self.sections):
            return replace(self, sections=(*self.sections, section))
        sections = (section if each.name == section.name else each for each in self.sections)
        return replace(self, sections=tuple(sections))

    def blocks(self, kind: type[Kind]) -> tuple[Kind, ...]:
        """Return all blocks of one kind, in the order of the report."""
        return tuple(block for section in self.sections for block in section.blocks if isinstance(block, kind))

    def sections_in(self, rendering: str) -> tuple[Section, ...]:
        """Return the sections that a rendering shows."""
        return tuple(section for section in self.sections if section.blocks and rendering not in section.hidden_in)

    def to_dict(self) -> dict[str, Any]:
        """Return the report for JSON, under the schema `schema`."""
        document: dict[str, Any] = {
            "schema": self.schema,
            "title": self.title,
            "headline": self.headline,
            "occasion": self.occasion,
        }
        for section in self.sections:
            document.update(section.data)
        if self.lead:  # the schema has no key of its own for these lines
            document["notes"] = [*self.lead, *document.get("notes", ())]
        return document

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the page; also write it to `path` if given, whole or not at all."""
        from crake.render.report.html import report_page  # noqa: PLC0415 (jinja2 only when asked for)

        return written(report_page(self), path)

    def markdown(self, path: str | Path | None = None) -> str:
        """Return Markdown for a wiki, a ticket or a pull request; also write it to `path` if given."""
        from crake.render.report.markdown import report_markdown  # noqa: PLC0415

        return written(report_markdown(self), path)

    def json(self, path: str | Path | None = None) -> str:
        """Return `to_dict` as text; also write it to `path` if given."""
        return written(json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n", path)

    def save(self, path: str | Path) -> None:
        """Write the report as its file's ending says: .html, .md, .json or .txt."""
        renderings = {".html": self.to_html, ".htm": self.to_html, ".md": self.markdown, ".json": self.json}
        suffix = Path(path).suffix.lower()
        if suffix == ".txt":
            written(f"{self}\n", path)
        elif suffix in renderings:
            renderings[suffix](path)
        else:
            raise CrakeError(f"{path} ends in {suffix or 'nothing'}; expected .html, .md, .json or .txt")

    def __str__(self) -> str:
        from crake.render.report.text import report_text  # noqa: PLC0415 (rich only when asked for)

        return report_text(self).plain

    def fragment(self) -> str:
        """Return HTML for another page, without script."""
        from crake.render.report.html import report_fragment  # noqa: PLC0415

        return report_fragment(self)

    def _repr_html_(self) -> str:
        return self.fragment()


def written(text: str, path: str | Path | None) -> str:
    """Return the text; also write it to `path` if given, whole or not at all."""
    if path is not None:
        replace_file(path, text.encode("utf-8", "backslashreplace"))
    return text
