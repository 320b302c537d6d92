"""Naive Bayes of words: against scikit-learn's three models, the lectures' formula, refitting, scans and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

import crake
from crake.errors import CrakeError, DataError, ModelFileError
from crake.learners.base.state import StateReader
from crake.learners.naive_bayes import word_tables
from crake.learners.naive_bayes import words as words_module
from crake.workbench.models import warnings_for

DOCUMENTS = [
    "Buy now, buy cheap!", "Lunch now? It's on me", "cheap CHEAP watches, buy", "see you at lunch", "",
    "meet me at the station", "win cash now now", "the station is closed", "Größe XL: buy now",
]  # fmt: skip
LABELS = ["spam", "ham", "spam", "ham", "ham", "ham", "spam", "note", "spam"]
NEW = ["buy the lunch", "unheard words only", "now now now", "", "Größe?"]


def mails() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"mail": DOCUMENTS * 4, "kind": LABELS * 4})
    frame["place"] = np.where(rng.random(36) < 0.5, "home", "work")
    frame["size"] = rng.normal(size=36).round(2) + (frame["kind"] == "spam")
    frame.loc[3, "mail"] = None
    return frame


@pytest.fixture(scope="module")
def table() -> crake.Table:
    return crake.read(mails(), target="kind", text=["mail"])


@pytest.mark.parametrize(
    ("text", "theirs"),
    [
        ("multinomial", MultinomialNB()),
        ("bernoulli", BernoulliNB()),
        ("complement", ComplementNB()),
        ("presence", None),
    ],
)
@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_the_same_probabilities_as_scikit_learn(text: str, theirs: Any, alpha: float) -> None:
    vectorizer = CountVectorizer(token_pattern=r"\w+", binary=text == "presence")
    X = vectorizer.fit_transform(DOCUMENTS)
    other = clone(theirs or MultinomialNB()).set_params(alpha=alpha).fit(X, LABELS)
    mine = crake.TextBayesClassifier(alpha, text=text).fit(DOCUMENTS, LABELS)
    expected = other.predict_proba(vectorizer.transform(NEW))
    if text == "complement":  # scikit-learn leaves the prior out
        expected = expected * np.exp(other.class_log_prior_)
        expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(mine.predict_proba(NEW), expected, rtol=1e-10)
    assert mine.words_[0].vocabulary == tuple(vectorizer.get_feature_names_out())


def test_the_formula_of_the_lectures() -> None:
    """P(w given c) = (n_k + 1)/(n + |V|): 4 words of spam, 3 of ham, 5 in all."""
    model = crake.TextBayesClassifier().fit(["buy now", "meet me now", "buy cheap"], ["spam", "ham", "spam"])
    spam, ham = 2 / 3 * (3 / 9) * (1 / 9), 1 / 3 * (1 / 8) * (2 / 8)
    assert model.predict_proba(["buy me"])[0] == pytest.approx([ham / (ham + spam), spam / (ham + spam)], rel=1e-12)
    workings = model.explain("buy me, stranger")
    assert workings["spam"] == pytest.approx(spam / (ham + spam))
    (grid,) = workings.sections[0].tables
    assert [row[:4] for row in grid.rows] == [("buy", "1", "0", "2"), ("me", "1", "1", "0")]
    assert "1 word of text is skipped: never seen in training" in str(workings)


def test_nothing_known_is_the_prior() -> None:
    model = crake.TextBayesClassifier().fit(DOCUMENTS, LABELS)
    for nothing in ("", "unheard of", None):
        np.testing.assert_allclose(model.predict_proba([nothing, "x"])[0], model.class_prior_, rtol=1e-12)


def test_text_names_and_numbers_are_one_product(table: crake.Table) -> None:
    whole = crake.NaiveBayesClassifier().fit(table)
    with_text, without = table.select(["mail", "kind"]), table.select(["place", "size", "kind"])
    text, rest = crake.NaiveBayesClassifier().fit(with_text), crake.NaiveBayesClassifier().fit(without)
    product = text.predict_proba(with_text) * rest.predict_proba(without) / whole.class_prior_
    np.testing.assert_allclose(whole.predict_proba(table), product / product.sum(axis=1, keepdims=True), rtol=1e-9)
    np.testing.assert_allclose(np.exp(whole.predict_log_proba(table)), whole.predict_proba(table), rtol=1e-9)
    for row in range(5):
        one = mails().iloc[[row]].drop(columns="kind")
        answer = [share for _, share in whole.explain(one).answer]
        assert answer == pytest.approx(whole.predict_proba(table)[row].tolist(), rel=1e-9)
    by_name = whole.predict_proba(mails()[["size", "kind", "mail", "place"]])
    np.testing.assert_array_equal(by_name, whole.predict_proba(table))
    with pytest.raises(CrakeError, match="'mail'"):
        whole.predict_proba(mails()[["place", "size"]])


@pytest.mark.parametrize(
    "learner",
    [
        crake.NaiveBayesClassifier(),
        crake.NaiveBayesClassifier(numeric="discretised", text="bernoulli"),
        crake.TextBayesClassifier(min_count=2, ngrams=(1, 2), text="complement"),
    ],
)
def test_folds_portions_and_forgotten_rows(learner: Any, table: crake.Table, tmp_path: Path) -> None:
    fold = np.arange(36) % 3
    found = crake.evaluate(learner, table, plan=crake.GivenFolds(fold)).out_of_fold.probabilities
    for k in range(3):
        train, test = table.take(np.flatnonzero(fold != k)), table.take(np.flatnonzero(fold == k))
        refitted = clone(learner).fit(train).predict_proba(test)
        np.testing.assert_allclose(found[fold == k], refitted, rtol=1e-9, atol=1e-300)
    whole = clone(learner).fit(table).predict_proba(table)
    first, second = table.take(np.arange(20)), table.take(np.arange(20, 36))
    portions = clone(learner).fit(first).partial_fit(second)
    np.testing.assert_allclose(portions.predict_proba(table), whole, rtol=1e-9)
    merged = clone(learner).fit(first).merge(clone(learner).fit(second))
    np.testing.assert_allclose(merged.predict_proba(table), whole, rtol=1e-9)
    if learner.numeric == "gaussian":
        crake.save(clone(learner).fit(first), tmp_path / "m.crake")
        loaded = crake.load(tmp_path / "m.crake").partial_fit(second)
        np.testing.assert_allclose(loaded.predict_proba(table), whole, rtol=1e-9)
    no_numbers = first.select(["mail", "place", "kind"])
    both = clone(learner).fit(table.select(["mail", "place", "kind"]))
    left = both.forget(second.select(["mail", "place", "kind"]))
    alone = clone(learner).fit(no_numbers).predict_proba(no_numbers)
    np.testing.assert_allclose(left.predict_proba(no_numbers), alone, rtol=1e-12)


@pytest.mark.parametrize("text", ["multinomial", "presence", "bernoulli", "complement"])
@pytest.mark.parametrize("weight", [1.0, 0.1], ids=["rows", "fractions"])
def test_folds_that_are_answered_together_are_those_of_refitting(text: str, weight: float, table: crake.Table) -> None:
    own = table.select(["mail", "place", "kind"]).with_weights(np.full(36, weight))
    fold = np.arange(36) % 4 - 1  # a quarter is learned from and never tested
    for learner in (
        crake.NaiveBayesClassifier(text=text),
        crake.TextBayesClassifier(text=text, min_count=2 * weight, ngrams=(1, 2)),
    ):
        statistics = learner.gather(own, (fold + 1).astype(np.int32), 4)
        assert learner.folds_together(own, statistics) == (weight == 1)
        found = crake.evaluate(learner, own, plan=crake.GivenFolds(fold)).out_of_fold
        for k in range(3):
            refitted = clone(learner).fit(own.take(np.flatnonzero(fold != k)))
            tested = np.flatnonzero(fold[found.rows] == k)
            expected = refitted.predict_proba(own.take(found.rows[tested]))
            np.testing.assert_allclose(found.probabilities[tested], expected, rtol=1e-12, atol=1e-300)


def test_a_scan_is_the_table_in_memory(table: crake.Table, tmp_path: Path) -> None:
    mails().to_parquet(tmp_path / "mails.parquet")
    scan = crake.read(tmp_path / "mails.parquet", target="kind", text=["mail"], in_memory=False)
    learner = crake.NaiveBayesClassifier()
    held, scanned = learner.fit(table).predict_proba(table), clone(learner).fit(scan).predict_proba(scan)
    np.testing.assert_allclose(scanned, held, rtol=1e-12)
    found = crake.evaluate(crake.NaiveBayesClassifier(), scan, plan=crake.HashedFolds(3))
    assert found.accuracy.value == pytest.approx(
        crake.evaluate(crake.NaiveBayesClassifier(), table, plan=crake.HashedFolds(3)).accuracy.value
    )
    sample = scan.sample(12)
    assert sample.column("mail")[0] in {*DOCUMENTS, None}


def test_rules_of_words() -> None:
    def words(**rules: Any) -> tuple[str, ...]:
        model = crake.TextBayesClassifier(**rules).fit(DOCUMENTS, LABELS)
        found: tuple[str, ...] = model.words_[0].vocabulary
        return found

    assert words(min_count=3) == ("buy", "cheap", "now")
    assert words(vocabulary=["now", "never", "buy"]) == ("now", "never", "buy")
    assert "now" not in words(stop_words=["now"])
    assert "buy now" in words(ngrams=(2, 2))
    assert "s" not in words(min_letters=2)
    assert "CHEAP" in words(lowercase=False)
    assert "It's" in words(lowercase=False, delimiters=" ?,!:")
    for wrong in ({"ngrams": (3, 1)}, {"ngrams": 2.5}, {"stop_words": "now"}, {"vocabulary": [1]}, {"delimiters": ""}):
        with pytest.raises((CrakeError, ValueError), match=r"expected|must be"):
            crake.TextBayesClassifier(**wrong).fit(DOCUMENTS, LABELS)


def test_lists_of_words_are_folded_as_texts_are() -> None:
    small, folded = ["the cat", "The dog"], {"stop_words": ["The"], "vocabulary": ["Cat", "cat", "THE"]}
    assert crake.TextBayesClassifier(**folded).fit(small, ["a", "b"]).words_[0].counts.tolist() == [[1, 0], [0, 0]]
    kept = crake.TextBayesClassifier(stop_words=["The"], lowercase=False).fit(small, ["a", "b"])
    assert kept.words_[0].vocabulary == ("cat", "dog", "the")


def test_a_list_without_a_text_is_still_one_of_documents() -> None:
    model = crake.TextBayesClassifier().fit(DOCUMENTS, LABELS)
    for missing in (None, float("nan")):
        np.testing.assert_allclose(model.predict_proba([missing])[0], model.class_prior_, rtol=1e-12)
    assert model.predict_proba([]).shape == (0, 3)


def test_counts_that_do_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before they are allocated, in `fit` and in a model file; fewer words fit."""
    model = crake.TextBayesClassifier().fit(DOCUMENTS, LABELS)
    monkeypatch.setattr(words_module, "MOST_BYTES", 8 * 3 * len(model.words_[0].vocabulary) - 1)
    with pytest.raises(DataError, match="counts of words by class of at most"):
        crake.TextBayesClassifier().fit(DOCUMENTS, LABELS)
    with pytest.raises(ModelFileError, match="counts of words by class of at most"):
        crake.TextBayesClassifier().restore(StateReader(model.state()))
    crake.TextBayesClassifier(min_count=2).fit(DOCUMENTS, LABELS)


