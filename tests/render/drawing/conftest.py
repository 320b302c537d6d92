"""Drawings taken apart: every element with its place, as a program that reads SVG sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

import pytest

SVG = "{http://www.w3.org/2000/svg}"


class Taken:
    """A drawing as a tree of elements; it must be well-formed."""

    def __init__(self, svg: str) -> None:
        self.text = svg
        self.root = ET.fromstring(svg)

    def words(self) -> list[str]:
        """What is written, without the titles that are shown when a text is pointed at."""
        return ["".join([each.text or "", *(child.tail or "" for child in each)]) for each in self.all("text")]

    def all(self, tag: str) -> list[ET.Element]:
        return list(self.root.iter(f"{SVG}{tag}"))

    def of_class(self, name: str) -> list[ET.Element]:
        return [each for each in self.root.iter() if name in each.get("class", "").split()]

    @property
    def title(self) -> str:
        return self.root.findtext(f"{SVG}title") or ""

    @property
    def finding(self) -> str:
        return self.root.findtext(f"{SVG}desc") or ""

    def is_whole(self) -> None:
        """Named for those who cannot see it, nothing from elsewhere, nothing that runs, no place that is no number."""
        assert self.root.get("role") == "img"
        assert self.title
        assert self.finding
        named = (self.root.get("aria-labelledby") or "").split()
        assert named == [self.root[0].get("id"), self.root[1].get("id")]
        assert "nan" not in self.text.split("<rect", 1)[1].replace("finance", "")
        assert not re.search(r"<script|\son\w+=|javascript:|url\(|href", re.sub(r">[^<]*<", "><", self.text))
        assert self.text.count("http") == 1 + "".join(self.root.itertext()).count("http")


@pytest.fixture
def taken() -> type[Taken]:
    return Taken


HOSTILE = (
    "<script>alert(1)</script>",
    "quote \" and ' and &amp; ]]>",
    "שלום עולם",
    "\u202eright to left\u0007\x1b[31m",
    "x" * 1000,
    "\ufffe\ud800",
    "",
    "日本語の列の名前",
)


@pytest.fixture
def hostile() -> tuple[str, ...]:
    """Names as strangers' files have them."""
    return HOSTILE


@pytest.fixture(scope="session")
def page(browser: Any) -> Iterator[Any]:
    """A page of a real browser, without a network."""
    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 900})
    yield context.new_page()
    context.close()
