"""C4.5rules against plain counting: dropped conditions, chosen subsets, the answer for the rest."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import crake
from crake.learners.rules.c45rules.choosing import Choice, log2_choices
from crake.learners.rules.c45rules.generalising import Generaliser, paths_of
from crake.learners.rules.coded_rows import coded_rows
from crake.learners.tree.growing.training_rows import Training


def rows_of(table: crake.Table) -> Training:
    (batch,) = table.batches()
    return Training.of(table.schema, batch)


def test_no_condition_that_is_left_can_go_without_a_higher_limit() -> None:
    iris = crake.read("iris")
    training = rows_of(iris)
    coded = coded_rows(training)
    tree = crake.C45Classifier(pruning=None, collapse=False).fit(iris).tree_
    generaliser = Generaliser(coded, training.row_weights, 0.25)
    paths = paths_of(tree, coded)
    candidates = generaliser.candidates(paths)
    assert sum(len(rule.draft) for rule in candidates) < sum(len(draft) for draft, _ in paths)
    for rule in candidates:
        for left_out in range(len(rule.draft)):
            covered = np.ones(len(iris), bool)
            for at, (attribute, kind, code) in enumerate(rule.draft):
                if at != left_out:
                    cells = coded.cells[attribute]
                    covered &= {0: cells == code, 1: cells <= code, 3: cells >= code}[kind]
            errors = np.sum(covered & (coded.target != rule.answer))
            assert generaliser.error_share(float(covered.sum()), float(errors)) > rule.error


@pytest.mark.parametrize("seed", range(3))
def test_the_search_finds_no_longer_description_than_its_starts(seed: int) -> None:
    generator = np.random.default_rng(seed)
    is_positive = generator.random(60) < 0.4
    matrix = generator.random((9, 60)) < np.where(is_positive, 0.3, 0.05)
    choice = Choice(matrix, generator.uniform(3, 12, 9), is_positive, np.ones(60))
    shortest = min(choice.length(np.array(each, bool)) for each in product((False, True), repeat=9))
    assert choice.length(choice.best()) == pytest.approx(shortest)
    improved = choice._improved(np.zeros(9, bool))
    assert shortest <= choice.length(improved) <= choice.length(np.zeros(9, bool))
    positives = int(is_positive.sum())
    assert choice.length(np.zeros(9, bool)) == pytest.approx(log2_choices(60, positives))


def test_the_last_rule_answers_for_the_rows_that_no_rule_takes() -> None:
    weather = crake.read("weather")
    model = crake.C45RulesClassifier().fit(weather)
    assert model.rules()[-1].conditions == ()
    assert (model.apply(weather) > 0).all()
    assert (model.predict(weather) == [weather.schema.classes[k] for k in weather.target]).all()
