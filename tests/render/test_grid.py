"""Small tables of text: what stands in them stays text."""

from __future__ import annotations

from crake.render.grid import Grid
from crake.render.text.leaderboard import grid_text
from crake.render.workings.markdown import table_markdown

HOSTILE = Grid("a\x1b[2Jtitle", ("val\x1bue", "n\nn"), (("x\u202ey", "1"), ("z", "22")))


def test_nothing_steers_a_terminal() -> None:
    title, *lines = str(HOSTILE).splitlines()
    assert (title, lines[1]) == (r"a\x1b[2Jtitle", r"  x\u202ey      1")
    assert len({len(line) for line in lines}) == 1
    assert grid_text(HOSTILE).plain == str(HOSTILE)


def test_addresses_are_no_links_in_markdown() -> None:
    cells = ("user1@example.com", "a.b+c@example.com", "https://example.com", "www.example.com")
    text = table_markdown(Grid("", ("address",), tuple((cell,) for cell in cells)))
    assert "@" not in text
    assert "://" not in text
    assert "www." not in text
