"""Multinomial naive Bayes of words answers as WEKA's on ReutersCorn, with WEKA's vocabulary: counts and presence."""

from __future__ import annotations

import csv
import gzip
import json

import numpy as np
import pytest
from tests.weka.reference import SHARED

import crake

REFERENCE = SHARED / "reference" / "traintest" / "ReutersCorn.vocabulary.json"
DELIMITERS = " \r\n\t.,;:'\"()?!"


@pytest.mark.skipif(not REFERENCE.exists(), reason="the folder shared/reference/traintest is not beside the checkout")
@pytest.mark.parametrize(
    ("scheme", "text", "correct"), [("NBM-counts", "multinomial", 555), ("NBM-binary", "presence", 566)]
)
def test_every_row_of_the_test_set(scheme: str, text: str, correct: int) -> None:
    training, test = (
        crake.read(SHARED / "data" / "text" / f"ReutersCorn-{part}.arff.gz", target="class-att")
        for part in ("train", "test")
    )
    vocabulary = json.loads(REFERENCE.read_text())[1:]
    assert len(vocabulary) == 2233
    learner = crake.TextBayesClassifier(
        text=text, vocabulary=vocabulary, lowercase=False, delimiters=DELIMITERS, prior="laplace"
    )
    found = learner.fit(training).predict_proba(test)
    with gzip.open(REFERENCE.parent / "ReutersCorn.test.csv.gz", "rt") as file:
        its = [[float(line["p0"]), float(line["p1"])] for line in csv.DictReader(file) if line["scheme"] == scheme]
    np.testing.assert_allclose(found, its, atol=1e-11)
    assert np.count_nonzero(found.argmax(axis=1) == test.target) == correct
