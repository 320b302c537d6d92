"""1R against WEKA's OneR with -B 6 and -B 1: the rules and the answer to every row."""

from __future__ import annotations

import pytest
from tests.weka.reference import ABSENT, SCHEMES, SETS, SHARED, largest_difference, printed_rule, stored

import crake

if not SETS:
    pytest.skip(ABSENT, allow_module_level=True)

FAILED = "hypothyroid"
"""OneR of WEKA 3.9.7 refuses this table: one numeric column holds only missing values."""

both_buckets = pytest.mark.parametrize("scheme", ["OneR", "OneR-B1"])
every_table = pytest.mark.parametrize("name", [name for name in SETS if name != FAILED])


@both_buckets
@every_table
def test_the_printed_rule(name: str, scheme: str) -> None:
    its = stored(name)
    attribute, conditions, answers, correct = printed_rule(its.schemes[scheme]["model"])
    model = SCHEMES[scheme].fit(its.table)
    rule = model.rule_
    assert model.attribute_ == attribute
    assert [str(its.table.schema.classes[k]) for k in rule.answers] == answers
    assert len(its.table) - rule.errors == correct
    if rule.column.levels:
        missing = ["?"] if rule.has_missing else []
        assert [*(str(level) for level in rule.column.levels), *missing] == conditions
    else:
        assert rule.cuts.tolist() == [float(cut[2:]) for cut in conditions if cut.startswith("< ")]
        assert rule.has_missing == (conditions[-1] == "?")


@both_buckets
@every_table
def test_one_rule_every_row(name: str, scheme: str) -> None:
    its = stored(name)
    learner = SCHEMES[scheme]
    assert largest_difference(learner.fit(its.table).predict_proba(its.table), its.full[scheme]) == 0
    found = crake.evaluate(learner, its.table, plan=its.plan)
    assert largest_difference(found.out_of_fold.probabilities, its.cv[scheme]) == 0
    assert found.confusion.counts.tolist() == its.schemes[scheme]["cv"]["confusion"]


def test_a_column_of_missing_values_is_no_obstacle() -> None:
    its = stored(FAILED)
    assert "Only missing values" in its.schemes["OneR"]["error"]
    assert "OneR" not in its.full
    model = SCHEMES["OneR"].fit(its.table)
    assert model.errors_["TBG"] == (its.table.target != 0).sum()  # all rows in one branch
    assert model.errors_[model.attribute_] < model.errors_["TBG"]


def test_mushroom_odor_is_right_for_9852_rows_in_10000() -> None:
    """The published figure of the one-attribute rule: 98.52 % of 8,124 rows."""
    table = crake.read(SHARED / "data" / "arff" / "mushroom.arff", target="class")
    model = SCHEMES["OneR"].fit(table)
    assert model.attribute_ == "odor"
    assert 1 - model.errors_["odor"] / len(table) == pytest.approx(0.9852, abs=5e-5)
