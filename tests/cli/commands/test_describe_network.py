"""Bayesian networks in the command line: described and drawn; other commands say what they take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.learners.network.networks import campfire

import crake as library


def test_a_network_is_described_and_drawn_and_not_explained(crake: Any, tmp_path: Path) -> None:
    file = tmp_path / "n.crake"
    library.save(campfire(), file)
    assert json.loads(crake("describe", file, "--json").out)["learner"] == "BayesNetwork"
    assert "P(Campfire | Storm, BusTourGroup)" in crake("describe", file).out
    assert crake("describe", file, "--html", tmp_path / "n.html").code == 0
    assert "click on a variable" in (tmp_path / "n.html").read_text()
    for command in ("explain", "predict"):
        ended = crake(command, file, "weather")
        assert ended.code == 2
        assert "holds a BayesNetwork" in ended.err
