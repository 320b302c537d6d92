"""Model files with a cutoff or a search in them, changed by an attacker who repairs the checksum: refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.modelfile.models import TAX
from tests.modelfile.repaired import Change, changed

import crake
from crake.modelfile.writing import model_bytes


def rule(document: Any) -> Any:
    return document["model"]["state"]["rule"]["group"]


def put(name: str, at: int, value: float) -> Change:
    def change(_: Any, tensors: Any) -> None:
        tensors[name][at] = value

    return change


ATTACKS: dict[str, tuple[Change, str]] = {
    "no positive class": (lambda d, _: rule(d).update(positive=-1), "positive is not there beside a cutoff"),
    "a class too many": (lambda d, _: rule(d).update(positive=2), "positive is 2"),
    "a cutoff that is no number": (put("rule/cutoff/numbers", 0, float("nan")), "finite numbers"),
    "an infinity of sign 2": (put("rule/cutoff/infinite", 0, 2), "holds 0 … 2"),
    "negative counts": (put("rule/cutoff/counts", 1, -1.0), "counts holds -1.0"),
    "a spread that descends": (put("rule/spread/numbers", 0, 9.0), "does not ascend"),
    "costs of another shape": (lambda d, _: d["model"]["parameters"].update(cost={"costs": [["a"], [[1, 2]]]}), "cost"),
    "a part too many": (lambda d, _: rule(d).update(more=1), "not a part this learner knows"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_rule_that_does_not_fit_is_refused(name: str, tmp_path: Path) -> None:
    change, said = ATTACKS[name]
    data = model_bytes(crake.WithCutoff(by="youden", plan=crake.CrossValidation(2)).fit(TAX))
    (tmp_path / "m.crake").write_bytes(changed(data, change))
    with pytest.raises(crake.CrakeError, match=said):
        crake.load(tmp_path / "m.crake")


def names_of_another(document: Any, tensors: Any) -> None:
    """`alpha`, which was tuned, becomes `alphb`."""
    tensors["tuned/text"][-1] = ord("b")


def test_a_search_that_tuned_what_is_not_there_is_refused(tmp_path: Path) -> None:
    model = crake.Tuned(crake.NaiveBayesClassifier(), {"alpha": [1, 2]}, plan=crake.CrossValidation(2)).fit(TAX)
    (tmp_path / "m.crake").write_bytes(changed(model_bytes(model), names_of_another))
    with pytest.raises(crake.CrakeError, match="tuned holds 'alphb'"):
        crake.load(tmp_path / "m.crake")
