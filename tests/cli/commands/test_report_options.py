"""`--html`, `--report` and `--show-rows`: the report from the command line."""

from __future__ import annotations

import json


def test_the_ending_of_the_name_decides(crake, tmp_path):
    files = {ending: tmp_path / f"report.{ending}" for ending in ("html", "md", "json", "txt")}
    options = [word for file in files.values() for word in ("--report", file)]
    ended = crake("compare", "golf", "-l", "majority,naive-bayes", *options)
    assert ended.code == 0
    assert [line for line in ended.err.splitlines() if line.startswith("written")] == [
        f"written: {file}" for file in files.values()
    ]
    held = json.loads(files["json"].read_text("utf-8"))
    assert held["schema"] == "crake-report/2"
    assert held["reproduce"]["Command line"].startswith("crake compare golf")
    for name in ("md", "txt"):
        assert held["reproduce"]["Command line"] in files[name].read_text("utf-8")
    assert '<script type="module">' in files["html"].read_text("utf-8")


def test_another_ending_is_refused_before_the_work(crake, tmp_path):
    ended = crake("compare", "golf", "--report", tmp_path / "report.pdf")
    assert ended.code == 2
    assert "expected a name that ends in .html, .md, .json, .txt" in ended.err
    assert ended.out == ""


def test_rows_are_shown_only_if_asked_for(crake, tmp_path):
    page = tmp_path / "page.html"
    crake("compare", "golf", "-l", "majority,naive-bayes", "--html", page)
    assert "worked by hand" in page.read_text("utf-8")
    assert "<b>Right</b>" not in page.read_text("utf-8")
    crake("compare", "golf", "-l", "majority,naive-bayes", "--html", page, "--show-rows")
    assert "<b>Right</b>" in page.read_text("utf-8")


def test_a_model_file_is_reported_as_it_was_tested(crake, tmp_path):
    model, page = tmp_path / "golf.crake", tmp_path / "page.html"
    crake("train", "golf", "-l", "c4.5", "-o", model)
    ended = crake("evaluate", model, "golf", "--html", page, "--show-rows")
    assert ended.code == 0
    written = page.read_text("utf-8")
    assert "The model that was tested" in written
    assert "crake-drawing" in written
    assert "<b>Right</b>" in written
