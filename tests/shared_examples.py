"""Examples that all cases of a test share: hypothesis makes them once, not anew for each learner.

A test with `@given` and `parametrize` tries the same examples in every case, because its seed is its own. Making them
takes as long as many a test takes to try them. So they are made once, by the first case, and every case tries copies.
Where one of them fails, or is not what the test assumes, hypothesis runs that case as usual: it finds the failure
again, makes it smaller and shows it.

Not shared: examples that a test draws while it runs (`data()`), and those of the long run, which are new in each case.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException
from hypothesis.internal.entropy import deterministic_PRNG

DRAWN_LATER = type(st.data())


def share(items: Iterable[pytest.Item]) -> None:
    """Let the cases of each hypothesis test that has several share their examples."""
    tests = [item for item in items if getattr(getattr(item, "obj", None), "is_hypothesis_test", False)]
    cases = Counter(id(item.obj) for item in tests)  # type: ignore[attr-defined]
    shared: dict[int, Callable[..., None]] = {}
    for item in tests:
        test = item.obj  # type: ignore[attr-defined]
        if cases[id(test)] > 1 and not _draws_later(test):
            item.obj = shared.setdefault(id(test), sharing(test))  # type: ignore[attr-defined]


def _draws_later(test: Any) -> bool:
    given = test.hypothesis._given_kwargs
    return any(isinstance(strategy, DRAWN_LATER) for strategy in given.values())


def sharing(test: Any) -> Callable[..., None]:
    """Return the test as a function of its parameters alone, which tries the examples that all its cases share."""

    @functools.cache
    def examples() -> list[dict[str, Any]]:
        return made(test)

    @functools.wraps(test.hypothesis.inner_test, updated=())
    def run(**parameters: Any) -> None:
        try:
            for example in examples():
                with deterministic_PRNG():
                    test.hypothesis.inner_test(**parameters, **copy.deepcopy(example))
        except HypothesisException:  # `assume`, or something else that hypothesis must be there for
            test(**parameters)
        except (Exception, pytest.fail.Exception):
            test(**parameters)
            raise

    return run


def made(test: Any) -> list[dict[str, Any]]:
    """Return the examples that hypothesis makes for a test, whatever the test says of them."""
    handle, inner, kept = test.hypothesis, test.hypothesis.inner_test, []
    names = set(handle._given_kwargs)

    @functools.wraps(inner, updated=())
    def keep(**arguments: Any) -> None:
        kept.append({name: copy.deepcopy(value) for name, value in arguments.items() if name in names})

    others = [name for name in inspect.signature(inner).parameters if name not in names]
    handle.inner_test = keep
    try:
        test(**dict.fromkeys(others))
    finally:
        handle.inner_test = inner
    return kept
