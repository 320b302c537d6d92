"""Ways to treat a rare class, on the same folds, and the sentence on a moved cutoff."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.evaluation.checks.test_rare_classes import rare

import crake
from crake.errors import CrakeError
from crake.metrics.cost.matrix import CostMatrix

TABLE = rare()
WAYS = ["none", "weights", "under", "over", "cutoff"]


@pytest.fixture(scope="module")
def result() -> Any:
    return crake.compare_balance("naive-bayes", TABLE, ways=WAYS, plan=crake.CrossValidation(3))


def test_all_ways_are_tested_on_the_same_folds(result: Any) -> None:
    first = result["none"].out_of_fold
    assert [each.name for each in result] == ["as it is", "weights", "undersampling", "oversampling", "moved cutoff"]
    for each in result:
        np.testing.assert_array_equal(each.out_of_fold.fold, first.fold)
        np.testing.assert_array_equal(each.out_of_fold.actual, TABLE.target[each.out_of_fold.rows])
    alone = crake.evaluate(
        crake.Balanced(crake.NaiveBayesClassifier(), crake.Undersample()), TABLE, plan=crake.CrossValidation(3)
    )
    np.testing.assert_array_equal(result["under"].predicted, alone.predicted)


def test_balancing_finds_more_of_the_rare_class_and_so_does_a_cutoff(result: Any) -> None:
    for way in ("weights", "under", "over", "cutoff"):
        assert result[way].recall > result["none"].recall + 0.2
        assert result[way].mean_cost(result.costs) < result["none"].mean_cost(result.costs)
    assert result.sentence.startswith(
        "A moved cutoff does the same as far as these rows can tell, without a row drawn or made up: mean cost"
    )


def test_costs_by_rarity_are_the_mean_error_of_the_classes(result: Any) -> None:
    way = result["under"]
    costs = CostMatrix.by_rarity(TABLE.schema.classes, np.bincount(TABLE.target))
    assert float(way.mean_cost(costs)) == pytest.approx(1 - float(way.balanced_accuracy))


def test_it_is_shown_and_written(result: Any) -> None:
    text = str(result)
    assert "recall and precision of yes; an error costs" in text
    assert text.count("\n") == 8
    assert json.loads(json.dumps(result.to_dict()))["ways"][2]["way"] == "undersampling"
    page = replace(result, notes=("SMOTE is left out: a < b",))._repr_html_()
    assert "<th>AUC</th>" in page
    assert "<p>SMOTE is left out: a &lt; b</p>" in page


@pytest.mark.filterwarnings("ignore::crake.CrakeWarning")
def test_a_way_that_fails_in_a_fold_is_left_out_with_a_note() -> None:
    table = TABLE.take(np.r_[np.flatnonzero(TABLE.target == 0)[:30], np.flatnonzero(TABLE.target == 1)[:2]])
    result = crake.compare_balance("majority", table, plan=crake.CrossValidation(2))
    assert "SMOTE" not in [each.name for each in result]
    assert "as it is" in [each.name for each in result]
    assert any(note.startswith("SMOTE is left out: SMOTE puts new rows between") for note in result.notes)
    with pytest.raises(CrakeError, match="has 1 row"):
        crake.compare_balance("majority", table, plan=crake.CrossValidation(2), ways=["none", "smote"])


def test_what_there_is_not_is_refused() -> None:
    with pytest.raises(CrakeError, match="ways names 'smite'; expected some of none"):
        crake.compare_balance("naive-bayes", TABLE, ways=["smite"])
