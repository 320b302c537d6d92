"""A Bayesian network in a model file: the same answers, and every fault of its parts refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.learners.network.networks import CHILD, campfire, network
from tests.modelfile.repaired import parts

import crake
from crake.errors import CrakeError, ModelFileError
from crake.modelfile import container, describe
from crake.modelfile.writing import model_bytes

IRIS = crake.read("iris")
CUT = crake.BayesNetwork([("sepal width (cm)", "petal width (cm)")], bins=3, alpha=0.5).fit(IRIS)


@pytest.mark.parametrize("net", [campfire(), network(CHILD), CUT], ids=repr)
def test_the_loaded_network_gives_the_same_answers(net: Any, tmp_path: Path) -> None:
    crake.save(net, tmp_path / "n.crake")
    loaded = crake.load(tmp_path / "n.crake")
    assert loaded.parameters() == net.parameters()
    assert loaded.graph == net.graph
    name = net.graph.names[-1]
    assert loaded.query(name).values() == net.query(name).values()
    assert loaded.model_.columns == net.model_.columns
    assert all((a == b).all() for a, b in zip(loaded.model_.tables, net.model_.tables, strict=True))
    assert model_bytes(loaded) == model_bytes(net)
    assert describe(tmp_path / "n.crake").learner == "BayesNetwork"


def test_a_network_without_variables_is_kept(tmp_path: Path) -> None:
    crake.save(crake.BayesNetwork.from_tables([], {}), tmp_path / "n.crake")
    assert crake.load(tmp_path / "n.crake").probability({}) == 1


def test_numbers_fall_in_the_same_intervals(tmp_path: Path) -> None:
    crake.save(CUT, tmp_path / "n.crake")
    given = {"petal width (cm)": 0.2}
    loaded = crake.load(tmp_path / "n.crake")
    assert loaded.query("sepal width (cm)", given).values() == CUT.query("sepal width (cm)", given).values()


def forged(parameters: dict[str, Any], **tensors: Any) -> bytes:
    document, found = parts(model_bytes(CUT))
    document.pop("sha256")
    document["model"]["parameters"] |= parameters
    return container.packed(document, {**found, **tensors})


A, B = "sepal width (cm)", "petal width (cm)"
WHOLE = np.concatenate([table.ravel() for table in CUT.model_.tables])


@pytest.mark.parametrize(
    ("parameters", "tensors", "said"),
    [
        ({}, {"probabilities": WHOLE[:-1]}, "11 cells; expected 12"),
        ({}, {"probabilities": WHOLE * 0.5}, "sum to 1"),
        ({}, {"probabilities": -WHOLE}, "finite numbers from 0 to 1"),
        ({}, {"probabilities": np.where(WHOLE > 0.3, np.nan, WHOLE)}, "finite numbers from 0 to 1"),
        ({}, {"cuts": np.zeros(4)}, "do not ascend"),
        ({}, {"widths": np.array([1, 3], np.int64)}, "do not fit the levels"),
        ({}, {"columns": np.array([0, 0], np.int64)}, "each column once"),
        ({}, {"columns": np.array([0, -1], np.int64)}, "numbers from 0 to 1"),
        ({"arcs": [{"tuple": [A, B]}, {"tuple": [B, A]}]}, {}, "without a cycle"),
        ({"arcs": []}, {}, "the variables of the arcs"),
        ({"arcs": [{"tuple": [A, B]}, {"tuple": [A, B]}]}, {}, "each arc once"),
        ({"arcs": [{"tuple": [A, 7]}]}, {}, "names of variables"),
        ({"arcs": 7}, {}, "expected arcs as a list, got 7"),
        ({"variables": ["x"]}, {}, "the variables of the arcs"),
        ({"variables": [f"x{k}" for k in range(10_001)]}, {}, "at most 10,000"),
        ({"variables": [[1]]}, {}, "names of variables, got"),
        ({"alpha": -1}, {}, "alpha"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parameters: Any, tensors: Any, said: str, tmp_path: Path) -> None:
    (tmp_path / "n.crake").write_bytes(forged(parameters, **tensors))
    with pytest.raises(ModelFileError, match=said):
        crake.load(tmp_path / "n.crake")


def test_a_network_is_no_part_of_a_learner(tmp_path: Path) -> None:
    document, found = parts(model_bytes(crake.Calibrated(crake.NaiveBayesClassifier()).fit(IRIS)))
    document.pop("sha256")
    document["model"]["parameters"]["learner"] = {"learner": {"learner": "BayesNetwork", "parameters": {}}}
    (tmp_path / "n.crake").write_bytes(container.packed(document, found))
    with pytest.raises(ModelFileError, match="holds a learner 'BayesNetwork'"):
        crake.load(tmp_path / "n.crake")
    with pytest.raises(CrakeError, match="not fitted"):
        crake.save(crake.BayesNetwork([("a", "b")]), tmp_path / "m.crake")
