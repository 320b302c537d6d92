"""The documents: links lead somewhere, commands parse, extras are those of pyproject.toml, the site has every page.

Building the site needs libraries of its own (`make site`); these tests read its sources only.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import crake
from crake.cli.app import command

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")),
]
LINK = re.compile(r"(?<!\!)\[[^\]\n]+\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def title(page: Path) -> str:
    return str(page.relative_to(ROOT))


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings: lower case, words joined by hyphens."""
    headings = re.findall(r"^#+ (.+)$", CODE.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_links_lead_to_a_file_and_a_heading(page: Path) -> None:
    lost = []
    for link in LINK.findall(CODE.sub("", page.read_text("utf-8"))):
        place, _, anchor = link.partition("#")
        if "://" in place:
            continue
        target = (page.parent / place).resolve() if place else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            lost.append(link)
    assert lost == []


def test_no_page_holds_the_marks_of_a_merge() -> None:
    pages = [*PAGES, ROOT / "CHANGELOG.md"]
    assert [title(page) for page in pages if re.search(r"^(<{7}|>{7}) ", page.read_text("utf-8"), re.MULTILINE)] == []


def commands(page: Path) -> Iterator[str]:
    """The commands in a page's blocks of code, without what the shell does with them."""
    for block in CODE.findall(page.read_text("utf-8")):
        for line in block.splitlines():
            words = line.removeprefix("$ ").removeprefix(".venv/bin/").removeprefix("env/bin/")
            if words.startswith("crake ") and not any(part in words for part in ("…", "...", "[OPTIONS]")):
                yield re.split(r" [>|&] ?| \|", words)[0]


@pytest.mark.parametrize("page", [page for page in PAGES if any(commands(page))], ids=title)
def test_commands_have_the_options_that_they_use(page: Path) -> None:
    known = command().commands
    for line in commands(page):
        name, *arguments = shlex.split(line, comments=True)[1:]
        if name.startswith("--"):
            continue
        if name in known:
            known[name].make_context(name, arguments)
        else:
            known["compare"].make_context("compare", [name, *arguments])


def extras() -> dict[str, str]:
    """The names of the packages that each extra adds, in the order of pyproject.toml."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    own = {extra: [re.fullmatch(r"crake\[([\w,]+)\]", text) for text in texts] for extra, texts in declared.items()}
    return {
        extra: ", ".join(
            is_own[1].replace(",", ", ") if is_own else re.split(r"[\[<>=!~ ]", text)[0]
            for is_own, text in zip(own[extra], texts, strict=True)
        )
        for extra, texts in declared.items()
    }


@pytest.mark.parametrize("page", ["README.md", "docs/install.md"])
def test_the_table_of_extras_is_that_of_the_project(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    _, _, table = text.partition("| extra | adds | for |\n|---|---|---|\n")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.split("\n\n")[0].splitlines()]
    assert {row[0].strip("`"): row[1] for row in rows} == extras()
    assert all(row[2] for row in rows)


def test_the_reference_of_the_site_has_every_public_name() -> None:
    pages = (ROOT / "docs" / "reference").glob("*.md")
    entries = [
        entry for page in pages for entry in re.findall(r"^::: crake\.(\w+)$", page.read_text("utf-8"), re.MULTILINE)
    ]
    public = {name for name in crake.__all__ if not name.startswith("__")}
    assert public - set(entries) == set(), "put ::: crake.NAME into a page of docs/reference"
    assert set(entries) - public == set()
    assert len(entries) == len(set(entries))


def test_the_site_has_every_page_in_its_contents() -> None:
    contents = (ROOT / "website" / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"^ +- (?:[\w ]+: )?(\S+\.md)$", contents, re.MULTILINE)
    top = {"index.md", "contributing.md", "changelog.md", "security.md"}
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert (pages | top) - set(listed) == set(), "list the page in website/mkdocs.yml, under nav"
    assert set(listed) - pages - top == set()
    assert len(listed) == len(set(listed))
