"""The four renderings of a report say the same, and text stays text in each."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib import resources

import pytest

from crake import CrakeError, compare, read
from crake.evaluation.report.build import report_of_comparison
from crake.evaluation.report.sections.cutoff import panel_section
from crake.evaluation.report.sections.worked_rows import LEFT_OUT
from crake.render.report.blocks import Messages, Paragraph, WorkedRow
from crake.render.report.cutoffs import CutoffPanel
from crake.render.report.html import report_fragment, report_page
from crake.render.report.report import Section
from crake.render.report.script import MODULES, script, script_hash

HOSTILE = "<script>alert(1)</script>|`*_[a](b)"


@pytest.fixture(scope="module")
def comparison():
    return compare(read("golf"), learners=["majority", "1r", "naive-bayes"])


@pytest.fixture(scope="module")
def report(comparison):
    return report_of_comparison(comparison, show_rows=True)


def test_each_rendering_has_all_parts(report):
    page, markdown, text, held = report.to_html(), report.markdown(), str(report), json.loads(report.json())
    assert held["schema"] == "crake-report/2"
    assert held["headline"] == report.headline
    for entry in report["leaderboard"].blocks[0].entries:
        assert entry.name in page
        assert entry.name in markdown
        assert entry.name in text
    for part in ("The data", "Leaderboard", "The cutoff", "The model", "worked by hand", "Checks", "get this again"):
        assert part in page
    for part in ("# ", "## The data", "## The cutoff", "## Three rows worked by hand", "## Checks"):
        assert part in markdown
    assert "At cutoff 0.5" in text
    assert len(held["cutoffs"]["series"]) == 3
    assert [row["kind"] for row in held["worked"]] == [row.kind for row in report.blocks(WorkedRow)]


def test_rows_are_left_out_unless_asked_for(comparison, report):
    plain = comparison.report()
    assert plain.blocks(WorkedRow) == ()
    assert plain.to_dict()["without_rows"] == LEFT_OUT
    assert [row.kind for row in report.blocks(WorkedRow)] == ["Right", "Wrong", "A close call"]
    cell = report.blocks(WorkedRow)[0].cells[0]
    assert f"{cell[0]} = {cell[1]}" in report.markdown()
    assert f"{cell[0]} = {cell[1]}" not in plain.markdown()
    assert LEFT_OUT.split(".")[0] in plain.to_html()


def test_a_worked_row_is_the_row_of_the_table(comparison, report):
    cells = comparison.table.to_arrow().to_pylist()
    for row in report.blocks(WorkedRow):
        held = cells[row.row]
        assert all(str(held[name]) == value for name, value in row.cells)
        assert f"is {held['play']}, was called" in row.outcome


def test_the_script_is_one_module_without_addresses():
    text = str(script())
    assert "import " not in text
    assert "export " not in text
    assert "http" not in text
    assert "</" not in text
    assert script_hash().startswith("sha256-")


def test_a_module_needs_only_those_before_it():
    """Made one, they stand in this order in one scope: no name may be used before it is there, or be there twice."""
    folder = resources.files("crake.render").joinpath("static")
    names: list[str] = []
    for place, module in enumerate(MODULES):
        text = folder.joinpath(module).read_text("utf-8")
        assert set(re.findall(r'from "\./(.+?)"', text)) <= set(MODULES[:place])
        names += re.findall(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", text, re.MULTILINE)
    assert len(names) == len(set(names))
    assert {file.name for file in folder.iterdir() if file.name.endswith(".js")} == {*MODULES, "workbench.js"}


def test_the_policy_allows_the_script_by_its_hash(report):
    page = report_page(report)
    assert f"script-src &#39;{script_hash()}&#39;" in page
    assert page.count("<script") == 2
    assert "script-src" not in report_page(report.with_section(Section("cutoff", "The cutoff")))


def test_a_fragment_has_no_script_and_no_ids(comparison, report):
    without_model = report.with_section(Section("model", "The model"))  # a drawing's ids are its own
    without_importance = without_model.with_section(Section("importance", "What it uses"))
    without_drawing = report_fragment(without_importance.with_section(Section("columns", "What the columns say")))
    for fragment in (without_drawing, comparison._repr_html_(), comparison["1R"]._repr_html_()):
        assert "<script" not in fragment
        assert " id=" not in fragment
        assert "data-panel" not in fragment
        assert "<input" not in fragment
        assert "At cutoff 0.5" in fragment


def test_markdown_keeps_hostile_names_as_text(report):
    (panel,) = report.blocks(CutoffPanel)
    panel = replace(panel, models=(HOSTILE, *panel.models[1:]), classes=(HOSTILE,))
    hostile = replace(report, title=HOSTILE, headline=HOSTILE).with_section(panel_section(panel))
    blocks = (Messages("warnings", (HOSTILE,)), Paragraph(HOSTILE))
    text = hostile.with_section(Section("protocol", HOSTILE, blocks)).markdown()
    assert "<script>" not in text
    assert "[a](b)" not in text
    rows = [line for line in text.splitlines() if line.startswith("| &lt;script")]
    assert rows
    assert all(row.replace("\\|", "").count("|") == 10 for row in rows)


def test_files_are_written_by_their_ending(report, tmp_path):
    for ending, begin in ((".html", "<!doctype html>"), (".md", "# "), (".json", "{"), (".txt", "")):
        report.save(tmp_path / f"report{ending}")
        written = (tmp_path / f"report{ending}").read_text("utf-8")
        assert written.startswith(begin)
        assert written.endswith("\n") or ending == ".html"
    with pytest.raises(CrakeError, match=r"expected \.html, \.md, \.json or \.txt"):
        report.save(tmp_path / "report.pdf")


def test_a_report_without_a_panel_says_why(report):
    without = report.with_section(Section("cutoff", "The cutoff", (Paragraph("only answers are known"),)))
    assert "only answers are known" in without.to_html()
    assert "only answers are known" in without.markdown()
    assert "only answers are known" in str(without)


def test_every_rendering_says_how_the_rows_were_chosen(comparison, report):
    about = json.loads(report.json())["about_rows"]
    assert "had not seen them" in about
    assert report.to_html().count(about) == 1
    assert about in report.markdown()
    assert about in " ".join(str(report).split())
    assert report_of_comparison(comparison).to_dict()["about_rows"] == ""


def test_an_option_is_not_broken_and_a_long_name_does_not_drown_the_rest(report):
    warnings = Messages("warnings", (f"leave it out: --ignore {'x' * 1000}", "'y' is rare (5.4 %)"))
    page = report_page(report.with_section(Section("data", "The data", (warnings,))))
    assert 'Leave it out: <span class="whole">--ignore</span> ' in page
    assert "x" * 100 not in page
    assert "rare (5.4\N{NO-BREAK SPACE}%)" in page


def test_the_json_document_keeps_its_keys(report):
    """Schema crake-report/2: a program that reads it finds these whether or not there is something to show."""
    assert set(report.to_dict()) == {
        "schema", "title", "headline", "facts", "warnings", "entries", "matrices", "protocol", "f1_name",
        "interval_name", "notes", "occasion", "heading", "grids", "checks", "reproduce", "versions", "cutoffs",
        "without_cutoffs", "learner", "about_model", "about_rows", "model", "drawings", "worked", "without_rows",
        "importance", "relations", "tied_models", "simplest",
    }  # fmt: skip


def test_a_new_section_is_in_every_rendering(report):
    added = Section("prices", "Prices", (Paragraph("a row costs 3 €"),), {"prices": [3]})
    longer = report.with_section(added)
    for rendering in (longer.to_html(), longer.fragment(), longer.markdown(), str(longer)):
        assert "Prices" in rendering
        assert "a row costs 3 €" in rendering
    assert longer.to_dict()["prices"] == [3]
    assert "Prices" not in report.to_html()
