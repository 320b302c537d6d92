"""Cases of a hypothesis test share their examples, and a failure is reported as hypothesis does it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import assume, example, given, seed, settings
from hypothesis import strategies as st
from tests.shared_examples import made, share, sharing

tried: list[tuple[str, list[int]]] = []


@seed(7)
@settings(max_examples=20, database=None)
@example(numbers=[-1])
@given(numbers=st.lists(st.integers(0, 1000), max_size=5))
def try_them(case: str, numbers: list[int]) -> None:
    tried.append((case, list(numbers)))
    if case == "assuming":
        assume(sum(numbers) % 2 == 0)
    assert case != "failing" or sum(numbers) < 1500
    numbers.append(0)  # a case may spoil its examples, and only its own


def of(case: str) -> list[list[int]]:
    return [numbers for name, numbers in tried if name == case]


def test_every_case_tries_the_examples_that_hypothesis_makes() -> None:
    tried.clear()
    expected = [each["numbers"] for each in made(try_them)]
    run = sharing(try_them)
    run(case="first")
    run(case="second")
    try_them(case="usual")
    assert of("first") == of("second") == of("usual") == expected
    assert len(of("first")) == 21
    assert of("first")[0] == [-1]


def test_a_failure_is_made_small_and_shown_by_hypothesis() -> None:
    with pytest.raises(AssertionError) as failure:
        sharing(try_them)(case="failing")
    assert "numbers=[500, 1000]" in "".join(failure.value.__notes__)


def test_what_a_test_does_not_assume_is_left_to_hypothesis() -> None:
    tried.clear()
    sharing(try_them)(case="assuming")
    assert sum(sum(numbers) % 2 == 0 for numbers in of("assuming")) >= 20


@given(data=st.data())
def draw_later(case: str, data: Any) -> None:
    data.draw(st.integers())


def test_only_tests_of_several_cases_share_and_none_that_draws_later() -> None:
    alone, drawing = SimpleNamespace(obj=given(st.integers())(lambda n: None)), SimpleNamespace(obj=draw_later)
    several: list[Any] = [SimpleNamespace(obj=try_them), SimpleNamespace(obj=try_them)]
    share([*several, alone, drawing, drawing])  # type: ignore[list-item]
    assert several[0].obj is several[1].obj is not try_them
    assert drawing.obj is draw_later
    assert alone.obj.is_hypothesis_test
