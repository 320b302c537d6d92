"""`crake compare`, with the real learners on small tables."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from crake.cli.output import Output
from crake.cli.progress import working
from crake.kernels import threads
from crake.metrics.measures import CLASSIFICATION
from crake.workbench.compare import CompareRequest
from crake.workbench.table import TableRequest

ROOT = Path(__file__).parents[3]
DEMO = ("compare", "breast-cancer")


def test_the_honest_number_comes_first(crake, golf):
    ended = crake("compare", golf, "--target", "play", "--no-progress")
    assert (ended.code, ended.err) == (0, "")
    assert " is best of 14: accuracy 0." in ended.out.splitlines()[0]
    assert "majority" in ended.out
    assert "seed 1" in ended.out
    assert f"crake compare {golf} --target play --plan cv10 --seed 1" in ended.out
    assert "\x1b" not in ended.out


def test_a_table_where_the_command_should_stand_is_compared(crake, golf):
    options = (golf, "-t", "play", "-l", "majority,1r")
    assert _without_times(crake(*options).out) == _without_times(crake("compare", *options).out)


def _without_times(text: str) -> list[str]:
    """Only the last two columns of the learners' lines differ from run to run."""
    return [" ".join(line.split()[:-2]) if "] " in line else line for line in text.splitlines()]


def test_json_is_one_document_with_the_lines_to_get_it_again(crake):
    ended = crake("compare", "golf", "--json", "--plan", "cv5", "--seed", "7", "--learner", "1r,majority")
    document = json.loads(ended.out)
    assert document["schema"] == "crake-compare/1"
    assert document["plan"] == "stratified 5-fold cross-validation, seed 7"
    assert len(document["learners"]) == 2
    command = "crake compare golf --plan cv5 --learner 1r --learner majority --seed 7"
    assert document["reproduce"]["Command line"] == command


def test_the_seed_decides_the_folds(crake):
    def accuracies(seed: int) -> list[float]:
        learners = json.loads(crake("compare", "golf", "-l", "1r,c4.5,knn", "--json", "--seed", seed).out)["learners"]
        return [learner["measures"]["accuracy"]["value"] for learner in learners]

    assert accuracies(1) == accuracies(1)
    assert len({tuple(accuracies(seed)) for seed in range(1, 6)}) > 1


def test_the_demo_prints_what_the_readme_shows_and_its_page_says_the_same(crake, tmp_path):
    """`make demo`, all learners on a table of numbers."""
    page = tmp_path / "page.html"
    assert f"crake {' '.join(DEMO)} --html demo/breast-cancer.html --show-rows\n" in (ROOT / "Makefile").read_text()
    ended = crake(*DEMO, "--html", page, "--show-rows")
    assert ended.err == f"written: {page}\n"
    headline, text = " ".join(ended.out.split("\n\n")[0].split()), _text_of(page.read_text("utf-8"))
    assert f"`make demo` prints\n\n```\n{headline}\n```\n" in (ROOT / "README.md").read_text("utf-8")
    assert headline in text
    assert "crake compare breast-cancer --plan cv10 --seed 1" in text


def _text_of(page: str) -> str:
    class Text(HTMLParser):
        held = ""

        def handle_data(self, data):
            self.held += data

    parser = Text()
    parser.feed(page)
    return " ".join(parser.held.replace("\xa0", " ").split())


def test_the_positive_class_is_named_as_it_is_written(crake):
    ended = crake("compare", "golf", "--positive", "Yes", "-l", "majority,1r")
    assert "F1: of class Yes" in " ".join(ended.out.split())
    assert "--positive Yes --seed 1" in ended.out
    assert 'positive="Yes"' in ended.out
    refused = crake("compare", "golf", "--positive", "Maybe")
    assert refused.code == 2
    assert "Maybe" in refused.err


def test_a_gate_passes_or_fails(crake):
    iris = ("compare", "iris", "-l", "1r,c4.5,knn")
    assert crake(*iris, "--fail-under", "accuracy=0.9", "--fail-under", "AUC=0.9").code == 0
    ended = crake(*iris, "--fail-under", "accuracy=0.999")
    assert ended.code == 1
    assert ended.err.startswith("crake: gate failed: accuracy of ")
    assert ended.err.rstrip().endswith(", under 0.999")
    assert " is best" in ended.out


def test_every_measure_can_be_a_gate(crake, tmp_path):
    (tmp_path / "costs.csv").write_text("actual,Yes,No\nYes,0,1\nNo,1,0\n")
    gates = []
    for measure in CLASSIFICATION:
        low, high = measure.bounds
        worst = max(low, -1e9) if measure.greater_is_better else min(high, 1e9)
        gates += ["--fail-under" if measure.greater_is_better else "--fail-over", f"{measure.name}={worst:g}"]
    learners = ("--learner", "naive-bayes")
    ended = crake("compare", "golf", "--positive", "Yes", *learners, "--cost", tmp_path / "costs.csv", *gates)
    assert ended.code == 0, ended.err
    ended = crake("compare", "golf", "--fail-over", "brier=0.01", "--fail-under", "recall=0.99", *learners)
    assert ended.code == 1
    first, second = ended.err.splitlines()
    assert first.startswith("crake: gate failed: recall of ")
    assert first.endswith(", under 0.99")
    assert second.startswith("crake: gate failed: brier of ")
    assert second.endswith(", over 0.01")


