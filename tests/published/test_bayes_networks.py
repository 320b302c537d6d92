"""The campfire of Mitchell (1997), section 6.11, and the cancer test of section 6.2, by real networks."""

from __future__ import annotations

import pytest

import crake

CAMPFIRE = {(True, True): 4, (True, False): 1, (False, True): 8, (False, False): 2}
"""Campfires among ten days of each kind: storm, bus tour."""


def test_the_table_of_campfires_is_learned_from_days() -> None:
    days = [(*kind, day < fires) for kind, fires in CAMPFIRE.items() for day in range(10)]
    columns = dict(zip(("Storm", "BusTourGroup", "Campfire"), map(list, zip(*days, strict=True)), strict=True))
    net = crake.BayesNetwork([("Storm", "Campfire"), ("BusTourGroup", "Campfire")], alpha=0).fit(columns)
    for (storm, bus), fires in CAMPFIRE.items():
        answer = net.query("Campfire", given={"Storm": storm, "BusTourGroup": bus})
        assert answer[True] == pytest.approx(fires / 10)


def test_the_cancer_test_has_the_joint_terms_of_the_book() -> None:
    net = crake.BayesNetwork.from_tables(
        [("cancer", "positive")], {"cancer": 0.008, "positive": {True: 0.98, False: 0.03}}
    )
    assert net.probability({"cancer": True, "positive": True}) == pytest.approx(0.00784)
    assert net.probability({"cancer": False, "positive": True}) == pytest.approx(0.02976)
    assert net.query("cancer", given={"positive": True})[True] == pytest.approx(0.2085, abs=5e-5)
