"""One calculation, five renderings: all say the same, and hostile names stay text in each."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import crake
from crake.render.grid import Grid
from crake.render.workings import Section, Step, Workings
from crake.render.workings.formula_latex import mathematics, text_of

HOSTILE = (
    "<script>alert(1)</script>",
    "</article></script><img src=x onerror=alert(1)>",
    "\\input{/etc/passwd} $x^2$ %& #_{}~",
    "a|b | **bold** _em_ `code` [link](http://evil.example) ![i](x) http://evil.example www.e.example a@e.example",
    "line\nbreak\r\x1b[31mred\u202ereversed\u2028end",
    "x^2^3^",
    "^" * 500,
    "(" * 500 + ")" * 500,
    "((((/)/((1/2/3",
    "- list",
    "1. list",
    "# heading",
    "&lt; &amp; &#60;",
    "L" * 1000,
    "\\\\[3pt]",
    "\\",
)


def worked(name: str) -> Workings:
    """A calculation in which a stranger's name stands wherever a name can stand."""
    step = Step(f"P({name})", f"n({name}) / n", f"1/2 × {name}", "0.5", f"1 of 2 rows is {name}")
    table = Grid(name, ("branch", name), ((name, "1"), ("other", name)))
    section = Section(name, (step, Step(name)), (f"a sentence on {name}",), (table,))
    return Workings(f"Explained: {name}", (section,), ((name, 0.5), ("other", 0.5)), (f"mind {name}",))