def test_heavy_rows_keep_absent_words_apart() -> None:
    """P rounds to 1 where all texts of a class have a word; in a file it may be above 1 by a rounding."""
    texts, y = ["a b", "b", "b c"], ["p", "q", "q"]
    heavy = crake.TextBayesClassifier(1e-10, text="bernoulli").fit(texts, y, sample_weight=[1e7] * 3)
    logs = heavy.words_[0]
    assert np.isfinite(logs.logs).all()
    assert np.isfinite(logs.without).all()
    assert heavy.predict(["a b", "b", "b c"]).tolist() == y
    state = heavy.state()
    state["statistics"]["word_documents"] = state["statistics"]["word_documents"] * (1 + 1e-7)
    state["statistics"]["word_counts"] = state["statistics"]["word_counts"] * (1 + 1e-7)
    state["statistics"]["integral"] = False
    again = crake.TextBayesClassifier(1e-10, text="bernoulli").restore(StateReader(state))
    assert again.predict(["a b", "b", "b c"]).tolist() == y


@pytest.mark.parametrize("text", ["multinomial", "bernoulli", "complement"])
def test_the_lines_of_words_add_up(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_tables, "LONGEST", 2)
    model = crake.TextBayesClassifier(text=text).fit(DOCUMENTS, LABELS)
    grid, total, _ = word_tables.row_words(model.words_[0], "buy the cheap cheap station", ["ham", "note", "spam"])
    sums = np.array([[float(cell.replace("−", "-")) for cell in row[5:]] for row in grid.rows]).sum(axis=0)
    np.testing.assert_allclose(sums, total, rtol=1e-3)
    heading = {"multinomial": "log P, ham", "bernoulli": "log P/(1 − P), ham", "complement": "−log P of others, ham"}
    assert grid.header[5] == heading[text]
    assert (grid.rows[0][0] == "(no word)") == (text == "bernoulli")


