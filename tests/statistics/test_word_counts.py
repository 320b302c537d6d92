"""Word counts beside a plain Counter, held in memory or scanned."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.arrays import assert_same_bits

import crake
from crake.errors import CrakeError, ModelFileError
from crake.learners.base.state import Labels, StateReader
from crake.learners.base.state.statistics import statistics_of, statistics_state
from crake.statistics import ClassCounts, PairCounts, WordCounts, column_words, gather, merge_all
from crake.statistics.tokeniser import Tokeniser
from crake.table.convert.frames import from_frame
from crake.table.table import Table

MAILS = [
    ("Buy now, buy cheap: 50% off!", "spam"),
    ("Lunch now? Größe egal, it's on me", "ham"),
    (None, "ham"),
    ("", "spam"),
    ("buy milk", None),
    ("meet me at the meeting", "ham"),
]


def mails(rows: list[tuple[str | None, str | None]] = MAILS) -> pa.Table:
    texts, labels = zip(*rows, strict=True)
    place = [["home", "work", None][i % 3] for i in range(len(rows))]
    return pa.table({"mail": pa.array(texts, pa.string()), "place": place, "kind": pa.array(labels, pa.string())})


def held(rows: list[tuple[str | None, str | None]] = MAILS) -> Table:
    return from_frame(mails(rows), target="kind", text=["mail"])


words = st.text("ab c,Ä", max_size=12) | st.none()


@given(st.lists(st.tuples(words, st.sampled_from(["p", "q"])), min_size=1, max_size=12))
def test_a_plain_counter_counts_the_same(rows: list[tuple[str | None, str | None]]) -> None:
    statistics = gather(held(rows), [ClassCounts, WordCounts])
    (column,) = statistics[WordCounts].by_column
    for k, label in enumerate(statistics.classes):
        texts = [text.lower().replace(",", " ").split() for text, own in rows if own == label and text is not None]
        counts, documents = Counter(w for text in texts for w in text), Counter(w for text in texts for w in set(text))
        own = column.class_ == k
        names = [column.vocabulary[code] for code in column.word[own]]
        assert names == sorted(counts)
        assert column.count[own].tolist() == [counts[word] for word in names]
        assert column.documents[own].tolist() == [documents[word] for word in names]
        assert column.texts[0, k] == len(texts)
        assert column.missing[0, k] == sum(own == label and text is None for text, own in rows)


def test_all_kinds_of_counts_in_one_gathering() -> None:
    statistics = gather(held(), [ClassCounts, PairCounts, WordCounts])
    assert statistics.classes == ("ham", "spam")
    assert statistics[ClassCounts].counts.tolist() == [[3, 2]]
    assert statistics[PairCounts].columns == statistics.schema.nominal
    (column,) = statistics[WordCounts].by_column
    assert column.vocabulary[:4] == ("50", "at", "buy", "cheap")
    assert "milk" not in column.vocabulary
    assert column.by_class(2)[:, column.vocabulary.index("buy")].tolist() == [0, 2]
    assert (column.texts.tolist(), column.missing.tolist()) == ([[2, 2]], [[1, 0]])


def test_scans_read_text_when_it_is_asked_for(tmp_path: Path) -> None:
    rows = [(f"word{i % 7} other{i % 3}" if i % 5 else None, "pq"[i % 2]) for i in range(10_000)]
    frame = mails(rows)
    pq.write_table(frame, tmp_path / "t.parquet", row_group_size=1500)
    with duckdb.connect(tmp_path / "t.duckdb") as connection:
        connection.register("f", frame)
        connection.execute("create table t as select * from f")
    expected = gather(held(rows), [ClassCounts, WordCounts])
    for file in ("t.parquet", "t.duckdb"):
        scan = crake.read(tmp_path / file, "kind", text=["mail"], in_memory=False)
        assert not scan.in_memory
        assert_same_bits(gather(scan, [ClassCounts, WordCounts]), expected)
        assert next(iter(scan.batches())).texts == ()


def test_a_csv_file_is_scanned_too(tmp_path: Path) -> None:
    lines = [f'"a text of word{i % 11}, and more",{"pq"[i % 2]}' for i in range(3000)]
    (tmp_path / "t.csv").write_text("\n".join(["mail,kind", *lines]))
    tables = [crake.read(tmp_path / "t.csv", "kind", text=["mail"], in_memory=is_held) for is_held in (True, False)]
    one, other = (gather(some, [ClassCounts, WordCounts]) for some in tables)
    assert_same_bits(one, other)
    assert one[WordCounts].by_column[0].vocabulary[:2] == ("a", "and")


def test_a_fold_does_not_know_the_words_of_the_rows_that_test_it() -> None:
    grouped = gather(held(), [WordCounts], group=np.array([0, 1, 0, 0, 0, 1], np.int32), groups=2)
    (column,) = grouped.without(1)[WordCounts].by_column
    assert column.vocabulary == ("50", "buy", "cheap", "now", "off")


def test_words_by_rules_of_ones_own() -> None:
    statistics = gather(held(), [WordCounts.by_rules(Tokeniser(delimiters=" "))])
    (column,) = statistics[WordCounts].by_column
    assert "off!" in column.vocabulary
    with pytest.raises(CrakeError, match="expected words taken by one rule, got 2 rules"):
        merge_all([statistics, gather(held(), [WordCounts])])


def test_many_words_are_sorted_and_give_the_same_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.array([0.1, 0.7, 1.0, 2.0, 1.0, 0.3])
    counted = gather(held().with_weights(weights), [ClassCounts, WordCounts])
    monkeypatch.setattr(column_words, "MOST_PLACES", 0)
    monkeypatch.setattr(column_words, "MOST_LETTERS", 30)
    assert_same_bits(gather(held().with_weights(weights), [ClassCounts, WordCounts]), counted)


def test_the_rarest_of_too_many_words_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frequent words keep their exact counts, held or scanned, and a warning says how much is gone."""
    rows: list[tuple[str | None, str | None]] = [(f"often w{i} x{i}", "pq"[i % 2]) for i in range(500)]
    pq.write_table(mails(rows), tmp_path / "t.parquet")
    scan = crake.read(tmp_path / "t.parquet", "kind", text=["mail"], in_memory=False)
    monkeypatch.setattr(column_words, "MOST_WORDS", 400)
    for table in (held(rows), scan):
        with pytest.warns(
            crake.CrakeWarning, match="'mail' has more words than fit in memory: the rarest were dropped"
        ):
            statistics = gather(table, [ClassCounts, WordCounts])
        (column,) = statistics[WordCounts].by_column
        assert len(column.vocabulary) <= 400
        assert column.by_class(2)[:, column.vocabulary.index("often")].tolist() == [250, 250]
        assert column.dropped == 1500 - column.count.sum() > 0
        state = statistics_state(statistics, [ClassCounts, WordCounts])
        again = statistics_of(StateReader(state), statistics.schema, [ClassCounts, WordCounts])
        assert again[WordCounts].by_column[0].dropped == column.dropped
        with pytest.raises(CrakeError, match="rare words of column 'mail' were dropped"):
            column.forget(column)
    monkeypatch.setattr(column_words, "MOST_WORDS", 10**9)
    monkeypatch.setattr(column_words, "machine_memory", lambda: 2.0 * 320 * 300)
    with pytest.warns(crake.CrakeWarning, match="At most 300 words are kept on this machine"):
        gather(held(rows), [ClassCounts, WordCounts])
    monkeypatch.setattr(column_words, "machine_memory", lambda: 1e12)
    monkeypatch.setattr(column_words, "MOST_CELLS", 100)
    with pytest.warns(crake.CrakeWarning, match="the rarest were dropped, with 952 occurrences"):
        model = crake.TextBayesClassifier().fit([text for text, _ in rows], [label for _, label in rows])
    assert "words with 952 occurrences did not fit in memory" in str(model)


