"""Words of texts by stated rules: Unicode words in lower case, or what stands between given characters."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Ints, Longs, Rows
from crake.errors import CrakeError
from crake.kernels.text.words import (
    KnownWords,
    find_words,
    first_bytes,
    known_words,
    replace_words,
    words_beyond_ascii,
    write_words,
)

_WORD = re.compile(r"\w+")
_END, _SIGMA = "\0", "Σ"
"""The letter between two texts, which no word has; the one letter whose lower case depends on its neighbours."""


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
    ngrams : the least and the most words in a row that are one token, joined by a blank.
    stop_words : these words are left out, before words are joined; they are folded, too.
    delimiters : the (ASCII) characters that separate words; None: words are letters, digits and underscores of Unicode.
    only : no other tokens are taken; they are folded, too. None: all.

    >>> Tokeniser().words_of("Buy now, it's FREE!")
    ['buy', 'now', 'it', 's', 'free']
    >>> Tokeniser(ngrams=(1, 2), stop_words=frozenset({"it"})).words_of("Buy it now")
    ['buy', 'now', 'buy now']
    >>> Tokeniser(lowercase=False, delimiters=" .,").words_of("Buy it's <now>.")
    ['Buy', "it's", '<now>']
    >>> Tokeniser(only=frozenset({"Now"})).words_of("Buy it now")
    ['now']
    """

    lowercase: bool = True
    min_letters: int = 1
    ngrams: tuple[int, int] = (1, 1)
    stop_words: frozenset[str] = frozenset()
    delimiters: str | None = None
    only: frozenset[str] | None = None

    @property
    def state(self) -> dict[str, Any]:
        """The rules as JSON holds them.

        >>> rules = Tokeniser(ngrams=(1, 2), stop_words=frozenset({"it"}))
        >>> Tokeniser.of_state(rules.state) == rules
        True
        """
        only = None if self.only is None else sorted(self.only)
        return {**asdict(self), "ngrams": list(self.ngrams), "stop_words": sorted(self.stop_words), "only": only}

    @classmethod
    def of_state(cls, state: dict[str, Any]) -> Tokeniser:
        """Return the rules of `state`."""
        only = None if state["only"] is None else frozenset(state["only"])
        sets = {"ngrams": tuple(state["ngrams"]), "stop_words": frozenset(state["stop_words"]), "only": only}
        return cls(**{**state, **sets})

    def __post_init__(self) -> None:
        least, most = self.ngrams
        if not 1 <= least <= most <= 5:
            raise CrakeError(
                f"ngrams is {self.ngrams}; expected two numbers from 1 to 5, the smaller one first: (1, 2)"
            )
        if self.delimiters is not None and not (self.delimiters and self.delimiters.isascii()):
            raise CrakeError(f"delimiters is {self.delimiters!r}; expected at least one ASCII character")
        if _END in (self.delimiters or ""):
            raise CrakeError(
                f"delimiters is {self.delimiters!r}; expected no NUL: it is read as a blank; write ' ' instead"
            )
        object.__setattr__(self, "stop_words", frozenset(map(self.folded, self.stop_words)))
        if self.only is not None:
            object.__setattr__(self, "only", frozenset(map(self.folded, self.only)))

    def words_of(self, text: str) -> list[str]:
        """Return the tokens of one text: words in their order, then pairs of words, and so on."""
        words = self._parted(text)
        least, most = self.ngrams
        tokens = [
            " ".join(words[at : at + size]) for size in range(least, most + 1) for at in range(len(words) - size + 1)
        ]
        return tokens if self.only is None else [token for token in tokens if token in self.only]

    def _parted(self, text: str) -> list[str]:
        """Return the words of a text that are long enough, and no stop words."""
        whole = self.folded(text).replace(_END, " ")
        words = _WORD.findall(whole) if self.delimiters is None else re.split(f"[{re.escape(self.delimiters)}]", whole)
        least = max(1, self.min_letters)
        return [word for word in words if len(word) >= least and word not in self.stop_words]

    def folded(self, text: str) -> str:
        """Return a text in lower case, if capitals are folded."""
        return text.lower() if self.lowercase else text

    def tokens_of(self, texts: Sequence[str]) -> Tokens:
        """Return the tokens of all texts."""
        words, codes, stops = self._found(texts)
        if self.only is not None:
            places = np.arange(len(words), dtype=np.int32)
            others: dict[int, list[int]] = {at: [] for at, word in enumerate(words) if word not in self.only}
            codes, stops = _replaced(codes, stops, places, others)
        return _in_order(words, codes, stops)

    def lookup(self, vocabulary: tuple[str, ...], *, ascends: bool = False) -> Lookup:
        """Return the vocabulary in a form in which the words of texts are found fast; stop words are never found."""
        is_found = (
            [word if word not in self.stop_words else "" for word in vocabulary] if self.stop_words else vocabulary
        )
        eights, ends = _eights_of([*is_found, *sorted(self.stop_words)])
        return Lookup(vocabulary, KnownWords(eights, known_words(eights, ends)), ascends)

    def places_of(self, texts: Sequence[str], lookup: Lookup) -> tuple[Ints, Longs]:
        """Return the place of every token, −1 for one that has none, and where each text's tokens end."""
        if self.ngrams != (1, 1):
            words, codes, stops = self._found(texts)
            places = np.fromiter(map(lookup.place_of, words), np.int32, len(words))
            return places[codes], stops
        size, known = len(lookup.vocabulary), len(lookup.known.words)
        codes, stops, scanned = self._scanned(texts, lookup.known)
        parts: dict[int, list[int]] = {code: [] for code in range(size, known)}  # stop words
        for at, word in scanned.beyond_ascii.items():
            parts[known + at] = [lookup.place_of(part) for part in self._parted(word)]
        if parts:
            places = np.full(known + len(scanned.words), -1, np.int32)
            places[:size] = np.arange(size)
            return _replaced(codes, stops, places, parts)
        codes[codes >= size] = -1
        return codes, stops

    def _found(self, texts: Sequence[str]) -> tuple[list[str], Ints, Longs]:
        """Return the distinct tokens in any order, the number of each token, and where each text's tokens end."""
        codes, stops, scanned = self._scanned(texts, NO_WORDS)
        words = _decoded(scanned.data, scanned.words)
        replaced = {at: self._parted(word) for at, word in scanned.beyond_ascii.items()}
        if self.stop_words:
            replaced.update({at: [] for at, word in enumerate(words) if word in self.stop_words})
        if replaced:
            place = dict(zip(words, range(len(words)), strict=True))
            for at in replaced:
                del place[words[at]]
            whole = len(words)
            parts: dict[int, list[int]] = {}
            for at, own in replaced.items():
                for word in own:
                    if place.setdefault(word, len(words)) == len(words):
                        words.append(word)
                parts[at] = [place[word] for word in own]
            codes, stops = _replaced(codes, stops, np.arange(whole, dtype=np.int32), parts)
        least, most = self.ngrams
        return (words, codes, stops) if most == 1 else _joined(words, codes, stops, least, most)

    def _scanned(self, texts: Sequence[str], known: KnownWords) -> tuple[Ints, Longs, Scanned]:
        """Return the runs of letters of all texts, where each text's end, and those that are not known.

        Every byte beyond ASCII counts as a letter here. What it belongs to is decided in Python, for each distinct run.
        """
        if self.delimiters is not None:
            texts = [text.replace(_END, " ") for text in texts]
        data, ends = _bytes_of(texts)
        codes, stops, words, eights = find_words(data, ends, self._folded_bytes, self.min_letters, known)
        data, beyond = eights.view(np.uint8), words_beyond_ascii(eights, words)
        beyond_ascii = dict(zip(beyond.tolist(), _decoded(data, words[beyond]), strict=True))
        # A capital sigma is folded by the letters around it, beyond the run that it stands in.
        if self.lowercase and any(_SIGMA in word for word in beyond_ascii.values()):
            return self._scanned([text.lower() if _SIGMA in text else text for text in texts], known)
        return codes, stops, Scanned(data, words, beyond_ascii)

    @cached_property
    def _folded_bytes(self) -> NDArray[np.uint8]:
        """Return each byte in lower case, 0 for those that belong to no word."""
        raw = bytes(range(256))
        folded = np.frombuffer(bytearray(raw.lower() if self.lowercase else raw), np.uint8)
        delimiters = self.delimiters
        is_word = _WORD.match if delimiters is None else lambda letter: letter != _END and letter not in delimiters
        is_letter = np.array([bool(is_word(chr(code))) for code in folded[:128].tolist()])
        folded[:128][~is_letter] = 0
        return folded


