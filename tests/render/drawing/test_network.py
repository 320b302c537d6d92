"""A network in layers: parents above children, all nodes and arcs drawn, circles refused."""

from __future__ import annotations

import re

import pytest

from crake.render.drawing.network import NetworkNode, NetworkPicture, layers_of, network_drawing
from crake.render.grid import Grid

NODES = (
    NetworkNode("Storm"),
    NetworkNode("Bus", parents=()),
    NetworkNode("Campfire", "0.4 bits", (0, 1), title="<Campfire>"),
    NetworkNode("Forest fire", parents=(0, 2)),
)


def test_boxes_and_arrows() -> None:
    svg = network_drawing(NetworkPicture("A network", "four nodes", "Storm has two children.", NODES)).svg()
    boxes = {name: float(y) for y, name in re.findall(r'cd-box" x="[\d.]+" y="([\d.]+)".*?cd-b"[^>]*>([^<]+)<', svg)}
    assert boxes["Storm"] == boxes["Bus"] < boxes["Campfire"] < boxes["Forest fire"]
    assert svg.count("cd-line") - svg.count(".cd-line") == 4
    assert "&lt;Campfire&gt;" in svg


def test_a_circle_is_refused() -> None:
    with pytest.raises(ValueError, match="circle"):
        layers_of([(1,), (0,), ()])


def test_what_opens_a_table_is_not_inside_an_image() -> None:
    storm = NetworkNode("Storm", table=Grid("P(Storm)", ("yes", "no"), (("0.1", "0.9"),)))
    with_table = network_drawing(NetworkPicture("A network", "two nodes", "One arc.", (storm, NODES[1])))
    assert 'role="group"' in with_table.svg()
    assert 'href="#"' not in with_table.svg()  # which would go to the top of the page
    assert 'role="img"' in network_drawing(NetworkPicture("A network", "four nodes", "Four arcs.", NODES)).svg()
