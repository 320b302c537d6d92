"""HTML pages, and fragments for a notebook's cell: one file each, no address outside.

Every template is filled with autoescape on: whatever a table holds stays text. The only part that is
not escaped is crake's own style sheet.
"""

from __future__ import annotations

import functools
import re
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from crake.render import format_numbers as numbers
from crake.render import plain_text, sentences
from crake.render.description import Description
from crake.render.drawing.style import sheet
from crake.render.report import words
from crake.render.sentences import class_words

MOST_COLUMNS = 1000
"""Columns that the page of a description lists."""


def description_page(description: Description) -> str:
    """Return the description of a table as a page of its own."""
    return filled_page(description.name, "description.html.jinja", description_parts(description))


def description_fragment(description: Description) -> str:
    """Return the description of a table as a part of another page."""
    return filled_fragment("description.html.jinja", description_parts(description))


def description_parts(description: Description) -> dict[str, Any]:
    """Return what the template of a description needs."""
    # Every name in a drawing is escaped where it is drawn.
    drawings = [(each, Markup(each.svg(styled=False))) for each in description.draw()]  # noqa: S704
    target = f", target {plain_text.shown(description.target)}" if description.target is not None else ""
    return {
        "subject": description,
        "drawings": drawings,
        "summaries": {column.name: column for column in description.columns},
        "listed": description.listed(MOST_COLUMNS),
        "drawing_style": Markup(sheet()) if drawings else "",  # noqa: S704 (our own style sheet)
        "sentence": f"{plain_text.shown(description.name, 80)}: {description.size}{target}",
    }


def filled_page(title: str, body: str, parts: dict[str, Any], *, script_source: str = "") -> str:
    """Return a page of its own around the template `body`; no script runs in it but one whose hash is given."""
    template = _templates().get_template("page.html.jinja")
    return template.render(title=title, body=body, css=style_sheet(), level=1, script_source=script_source, **parts)


def filled_fragment(body: str, parts: dict[str, Any]) -> str:
    """Return the template `body` as a part of another page."""
    template = _templates().get_template("fragment.html.jinja")
    return template.render(body=body, css=style_sheet(), level=3, **parts)


def filled(name: str, parts: dict[str, Any]) -> Markup:
    """Return a template of this name, filled: a part of a page."""
    return Markup(_templates().get_template(name).render(**parts))  # noqa: S704 (autoescape is on)


def whole_options(text: object) -> Markup:
    """Return text in which no line is broken inside an option such as --ignore.

    >>> print(whole_options("<b> --ignore id"))
    &lt;b&gt; <span class="whole">--ignore</span> id
    """
    parts = re.split(r"(--[a-z][a-z-]*)", str(text))
    return Markup("").join(
        Markup('<span class="whole">{}</span>').format(part) if at % 2 else part for at, part in enumerate(parts)
    )


@functools.cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("crake.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for filter_ in (
        numbers.figure,
        numbers.interval,
        numbers.measure,
        numbers.measure_interval,
        numbers.seconds,
        numbers.percent,
        numbers.count,
        numbers.compact,
        numbers.quantity,
        numbers.rounded,
        numbers.summary,
        plain_text.visible,
        plain_text.shown,
        plain_text.unbroken,
        plain_text.clipped,
        plain_text.minus,
        sentences.capital,
        sentences.counted,
        whole_options,
        words.money,
        words.cutoff_text,
        class_words,
    ):
        environment.filters[filter_.__name__] = filter_
    return environment


@functools.cache
def style_sheet() -> Markup:
    """Return the style sheet of all pages."""
    sheet = resources.files("crake.render").joinpath("static/report.css").read_text("utf-8")
    return Markup(_packed(sheet))  # noqa: S704 (our own file, not a user's text)


def _packed(sheet: str) -> str:
    r"""Return a style sheet without comments, indents and blanks that say nothing.

    >>> _packed("/* Red. */\n.a > b {\n  color: red; margin: 0 auto;\n}\n")
    '.a > b{color:red;margin:0 auto}'
    """
    lines = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL).split()
    return re.sub(r" ?([{};,]) ?", r"\1", " ".join(lines)).replace(": ", ":").replace(";}", "}")
