"""An engine that gathers where its rows are gives the statistics of a scan, however it cuts the rows up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.laws.arrays import assert_same_bits

import crake
from crake.errors import CrakeError, DataError, SchemaError
from crake.statistics import (
    MEMBERS,
    ClassCounts,
    CrossProducts,
    DistinctCounts,
    FamilyCounts,
    ValueCounts,
    gather,
    merge_all,
)
from crake.statistics.partitions.messages import message_of, statistics_of
from crake.statistics.partitions.task import SENT, GatherTask
from crake.statistics.partitions.version_mark import version_mark
from crake.table.column_options import ColumnOptions
from crake.table.sources.arrow_batches import file_columns, portions
from crake.table.sources.engine import PartitionTask
from crake.table.sources.protocol import Portion
from crake.table.sources.scan import Scan
from crake.table.sources.scanned_table import encode_scan, known_only, scanned
from crake.table.table import Table

PLAIN = [member for member in MEMBERS if member not in (FamilyCounts, CrossProducts)]


@dataclass(frozen=True, eq=False)
class Parted:
    """Rows in partitions, as an engine has them. Messages are merged in two stages; `reads` allows portions."""

    data: pa.Table
    cuts: Sequence[int]
    reads: bool = False

    name = "parted"
    size = 0

    @property
    def rows(self) -> int:
        return self.data.num_rows

    @property
    def loaded_size(self) -> int:
        return 0

    @property
    def columns(self) -> Any:
        return file_columns(self.data.schema)[0]

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        assert self.reads, "rows must not travel"
        batches = self.data.select(list(names)).combine_chunks().to_batches()
        return portions(batches, names, range(len(names)))

    def map_statistics(self, task: PartitionTask, names: Sequence[str]) -> Sequence[bytes]:
        sent = vars(task)
        assert all(isinstance(each, str | bytes) for each in sent.values()), "nothing else goes with a task"
        task = type(task)(**sent)
        edges = [0, *self.cuts, self.rows]
        rows = self.data.select(list(names))
        messages = [
            task(iter(rows.slice(start, stop - start).to_batches(max_chunksize=40))) for start, stop in pairwise(edges)
        ]
        half = len(messages) // 2
        return [task.merge(messages[:half]), task.merge(messages[half:])] if half else messages


def rows() -> pa.Table:
    draw = np.random.default_rng(5)
    n = 600
    return pa.table(
        {
            "colour": pa.array(np.array(["red", "blue", "Red", None], dtype=object)[draw.integers(0, 4, n)]),
            "place": pa.array([f"p{i}" for i in np.sort(draw.integers(0, 50, n))]),
            "size": pa.array(np.round(draw.normal(0, 3, n), 1), mask=draw.random(n) < 0.1),
            "words": pa.array(np.array(["a b", "b c c", None, "d"], dtype=object)[draw.integers(0, 4, n)]),
            "y": pa.array(np.array(["no", "yes", None], dtype=object)[draw.integers(0, 3, n)]),
        }
    )


def table(cuts: Sequence[int], *, reads: bool = False, data: pa.Table | None = None) -> Table:
    options = ColumnOptions(target="y", text=("words",) if data is None else ())
    return scanned(Parted(rows() if data is None else data, cuts, reads), options)


CUTS = ([], [0, 0, 300, 600], [7 * i for i in range(1, 80)])


@pytest.mark.parametrize("cuts", CUTS, ids=len)
def test_counts_are_those_of_a_scan(cuts: Sequence[int], monkeypatch: pytest.MonkeyPatch) -> None:
    mapped = gather(table(cuts), PLAIN)
    monkeypatch.setattr(Scan, "engine", None)
    whole = gather(table([], reads=True), PLAIN)
    assert mapped.schema == whole.schema
    assert list(SENT) == PLAIN
    assert all(part.is_exact for part in whole.parts.values())
    assert_same_bits(mapped, whole)


@pytest.mark.parametrize("learner", [crake.NaiveBayesClassifier, crake.OneRuleClassifier, crake.MajorityClassifier])
def test_learners_never_read_a_row(learner: Any) -> None:
    names = ["colour", "place", "size", "y"]
    held = crake.read(rows(), "y", text=["words"]).select(names)
    mapped, expected = learner().fit(table(CUTS[1]).select(names)), learner().fit(held)
    assert mapped.left_out_ == expected.left_out_ > 0
    np.testing.assert_array_equal(mapped.predict_proba(held), expected.predict_proba(held))


@pytest.mark.parametrize("options", [{}, {"ngrams": (1, 2), "stop_words": ["d"]}, {"vocabulary": ["b", "c"]}])
def test_words_are_counted_there(options: dict[str, Any]) -> None:
    names = ["words", "y"]
    held = crake.read(rows(), "y", text=["words"]).select(names)
    mapped, expected = (crake.TextBayesClassifier(**options).fit(each) for each in (table(CUTS[1]).select(names), held))
    np.testing.assert_array_equal(mapped.predict_proba(held), expected.predict_proba(held))
    plain = [
        crake.NaiveBayesClassifier().fit(each) for each in (table(CUTS[2]), crake.read(rows(), "y", text=["words"]))
    ]
    assert_same_bits(plain[0].statistics_, plain[1].statistics_)


def test_names_of_networks_and_cuts_are_gathered_there() -> None:
    names = ["colour", "place", "y"]
    held = crake.read(rows(), "y", text=["words"]).select(names)
    for learner in (crake.TANClassifier, crake.AODEClassifier):
        np.testing.assert_array_equal(
            learner().fit(table(CUTS[1]).select(names)).predict_proba(held), learner().fit(held).predict_proba(held)
        )
    numbers = crake.read(rows(), "y", text=["words"]).select(["size", "y"]).known()
    cuts = crake.Discretizer().fit(table(CUTS[1]).select(["size", "y"]).known())
    assert [list(each) for each in cuts.cuts_] == [list(each) for each in crake.Discretizer().fit(numbers).cuts_]


def test_known_rows_and_fixed_levels() -> None:
    members = [ClassCounts, ValueCounts]
    whole = gather(table(CUTS[1]), members)
    for some in (known_only(table(CUTS[1])), encode_scan(table(CUTS[2]), whole.schema)):
        assert_same_bits(gather(some, members), whole)


def test_classes_and_levels_are_counted_over_all_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = pa.table({"a": ["u", "v"] * 30, "y": list(range(60))})
    with pytest.raises(SchemaError, match="more than 50 different numbers"):
        gather(table([20, 40], data=numbers), [ClassCounts])
    monkeypatch.setattr("crake.table.sources.levels.MOST_LEVELS", 40)
    names = pa.table({"a": [f"a{i}" for i in range(60)], "y": ["p", "q"] * 30})
    with pytest.raises(DataError, match="'a' has more than 40 distinct values"):
        gather(table([20, 40], data=names), [ClassCounts])


@pytest.mark.parametrize(
    "options", [{}, {"penalty": "ridge"}, {"penalty": "firth"}, {"missing": "mean", "contrasts": "all"}], ids=str
)
def test_logistic_regression_adds_up_its_passes_there(options: Any) -> None:
    names = ["colour", "size", "y"]
    held = crake.read(rows(), "y", text=["words"]).select(names)
    expected = crake.LogisticClassifier(**options).fit(held)
    for cuts in CUTS[1:]:
        mapped = crake.LogisticClassifier(**options).fit(table(cuts).select(names))
        np.testing.assert_array_equal(mapped.coefficient_, expected.coefficient_)
        assert mapped.trace_ == expected.trace_
        assert (mapped.terms_, mapped.left_out_) == (expected.terms_, expected.left_out_)


def test_logistic_regression_of_many_terms_takes_products_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conjugate gradients ask for other sums."""
    monkeypatch.setattr("crake.learners.logistic.fitting.MOST_DIRECT", 3)
    names = ["colour", "size", "y"]
    held = crake.read(rows(), "y", text=["words"]).select(names)
    expected = crake.LogisticClassifier(penalty="ridge").fit(held)
    mapped = crake.LogisticClassifier(penalty="ridge").fit(table(CUTS[1]).select(names))
    np.testing.assert_array_equal(mapped.coefficient_, expected.coefficient_)


