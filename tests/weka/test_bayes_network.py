"""BayesNetworkClassifier answers as WEKA's BayesNet (3.9.7) does: with its networks, on all rows and on ten folds."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from tests.weka.reference import ABSENT, SETS, WEKA, largest_difference, predictions, stored

import crake


def scheme(structure: str, criterion: str = "bayes", max_parents: int = 2) -> crake.BayesNetworkClassifier:
    return crake.BayesNetworkClassifier(
        structure, criterion=criterion, max_parents=max_parents, reverse=False, missing="mode"
    )


SCHEMES = {
    "BayesNet-K2-P1": scheme("k2", max_parents=1),
    "BayesNet-K2-P2": scheme("k2"),
    "BayesNet-K2-P3": scheme("k2", max_parents=3),
    "BayesNet-K2-P2-MDL": scheme("k2", "mdl"),
    "BayesNet-HillClimber": scheme("hill-climb"),
    "BayesNet-TAN": scheme("tan"),
    "BayesNet-TAN-ENTROPY": scheme("tan", "entropy"),
}
ON_FOLDS = ("BayesNet-K2-P3", "BayesNet-K2-P2-MDL", "BayesNet-HillClimber")
"""The others differ by their structure alone, which the networks of all rows show; TAN has a test of its own."""


@pytest.mark.skipif(not SETS, reason=ABSENT)
@pytest.mark.parametrize("name", SETS)
def test_networks_and_distributions_are_the_same(name: str) -> None:
    reference = stored(name)
    on_all = predictions(WEKA / f"{name}.full.csv.gz", SCHEMES)
    on_folds = predictions(WEKA / f"{name}.cv.csv.gz", ON_FOLDS)
    for title, learner in SCHEMES.items():
        model = learner.fit(reference.table)
        assert largest_difference(model.predict_proba(reference.table), on_all[title]) < 1e-13
        printed = printed_network(reference.schemes[title]["model"])
        found = {node: " ".join(own) for node, own in model.parents_.items()}
        silent = printed.keys() - found.keys()  # numbers without a cut: crake has no variable for them
        assert found == {node: without(own, silent) for node, own in printed.items() if node in found}
    for title in ON_FOLDS:
        folds = crake.evaluate(SCHEMES[title], reference.table, plan=reference.plan).out_of_fold.probabilities
        assert largest_difference(folds, on_folds[title]) < 1e-13


def without(own: str, names: Iterable[str]) -> str:
    for name in names:
        own = own.removesuffix(f" {name}")
    return own


def printed_network(text: str) -> dict[str, str]:
    """The parents of each node as WEKA prints them, in the order added."""
    lines = text.partition("Network structure (nodes followed by parents)\n")[2].partition("LogScore")[0]
    nodes = re.findall(r"^(.+)\(\d+\): ?(.*)$", lines, re.MULTILINE)
    return {name: own.strip() for name, own in nodes}