def test_a_gate_that_cannot_be_measured_ends_before_anything_is_shown(crake):
    ended = crake("compare", "golf", "--fail-over", "mean_cost=1", "--learner", "1r")
    assert (ended.code, ended.out) == (2, "")
    assert "--fail-over mean_cost=1: the measure 'mean_cost' needs costs=" in ended.err
    ended = crake("compare", "iris", "--fail-under", "lift=1", "--learner", "1r")
    assert (ended.code, ended.out) == (2, "")
    assert "say which one is meant" in ended.err


def test_the_last_column_is_predicted_where_no_target_is_named(crake, golf):
    ended = crake("compare", golf, "-l", "1r")
    assert ended.code == 0
    assert "no target is named: predicting the last column, 'play'" in " ".join(ended.out.split())
    assert "--target play" in ended.out


def test_a_target_is_asked_for_where_the_last_column_cannot_be_one(crake, tmp_path):
    file = tmp_path / "notes.csv"
    file.write_text("sky,note\nsunny,a\nrainy,b\nsunny,c\n")
    ended = crake("compare", file)
    assert ended.code == 2
    assert "has no target" in ended.err


def test_the_first_run_says_why_it_takes_long(crake, monkeypatch):
    """Compiled are the kernels of the learners for the kinds of columns there are, as far as no earlier run did."""
    compiled = []
    monkeypatch.setattr("crake.evaluation.protocol.first_compile.compile_in_two", compiled.append)
    monkeypatch.setattr("crake.kernels.cache.is_compiled", lambda mark=None: mark == "compared-1r-numeric")
    assert crake("compare", "golf", "-l", "1r").err == "first run: compiling kernels, about 15 s\n"
    assert crake("compare", "golf", "-l", "1r", "-q").err == ""
    assert crake("compare", "iris", "-l", "1r").err == ""
    assert [task.mark for tasks in compiled for task in tasks] == ["compared-1r-nominal"] * 2
    assert "about 25 s" in crake("compare", "digits", "-l", "c4.5", "--plan", "cv2").err
    assert [task.mark for task in compiled[-1]] == ["compared-c4.5-numeric", "compared-c4.5-numeric-hot"]


def test_a_table_that_cannot_be_compared_is_refused_before_anything_is_compiled_or_learned(
    crake, monkeypatch, tmp_path
):
    def done(*_, **__):
        raise AssertionError("compiled or learned before the table was refused")

    monkeypatch.setattr("crake.evaluation.protocol.first_compile.compile_in_two", done)
    monkeypatch.setattr("crake.kernels.cache.is_compiled", lambda mark=None: mark is None)
    monkeypatch.setattr("crake.evaluation.compare.run", done)
    good, ids, many, other = (tmp_path / f"{name}.csv" for name in ("good", "ids", "many", "other"))
    good.write_text("x,y\n" + "1,a\n2,b\n" * 10)
    ids.write_text("x,y\n" + "".join(f"{k % 3},n{k}\n" for k in range(20)))
    many.write_text("x,y\n" + "".join(f"{k % 3},{k % 5001}\n" for k in range(5100)))
    other.write_text("x,y\n1,a.\n2,b.\n")
    assert "another value in every one of its 20 rows" in crake("compare", ids, "-t", "y").err
    ended = crake("compare", many, "-t", "y", "--nominal", "y", "-l", "1r")
    assert (ended.code, "the target has 5001 classes; expected at most 5000" in ended.err) == (2, True)
    assert "Did you mean 'a'?" in crake("compare", good, "-t", "y", "--test", other, "-l", "1r").err


def test_verbose_tells_the_times(crake, golf):
    err = crake("compare", golf, "-t", "play", "-v", "-l", "majority,1r").err
    assert "read golf.csv: 14 rows in" in err
    assert "compared in" in err


def test_hostile_labels_stay_text(crake, tmp_path):
    file = tmp_path / "hostile.csv"
    label = "<script>alert(1)</script>\x1b[31m"
    file.write_text("x,y\n" + "".join(f"{k % 5},{label if k % 2 else 'b'}\n" for k in range(40)))
    page = tmp_path / "page.html"
    ended = crake("compare", file, "--target", "y", "--html", page)
    assert ended.code == 0
    assert "\x1b" not in ended.out
    written = page.read_text("utf-8")
    assert re.findall(r"<script[^>]*>", written) == ['<script type="application/json">', '<script type="module">']
    assert "alert(1)</script>" not in written
    assert "&lt;script&gt;" in written