def test_logistic_regression_starts_from_the_same_sample_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crake.learners.logistic.sample.MANY_ROWS", 100)
    monkeypatch.setattr("crake.learners.logistic.sample.SAMPLED_ROWS", 100)
    names = ["colour", "size", "y"]
    expected = crake.LogisticClassifier().fit(crake.read(rows(), "y", text=["words"]).select(names))
    for cuts in CUTS[1:]:
        mapped = crake.LogisticClassifier().fit(table(cuts).select(names))
        np.testing.assert_array_equal(mapped.coefficient_, expected.coefficient_)


def test_folds_by_a_key_of_logistic_regression_are_left_out_there(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, options = crake.KeyedFolds(3, key="place"), ColumnOptions(target="y", ignore=("words", "place"))
    mapped = crake.evaluate("logistic", scanned(Parted(rows(), CUTS[1]), options), plan=plan).out_of_fold
    monkeypatch.setattr(Scan, "engine", None)
    whole = crake.evaluate("logistic", scanned(Parted(rows(), [], True), options), plan=plan).out_of_fold
    one, other = (each.probabilities[np.lexsort(each.probabilities.T)] for each in (mapped, whole))
    np.testing.assert_array_equal(one, other)
    assert (np.bincount(mapped.fold) == np.bincount(whole.fold)).all()


@pytest.mark.parametrize("intercept", [True, False])
def test_linear_regression_gathers_its_products_there(intercept: bool) -> None:
    names = ["colour", "place", "size"]
    held = crake.read(rows(), "size", text=["words"]).select(names)
    expected = crake.LinearRegressor(fit_intercept=intercept).fit(held)
    for cuts in CUTS:
        source = scanned(Parted(rows(), cuts), ColumnOptions(target="size", ignore=("words", "y")))
        mapped = crake.LinearRegressor(fit_intercept=intercept).fit(source)
        np.testing.assert_allclose(mapped.coefficient_, expected.coefficient_, rtol=1e-9, atol=1e-10)
        assert mapped.left_out_ == rows()["size"].null_count


def test_rows_with_gaps_that_are_left_out_travel() -> None:
    """They are counted, row by row."""
    names = ["colour", "size", "y"]
    held = crake.read(rows(), "y", text=["words"]).select(names)
    mapped = crake.LogisticClassifier(missing="drop").fit(table(CUTS[1], reads=True).select(names))
    expected = crake.LogisticClassifier(missing="drop").fit(held.known())
    np.testing.assert_array_equal(mapped.coefficient_, expected.coefficient_)
    assert mapped.dropped_ == expected.dropped_ > 0


@pytest.mark.parametrize("cut", [0, 7, 30, -1])
def test_a_damaged_message_is_refused(cut: int) -> None:
    message = message_of(gather(crake.read("weather"), [ClassCounts, DistinctCounts]), 1)
    assert_same_bits(
        statistics_of(message, [ClassCounts, DistinctCounts]),
        gather(crake.read("weather"), [ClassCounts, DistinctCounts]),
    )
    with pytest.raises(CrakeError, match="damaged message"):
        statistics_of(message[:cut], [ClassCounts, DistinctCounts])
    with pytest.raises(CrakeError, match="damaged message"):
        statistics_of(message, [ValueCounts])


def test_another_crake_on_the_worker_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Parted, "map_statistics", lambda self, task, _: [_altered(task)(iter(()))])
    with pytest.raises(CrakeError, match=r"expected crake 0\.0\.9 on the worker, got "):
        gather(table([]), [ClassCounts])


