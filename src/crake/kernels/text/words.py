"""Words in the UTF-8 bytes of texts: each distinct word gets a number, in the order in which words appear."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.inlined import inlined

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Whole = int | np.int64

PRIME, GOLD = np.uint64(1099511628211), np.uint64(0x9E3779B97F4A7C15)
"""The prime of the hash FNV, and 2^64 over the golden ratio: what spreads keys over a table."""
NONE, ONE, THREE, SEVEN, EIGHT, LAST, BITS = (np.uint64(each) for each in (0, 1, 3, 7, 8, 63, 64))
TOP, ALL, BYTE, BEYOND_ASCII = (np.uint64(each) for each in (1 << 63, 2**64 - 1, 255, 0x8080808080808080))
BLOCK = 16_384
"""Bytes whose words are marked before they are looked up: they stay in the nearest cache."""


class KnownWords(NamedTuple):
    """Words to look up: their bytes, eight in a number, and of each its key, first byte and length.

    The key of up to eight bytes is the bytes themselves, that of a longer word is a hash with its top bit set. What has
    the length 0 is not looked up.
    """

    eights: Words
    words: Words


@kernel
def _eight_bytes(eights: Words, start: Whole) -> np.uint64:
    """Return the eight bytes from here on as one number; the first is its lowest byte (little-endian machines)."""
    at, shift = np.uint64(start) >> THREE, (np.uint64(start) & SEVEN) << THREE
    number: np.uint64 = (eights[at] >> shift) | ((eights[at + ONE] << ONE) << (LAST - shift))
    return number


@kernel
def _key(eights: Words, start: Whole, length: Whole) -> np.uint64:
    """Return the bytes of a word of up to eight, or the hash of a longer one. No byte of a word is 0."""
    left = np.uint64(length)
    key = _eight_bytes(eights, start)
    if left <= EIGHT:
        return key & (ALL >> (BITS - (left << THREE)))
    while left > EIGHT:
        start, left = start + 8, left - EIGHT
        key = (key * PRIME) ^ (_eight_bytes(eights, start) & (ALL >> (BITS - (min(left, EIGHT) << THREE))))
    return key * PRIME | TOP


@kernel
def is_beyond_ascii(eights: Words, start: Whole, length: Whole) -> bool:
    """Return True if a word has a byte of 128 or more."""
    left = np.uint64(length)
    while left > NONE:
        width = min(left, EIGHT)
        if _eight_bytes(eights, start) & BEYOND_ASCII & (ALL >> (BITS - (width << THREE))) != NONE:
            return True
        start, left = start + 8, left - width
    return False


@kernel
def known_words(eights: Words, ends: Longs) -> Words:
    """Return key, first byte and length of ASCII words that lie one after the other, with a byte between two."""
    words = np.zeros((ends.shape[0], 3), np.uint64)
    start = 0
    for d in range(ends.shape[0]):
        length = ends[d] - start
        if length > 0 and not is_beyond_ascii(eights, start, length):
            words[d, 0], words[d, 1], words[d, 2] = _key(eights, start, length), start, length
        start = ends[d] + 1
    return words


@kernel
def _table(bits: int, words: Words, count: int) -> Words:
    """Return a table of open addresses with the words known so far: of each its key, and its number + 1."""
    table = np.zeros((1 << bits, 2), np.uint64)
    mask, shift = np.uint64((1 << bits) - 1), BITS - np.uint64(bits)
    for code in range(count):
        if words[code, 2] > NONE:
            place = (words[code, 0] * GOLD) >> shift
            while table[place, 1] > NONE:
                place = (place + ONE) & mask
            table[place, 0], table[place, 1] = words[code, 0], code + 1
    return table


@kernel
def _is_same(eights: Words, start: Whole, length: Whole, others: Words, word: Words) -> bool:
    """Return True if a word is the other word, whose key is the same."""
    if word[2] != np.uint64(length):
        return False
    left, other = np.uint64(length), np.int64(word[1])
    while left > NONE:
        width = min(left, EIGHT)
        differs = _eight_bytes(eights, start) ^ _eight_bytes(others, other)
        if differs & (ALL >> (BITS - (width << THREE))) != NONE:
            return False
        start, other, left = start + 8, other + 8, left - width
    return True


@kernel
def _mark_words(data: Bytes, start: int, stop: int, folded: Bytes, out: Bytes, marks: Longs) -> Whole:
    """Write the folded bytes, and where words begin and end; return how many marks there are. No branch is missed."""
    count, was = NONE, False
    for at in range(start, stop):
        byte = folded[data[at]]
        out[at] = byte
        marks[count] = at
        count += np.uint64((byte != 0) != was)
        was = byte != 0
    if was:
        marks[count] = stop
        count += ONE
    return np.int64(count)


@inlined
def _with_room(words: Words, count: int, room: int) -> Words:
    """Copy the first words into an array with room for more; an assignment of slices takes long to compile."""
    longer = np.empty((room, 3), np.uint64)
    for at in range(count):
        for part in range(3):
            longer[at, part] = words[at, part]
    return longer


@kernel
def find_words(
    data: Bytes, ends: Longs, folded: Bytes, min_letters: int, known: KnownWords
) -> tuple[Ints, Longs, Words, Words]:
    """Return the number of each word in its order, where each text's words end, the distinct words, the folded bytes.

    Numbers go on after those of the words that are known, and the distinct words are the others: of each its key, first
    byte and length. Text d ends before `ends[d]`, where a byte stands that is no letter. `folded[byte]` is the byte in
    lower case, 0 if it belongs to no word. An ASCII word of fewer than `min_letters` is left out.
    """
    before, texts, size = known.words.shape[0], ends.shape[0], data.shape[0]
    codes, stops = np.empty(size // 2 + 1, np.int32), np.empty(texts, np.int64)
    eights = np.empty(size // 8 + 2, np.uint64)
    out, marks = eights.view(np.uint8), np.empty(BLOCK + 2, np.int64)
    bits = 13
    while 1 << bits < 4 * before:
        bits += 1
    room, count, found, d, stop = 1 << (bits - 1), before, NONE, 0, 0
    words = _with_room(known.words, before, room)
    table, mask, shift = _table(bits, words, count), np.uint64((1 << bits) - 1), BITS - np.uint64(bits)
    while stop < size:
        start, stop = stop, min(stop + BLOCK, size)
        while stop < size and folded[data[stop - 1]] != 0:
            stop += 1
        for at in range(0, _mark_words(data, start, stop, folded, out, marks), 2):
            first, length = marks[at], marks[at + 1] - marks[at]
            while ends[d] < first:
                stops[d] = found
                d += 1
            if length < min_letters and not is_beyond_ascii(eights, first, length):
                continue
            key = _key(eights, first, length)
            place = (key * GOLD) >> shift
            code = table[place, 1]
            # A key without its top bit is the word itself.
            while code > NONE:
                if table[place, 0] == key and (
                    key < TOP
                    or _is_same(
                        eights, first, length, known.eights if code <= np.uint64(before) else eights, words[code - ONE]
                    )
                ):
                    break
                place = (place + ONE) & mask
                code = table[place, 1]
            if code == NONE:
                if count == room:
                    room, bits = 2 * room, bits + 1
                    words = _with_room(words, count, room)
                    table, mask, shift = _table(bits, words, count), np.uint64((1 << bits) - 1), shift - ONE
                    place = (key * GOLD) >> shift
                    while table[place, 1] > NONE:
                        place = (place + ONE) & mask
                words[count, 0], words[count, 1], words[count, 2] = key, first, length
                count += 1
                code = np.uint64(count)
                table[place, 0], table[place, 1] = key, code
            codes[found] = code - ONE
            found += ONE
    stops[d:] = found
    return codes[:found], stops, words[before:count], eights


@kernel
def words_beyond_ascii(eights: Words, words: Words) -> Longs:
    """Return the numbers of the words that have a byte of 128 or more."""
    result, count = np.empty(words.shape[0], np.int64), 0
    for code in range(words.shape[0]):
        if is_beyond_ascii(eights, np.int64(words[code, 1]), np.int64(words[code, 2])):
            result[count] = code
            count += 1
    return result[:count]


@kernel
def first_bytes(eights: Words, ends: Longs) -> Words:
    """Return the first eight bytes of each word, those it lacks as 0, as a number by which words can be ordered."""
    result = np.empty(ends.shape[0], np.uint64)
    start = 0
    for d in range(ends.shape[0]):
        width, value = min(np.uint64(ends[d] - start), EIGHT), NONE
        left = _eight_bytes(eights, start)
        for at in range(width):
            value |= ((left >> (at << THREE)) & BYTE) << ((SEVEN - at) << THREE)
        result[d] = value
        start = ends[d] + 1
    return result


@kernel
def write_words(data: Bytes, words: Words) -> Bytes:
    """Return the bytes of these words, with a 0 after each."""
    size = words.shape[0]
    for code in range(words.shape[0]):
        size += np.int64(words[code, 2])
    out = np.empty(size, np.uint8)
    to = np.int64(0)
    for code in range(words.shape[0]):
        first, length = np.int64(words[code, 1]), np.int64(words[code, 2])
        for at in range(length):
            out[to + at] = data[first + at]
        out[to + length] = 0
        to += length + 1
    return out


@kernel
def replace_words(codes: Ints, stops: Longs, first: Longs, parts: Ints) -> tuple[Ints, Longs]:
    """Return the words with parts[first[code] : first[code + 1]] in place of each code."""
    size = 0
    for at in range(codes.shape[0]):
        size += first[codes[at] + 1] - first[codes[at]]
    new_codes, new_stops = np.empty(size, np.int32), np.empty(stops.shape[0], np.int64)
    at = to = 0
    for d in range(stops.shape[0]):
        while at < stops[d]:
            for part in range(first[codes[at]], first[codes[at] + 1]):
                new_codes[to] = parts[part]
                to += 1
            at += 1
        new_stops[d] = to
    return new_codes, new_stops


@kernel
def count_words(codes: Ints, stops: Longs, place: Longs, weights: Floats, counts: Floats, documents: Floats) -> None:
    """Add the words of each text to counts[word, place of the text], and once a text to documents of the same place.

    Texts and words are taken in their order, so every sum is one running sum.
    """
    last = np.full(counts.shape[0], -1, np.int64)
    at = 0
    for d in range(stops.shape[0]):
        p, w = place[d], weights[d]
        while at < stops[d]:
            code = codes[at]
            counts[code, p] += w
            if last[code] != d:
                last[code] = d
                documents[code, p] += w
            at += 1


@kernel
def add_word_logs_by_fold(codes: Ints, stops: Longs, fold: Ints, logs: Floats, once: bool, out: Floats) -> None:
    """Add the logs[fold of the text, word, class] of the words of each text to out[text, class].

    A code of −1 is no word, and a text of a negative fold is passed by.
    """
    last = np.full(logs.shape[1], -1, np.int64)
    at = 0
    for d in range(stops.shape[0]):
        own = fold[d]
        while at < stops[d]:
            code = codes[at]
            if own >= 0 and code >= 0 and not (once and last[code] == d):
                last[code] = d
                for k in range(out.shape[1]):
                    out[d, k] += logs[own, code, k]
            at += 1


@kernel
def add_word_logs(codes: Ints, stops: Longs, logs: Floats, once: bool, out: Floats) -> None:
    """Add the logs[word, class] of the words of each text to out[text, class].

    A code of −1 is no word. With `once` a word that a text repeats is added once.
    """
    last = np.full(logs.shape[0], -1, np.int64)
    at = 0
    for d in range(stops.shape[0]):
        while at < stops[d]:
            code = codes[at]
            if code >= 0 and not (once and last[code] == d):
                last[code] = d
                for k in range(out.shape[1]):
                    out[d, k] += logs[code, k]
            at += 1
