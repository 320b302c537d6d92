"""Models as pictures: what is drawn is what the model answers."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import SGDClassifier

import crake
from crake.errors import CrakeError
from crake.learners.logistic import drawing as logistic
from crake.learners.naive_bayes import drawing as naive_bayes
from crake.table.examples import load

SVG = "{http://www.w3.org/2000/svg}"


def words(drawing) -> list[str]:
    root = ET.fromstring(drawing.svg())
    return ["".join([each.text or "", *(child.tail or "" for child in each)]) for each in root.iter(f"{SVG}text")]


def table(rows=400, seed=0):
    """Two nominal columns (one with gaps) and two numbers, a class that depends on three of them."""
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "green", "blue"], rows)
    size = rng.choice(["small", "large"], rows)
    x, z = rng.normal(3, 2, rows), rng.exponential(5, rows)
    odds = (colour == "red") * 1.5 - (size == "small") + 0.6 * (x - 3)
    y = np.where(rng.random(rows) < 1 / (1 + np.exp(-odds)), "yes", "no")
    return pd.DataFrame({"colour": colour, "size": size, "x": x, "z": z}), y


def probability(picture, chosen):
    """What a reader of the nomogram finds: points of each attribute, their sum, the probability below it."""
    total = 0.0
    for attribute in picture.attributes:
        effect = next(value.effect for value in attribute.values if value.name == chosen[attribute.name])
        total += picture.points(attribute, effect)
    return picture.probability(total)


@pytest.mark.parametrize(
    ("model", "nomogram_of"),
    [
        (crake.NaiveBayesClassifier(), naive_bayes.nomogram_of),
        (crake.NaiveBayesClassifier(numeric="kernel"), naive_bayes.nomogram_of),
        (crake.NaiveBayesClassifier(precision="estimated", floor=1e-75), naive_bayes.nomogram_of),
        (crake.LogisticClassifier(), logistic.nomogram_of),
        (crake.LogisticClassifier(penalty="ridge", contrasts="all"), logistic.nomogram_of),
    ],
)
def test_points_add_up_to_what_the_model_answers(model, nomogram_of):
    X, y = table()
    model.fit(X, y)
    picture = nomogram_of(model, "yes", "no", 20, None)
    rng = np.random.default_rng(1)
    for _ in range(20):
        chosen = {a.name: a.values[rng.integers(len(a.values))].name for a in picture.attributes}
        row = {name: float(v.replace("−", "-").replace(",", "")) if name in "xz" else v for name, v in chosen.items()}
        expected = model.predict_proba(pd.DataFrame([row])[list(X.columns)])[0, list(model.classes_).index("yes")]
        assert probability(picture, chosen) == pytest.approx(expected, abs=1e-9)


def test_points_of_intervals_add_up_too():
    X, y = table()
    model = crake.NaiveBayesClassifier(numeric="discretised").fit(X, y)
    picture = naive_bayes.nomogram_of(model, "yes", "no", 20, None)
    names = {a.name: [v.name for v in a.values] for a in picture.attributes}
    row = X.iloc[[7]]
    chosen = {"colour": row["colour"].item(), "size": row["size"].item()}
    for j, column in enumerate(c.name for c in model.schema_.numeric):
        if column in names:
            chosen[column] = names[column][int(np.searchsorted(model.intervals_[j].cuts, row[column].item()))]
    expected = model.predict_proba(row)[0, list(model.classes_).index("yes")]
    assert probability(picture, chosen) == pytest.approx(expected, abs=1e-9)


def test_with_three_classes_two_are_told_apart():
    iris = load("iris")
    for model, nomogram_of in (
        (crake.NaiveBayesClassifier(), naive_bayes.nomogram_of),
        (crake.LogisticClassifier(penalty="ridge"), logistic.nomogram_of),
    ):
        model.fit(iris)
        picture = nomogram_of(model, "virginica", "versicolor", 20, iris)
        chosen = {a.name: a.values[len(a.values) // 2].name for a in picture.attributes}
        names = [column.name for column in model.schema_.features]
        row = pd.DataFrame([[float(chosen[name]) for name in names]], columns=names)
        p = dict(zip(model.classes_, model.predict_proba(row)[0], strict=True))
        expected = p["virginica"] / (p["virginica"] + p["versicolor"])
        assert probability(picture, chosen) == pytest.approx(expected, abs=1e-9)


def test_the_nomogram_of_the_weather():
    found = words(crake.NaiveBayesClassifier().fit(load("weather")).draw())
    for word in ("outlook", "Overcast", "Sunny", "Points", "Total points", "P(No)", "0.5", "100"):
        assert word in found


def test_a_value_that_rules_a_class_out_is_drawn_apart():
    found = words(crake.NaiveBayesClassifier(alpha=0).fit(load("weather")).draw())
    assert "−∞" in found
    assert "Overcast" in found


def test_attributes_that_are_left_out_are_counted():
    drawing = crake.NaiveBayesClassifier().fit(load("breast-cancer")).draw(most=5)
    assert any("25 attributes of less influence" in word for word in words(drawing))


def test_coefficients_with_their_intervals():
    X, y = table()
    model = crake.LogisticClassifier().fit(X, y)
    found = words(model.draw("coefficients", standardised=False))
    line = next(line for line in model.summary().outputs[0][1] if line.term == "x")
    assert f"{line.value:.2f} [{line.low:.2f}, {line.high:.2f}]".replace("-", "−") in found
    spread = X["x"].std(ddof=1)
    scaled = f"{line.value * spread:.2f} [{line.low * spread:.2f}, {line.high * spread:.2f}]".replace("-", "−")
    assert scaled in words(model.draw("coefficients"))


def test_coefficients_of_several_classes_have_a_legend():
    found = words(crake.LogisticClassifier(penalty="ridge").fit(load("iris")).draw("coefficients"))
    assert {"versicolor", "virginica", "petal width (cm)"} <= set(found)


def test_a_linear_regression():
    model = crake.LinearRegressor().fit([[1.0], [2.0], [3.0], [4.0]], [1.0, 3.0, 4.0, 6.0])
    drawing = model.draw(standardised=False)
    assert "1.6 [1.0, 2.2]" in words(drawing)
    assert "The largest is x0, 1.6. 1 of 1 intervals leave 0 out." in drawing.finding


def test_the_rule_of_the_weather():
    drawing = crake.OneRuleClassifier().fit(load("weather")).draw()
    assert {"Overcast", "Rainy", "Sunny", "0/4 wrong", "2/5 wrong", "Yes", "No"} <= set(words(drawing))
    assert "4/14" in drawing.finding


def test_the_rules_of_another_column():
    model = crake.OneRuleClassifier().fit(load("weather"))
    assert {"Hot", "Mild", "Cool"} <= {word.rstrip("*") for word in words(model.draw("temp"))}
    with pytest.raises(CrakeError, match="outlok"):
        model.draw("outlok")


def test_what_naive_bayes_holds_of_a_column():
    iris = load("iris")
    for numeric in ("gaussian", "kernel", "discretised"):
        model = crake.NaiveBayesClassifier(numeric=numeric).fit(iris)
        drawing = model.draw("column", column="petal length (cm)")
        assert {"setosa", "versicolor", "virginica", "50 rows"} <= set(words(drawing))
        words(model.draw("column", column="petal length (cm)", table=iris))


def test_a_density_of_a_class_has_the_area_1():
    model = crake.NaiveBayesClassifier().fit(load("iris"))
    column = model.schema_["petal width (cm)"]
    grid = np.linspace(-3, 6, 4001)
    areas = np.trapezoid(np.exp(naive_bayes.log_densities(model, column, grid)), grid, axis=0)
    assert areas == pytest.approx(np.ones(3), abs=1e-6)


def test_columns_of_a_table():
    drawing = load("iris").draw("sepal width (cm)")
    assert "3.43 in setosa" in drawing.finding
    assert "Most frequent is Sunny in No" in load("weather").draw("outlook").finding
    with pytest.raises(CrakeError, match="petal lenght"):
        load("iris").draw("petal lenght")


@pytest.mark.parametrize("what", ["rose", "colum"])
def test_what_cannot_be_drawn_is_named(what):
    for model in (crake.NaiveBayesClassifier(), crake.LogisticClassifier(penalty="ridge")):
        with pytest.raises(CrakeError, match="nomogram"):
            model.fit(load("iris")).draw(what)
    with pytest.raises(CrakeError, match="no class 'oak'"):
        crake.NaiveBayesClassifier().fit(load("iris")).draw(positive="oak")
    with pytest.raises(CrakeError, match="needs column"):
        crake.NaiveBayesClassifier().fit(load("iris")).draw("column")


@pytest.mark.parametrize("scale", [1e-300, 1e-5, 1e299])
@pytest.mark.parametrize("numeric", ["gaussian", "kernel"])
def test_numbers_of_any_size_are_drawn(scale, numeric):
    X, y = table()
    model = crake.NaiveBayesClassifier(numeric=numeric).fit(X.assign(x=X["x"] * scale), y)
    for drawing in (model.draw(), model.draw("column", column="x")):
        ET.fromstring(drawing.svg())
        assert "nan" not in drawing.svg()
    assert "x" in words(model.draw())


def test_what_says_nothing_is_not_drawn():
    model = crake.NaiveBayesClassifier().fit([[1.0], [1.0], [1.0], [1.0]], ["a", "b", "a", "b"])
    with pytest.raises(CrakeError, match="nothing to draw"):
        model.draw()
    with pytest.raises(CrakeError, match="constant"):
        model.draw("column", column="x0")


def test_a_model_read_from_a_file_draws_the_same(tmp_path):
    X, y = table()
    for k, model in enumerate((crake.NaiveBayesClassifier(), crake.LogisticClassifier(), crake.OneRuleClassifier())):
        model.fit(X, y)
        crake.save(model, tmp_path / f"{k}.crake")
        assert crake.load(tmp_path / f"{k}.crake").draw().svg() == model.draw().svg()


def test_the_majority_class_is_drawn_as_bars_of_the_classes():
    drawing = crake.MajorityClassifier().fit(load("golf")).draw()
    found = words(drawing)
    assert found[:2] == ["Majority class: Yes", "the answer to every row; 14 rows"]
    assert found[2:] == ["Yes", "64.3\N{NO-BREAK SPACE}%, 9 rows", "No", "35.7\N{NO-BREAK SPACE}%, 5 rows"]
    few = crake.MajorityClassifier().fit(load("iris")).draw(most=1)
    assert any("2 less frequent classes with 66.7" in word for word in words(few))


def test_the_plane_of_a_linear_machine_is_drawn_with_its_weights():
    X, y = table()
    model = crake.SVMClassifier().fit(X, y)
    found = words(model.draw())
    for term, weight in zip(model.features_.terms, model.coef_[0], strict=True):
        assert f"{weight:.3g}".replace("-", "−") in found, str(term)
    assert any("yes against no" in word for word in found)
    with pytest.raises(CrakeError, match="linear kernel"):
        crake.SVMClassifier("rbf").fit(X, y).draw("coefficients")


def test_of_many_planes_those_with_the_narrowest_margins_are_drawn():
    rng = np.random.default_rng(0)
    y = np.repeat(list("abcde"), 20)
    X = rng.normal(size=(100, 2)) + 3 * np.repeat(np.arange(5), 20)[:, None]
    model = crake.SVMClassifier(probability="votes").fit(X, y)
    found = words(model.draw())
    narrow = np.argsort(model.margin_width_)[:4]
    for i, j in (model.machines_.pairs[at] for at in narrow):
        assert f"{model.classes_[j]} against {model.classes_[i]}" in found
    assert any("Of 10 pairs of classes the 4" in word for word in found)
    one = words(model.draw(positive="e", against="a"))
    assert any("e against a" in word for word in one)
    for options in ({"positive": "z"}, {"positive": "a", "against": "a"}, {"most": 0}):
        with pytest.raises(CrakeError):
            model.draw(**({"positive": "e", "against": "a"} | options))


def test_decisions_of_a_kernel_are_drawn_as_far_as_the_rows_lie_from_the_margin():
    cancer = load("breast-cancer")
    model = crake.SVMClassifier("rbf", probability="votes").fit(cancer)
    drawing = model.draw(table=cancer)
    f = model.decisions(cancer)
    malignant = cancer.target == 1
    assert f"{100 * np.mean(np.abs(f) < 1):.1f}" in drawing.finding
    assert f"{100 * np.mean((f > 0) != malignant):.1f}" in drawing.finding
    assert {"−1", "0", "1", "357 rows", "212 rows"} <= set(words(drawing))
    with pytest.raises(CrakeError, match="table="):
        model.draw("decisions")


def test_support_vectors_are_counted_by_class_where_there_are_no_rows():
    X, y = table()
    model = crake.SVMClassifier("rbf", probability="votes").fit(X, y)
    found = words(model.draw())
    for k in model.machines_.counts:
        assert f"{k} support vectors" in found


def test_the_error_of_neighbours_is_that_of_rows_left_out():
    iris = load("iris")
    auto, five = crake.NeighborsClassifier("auto").fit(iris), crake.NeighborsClassifier(5).fit(iris)
    assert f"least, {1 - auto.leave_one_out_.max():.4g}" in auto.draw().finding
    # what `fit` knows and what is asked now are the same
    assert auto.draw().finding.split(",")[:2] == five.draw().finding.split(",")[:2]
    assert "k = 5, as the model asks" in words(five.draw())


def test_the_error_of_neighbours_in_numbers():
    y = np.arange(20.0)
    drawing = crake.NeighborsRegressor(2).fit(y[:, None], y).draw()
    # One neighbour: both rows beside an inner row are as near, and it lies in their middle; the ends are 1 away.
    # Two neighbours: the ends are 1.5 away from the mean of the next two.
    assert f"least, {np.sqrt(2 * 1**2 / 20):.4g}, with 1 neighbour" in drawing.finding
    assert f"the model asks 2: {np.sqrt(2 * 1.5**2 / 20):.4g}" in drawing.finding


def test_of_very_many_training_rows_some_are_left_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1100, 2))
    model = crake.NeighborsClassifier().fit(X, X[:, 0] > 0)
    assert any("1,100 training rows, 1,000 of them left out" in word for word in words(model.draw()))
    with pytest.raises(CrakeError, match="one training row"):
        crake.NeighborsClassifier().fit([[1.0]], ["a"]).draw()


def test_learners_around_others_draw_what_they_hold_and_say_what_they_add():
    cancer = load("breast-cancer")
    bayes = crake.NaiveBayesClassifier().fit(cancer).draw(most=3)
    calibrated = crake.Calibrated(crake.NaiveBayesClassifier()).fit(cancer)
    drawn = calibrated.draw(most=3)
    assert words(drawn)[: len(words(bayes))] == words(bayes)
    a = f"{calibrated.maps_[0].a:.4g}"
    assert any(f"calibrated by sigmoid: P(malignant) = 1/(1 + exp(−({a}·log odds" in word for word in words(drawn))
    assert drawn.finding.startswith(bayes.finding)
    cut = crake.WithCutoff(crake.NaiveBayesClassifier(), by="cost", cost_fn=20).fit(cancer)
    assert any("Cutoff: malignant if P(malignant) ≥" in word for word in words(cut.draw(most=3)))
    tuned = crake.Tuned(crake.OneRuleClassifier(), {"min_bucket": [40, 6]}).fit(load("iris"))
    assert any(word.startswith("Tuned: min_bucket=6, of 2 candidates") for word in words(tuned.draw()))
    both = crake.Calibrated(crake.Tuned(crake.CARTClassifier(), {"max_depth": [1, 2]})).fit(load("iris"))
    found = " ".join(words(both.draw(0)))  # the tree, asked as a tree is
    assert "Tuned: max_depth=2" in found
    assert "calibrated by sigmoid" in found


def test_what_cannot_be_calibrated_or_tuned_says_so():
    one = crake.Calibrated(crake.MajorityClassifier()).fit([[1.0], [2.0]], ["a", "a"])
    assert any("Not calibrated" in word for word in words(one.draw()))
    assert len(one.pictures()) == 1
    with pytest.raises(CrakeError, match="no map"):
        one.draw("map")
    tuned = crake.Tuned(crake.OneRuleClassifier(), {"min_bucket": [6]}).fit([[1.0], [2.0]], ["a", "a"])
    assert any("Not tuned" in word for word in words(tuned.draw()))
    foreign = crake.WithCutoff(SGDClassifier(loss="log_loss", random_state=0), cutoff=0.5, positive="b")
    with pytest.raises(CrakeError, match="SGDClassifier"):
        foreign.fit([[1.0], [2.0]], ["a", "b"]).draw()
    assert foreign.pictures() == ()


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_the_calibration_map_is_drawn_where_it_lies(method):
    cancer = load("breast-cancer")
    model = crake.Calibrated(crake.NaiveBayesClassifier(), method=method).fit(cancer)
    said = float(model.maps_[0](np.array([2.0]))[0])
    assert f"it is {said:.4g} after calibration" in model.draw("map").finding
    assert {"P(malignant)", "before calibration"} <= set(words(model.draw("map")))
    assert [each.title.split(":")[0] for each in model.pictures(cancer)] == ["Nomogram", "Calibration map"]


def test_scales_go_no_farther_than_the_rows_of_the_table():
    rng = np.random.default_rng(0)
    income = rng.exponential(1000, 300)  # two deviations below the mean there is nobody
    frame = pd.DataFrame({"income": income, "y": np.where(income * rng.random(300) > 400, "yes", "no")})
    rows = crake.read(frame, target="y")
    for model in (crake.NaiveBayesClassifier(), crake.LogisticClassifier(), crake.Calibrated()):
        model.fit(rows)
        (drawing, *_) = model.pictures(rows)
        for picture in (model.draw(), drawing):  # without the table the model knows the least value itself
            assert not any(word.startswith("−") and word != "−∞" for word in words(picture))
    with pytest.raises(CrakeError, match="no numeric column 'income'"):
        crake.NaiveBayesClassifier().fit(rows).draw(table=load("weather"))
