"""Every request: as JSON and back, as a command line and back, and as Python that gives the same result."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crake
from crake.cli.run import run
from crake.errors import CrakeError
from crake.table import examples
from crake.table.formats.csv.writer import csv_pieces
from crake.workbench.compare import CompareRequest
from crake.workbench.describe import DescribeRequest
from crake.workbench.evaluate import EvaluateRequest
from crake.workbench.experiment import ExperimentRequest
from crake.workbench.explain import ExplainRequest
from crake.workbench.export import ExportRequest
from crake.workbench.predict import PredictRequest
from crake.workbench.progress import Progress
from crake.workbench.request import Request
from crake.workbench.table import TableRequest
from crake.workbench.train import TrainRequest

IRIS, GOLF = TableRequest("iris"), TableRequest("golf")
PARTS = TableRequest(
    "data/rows.csv",
    "y",
    format="csv",
    header=False,
    names=("a", "b, c"),
    skip_rows=2,
    dates="dmy",
    sheet="2",
    member="a.csv",
    comment="#",
    quote="'",
    nominal=("a", "last, first"),
    numeric=('say "b"',),
    ignore=("id",),
    missing=("?", "-9"),
    delimiter=";",
    decimal=",",
    encoding="latin-1",
    bad_rows="skip",
    sample=100,
    max_bytes=10**6,
    untrusted=True,
    max_memory=512,
    max_seconds=2.5,
)
REQUESTS: dict[str, Request] = {
    "describe": DescribeRequest(PARTS, seed=3),
    "describe plain": DescribeRequest(IRIS),
    "compare": CompareRequest(PARTS, "5xcv4", ("1r", "c4.5"), None, "-1", "costs.csv", 7),
    "compare and save": CompareRequest(
        TableRequest("iris", keep=("a", "last, first")),
        learners=("c4.5", "sklearn.svm.SVC"),
        parameters={"c4.5.confidence": 0.1, "sklearn.svm.SVC.kernel": "linear"},
        tune=True,
        save="best.crake",
        select="cfs",
    ),
    "compare on a test table": CompareRequest(IRIS, learners=("1r",), test="other.csv"),
    "evaluate": EvaluateRequest("naive-bayes", PARTS, "cv5", None, {"alpha": 0.5, "prior": "laplace"}, "a", None, 3, 9),
    "evaluate on a test table": EvaluateRequest("knn", IRIS, test="test.csv", parameters={"n_neighbors": 3}),
    "evaluate a file": EvaluateRequest("m.crake", TableRequest("x.duckdb", query="select 1"), errors=2),
    "train": TrainRequest(PARTS, "cart", "out.crake", {"max_depth": None}, "recall=0.9", "c.csv", "yes", False, "loo"),
    "train members": TrainRequest(IRIS, "bagging", "out.crake", {"estimator": "cart", "estimator.max_depth": 3}),
    "train plain": TrainRequest(IRIS, "1r", "out.crake"),
    "train the best": TrainRequest(IRIS, "best", "out.crake", {"knn.n_neighbors": 3}, "cost", "c.csv"),
    "predict": PredictRequest("m.crake", TableRequest("x.duckdb", table="t"), keep=True, raw=True, output="p.parquet"),
    "explain": ExplainRequest("m.crake", GOLF, rows=(3, 0)),
    "explain measures": ExplainRequest("m.crake", GOLF, measures=("auc", "kappa"), positive="Yes"),
    "export": ExportRequest("m.crake", "sql", "m.sql", "duckdb", "orders"),
    "export to C": ExportRequest("m.crake", "c", name="loans"),
    "experiment": ExperimentRequest("grid.toml", "r.duckdb", "auc", "1R", 2, "folds.csv"),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_is_json_and_back(name: str) -> None:
    request = REQUESTS[name]
    document = json.loads(json.dumps(request.to_dict()))
    assert type(request).from_dict(document) == request


@pytest.mark.parametrize("name", REQUESTS)
def test_the_command_line_is_parsed_into_the_same_request(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    request, parsed = REQUESTS[name], []

    def capture(self: Request, progress: Progress) -> Any:
        assert isinstance(progress, Progress)
        parsed.append(self)
        raise SystemExit(0)

    monkeypatch.setattr(type(request), "run", capture)
    monkeypatch.setattr("crake.files.check_writable", lambda _: None)
    assert run(shlex.split(request.command_line())[1:]) == 0
    assert parsed == [request]


@pytest.mark.parametrize(
    ("kind", "document", "words"),
    [
        (CompareRequest, {}, "compare: table is missing; expected an object"),
        (CompareRequest, {"table": "iris", "lerners": ["1r"]}, "unknown key 'lerners'. Did you mean 'learners'?"),
        (CompareRequest, {"table": {"source": "iris", "taget": "y"}}, "compare, table: unknown key 'taget'. Did"),
        (CompareRequest, {"table": "iris", "seed": "1"}, "compare: seed = '1'; expected a whole number"),
        (CompareRequest, {"table": "iris", "seed": True}, "compare: seed = True; expected a whole number"),
        (CompareRequest, {"table": "iris", "learners": "1r"}, "learners = '1r'; expected a list of text"),
        (CompareRequest, {"table": "iris", "learners": [1]}, "learners = [1]; expected a list of text"),
        (CompareRequest, {"table": 3}, "compare, table: 3; expected text, or an object with source"),
        (ExplainRequest, {"model": "m", "table": "t", "rows": ["a"]}, "expected a list of whole numbers"),
        (TrainRequest, {"table": "t", "learner": "1r", "output": "x", "parameters": 1}, "expected an object"),
        (DescribeRequest, {"table": {"source": "t", "bad_rows": "no"}}, "bad_rows = 'no'; expected one of error, skip"),
        (PredictRequest, ["m"], "predict: ['m']; expected text, or an object with model"),
    ],
)
def test_a_wrong_document_is_an_error_that_names_the_key(kind: type[Request], document: Any, words: str) -> None:
    with pytest.raises(CrakeError) as error:
        kind.from_dict(document)
    assert words in str(error.value)


def test_text_alone_is_the_first_key_and_null_is_none() -> None:
    assert CompareRequest.from_dict({"table": "iris", "positive": None}) == CompareRequest(IRIS)
    assert TableRequest.from_dict({"source": "x", "max_seconds": 5}) == TableRequest("x", max_seconds=5.0)


def executed(python: str) -> tuple[dict[str, Any], str]:
    """Run the lines that a request prints."""
    variables: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(python, variables)
    return variables, printed.getvalue()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of classes and of numbers, models, costs and a grid."""
    folder = tmp_path_factory.mktemp("files")
    golf = examples.load("golf")
    (folder / "golf.csv").write_bytes(b"".join(bytes(piece) for piece in csv_pieces(golf, raw=True)))
    (folder / "costs.csv").write_text("actual,No,Yes\nNo,0,5\nYes,1,0\n")
    rng = np.random.default_rng(0)
    size, place = rng.normal(80, 20, 90).round(2), rng.choice(["north", "south"], 90)
    lines = [
        f"{s},{p},{3 * s + 40 * (p == 'north') + e:.2f}"
        for s, p, e in zip(size, place, rng.normal(0, 9, 90), strict=True)
    ]
    (folder / "prices.csv").write_text("\n".join(["size,place,price", *lines[:60]]) + "\n")
    (folder / "new.csv").write_text("\n".join(["size,place,price", *lines[60:]]) + "\n")
    crake.save(crake.C45Classifier(min_samples_leaf=1).fit(golf), folder / "golf.crake")
    crake.save(crake.LinearRegressor().fit(crake.read(folder / "prices.csv", "price")), folder / "price.crake")
    (folder / "grid.toml").write_text(
        'tables = ["iris", { source = "golf.csv", target = "play", name = "days" }]\nfolds = 3\nrepeats = 2\n'
        'learners = ["majority", { learner = "naive-bayes", name = "raw", parameters = { alpha = 0 } },\n'
        '{ learner = "bagging", parameters = { estimator = "1r", n_estimators = 2, "estimator.min_bucket" = 3 } }]\n'
    )
    return folder


