"""Bayesian networks: queries beside pyAgrum and pgmpy, where they are installed; EM and BIF alone.

A venv of its own with crake's dependencies, pyAgrum and pgmpy compares them in one process.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import crake

NODES, TIMES = 40, 30


def main() -> None:
    for levels, width in ((2, 4), (2, 8), (3, 4), (3, 8)):
        _queries(levels, width)
    _learning()
    _exchange()


def made(levels: int, width: int, seed: int = 1) -> crake.BayesNetwork:
    """A chain in which each variable has up to three parents among the `width` before it."""
    random = np.random.default_rng(seed)
    arcs = []
    for child in range(1, NODES):
        first = max(0, child - width)
        parents = random.choice(np.arange(first, child), min(child - first, 3), replace=False).tolist()
        if child >= width and first not in parents:
            parents[0] = first
        arcs += [(f"x{parent}", f"x{child}") for parent in sorted(parents)]
    names = [f"x{at}" for at in range(NODES)]
    parents_of = {name: [a for a, b in arcs if b == name] for name in names}
    tables = {}
    for name in names:
        table = random.random([levels] * (len(parents_of[name]) + 1)) + 0.05
        tables[name] = table / table.sum(axis=-1, keepdims=True)
    return crake.BayesNetwork.from_tables(
        arcs, tables, levels={name: [f"l{k}" for k in range(levels)] for name in names}
    )


def _queries(levels: int, width: int) -> None:
    net = made(levels, width)
    given = [{"x0": f"l{k % levels}", "x39": f"l{(k + 1) % levels}"} for k in range(TIMES)]
    plan = net.model_.plan(net.model_.places(["x20"]), net.model_.evidence(given[0]))
    width_found = max(len(step.scope) for step in plan.eliminations)
    print(f"  {NODES} variables of {levels} levels, width {width_found}, {plan.cells:,} cells")

    def first(each: dict[str, str]) -> np.ndarray:
        model = net.model_.with_tables(net.model_.tables)  # it has no plan yet
        return model.posterior(model.places(["x20"]), model.evidence(each))

    ways: dict[str, Callable[[dict[str, str]], Any]] = {
        "crake, the first query": first,
        "crake, later queries": lambda each: net.query("x20", each).probabilities,
        **_pyagrum(net),
        **_pgmpy(net),
    }
    best = dict.fromkeys(ways, np.inf)
    for each in given:
        answers = []
        for name, way in ways.items():
            if name.startswith("pgmpy") and each is not given[0]:
                continue
            start = time.process_time()
            answers.append(np.asarray(way(each)))
            best[name] = min(best[name], time.process_time() - start)
        assert max(np.abs(answer - answers[0]).max() for answer in answers) < 1e-9
    for name, seconds in best.items():
        print(f"    {name:24} {seconds * 1e3:8.2f} ms  {seconds / best['crake, the first query']:6.2f}")


def _pyagrum(net: crake.BayesNetwork) -> dict[str, Callable[[dict[str, str]], Any]]:
    try:
        import pyagrum as gum  # noqa: PLC0415 (it may not be there)
    except ImportError:
        print("    pyAgrum is not installed")
        return {}
    other = gum.BayesNet()
    for name in net.graph.names:
        other.add(gum.LabelizedVariable(name, name, list(net.levels(name))))
    for parent, child in net.graph.arcs:
        other.addArc(parent, child)
    for at, name in enumerate(net.graph.names):
        parents = [net.graph.names[p] for p in net.graph.parents[at]]
        table = net.conditional(name).probabilities
        for key in np.ndindex(table.shape[:-1]):
            other.cpt(name)[dict(zip(parents, map(int, key), strict=True))] = table[key].tolist()

    def kept() -> Callable[[dict[str, str]], Any]:
        inference = gum.LazyPropagation(other)
        inference.addTarget("x20")

        def ask(each: dict[str, str]) -> Any:
            inference.setEvidence(each)
            inference.makeInference()
            return inference.posterior("x20").toarray()

        return ask

    return {
        "pyAgrum getPosterior": lambda each: gum.getPosterior(other, target="x20", evs=each).toarray(),
        "pyAgrum, engine kept": kept(),
    }


def _pgmpy(net: crake.BayesNetwork) -> dict[str, Callable[[dict[str, str]], Any]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pgmpy.inference import VariableElimination  # noqa: PLC0415 (it may not be there)
            from pgmpy.readwrite import BIFReader  # noqa: PLC0415
    except ImportError:
        print("    pgmpy is not installed")
        return {}
    inference = VariableElimination(BIFReader(string=net.to_bif()).get_model())

    def ask(each: dict[str, str]) -> Any:
        answer = inference.query(["x20"], evidence=each, show_progress=False)
        return [answer.get_value(x20=level) for level in net.levels("x20")]

    return {"pgmpy query": ask}


def _learning() -> None:
    net = made(3, 4)
    frame = net.sample(20_000).to_pandas()
    start = time.process_time()
    crake.BayesNetwork(net.arcs).fit(frame)
    print(f"  tables of 20,000 x {NODES} rows counted: {time.process_time() - start:.2f} s")
    holed = frame.iloc[:2_000].mask(np.random.default_rng(1).random((2_000, NODES)) < 0.05)
    start = time.process_time()
    learned = crake.BayesNetwork(net.arcs).fit(holed)
    seconds = time.process_time() - start
    steps = len(learned.objective_)
    print(f"  EM, 2,000 rows, 5 % missing: {seconds:.2f} s, {steps} steps, {seconds / steps:.3f} s a step")


def _exchange() -> None:
    text = made(3, 8).to_bif()
    start = time.process_time()
    crake.read_bif(text)
    print(f"  BIF of {len(text) / 1e3:.0f} kB read: {(time.process_time() - start) * 1e3:.1f} ms")
