"""Elements of a drawing collected in their order, every text escaped on its way in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from html import escape

from crake.render.drawing.style import BOLD, SIZES, sheet
from crake.render.drawing.text_width import fitted
from crake.render.plain_text import shown, visible

_NOT_IN_XML = re.compile("[\ufffe\uffff]")
SHRUNK = 0.86
"""The smallest scale of a drawing: small text then has 9 pixels."""
LONGEST_TITLE = 1200
"""Characters of a text that is said in a <title> when there is no room to write it out."""


class Canvas:
    """A sheet of `width` by `height` pixels; roles are the classes of `sheet.py` without their cd-."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self._parts: list[str] = []
        self._has_links = False

    def text(
        self,
        x: float,
        y: float,
        words: object,
        role: str = "t",
        *,
        anchor: str = "start",
        room: float | None = None,
        turned: float = 0,
    ) -> None:
        """A line of text whose baseline starts (or ends, or is centred) at x, y; no wider than `room` if given.

        What is left out of it can be read in its <title>.
        """
        letters = role.split(maxsplit=1)[0]
        whole = shown(words, LONGEST_TITLE)
        short = whole if room is None else fitted(words, room, SIZES[letters], bold=letters in BOLD)
        title = f"<title>{clean(whole)}</title>" if short != whole else ""
        where = f'x="{coordinate(x)}" y="{coordinate(y)}"'
        anchored = "" if anchor == "start" else f' text-anchor="{anchor}"'
        spin = f' transform="rotate({coordinate(turned)} {coordinate(x)} {coordinate(y)})"' if turned else ""
        self._parts.append(f'<text class="{_classes(role)}" {where}{anchored}{spin}>{title}{clean(short)}</text>')

    def line(self, x1: float, y1: float, x2: float, y2: float, role: str = "axis", **more: object) -> None:
        """A straight line; `more` are attributes such as stroke_width or stroke_dasharray."""
        ends = f'x1="{coordinate(x1)}" y1="{coordinate(y1)}" x2="{coordinate(x2)}" y2="{coordinate(y2)}"'
        self._parts.append(f'<line class="{_classes(role)}" {ends}{_attributes(more)}/>')

    def rect(
        self, x: float, y: float, width: float, height: float, role: str, *, title: str = "", **more: object
    ) -> None:
        """A rectangle; `title` is shown when it is pointed at."""
        size = f'width="{coordinate(max(0.0, width))}" height="{coordinate(max(0.0, height))}"'
        start = f'<rect class="{_classes(role)}" x="{coordinate(x)}" y="{coordinate(y)}" {size}{_attributes(more)}'
        self._parts.append(
            f"{start}><title>{clean(shown(title, LONGEST_TITLE))}</title></rect>" if title else f"{start}/>"
        )

    def path(self, d: str, role: str, *, title: str = "", **more: object) -> None:
        """A path by its commands."""
        start = f'<path class="{_classes(role)}" d="{d}"{_attributes(more)}'
        self._parts.append(
            f"{start}><title>{clean(shown(title, LONGEST_TITLE))}</title></path>" if title else f"{start}/>"
        )

    def circle(self, x: float, y: float, radius: float, role: str, *, title: str = "", **more: object) -> None:
        """A circle."""
        start = f'<circle class="{_classes(role)}" cx="{coordinate(x)}" cy="{coordinate(y)}" r="{coordinate(radius)}"'
        start += _attributes(more)
        self._parts.append(_ended(start, "circle", title))

    def open(self, *, title: str = "", **more: object) -> None:
        """Begin a group; `title` is shown when anything in it is pointed at."""
        element = f"<title>{clean(shown(title, LONGEST_TITLE))}</title>" if title else ""
        self._parts.append(f"<g{_attributes(more)}>{element}")

    def close(self) -> None:
        """End a group."""
        self._parts.append("</g>")

    def open_link(self, target: str, *, label: str, is_current: bool = False) -> None:
        """Begin a link to a place, such as "#name"; `label` is read out, and that it `is_current`."""
        self._has_links = True
        current = ' aria-current="true"' if is_current else ""
        self._parts.append(f'<a href="{clean(target)}" aria-label="{clean(shown(label, LONGEST_TITLE))}"{current}>')

    def close_link(self) -> None:
        """End a link."""
        self._parts.append("</a>")

    def style(self, rules: str) -> None:
        """Add rules that only this drawing needs."""
        self._parts.append(f"<style>{rules}</style>")

    def svg(self, title: str, finding: str, *, is_fluid: bool = True, styled: bool = True) -> str:
        """Return the whole drawing, with its title and its main finding in words for those who cannot see it.

        A fluid one shrinks with the page around it until its smallest letters have 9 pixels; another keeps its size.
        A page narrower than that scrolls.
        """
        title, finding = clean(shown(title, 400)), clean(shown(finding, LONGEST_TITLE))
        body = "".join(self._parts)
        name = sha256(f"{title}{finding}{body}".encode("utf-8", "replace")).hexdigest()[:10]
        wide, high = coordinate(self.width), coordinate(self.height)
        least = coordinate(SHRUNK * self.width)
        fluid = f' style="max-width:100%;min-width:{least}px;height:auto"' if is_fluid else ""
        role = "group" if self._has_links else "img"  # what is inside an image cannot be reached
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="crake-drawing" width="{wide}" height="{high}" '
            f'viewBox="0 0 {wide} {high}" role="{role}" aria-labelledby="t{name} d{name}"{fluid}>'
            f'<title id="t{name}">{title}</title><desc id="d{name}">{finding}</desc>'
            f"{f'<style>{sheet()}</style>' if styled else ''}"
            f'<rect class="cd-paper" width="{wide}" height="{high}"/>{body}</svg>'
        )


def coordinate(value: float) -> str:
    """Return a place in hundredths of a pixel, short.

    >>> coordinate(12.0), coordinate(0.126), coordinate(-0.001)
    ('12', '0.13', '0')
    """
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if written in {"-0", ""} else written


def path_through(points: Iterable[tuple[float, float]]) -> str:
    """Return the commands of straight lines through some points.

    >>> path_through([(0, 1), (2, 3.5)])
    'M0 1L2 3.5'
    """
    return "M" + "L".join(f"{coordinate(x)} {coordinate(y)}" for x, y in points)


def clean(text: object) -> str:
    """Return text as XML takes it: steering signs written out, markup escaped.

    >>> clean('<script>"&"')
    '&lt;script&gt;&quot;&amp;&quot;'
    """
    whole = _NOT_IN_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", visible(text))
    return escape(whole)


def _ended(start: str, tag: str, title: str) -> str:
    """Return the element, with what it says when it is pointed at."""
    return f"{start}><title>{clean(shown(title, LONGEST_TITLE))}</title></{tag}>" if title else f"{start}/>"


def _classes(role: str) -> str:
    return " ".join(f"cd-{part}" for part in role.split())


def _attributes(more: dict[str, object]) -> str:
    return "".join(
        f' {name.replace("_", "-")}="{coordinate(value) if isinstance(value, float) else escape(str(value))}"'
        for name, value in more.items()
        if value not in (None, "")
    )
