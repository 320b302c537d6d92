"""How much work a step of the cutoff is: the page's own processor time, so that a busy machine does not count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

FRAME = 16.0
"""Milliseconds."""
STEPS = 30
_PAINTED = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"


@pytest.fixture
def work_of(open_page) -> Callable[..., list[float]]:
    """Milliseconds of the page's thread, script, layout and painting together, for each of some moves."""

    def measured(page: Any, moves: Sequence[Callable[[], None]]) -> list[float]:
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        times = [_worked(session)]
        for move in moves:
            move()
            page.evaluate(_PAINTED)
            times.append(_worked(session))
        session.detach()
        return np.diff(times).tolist()

    return measured


def _worked(session: Any) -> float:
    found = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return 1000 * float(found["TaskDuration"])


def _fits(times: list[float]) -> bool:
    """All but the odd one: what a browser tidies up now and then is not a step's."""
    return bool(np.quantile(times, 0.95) < FRAME)


@pytest.mark.parametrize("subject", ["cancer", "large"])
def test_a_step_by_key_is_less_than_a_frame(open_page, work_of, request, subject):
    page = open_page(request.getfixturevalue(subject))
    page.focus('[data-in="step"]')
    before = page.input_value('[data-in="step"]')
    times = work_of(page, [lambda: page.keyboard.press("ArrowLeft")] * STEPS)
    assert int(page.input_value('[data-in="step"]')) == int(before) - STEPS
    assert _fits(times), sorted(times)


@pytest.mark.parametrize("place", ['[data-in="step"]', '[data-plot="roc"] svg', '[data-plot="cost"] svg'])
def test_a_step_by_pointer_is_less_than_a_frame(open_page, work_of, large, place):
    page = open_page(large)
    target = page.locator(place)
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    left, middle = box["x"] + 0.2 * box["width"], box["y"] + 0.5 * box["height"]
    page.mouse.move(left, middle)
    page.mouse.down()
    said = page.inner_text(".sentence")
    stride = 0.5 * box["width"] / STEPS
    times = work_of(page, [lambda k=k: page.mouse.move(left + k * stride, middle) for k in range(1, STEPS + 1)])
    page.mouse.up()
    assert page.inner_text(".sentence") != said
    assert _fits(times), sorted(times)


def test_a_step_leaves_alone_what_does_not_move(open_page, large):
    """Curves, bars and bins of a model are drawn once: a step changes the dots, the line and the numbers."""
    page = open_page(large)
    touched = page.evaluate("""
    async () => {
      const touched = new Set();
      const watch = new MutationObserver((records) => records.forEach(({ target }) => touched.add(target)));
      watch.observe(document.body, { subtree: true, attributes: true, childList: true, characterData: true });
      const slider = document.querySelector('[data-in="step"]');
      slider.value = Number(slider.value) - 40;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      await Promise.resolve();
      const name = (each) => each.className?.baseVal ?? each.dataset?.out ?? each.dataset?.in ?? each.dataset?.cell;
      return [...touched].map(name);
    }
    """)
    assert {"at", "at-line", "called", "sentence", "tp", "step"} <= set(touched)
    assert not {"curve", "others", "chance", "positive", "negative", "bin", "auc", "class"} & set(touched)