def test_top_words_speak_for_their_class() -> None:
    model = crake.TextBayesClassifier().fit(DOCUMENTS, LABELS)
    grid = model.top_words(2)
    assert grid.header == ("ham", "note", "spam")
    assert grid.rows[0][2].startswith("buy +")
    assert "words of text" in str(model)
    assert "'buy' speaks most for spam." in model.draw("words", positive="spam").finding
    with pytest.raises(CrakeError, match="no column of running text"):
        crake.NaiveBayesClassifier().fit([["a"], ["b"]], ["p", "q"]).top_words()


def test_words_that_a_class_never_had_do_not_speak_for_it() -> None:
    mails = {"mail": ["rain", "wind rain", "rain", "wind", "snow"], "kind": ["ham", "ham", "ham", "ham", "spam"]}
    model = crake.TextBayesClassifier().fit(crake.read(pd.DataFrame(mails), target="kind", text=["mail"]))
    svg = model.draw("words", positive="spam").svg()
    assert ">snow<" in svg
    assert ", 1 time<" in svg
    assert " 0 times" not in svg
    words = model.words_[0]
    k = list(model.classes_).index("spam")
    assert [word for word, _, _ in word_tables.top_words(words, k, 9)] == ["snow"]


def test_files_of_a_time_when_no_text_was_read(table: crake.Table) -> None:
    """Their schema has a column of text, and no words: they predict as they did."""
    state = crake.NaiveBayesClassifier().fit(table).state()
    state["statistics"] = {name: part for name, part in state["statistics"].items() if not name.startswith("word")}
    old = crake.NaiveBayesClassifier().restore(StateReader(state))
    without = table.select(["place", "size", "kind"])
    expected = crake.NaiveBayesClassifier().fit(without).predict_proba(without)
    np.testing.assert_array_equal(old.predict_proba(table), expected)
    np.testing.assert_array_equal(old.predict_proba(without), expected)


