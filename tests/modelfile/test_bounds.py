"""Files whose checksum is right and whose size misleads: time and memory are bounded before anything is built."""

from __future__ import annotations

import contextlib
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.modelfile.repaired import Change, Document, Tensors, changed

import crake
from crake.errors import ModelFileError
from crake.learners.meta.tune.candidates import MOST_CANDIDATES
from crake.modelfile import describe
from crake.modelfile.reading import MOST_LEARNERS
from crake.modelfile.writing import model_bytes
from crake.table.examples import load

GOLF, IRIS = load("golf"), load("iris")
SEARCH = model_bytes(crake.Tuned(crake.OneRuleClassifier(), {"min_bucket": [6, 1]}).fit(IRIS))
BAYES = model_bytes(crake.NaiveBayesClassifier().fit(GOLF))
TREE = model_bytes(crake.C45Classifier().fit(GOLF))
COSTS = model_bytes(crake.WithCutoff(cost=crake.CostMatrix(("No", "Yes"), np.array([[0, 1], [5, 0]]))).fit(GOLF))


def parameter(name: str, value: Any) -> Change:
    return lambda document, tensors: document["model"]["parameters"].update({name: value})


def refusal(data: bytes, change: Change, path: Path) -> str:
    """The message of a file that is refused within a second and 100 MB."""
    path.write_bytes(changed(data, change))
    tracemalloc.start()
    start = time.process_time()
    try:
        with pytest.raises(ModelFileError) as caught:
            crake.load(path)
        assert time.process_time() - start < 10  # with tracemalloc, on a busy machine
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()
    assert path.name in str(caught.value)
    return str(caught.value)


def grid(**values: Any) -> Change:
    return parameter("grid", {"mapping": [[name, value] for name, value in sorted(values.items())]})


def test_a_grid_is_counted_before_it_is_listed(tmp_path: Path) -> None:
    many = list(range(1, 2001))
    bomb = grid(min_bucket=many, probability=many, unseen=many)
    message = refusal(SEARCH, bomb, tmp_path / "bomb.crake")
    assert "8,000,000,000 candidates; expected at most 100,000" in message


def test_distributions_are_counted_before_they_are_sampled(tmp_path: Path) -> None:
    def change(document: Document, tensors: Tensors) -> None:
        mapping = {"mapping": [["min_bucket", list(range(1, 2000))], ["unseen", ["first"] * 2000]]}
        document["model"]["parameters"].update(grid=None, distributions=mapping, n_iter=10**15)

    assert "candidates; expected at most" in refusal(SEARCH, change, tmp_path / "bomb.crake")


def test_learners_in_a_grid_are_bounded(tmp_path: Path) -> None:
    one = {"learner": {"learner": "MajorityClassifier", "parameters": {}}}
    message = refusal(SEARCH, grid(min_bucket=[one] * 60_000), tmp_path / "m.crake")
    assert f"more than {MOST_LEARNERS:,} learners" in message


def test_searches_within_searches_do_not_multiply(tmp_path: Path) -> None:
    """Sixteen searches of a hundred candidates would be 10^32 checks."""
    node: Any = {"learner": "OneRuleClassifier", "parameters": {}}
    for depth in range(12):
        name = "min_bucket" if depth == 0 else "n_iter"
        values = {"mapping": [[name, list(range(1, 101))]]}
        node = {"learner": "Tuned", "parameters": {"learner": {"learner": node}, "grid": values}}
    path = tmp_path / "m.crake"
    path.write_bytes(changed(SEARCH, lambda d, t: d["model"]["parameters"].update(node["parameters"])))
    start = time.process_time()
    with contextlib.suppress(crake.CrakeError):
        crake.load(path)
    assert time.process_time() - start < 5


def test_too_many_candidates_are_an_error_of_fit_too() -> None:
    values = {"min_bucket": range(1, MOST_CANDIDATES), "unseen": ["first", "other"]}
    with pytest.raises(crake.CrakeError, match="candidates; expected at most 100,000"):
        crake.Tuned(crake.OneRuleClassifier(), values).fit(GOLF)


@pytest.mark.parametrize("longest", [1_000_000, 2_000_000])
def test_an_array_of_texts_takes_no_more_than_the_file(longest: int, tmp_path: Path) -> None:
    texts = {"array": ["x" * longest, *[""] * 300_000]}
    message = refusal(BAYES, parameter("nominal", texts), tmp_path / "m.crake")
    assert "an array of 300,001 texts" in message


def test_an_array_of_numbers_and_texts_is_refused(tmp_path: Path) -> None:
    message = refusal(BAYES, parameter("nominal", {"array": ["a", 1, 2]}), tmp_path / "m.crake")
    assert "texts only, or numbers only" in message


def test_arrays_of_texts_still_load(tmp_path: Path) -> None:
    model = crake.NaiveBayesClassifier(nominal=np.array(["outlook", "a long name " * 20])).fit(GOLF)
    crake.save(model, tmp_path / "m.crake")
    assert crake.load(tmp_path / "m.crake").nominal.tolist() == model.nominal.tolist()


