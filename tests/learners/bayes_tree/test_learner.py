"""NBTree: the errors that decide about splits, the tree they give, predictions, explanations, model files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import crake
from crake.errors import CrakeError, ModelFileError
from crake.learners.bayes_tree.errors import CountedRows, JavaDealer, StratifiedDealer, in_blocks, in_turn
from crake.learners.bayes_tree.weka_errors import errors_by_unlearning
from crake.learners.tree.growing.training_rows import Training
from crake.modelfile import load, save
from crake.table.convert.frames import from_frame


def made(rows: int = 240, *, gaps: float = 0.0) -> crake.Table:
    """In the first half of the kinds the class follows a, in the other half the opposite: naive Bayes cannot say so."""
    random = np.random.default_rng(3)
    kind, a, b = (random.integers(0, n, rows) for n in (2, 2, 3))
    y = np.where(random.random(rows) < 0.9, a ^ kind, random.integers(0, 2, rows))
    y = np.where((kind == 0) & (b == 2), 0, y)
    columns = {"kind": kind, "a": a, "b": b}
    lost = random.random((rows, 3)) < gaps
    frame = {
        name: pa.array([None if gap else f"{name}{v}" for v, gap in zip(values.tolist(), lost[:, j], strict=True)])
        for j, (name, values) in enumerate(columns.items())
    }
    frame["x"] = pa.array(random.normal(size=rows) + 2.0 * (b == 1) * y)
    return from_frame(pa.table({**frame, "y": pa.array([f"c{label}" for label in y])}), target="y")


def counted(table: crake.Table) -> CountedRows:
    (batch,) = table.batches()
    training = Training.of(table.schema, batch)
    return CountedRows.of(training, table.schema, np.arange(len(table)), np.linspace(0.5, 2, len(table)))


@pytest.mark.parametrize("dealer", [StratifiedDealer(1), JavaDealer(1)], ids=["stratified", "java"])
def test_errors_are_those_of_refitting(dealer) -> None:
    table = made(90, gaps=0.1).select(["kind", "a", "b", "y"])
    rows = counted(table)
    folds = in_turn(dealer.dealt(rows.target), 5)
    assert [len(fold) for fold in folds] == [18] * 5
    wrong = 0.0
    for test in folds:
        train = np.setdiff1d(np.arange(90), test)
        part = table.take(train).with_weights(rows.weights[train])
        model = crake.NaiveBayesClassifier(alpha=0.5, prior="laplace").fit(part)
        answers = model.decide(model.probabilities(table, test))
        wrong += rows.weights[test][answers != table.target[test]].sum()
    assert rows.errors(folds, 0.5) == pytest.approx(wrong)
    assert errors_by_unlearning(rows, folds, 0.5) == pytest.approx(wrong)


def test_weka_cuts_a_leaf_by_its_number_of_rows() -> None:
    """Five rows of weight 0.5: a cut is one of four by their number, and one of 1.5 by their weight: only that pays."""
    light = from_frame(pa.table({"x": np.arange(5.0), "y": list("aaabb")}), target="y").with_weights(np.full(5, 0.5))
    cuts = [
        crake.NBTreeClassifier(variant=variant).fit(light).leaf(0).intervals_[0].cuts.tolist()
        for variant in ("kohavi", "weka")
    ]
    assert cuts == [[2.5], []]


def test_a_split_where_naive_bayes_falls_short() -> None:
    table = made()
    model = crake.NBTreeClassifier().fit(table)
    assert table.schema.features[model.tree_.feature[0]].name == "kind"
    assert model.tree_.counts[0].tolist() == np.bincount(table.target).tolist()
    own = (model.predict(table) == table.labels(table.target)).mean()
    assert own > (crake.NaiveBayesClassifier().fit(table).predict(table) == table.labels(table.target)).mean() + 0.1
    stays = crake.NBTreeClassifier(min_improvement=1).fit(table)
    assert (stays.n_nodes_, stays.depth_) == (1, 0)
    naive = crake.NaiveBayesClassifier(prior="laplace", numeric="discretised").fit(table)
    assert (stays.predict_proba(table) == naive.predict_proba(table)).all()


def test_a_leaf_is_naive_bayes_of_its_rows() -> None:
    table = made()
    model = crake.NBTreeClassifier().fit(table)
    leaves = model.apply(table)
    for leaf in np.unique(leaves).tolist():
        rows = np.flatnonzero(leaves == leaf)
        own = crake.NaiveBayesClassifier(prior="laplace", numeric="discretised").fit(table.take(rows))
        assert (model.probabilities(table, rows) == own.probabilities(table, rows)).all()
        assert (model.leaf(leaf).class_count_ == own.class_count_).all()
    with pytest.raises(CrakeError, match="expected the number of a leaf"):
        model.leaf(0)
    for wrong in ("a", 1.0, True):
        with pytest.raises(CrakeError, match="expected the number of a leaf"):
            model.leaf(wrong)


def test_a_missing_value_goes_down_all_branches() -> None:
    table = made(gaps=0.15)
    model = crake.NBTreeClassifier(min_samples_split=200).fit(table)
    first = model.tree_.children(0)
    assert model.tree_.weight[first.start : first.stop].sum() == pytest.approx(len(table))
    row = {"kind": "kind0", "a": "a1", "b": "b0", "x": 0.3}
    del row[table.schema.features[model.tree_.feature[0]].name]
    assert model.depth_ == 1
    share = model.tree_.weight[first.start : first.stop] / len(table)
    answers = [[p for _, p in model.leaf(leaf).explain(row).answer] for leaf in first]
    mixed = share @ np.array(answers)
    workings = model.explain(row)
    assert [p for _, p in workings.answer] == pytest.approx(mixed.tolist())
    assert "divided among the branches" in str(workings)
    assert model.predict_proba(table).sum(axis=1) == pytest.approx(1)


def test_the_way_down_and_the_product_are_shown() -> None:
    model = crake.NBTreeClassifier().fit(made())
    text = str(model.explain({"kind": "kind0", "a": "a1", "b": "b0", "x": 0.3}))
    assert "Node 0, kind = kind0: on to node 1" in text
    assert "Product of the likelihoods and the prior" in text
    assert "naive Bayes 1" in str(model)
    assert "naive Bayes" in model.draw().svg()
    assert model.tables()[0].title.startswith("naive Bayes ")


def test_text_stays_behind() -> None:
    table = made(60)
    frame = pa.table({name: pa.array(["the same words", "others"] * 30) for name in ("note",)})
    columns = {c.name: [None if v < 0 else c.levels[v] for v in table.column(c.name)] for c in table.schema.nominal}
    both = from_frame(
        pa.table({**columns, "note": frame["note"], "y": table.labels(table.target)}), target="y", text=["note"]
    )
    model = crake.NBTreeClassifier().fit(both)
    plain = crake.NBTreeClassifier().fit(both.select(["kind", "a", "b", "y"]))
    assert (model.predict_proba(both) == plain.predict_proba(both)).all()


def test_a_model_file_and_forged_ones(tmp_path: Path) -> None:
    table = made(gaps=0.1)
    model = crake.NBTreeClassifier().fit(table)
    save(model, tmp_path / "model.crake")
    assert (load(tmp_path / "model.crake").predict_proba(table) == model.predict_proba(table)).all()
    leaf = next(iter(model.leaves_))
    model.leaves_[leaf] = crake.NaiveBayesClassifier().fit(table)  # densities, not intervals
    save(model, tmp_path / "other.crake")
    with pytest.raises(ModelFileError, match="naive Bayes of cut numbers"):
        load(tmp_path / "other.crake")


def test_blocks_are_as_even_as_can_be() -> None:
    assert [len(block) for block in in_blocks(23, 5)] == [5, 5, 5, 4, 4]
