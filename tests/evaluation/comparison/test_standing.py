"""Short verdicts: the standing against the best in a few words, and what they leave out as a remark."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from crake.evaluation.comparison.criterion import BY_ACCURACY
from crake.evaluation.comparison.standing import Standing
from crake.metrics.estimate import Estimate


def standing(p_best: float | None, p_baseline: float | None, **changes: bool) -> Standing:
    facts = {"is_best": False, "is_baseline": False, "is_above_baseline": True, **changes}
    learner = SimpleNamespace(
        is_baseline=facts.pop("is_baseline"), accuracy=Estimate(0.8), estimate=lambda *_: Estimate(0.8)
    )
    return Standing(
        learner,
        BY_ACCURACY,
        p_best=p_best,
        baseline="majority class",
        p_baseline=p_baseline,
        corrected_p_best=p_best,
        corrected_p_baseline=p_baseline,
        **facts,
    )


@pytest.mark.parametrize(
    ("place", "verdict", "remark"),
    [
        (standing(None, 0.001, is_best=True), "best", ""),
        (standing(None, 0.3, is_best=True), "best", "not shown to beat the majority class"),
        (standing(0.31, 0.001), "tied (p = 0.310)", ""),
        (standing(0.0001, 0.2), "worse (p < 0.001)", "not shown to beat the majority class"),
        (standing(0.0001, 0.01, is_above_baseline=False), "worse (p < 0.001)", "worse than the majority class"),
        (standing(0.0001, None, is_baseline=True), "worse (p < 0.001)", "baseline"),
        (standing(0.31, 0.31, is_above_baseline=False, is_baseline_best=True), "tied (p = 0.310)", ""),
        (standing(None, None), "not tested", ""),
    ],
)
def test_a_short_verdict_and_its_remark(place: Standing, verdict: str, remark: str) -> None:
    assert (place.short_verdict, place.remark) == (verdict, remark)
