"""Trees as pictures: in the file and in a browser."""

from __future__ import annotations

import numpy as np
import pytest

import crake
from crake.errors import CrakeError
from crake.render.drawing.style import SIZES
from crake.render.drawing.text_width import text_width
from crake.render.drawing.tree import TreeNode, TreePicture, tree_svg
from crake.table.examples import load


@pytest.fixture(scope="module")
def large() -> crake.CARTClassifier:
    """A tree of 300 leaves."""
    rng = np.random.default_rng(5)
    X = rng.random((4000, 6))
    y = ((X[:, 0] * 7).astype(int) + (X[:, 1] * 5).astype(int) + rng.integers(0, 2, 4000)) % 5
    model = crake.CARTClassifier(max_leaf_nodes=300).fit(X, np.array(list("abcde"))[y])
    assert model.n_leaves_ == 300
    return model


def boxes(taken):
    return [tuple(float(b.get(k)) for k in ("x", "y", "width", "height")) for b in taken.of_class("cd-box")]


def overlapping(rectangles):
    """Pairs of rectangles (x, y, width, height) that share more than an edge, found by sweeping from the left."""
    found, active = [], []
    for x, y, w, h in sorted(rectangles):
        active = [a for a in active if a[0] + a[2] > x + 0.01]
        found += [(a, (x, y, w, h)) for a in active if a[1] < y + h - 0.01 and y < a[1] + a[3] - 0.01]
        active.append((x, y, w, h))
    return found


def test_the_weather_tree(taken):
    found = taken(crake.ID3Classifier().fit(load("weather")).draw().svg())
    found.is_whole()
    words = found.words()
    for word in ("outlook?", "windy?", "humidity?", "Overcast", "Sunny", "Rainy", "14 rows", "4 rows"):
        assert word in words
    assert len(boxes(found)) == 8
    assert "first question is outlook" in found.finding


def test_edges_are_as_wide_as_their_share_of_the_rows(taken):
    found = taken(crake.ID3Classifier().fit(load("weather")).draw(direction="down").svg())
    widths = [float(p.get("stroke-width")) for p in found.of_class("cd-grey") if p.tag.endswith("path")]
    # in reading order: Overcast 4, Rainy 5 (3 and 2), Sunny 5 (3 and 2) of 14
    assert widths == pytest.approx([18 * k / 14 for k in (4, 5, 3, 2, 5, 3, 2)], abs=0.01)


def test_the_bar_of_a_box_shows_the_class_shares(taken):
    found = taken(crake.ID3Classifier().fit(load("weather")).draw(direction="down").svg())
    no, yes = (
        next(float(r.get("width")) for r in found.of_class(f"cd-f{k}") if r.get("height") == "7") for k in (0, 1)
    )
    assert (no + 0.8) / (yes + 0.8) == pytest.approx(5 / 9, abs=0.01)


@pytest.mark.parametrize("direction", ["down", "right"])
def test_boxes_never_overlap(taken, large, direction):
    found = taken(large.draw(depth=99, direction=direction).svg())
    assert len(boxes(found)) == 599
    assert not overlapping(boxes(found))


def test_below_the_depth_leaves_are_counted(taken, large):
    found = taken(large.draw(depth=2).svg())
    assert len(boxes(found)) == 7
    hidden = [word for word in found.words() if "more leaves below" in word]
    assert sum(int(word.split()[1]) for word in hidden) + len(boxes(found)) - 3 - len(hidden) == 300
    assert "7 of 599 nodes are drawn" in found.finding


def test_without_a_depth_about_sixty_boxes_are_drawn(taken, large):
    assert 20 < len(boxes(taken(large.draw().svg()))) <= 61


def test_a_tree_that_asks_nothing(taken):
    model = crake.C45Classifier().fit([[1.0], [1.0]], ["a", "b"])
    found = taken(model.draw().svg())
    assert len(boxes(found)) == 1
    assert "always answers a" in found.finding


def test_of_a_thousand_branches_the_heaviest_are_drawn(taken):
    codes = [f"code {k:03}" for k in range(300) for _ in range(1 + (k == 77))]
    y = ["a" if code > "code 150" else "b" for code in codes]
    model = crake.ID3Classifier().fit([[code] for code in codes], y)
    found = taken(model.draw().svg())
    assert len(boxes(found)) == 31
    assert "code 077" in found.words()
    assert "… 271 more branches" in found.words()
    assert not overlapping(boxes(found))


def test_regression_trees_show_means(taken):
    X = np.arange(40.0)[:, None]
    found = taken(crake.CARTRegressor(max_depth=1).fit(X, np.where(X[:, 0] < 20, 1.5, 4.0)).draw().svg())
    found.is_whole()
    assert {"1.5", "4", "x0?", "≤ 19.5", "20 rows"} <= set(found.words())


@pytest.mark.parametrize("learner", [crake.C45Classifier(), crake.CARTClassifier(), crake.CHAIDClassifier()])
def test_tree_hostile_names_stay_text(taken, hostile, learner):
    names = [name.replace("\ud800", "") + str(k) for k, name in enumerate(hostile)]
    n = 400
    rng = np.random.default_rng(0)
    table = {names[0]: rng.choice(names, n), names[3]: rng.choice(names, n), "number": rng.random(n)}
    y = np.where(table[names[0]] == names[1], names[2], np.where(table["number"] < 0.5, names[4], names[0]))
    import pandas as pd  # noqa: PLC0415

    found = taken(learner.fit(pd.DataFrame(table), y).draw(depth=9).svg())
    found.is_whole()
    assert len(boxes(found)) > 1
    assert not overlapping(boxes(found))