def test_the_python_lines_give_the_same_table(crake, golf):
    out = crake("compare", golf, "-t", "play", "--plan", "cv5", "--seed", "3", "-l", "naive-bayes,1r").out
    python = out.split("Python:\n")[1].split("\ncrake 0")[0]
    code = "\n".join(line.removeprefix("  ") for line in python.splitlines())
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert ended.stderr == ""
    assert ended.stdout.splitlines()[0] == out.splitlines()[0]


def test_the_command_line_is_given_again_with_all_that_was_said():
    table = TableRequest(
        "-odd.csv",
        "y",
        nominal=("a", "b"),
        ignore=("last, first",),
        missing=("?", "n a"),
        delimiter=";",
        encoding="latin-1",
        bad_rows="skip",
    )
    assert CompareRequest(table).command_line() == (
        "crake compare ./-odd.csv --target y --delimiter ';' --encoding latin-1 --nominal a --nominal b "
        "--ignore '\"last, first\"' --missing '?' --missing 'n a' --bad-rows skip --plan cv10 --seed 1"
    )
    python = CompareRequest(table).python()
    assert 'ignore=["last, first"], missing=["?", "n a"], delimiter=";", encoding="latin-1", bad_rows="skip"' in python


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress_is_for_terminals_only(capsys, monkeypatch, is_terminal):
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal)
    output = Output(as_json=False, html=None, quiet=False, verbose=False)
    with working(output) as progress:
        assert (progress.steps is not None) == is_terminal
        if progress.steps is not None:
            progress.steps("naive Bayes\x1b[2J", 1, 10)
    with working(output, has_bar=False) as progress:
        assert progress.steps is None
    assert capsys.readouterr().out == ""


def test_threads_are_limited(crake, monkeypatch):
    seen = []
    real = threads.limited

    def limited(count):
        seen.append(count)
        return real(count)

    monkeypatch.setattr("crake.kernels.threads.limited", limited)
    assert crake("compare", "golf", "--threads", "1", "-l", "majority,1r").code == 0
    assert seen == [1]


@pytest.fixture
def rare(tmp_path) -> Path:
    """A table of 300 rows, 24 of them of the class to find, which two columns tell a little."""
    rng = np.random.default_rng(3)
    y = np.arange(300) < 24
    a, b = ((1.5 * y + rng.normal(size=300)).round(3) for _ in range(2))
    lines = [f"{a[i]},{b[i]},{'yes' if y[i] else 'no'}" for i in rng.permutation(300)]
    path = tmp_path / "rare.csv"
    path.write_text("\n".join(["a,b,default", *lines]) + "\n")
    return path


def test_a_rare_class_is_told_in_the_first_three_lines(crake, rare):
    ended = crake("compare", rare, "-t", "default", "-l", "majority,1r,naive-bayes", "--no-progress")
    assert (ended.code, ended.err) == (0, "")
    first = " ".join(ended.out.splitlines()[:3])
    assert "Naive Bayes is best of 3: AUC 0.8" in first
    assert "majority class 0.500" in first
    assert "By AUC, as class 'yes' has 8.0 % of the rows" in first
    assert "may say nothing" not in ended.out


def test_a_measure_ranks_and_is_in_the_lines_that_repeat_it(crake, rare):
    ended = crake("compare", rare, "-t", "default", "-l", "majority,1r,naive-bayes", "--measure", "f1")
    assert "is best of 3: F1 0." in ended.out.splitlines()[0]
    assert "F1 is that of class 'yes', the rarer one" in ended.out
    assert "--measure f1 --seed 1" in ended.out
    assert 'measure="f1"' in ended.out


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--measure", "acc"], "--measure acc: there is no measure 'acc'. Did you mean 'accuracy'?"),
        (["--measure", "cost"], "--measure cost: expected --cost FILE beside it"),
        (["--measure", "rmse"], "'rmse' measures predicted values, not predicted classes"),
    ],
)
def test_a_measure_that_does_not_fit_is_refused(crake, golf, options, expected):
    ended = crake("compare", golf, "-t", "play", *options)
    assert ended.code == 2
    assert expected in ended.err


def test_the_best_is_trained_by_a_measure(crake, rare, tmp_path):
    ended = crake("train", rare, "-t", "default", "-l", "best", "--measure", "log-loss", "-o", tmp_path / "m.crake")
    assert ended.code == 0
    assert "by log loss" in ended.out
    assert "majority class 0.27" in ended.out  # the log loss of the class shares
    ended = crake("train", rare, "-t", "default", "-l", "1r", "--measure", "auc", "-o", tmp_path / "m.crake")
    assert "--measure auc chooses among learners: expected -l best, got -l 1r" in ended.err
