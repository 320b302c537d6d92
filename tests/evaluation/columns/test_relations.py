"""The relation of each column to the target: the figures are those of the learners and measures they name."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

import crake
from crake.evaluation.columns import relations as module
from crake.evaluation.columns.relations import relations_of
from crake.metrics.ranking.delong import delong
from crake.metrics.ranking.ranking import rank_scores
from crake.render.text.relations import relations_text
from crake.table.convert.frames import from_frame
from crake.table.describe.describe import describe as plain_description
from crake.table.examples import load


def table(rows=120, seed=1, **more):
    """A strong number with gaps, a weak name, an id, noise, a constant, and two classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    strong = (y + rng.normal(size=rows) * 0.7).round(2)
    columns = {
        "strong": pa.array([None if k % 11 == 0 else value for k, value in enumerate(strong.tolist())]),
        "weak": pa.array(np.where(rng.random(rows) < 0.7, y, 1 - y).astype(str)).dictionary_encode(),
        "id": pa.array([f"n{k}" for k in range(rows)]).dictionary_encode(),
        "noise": pa.array(rng.normal(size=rows)),
        "constant": pa.array([1.5] * rows),
        "y": pa.array(np.where(y, "yes", "no")),
        **more,
    }
    return from_frame(pa.table(columns), target="y")


@pytest.fixture(scope="module")
def relations():
    return relations_of(table())


def test_columns_are_ranked_and_what_says_nothing_comes_last(relations):
    assert [each.column for each in relations.ranked][:2] == ["strong", "weak"]
    by_name = {each.column: each for each in relations.ranked}
    assert [name for name, each in by_name.items() if each.is_beyond_chance] == ["strong", "weak"]
    assert by_name["id"].strength.value == pytest.approx(0, abs=1e-9)
    assert by_name["id"].by_chance > 0.9
    assert by_name["constant"].strength.value == 0
    assert relations.finding.startswith("2 of 5 columns say more about it than chance does")


@pytest.mark.parametrize("name", ["strong", "weak", "noise", "id", "constant"])
def test_1r_is_that_of_the_learner_on_the_column_alone(relations, name):
    alone = next(each.alone for each in relations.ranked if each.column == name)
    expected = crake.evaluate("1r", table().select([name, "y"])).accuracy
    assert (alone.value, alone.low, alone.high) == pytest.approx((expected.value, *expected.interval))


def test_1r_of_several_classes_is_that_of_the_learner():
    iris = load("iris")
    for each in relations_of(iris).ranked:
        expected = crake.evaluate("1r", iris.select([each.column, "species"])).accuracy
        assert each.alone.value == pytest.approx(expected.value)


def test_auc_is_that_of_the_numbers_and_says_which_way(relations):
    strong = next(each for each in relations.ranked if each.column == "strong")
    x, y = table().column("strong"), table().target
    known = ~np.isnan(x)
    higher = x[known][y[known] == 1][:, None] - x[known][y[known] == 0]
    assert strong.order.value == pytest.approx(np.mean((higher > 0) + (higher == 0) / 2))
    expected = delong(rank_scores(y[known] == 1, x[known])).interval
    assert (strong.order.low, strong.order.high) == pytest.approx(expected, rel=1e-9)
    assert (strong.towards, strong.directions[0].class_) == ("↑ yes", "yes")
    assert next(each for each in relations.ranked if each.column == "weak").order is None
    turned = table()
    turned = turned.take(np.arange(len(turned)))
    turned.source.column("strong")[:] *= -1
    lower = relations_of(turned).ranked[0]
    assert lower.towards == "↓ yes"
    assert lower.order.value == pytest.approx(strong.order.value)


def test_several_classes_have_one_auc_each_the_clearest_first():
    petal = relations_of(load("iris")).ranked[0]
    assert sorted(each.class_ for each in petal.directions) == ["setosa", "versicolor", "virginica"]
    assert petal.directions[0].towards == "↓ setosa"
    assert petal.order == petal.directions[0].auc


