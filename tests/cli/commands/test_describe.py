"""`crake describe` and `crake examples`."""

from __future__ import annotations

import importlib
import io
import json
import os
import stat

import pytest

from crake.table import examples


def test_describe_says_what_is_in_the_table(crake, golf):
    ended = crake("describe", golf, "--target", "play")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("golf.csv: 14 rows, 5 columns, target play\n")
    assert "Overcast 28.6 %" in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80
    assert "\x1b" not in ended.out


def test_describe_as_json(crake, golf):
    document = json.loads(crake("describe", golf, "-t", "play", "--json").out)
    assert document["schema"] == "crake-describe/2"
    assert [share["rows"] for share in document["classes"]] == [9, 5]


def test_columns_are_read_as_asked(crake, tmp_path):
    file = tmp_path / "zip.csv"
    file.write_text('zip,"last, first",id,y\n' + "".join(f"{k % 3},n{k % 2},{k},{k % 2}\n" for k in range(30)))
    arguments = ["--nominal", "zip,y", "--ignore", '"last, first"', "--ignore", "id", "--json"]
    document = json.loads(crake("describe", file, *arguments).out)
    kinds = {column["name"]: column["kind"] for column in document["columns"]}
    assert kinds == {"zip": "nominal", "last, first": "ignored", "id": "ignored", "y": "nominal"}


def test_missing_delimiter_and_bad_rows_reach_the_reader(crake, tmp_path):
    file = tmp_path / "odd.csv"
    file.write_text("a\tb\n1\tx\n-9\ty\n3\n4\tx\n")
    document = json.loads(
        crake("describe", file, "--missing", "-9", "--delimiter", "tab", "--bad-rows", "skip", "--json").out
    )
    assert document["rows"] == 3
    assert {column["name"]: column["missing"] for column in document["columns"]} == {"a": 1, "b": 0}
    assert crake("describe", file, "--delimiter", "tab").code == 2


def test_standard_input(crake, golf, monkeypatch):
    class Input:
        buffer = io.BytesIO(golf.read_bytes())

    monkeypatch.setattr("sys.stdin", Input())
    ended = crake("describe", "-", "--target", "play")
    assert ended.out.startswith("stdin: 14 rows, 5 columns, target play\n")


def test_html_goes_to_a_file_whole_and_readable_by_others(crake, golf, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("before")
    ended = crake("describe", golf, "--html", page)
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert ended.err == f"written: {page}\n"
    assert [file.name for file in tmp_path.iterdir() if file.name.endswith(".part")] == []
    if os.name != "nt":
        assert stat.S_IMODE(page.stat().st_mode) == 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_failed_write_leaves_the_old_page(crake, golf, tmp_path, monkeypatch):
    page = tmp_path / "page.html"
    page.write_text("before")

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    ended = crake("describe", golf, "--html", page)
    assert ended.code == 2
    assert "No space left on device" in ended.err
    assert page.read_text() == "before"
    assert {file.name for file in tmp_path.iterdir()} == {"golf.csv", "page.html"}


def test_html_to_standard_output_is_only_html(crake, golf):
    ended = crake("describe", golf, "--html", "-")
    assert ended.out.startswith("<!doctype html>")
    assert ended.out.rstrip().endswith("</html>")


def test_quiet_says_nothing_on_stderr(crake, golf, tmp_path):
    assert crake("describe", golf, "--html", tmp_path / "x.html", "-q").err == ""


def test_a_flag_may_stand_before_the_command(crake, golf):
    assert crake("-q", "describe", golf).out == crake("describe", golf, "-q").out


def test_the_examples_are_listed(crake):
    out = crake("examples").out
    assert [name for name in examples.names() if not any(line.startswith(name) for line in out.splitlines())] == []
    listed = json.loads(crake("examples", "--json").out)
    assert [each["name"] for each in listed["examples"]] == list(examples.names())


def test_an_example_has_no_json(crake):
    ended = crake("examples", "golf", "--json")
    assert (ended.code, ended.out) == (2, "")
    assert "golf is printed as CSV" in ended.err


@pytest.mark.parametrize("name", ["golf", "tax", "iris"])
def test_an_example_printed_and_read_again_is_the_same(crake, name, tmp_path):
    file = tmp_path / f"{name}.csv"
    file.write_text(crake("examples", name).out)
    target = examples.load(name).schema.target
    again = json.loads(crake("describe", file, "--target", target, "--json").out)
    bundled = json.loads(crake("describe", name, "--json").out)
    for key in ("rows", "target", "columns", "classes"):
        assert again[key] == bundled[key]


def test_the_first_run_says_why_it_takes_long(crake, golf, monkeypatch):
    importlib.import_module("numba")  # without it a small file is read by interpreted kernels, and nothing is said
    monkeypatch.setattr("crake.kernels._waiting", [])  # of earlier tests
    monkeypatch.setattr("crake.kernels.cache.is_compiled", lambda *_: False)
    assert crake("describe", golf).err == "first run: compiling kernels, about 5 s\n"
    assert crake("describe", golf, "-q").err == ""
    assert crake("describe", "golf").err == ""