def test_settings_that_make_no_sense_are_refused(large):
    with pytest.raises(CrakeError, match="depth"):
        large.draw(depth=-1)
    with pytest.raises(CrakeError, match="direction"):
        large.draw(direction="up")


def test_a_chain_of_a_thousand_questions_is_drawn(taken):
    nodes = [TreeNode(-1, "", "root?", "1000 rows", 1000.0, (0.5, 0.5))]
    for k in range(1000):
        above = 0 if k == 0 else 2 * k - 1
        nodes.append(TreeNode(above, "yes", "more?", "rows", 999.0 - k, (0.5, 0.5)))
        nodes.append(TreeNode(above, "no", "a", "1 row", 1.0, (1.0, 0.0), is_leaf=True, style=0))
    found = taken(tree_svg(TreePicture("Decision tree", "", "a chain", tuple(nodes), ("a", "b"))))
    assert not overlapping(boxes(found))


IN_THE_BROWSER = """() => {
    const place = e => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; };
    const texts = [...document.querySelectorAll("svg text")];
    const scale = e => { const m = e.getScreenCTM(); return Math.hypot(m.b, m.d); };
    return {
        boxes: [...document.querySelectorAll("svg .cd-box")].map(place),
        groups: [...document.querySelectorAll("svg g")].filter(g => g.querySelector(".cd-box")).map(g => ({
            box: place(g.querySelector(".cd-box")), texts: [...g.querySelectorAll("text")].map(place)})),
        edges: [...document.querySelectorAll("svg text.cd-halo")].map(place),
        sizes: texts.map(t => parseFloat(getComputedStyle(t).fontSize) * scale(t)),
    };
}"""


@pytest.mark.parametrize(("depth", "direction"), [(None, None), (99, "right"), (99, "down")])
def test_three_hundred_leaves_in_a_browser(page, large, depth, direction):
    """No two boxes overlap, no text is below 9 px, none leaves its box, no words of edges lie on anything."""
    page.set_content(f"<body>{large.draw(depth=depth, direction=direction)._repr_html_()}</body>")
    seen = page.evaluate(IN_THE_BROWSER)
    assert len(seen["boxes"]) == (599 if depth else len(seen["groups"]))
    assert len(seen["boxes"]) > 20
    assert not overlapping(seen["boxes"])
    assert min(seen["sizes"]) >= 9
    assert not overlapping([*seen["boxes"], *seen["edges"]])
    for group in seen["groups"]:
        x, y, width, height = group["box"]
        for left, top, wide, high in group["texts"]:
            assert x <= left
            assert left + wide <= x + width
            assert y <= top + 1
            assert top + high <= y + height + 1


def test_a_page_scrolls_and_letters_keep_their_size(page, large):
    page.set_viewport_size({"width": 400, "height": 800})
    page.set_content(f"<body>{large.draw()._repr_html_()}</body>")
    assert page.evaluate("document.documentElement.scrollWidth <= 400")
    assert min(page.evaluate(IN_THE_BROWSER)["sizes"]) >= 9
    page.set_viewport_size({"width": 1200, "height": 900})


@pytest.mark.parametrize("direction", ["down", "right"])
def test_no_line_runs_through_a_condition(page, large, direction):
    """A line behind "> 7" would make it "> -7": edges end at the word before the box, in every font."""
    page.set_content(large.draw(depth=99, direction=direction).svg())
    crossed = page.evaluate("""() => {
      const words = [...document.querySelectorAll('svg > text.cd-t')].filter((each) => /^[≤>]/.test(each.textContent))
        .map((each) => each.getBoundingClientRect());
      const ends = [...document.querySelectorAll('path.cd-grey')].map((each) => {
        const end = each.getPointAtLength(each.getTotalLength()), at = each.getScreenCTM();
        return [end.x * at.a + at.e, end.y * at.d + at.f];
      });
      const inside = ([x, y], box) => x > box.left && x < box.right && y > box.top && y < box.bottom;
      return [words.length, ends.filter((end) => words.some((box) => inside(end, box))).length];
    }""")
    assert crossed == [598, 0]


def test_the_words_above_the_last_box_are_inside(taken):
    long = "500<=X<1000, no known savings"
    leaves = (TreeNode(0, word, "a", "1 row", 1.0) for word in ("<1", long))
    nodes = (TreeNode(-1, "", "savings?", "2 rows", 2.0), *leaves, TreeNode(0, long, "b", "1 row", 1.0))
    found = taken(tree_svg(TreePicture("A tree", "two leaves", "It asks.", nodes), "down"))
    words = [each for each in found.of_class("cd-t") if "".join(each.itertext()).startswith("500<=")]
    last = max(float(each.get("x")) for each in words)
    shown = next(word for word in found.words() if word.startswith("500<="))
    assert last + text_width(shown, SIZES["t"]) / 2 < float(found.root.get("width"))