def test_a_numeric_target_has_shares_of_variance_and_ranks():
    rng = np.random.default_rng(2)
    x, name = rng.normal(size=200), rng.choice(["a", "b", "c"], 200)
    y = -(x**3) + np.where(name == "a", 3.0, 0.0) + rng.normal(size=200)
    frame = pa.table({"x": x, "name": name, "noise": rng.normal(size=200), "y": y})
    relations = relations_of(from_frame(frame, target="y"))
    assert relations.is_numeric
    assert relations.headings == ("variance", "R² alone", "Spearman")
    assert [each.column for each in relations.ranked] == ["x", "name", "noise"]
    first, second, last = relations.ranked
    assert first.order.high < 0
    assert second.order is None
    assert 0.4 < first.alone.value < first.strength.value + 0.1
    assert last.alone.value < 0.05
    assert [each.is_beyond_chance for each in relations.ranked] == [True, True, False]


def test_what_cannot_be_related_is_left_out():
    assert relations_of(table().with_target(None)) is None
    one = from_frame(pa.table({"x": [1.5, 2.5, 3.5], "y": ["a", "a", "a"]}), target="y")
    assert relations_of(one) is None
    assert relations_of(table().select(["y"])) is None


def test_rows_of_weight_0_are_as_if_absent():
    whole = table()
    weights = (np.arange(len(whole)) % 3 > 0).astype(float)
    assert relations_of(whole.with_weights(weights)) == relations_of(whole.take(np.flatnonzero(weights)))


def test_many_columns_are_all_measured_and_the_strongest_shown():
    rng = np.random.default_rng(3)
    many = {f"c{j}": rng.normal(size=120) for j in range(150)}
    description = table(**many).describe()
    relations = description.relations
    assert (relations.columns, len(relations.ranked), relations.ranked[0].column) == (155, 100, "strong")
    assert relations.notes == ("the 100 strongest of 155 columns; chance makes some of them strong",)
    assert relations.beyond_chance == 2
    text = str(description)
    assert "… 56 more columns: --json has them all" in text
    assert [column.name for column in description.listed(3)] == ["strong", "weak", "id", "y"]
    assert "… 80 more columns: --html or --json" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_large_table_is_sampled_and_says_so(monkeypatch):
    monkeypatch.setattr(module, "MOST_ROWS", 100)
    found = relations_of(table(rows=300))
    assert found.rows < 200
    assert found.notes == (f"relations are those of a random sample of {found.rows} rows, seed 1",)


def test_a_scanned_table_has_the_relations_of_its_sample(tmp_path):
    whole = table()
    crake.write_csv(whole, tmp_path / "t.csv")
    scanned = crake.read(tmp_path / "t.csv", "y", in_memory=False).describe()
    held = crake.read(tmp_path / "t.csv", "y", in_memory=True).describe()
    assert scanned.relations == held.relations


def test_without_a_target_nothing_is_related():
    description = table().with_target(None).describe()
    assert description.relations is None
    assert str(description) == str(plain_description(table().with_target(None)))
    assert "say more about it than chance" not in str(description)


def test_text_html_and_json_show_the_relations():
    description = table(**{"<b>": pa.array(["x<y", "z"] * 60)}).describe()
    assert "median" in str(description)
    assert "11 (9.2" in str(description)  # the share of missing values
    page = description.to_html()
    assert "What the columns say about y" in page
    assert page.count("<figure") == 6
    assert "<b>" not in page
    document = json.loads(json.dumps(description.to_dict(), allow_nan=False))
    assert document["schema"] == "crake-describe/2"
    assert document["relations"]["ranked"][0]["column"] == "strong"
    assert document["columns"][0]["missing_share"] == pytest.approx(11 / 120)
    assert document["columns"][0]["lower_quartile"] < document["columns"][0]["median"]
    assert "draw" not in document


def test_names_that_would_look_alike_stand_on_lines_of_their_own():
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    columns = {f"wage-increase-of-the-{which}-year": rng.normal(size=60) + y for which in ("first", "second", "third")}
    table = from_frame(pa.table({**columns, "age": rng.normal(size=60), "y": np.where(y, "good", "bad")}), target="y")
    text = relations_text(relations_of(table), 80).plain
    assert all(f"\n{name}\n " in text for name in columns)
    assert "\nage  " in text
    assert max(map(len, text.splitlines())) <= 80
