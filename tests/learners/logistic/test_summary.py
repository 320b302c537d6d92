"""What is shown: the summary, the hand calculation; and that it goes through files, scans, evaluations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake
from crake.table.examples import load


def loans(rows: int = 300, seed: int = 2) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "income": rng.normal(50, 15, rows).round(1),
            "housing": rng.choice(["own", "rent", "free"], rows),
        }
    )
    frame.loc[::17, "income"] = np.nan
    z = -2 + 0.05 * frame.income.fillna(50) + frame.housing.map({"own": 0.8, "rent": -0.4, "free": 0})
    frame["paid"] = np.where(rng.random(rows) < 1 / (1 + np.exp(-z)), "yes", "no")
    return frame


def test_the_summary() -> None:
    frame = loans()
    model = crake.LogisticClassifier().fit(frame.drop(columns="paid"), frame.paid)
    summary = model.summary()
    ((label, lines),) = summary.outputs
    assert (label, summary.base) == ("yes", "no")
    assert [line.term for line in lines] == [
        "(intercept)",
        "income",
        "income missing",
        "housing = own",
        "housing = rent",
    ]
    assert summary.references == (("housing", "free"),)
    for at, line in enumerate(lines):
        assert line.value == pytest.approx(model.coefficients_[at, 0])
        assert line.standard_error == pytest.approx(model.standard_errors_[at, 0])
        assert line.statistic == pytest.approx(line.value / line.standard_error)
        assert line.high - line.value == pytest.approx(1.959964 * line.standard_error, rel=1e-6)
        assert line.odds_ratio == pytest.approx(np.exp(line.value))
    shares = frame.paid.value_counts()
    assert summary.null_deviance == pytest.approx(-2 * sum(n * np.log(n / 300) for n in shares))
    assert summary.aic == pytest.approx(summary.deviance + 10)
    assert summary.pseudo_r2 == pytest.approx(1 - summary.deviance / summary.null_deviance)
    text = str(summary)
    for said in (
        "Log odds of yes against no",
        "reference levels: housing free",
        "AIC",
        "pseudo-R² (McFadden)",
        "odds ratio",
    ):
        assert said in text
    assert "<table>" in summary._repr_html_()
    narrow = model.summary(confidence=0.5).outputs[0][1][1]
    assert narrow.high - narrow.low < lines[1].high - lines[1].low
    with pytest.raises(crake.CrakeError, match="confidence"):
        model.summary(confidence=95)


def test_the_hand_calculation_adds_up() -> None:
    frame = loans()
    model = crake.LogisticClassifier().fit(frame.drop(columns="paid"), frame.paid)
    workings = model.explain({"income": 60.0, "housing": "own"})
    b = dict(zip(model.terms_, model.coefficients_[:, 0], strict=True))
    z = b["(intercept)"] + 60 * b["income"] + b["housing = own"]
    assert workings["yes"] == pytest.approx(1 / (1 + np.exp(-z)))
    said = [step.statement for step in workings.steps]
    assert said == ["intercept", "income", "housing = own", "z", "odds(yes against no)", "P(yes | row)", "P(no | row)"]
    gap = model.explain({"housing": "free"})
    mean = frame.income.mean()
    z = b["(intercept)"] + mean * b["income"] + b["income missing"]
    assert gap["yes"] == pytest.approx(1 / (1 + np.exp(-z)))
    assert [step.statement for step in gap.steps][1:3] == ["income, missing: the mean", "income missing"]


def test_several_classes_by_hand() -> None:
    model = crake.LogisticClassifier("ridge", strength=0.1).fit(load("iris"))
    row = [5.9, 3.0, 4.2, 1.5]
    workings = model.explain(row)
    probabilities = model.predict_proba(pd.DataFrame([row], columns=model.feature_names_in_))[0]
    assert [workings[label] for label in model.classes_] == pytest.approx(probabilities)
    assert sum(workings[label] for label in model.classes_) == pytest.approx(1)
    assert [section.heading for section in workings.sections] == [
        "Score of versicolor against setosa",
        "Score of virginica against setosa",
        "e^z of each class over their sum",
    ]


@pytest.mark.parametrize(
    "asked",
    [{}, {"penalty": "ridge"}, {"penalty": "firth"}, {"solver": "gradient", "tol": 1e-3}, {"missing": "mean"}],
    ids=str,
)
def test_files(asked: dict, tmp_path: Path) -> None:
    frame = loans()
    X = frame.drop(columns="paid")
    model = crake.LogisticClassifier(**asked).fit(X, frame.paid)
    crake.save(model, tmp_path / "loans.crake")
    again = crake.load(tmp_path / "loans.crake")
    assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    assert str(again) == str(model)
    assert again.trace_ == model.trace_
    assert str(again.explain({"income": 3.0})) == str(model.explain({"income": 3.0}))
    assert crake.load(tmp_path / "loans.crake").separation_ == model.separation_


@pytest.mark.parametrize("many", [10**9, 1000], ids=["from nothing", "from a sample"])
def test_logistic_of_a_scanned_table(many: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crake.learners.logistic.sample.MANY_ROWS", many)
    monkeypatch.setattr("crake.learners.logistic.sample.SAMPLED_ROWS", 1024)
    frame = loans(5000)
    frame.loc[7, "paid"] = None
    path = tmp_path / "loans.parquet"
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, row_group_size=700)
    held, scanned = crake.read(path, target="paid"), crake.read(path, target="paid", in_memory=False)
    for asked in ({}, {"missing": "drop"}, {"penalty": "firth"}):
        one, other = crake.LogisticClassifier(**asked).fit(held), crake.LogisticClassifier(**asked).fit(scanned)
        np.testing.assert_array_equal(one.coefficient_, other.coefficient_)
        assert other.schema_.classes == one.schema_.classes
    plain = crake.LogisticClassifier().fit(scanned)
    assert plain.left_out_ == 1
    np.testing.assert_array_equal(
        plain.predict_proba(scanned), crake.LogisticClassifier().fit(held).predict_proba(held)
    )


def test_evaluated_compared_and_by_name() -> None:
    frame = loans()
    result = crake.evaluate("logistic", frame.drop(columns="paid"), frame.paid)
    assert 0.5 < float(result.accuracy) < 1
    assert "logistic regression" in str(crake.compare(load("weather")))


def test_a_scan_says_how_many_rows_have_gaps(tmp_path: Path) -> None:
    path = tmp_path / "loans.csv"
    path.write_text("size,paid\n" + "".join(f"{i},{'yn'[i % 3 % 2]}\n" for i in range(30)) + "7,\n,y\n,y\n,\n")
    for in_memory in (True, False):
        table = crake.read(path, target="paid", in_memory=in_memory)
        model = crake.LogisticClassifier(missing="drop").fit(table)
        assert (model.left_out_, model.dropped_) == (2, 2)
        assert model.notes_ == ("2 rows with missing values were left out",)


def test_two_ways_to_a_maximum_are_one_too_many() -> None:
    with pytest.raises(crake.CrakeError, match="leave solver='gradient' away"):
        crake.LogisticClassifier("firth", solver="gradient").fit([[1.0], [2.0]], ["a", "b"])
