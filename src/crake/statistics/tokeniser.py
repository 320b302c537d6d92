"""Words of texts by stated rules: Unicode words in lower case, or what stands between given characters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Ints, Longs
from crake.errors import CrakeError
from crake.kernels.text.words import find_words

_WORD = re.compile(r"\w+")
_SIGNS = re.compile(r"[^\w\x00-\x7f]+")
_END = "\0"
"""Stands between two texts, and never in a word."""


@dataclass(frozen=True, eq=False)
class Tokens:
    """The words of some texts: `vocabulary` ascends, `codes` are places in it, `stops[d]` is where text d ends."""

    vocabulary: tuple[str, ...]
    codes: Ints
    stops: Longs


@dataclass(frozen=True)
class Tokeniser:
    """The rules by which words are taken from a text.

    lowercase : fold capitals first.
    min_letters : shorter words are left out.
    ngrams : from so many to so many words in a row are one token, joined by a blank.
    stop_words : these words are left out, before words are joined; they are folded, too.
    delimiters : the (ASCII) characters that separate words; None: words are letters, digits and underscores of Unicode.

    >>> Tokeniser().words_of("Buy now, it's FREE!")
    ['buy', 'now', 'it', 's', 'free']
    >>> Tokeniser(ngrams=(1, 2), stop_words=frozenset({"it"})).words_of("Buy it now")
    ['buy', 'now', 'buy now']
    >>> Tokeniser(lowercase=False, delimiters=" .,").words_of("Buy it's <now>.")
    ['Buy', "it's", '<now>']
    """

    lowercase: bool = True
    min_letters: int = 1
    ngrams: tuple[int, int] = (1, 1)
    stop_words: frozenset[str] = frozenset()
    delimiters: str | None = None

    def __post_init__(self) -> None:
        least, most = self.ngrams
        if not 1 <= least <= most <= 5:
            raise CrakeError(
                f"ngrams is {self.ngrams}; expected two numbers from 1 to 5, the smaller one first: (1, 2)"
            )
        if self.delimiters is not None and not (self.delimiters and self.delimiters.isascii()):
            raise CrakeError(f"delimiters is {self.delimiters!r}; expected at least one ASCII character")
        object.__setattr__(self, "stop_words", frozenset(map(self.folded, self.stop_words)))

    def words_of(self, text: str) -> list[str]:
        """Return the tokens of one text: words in their order, then pairs of words, and so on."""
        whole = self.folded(text).replace(_END, " ")
        words = _WORD.findall(whole) if self.delimiters is None else self._parted(whole)
        words = [word for word in words if len(word) >= self.min_letters and word not in self.stop_words]
        least, most = self.ngrams
        return [
            " ".join(words[at : at + size]) for size in range(least, most + 1) for at in range(len(words) - size + 1)
        ]

    def _parted(self, text: str) -> list[str]:
        return [word for word in re.split(f"[{re.escape(self.delimiters or ' ')}]", text) if word]

    def tokens_of(self, texts: Sequence[str]) -> Tokens:
        """Return the tokens of all texts."""
        return _in_order(*self._found(texts))

    def places_of(self, texts: Sequence[str], place: Mapping[str, int]) -> tuple[Ints, Longs]:
        """Return the place of every token, −1 for one that has none, and where each text's tokens end."""
        words, codes, stops = self._found(texts)
        places = np.fromiter((place.get(word, -1) for word in words), np.int32, len(words))
        return places[codes], stops

    def _found(self, texts: Sequence[str]) -> tuple[list[str], Ints, Longs]:
        """Return the distinct tokens in any order, the number of each token, and where each text's tokens end."""
        data, ends = self._bytes_of(texts)
        codes, stops, found = find_words(data, ends, self._letters(), self.min_letters)
        raw = data.tobytes()
        words = [raw[start : start + length].decode("utf-8", "surrogatepass") for _, start, length in found.tolist()]
        if self.stop_words:
            keep = np.array([word not in self.stop_words for word in words], bool)
            keep = keep[codes] if words else np.zeros(0, bool)
            stops = np.concatenate([[0], np.cumsum(keep)])[stops]
            codes = codes[keep]
        least, most = self.ngrams
        return (words, codes, stops) if most == 1 else _joined(words, codes, stops, least, most)

    def _bytes_of(self, texts: Sequence[str]) -> tuple[NDArray[np.uint8], Longs]:
        """Return the texts in bytes one after the other; all that is no letter beyond ASCII is a blank."""
        # One call for all texts; what separates them is in none of them.
        whole = _END.join(texts)
        if whole.count(_END) >= max(1, len(texts)):
            texts = [text.replace(_END, " ") for text in texts]
            whole = _END.join(texts)
        if not whole.isascii():
            beyond_ascii = [at for at, text in enumerate(texts) if not text.isascii()]
            texts = list(texts)
            readied = self._readied(_END.join([texts[at] for at in beyond_ascii])).split(_END)
            for at, text in zip(beyond_ascii, readied, strict=True):
                texts[at] = text
            whole = _END.join(texts)
        raw = whole.encode("utf-8", "surrogatepass")
        data = np.frombuffer(bytearray(raw.lower() if self.lowercase else raw), np.uint8)
        ends = np.append(np.flatnonzero(data == 0), len(data))[: len(texts)]
        return data, ends.astype(np.int64)

    def _readied(self, text: str) -> str:
        """Return a text beyond ASCII folded, with blanks for the signs in it that are no letters."""
        folded = self.folded(text)
        return _SIGNS.sub(" ", folded) if self.delimiters is None else folded

    def folded(self, text: str) -> str:
        """Return a text in lower case, if capitals are folded."""
        return text.lower() if self.lowercase else text

    def _letters(self) -> Flags:
        is_letter = np.ones(256, bool)
        is_letter[0] = False
        if self.delimiters is not None:
            is_letter[[ord(each) for each in self.delimiters]] = False
            return is_letter
        is_letter[:128] = [bool(_WORD.match(chr(code))) for code in range(128)]
        return is_letter


