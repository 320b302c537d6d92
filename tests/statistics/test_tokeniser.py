"""Words found in bytes are those of a regular expression, whatever the texts and the rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from crake.errors import CrakeError
from crake.statistics.tokeniser import Tokeniser, Tokens

RULES = [
    Tokeniser(),
    Tokeniser(lowercase=False, min_letters=2),
    Tokeniser(ngrams=(1, 3)),
    Tokeniser(ngrams=(2, 2), stop_words=frozenset({"a", "ä"})),
    Tokeniser(delimiters=" .,", min_letters=2),
    Tokeniser(delimiters="A,", stop_words=frozenset({"b", "ä"})),
]
letters = st.text(st.sampled_from("aAbä ÄßİΣς.,_9\0\n中é\u0301\ud800’"), max_size=12)


def by_text(tokens: Tokens) -> list[list[str]]:
    parts = np.split(tokens.codes, tokens.stops[:-1]) if len(tokens.stops) else []
    return [[tokens.vocabulary[code] for code in part] for part in parts]


@pytest.mark.parametrize("rules", RULES)
@settings(max_examples=30)
@given(texts=st.lists(letters, max_size=5))
def test_words_in_their_order(rules: Tokeniser, texts: list[str]) -> None:
    tokens = rules.tokens_of(texts)
    assert by_text(tokens) == [rules.words_of(text) for text in texts]
    assert list(tokens.vocabulary) == sorted(set(tokens.vocabulary))
    known = {word: at for at, word in enumerate([*tokens.vocabulary[::2], "b.", "£"])}
    places, stops = rules.places_of(texts, rules.lookup(tuple(known)))
    assert [known.get(word, -1) for text in texts for word in rules.words_of(text)] == places.tolist()
    np.testing.assert_array_equal(stops, tokens.stops)
    again = rules.places_of(texts, rules.lookup(tokens.vocabulary, ascends=True))
    np.testing.assert_array_equal(again[0], tokens.codes)


def test_thousands_of_words_and_the_same_vocabulary_as_scikit_learn() -> None:
    """Enough words that the table of the kernel grows."""
    texts = [" ".join(f"w{(i * j) % 9001}é, X{j}" for j in range(60)) for i in range(300)]
    for rules, vectorizer in (
        (Tokeniser(min_letters=2), CountVectorizer()),
        (Tokeniser(min_letters=2, ngrams=(1, 2)), CountVectorizer(ngram_range=(1, 2))),
    ):
        matrix = vectorizer.fit_transform(texts)
        tokens = rules.tokens_of(texts)
        assert tokens.vocabulary == tuple(vectorizer.get_feature_names_out())
        assert len(tokens.vocabulary) > 5000
        counts = np.bincount(tokens.codes)
        np.testing.assert_array_equal(counts, np.asarray(matrix.sum(axis=0)).ravel())


@pytest.mark.parametrize(
    "wrong", [{"ngrams": (2, 1)}, {"ngrams": (1, 9)}, {"delimiters": ""}, {"delimiters": "é"}, {"delimiters": " \0"}]
)
def test_rules_that_cannot_be(wrong: dict[str, object]) -> None:
    with pytest.raises(CrakeError, match="expected"):
        Tokeniser(**wrong)  # type: ignore[arg-type]


def test_no_other_tokens_are_taken() -> None:
    rules, texts = Tokeniser(ngrams=(1, 2), only=frozenset({"b", "A Ä"})), ["a ä b b", "", "c c", "b"]
    tokens = rules.tokens_of(texts)
    assert tokens.vocabulary == ("a ä", "b")
    assert [sorted(words) for words in by_text(tokens)] == [sorted(rules.words_of(text)) for text in texts]
    assert tokens.stops.tolist() == [3, 3, 3, 4]
    assert Tokeniser(only=frozenset()).tokens_of(texts).vocabulary == ()
