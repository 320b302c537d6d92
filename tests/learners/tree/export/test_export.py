"""Graphviz, Mermaid, HTML and SQL: hostile names stay text, and SQL answers as the model does."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from tests.laws.tables import Row, rows, table, tame

import crake
from crake.export.sql.text import double_text
from crake.table.convert.export import to_arrow
from crake.table.examples import load
from crake.table.table import Table

HOSTILE = [
    'a" from t; drop table t; --',
    "it's",
    "<script>alert(1)</script>",
    "x\\",
    "é 中 \U0001f600",
    "]|n9[",
    "\x1b[31m",
]


def hostile() -> Table:
    rng = np.random.default_rng(3)
    code = rng.integers(0, len(HOSTILE), 300)
    number = np.round(rng.normal(size=300), 3)
    label = [HOSTILE[c] if x > 0 else HOSTILE[(c + 1) % 3] for c, x in zip(code, number, strict=True)]
    frame = pa.table(
        {HOSTILE[0]: [HOSTILE[c] for c in code], HOSTILE[1]: number, "P(it's)": number[::-1], "leaf": label}
    )
    return crake.read(frame, target="leaf")


def in_duckdb(query: str, found: Table, name: str) -> list[dict[str, Any]]:
    with duckdb.connect() as connection:
        connection.register(name, to_arrow(found.select([c.name for c in found.schema.features])))
        return _by_name(connection.execute(query))


def _by_name(result: Any) -> list[dict[str, Any]]:
    names = [column[0] for column in result.description]
    return [dict(zip(names, line, strict=True)) for line in result.fetchall()]


def in_sqlite(query: str, found: Table, name: str) -> list[dict[str, Any]]:
    frame = to_arrow(found.select([c.name for c in found.schema.features]))
    quoted = ", ".join('"' + c.replace('"', '""') + '"' for c in frame.column_names)
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f'CREATE TABLE "{name}" ({quoted})')
        marks = ", ".join("?" * len(frame.column_names))
        lines = zip(*(frame.column(c).to_pylist() for c in range(frame.num_columns)), strict=True)
        connection.executemany(f'INSERT INTO "{name}" VALUES ({marks})', lines)
        answers = _by_name(connection.execute(query))
    connection.close()
    return answers


def assert_answers(model: Any, found: Table, lines: Sequence[dict[str, Any]]) -> None:
    names = [f"P({label})" for label in model.classes_]
    names = [f"{name}_" if name in model.schema_.names else name for name in names]
    probabilities = [[line[name] for name in names] for line in lines]
    answers = [line[f"predicted {model.schema_.target}"] for line in lines]
    np.testing.assert_allclose(np.array(probabilities, float), model.predict_proba(found), atol=1e-12)
    assert answers == model.predict(found).tolist()


@pytest.mark.parametrize("engine", [in_duckdb, in_sqlite])
@pytest.mark.parametrize("name", ["golf", "iris", "tax", "breast-cancer"])
def test_sql_answers_as_the_model(engine: Any, name: str) -> None:
    found = load(name)
    model = crake.C45Classifier().fit(found)
    assert_answers(model, found, engine(model.to_sql("rows", missing="heaviest"), found, "rows"))
    assert_answers(model, found, engine(model.to_sql("rows"), found, "rows"))


@pytest.mark.parametrize("engine", [in_duckdb, in_sqlite])
def test_sql_of_hostile_names(engine: Any) -> None:
    found = hostile()
    for learner in (crake.C45Classifier(pruning=None), crake.C45Classifier(binary=True), crake.DecisionStump()):
        model = learner.fit(found)
        for missing in ("heaviest", None):
            lines = engine(model.to_sql("t", missing=missing), found, "t")
            assert_answers(model, found, lines)
    assert '"leaf_"' in model.to_sql()
    assert '"P(it\'s)_"' in model.to_sql()
    with pytest.raises(crake.CrakeError, match="code 0"):
        model.to_sql("a\0b")


@settings(max_examples=12)
@given(some=rows(tame, min_size=3))
def test_null_is_mixed_as_in_predict_proba(some: list[Row]) -> None:
    found = table(some)
    for learner in (
        crake.C45Classifier(pruning=None, min_samples_leaf=1),
        crake.DecisionStump(),
        crake.CARTClassifier(),
        crake.CARTClassifier(missing="branch"),
        crake.CHAIDClassifier(alpha_split=0.5, min_samples_split=2, min_samples_leaf=1),
    ):
        model = learner.fit(found)
        lines = in_duckdb(model.to_sql(), found, "t")
        np.testing.assert_allclose(
            np.array([[line[f"P({label})"] for label in model.classes_] for line in lines], float),
            model.predict_proba(found),
            atol=1e-9,
        )


def test_null_and_new_values_take_the_heaviest_branch() -> None:
    golf = load("golf")
    model = crake.C45Classifier(pruning=None).fit(golf)
    rainy = [value for _, value in model.explain(["Rainy", None, "High", None]).answer]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (outlook VARCHAR, temp VARCHAR, humidity VARCHAR, windy VARCHAR)")
        connection.execute("INSERT INTO t VALUES (NULL, NULL, 'High', NULL), ('Foggy', NULL, 'High', NULL)")
        lines = connection.sql(model.to_sql(missing="heaviest")).fetchall()
    # Rainy and sunny have five rows each: the first of equals.
    assert [line[-2:] for line in lines] == [tuple(rainy), tuple(rainy)]


def test_surrogates_in_sql(shared: Path) -> None:
    vote = crake.read(shared / "data" / "arff" / "vote.arff", target="Class")
    model = crake.CARTClassifier(max_depth=4).fit(vote)
    assert len(model.tree_.surrogates)
    assert_answers(model, vote, in_duckdb(model.to_sql(), vote, "t"))
    assert "stands in" in str(model.explain({"adoption-of-the-budget-resolution": "n"}))


def test_credit_with_its_gaps(shared: Path) -> None:
    vote = crake.read(shared / "data" / "arff" / "vote.arff", target="Class")
    model = crake.C45Classifier().fit(vote)
    assert_answers(model, vote, in_duckdb(model.to_sql(), vote, "t"))
    credit = crake.read(shared / "data" / "arff" / "credit-g.arff", target="class")
    model = crake.C45Classifier(pruning=None).fit(credit)
    assert_answers(model, credit, in_duckdb(model.to_sql(missing="heaviest"), credit, "t"))


@settings(max_examples=10)
@given(some=rows(tame, min_size=1))
def test_numbers_keep_all_their_digits(some: list[Row]) -> None:
    with duckdb.connect() as connection:
        for *_, size, age, _, _ in some:
            for value in (size, age, size / 3, 2.0**53 + size):
                if value == value:
                    (found,) = connection.sql(f"SELECT CAST({double_text(value)} AS DOUBLE)").fetchall()
                    assert found == (value,)


def test_bad_requests() -> None:
    model = crake.C45Classifier().fit(load("golf"))
    with pytest.raises(crake.CrakeError, match=r"expected None \(as predict\), 'heaviest'"):
        model.to_sql(missing="none")
    with pytest.raises(crake.CrakeError, match="0 or more"):
        model.to_dot(max_depth=-1)


def test_graphviz_and_mermaid_of_hostile_names() -> None:
    model = crake.C45Classifier(pruning=None).fit(hostile())
    dot = model.to_dot()
    statement = re.compile(r'  n\d+( -> n\d+)? \[label="(\\.|[^"\\])*"[^"]*("node \d+")?\];')
    lines = dot.splitlines()[3:-1]
    assert len(lines) == 2 * model.n_nodes_ - 1
    assert all(statement.fullmatch(line) for line in lines)
    mermaid = model.to_mermaid().splitlines()[1:]
    safe = re.compile(r'  n\d+(\[|\(\[| -->\|)"[\w .,=+\-…#;]*"(\]|\]\)|\| n\d+)')
    assert all(safe.fullmatch(line) for line in mermaid), mermaid
    assert "\x1b" not in dot + model.to_mermaid() + str(model)


def test_depth_of_drawings() -> None:
    model = crake.C45Classifier(pruning=None).fit(load("golf"))
    assert model.to_dot(max_depth=0).count("label=") == 1
    assert "outlook … 7 more nodes" in model.to_dot(max_depth=0)
    assert model.to_mermaid(max_depth=1).count("[") == model.to_mermaid(max_depth=1).count("]")
    assert "humidity … 2 more nodes" in model.to_mermaid(max_depth=1)
    assert model.to_dot(max_depth=2) == model.to_dot()


def test_html_escapes_and_folds() -> None:
    model = crake.C45Classifier(pruning=None).fit(hostile())
    page = model._repr_mimebundle_()["text/html"]
    assert "<script>" not in page
    assert page.count("<details") == page.count("</details>") > 0
    assert page.count("<div") == page.count("</div>")
