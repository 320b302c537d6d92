"""Kernels that are interpreted while they are cold: equal bits, and compiled once they are hot."""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.laws.arrays import assert_same_bits

import crake
import crake.kernels
from crake import (
    AODEClassifier,
    C45Classifier,
    CARTClassifier,
    CHAIDClassifier,
    NaiveBayesClassifier,
    OneRuleClassifier,
    TANClassifier,
)
from crake.kernels import Kernel, cache
from crake.kernels.bayes import leave_one_out as loo
from crake.kernels.bayes import one_dependence, posterior, tree_posteriors
from crake.kernels.bayes.one_dependence_factors import fill_factors
from crake.kernels.bayes.pair_likelihoods import pair_likelihoods
from crake.kernels.chaid.chi_square import log_gamma
from crake.kernels.chaid.columns import merge_columns
from crake.kernels.discretize.holte_buckets import holte_buckets
from crake.kernels.discretize.mdl import mdl_cuts
from crake.kernels.statistics import distinct
from crake.kernels.tiered import tiered
from crake.kernels.tree import contributions, partition, traverse
from crake.kernels.tree.pruning.pessimistic_pruning import prune_pessimistic
from crake.kernels.tree.pruning.prune_with_leaves import prune_with_leaves
from crake.kernels.tree.surrogate_routing import send_missing
from crake.learners.ensemble.shapley import mean_contributions
from crake.learners.naive_bayes.leave_one_out import leave_one_out
from crake.table.convert.frames import from_frame
from crake.table.examples import load
from crake.table.table import Table

CHAID = [
    CHAIDClassifier(variant=variant, statistic=statistic, min_samples_split=4, min_samples_leaf=2, missing=missing)
    for variant in ("kass", "pypi-chaid")
    for statistic in ("pearson", "likelihood")
    for missing in ("category", "fractional")
]
PRUNED = [C45Classifier(), C45Classifier(confidence=0.4, raising=False)]


def chaid_trees(table: Table) -> dict[str, Any]:
    return trees(CHAID, table)


def pruned_trees(table: Table) -> dict[str, Any]:
    return trees(PRUNED, table)


def trees(learners: list[Any], table: Table) -> dict[str, Any]:
    models = {repr(learner): learner.fit(table) for learner in learners}
    tests = {f"tests of {name}": getattr(model, "significance_", None) for name, model in models.items()}
    return {name: model.tree_ for name, model in models.items()} | tests


def tree_probabilities(table: Table) -> dict[str, Any]:
    """Fractions of rows whose value is missing, surrogates, thresholds and groups of names, weighted and not."""
    weights = np.arange(len(table)) % 4 / 3
    results: dict[str, Any] = {}
    for learner in (C45Classifier(), CARTClassifier()):
        for name, weight in (("rows", None), ("weights", weights)):
            model = clone(learner).fit(table, sample_weight=weight)
            results |= {f"{learner!r} {name}": model.tree_, f"{learner!r} of {name}": model.probabilities(table)}
    return results


def tree_contributions(table: Table) -> dict[str, Any]:
    """The shares of the columns in the predictions of a complete row and of rows with gaps."""
    models = [C45Classifier().fit(table), CARTClassifier(max_depth=3).fit(table)]
    return {str(at): mean_contributions(models, table.take([at])).columns for at in (0, 5)}


def bayes_probabilities(table: Table) -> Any:
    """All rows at once, and in two parts, so that moments are merged."""
    rows = np.arange(len(table))
    parts = NaiveBayesClassifier().fit(table.take(rows[::2])).partial_fit(table.take(rows[1::2]))
    return {"at once": NaiveBayesClassifier().fit(table).probabilities(table), "parts": parts.probabilities(table)}


def one_rules(table: Table) -> Any:
    return {str(size): OneRuleClassifier(min_bucket=size).fit(table).probabilities(table) for size in (1, 3, 6)}


def left_out_rows(table: Table) -> Any:
    return leave_one_out(NaiveBayesClassifier().fit(table), table)


def semi_naive_probabilities(table: Table) -> Any:
    """Numbers are cut by both criteria, products are of ordinary factors and of small ones, which are raised."""
    learners = {"AODE": AODEClassifier(), "small factors": AODEClassifier(1e-30), "TAN": TANClassifier()}
    cuts = crake.Discretizer(criterion="kononenko").fit(table).cuts_ if table.schema.numeric else {}
    return {"cuts": cuts} | {name: learner.fit(table).probabilities(table) for name, learner in learners.items()}


