"""The costs of tests: the record of slow ones, and the choice of the fast run."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests import costs
from tests.fast_run import choose

import crake

ROOT = Path(__file__).resolve().parents[1]


def case(function: str, *parameters: object, mark: str = "") -> Any:
    return SimpleNamespace(
        nodeid=f"tests/test_a.py::{function}[{parameters}]",
        originalname=function,
        name=f"{function}[{parameters}]",
        callspec=SimpleNamespace(params=dict(enumerate(parameters))),
        get_closest_marker=lambda name: name == mark,
    )


def test_the_fast_run_has_one_case_of_each_test_and_learner() -> None:
    first, second = case("test_x", 1), case("test_x", 2)
    one, again, other = (
        case("test_y", crake.C45Classifier(), 1),
        case("test_y", crake.C45Classifier(pruning=None), 1),
        case("test_y", crake.ID3Classifier(), 2),
    )
    assert choose([first, second, one, again, other], {}) == [first, one, other]


def test_the_fast_run_leaves_out_marked_and_recorded_tests() -> None:
    kept, marked, long, recorded = (
        case("test_x"),
        case("test_y", mark="slow"),
        case("test_z", mark="long"),
        case("test_w"),
    )
    record = {"tests/test_a.py": {"test_w"}, "tests/test_b.py": {"test_x"}}
    assert choose([marked, long, recorded, kept], record) == [kept]


def test_the_record_is_sorted_and_read_back(tmp_path: Path) -> None:
    record = tmp_path / "slow.txt"
    assert costs.read(record) == {}
    names = {"tests/b.py": {"test_z", "test_a"}, "tests/a.py": {"test_c"}}
    costs.write(names, record)
    assert record.read_text() == "tests/a.py test_c\ntests/b.py test_a test_z\n"
    assert costs.merged(costs.read(record), {"tests/a.py": {"test_d"}}) == {**names, "tests/a.py": {"test_c", "test_d"}}


def test_every_recorded_test_is_there() -> None:
    gone = []
    for file, functions in costs.read().items():
        source = (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).is_file() else ""
        gone += [f"{file} {name}" for name in functions if not re.search(rf"def {name}\b", source)]
    assert not gone, "take them out of tests/slow_tests.txt"


def test_a_test_pays_for_the_shared_fixtures_that_it_uses() -> None:
    measured = costs.Costs(SimpleNamespace())
    measured.fixtures = {("tests/a.py", "models"): 2.0, ("tests/b.py", "models"): 4.0, ("", "browser"): 1.0}
    item: Any = SimpleNamespace(nodeid="tests/a.py::test_x", fixturenames=["models", "browser"])
    assert measured._shared(item) == 3.0


def test_the_costs_of_all_cases_are_summed_up() -> None:
    measured = costs.Costs(SimpleNamespace())
    for number, own, shared in ((1, 0.02, 0.0), (2, 0.03, 0.09), (3, 0.01, 0.0)):
        measured.pytest_runtest_logreport(
            SimpleNamespace(
                when="call",
                nodeid=f"tests/a.py::{'test_x' if number < 3 else 'test_y'}[{number}]",
                user_properties=[(costs.PROPERTY, (own, shared))],
            )
        )
    assert measured.totals["tests/a.py::test_x"] == 0.05
    assert measured.cases["tests/a.py::test_x"] == 2
    assert measured.slow == {"tests/a.py": {"test_x"}}
