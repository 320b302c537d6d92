"""Drawings of networks: every variable, every arc, and its table behind a link."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from tests.learners.network.networks import CHILD, campfire, network

import crake
from crake.errors import CrakeError

SVG = "{http://www.w3.org/2000/svg}"


def test_every_variable_links_to_its_table():
    net = network(CHILD)
    root = ET.fromstring(net.draw().svg())
    cards = {each.get("id"): each for each in root.iter(f"{SVG}g") if each.get("class") == "cd-card"}
    links = [each.get("href") for each in root.iter(f"{SVG}a") if each.get("href") != "#closed"]
    assert {link.removeprefix("#") for link in links} == set(cards)
    assert len(cards) == 20
    texts = [["".join(text.itertext()) for text in card.iter(f"{SVG}text")] for card in cards.values()]
    shown = next(card for card in texts if card[0] == "P(Disease | BirthAsphyxia)")
    assert "0.3367" in shown
    arrows = [each for each in root.iter(f"{SVG}path") if "cd-line" in (each.get("class") or "")]
    assert len(arrows) == len(net.arcs)


def test_a_notebook_shows_the_drawing_and_the_tables_folded():
    html = campfire()._repr_html_()
    assert "<svg" in html
    assert "<details><summary>The tables</summary>" in html
    assert "P(Campfire | Storm, BusTourGroup)" in html


def test_one_variable_is_drawn_with_what_it_depends_on():
    net = network(CHILD)
    drawing = net.draw(around="LungFlow")
    for name in ("Disease", "ChestXray", "LungParench"):
        assert f">{name}<" in drawing.svg()
    assert ">RUQO2<" not in drawing.svg()


def test_names_stay_text_and_large_networks_are_refused():
    name = '<script>alert("x")</script>'
    net = crake.BayesNetwork.from_tables([(name, "b")], {name: 0.5, "b": {True: 0.1, False: 0.2}})
    svg = net.draw().svg()
    assert "<script>" not in svg
    assert ET.fromstring(svg) is not None
    assert "<script>" not in net._repr_html_()
    many = crake.BayesNetwork.from_tables(
        [("x0", f"x{k}") for k in range(1, 400)],
        {"x0": np.array([0.5, 0.5]), **{f"x{k}": np.full((2, 2), 0.5) for k in range(1, 400)}},
        levels={f"x{k}": ["a", "b"] for k in range(400)},
    )
    with pytest.raises(CrakeError, match="at most 300 variables in a drawing, got 400"):
        many.draw()
    assert len(re.findall("<rect", many.draw(around="x7").svg())) > 2
    assert len(str(many)) < 10_000
    assert many._repr_html_().startswith("<pre>")


def test_the_classifier_is_drawn_with_its_tables_too():
    svg = crake.BayesNetworkClassifier("naive").fit(crake.read("weather")).draw().svg()
    assert svg.count('class="cd-card"') == 5
    assert ">P(outlook | play)<" in svg
