"""PMML has the order and the attributes of the standard, and answers as the library in JPMML, if that is installed."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pyarrow as pa
import pytest
from tests.export.cases import NAMES, Case, assert_same, exported_cases, frame

import crake
from crake.errors import CrakeError
from crake.export.exported import Exported
from crake.export.forms import Compare, Node, Tree
from crake.export.pmml import to_pmml
from crake.table.schema import Column, Kind, Schema

NAMESPACE = "{http://www.dmg.org/PMML-4_4}"
PREDICATE = "(SimplePredicate|CompoundPredicate|True)"
EXPRESSION = "(Constant|FieldRef|Apply|Discretize)"
HEAD = "MiningSchema (Output )?(LocalTransformations )?"
# The content of each element as the schema of PMML 4.4 orders it (dmg.org/pmml/v4-4), and the attributes it requires.
STANDARD = {
    "PMML": ("Header DataDictionary (TreeModel|RegressionModel|MiningModel|NaiveBayesModel) ", {"version"}),
    "Header": ("Application ", set()),
    "Application": ("", {"name"}),
    "DataDictionary": ("(DataField )+", set()),
    "DataField": ("(Value )*", {"name", "optype", "dataType"}),
    "Value": ("", {"value"}),
    "MiningSchema": ("(MiningField )+", set()),
    "MiningField": ("", {"name"}),
    "Output": ("(OutputField )+", set()),
    "OutputField": ("", {"name", "dataType"}),
    "LocalTransformations": ("(DerivedField )+", set()),
    "DerivedField": (f"{EXPRESSION} ", {"name", "optype", "dataType"}),
    "Apply": (f"({EXPRESSION} )+", {"function"}),
    "Constant": ("", set()),
    "FieldRef": ("", {"field"}),
    "Discretize": ("(DiscretizeBin )+", {"field"}),
    "DiscretizeBin": ("Interval ", {"binValue"}),
    "Interval": ("", {"closure"}),
    "TreeModel": (f"{HEAD}Node ", {"functionName"}),
    "Node": (f"{PREDICATE} ((ScoreDistribution )*|(Node )+)", set()),
    "ScoreDistribution": ("", {"value", "recordCount"}),
    "SimplePredicate": ("", {"field", "operator"}),
    "CompoundPredicate": (f"({PREDICATE} ){{2,}}", {"booleanOperator"}),
    "True": ("", set()),
    "RegressionModel": (f"{HEAD}(RegressionTable )+", {"functionName"}),
    "RegressionTable": ("(NumericPredictor )*(CategoricalPredictor )*", {"intercept"}),
    "NumericPredictor": ("", {"name", "coefficient"}),
    "CategoricalPredictor": ("", {"name", "value", "coefficient"}),
    "MiningModel": (f"{HEAD}Segmentation ", {"functionName"}),
    "Segmentation": ("(Segment )+", {"multipleModelMethod"}),
    "Segment": (f"{PREDICATE} (TreeModel|RegressionModel|MiningModel) ", set()),
    "NaiveBayesModel": (f"{HEAD}BayesInputs BayesOutput ", {"functionName", "threshold"}),
    "BayesInputs": ("(BayesInput )+", set()),
    "BayesInput": ("(PairCounts )+", {"fieldName"}),
    "PairCounts": ("TargetValueCounts ", {"value"}),
    "BayesOutput": ("TargetValueCounts ", {"fieldName"}),
    "TargetValueCounts": ("(TargetValueCount )+", set()),
    "TargetValueCount": ("", {"value", "count"}),
}


@functools.cache
def documents() -> list[tuple[Case, str]]:
    """Return the documents of all models that PMML can say."""
    found = []
    names = crake.NaiveBayesClassifier().fit(crake.read(frame(3).select([*NAMES, "y"]), target="y"))
    for case in (*exported_cases(), Case("naive Bayes of names", names, exported_cases()[0].rows.select(NAMES))):
        with contextlib.suppress(CrakeError):
            found.append((case, case.model.to_pmml()))
    return found


def test_refusals_say_why() -> None:
    written = {case.name for case, _ in documents()}
    refused = [case for case in exported_cases() if case.name not in written]
    assert {type(case.model).__name__ for case in refused} == {
        "AdaBoostClassifier", "BaggingClassifier",
        "AODEClassifier", "BayesNetworkClassifier", "NBTreeClassifier", "TANClassifier",
    }  # fmt: skip
    for case in refused:
        with pytest.raises(CrakeError, match=r"cannot be exported to PMML|PMML has no element"):
            case.model.to_pmml()


def test_documents_follow_the_standard() -> None:
    assert len(documents()) > 40
    met = set()
    for case, text in documents():
        for own in ET.fromstring(text).iter():
            kind = own.tag.removeprefix(NAMESPACE)
            content, required = STANDARD[kind]
            met.add(kind)
            children = "".join(f"{child.tag.removeprefix(NAMESPACE)} " for child in own)
            assert re.fullmatch(content, children), (case.name, kind, children[:200])
            assert required <= set(own.attrib), (case.name, kind, own.attrib)
    assert met == set(STANDARD)


def test_fields_are_declared_before_they_are_read() -> None:
    for case, text in documents():
        root = ET.fromstring(text)
        named = [each.attrib["name"] for kind in ("DataField", "DerivedField") for each in root.iter(NAMESPACE + kind)]
        named += [each.attrib["name"] for each in root.iter(f"{NAMESPACE}OutputField")]
        read = {
            each.attrib["field"] for kind in ("FieldRef", "SimplePredicate") for each in root.iter(NAMESPACE + kind)
        }
        assert len(set(named)) == len(named), case.name
        assert read <= set(named), case.name


PROGRAM = """
import json, sys, warnings
warnings.simplefilter("ignore")
from jpmml_evaluator import make_evaluator
from jpmml_evaluator.jpype import JPypeBackend
backend = JPypeBackend()
for path, rows in json.load(open(sys.argv[1])):
    model = make_evaluator(path, backend=backend)
    print(json.dumps([model.evaluate(row) for row in rows]))