def test_python_of_compare(files: Path) -> None:
    golf = TableRequest(str(files / "golf.csv"), "play", sample=12)
    learners = ("majority", "1r", "naive-bayes")
    for request in (
        CompareRequest(golf, "cv3", learners, positive="Yes", seed=5),
        CompareRequest(golf, learners=learners, test=str(files / "golf.csv"), cost=str(files / "costs.csv")),
        CompareRequest(golf, learners=learners, seed=2),
        CompareRequest(
            golf,
            "cv3",
            ("majority", "bagging"),
            parameters={"bagging.n_estimators": 2, "bagging.estimator": "knn", "bagging.estimator.n_neighbors": 1},
        ),
    ):
        headline = request.run().board.headline
        assert " ".join(headline.split()) in " ".join(executed(request.python())[1].split())


@pytest.mark.parametrize(
    ("subject", "options"),
    [
        ("knn", {"plan": "cv3", "parameters": {"n_neighbors": 2}, "positive": "Yes"}),
        ("1r", {"test": "golf.csv"}),
        ("golf.crake", {}),
        ("golf.crake", {"plan": "cv4", "seed": 3, "cost": "costs.csv"}),
    ],
)
def test_python_of_evaluate(
    files: Path, subject: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    request = EvaluateRequest(subject, TableRequest("golf.csv", "play"), **options)
    result = request.run()
    variables, _ = executed(request.python())
    assert variables["result"].to_dict()["measures"] == result.evaluation.to_dict()["measures"]
    assert dict(result.to_dict()["reproduce"])["Python"] == request.python()


@pytest.mark.parametrize(
    ("subject", "table", "options"),
    [
        ("knn", "prices.csv", {"plan": "cv3"}),
        ("cart", "prices.csv", {"test": "new.csv", "parameters": {"max_depth": 2}}),
        ("price.crake", "new.csv", {}),
        ("price.crake", "prices.csv", {"plan": "cv4", "seed": 3}),
    ],
)
def test_python_of_evaluate_for_numbers(
    files: Path, subject: str, table: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    request = EvaluateRequest(subject, TableRequest(table, "price"), **options)
    result = request.run()
    variables, _ = executed(request.python())
    assert variables["result"].rmse.value == result.evaluation.rmse.value


@pytest.mark.filterwarnings("ignore:.*of the rows that the model was trained on")
@pytest.mark.parametrize(
    ("table", "learner", "options"),
    [
        (("golf.csv", "play"), "naive-bayes", {"parameters": {"alpha": 0.5}, "plan": "cv3", "seed": 4}),
        (("golf.csv", "play"), "knn", {"estimate": False}),
        (("golf.csv", "play"), "c4.5", {"cutoff": "cost", "cost": "costs.csv", "positive": "Yes"}),
        (("prices.csv", "price"), "cart", {"parameters": {"max_depth": 3}}),
        (
            ("golf.csv", "play"),
            "bagging",
            {
                "parameters": {
                    "estimator": "adaboost",
                    "estimator.estimator": "cart",
                    "estimator.estimator.max_depth": 1,
                    "estimator.n_estimators": 2,
                    "n_estimators": 2,
                },
                "estimate": False,
            },
        ),
        (
            ("prices.csv", "price"),
            "adaboost",
            {"parameters": {"estimator.min_samples_leaf": 5, "n_estimators": 2}, "estimate": False},
        ),
    ],
)
def test_python_of_train(
    files: Path, table: tuple[str, str], learner: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    request = TrainRequest(TableRequest(*table), learner, "out.crake", **options)
    result = request.run()
    written = Path("out.crake").read_bytes()
    Path("out.crake").unlink()
    variables, _ = executed(request.python())
    assert Path("out.crake").read_bytes() == written
    if result.estimate is not None:
        estimated = {name: value.to_dict() for name, value in variables["result"].measures().items()}
        assert estimated == result.estimate.to_dict()["measures"]


@pytest.mark.parametrize(("model", "table"), [("golf.crake", "golf.csv"), ("price.crake", "new.csv")])
def test_python_of_predict(files: Path, model: str, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    request = PredictRequest(model, TableRequest(table))
    stream = io.BytesIO()
    result = request.run()
    result.to_csv(stream)
    written = [row["predicted"] for row in csv.DictReader(io.StringIO(stream.getvalue().decode()))]
    predicted = executed(request.python())[0]["result"].tolist()
    assert [type(value)(text) for value, text in zip(predicted, written, strict=True)] == predicted
    assert result.to_dict()["sentence"].startswith(f"predicted {len(predicted)} rows")


@pytest.mark.parametrize(("model", "table"), [("golf.crake", "golf.csv"), ("price.crake", "new.csv")])
def test_python_of_explain(files: Path, model: str, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    request = ExplainRequest(model, TableRequest(table), rows=(2,))
    printed = executed(request.python())[1]
    assert printed.strip().splitlines()[-1] in request.run().plain()
    measure = "accuracy" if model == "golf.crake" else "rmse"
    request = ExplainRequest(model, TableRequest(table), measures=(measure,))
    assert executed(request.python())[1].strip() == request.run().plain().strip()


def test_python_of_describe(files: Path) -> None:
    for source in ("golf", str(files / "golf.crake")):
        request = DescribeRequest(TableRequest(source))
        printed = executed(request.python())[1].strip().splitlines()
        assert printed[-1].strip() in request.run().text(80).plain


def test_python_of_experiment(files: Path, tmp_path: Path) -> None:
    request = ExperimentRequest(str(files / "grid.toml"), output=str(tmp_path / "results.duckdb"))
    document = request.run().to_dict()
    (tmp_path / "results.duckdb").unlink()
    assert executed(request.python())[0]["result"].to_dict()["means"] == document["means"]
