"""The script's modules as modules, which another page may import; and their numbers beside Python's."""

from __future__ import annotations

from importlib import resources

import numpy as np
import pytest

from crake.render import format_numbers as numbers
from crake.render.report.plots import tick
from crake.render.report.script import MODULES
from crake.render.report.words import cutoff_text, money

ADDRESS = "http://crake.test/"


@pytest.fixture
def imported(browser):
    """A page that imports the modules from an address which only this test answers."""
    folder = resources.files("crake.render").joinpath("static")

    def answer(route):
        name = route.request.url.removeprefix(ADDRESS)
        body = folder.joinpath(name).read_text("utf-8") if name else "<!doctype html><title>empty</title>"
        route.fulfill(body=body, content_type="text/javascript" if name else "text/html")

    context = browser.new_context()
    context.route(f"{ADDRESS}**", answer)
    page = context.new_page()
    page.goto(ADDRESS)
    yield lambda code, *values: page.evaluate(code, list(values))
    context.close()


def test_every_module_can_be_imported_by_itself(imported):
    code = (
        "async ([address, names]) => Promise.all(names.map(async (each) => Object.keys(await import(address + each))))"
    )
    names = [module for module in MODULES if module != "report.js"]  # which starts what is in its page
    found = imported(code, ADDRESS, names)
    assert len(found) == len(names)
    assert all(found)


def test_numbers_are_written_as_python_writes_them(imported):
    random = np.random.default_rng(3)
    shares = [0.0, 1.0, 0.0625, 0.1875, 0.99975, 0.9995, 0.0005, 0.00049, 0.5, 0.125, 0.0125, 1 / 3, 2 / 3]
    shares += random.random(300).tolist() + (random.integers(0, 4001, 300) / 4000).tolist()
    counts = [0.0, 7.0, 999.0, 1000.0, 1234567.0, 2.5, 0.25, 1234.75, *random.uniform(0, 1000000.0, 50).tolist()]
    costs = [0.0, -0.0, 0.0005, 1.0625, 2.0005, 1234.5, 9876543.21875, *random.uniform(0, 5000, 100).tolist()]
    ticks = [0.0, 1.0, 0.125, 2.684, 9.999, 10.05, 26.84, 99.95, 150.0, 3333.3]
    cutoffs = [0.5, 1.0, 0.0, 0.00025, 1.5e-7, 2e-30, -3.25, 12.0, 1e-6, 0.1 + 0.2]
    code = """
    async ([address, shares, counts, costs, ticks, cutoffs]) => {
      const n = await import(address + "numbers.js");
      return [shares.map(n.percent), shares.map((each) => n.figure(each)), counts.map(n.count), costs.map(n.money),
        ticks.map(n.tick), cutoffs.map(String), n.figure(null)];
    }
    """
    found = imported(code, ADDRESS, shares, counts, costs, ticks, cutoffs)
    assert found == [
        [numbers.percent(share) for share in shares],
        [numbers.figure(share) for share in shares],
        [numbers.count(count) for count in counts],
        [money(cost) for cost in costs],
        [tick(value) for value in ticks],
        [cutoff_text(cutoff) for cutoff in cutoffs],
        numbers.figure(None),
    ]


def test_readers_of_a_state_hear_of_changes_only(imported):
    code = """
    async ([address]) => {
      const { createState } = await import(address + "state.js");
      const state = createState({ a: 1, b: 2 });
      const heard = [];
      state.subscribe((now, changed) => heard.push([{ ...now }, [...changed]]));
      state.set({ a: 1 });
      state.set({ a: 3, b: 2 });
      return heard;
    }
    """
    assert imported(code, ADDRESS) == [[{"a": 3, "b": 2}, ["a"]]]