class Tags(HTMLParser):
    """The elements and their attributes, and the text between them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("name", HOSTILE)
def test_html_has_the_same_elements_whatever_the_names(name: str) -> None:
    plain, hostile = Tags(worked("x").html()), Tags(worked(name).html())
    assert hostile.tags == plain.tags
    assert hostile.open == []
    assert {attribute for _, attributes in hostile.tags for attribute in attributes} <= {
        "class",
        "scope",
        "tabindex",
        "role",
        "aria-label",
    }


@pytest.mark.parametrize("name", HOSTILE)
def test_markdown_has_the_same_elements_whatever_the_names(name: str) -> None:
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    kinds = [[token.type for token in _flat(reader.parse(worked(each).markdown()))] for each in ("x", name)]
    assert kinds[1] == kinds[0]


def _flat(tokens):
    for token in tokens:
        yield token
        yield from (child for child in token.children or () if child.type not in ("text", "text_special"))


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_latex_is_balanced_whatever_the_names(name: str) -> None:
    assert_parses(worked(name).latex())


@pytest.mark.parametrize("name", HOSTILE)
def test_latex_runs_no_command_of_a_name(name: str) -> None:
    assert_parses(worked(name).latex())


COMMANDS = re.compile(r"\\([A-Za-z]+|.)", re.DOTALL)
OURS = {
    "subsection", "paragraph", "mbox", "par", "begin", "end", "text", "small", "frac", "tfrac", "sqrt", "quad", "hline",
    "noindent", "textbf", "times", "cdot", "pm", "ge", "le", "to", "leftarrow", "dots", "infty", "surd", "sum", "prod",
    "pi", "Phi", "varphi", "sigma", "beta", "theta", "gamma", "alpha", "kappa", "approx", "propto", "log", "exp", "ln",
    "textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater", "textbar", "textquotedblright",
    "textasciigrave", "textquotesingle", "parbox", "allowbreak", "textwidth", "raggedright", "qquad",
    "scriptsize", "setlength", "tabcolsep",
    " ", "\\", "{", "}", "$", "&", "#", "%", "_",
}  # fmt: skip


def assert_parses(source: str) -> None:
    """Only commands of ours; groups, environments and mathematics are closed; no double power; no bare specials."""
    names = {match[1] for match in COMMANDS.finditer(source)}
    assert names <= OURS, names - OURS
    bare = COMMANDS.sub(lambda match: f" \\{match[1]} " if match[1].isalpha() else "  ", source)
    depth = 0
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    assert bare.count("$") % 2 == 0
    assert "#" not in bare
    assert "%" not in bare
    assert "~" not in bare
    assert not re.search(r"(?<!\{\})\^(?!\{-?\d+\})", bare), "a power needs an empty group before it"
    opened = re.findall(r"\\(begin|end) \{([a-z*]+)\}", bare)
    stack: list[str] = []
    for what, environment in opened:
        if what == "begin":
            stack.append(environment)
        else:
            assert stack.pop() == environment
    assert stack == []


@pytest.mark.parametrize("name", HOSTILE)
def test_text_and_json_hold_the_names(name: str) -> None:
    workings = worked(name)
    assert "\x1b" not in str(workings)
    assert "\u202e" not in str(workings)
    again = json.loads(json.dumps(workings.to_dict(), allow_nan=False))
    assert again["schema"] == "crake-workings/1"
    assert again["answer"][0] == {"label": name, "value": 0.5}
    assert again["sections"][0]["steps"][0]["source"] == f"1 of 2 rows is {name}"
    assert again["sections"][0]["tables"][0]["rows"][0] == [name, "1"]


def test_every_rendering_has_every_number() -> None:
    model = crake.NaiveBayesClassifier(alpha=0).fit(crake.read("weather"))
    workings = model.explain({"outlook": "Sunny", "temp": "Cool", "humidity": "High", "windy": "True"})
    html = Tags(workings.html()).text
    for step in workings.steps:
        for rendering in (str(workings), html, workings.markdown().replace("\\", "")):
            assert str(step) in rendering.replace("**", "")
        assert step.value in workings.latex()
    assert (
        r"\frac{2}{9} \times \frac{3}{9} \times \frac{3}{9} \times \frac{3}{9} \times \frac{9}{14}" in workings.latex()
    )


def test_mathematics() -> None:
    assert mathematics("exp(−(5 − 4)²/(2·3²)) / (3·√(2π))") == (
        r"\exp(-\frac{(5 - 4){}^{2}}{2\cdot 3{}^{2}}) / (3\cdot \sqrt{2\pi })"
    )
    assert mathematics("e^−(1.5)") == "e{}^{-1.5}"
    assert mathematics("−9/14·log2(9/14)") == r"-\frac{9}{14}\cdot \log_2(\frac{9}{14})"
    assert mathematics("n_b/n") == r"\frac{n{}_{b}}{n}"
    assert mathematics("mean − t·s/√n") == r"\text{mean} - t\cdot \frac{s}{\sqrt{n}}"
    assert mathematics("votes / all votes, 2 of 3") == r"\text{votes} / \text{all votes},\ 2\ \text{of}\ 3"
    assert text_of("a_b{c}") == r"a\_b\{c\}"


def test_numbers_in_a_table_have_their_sign_and_their_power_of_ten() -> None:
    table = Grid("", ("", "value"), (("a", "1.2e-125"), ("b", "-3135"), ("c-d", "-x")))
    source = Workings("t", (Section("s", tables=(table,)),), ()).latex()
    assert r"a & $1.2 \times 10^{-125}$ \\" in source
    assert r"b & $-3135$ \\" in source
    assert r"c-d & -x \\" in source


def test_a_table_longer_than_a_page_is_shortened_in_latex() -> None:
    table = Grid("", ("a", "b"), tuple((f"row {n}", "x") for n in range(100)))
    source = Workings("t", (Section("s", tables=(table,)),), ()).latex()
    assert r"$\dots $ 60 more rows $\dots $" in source
    assert "row 98 &" not in source
    assert "row 99 &" in source


def test_a_long_calculation_is_shortened_and_says_by_how_much() -> None:
    steps = tuple(Step(f"step {n}") for n in range(50))
    table = Grid("", ("a", "b"), tuple((str(n), str(n)) for n in range(50)))
    sections = tuple(Section(f"part {n}", steps, ("line",) * 9, (table,)) for n in range(20))
    short = Workings("long", sections, ()).shortened(5)
    assert [section.heading for section in short.sections][-2:] == ["… 15 more parts of the calculation …", "part 19"]
    assert str(short.sections[0].steps[-2]) == "… 45 more steps …"
    assert short.sections[0].tables[0].rows[-2:] == (("… 45 more rows …", ""), ("49", "49"))
    assert short.shortened(100) == short


def test_names_from_right_to_left_and_of_a_kilobyte_leave_the_rest_readable():
    name = "\u05e9\u05dc\u05d5\u05dd"
    steps = (Step(name, "", "2 × 3", "6"), Step("x" * 1000, "", "", "7"))
    page = Workings("Names", (Section("Steps", steps),), ((name, 6.0),)).html()
    assert f"<li><bdi>{name}</bdi> = 2 × 3 = <strong>6</strong></li>" in page
    assert f'<th scope="row"><bdi>{name}</bdi></th>' in page
    assert "x" * 100 not in page
    assert "more) …xxxx" in page
