"""Files whose checksum is right and whose content is not: refused in less than a second, by a CrakeError."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.modelfile.models import TAX, small
from tests.modelfile.repaired import Change, Document, Tensors, changed, packed, parts, refused, written

import crake
from crake.errors import ModelFileError
from crake.modelfile import describe
from crake.modelfile.reading import Reader
from crake.modelfile.store import opened
from crake.modelfile.writing import model_bytes
from crake.table.convert.frames import encode, from_frame
from crake.table.table import Table


def _cut_table() -> Table:
    """The columns of the tax table with incomes that MDL cuts."""
    rows = [["Yes", "Single", float(k)] for k in range(40)]
    frame = pd.DataFrame(rows, columns=["refund", "marital_status", "taxable_income"])
    frame["evade"] = ["No" if 10 <= k < 25 else "Yes" for k in range(40)]
    return from_frame(frame, target="evade")


BAYES = model_bytes(small())
RULES = model_bytes(crake.OneRuleClassifier(min_bucket=1).fit(TAX))
MAJORITY = model_bytes(crake.MajorityClassifier().fit(TAX))
HELD = model_bytes(crake.NaiveBayesClassifier(precision=0.5).fit(TAX))
KERNELS = model_bytes(crake.NaiveBayesClassifier(numeric="kernel").fit(TAX))
INTERVALS = model_bytes(crake.NaiveBayesClassifier(numeric="discretised").fit(_cut_table()))
ALL = (BAYES, RULES, MAJORITY, HELD, KERNELS, INTERVALS)


def test_what_is_put_together_again_loads(tmp_path: Path) -> None:
    for data in ALL:
        (tmp_path / "m.crake").write_bytes(changed(data, lambda document, tensors: None))
        crake.load(tmp_path / "m.crake").predict_proba(TAX)


def put(name: str, array: Any, dtype: Any = None) -> Change:
    def change(document: Document, tensors: Tensors) -> None:
        assert name in tensors
        tensors[name] = np.asarray(array, dtype or tensors[name].dtype)

    return change


def cell(name: str, place: Any, value: Any) -> Change:
    def change(document: Document, tensors: Tensors) -> None:
        tensors[name][place] = value

    return change


def without(name: str) -> Change:
    return lambda document, tensors: tensors.pop(name)


def node(**values: Any) -> Change:
    return lambda document, tensors: document["model"].update(values)


def parameter(name: str, value: Any) -> Change:
    return lambda document, tensors: document["model"]["parameters"].update({name: value})


def state(name: str, value: Any) -> Change:
    return lambda document, tensors: document["model"]["state"].update({name: value})


def schema(name: str, value: Any) -> Change:
    return lambda document, tensors: document["model"]["state"]["schema"]["group"].update({name: value})


def reshaped(name: str, *shape: int) -> Change:
    return lambda document, tensors: tensors.update({name: np.resize(tensors[name], shape)})


def nested(depth: int, key: str) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {key: {"learner": "MajorityClassifier", "parameters": {"prior": value}}}
    return value


COUNTS, VALUES = "statistics/class_counts", "statistics/value_counts"
MOMENTS, EXPONENT = "statistics/moments", "statistics/exponent"
WEIGHT, SUM, SQUARES = "statistics/weight", "statistics/sum", "statistics/squares"
ROUNDED = (Path(__file__).parents[1] / "golden/naive_bayes_mixed.crake").read_bytes()
"""A model whose means and variances are stored as they were rounded."""

ATTACKS: dict[str, tuple[bytes, Change]] = {
    # counts
    "a NaN count": (BAYES, cell(COUNTS, 0, np.nan)),
    "an infinite count": (BAYES, cell(COUNTS, 0, np.inf)),
    "a negative count": (BAYES, cell(COUNTS, 0, -1.0)),
    "no rows": (ROUNDED, lambda d, t: [t[n].fill(0) for n in (COUNTS, VALUES, MOMENTS)]),
    "a class more": (BAYES, put(COUNTS, [1.0, 2.0, 3.0])),
    "counts of another shape": (BAYES, reshaped(COUNTS, 2, 1)),
    "counts of another type": (BAYES, put(COUNTS, [7, 3], np.int64)),
    "a fraction marked as whole": (BAYES, cell(COUNTS, 0, 7.5)),
    "a NaN value count": (BAYES, cell(VALUES, (0, 0), np.nan)),
    "more values than rows": (BAYES, cell(VALUES, (0, 1), 1e6)),
    "a level too many": (BAYES, reshaped(VALUES, 2, 99)),
    "counts beyond all tables": (MAJORITY, cell(COUNTS, 0, 1e300)),
    # moments
    "a NaN mean": (ROUNDED, cell(MOMENTS, (1, 0, 0), np.nan)),
    "an infinite mean": (ROUNDED, cell(MOMENTS, (1, 0, 0), np.inf)),
    "negative squares": (ROUNDED, cell(MOMENTS, (2, 0, 0), -1.0)),
    "impossible squares": (ROUNDED, cell(MOMENTS, (2, 0, 0), 1e300)),
    "a mean beyond all values": (ROUNDED, cell(MOMENTS, (1, 0, 0), 1e200)),
    "more weight than rows": (ROUNDED, cell(MOMENTS, (0, 0, 0), 1e5)),
    "an exponent of 7": (ROUNDED, cell(EXPONENT, (0, 0), 7)),
    "an exponent of -2^31": (ROUNDED, cell(EXPONENT, (0, 0), -(2**31))),
    "moments of three parts": (ROUNDED, lambda d, t: t.update({MOMENTS: t[MOMENTS][:3].copy()})),
    "moments of another column": (ROUNDED, lambda d, t: t.update({MOMENTS: np.repeat(t[MOMENTS], 2, axis=2)})),
    # exact sums
    "more exact weight than rows": (BAYES, cell(f"{WEIGHT}_digits", 0, 10**5)),
    "a negative weight": (BAYES, cell(f"{WEIGHT}_digits", 0, -1)),
    "squares below those of the mean": (BAYES, lambda d, t: t[f"{SQUARES}_digits"].fill(0)),
    "a digit too large": (BAYES, cell(f"{SUM}_digits", 0, 2**32)),
    "a sum beyond all values": (BAYES, lambda d, t: t[f"{SUM}_places"].__iadd__(60)),
    "a digit too few": (BAYES, lambda d, t: t.update({f"{SUM}_digits": t[f"{SUM}_digits"][1:].copy()})),
    "places beyond all": (BAYES, cell(f"{SUM}_places", (0, 1), 10**6)),
    "places backwards": (BAYES, lambda d, t: t.update({f"{SUM}_places": t[f"{SUM}_places"][:, ::-1].copy()})),
    "a NaN precision": (HELD, cell("precision", 0, np.nan)),
    "a precision of 0": (HELD, cell("precision", 0, 0.0)),
    "two precisions": (HELD, put("precision", [1.0, 1.0])),
    # rules
    "cuts that descend": (RULES, lambda d, t: t["buckets/cuts"].sort() or t["buckets/cuts"].__imul__(-1)),
    "a NaN cut": (RULES, cell("buckets/cuts", 0, np.nan)),
    "a cut twice": (RULES, lambda d, t: t["buckets/cuts"].fill(80.0)),
    "a cut too many": (RULES, lambda d, t: t.update({"buckets/cuts": np.arange(50.0)})),
    "branches of -1": (RULES, cell("buckets/branches", 0, -1)),
    "branches of 2^31": (RULES, cell("buckets/branches", 0, 2**31)),
    "branches of 2^62": (RULES, cell("buckets/branches", 0, 2**62)),
    "a missing flag of 2": (RULES, cell("buckets/missing", 0, 2)),
    "a missing branch of nothing": (RULES, cell("buckets/missing", 0, 1)),
    "a branch of NaN": (RULES, cell("buckets/counts", (0, 0), np.nan)),
    "a branch of more than all rows": (RULES, cell("buckets/counts", (0, 0), 1e9)),
    "branches of another class": (RULES, lambda d, t: t.update({"buckets/counts": t["buckets/counts"][:, :1].copy()})),
    # kernels and intervals
    "a kernel at NaN": (KERNELS, cell("kernels/values", 0, np.nan)),
    "a kernel of no class": (KERNELS, cell("kernels/classes", 0, 2**31 - 1)),
    "a kernel of class -1": (KERNELS, cell("kernels/classes", 0, -1)),
    "a kernel without weight": (KERNELS, cell("kernels/counts", 0, 0.0)),
    "a kernel heavier than all rows": (KERNELS, cell("kernels/counts", 0, 1e9)),
    "kernels that descend": (KERNELS, lambda d, t: t["kernels/values"].__imul__(-1)),
    "kernels of 2^62 cells": (KERNELS, cell("kernels/cells", 0, 2**62)),
    "kernels that are left over": (KERNELS, cell("kernels/cells", 0, 1)),
    "intervals that descend": (INTERVALS, lambda d, t: t["intervals/cuts"].__imul__(-1)),
    "an interval at NaN": (INTERVALS, cell("intervals/cuts", 0, np.nan)),
    "intervals of -1": (INTERVALS, cell("intervals/widths", 0, -1)),
    "intervals of 2^62": (INTERVALS, cell("intervals/widths", 0, 2**62)),
    "an interval of more than all rows": (INTERVALS, cell("intervals/counts", (0, 0), 1e9)),
    # schema
    "a kind of 9": (BAYES, cell("schema/kinds", 0, 9)),
    "a numeric column with levels": (BAYES, cell("schema/kinds", 0, 1)),
    "a target that is numeric": (BAYES, schema("target", 2)),
    "a target beyond the columns": (BAYES, schema("target", 4)),
    "a target of 2^31": (BAYES, schema("target", 2**31)),
    "a target of -2": (BAYES, schema("target", -2)),
    "no target": (BAYES, schema("target", -1)),
    "a target of true": (BAYES, schema("target", True)),
    "widths of -1": (BAYES, cell("schema/widths", 0, -1)),
    "widths of 2^62": (BAYES, put("schema/widths", [2**62, 2**62, 2**62, 2**62])),
    "widths that leave a level over": (BAYES, cell("schema/widths", 0, 1)),
    "a declared flag of 7": (BAYES, cell("schema/declared", 0, 7)),
    "a name twice": (BAYES, lambda d, t: t["schema/names/text"].__setitem__(slice(None), ord("a"))),
    "levels that are equal": (BAYES, lambda d, t: t["schema/levels/ends"].fill(31)),
    "ends that descend": (BAYES, cell("schema/levels/ends", 0, 10**6)),
    "ends of -1": (BAYES, cell("schema/levels/ends", 0, -1)),
    "ends beyond the text": (BAYES, cell("schema/levels/ends", -1, 2**40)),
    "ends short of the text": (BAYES, cell("schema/levels/ends", -1, 0)),
    "text that is not UTF-8": (BAYES, cell("schema/levels/text", 0, 0xFF)),
    "half a surrogate pair": (BAYES, lambda d, t: t["schema/names/text"].__setitem__(slice(0, 3), [0xED, 0xA0, 0x80])),
    "a label of kind 9": (BAYES, cell("schema/levels/kinds", 0, 9)),
    "a label of another kind": (BAYES, cell("schema/levels/kinds", 0, 1)),
    "names that are numbers": (BAYES, lambda d, t: _numbers_for_names(t)),
    "labels without kinds": (BAYES, without("schema/levels/kinds")),
    "fewer names than columns": (BAYES, lambda d, t: _fewer_features(t)),
    # parts
    "a tensor too few": (BAYES, without(f"{SUM}_digits")),
    "a tensor too many": (BAYES, lambda d, t: t.update({"more": np.zeros(3)})),
    "a tensor of labels too many": (BAYES, lambda d, t: t.update({"schema/levels/more": np.zeros(3)})),
    "a part that nobody knows": (BAYES, state("more", 1)),
    "a part that is missing": (BAYES, lambda d, t: d["model"]["state"].pop("left_out")),
    "no schema": (BAYES, lambda d, t: d["model"]["state"].pop("schema")),
    "a schema that is a number": (BAYES, state("schema", 7)),
    "a float in the state": (BAYES, state("left_out", 1.5)),
    "a negative number of rows": (BAYES, state("left_out", -1)),
    "more digits than a number has": (BAYES, state("left_out", 10**100)),
    "a list in the state": (BAYES, state("left_out", [1])),
    "another place's tensor": (BAYES, state("left_out", {"array": COUNTS})),
    "labels of another place": (BAYES, state("feature_names", {"labels": "schema/levels"})),
    "a value of two kinds": (BAYES, state("left_out", {"array": "left_out", "labels": "left_out"})),
    "a model where a number is": (BAYES, state("left_out", {"model": nested(1, "x")["x"]})),
    # the learner
    "an unknown learner": (BAYES, node(learner="QuantumForest")),
    "a learner by its module": (BAYES, node(learner="os.system")),
    "a learner that is a number": (BAYES, node(learner=7)),
    "a learner that is a list": (BAYES, node(learner=["NaiveBayesClassifier"])),
    "another learner": (BAYES, node(learner="OneRuleClassifier")),
    "a learner of less": (BAYES, node(learner="MajorityClassifier", parameters={})),
    "a learner without state": (BAYES, lambda d, t: d["model"].pop("state")),
    "a learner with more": (BAYES, node(code="print(1)")),
    "no model": (BAYES, lambda d, t: d.update(model=None)),
    "a key too many": (BAYES, lambda d, t: d.update(author="me")),
    "a key too few": (BAYES, lambda d, t: d.pop("needs")),
    # parameters
    "an unknown parameter": (BAYES, parameter("beta", 1)),
    "a parameter of another type": (BAYES, parameter("alpha", "one")),
    "a parameter out of range": (BAYES, parameter("alpha", -1.0)),
    "a parameter that is NaN": (BAYES, parameter("alpha", {"float": "nan"})),
    "a parameter of no kind": (BAYES, parameter("alpha", {"code": "1"})),
    "a parameter that is a learner": (BAYES, parameter("alpha", nested(1, "learner"))),
    "learners 300 deep": (BAYES, parameter("prior", nested(300, "learner"))),
    "lists 500 deep": (BAYES, parameter("prior", json.loads("[" * 500 + "]" * 500))),
    "an uneven array": (BAYES, parameter("prior", {"array": [[1], [1, 2]]})),
    "an array of nothing": (BAYES, parameter("prior", {"array": [None]})),
    "a prior of three classes": (BAYES, parameter("prior", [0.2, 0.3, 0.5])),
    "a prior that is no number": (BAYES, parameter("prior", ["a", "b"])),
    "a prior of lists": (BAYES, parameter("prior", [[0.5], [0.5, 0.5]])),
    "a mapping of no pairs": (BAYES, parameter("prior", {"mapping": [[1, 2, 3]]})),
    "a mapping with a list for a key": (BAYES, parameter("prior", {"mapping": [[[1], 2]]})),
    "a mapping with a key twice": (BAYES, parameter("prior", {"mapping": [["No", 1], ["No", 0]]})),
    "an unknown plan": (BAYES, parameter("prior", {"plan": ["os.system", ["command", "true"]]})),
    "a plan of nothing": (BAYES, parameter("prior", {"plan": []})),
    "a plan that cannot be": (BAYES, parameter("prior", {"plan": ["CrossValidation", ["folds", 1]]})),
    "a plan with an unknown setting": (BAYES, parameter("prior", {"plan": ["CrossValidation", ["more", 1]]})),
    "two ways to smooth": (BAYES, lambda d, t: d["model"]["parameters"].update(m=1, zero=0.5)),
    "a precision without its state": (BAYES, parameter("precision", 1.0)),
    # versions
    "a format of text": (BAYES, lambda d, t: d.update(format="1.0")),
    "a format of one number": (BAYES, lambda d, t: d.update(format=[1])),
    "a format before the first": (BAYES, lambda d, t: d.update(format=[0, 9])),
    "a negative format": (BAYES, lambda d, t: d.update(format=[1, -1])),
}


def _numbers_for_names(tensors: Tensors) -> None:
    count = len(tensors["schema/names/kinds"])
    for name in ("text", "ends"):
        del tensors[f"schema/names/{name}"]
    tensors["schema/names/kinds"].fill(1)
    tensors["schema/names/integers"] = np.arange(count)


def _fewer_features(tensors: Tensors) -> None:
    for name in ("kinds", "ends"):
        tensors[f"feature_names/{name}"] = tensors[f"feature_names/{name}"][:1].copy()
    tensors["feature_names/text"] = tensors["feature_names/text"][: tensors["feature_names/ends"][0]].copy()


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_refused(name: str, tmp_path: Path) -> None:
    data, change = ATTACKS[name]
    refused(changed(data, change), tmp_path / "attack.crake")


def test_what_the_messages_say(tmp_path: Path) -> None:
    def message(change: Change) -> str:
        return refused(changed(BAYES, change), tmp_path / "m.crake")

    assert "statistics/class_counts has the shape (3,); expected (2,)" in message(put(COUNTS, [1.0, 2.0, 3.0]))
    assert "it holds a learner 'QuantumForest'; this crake knows" in message(node(learner="QuantumForest"))
    assert "NaiveBayesClassifier has no parameter 'beta'; it has alpha, " in message(parameter("beta", 1))
    assert "more is not a part this learner knows" in message(state("more", 1))
    assert "the array 'statistics/sum_digits' is missing" in message(without(f"{SUM}_digits"))


def test_a_newer_format_says_which_crake_it_needs(tmp_path: Path) -> None:
    for version in ([1, 2], [2, 0], [10**6, 0]):
        data = changed(BAYES, lambda d, t, version=version: d.update(format=version, needs="7.3", more="unknown"))
        assert "it needs crake ≥ 7.3" in refused(data, tmp_path / "newer.crake")
        with pytest.raises(ModelFileError, match=r"it needs crake ≥ 7\.3"):
            describe(tmp_path / "newer.crake")


def test_parameters_that_are_not_in_the_file_have_their_defaults(tmp_path: Path) -> None:
    """A parameter that a later version adds is not in the files of an older one."""
    (tmp_path / "m.crake").write_bytes(changed(BAYES, lambda d, t: d["model"]["parameters"].pop("floor")))
    assert crake.load(tmp_path / "m.crake").floor == 0.0


NUMBERS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0.0, -1.0, 1e-320, 1e30, 1e48, 1e60, 1e127, 1e300, 2.0**425, 2.0**-1074]),
    st.integers(-(2**63), 2**63 - 1),
)


@given(st.sampled_from(ALL), st.data())
@settings(max_examples=300, deadline=None)
def test_any_number_anywhere_gives_an_error_or_a_sound_model(data: bytes, draw: st.DataObject) -> None:
    """Whatever passes the checks must give probabilities that are finite and sum to 1."""

    def change(document: Document, tensors: Tensors) -> None:
        for _ in range(draw.draw(st.integers(1, 3))):
            array = tensors[draw.draw(st.sampled_from(sorted(name for name in tensors if tensors[name].size)))]
            place = draw.draw(st.integers(0, array.size - 1))
            with np.errstate(all="ignore"):
                array.flat[place] = np.array([draw.draw(NUMBERS)]).astype(array.dtype, casting="unsafe")[0]

    with np.errstate(all="ignore"):
        attack = changed(data, change)
        try:
            document, found = opened(attack)
            model = Reader(found).model(document["model"])
            rows = np.array([[None, None, 1e300], ["Yes", "Single", 120.0]], dtype=object)
            shares = model.probabilities(encode(rows, model.schema_))
        except crake.CrakeError:
            return
    assert np.isfinite(shares).all()
    assert np.allclose(shares.sum(axis=1), 1)


def test_a_doubled_key_among_very_many_is_found_at_once(tmp_path: Path) -> None:
    document, tensors = parts(MAJORITY)
    many = ",".join(f'"k{number}":0' for number in range(100_000))
    text = written(document).replace("{", f'{{{many},"z":0,"z":0,', 1)
    assert "holds the key 'z' twice" in refused(packed(text, tensors), tmp_path / "m.crake")


def test_a_description_cannot_steer_a_terminal(tmp_path: Path) -> None:
    def rename(document: Document, _: Tensors) -> None:
        document["model"]["learner"] = "Tree\x1b[2J"

    path = tmp_path / "m.crake"
    path.write_bytes(changed(MAJORITY, rename))
    assert str(describe(path)).startswith(r"Tree\x1b[2J: ")
    path.write_bytes(changed(MAJORITY, lambda document, _: document.update(format=[9, 0], needs="9\x1b[2J")))
    with pytest.raises(ModelFileError, match=r"needs crake ≥ 9\\x1b"):
        crake.load(path)