@dataclass(frozen=True, eq=False)
class Lookup:
    """A vocabulary whose words are looked up by their bytes; those beyond ASCII by `place_of`."""

    vocabulary: tuple[str, ...]
    known: KnownWords
    ascends: bool

    @cached_property
    def _places(self) -> dict[str, int]:
        return dict(zip(self.vocabulary, range(len(self.vocabulary)), strict=True))

    def place_of(self, word: str) -> int:
        """Return the place of a word, −1 if it has none."""
        if not self.ascends:
            return self._places.get(word, -1)
        at = bisect_left(self.vocabulary, word)
        return at if at < len(self.vocabulary) and self.vocabulary[at] == word else -1


@dataclass(frozen=True, eq=False)
class Scanned:
    """Distinct runs of letters in the bytes of texts; `beyond_ascii` are those that need a look, by their numbers."""

    data: NDArray[np.uint8]
    words: NDArray[np.uint64]
    beyond_ascii: dict[int, str]


def _decoded(data: NDArray[np.uint8], words: NDArray[np.uint64]) -> list[str]:
    """Return runs of letters as text; ASCII is folded already."""
    return write_words(data, words).tobytes().decode("utf-8", "surrogatepass").split(_END)[:-1]


def _bytes_of(texts: Sequence[str]) -> tuple[NDArray[np.uint8], Longs]:
    """Return the texts in bytes one after the other, with a 0 after each, and the places of these zeros."""
    try:
        parts = list(map(str.encode, texts))
    except UnicodeEncodeError:
        parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = np.fromiter(map(len, parts), np.int64, len(parts))
    parts.append(b"")
    return np.frombuffer(bytearray(b"\0").join(parts), np.uint8), np.cumsum(lengths + 1) - 1


