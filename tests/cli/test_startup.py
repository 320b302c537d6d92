"""Commands that learn nothing start without the libraries that only learning needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import crake
from crake.cli.commands.examples import as_csv
from crake.table import examples

pytestmark = pytest.mark.slow

HEAVY = ("sklearn", "scipy.stats", "scipy.special", "scipy.linalg", "pandas", "duckdb", "polars", "narwhals", "joblib")
AFTER = """
import atexit, sys
atexit.register(lambda: print("loaded:", *(name for name in {names!r} if sys.modules.get(name)), file=sys.stderr))
"""


def loaded(code: str, names: tuple[str, ...] = HEAVY) -> list[str]:
    """Run the code in a new process; return those of the modules that it has loaded in the end."""
    run = subprocess.run(
        [sys.executable, "-c", AFTER.format(names=names) + code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    last = run.stderr.splitlines()[-1]
    assert last.startswith("loaded:"), run.stderr
    return last.split()[1:]


def commands(*lines: tuple[object, ...]) -> str:
    """Return code that runs the commands one after the other: where none loads a library, all together load none."""
    words = [[str(word) for word in line] for line in lines]
    return (
        f"from contextlib import suppress\nfrom crake.cli import main\nfor words in {words!r}:\n"
        "    sys.argv = ['crake', *words]\n    with suppress(SystemExit):\n        main()"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    iris = examples.load("iris")
    (folder / "iris.csv").write_text(as_csv(iris))
    for name, learner in {
        "c45": crake.C45Classifier(),
        "bayes": crake.NaiveBayesClassifier(),
        "rule": crake.OneRuleClassifier(),
        "majority": crake.MajorityClassifier(),
        "cart": crake.CARTClassifier(),
        "logistic": crake.LogisticClassifier(penalty="ridge"),
    }.items():
        crake.save(learner.fit(iris), folder / f"{name}.crake")
    crake.save(crake.LinearRegressor().fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0]), folder / "linear.crake")
    return folder


def test_predict(folder: Path) -> None:
    models = ("c45", "bayes", "rule", "majority", "cart", "logistic")
    assert loaded(commands(*(("predict", folder / f"{model}.crake", folder / "iris.csv") for model in models))) == []


def test_predict_a_number(folder: Path) -> None:
    code = (
        f"import crake\nmodel = crake.load({str(folder / 'linear.crake')!r})\nfrom crake.table.examples import load\n"
    )
    asked = "import numpy as np\nfrom crake.table.convert.frames import encode\n"
    rows = "model.answers(encode(np.ones((2, 1)), model.schema_))"
    assert "sklearn" not in loaded(code + asked + rows)


def test_describe(folder: Path) -> None:
    described = (folder / "iris.csv", folder / "c45.crake", "iris")
    assert loaded(commands(*(("describe", each) for each in described))) == []


def test_explain(folder: Path) -> None:
    models = ("c45", "bayes", "rule")
    lines = (("explain", folder / f"{model}.crake", folder / "iris.csv", "--row", 70) for model in models)
    assert loaded(commands(*lines)) == []


def test_nothing_is_loaded_to_say_a_line() -> None:
    lines = (("--version",), ("--help",), ("predict", "--help"), ("describe", "--no-such-option"))
    assert loaded(commands(*lines), (*HEAVY, "numpy", "numba", "pyarrow")) == []


def test_a_learner_is_imported_without_numba() -> None:
    assert loaded("from crake import C45Classifier\nC45Classifier()", (*HEAVY, "numba")) == []


def test_examples_are_read_where_pandas_is_hidden(process) -> None:
    """Compiled code, Arrow's, asks for pandas in another way than Python does."""
    ended = process("describe", "golf")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("golf: 14 rows")
