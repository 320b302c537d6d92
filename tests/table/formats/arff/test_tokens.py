"""Two ways to split a line give the same words; quoting is undone by unquoting."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crake.errors import ReadError
from crake.table.formats.arff.header import without_commas
from crake.table.formats.arff.tokens import ROW, WORD, quote, unquote, words


def carefully(line: str) -> list[str] | None:
    """The words of a line of words only, or None where the line is more or less than that."""
    try:
        found = list(words(line))
        plain = without_commas(found)
    except ReadError:
        return None
    return None if {"{", "}"} & set(found) else plain


@given(st.text(st.sampled_from(list("ab?,, \t'\"\\%{}\u00a0\u0085\x1c")), max_size=12))
def test_the_fast_and_the_careful_way_agree(line: str) -> None:
    if ROW.fullmatch(line):
        assert WORD.findall(line) == carefully(line)
    elif "%" not in line:
        assert carefully(line) is None


@given(st.text(st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from(list("'\"\\%{}?u0n")))))
def test_a_quoted_text_is_one_word_that_reads_back(text: str) -> None:
    word = quote(text)
    assert WORD.fullmatch(word)
    assert list(words(word)) == [word]
    assert unquote(word) == text
    assert "\n" not in word
    assert word != "?"