def _replaced(codes: Ints, stops: Longs, places: Ints, parts: Mapping[int, Sequence[int]]) -> tuple[Ints, Longs]:
    """Return the place of each code, or its parts where it has some."""
    sizes = np.ones(len(places), np.int64)
    for code, own in parts.items():
        sizes[code] = len(own)
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    flat = np.repeat(places, sizes)
    for code, own in parts.items():
        flat[first[code] : first[code + 1]] = own
    return replace_words(codes, stops, first, flat)


def _in_order(words: list[str], codes: Ints, stops: Longs) -> Tokens:
    """Return the tokens with the words in use, in their order."""
    used = np.zeros(len(words), bool)
    used[codes] = True
    order = _sorted_places(words, np.flatnonzero(used))
    place = np.full(len(words), -1, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Tokens(tuple(map(words.__getitem__, order.tolist())), place[codes], stops)


def _sorted_places(words: list[str], places: Rows) -> Rows:
    """Return the places in the order of their words.

    Eight bytes at once are compared as a number, and words that agree in these one by one: UTF-8 keeps the order.

    >>> _sorted_places(["b", "é", "a", "beginning", "beginner"], np.arange(5)).tolist()
    [2, 0, 4, 3, 1]
    """
    eights, ends = _eights_of([words[at] for at in places.tolist()])
    first = first_bytes(eights, ends)
    order = np.argsort(first)
    ordered, result = first[order], places[order]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], ordered[1:] == ordered[:-1], [False]])))
    for start, stop in zip(edges[::2].tolist(), (edges[1::2] + 1).tolist(), strict=True):
        result[start:stop] = sorted(result[start:stop].tolist(), key=words.__getitem__)
    return result


def _eights_of(words: Sequence[str]) -> tuple[NDArray[np.uint64], Longs]:
    """Return the bytes of words, eight in a number, with a 0 after each word, and the places of these zeros."""
    raw = _END.join([*words, ""]).encode("utf-8", "surrogatepass")
    eights = np.zeros(len(raw) // 8 + 2, np.uint64)
    data = eights.view(np.uint8)[: len(raw)]
    data[:] = np.frombuffer(raw, np.uint8)
    ends = np.flatnonzero(data == 0)
    return eights, ends if len(ends) == len(words) else _bytes_of(words)[1]


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


NO_WORDS = KnownWords(np.zeros(2, np.uint64), np.zeros((0, 3), np.uint64))
WORDS = Tokeniser()
"""The rules for text columns of tables."""