def _in_order(words: list[str], codes: Ints, stops: Longs) -> Tokens:
    """Return the tokens with the words in use, in their order."""
    used = np.zeros(len(words), bool)
    used[codes] = True
    order = sorted(np.flatnonzero(used).tolist(), key=words.__getitem__)
    place = np.full(len(words), -1, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Tokens(tuple(words[at] for at in order), place[codes], stops)


def _joined(words: list[str], codes: Ints, stops: Longs, least: int, most: int) -> tuple[list[str], Ints, Longs]:
    """Return the runs of `least` to `most` words of each text as words of their own."""
    text = np.repeat(np.arange(len(stops)), np.diff(stops, prepend=0))
    names, run = list(words), codes.astype(np.int64)  # of the run that begins at each word
    tokens, of_text = [], []
    everything: list[str] = []
    for size in range(1, most + 1):
        begins = np.arange(len(codes))
        if size > 1:
            begins = np.flatnonzero(text[: max(0, len(text) - size + 1)] == text[size - 1 :])
            keys = run[begins] * len(words) + codes[begins + size - 1]
            distinct, place = np.unique(keys, return_inverse=True)
            names = [f"{names[int(key) // len(words)]} {words[int(key) % len(words)]}" for key in distinct]
            run = np.full(len(codes), -1, np.int64)
            run[begins] = place.ravel()
        if size >= least:
            tokens.append(run[begins] + len(everything))
            of_text.append(text[begins])
            everything += names
    owner = np.concatenate(of_text)
    order = np.argsort(owner, kind="stable")
    ends = np.cumsum(np.bincount(owner, minlength=len(stops)), dtype=np.int64)
    return everything, np.concatenate(tokens)[order].astype(np.int32), ends


WORDS = Tokeniser()
"""The rules for text columns of tables."""
