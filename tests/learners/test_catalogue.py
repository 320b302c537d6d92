"""The catalogue: every learner has its line and its facts, and the facts that can be tried are true."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest

import crake
from crake.learners.catalogue import Listed, catalogue, listed, markdown_table

ROOT = Path(__file__).resolve().parents[2]
LINE, NAME = 80, 13
EVERY = [pytest.param(each, id=f"{each.name}-{each.kind}") for each in catalogue()]


@pytest.fixture(scope="module")
def exclusive_or() -> tuple[np.ndarray, np.ndarray]:
    """Class "yes" where one of two names is right but not both; each name alone tells something."""
    rng = np.random.default_rng(5)
    first, second = rng.random(400) < 0.7, rng.random(400) < 0.7
    return np.column_stack([first, second]).astype(str).astype(object), np.where(first != second, "yes", "no")


@pytest.mark.parametrize("learner", EVERY)
def test_a_learner_has_its_line_and_all_facts(learner: Listed) -> None:
    assert learner.card.about
    assert NAME + len(learner.card.about) <= LINE
    assert not learner.card.about.endswith(".")
    assert not learner.card.model.startswith("no"), "the catalogue puts no: before it where is_readable is False"
    facts = dict(learner.facts())
    assert len(facts) == (6 if learner.kind == "classifier" else 5)
    assert getattr(crake, learner.class_name) is learner.make


@pytest.mark.parametrize("learner", EVERY)
def test_every_parameter_has_its_default_and_is_explained(learner: Listed) -> None:
    parameters = learner.parameters()
    signature = inspect.signature(learner.make).parameters
    assert {each.name: each.default for each in parameters} == {k: v.default for k, v in signature.items()}
    assert [each.name for each in parameters if not each.about] == []


@pytest.mark.parametrize("learner", EVERY)
def test_interactions_are_learned_where_the_card_says_so(learner: Listed, exclusive_or) -> None:
    X, y = exclusive_or
    target = y if learner.kind == "classifier" else (y == "yes").astype(float)
    model = learner.make().fit(X, target)
    predicted = model.predict(X)
    right = np.mean(predicted == y) if learner.kind == "classifier" else np.mean((predicted > 0.5) == (y == "yes"))
    assert (right == 1) == learner.card.has_interactions


@pytest.mark.parametrize("learner", EVERY)
def test_only_the_baselines_read_no_column(learner: Listed, exclusive_or) -> None:
    X, y = exclusive_or
    target = y if learner.kind == "classifier" else (y == "yes").astype(float)
    is_constant = len(set(learner.make().fit(X, target).predict(X).tolist())) == 1
    assert is_constant == (learner.card.missing == "no column is read")


@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_the_page_that_helps_to_choose_has_the_facts_of_the_cards(kind) -> None:
    page = (ROOT / "docs" / "which_learner.md").read_text("utf-8")
    assert markdown_table(kind) in page, "put crake.learners.catalogue.markdown_table(kind) into docs/which_learner.md"


def test_a_name_without_a_learner_raises() -> None:
    with pytest.raises(crake.CrakeError, match=r"there is no learner 'c5'\. Did you mean 'c4\.5'\?"):
        listed("c5")
