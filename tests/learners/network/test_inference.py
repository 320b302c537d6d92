"""Exact inference against pyAgrum 3.3.1 and pgmpy 1.1.2 (which agree to 1e-12), and against summing over all rows."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from tests.learners.network.networks import ASIA, CANCER, CHILD, campfire, network

import crake
from crake.errors import CrakeError
from crake.learners.network.graph import Graph
from crake.learners.network.inference import ordering
from crake.learners.network.inference.ordering import bits_of, cheapest_order, elimination_order, moral_graph
from crake.learners.network.inference.patterns import patterns
from crake.learners.network.inference.plan import plan_query
from crake.learners.network.model import NetworkModel
from crake.table.schema import Column, Kind

NETWORKS = {"CANCER": network(CANCER), "ASIA": network(ASIA), "CHILD": network(CHILD)}
SICK_CHILD = {
    "LowerBodyO2": "<5",
    "RUQO2": "12+",
    "CO2Report": "<7.5",
    "XrayReport": "Asy/Patchy",
    "GruntingReport": "yes",
    "LVHreport": "no",
    "Age": "0-3_days",
}
EXPECTED = [
    ("CANCER", "Cancer", {}, [0.01163, 0.98837]),
    ("CANCER", "Cancer", {"Xray": "positive"}, [0.050288025905516, 0.949711974094484]),
    ("CANCER", "Smoker", {"Xray": "positive", "Dyspnoea": "True"}, [0.348532465027626, 0.651467534972374]),
    ("CANCER", "Pollution", {"Smoker": "True"}, [0.9, 0.1]),
    ("ASIA", "lung", {}, [0.055, 0.945]),
    ("ASIA", "dysp", {}, [0.4359706, 0.5640294]),
    ("ASIA", "lung", {"dysp": "yes", "asia": "yes"}, [0.0995251450945545, 0.900474854905446]),
    ("ASIA", "tub", {"xray": "yes", "smoke": "no"}, [0.147977619836899, 0.852022380163101]),
    ("ASIA", "either", {"asia": "yes", "bronc": "no"}, [0.0905909090909091, 0.909409090909091]),
    ("ASIA", "smoke", {"dysp": "yes", "xray": "no"}, [0.604666116417938, 0.395333883582062]),
    ("CHILD", "Disease", {}, [0.047551016, 0.333061221, 0.291326533, 0.226224492, 0.050918369, 0.050918369]),
    (
        "CHILD",
        "Disease",
        {"LowerBodyO2": "<5", "CO2Report": ">=7.5"},
        [
            0.0553262021529567, 0.356732261752876, 0.242874310500233,
            0.191477011069029, 0.0714054936270961, 0.0821847208978094,
        ],
    ),
    (
        "CHILD",
        "Disease",
        SICK_CHILD,
        [
            0.193914526737651, 0.216575268639952, 0.123049401541288,
            0.0461903095175976, 0.0897627832572438, 0.330507710306268,
        ],
    ),
    ("CHILD", "HypDistrib", {"Age": "11-30_days", "XrayReport": "Oligaemic"}, [0.943765924638144, 0.056234075361856]),
    (
        "CHILD",
        "LungFlow",
        {"Sick": "yes", "DuctFlow": "None"},
        [0.265935920916768, 0.139503593421274, 0.594560485661958],
    ),
    ("CHILD", "Age", {"GruntingReport": "yes"}, [0.687855507289141, 0.167472003331807, 0.144672489379051]),
    (
        "CHILD",
        "ChestXray",
        {"Disease": "Fallot", "Grunting": "no"},
        [0.232397342995169, 0.590985507246377, 0.0614166666666667, 0.0456340579710145, 0.0695664251207729],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "variable", "given", "expected"), EXPECTED, ids=lambda each: json.dumps(each)[:60])
def test_posteriors_equal_those_of_pyagrum_and_pgmpy(name, variable, given, expected):
    answer = NETWORKS[name].query(variable, given)
    assert np.abs(np.array(answer.values()) - expected).max() < 1e-12
    workings = answer.explain()
    assert [value for _, value in workings.answer] == answer.values()
    assert f"{answer.values()[0]:.4g}" in str(workings.sections[-1].steps[0])


def test_joint_most_probable_and_evidence_equal_those_of_pgmpy_and_pyagrum():
    child = NETWORKS["CHILD"]
    joint = child.query(["Disease", "Sick"], SICK_CHILD)
    assert joint["Lung", "yes"] == pytest.approx(0.2551094999145046, abs=1e-12)
    assert joint["PFC", "no"] == pytest.approx(0.09687831960554379, abs=1e-12)
    assert child.probability(SICK_CHILD) == pytest.approx(0.0009513540145292652, abs=1e-15)
    best = child.most_probable(SICK_CHILD)
    assert best.levels == {
        "Sick": "yes", "CardiacMixing": "None", "CO2": "Normal", "LungFlow": "Normal", "HypoxiaInO2": "Mild",
        "Disease": "Lung", "Grunting": "yes", "ChestXray": "Asy/Patch", "HypDistrib": "Unequal", "DuctFlow": "Rt_to_Lt",
        "LVH": "no", "BirthAsphyxia": "no", "LungParench": "Abnormal",
    }  # fmt: skip
    whole = child.probability({**best.levels, **SICK_CHILD})
    assert best.probability == pytest.approx(whole / child.probability(SICK_CHILD), rel=1e-12)


def test_campfire_as_the_lectures_have_it():
    net = campfire()
    for storm, bus, expected in [(True, True, 0.4), (True, False, 0.1), (False, True, 0.8), (False, False, 0.2)]:
        assert net.query("Campfire", given={"Storm": storm, "BusTourGroup": bus})[True] == pytest.approx(expected)
    answer = net.query("Campfire", given={"Storm": True})
    assert repr(answer) == "P(Campfire | Storm = True): False 0.75, True 0.25"
    assert "f1(Campfire = True) = 0.5 × 0.1 + 0.5 × 0.4 = 0.25" in str(answer.explain())
    assert "<details>" in answer._repr_html_()
    assert net.query("Campfire", given={"Storm": None}).values() == net.query("Campfire").values()


def random_model(seed: int, count: int = 6, most_levels: int = 3) -> NetworkModel:
    """A random network, some of its probabilities 0."""
    random = np.random.default_rng(seed)
    parents = [
        tuple(sorted(random.choice(at, min(at, int(random.integers(0, 3))), replace=False))) for at in range(count)
    ]
    sizes = random.integers(1, most_levels + 1, count)
    graph = Graph(tuple(f"x{at}" for at in range(count)), tuple(tuple(map(int, own)) for own in parents))
    tables = []
    for at in range(count):
        table = random.random([sizes[v] for v in (*graph.parents[at], at)]) + 0.01
        table[random.random(table.shape) < 0.15] = 0
        table[..., 0] += 0.05
        tables.append(table / table.sum(axis=-1, keepdims=True))
    columns = tuple(Column(f"x{at}", Kind.NOMINAL, tuple(map(str, range(size)))) for at, size in enumerate(sizes))
    return NetworkModel(graph, columns, tuple(tables))


def whole_joint(model: NetworkModel) -> np.ndarray:
    """P of every complete row, by the definition."""
    joint = np.ones(model.sizes)
    for row in itertools.product(*map(range, model.sizes)):
        for at, own in enumerate(model.graph.parents):
            joint[row] *= model.tables[at][tuple(row[v] for v in (*own, at))]
    return joint


@pytest.mark.parametrize("seed", range(12))
def test_every_query_equals_the_sum_over_all_rows(seed):
    model = random_model(seed)
    joint = whole_joint(model)
    random = np.random.default_rng(seed)
    for _ in range(8):
        shuffled = random.permutation(len(model.graph)).tolist()
        targets, seen = shuffled[: random.integers(1, 3)], shuffled[3 : 3 + random.integers(0, 4)]
        evidence = {at: int(random.integers(model.sizes[at])) for at in seen}
        cut = joint[tuple(slice(evidence[at], evidence[at] + 1) if at in evidence else slice(None) for at in range(6))]
        assert model.log_probability(evidence) == pytest.approx(np.log(cut.sum()) if cut.sum() else -np.inf, abs=1e-10)
        if cut.sum() == 0:
            with pytest.raises(CrakeError, match="probability 0"):
                model.posterior(targets, evidence)
            with pytest.raises(CrakeError, match="probability 0"):
                model.most_probable(evidence)
            continue
        others = tuple(at for at in range(6) if at not in targets)
        plain = np.transpose(cut.sum(axis=others), np.argsort(np.argsort(targets)))
        assert np.abs(model.posterior(targets, evidence) - plain / plain.sum()).max() < 1e-12
        levels, log_p = model.most_probable(evidence)
        assert log_p == pytest.approx(np.log(cut.max()), abs=1e-10)
        assert joint[tuple({**levels, **evidence}[at] for at in range(6))] == pytest.approx(cut.max(), rel=1e-12)


def test_a_thousand_observed_variables_do_not_underflow():
    arcs = [(f"x{at}", f"x{at + 1}") for at in range(1500)]
    table = np.array([[0.001, 0.999], [0.999, 0.001]])
    tables = {"x0": np.array([0.5, 0.5]), **{child: table for _, child in arcs}}
    net = crake.BayesNetwork.from_tables(arcs, tables, levels={name: ["a", "b"] for name in tables})
    given = {f"x{at}": "a" for at in range(1, 1501)}
    assert net.model_.log_probability(net.model_.evidence(given)) == pytest.approx(np.log(0.001) * 1499 + np.log(0.5))
    assert net.query("x0", given)["a"] == pytest.approx(0.001)
    assert net.most_probable(given)["x0"] == "b"


def star(count: int, tables: list[dict[bool, float]]) -> crake.BayesNetwork:
    """A network of one variable with many children, whose tables alternate."""
    children = {f"x{at}": tables[at % len(tables)] for at in range(count)}
    return crake.BayesNetwork.from_tables([("r", child) for child in children], {"r": 0.5, **children})


def test_a_thousand_children_do_not_underflow_in_one_factor():
    model = star(1100, [{True: 0.5, False: 0.5}]).model_
    levels, log_p = model.most_probable({})
    assert not any(levels.values())
    assert log_p == pytest.approx(np.log(0.5) * 1101)
    assert "every row has probability 0" in model._impossible({})


def test_a_calculation_too_small_to_write_is_shown_up_to_a_factor():
    children = {f"x{at}": {True: 0.01, False: 0.01 if at else 0.02} for at in range(500)}
    arcs = [("q", "r"), *(("r", child) for child in children)]
    net = crake.BayesNetwork.from_tables(arcs, {"q": 0.5, "r": {True: 0.9, False: 0.2}, **children})
    answer = net.query("q", dict.fromkeys(children, True))
    assert answer[True] == pytest.approx((0.9 + 0.1 * 2) / (0.9 + 0.1 * 2 + 0.2 + 0.8 * 2))
    workings = answer.explain()
    assert str(workings.sections[-1].steps[1]).endswith("0.6111 / 1.611 = 0.3793")
    assert "divided by its largest cell" in str(workings.sections[1].steps[0])
    assert "(0.5 × 0.6111) / largest cell = 0.6111" in str(workings)
    assert workings.notes[0].startswith("factors are divided")


def test_evidence_that_speaks_both_ways_is_weighed_whatever_its_order():
    model = star(700, [{True: 0.001, False: 0.0001}, {True: 0.0001, False: 0.001}]).model_
    given = {model.graph.place(f"x{at}"): 1 for at in range(700)}
    assert model.posterior((model.graph.place("r"),), given) == pytest.approx([0.5, 0.5])


def test_far_evidence_is_possible_unless_a_sum_that_fits_says_no(monkeypatch):
    tables = {"t": 0.5, "e": {True: 0.5, False: 0.1}, "a": 0.5, "b": 0.5, "c": {True: 0.5, False: 0.5}}
    tables["d"] = {(a, b, c): 0 if a else 0.5 for a, b, c in itertools.product([True, False], repeat=3)}
    arcs = [("t", "e"), ("a", "d"), ("b", "d"), ("c", "d"), ("a", "c")]
    net = crake.BayesNetwork.from_tables(arcs, tables)
    assert net.query("t", {"e": True, "d": True})[True] == pytest.approx(5 / 6)
    with pytest.raises(CrakeError, match="which has probability 0"):
        net.query("t", {"d": True, "a": True})
    monkeypatch.setattr("crake.learners.network.inference.plan.MOST_CELLS", 3)
    fresh = crake.BayesNetwork.from_tables(arcs, tables)
    assert fresh.query("t", {"e": True, "d": True})[True] == pytest.approx(5 / 6)


def test_a_grid_is_swept_and_a_large_star_planned_by_differences(monkeypatch):
    rows, columns = 8, 12
    place = np.arange(rows * columns).reshape(rows, columns)
    families = [(int(place[i, j]), *place[i - 1 : i, j], *place[i, j - 1 : j]) for i, j in np.ndindex(place.shape)]
    monkeypatch.setattr(ordering, "LARGE", 0)
    sizes = [2] * place.size
    order = cheapest_order(
        moral_graph([tuple(map(int, own)) for own in families], place.size), sizes, place.ravel().tolist(), 2**11
    )
    assert sorted(at for at, _ in order) == place.ravel().tolist()
    assert max(neighbours.bit_count() for _, neighbours in order) <= rows + 1
    calls = []
    plain = ordering._fill
    monkeypatch.setattr(ordering, "_fill", lambda at, adjacent: calls.append(at) or plain(at, adjacent))
    center = moral_graph([(0,), *((0, at) for at in range(1, 300))], 300)
    assert len(elimination_order(center, [2] * 300, range(300), 2**26)) == 300
    assert calls.count(0) == 1


@pytest.mark.parametrize("by_weight", [False, True])
def test_the_next_variable_is_the_cheapest_of_all_that_are_left(by_weight):
    for seed in range(8):
        model = random_model(seed, 14)
        adjacent = moral_graph([(*own, at) for at, own in enumerate(model.graph.parents)], 14)
        left = set(range(1, 14))
        for at, neighbours in elimination_order(adjacent, model.sizes, left, 2**26, by_weight=by_weight):
            costs = {}
            for each in left:
                lacking = ordering._fill(each, adjacent)
                cells = model.sizes[each] * np.prod([model.sizes[v] for v in bits_of(adjacent[each])])
                costs[each] = (cells, lacking, each) if by_weight else (lacking, cells, each)
            assert (at, neighbours) == (min(left, key=costs.get), adjacent[at])
            left.remove(at)
            for other in bits_of(neighbours):
                adjacent[other] = (adjacent[other] | neighbours) & ~(1 << other) & ~(1 << at)
        assert not left


def test_factors_that_are_kept_are_bounded_together(monkeypatch):
    net = NETWORKS["ASIA"].model_
    monkeypatch.setattr("crake.learners.network.inference.plan.MOST_KEPT", 23)
    assert net.most_probable({})[1] < 0  # a byte for each best level, not eight for each cell
    monkeypatch.setattr("crake.learners.network.inference.plan.MOST_KEPT", 8)
    with pytest.raises(CrakeError, match="the most probable explanation would keep"):
        net.most_probable({})
    codes = np.full((3, len(net.graph)), -1, np.int32)
    with pytest.raises(CrakeError, match="EM on a row with missing values would keep"):
        next(patterns(net.graph, net.sizes, codes, np.ones(3)))
    plan = net.plan((), {}, prune=False)
    monkeypatch.undo()
    monkeypatch.setattr("crake.learners.network.inference.patterns.MOST_KEPT_BATCH", 2 * plan.cells)
    assert [len(group.rows) for group in patterns(net.graph, net.sizes, codes, np.ones(3))] == [2, 1]


def test_a_query_that_would_not_fit_is_refused_before_it_starts():
    names = [f"x{at}" for at in range(60)]
    arcs = [(a, b) for k, b in enumerate(names) for a in names[max(0, k - 12) : k : 4]]
    arcs += [("x0", "x59"), ("x10", "x50"), ("x20", "x40"), ("x5", "x55"), ("x30", "x48")]
    graph = Graph.of_arcs(dict.fromkeys(arcs), names)
    columns = tuple(Column(name, Kind.NOMINAL, tuple(map(str, range(40)))) for name in names)
    model = NetworkModel(graph, columns, tuple(np.zeros(1) for _ in names))  # the plan is made without the tables
    with pytest.raises(CrakeError, match=r"would take a factor of [\d,]+ cells over \d+ variables"):
        model.plan((3,), {59: 0})
    with pytest.raises(CrakeError, match="joint distribution of 6 variables has 4,096,000,000 cells"):
        NetworkModel(Graph(tuple(names), ((),) * 60), columns, model.tables).plan(range(6), {})


@pytest.mark.parametrize(
    ("levels", "message"), [(1, "70 variables has 1 cells"), (10**6, r"70 variables has about 10\^420 cells")]
)
def test_a_query_of_too_many_variables_is_refused(levels, message):
    with pytest.raises(CrakeError, match=message):
        plan_query(Graph(tuple(f"x{i}" for i in range(70)), ((),) * 70), [levels] * 70, range(70), ())
    hub = Graph.of_arcs([("hub", f"x{i}") for i in range(70)])
    with pytest.raises(CrakeError, match=r"summing out 'hub' would take a factor of .* cells over 71 variables"):
        plan_query(hub, [levels] * 71, range(1, 71), ())


def test_an_answer_of_many_cells_is_shown_in_part():
    names = [f"x{i}" for i in range(8)]
    net = crake.BayesNetwork.from_tables([], dict.fromkeys(names, 0.75))
    answer = net.query(names)
    assert answer.most_probable == (True,) * 8
    assert answer.keys() == list(answer) == list(itertools.product([False, True], repeat=8))
    workings = answer.explain()
    assert len(workings.answer) == 65
    assert workings.answer[-1] == ("… (192 more)", pytest.approx(1 - sum(answer.values()[:64])))
    assert "… (192 more)" in str(workings)
    assert answer._repr_html_().count("more") >= 3
    assert len(net.query(names[:6]).explain().answer) == 64


def typed(table, levels=None):
    return crake.BayesNetwork.from_tables([], {"a": table}, levels=levels)


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT")])
def test_a_missing_value_is_no_evidence(nothing):
    net = campfire()
    assert net.query("Campfire", {"Storm": nothing}).values() == net.query("Campfire").values()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (lambda net: net.query("Campfre"), "no column 'Campfre' in the network. Did you mean 'Campfire'"),
        (lambda net: net.query("Campfire", {"Strom": True}), "Did you mean 'Storm'"),
        (
            lambda net: net.query("Campfire", {"Storm": "Ture"}),
            r"a level of 'Storm' \(False, True\), got 'Ture'. Did you",
        ),
        (lambda net: net.query("Campfire", {"Campfire": True}), "'Campfire' in both"),
        (lambda net: net.query("Campfire", ["Storm"]), "expected given="),
        (lambda net: net.query(None), "the name of a variable, or several, got None"),
        (lambda net: net.query("Campfire", {"Storm": float("inf")}), "a finite number for 'Storm'"),
        (lambda net: crake.read_bif(3), "a path or the text of a network, got int"),
        (lambda net: crake.BayesNetwork.from_tables([], {"a": 1.5}), "from 0 to 1 in the table of 'a', got 1.5"),
        (lambda net: net.most_probable()["Strom"], "no column 'Strom' in the explanation. Did you mean 'Storm'"),
        (lambda net: net.query([]), "one or more variables"),
        (lambda net: net.query(["Storm", "Storm"]), "each once"),
        (lambda net: net.query(["Storm", "Campfire"])["True"], "a level of each"),
        (lambda net: net.sample(-1), "0 or more"),
        (lambda net: net.sample(np.array([3, 4])), r"0 or more, got \[3 4\]"),
        (lambda net: net.sample(10**13), "at most .* got 10,000,000,000,000; draw them in portions"),
        *((lambda net, s=s: net.sample(3, random_state=s), "random_state as a whole") for s in (-1, "x", 1.5)),
        (lambda net: net.query("Campfire", {"Storm": 10**5000}), r"below 10\^300 for 'Storm'"),
        *((lambda net, t=t: crake.BayesNetwork.from_tables([], t), "tables by name") for t in (["a"], None)),
        (lambda net: typed({"x": 0.5, "y": np.nan}), "from 0 to 1 in the table of 'a', got nan"),
        (lambda net: typed({True: 0.5, "True": 0.5, False: 0.5}), "each once"),
        (
            lambda net: typed({"0": 0.5, "1": 0.3, 1: 0.2}, {"a": ["0", "1"]}),
            "each level of 'a' once in a line, got '1'",
        ),
        (lambda net: typed({"x": [0.5], "y": 0.5}), "one probability of 'x'"),
        (lambda net: typed({"x": 0.5, None: 0.5}), "names or numbers as levels of 'a', got NoneType"),
        (lambda net: typed(10**400), "a number above"),
        *((lambda net, v=v: typed([0.5, 0.5], {"a": v}), "a list of levels of 'a'") for v in (3, "xy")),
        *((lambda net, v=v: typed([0.5, 0.5], {"a": [v, "x"]}), "names or numbers") for v in (None, np.nan, ["q"])),
        (lambda net: typed([0.5, 0.5], ["a"]), "levels by name"),
        (
            lambda net: crake.BayesNetwork.from_tables([("a", "b")], {"a": 0.5, "b": {True: 0.1, "true": 0, False: 0}}),
            "each line of the table of 'b' once, got true again",
        ),
        (lambda net: crake.BayesNetwork([("a", "b")]).query("a"), "not fitted"),
        (lambda net: crake.BayesNetwork.from_tables([("a", "b")], {"a": 0.5}), "got none for 'b'"),
        (lambda net: crake.BayesNetwork.from_tables([("a", "b")], {"a": 0.5, "b": {True: 0.1}}), "none for a = False"),
        (lambda net: crake.BayesNetwork.from_tables([], {"a": {"x": 0.5, "y": 0.6}}), "sum to 1"),
        (lambda net: crake.BayesNetwork.from_tables([], {"a": [0.5, 0.5]}), "expected the levels of 'a'"),
    ],
)
def test_bad_questions_are_answered_with_what_was_expected(query, message):
    with pytest.raises(ValueError, match=message):
        query(campfire())


def test_samples_agree_with_the_network():
    child = NETWORKS["CHILD"]
    sample = child.sample(20_000, random_state=3)
    assert sample.schema.names == child.graph.names
    assert (sample.column("Sick") == child.sample(20_000, random_state=3).column("Sick")).all()
    for name in child.graph.names:
        shares = np.bincount(sample.column(name), minlength=len(child.levels(name))) / len(sample)
        expected = np.array(child.query(name).values())
        assert np.abs(shares - expected).max() < 4 * np.sqrt(0.25 / len(sample))
    refitted = crake.BayesNetwork(child.arcs).fit(sample)
    big = np.abs(refitted.conditional("Disease").probabilities - child.conditional("Disease").probabilities)
    assert big.max() < 0.04