def test_another_line_anywhere_in_the_code_is_another_crake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks run models of every learner, test folds and make bins: each of these may change what comes back."""
    rooms = ("kernels", "learners/ensemble/boosting/scanned", "evaluation/protocol", "modelfile")
    for room in rooms:
        (tmp_path / room).mkdir(parents=True)
        (tmp_path / room / "part.py").write_text("x = 1\n")
    monkeypatch.setattr("crake.statistics.partitions.version_mark.files", lambda _: tmp_path)
    marks = {version_mark.__wrapped__()}
    for room in rooms:
        (tmp_path / room / "part.py").write_text("x = 2\n")
        marks.add(version_mark.__wrapped__())
    assert len(marks) == 5
    (tmp_path / "modelfile" / "notes.txt").write_text("no code")
    assert version_mark.__wrapped__() in marks


def _altered(task: GatherTask) -> GatherTask:
    import json  # noqa: PLC0415

    return GatherTask(json.dumps({**json.loads(task.text), "version": "0.0.9"}))


def test_many_partitions_of_other_levels_are_merged_at_once() -> None:
    columns = [pa.table({"a": [f"v{(7 * i + k) % 97}" for i in range(40)], "y": ["p", "q"] * 20}) for k in range(30)]
    parts = [gather(crake.read(each, "y"), [ClassCounts, ValueCounts]) for each in columns]
    assert_same_bits(merge_all(parts), gather(crake.read(pa.concat_tables(columns), "y"), [ClassCounts, ValueCounts]))