"""


def test_pmml_answers_as_the_library(tmp_path: Path) -> None:
    """Java runs in a process of its own: its signals and those of compiled kernels do not go together."""
    if not os.environ.get("CRAKE_REQUIRE_PMML"):
        if importlib.util.find_spec("jpmml_evaluator") is None:
            pytest.skip("jpmml-evaluator is not installed")
        if shutil.which("java") is None:
            pytest.skip("there is no Java for jpmml-evaluator")
    asked = []
    for at, (case, text) in enumerate(documents()):
        (tmp_path / f"{at}.pmml").write_text(text, encoding="utf-8")
        asked.append([str(tmp_path / f"{at}.pmml"), case.rows.to_pylist()])
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "asked.json")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    for (case, _), line in zip(documents(), ran.stdout.splitlines(), strict=True):
        found = json.loads(line)
        wanted = [f"P({label})" for label in case.classes] or ["predicted y"]
        assert_same(case, [each["predicted y"] for each in found], [[each[name] for name in wanted] for each in found])


def test_deep_trees_are_refused() -> None:
    schema = Schema((Column("x", Kind.NUMERIC), Column("y", Kind.NUMERIC)), "y")
    nodes: list[Node] = []
    for at in range(300):  # a split, then its first branch, a leaf; the second one is the next split
        test = ((Compare(0, "<=", float(at)),), (Compare(0, ">", float(at)),))
        nodes += [Node((test,), (2 * at + 1, 2 * at + 2), 0), Node()]
    deep = Tree((*nodes, Node()), np.zeros((len(nodes) + 1, 1)))
    with pytest.raises(CrakeError, match="at most 150 splits deep, got one of 300"):
        to_pmml(Exported("deep", schema, deep))


def test_names_are_counts_of_naive_bayes() -> None:
    root = ET.fromstring(documents()[-1][1])
    first = root.find(f"{NAMESPACE}NaiveBayesModel/{NAMESPACE}BayesInputs/{NAMESPACE}BayesInput")
    assert first is not None
    counts = [[float(each.attrib["count"]) for each in pair[0]] for pair in first]
    np.testing.assert_allclose(np.sum(counts, axis=0), 1.0, rtol=1e-13)


def test_missing_values_may_take_the_heaviest_branch() -> None:
    model = crake.C45Classifier().fit(crake.read("golf"))
    assert "<TreeModel" not in model.to_pmml()
    assert "<TreeModel" in model.to_pmml(missing="heaviest")
    with pytest.raises(CrakeError, match="missing='fails-not'; expected None, 'heaviest'"):
        model.to_pmml(missing="fails-not")


def test_what_xml_cannot_hold_is_refused() -> None:
    rows = pa.table({"a\x01b": ["a", "b"] * 4, "y": ["a", "b"] * 4})
    model = crake.C45Classifier(min_samples_leaf=1).fit(crake.read(rows, target="y"))
    with pytest.raises(CrakeError, match="which XML cannot hold; rename it"):
        model.to_pmml()
