"""Help: fast, complete, ending in an example; the reference page says the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from crake.cli.app import command
from crake.cli.reference import reference

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = [
    "compare", "describe", "evaluate", "examples", "experiment", "explain", "export", "learners", "predict", "train",
]  # fmt: skip
HEAVY = {"numpy", "scipy", "sklearn", "numba", "pyarrow", "duckdb", "pandas", "polars", "narwhals", "jinja2"}


@pytest.mark.parametrize("arguments", [["--help"], ["compare", "--help"], ["--version"], []])
def test_help_loads_nothing_heavy(arguments):
    code = (
        "import sys\n"
        "from crake.cli.run import run\n"
        f"code = run({arguments!r})\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)\n"
        "sys.exit(code)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stderr.strip()) == (0, "[]")
    assert "crake" in ended.stdout


@pytest.mark.parametrize("name", [*COMMANDS, None])
def test_help_ends_with_an_example(crake, name):
    ended = crake(*([name] if name else []), "--help")
    assert ended.code == 0
    assert ended.out.strip().splitlines()[-1].strip().startswith("Example: crake ")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_in_the_help_and_in_the_reference(crake, name):
    shown = crake(name, "--help").out
    page = reference().split(f"## crake {name}\n")[1].split("\n## ")[0]
    options = [option for parameter in command().commands[name].params for option in parameter.opts]
    assert "--debug" in options
    for option in options:
        if option.startswith("-"):
            assert option in shown
            assert f"`{option}`" in page


def test_the_reference_page_is_up_to_date():
    written = (ROOT / "docs" / "cli.md").read_text("utf-8")
    assert written == reference(), "run: python -m crake.cli.reference > docs/cli.md"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_of_a_command_parses(name, crake, monkeypatch, tmp_path):
    """An example that names an option which is gone would fail to parse before it fails to find the file."""
    monkeypatch.chdir(tmp_path)
    words = command().commands[name].epilog.removeprefix("Example: crake ").split(" > ")[0].split()
    ended = crake(*words)
    assert ended.code == 0 or re.search(r"(loans\.(csv|crake)|grid\.toml): there is no such file", ended.err)


def test_no_arguments_show_the_help(crake):
    assert crake().out == crake("--help").out


def test_python_dash_m(process):
    ended = process("--version")
    assert (ended.returncode, ended.stdout.split()[0]) == (0, "crake")


def test_completion_knows_options_also_without_a_command():
    def completed(words: str) -> list[str]:
        environment = {**os.environ, "_CRAKE_COMPLETE": "complete_bash", "COMP_WORDS": words}
        environment["COMP_CWORD"] = str(len(words.split()) - 1)
        code = "from crake.cli import main; main()"
        ended = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False, timeout=60
        )
        assert ended.stderr == ""
        return ended.stdout.split()

    assert completed("crake des") == ["describe"]
    assert "--target" in completed("crake compare data.csv --t")
    assert "--target" in completed("crake data.csv --t")
    assert completed("crake learners na") == ["naive-bayes"]
    assert completed("crake compare data.csv -l 1r,na") == ["1r,naive-bayes"]
