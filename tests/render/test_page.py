"""The HTML page: complete, self-contained, and text stays text."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from tests.render.conftest import report_of_board

from crake.evaluation.report.board_columns import class_columns
from crake.render.description import ColumnSummary, Description, LevelShare
from crake.render.leaderboard import Entry, Figure, Leaderboard
from crake.render.page import description_fragment, description_page
from crake.render.sentences import capital

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{7*7}}\x1b[31m\u202e&amp;"
VOID = {"meta", "line", "circle", "rect", "img", "br", "link"}


class Elements(HTMLParser):
    """Every element with its attributes, the text, and whether all that is opened is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text, self.open, self.faults = "", [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data):
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def _hostile(board: Leaderboard) -> Leaderboard:
    first = board.entries[0]
    figures = (first.main, Figure(None, reason=HOSTILE), *first.figures[2:])
    entry = replace(first, name=HOSTILE, verdict=HOSTILE, figures=figures)
    return replace(
        board,
        title=HOSTILE,
        headline=HOSTILE,
        facts=((HOSTILE, HOSTILE),),
        warnings=(HOSTILE,),
        notes=(HOSTILE,),
        entries=(entry, *board.entries[1:]),
        matrices=(replace(board.matrices[0], name=HOSTILE, labels=(HOSTILE, "x" * 1024)),),
        protocol=HOSTILE,
        reproduce=((HOSTILE, HOSTILE),),
        versions=((HOSTILE, HOSTILE),),
        columns=class_columns(HOSTILE),
        interval_name=HOSTILE,
    )


def _description(name: str) -> Description:
    shares = (LevelShare(name, 9, 0.9), LevelShare("b", 1, 0.1))
    columns = (
        ColumnSummary(name, "numeric", 2, 3, minimum=1.0, mean=2.0, maximum=4.0, histogram=(1, 0, 2)),
        ColumnSummary("c", "nominal", 0, 9, is_target=True, levels=shares),
        ColumnSummary("empty", "numeric", 10, 0),
        ColumnSummary("remarks", "text", 0, 7),
    )
    return Description(name, 10, "c", columns, shares, (name,), (name,))


@pytest.fixture(params=["leaderboard", "leaderboard fragment", "description", "description fragment"])
def show(request, board):
    """The four kinds of HTML, of a harmless subject or a hostile one."""
    render = {
        "leaderboard": lambda hostile: report_of_board(_hostile(board) if hostile else board).to_html(),
        "leaderboard fragment": lambda hostile: report_of_board(_hostile(board) if hostile else board).fragment(),
        "description": lambda hostile: description_page(_description(HOSTILE if hostile else "golf")),
        "description fragment": lambda hostile: description_fragment(_description(HOSTILE if hostile else "golf")),
    }
    return render[request.param]


def test_elements_are_closed_in_order(show):
    for hostile in (False, True):
        elements = Elements(show(hostile))
        assert elements.faults == []
        assert elements.open == []


def test_hostile_text_adds_no_element_and_no_attribute(show):
    elements = Elements(show(True))
    assert not elements.all("script")
    assert not elements.all("img")
    assert not [name for _, attributes in elements.elements for name in attributes if name.startswith("on")]
    assert "<script>alert(1)</script>" in elements.text
    assert "{{7*7}}" in elements.text
    assert "\x1b" not in elements.text
    assert "\u202e" not in elements.text


def test_nothing_outside_is_loaded(show):
    page = show(False)
    assert not re.findall(r"(?:https?:)?//[\w.-]+\.\w+|url\(|@import", page)
    assert not [tag for tag, attributes in Elements(page).elements if {"src", "href"} & set(attributes)]


def test_pictures_say_what_they_show(show):
    page = Elements(show(False))
    pictures = [attributes for attributes in page.all("svg") if attributes.get("aria-hidden") != "true"]
    assert pictures
    assert all(attributes["role"] == "img" and attributes["aria-label"] for attributes in pictures)
    assert len(page.all("title")) >= len(pictures)


def test_tables_have_captions_and_scopes(show):
    page = Elements(show(False))
    assert len(page.all("caption")) == len(page.all("table")) > 0
    assert all(attributes.get("scope") in ("row", "col") for attributes in page.all("th"))


def test_a_page_runs_no_script_even_if_one_got_in(board):
    assert "default-src 'none'" in report_of_board(board).to_html()


def test_the_page_says_what_the_terminal_says(board):
    text = " ".join(Elements(report_of_board(board).to_html()).text.replace("\xa0", " ").split())
    for entry in board.entries:
        assert entry.name in text
        assert entry.verdict in text
    for said in (board.headline, *map(capital, (*board.warnings, board.protocol))):
        assert said in text
    for said in ("[0.745, 0.805]", "88.4 %", "0.571", "numpy 2.4.0"):
        assert said in text
    for _, code in board.reproduce:
        assert " ".join(code.split()) in text


def test_code_keeps_its_lines(board):
    python = dict(board.reproduce)["Python"]
    assert python in Elements(report_of_board(board).to_html()).text


def test_dots_lie_on_the_scale(board):
    page = report_of_board(board).to_html()
    dots = [float(x) for x in re.findall(r'class="dot" cx="([\d.]+)%"', page)]
    ends = [(float(a), float(b)) for a, b in re.findall(r'class="span" x1="([\d.]+)%" x2="([\d.]+)%"', page)]
    assert dots == sorted(dots, reverse=True)
    assert all(0 < low < dot < high < 100 for dot, (low, high) in zip(dots, ends, strict=True))
    floor = {float(x) for x in re.findall(r'class="floor" x1="([\d.]+)%"', page)}
    assert floor == {dots[-1]}


def test_a_fragment_styles_only_itself(board):
    sheet = re.search("<style>(.*?)</style>", report_of_board(board).fragment(), re.DOTALL)
    assert sheet is not None
    rules = re.sub(r"/\*.*?\*/|@(?:media|container)[^{]*", "", sheet[1], flags=re.DOTALL)
    selectors = [one for rule in re.findall(r"([^{}]+)\{", rules) for one in rule.split(",") if one.strip()]
    assert selectors
    assert all(".crake" in selector for selector in selectors)


def test_fragments_have_no_ids_to_collide(show):
    assert not [attributes for _, attributes in Elements(show(False)).elements if "id" in attributes]


def _undefined(entry: Entry) -> Entry:
    return replace(entry, figures=(Figure(None, reason="no rows"), *entry.figures[1:]))


def test_a_comparison_without_a_matrix_or_a_baseline_is_shown(board):
    bare = replace(board, matrices=(), entries=(_undefined(board.entries[0]),))
    page = report_of_board(bare).to_html()
    assert "Where it errs" not in page
    assert "floor" not in re.sub("<style>.*?</style>", "", page, flags=re.DOTALL)


def test_the_thirty_most_frequent_classes_of_many_are_drawn(board):
    labels = tuple(f"class {k}" for k in range(40))
    counts = tuple(tuple(float(k + 1) if j == k else 0.0 for j in range(40)) for k in range(40))
    matrix = replace(board.matrices[0], labels=labels, counts=counts, recall=(1.0,) * 40, precision=(1.0,) * 40)
    text = Elements(report_of_board(replace(board, matrices=(matrix,))).to_html()).text
    assert "class 39" in text
    assert "class 9" not in re.sub(r"class \d\d", "", text)
    assert "The 10 least frequent classes are left out" in text


def test_the_page_stays_small(board):
    assert len(report_of_board(board).to_html().encode()) < 40_000