WORKS: dict[Callable[[Table], Any], tuple[Any, ...]] = {
    chaid_trees: (merge_columns,),
    pruned_trees: (prune_pessimistic, prune_with_leaves),
    left_out_rows: (loo._nominal, loo._merge, loo._block_moments, loo._running, loo._numeric, loo._normalise_rows),
    bayes_probabilities: (posterior._posteriors,),
    one_rules: (holte_buckets, distinct._by_key, distinct._runs, distinct._merged_pairs),
    tree_probabilities: (partition.take_thresholds, partition.take_branches, send_missing, traverse._mix),
    semi_naive_probabilities: (
        mdl_cuts, one_dependence._products, fill_factors, pair_likelihoods, tree_posteriors._tree_posteriors,
    ),
    tree_contributions: (contributions.find_heights, contributions.add_contributions),
}  # fmt: skip
"""Works, each with the kernels that it runs: bits that one of them changes are seen in the result."""
TIERED = {kernel for kernels in WORKS.values() for kernel in kernels}


@pytest.fixture(scope="module")
def tables() -> list[Table]:
    """Numbers, names, both with gaps, and names of many values in three classes."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 150)
    many = (rng.integers(0, 5, 150) + 4 * y).astype(object)
    number = np.where(rng.random(150) < 0.1, np.nan, rng.normal(size=150) + y)
    names = np.where(rng.random(150) < 0.1, None, np.array([f"n{value}" for value in many], object))
    # Large in every second row only: two parts are scaled by different powers of two before they are squared.
    large = rng.normal(size=150) * np.where(np.arange(150) % 2, 1e200, 1.0)
    columns = {"name": names, "number": number, "large": large, "y": np.array(list("abc"))[y]}
    return [load("golf"), load("iris"), from_frame(pd.DataFrame(columns), target="y")]


def kernels_of(modules: list[ModuleType]) -> set[Kernel]:
    return {value for module in modules for value in vars(module).values() if isinstance(value, Kernel)}


@pytest.fixture
def cold() -> Iterator[None]:
    """Have every kernel interpreted that an interpreted one calls."""
    rooms = tuple(
        f"crake.kernels.{room}" for room in ("bayes", "chaid", "discretize", "tree", "small_sort", "statistics")
    )
    kernels = kernels_of([module for name, module in sys.modules.items() if name.startswith(rooms)]) - TIERED
    for kernel in kernels:
        kernel.call_on(kernel.run)
    yield
    for kernel in TIERED:
        kernel.call_on(kernel.run)


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.__name__)
@pytest.mark.usefixtures("cold")
def test_interpreted_and_compiled_kernels_give_equal_bits(work: Callable[[Table], Any], tables: list[Table]) -> None:
    for table in tables:
        results = []
        for is_compiled in (False, True):
            for kernel in WORKS[work]:
                kernel.call_on(kernel.compiled() if is_compiled else kernel.interpret)
            results.append({"result": work(table)})
        assert_same_bits(*results)


def test_every_tiered_kernel_is_compared() -> None:
    folder = Path(crake.kernels.__file__).parent
    names = {
        node.name
        for file in folder.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and "tiered(" in "".join(map(ast.unparse, node.decorator_list))
    }
    assert names == {kernel.__name__ for kernel in TIERED}


def test_a_hot_kernel_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls are interpreted up to the steps allowed; whatever comes later, also in another process, is compiled."""
    marks, kinds = set(), []
    monkeypatch.setattr(cache, "has_mark", marks.__contains__)
    monkeypatch.setattr(cache, "set_compiled", marks.add)

    def fresh() -> Any:
        @tiered(lambda n: n, most=5)
        def squared(n: int) -> int:
            kinds.append("interpreted")
            return n * n

        squared._compiled = lambda _: kinds.append("compiled")
        return squared

    first = fresh()
    for steps in (3, 3, 2, 1):
        first(steps)
    assert kinds == ["interpreted", "compiled", "compiled", "compiled"]
    kinds.clear()
    fresh()(1)
    assert kinds == ["compiled"]
    marks.clear()
    kinds.clear()
    heated = fresh()
    heated.heat()
    heated(0)
    assert kinds == ["compiled"]


def test_the_gamma_function_agrees_with_pythons() -> None:
    for x in (0.5, 1.0, 1.5, 2.0, 7.5, 30.0, 99.5, 100.0, 100.5, 171.0, 4000.5):
        assert log_gamma(x) == pytest.approx(math.lgamma(x), rel=3e-15, abs=1e-15)
