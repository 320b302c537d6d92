"""The file of an experiment: what is in it stays, whatever happens; what is not ours is refused and not touched."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest

import crake
from crake.errors import CrakeError
from crake.evaluation.experiment.results_file import ResultsFile

HERE = Path(__file__).parent


def small(**options) -> crake.Experiment:
    return crake.Experiment(["golf", "iris"], ["majority", "1r"], **{"repeats": 2, **options})


def worked(experiment: crake.Experiment, path: Path) -> int:
    """Run it; how many cells had to be worked on."""
    told: list[int] = []
    experiment.run(path, progress=lambda _, done, total: told.append(done))
    return len(told) - 1


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("finished") / "r.duckdb"
    small().run(path)
    return path.read_bytes()


def test_killed_again_and_again_it_ends_with_the_same_numbers(tmp_path):
    """Fault 33. SIGKILL while the file is made, between cells and within a transaction."""
    ended = subprocess.run(
        [sys.executable, HERE / "killed.py", tmp_path / "r.duckdb", "1"],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    killed, _, lines = ended.stdout.partition("\n")
    assert int(killed) >= 5
    whole = crake.Experiment(["golf", "iris"], ["majority", "1r", "naive-bayes"], repeats=4).run(None)
    assert lines == whole.to_csv()
    assert [file.name for file in tmp_path.iterdir()] == ["r.duckdb"]


def test_only_what_changed_is_worked_on(tmp_path):
    path = tmp_path / "r.duckdb"
    assert worked(small(), path) == 8
    assert worked(small(), path) == 0
    assert worked(small(repeats=3), path) == 4
    assert worked(small(plan=crake.CrossValidation(5)), path) == 8
    # repeat r has the seed + r: of the seeds 2 and 3 both are there
    assert worked(small(plan=crake.CrossValidation(random_state=2)), path) == 0
    changed = crake.Experiment(["golf", "iris"], ["majority", crake.OneRuleClassifier(min_bucket=9)], repeats=2)
    assert worked(changed, path) == 4


def test_a_changed_table_is_another_one_and_a_renamed_one_is_not(tmp_path):
    path = tmp_path / "r.duckdb"
    iris = crake.read("iris")
    assert worked(crake.Experiment([iris], ["1r"], repeats=1), path) == 1
    assert worked(crake.Experiment({"flowers": iris}, ["1r"], repeats=1), path) == 0
    assert worked(crake.Experiment([iris.take(np.arange(149))], ["1r"], repeats=1), path) == 1
    values = iris.source.column("petal width (cm)").copy()
    values[0] = np.nextafter(values[0], 9)
    moved = replace(iris, source=iris.source.with_columns({"petal width (cm)": values}))
    assert worked(crake.Experiment([moved], ["1r"], repeats=1), path) == 1
    weighted = iris.with_weights(np.r_[2.0, np.ones(149)])
    assert worked(crake.Experiment([weighted], ["1r"], repeats=1), path) == 1
    assert worked(crake.Experiment([iris.with_weights(np.ones(150))], ["1r"], repeats=1), path) == 0


def test_another_version_of_crake_is_another_cell(tmp_path, monkeypatch):
    path = tmp_path / "r.duckdb"
    assert worked(small(), path) == 8
    monkeypatch.setattr(crake, "__version__", "99.0")
    assert worked(small(), path) == 8
    versions = duckdb.connect(path, read_only=True).execute("select crake, count(*) from cells group by 1").fetchall()
    assert dict(versions)["99.0"] == 8


def test_the_file_can_be_asked_with_sql(finished, tmp_path):
    path = tmp_path / "r.duckdb"
    path.write_bytes(finished)
    with duckdb.connect(path, read_only=True) as connection:
        rows = connection.execute(
            "select table_name, learner_name, count(*), sum(test_rows), sum(confusion[1] + confusion[4]) "
            "from cells join folds using (cell) where table_name = 'golf' group by all order by all"
        ).fetchall()
    means = small().run(None)
    right = sum(np.trace(means.folds[0, 1, r].confusion.sum(axis=0)) for r in range(2))
    assert rows[0] == ("golf", "1R", 20, 28, right)


def test_two_writers_at_once_are_refused(tmp_path):
    path = tmp_path / "r.duckdb"
    with ResultsFile(path):
        with pytest.raises(CrakeError, match="open in this process"), ResultsFile(path):
            pass
        code = (
            "from crake.evaluation.experiment.results_file import ResultsFile\n"
            "from crake.errors import CrakeError\n"
            "import sys\n"
            "try:\n    ResultsFile(sys.argv[1]).__enter__()\n"
            "except CrakeError as error:\n    print(error)"
        )
        ended = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
        assert ended.stdout == "r.duckdb is open in another process; wait until that is done, or give another file\n"
    assert worked(small(), path) == 8  # and free again


def test_what_is_not_ours_is_refused_and_left_as_it_is(tmp_path):
    text = tmp_path / "notes.duckdb"
    text.write_text("dear diary\n" * 1000)
    foreign = tmp_path / "foreign.duckdb"
    with duckdb.connect(foreign) as connection:
        connection.execute("create table customers(a integer)")
    for path, words in ((text, "not a file of crake's experiments, or is damaged"), (foreign, "its tables: customers")):
        before = path.read_bytes()
        with pytest.raises(CrakeError, match=words):
            small().run(path)
        assert path.read_bytes() == before
    with pytest.raises(CrakeError, match="it is a folder"):
        small().run(tmp_path)
    with pytest.raises(CrakeError, match="there is none to hold it"):
        small().run(tmp_path / "none" / "r.duckdb")
    empty = tmp_path / "empty.duckdb"
    empty.touch()
    assert worked(small(), empty) == 8


def test_a_measure_that_folds_do_not_keep_is_added_to_a_file(finished, tmp_path):
    path = tmp_path / "r.duckdb"
    path.write_bytes(finished)
    before = small().run(None)
    brier = crake.Experiment(small().tables, small().learners, repeats=2, measure="brier")
    assert worked(brier, path) == 8
    assert worked(brier, path) == 0
    assert worked(small(), path) == 0
    result = brier.run(path)
    assert all(
        result.folds[place].confusion.tolist() == before.folds[place].confusion.tolist() for place in before.folds
    )
    with duckdb.connect(path, read_only=True) as connection:
        rows = connection.execute("select measure, count(*) from measures group by 1").fetchall()
        assert connection.execute("select count(distinct cell), count(*) from cells").fetchone() == (8, 8)
    assert rows == [("brier", sum(len(folds) for folds in result.folds.values()))]
    assert worked(crake.Experiment(small().tables, small().learners, repeats=2, measure="ece"), path) == 8
    assert set(brier.run(path).folds[0, 0, 0].extra) == {"brier", "calibration_error"}
    with duckdb.connect(path) as connection:
        connection.execute("delete from measures where fold = 1")
    with pytest.raises(CrakeError, match="the folds of a measure are not whole"):
        brier.run(path)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("update crake_experiment set format = 3", "has the format 3"),
        ("update crake_experiment set format = 2", "its tables are not those"),
        ("delete from crake_experiment", "format unknown"),
        ("alter table folds drop column auc", "its tables are not those"),
        ("create view more as select 1", "not one of crake's experiments"),
        ("insert into cells select * from cells limit 1", "a cell is there twice"),
        ("delete from folds where fold = 3", "not whole|no cell can hold"),
        ("update folds set confusion = [1.0]", "no cell can hold"),
        ("update folds set confusion = [-1.0] || confusion[2:]", "not whole"),
        ("update folds set test_rows = null", "no cell can hold"),
        ("update cells set notes = 'x'", "no cell can hold"),
    ],
)
def test_a_file_that_was_changed_is_refused(finished, tmp_path, statement, words):
    path = tmp_path / "r.duckdb"
    path.write_bytes(finished)
    with duckdb.connect(path) as connection:
        connection.execute(statement)
    with pytest.raises(CrakeError, match=words):
        small().run(path)


@pytest.mark.parametrize("part", range(8))
def test_damaged_bytes_are_refused_or_without_effect(finished, tmp_path, part):
    path, right = tmp_path / "r.duckdb", small().run(None).to_csv()
    used = np.flatnonzero(np.frombuffer(finished, np.uint8))
    chance = np.random.default_rng(part)
    for kind in ("flip", "cut"):
        damaged = bytearray(finished)
        if kind == "flip":
            damaged[chance.choice(used)] ^= 1 << chance.integers(8)
        else:
            damaged = damaged[: chance.integers(1, len(damaged))]
        path.write_bytes(damaged)
        try:
            found = small().run(path).to_csv()
        except CrakeError:
            continue
        assert found == right


def test_a_failed_write_keeps_what_was_finished(tmp_path, monkeypatch):
    path = tmp_path / "r.duckdb"
    calls = 0
    append = ResultsFile.append

    def fail(self, cell, folds):
        nonlocal calls
        calls += 1
        if calls == 4:
            # the second table of the transaction is refused: the first must go too
            self._connection.execute("alter table folds rename to elsewhere")
            try:
                append(self, cell, folds)
            finally:
                self._connection.execute("alter table elsewhere rename to folds")
        append(self, cell, folds)

    with monkeypatch.context() as patched:
        patched.setattr(ResultsFile, "append", fail)
        with pytest.raises(CrakeError, match=r"cannot write r\.duckdb, which holds what was finished"):
            small().run(path)
    with duckdb.connect(path, read_only=True) as connection:
        assert connection.execute("select count(*) from cells").fetchall() == [(3,)]
    assert worked(small(), path) == 5