def test_a_cost_beyond_the_floats_is_refused(tmp_path: Path) -> None:
    costs = {"costs": [["No", "Yes"], [[0, 10**400], [1, 0]]]}
    message = refusal(COSTS, parameter("cost", costs), tmp_path / "m.crake")
    assert "which no float can hold" in message


@pytest.mark.parametrize("digits", [10**309, -(10**309), 10**4000])
def test_a_whole_number_beyond_the_floats_is_refused_anywhere(digits: int, tmp_path: Path) -> None:
    for data, name in ((BAYES, "alpha"), (TREE, "random_state"), (SEARCH, "n_iter")):
        assert "which no float can hold" in refusal(data, parameter(name, digits), tmp_path / "m.crake")


def test_k_lies_within_what_leaving_one_out_tried(tmp_path: Path) -> None:
    data = model_bytes(crake.NeighborsClassifier("auto").fit(IRIS))

    def shorter(document: Document, tensors: Tensors) -> None:
        tensors["leave_one_out"] = tensors["leave_one_out"][:1].copy()
        document["model"]["state"]["k"] = 6

    def empty(document: Document, tensors: Tensors) -> None:
        tensors["leave_one_out"] = np.zeros(0)

    def not_a_share(document: Document, tensors: Tensors) -> None:
        tensors["leave_one_out"][0] = 1.5

    for change in (shorter, empty, not_a_share):
        assert "leave_one_out" in refusal(data, change, tmp_path / "m.crake")


def test_counts_of_children_agree_with_their_parents(tmp_path: Path) -> None:
    """One changed count gave a row of missing values the probabilities (71.8, 0.64)."""
    for node in range(8):
        for value in (0.0, 500.0):

            def change(document: Document, tensors: Tensors, node: int = node, value: float = value) -> None:
                counts = tensors["tree/counts"]
                counts[node, 0] = value + (value == counts[node, 0])

            message = refusal(TREE, change, tmp_path / "m.crake")
            assert "tree/counts" in message


@pytest.mark.filterwarnings("ignore:the weights of all 400 rows add up to")
def test_trees_with_fractional_weights_still_load(tmp_path: Path) -> None:
    """Missing values share a row out among branches; pruning and raising move the parts."""
    generator = np.random.default_rng(3)
    cells = generator.normal(size=(400, 4))
    labels = np.where(cells[:, 0] + cells[:, 1] ** 2 + generator.normal(size=400) > 1, "a", "b")
    cells[generator.random(cells.shape) < 0.2] = np.nan
    weights = generator.random(400) ** 8 * 1e-4
    learners = [
        crake.C45Classifier(min_samples_leaf=1e-6),
        crake.C45Classifier(pruning="reduced-error"),
        crake.CARTClassifier(max_surrogates=3),
        crake.CHAIDClassifier(min_samples_split=1e-6, min_samples_leaf=1e-6),
    ]
    for learner in learners:
        for weight in (None, weights):
            model = learner.fit(cells, labels, weight)
            for pruned in (model, model.prune("cost-complexity", alpha=1e-3), model.prune("collapse")):
                crake.save(pruned, tmp_path / "m.crake")
                again = crake.load(tmp_path / "m.crake")
                assert again.predict_proba(cells).tobytes() == pruned.predict_proba(cells).tobytes()


def test_feature_names_are_those_of_the_schema(tmp_path: Path) -> None:
    def change(document: Document, tensors: Tensors) -> None:
        tensors["feature_names/text"][0] = ord("x")

    for data in (BAYES, TREE):
        assert "feature_names differs from the schema" in refusal(data, change, tmp_path / "m.crake")


def test_any_fault_of_restoring_is_an_error_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*_: object) -> None:
        raise BufferError("a fault that nobody thought of")

    path = tmp_path / "m.crake"
    path.write_bytes(BAYES)
    monkeypatch.setattr("crake.learners.naive_bayes.learner.NaiveBayesClassifier.restore", fault)
    monkeypatch.setattr("crake.modelfile.description.schema_of", fault)
    for opening in (crake.load, describe):
        with pytest.raises(ModelFileError, match=r"m\.crake: it cannot be read \(BufferError: a fault that nobody"):
            opening(path)


@pytest.mark.parametrize("learner", [crake.AODEClassifier(), crake.TANClassifier()], ids=str)
def test_counts_of_two_columns_agree_with_those_of_one(learner: Any, tmp_path: Path) -> None:
    data = model_bytes(learner.fit(GOLF))

    def change(document: Document, tensors: Tensors) -> None:
        pairs = tensors["statistics/pair_counts"]
        cells = np.flatnonzero(pairs[0])[:2]
        pairs[0, cells] += (-1, 1)  # as many rows as before, one of them with another value

    assert "pair_counts differs from value_counts" in refusal(data, change, tmp_path / "m.crake")


def test_the_shares_of_a_balanced_model_can_be_divided(tmp_path: Path) -> None:
    """A class with next to no weight after balancing made every probability NaN."""
    data = model_bytes(crake.Balanced(crake.NaiveBayesClassifier()).fit(GOLF))

    def change(document: Document, tensors: Tensors) -> None:
        tensors["balance/weights"][1, 0] = 1e-320

    assert "balance/weights has shares more than 1e+100 times apart" in refusal(data, change, tmp_path / "m.crake")
