"""Trees changed by hand: exact where the learner is asked for the split that it has, kept in files, said in words."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.modelfile.repaired import changed

import crake
from crake.learners.tree.editing.edit import edited_nodes
from crake.modelfile import describe
from crake.modelfile.writing import model_bytes
from crake.table.examples import load

GOLF = load("golf")
LEARNERS = {
    "id3": crake.ID3Classifier(),
    "id3 with a branch for gaps": crake.ID3Classifier(missing="branch"),
    "c4.5, not pruned": crake.C45Classifier(pruning=None, collapse=False, min_samples_leaf=5),
    "c4.5, one value": crake.C45Classifier(pruning=None, binary=True, max_depth=3),
    "cart": crake.CARTClassifier(max_depth=4),
    "cart of a few leaves": crake.CARTClassifier(max_leaf_nodes=6),
    "cart pruned by alpha": crake.CARTClassifier(ccp_alpha=0.01, min_impurity_decrease=0.002),
    "simple cart": crake.CARTClassifier(variant="simple-cart", missing="branch", min_samples_leaf=2),
    "reptree": crake.REPTreeClassifier(pruning=None),
    "chaid": crake.CHAIDClassifier(min_samples_split=20, min_samples_leaf=5, alpha_split=0.9),
    "stump": crake.DecisionStump(),
    "cart of numbers": crake.CARTRegressor(max_depth=3),
    "reptree of numbers": crake.REPTreeRegressor(pruning=None, max_depth=3),
}


@cache
def rows() -> tuple[pd.DataFrame, Any, Any]:
    """Rows with gaps, their classes and their numbers."""
    random = np.random.default_rng(3)
    n = 120
    a = np.where(random.random(n) < 0.15, np.nan, random.normal(size=n).round(1))
    c = np.array(["xyz"[k] for k in random.integers(3, size=n)], object)
    c[random.random(n) < 0.1] = None
    X = pd.DataFrame({"a": a, "b": random.normal(size=n).round(1), "c": c})
    number = np.nan_to_num(a) + X.b.to_numpy() + (c == "x") + random.normal(size=n)
    return X, np.where(number > 0.3, "yes", "no"), number


@pytest.mark.parametrize("name", LEARNERS)
def test_the_split_that_a_node_has_gives_the_same_tree(name):
    X, classes, numbers = rows()
    y = numbers if name.endswith("of numbers") else classes
    model = LEARNERS[name].fit(X, y)
    tree = model.tree_
    inner = np.flatnonzero(tree.branches > 0)
    assert len(inner)
    for node in inner[:: max(1, len(inner) // 3)].tolist():
        again = model.with_split(node, model.node(node).question, X, y)
        for each in ("kind", "feature", "first", "branches", "missing"):
            assert np.array_equal(getattr(again.tree_, each), getattr(tree, each)), (node, each)
        for each in ("threshold", "counts", "responses", "share"):
            np.testing.assert_allclose(getattr(again.tree_, each), getattr(tree, each), rtol=1e-12, err_msg=each)
        for each in fields(tree.surrogates):
            found, expected = (getattr(own.surrogates, each.name) for own in (again.tree_, tree))
            if each.name != "value":  # where the groups of names begin
                np.testing.assert_array_equal(found, expected)
        assert again.edits_[0].branches is not None


@pytest.mark.parametrize("name", LEARNERS)
def test_an_edited_model_is_stored_with_its_edits(name, tmp_path):
    X, classes, numbers = rows()
    y = numbers if name.endswith("of numbers") else classes
    model = LEARNERS[name].fit(X, y)
    edited = model.with_split(0, "b", X, y, at=0.1).with_split(1, "c", X, y, levels=["x"]).with_leaf(2 - 1)
    assert [edit.node for edit in edited.edits_] == [0, 1, 1]
    assert list(edited_nodes(edited.tree_, edited.edits_)) == [0, 1]  # the second edit is gone with the third
    path = tmp_path / "edited.crake"
    crake.save(edited, path)
    loaded = crake.load(path)
    assert loaded.edits_ == edited.edits_
    assert str(loaded) == str(edited)
    assert np.array_equal(loaded.predict(X), edited.predict(X))
    text = str(loaded)
    assert "Edited by hand:" in text
    assert "node 0 (the root) was split on b <= 0.1 and grown anew below; it had asked for" in text
    assert model.edits_ == ()
    assert "Edited" not in str(model)


def test_only_edited_trees_are_files_of_the_newer_version(tmp_path):
    model = crake.C45Classifier().fit(GOLF)
    for each, version in ((model, "1.0"), (model.with_leaf(0), "1.1")):
        crake.save(each, tmp_path / "tree.crake")
        assert describe(tmp_path / "tree.crake").format == version


def test_a_leaf_answers_with_the_rows_it_holds_and_explains_why():
    model = crake.ID3Classifier().fit(GOLF)
    edited = model.with_leaf(2)
    assert str(edited).splitlines()[:2] == ["outlook = Overcast: Yes (4)", "outlook = Rainy: No (5/2)"]
    assert edited.n_nodes_ == model.n_nodes_ - 2
    workings = edited.explain({"outlook": "Rainy", "temp": "Hot", "humidity": "High", "windy": "False"})
    assert dict(workings.answer)["No"] == 0.6
    assert "edited by hand: node 2 (outlook = Rainy) was made a leaf; it asked for humidity" in " ".join(workings.notes)
    sunny = edited.explain({"outlook": "Sunny", "temp": "Hot", "humidity": "High", "windy": "False"})
    assert "edited by hand" not in str(sunny)
    assert "Edited by hand: node 2" in edited.draw().finding
    assert "Edited by hand: node 2" in edited._repr_html_()
    assert edited.fit(GOLF).edits_ == ()


def test_a_forced_split_is_the_best_of_its_column_also_where_the_settings_forbid_it():
    model = crake.C45Classifier().fit(GOLF)
    edited = model.with_split(0, "temp", GOLF)
    assert edited.node(0).question == "temp"
    assert edited.n_nodes_ > 4  # the branches were grown
    assert float(edited.tree_.counts[0].sum()) == 14
    flat = crake.CARTClassifier(max_depth=1).fit(GOLF)
    below = flat.with_split(2, "windy", GOLF)
    assert (flat.depth_, below.depth_) == (1, 2)


WRONG = {
    "node 0 holds 14 rows, and 7 rows of those given": lambda m: m.with_split(0, "temp", GOLF.head(7)),
    "there is no node 99": lambda m: m.with_leaf(99),
    "node 1 is a leaf already": lambda m: m.with_leaf(1),
    "no column 'wind'": lambda m: m.with_split(0, "wind", GOLF),
    "holds names; expected levels": lambda m: m.with_split(0, "temp", GOLF, at=3),
    "'Milt'; expected some of 'Cool', 'Hot', 'Mild'. Did you mean 'Mild'?": lambda m: m.with_split(
        0, "temp", GOLF, levels=["Milt"]
    ),
    "has no value 'Warm'; expected some of": lambda m: m.with_split(0, "temp", GOLF, levels=["Warm"]),
    "some but not all": lambda m: m.with_split(0, "windy", GOLF, levels=["True", "False"]),
    "leaves one branch without rows": lambda m: m.with_split(2, "outlook", GOLF, levels=["Sunny"]),
    "tells the rows of this node apart": lambda m: m.with_split(1, "temp", GOLF),
}


@pytest.mark.parametrize("words", WRONG)
def test_what_cannot_be_done_is_refused(words):
    model = crake.ID3Classifier().fit(GOLF)
    with pytest.raises(crake.CrakeError) as refused:
        WRONG[words](model)
    assert words in str(refused.value)


def put(name: str, value: float):
    def change(_: Any, tensors: Any) -> None:
        tensors[name][0] = value

    return change


ATTACKS = {
    "an edit of a kind that there is not": (put("edits/how", 4), "how holds"),
    "a split without a column": (put("edits/feature", -1), "does not fit the edit"),
    "a column that there is not": (put("edits/feature", 4), "feature holds"),
    "a cut of names": (put("edits/how", 2), "does not fit the column"),
    "branches that end beyond": (put("edits/branch_ends", 7), "branch_ends holds"),
    "levels of another column": (lambda d, t: t["edits/levels/text"].__setitem__(0, 88), "do not fit the edit"),
    "a part too many": (lambda d, _: d["model"]["state"]["edits"]["group"].update(more=1), "not a part"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_edits_that_do_not_fit_are_refused(name, tmp_path):
    change, words = ATTACKS[name]
    model = crake.ID3Classifier().fit(GOLF).with_split(0, "outlook", GOLF, levels=["Sunny"])
    path = tmp_path / "forged.crake"
    path.write_bytes(changed(model_bytes(model), change))
    with pytest.raises(crake.CrakeError, match=words):
        crake.load(path)


def entropy(counts: Any) -> float:
    shares = np.array([n for n in counts if n]) / sum(counts)
    return float(-(shares * np.log2(shares)).sum())


def ratio_by_hand(values: Any, classes: Any, least: int) -> float:
    """(gain − log2(cuts)/n)/split information of the best cut that leaves `least` rows on both sides."""
    n, cuts, best = len(values), 0, (0.0, 0.0)
    for cut in sorted(set(values))[:-1]:
        sides = [[int(np.sum(classes[side] == label)) for label in sorted(set(classes))] for side in
                 (values <= cut, values > cut)]  # fmt: skip
        sizes = [sum(side) for side in sides]
        if min(sizes) < least:
            continue
        cuts += 1
        after = sum(size / n * entropy(side) for size, side in zip(sizes, sides, strict=True))
        best = max(best, (entropy(np.sum(sides, axis=0)) - after, entropy(sizes)))
    return (best[0] - np.log2(cuts) / n) / best[1]


def test_the_gain_ratio_shown_is_the_one_that_decided():
    """Without the rows nobody knows how many cuts there were, and the ratio is called what it is."""
    table = load("iris")
    node = crake.C45Classifier().fit(table).node(0)
    expected = ratio_by_hand(table.column(node.question), table.target, least=5)
    ratio = {step.statement: step.value for step in node.steps(table)}["gain ratio"]
    assert float(ratio) == pytest.approx(expected, rel=1e-3)
    grid = node.alternatives(table)
    (chosen,) = [row for row in grid.rows if row[0].startswith("→")]
    assert float(chosen[grid.header.index("gain ratio")]) == pytest.approx(expected, abs=6e-4)
    assert "gain ratio =" in node.text(table)
    assert "gain ratio =" not in str(node)
    assert "gain ratio without the correction =" in str(node)


def test_an_estimate_says_that_it_is_not_of_the_edited_tree():
    model = crake.ID3Classifier().fit(GOLF).with_leaf(2)
    (note,) = crake.evaluate(model, GOLF, plan="cv3").notes
    assert "fitted anew without the edit made by hand" in note
    assert float(crake.Evaluation.of_model(model, GOLF).accuracy) == 12 / 14
