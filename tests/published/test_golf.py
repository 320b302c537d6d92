"""The golf table of lecture 000: the weather table with Sunny and Rainy exchanged."""

from __future__ import annotations

import numpy as np
import pytest

import crake
from crake.table.examples import load


def test_outlook_by_play() -> None:
    model = crake.NaiveBayesClassifier(alpha=0).fit(load("golf"))
    counts = model.statistics_.value_counts
    assert counts is not None
    levels = model.schema_.features[0].levels
    by_value = dict(zip(levels, counts.table(0)[0].T.tolist(), strict=True))
    assert by_value == {"Sunny": [2, 3], "Rainy": [3, 2], "Overcast": [0, 4]}


def test_no_given_sunny() -> None:
    """P(No given Sunny) = P(Sunny given No)·P(No)/P(Sunny) = 2/5 · 5/14 / (5/14) = 0.40."""
    outlook = load("golf").select(["outlook", "play"])
    model = crake.NaiveBayesClassifier(alpha=0).fit(outlook)
    assert model.explain({"outlook": "Sunny"})["No"] == pytest.approx(0.40, abs=1e-15)
    assert crake.OneRuleClassifier().fit(outlook).explain({"outlook": "Sunny"})["No"] == 0.4


def test_weather_is_golf_with_two_values_exchanged() -> None:
    golf, weather = load("golf"), load("weather")
    row = [{"outlook": outlook, "temp": "Cool", "humidity": "High", "windy": "True"} for outlook in ("Rainy", "Sunny")]
    for learner in (crake.NaiveBayesClassifier(), crake.OneRuleClassifier()):
        assert learner.fit(golf).explain(row[0]).answer == learner.fit(weather).explain(row[1]).answer


def test_the_majority_plays() -> None:
    model = crake.MajorityClassifier().fit(load("golf"))
    np.testing.assert_allclose(model.predict_proba(load("golf"))[0], [5 / 14, 9 / 14])
    assert "9/14" in str(model.explain())