def test_a_comparison_of_text_alone(table: crake.Table) -> None:
    found = crake.compare(table.select(["mail", "kind"]), plan=crake.CrossValidation(2))
    assert {each.key for each in found} == {"majority", "naive-bayes"}
    assert any("there is no column but running text: 1R, decision stump" in note for note in found.notes)
    assert any("running text is read by naive Bayes" in warning for warning in found.warnings)
    with pytest.raises(CrakeError, match="running text is read by naive Bayes only"):
        crake.C45Classifier().fit(table.select(["mail", "kind"]))
    calibrated = crake.Calibrated(crake.NaiveBayesClassifier(), plan=crake.CrossValidation(2))
    assert calibrated.fit(table.select(["mail", "kind"])).predict_proba(table).shape == (36, 3)


def test_who_reads_text_is_not_warned_that_others_do_not(table: crake.Table) -> None:
    about_text = [warning for warning in warnings_for(crake.C45Classifier(), table) if "running text" in warning]
    assert len(about_text) == 1
    readers = crake.NaiveBayesClassifier(), crake.WithCutoff(crake.TextBayesClassifier())
    assert not any("running text" in warning for reader in readers for warning in warnings_for(reader, table))


def test_a_long_text_is_one_text() -> None:
    long = "spam and eggs " * 50_000
    model = crake.TextBayesClassifier().fit([long, "ham"], ["a", "b"])
    assert model.words_[0].counts.sum() == 3 * 50_000 + 1
    assert model.predict(["eggs"]).tolist() == ["a"]


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        ([b"buy now", "meet me"], r"expected texts, got bytes at place 0\. Decode them"),
        ([b"buy now", b"meet me"], r"expected texts, got bytes at place 0\. Decode them"),
        (["buy now", 12], r"expected texts, got 12 at place 1\. Write it as a text"),
    ],
)
def test_documents_that_are_no_texts(documents: list[Any], said: str) -> None:
    with pytest.raises(CrakeError, match=said):
        crake.TextBayesClassifier().fit(documents, ["spam", "ham"])
    with pytest.raises(CrakeError, match=said):
        crake.TextBayesClassifier().fit(DOCUMENTS, LABELS).predict(documents)


def test_a_document_in_a_list_is_explained_as_the_document() -> None:
    model = crake.TextBayesClassifier().fit(DOCUMENTS, LABELS)
    assert str(model.explain(["buy lunch"])) == str(model.explain("buy lunch"))
