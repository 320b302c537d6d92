"""What goes wrong is said in one line, with the exit code the reference page promises."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings

import pytest

import crake as library
from crake.errors import CrakeWarning
from crake.evaluation.columns.describe import describe_table


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["describe", "no-such.csv"], "no-such.csv: there is no such file"),
        (["describe", "golf", "--tagret", "play"], "--target"),
        (["describe"], "Missing argument 'TABLE'"),
        (["desribe", "golf"], "Did you mean 'describe'?"),
        (["compare", "golf", "-t", "plya"], "Did you mean 'play'?"),
        (["compare", "golf", "--plan", "cv1"], "there is no plan 'cv1'"),
        (["compare", "golf", "--learner", "naive-bays"], "Did you mean 'naive-bayes'?"),
        (["compare", "golf", "--seed"], "Try 'crake compare --help'"),
        (["compare", "golf", "--seed", "x"], "'--seed': expected a whole number, got 'x'"),
        (["compare", "golf", "--threads", "0"], "expected a value greater than or equal to 1, got '0'"),
        (["compare", "golf", "--fail-under", "accuracy"], "--fail-under accuracy: expected MEASURE=NUMBER"),
        (["compare", "golf", "--fail-under", "accuracy=2"], "accuracy from 0 to 1, got '2'"),
        (["compare", "golf", "--fail-under", "recal=0.5"], "Did you mean 'recall'?"),
        (["compare", "golf", "--fail-under", "brier=0.2"], "use --fail-over brier=0.2"),
        (["compare", "golf", "--fail-over", "recall=0.2"], "more recall is better; use --fail-under recall=0.2"),
        (["compare", "golf", "--fail-over", "brier=-1"], "brier from 0 to 2, got '-1'"),
        (["compare", "golf", "--html", "no/such/folder/x.html"], "there is no folder no/such/folder"),
        (["compare", "golf", "--json", "--html", "-"], "both print to standard output"),
        (["examples", "gulf"], "Did you mean 'golf'?"),
    ],
)
def test_one_line_and_exit_code_2(crake, arguments, said):
    ended = crake(*arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.count("\n") == 1
    assert ended.err.startswith("crake: ")
    assert said in ended.err


def test_an_html_folder_is_refused_before_the_table_is_read(crake, tmp_path):
    ended = crake("describe", "no-such.csv", "--html", tmp_path)
    assert ended.code == 2
    assert "it is a folder" in ended.err


def test_names_cannot_steer_the_terminal(crake, tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a\x1b[31m,b\n1,2\n3,4\n")
    ended = crake("describe", file, "--target", "c\x1b[2J\u202e")
    assert ended.code == 2
    assert "\x1b" not in ended.err
    assert "\u202e" not in ended.err
    assert ended.err.count("\n") == 1


def test_debug_prints_the_traceback_too(crake):
    assert "Traceback" not in crake("describe", "no-such.csv").err
    ended = crake("describe", "no-such.csv", "--debug")
    assert ended.code == 2
    assert "Traceback" in ended.err
    assert "crake: no-such.csv: there is no such file" in ended.err


def test_a_fault_of_our_own_asks_for_debug(crake, monkeypatch):
    def broken(*_args):
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setattr("crake.evaluation.columns.describe.describe_table", broken)
    ended = crake("describe", "golf")
    assert ended.code == 2
    assert ended.err == (
        "crake: a fault of crake's own, ZeroDivisionError: division by zero; run it again with --debug and report it\n"
    )


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "crake: interrupted\n"),
        (PermissionError(13, "Permission denied", "x.csv"), 2, "crake: x.csv: Permission denied\n"),
        (MemoryError(), 2, "crake: out of memory; try fewer rows or columns (--ignore)\n"),
    ],
)
def test_what_is_raised_decides_the_exit_code(crake, monkeypatch, error, code, said):
    def broken(*_args):
        raise error

    monkeypatch.setattr("crake.evaluation.columns.describe.describe_table", broken)
    ended = crake("describe", "golf")
    assert (ended.code, ended.err) == (code, said)


def test_warnings_of_crake_are_one_line_and_those_of_others_are_not_shown(crake, monkeypatch):
    def warning(table):
        warnings.warn("look\nhere", CrakeWarning, stacklevel=1)
        warnings.warn("internal", DeprecationWarning, stacklevel=1)
        return describe_table(table)

    monkeypatch.setattr("crake.evaluation.columns.describe.describe_table", warning)
    assert crake("describe", "golf").err == "crake: warning: look here\n"
    assert "crake: warning: internal" in crake("describe", "golf", "-v").err


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise on Windows")
def test_an_interrupt_ends_with_130():
    waiting = subprocess.Popen(
        [sys.executable, "-m", "crake", "describe", "-", "-v"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert waiting.stderr is not None
    while waiting.stderr.readline().strip() != "reading -":
        assert waiting.poll() is None
    waiting.send_signal(signal.SIGINT)
    out, err = waiting.communicate(timeout=30)
    assert (waiting.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "crake: interrupted"
    assert "Traceback" not in err


@pytest.mark.skipif(os.name == "nt", reason="there is no head on Windows")
def test_a_reader_that_leaves_early_is_no_error():
    ended = subprocess.run(
        f"{sys.executable} -m crake examples digits | head -n 1; echo ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stderr == ""
    assert ended.stdout.splitlines()[-1] == "0"


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_a_file_that_predicts_nothing_is_refused_by_name(crake, tmp_path, command):
    file = tmp_path / "d.crake"
    library.save(library.Discretizer("width").fit(library.read("iris")), file)
    ended = crake(command, file, "iris")
    assert ended.code == 2
    assert ended.err == (
        f"crake: {file} holds a Discretizer, and this command takes a classifier or a regressor; crake.load gives it "
        "to Python\n"
    )
