"""The registry finds every public learner, reads its card, and imports no other learner to do so."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import crake
from crake.learners import registry
from crake.learners.base.card import Card, Shape, card_of
from crake.learners.registry import title_of

EVERY = [*registry.CLASSIFIERS.items(), *registry.REGRESSORS.items()]


@pytest.mark.parametrize(("name", "make"), EVERY, ids=str)
def test_a_registered_learner_has_a_card_and_its_name(name: str, make: type) -> None:
    assert isinstance(card_of(make()), Card)
    assert registry.name_of(make()) == name
    assert getattr(crake, make.__name__) is make
    known = make().get_params()
    assert set(make.card.usual_grid or ()) <= set(known)


def test_every_public_estimator_is_registered() -> None:
    public = [getattr(crake, name) for name in crake.__all__]
    estimators = {each for each in public if inspect.isclass(each) and hasattr(each, "get_params")}
    # A maintained tree holds rows, not a model: its `model_`, a CARTClassifier, is what is stored and compared.
    assert estimators - {crake.MaintainedTree} == set(registry.as_parameters().values())


def test_a_subclass_is_another_learner() -> None:
    class Mine(crake.C45Classifier):
        pass

    assert title_of(Mine()) == "Mine"
    assert not registry.is_compared(Mine())
    assert registry.name_of(Mine()) is None


def test_titles_of_wrappers() -> None:
    bayes = crake.NaiveBayesClassifier()
    assert title_of(crake.Calibrated(bayes, method="isotonic")) == "naive Bayes, calibrated (isotonic)"
    assert title_of(crake.WithCutoff(bayes, by="recall", least=0.9)) == "naive Bayes, cutoff by recall (least=0.9)"
    search = crake.Tuned(crake.C45Classifier(), {"confidence": [0.1, 0.25], "min_samples_leaf": [2, 5]})
    assert title_of(search) == "C4.5, tuned (confidence, min_samples_leaf; 4 candidates, inner 5-fold)"
    assert title_of(crake.Discretizer()) == "Discretizer"


def test_one_learner_is_looked_up_without_the_others() -> None:
    program = """
import sys
from crake.learners import registry
assert "crake.learners.base.estimator" not in sys.modules
registry.by_name("c4.5"), registry.stored()["C45Classifier"], registry.listed_names(), "svm" in registry.CLASSIFIERS
print(*sorted({name.split(".")[2] for name in sys.modules if name.startswith("crake.learners.")}))
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["base", "registry", "tree"]


def test_boosted_trees_are_compared_from_500_rows_on_and_nobody_hears_of_it_before():
    assert "boosted-trees" not in registry.compared(Shape(499, numbers=4))
    assert "boosted-trees" in registry.compared(Shape(500, numbers=4))
    assert "boosted-trees" in registry.compared(Shape(500, numbers=4), numbers=True)
    assert not any("boosted" in note for note in registry.too_slow(Shape(499, numbers=4)))
    assert any("boosted" in note for note in registry.too_slow(Shape(10**6, classes=50, numbers=40)))


def test_a_comparison_leaves_a_forest_out_whose_sets_of_values_fill_the_memory() -> None:
    assert "forest" in registry.compared(Shape(20_000, levels=(500,)))
    assert "forest" not in registry.compared(Shape(20_000, levels=(4898,)))
    notes = registry.too_slow(Shape(20_000, levels=(4898,)))
    assert "random forest is left out, slow with 20,000 rows × 4,898 levels: -l forest compares it" in notes