def test_a_merge_that_drops_words_says_so_and_keeps_those_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_words, "MOST_WORDS", 100)
    model, given = crake.TextBayesClassifier(), crake.TextBayesClassifier(vocabulary=["ZZ", "never"])
    portions = [[first, *(f"often{first} {first}{i}" for i in range(58))] for first in ("zz", "x")]
    y = ["a", *"ab" * 29]
    model.partial_fit(portions[0], y)  # 60 words
    with pytest.warns(crake.CrakeWarning, match="were dropped, with 70 occurrences"):  # of 120 words 50 are kept
        model.partial_fit(portions[1], y)
    for portion in portions:
        given.partial_fit(portion, y)
    (words,) = given.words_
    assert words.counts.tolist() == [[1, 0], [0, 0]]
    assert words.beyond_memory == 0
    assert given.forget(portions[0], y).words_[0].counts.tolist() == [[0, 0], [0, 0]]


def test_a_file_with_the_words_beside_their_occurrences_is_read() -> None:
    statistics = gather(held(), [ClassCounts, WordCounts])
    state = {**statistics_state(statistics, [ClassCounts, WordCounts]), "word_dropped": np.array([[3.0, 7.0]])}
    again = statistics_of(StateReader(state), statistics.schema, [ClassCounts, WordCounts])
    assert again[WordCounts].by_column[0].dropped == 7


def test_a_source_without_text_says_so(tmp_path: Path) -> None:
    pq.write_table(mails(), tmp_path / "t.parquet")
    scan = crake.read(tmp_path / "t.parquet", "kind", text=["mail"], in_memory=False)
    (batch,) = scan.batches()
    with pytest.raises(CrakeError, match="expected the text of 1 columns in every batch, got 0"):
        WordCounts.empty(scan.schema).add(batch, np.zeros(batch.rows, np.int32))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("words", lambda words: Labels(words.values[::-1]), "words does not ascend"),
        ("word_codes", lambda codes: codes[::-1].copy(), "word_codes does not ascend"),
        ("word_counts", lambda counts: counts - 1, "counts a word less often than texts have it"),
        ("word_texts", lambda texts: texts * 0, "more texts than there are"),
        ("word_missing", lambda missing: missing + 9, "more rows of a class than there are"),
        ("word_sizes", lambda sizes: sizes - 1, "does not share out the words"),
    ],
)
def test_words_of_a_file_are_checked(name: str, change: object, message: str) -> None:
    statistics = gather(held(), [ClassCounts, WordCounts])
    members = [ClassCounts, WordCounts]
    state = statistics_state(statistics, members)
    state[name] = change(state[name])  # type: ignore[operator]
    with pytest.raises(ModelFileError, match=message):
        statistics_of(StateReader(state), statistics.schema, members)
