"""RIPPER has the rules of WEKA's JRip, with their rows and errors, under several options and seeds; and its shares.

`jrip_rules.json` holds what JRip of the WEKA in python-weka-wrapper3 0.3.3 printed, by table and options.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import crake
from crake.learners.rules.rule_list import Rule

RULES: dict[str, dict[str, list[str]]] = json.loads(Path(__file__).with_name("jrip_rules.json").read_text("utf-8"))
OPTIONS: dict[str, dict[str, Any]] = {
    "": {},
    "-S 2": {"random_state": 2},
    "-S 3": {"random_state": 3},
    "-P": {"pruning": False},
    "-E": {"max_error": False},
    "-O 0": {"optimizations": 0},
    "-N 5": {"min_samples_rule": 5},
    "-F 5 -O 3": {"folds": 5, "optimizations": 3},
}


def printed(rule: Rule) -> str:
    return f"{rule.premise} => {rule.answer} ({rule.coverage:.1f}/{rule.errors:.1f})"


@pytest.mark.parametrize("name", sorted(RULES))
def test_the_same_rules_as_jrip(shared: Path, name: str) -> None:
    path = shared / "data" / "arff" / f"{name}.arff"
    table = crake.read(path, target=crake.read(path).schema.names[-1])
    for options, expected in RULES[name].items():
        model = crake.RIPPERClassifier(variant="weka", **OPTIONS[options]).fit(table)
        assert [printed(rule) for rule in model.rules()] == expected, options


PROBABILITIES = {
    "labor": {"0": 35, "0.866666666667": 15, "1": 7},
    "vote": {"0.021739130435": 138, "0.157894736842": 19, "0.25": 16, "0.980916030534": 262},
    "diabetes": {"0.210526315789": 19, "0.227272727273": 22, "0.263736263736": 182, "0.812844036697": 545},
    "breast-cancer": {"0.233333333333": 30, "0.363636363636": 11, "0.775510204082": 245},
}
"""The probability of the first class that JRip prints (CSV -distribution -decimals 12), and how many rows have it."""


@pytest.mark.parametrize("name", sorted(PROBABILITIES))
def test_the_same_probabilities_as_jrip(shared: Path, name: str) -> None:
    path = shared / "data" / "arff" / f"{name}.arff"
    table = crake.read(path, target=crake.read(path).schema.names[-1])
    first = crake.RIPPERClassifier(variant="weka").fit(table).predict_proba(table)[:, 0]
    printed_ones = Counter(f"{share:.12f}".rstrip("0").rstrip(".") for share in first.tolist())
    assert dict(printed_ones) == PROBABILITIES[name]
