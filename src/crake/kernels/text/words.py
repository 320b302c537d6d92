"""Words in the UTF-8 bytes of texts: each distinct word gets a number, in the order in which words appear."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]

SEED, PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)
"""The numbers of the hash FNV-1a (Fowler, Noll and Vo)."""
FOLD, ONE = np.uint64(32), np.uint64(1)


@kernel
def _larger_table(size: int, words: Words, count: int) -> Ints:
    """Return a table of open addresses with the words known so far."""
    slots = np.full(size, -1, np.int32)
    mask = np.uint64(size - 1)
    for code in range(count):
        value = words[code, 0]
        place = (value ^ (value >> FOLD)) & mask
        while slots[place] >= 0:
            place = (place + ONE) & mask
        slots[place] = code
    return slots


@kernel
def find_words(data: Bytes, ends: Longs, is_letter: Flags, min_letters: int) -> tuple[Ints, Longs, Words]:
    """Return the number of each word in its order, where each text's words end, and the distinct words.

    Of a distinct word there are its hash, its first byte and its length. `ends[d]` is where text d ends in the data,
    `is_letter[byte]` says which bytes belong to words. A word of fewer than `min_letters` characters is left out; a
    byte that continues a character is not one.
    """
    texts = ends.shape[0]
    codes = np.empty(data.shape[0] // 2 + texts + 1, np.int32)
    stops = np.empty(texts, np.int64)
    room, count, found, at = 4096, 0, 0, np.uint64(0)
    slots, words = np.full(4 * room, -1, np.int32), np.empty((room, 3), np.uint64)
    mask = np.uint64(4 * room - 1)
    for d in range(texts):
        end = np.uint64(ends[d])
        while at < end:
            if not is_letter[data[at]]:
                at += ONE
                continue
            start, letters, value = at, 0, SEED
            while at < end:
                byte = data[at]
                if not is_letter[byte]:
                    break
                value = (value ^ np.uint64(byte)) * PRIME
                letters += 1 if byte < 128 or byte >= 192 else 0
                at += ONE
            if letters < min_letters:
                continue
            length = at - start
            place = (value ^ (value >> FOLD)) & mask
            code = slots[place]
            while code >= 0:
                if words[code, 0] == value and words[code, 2] == length:
                    first, same = words[code, 1], np.uint64(0)
                    while same < length and data[first + same] == data[start + same]:
                        same += ONE
                    if same == length:
                        break
                place = (place + ONE) & mask
                code = slots[place]
            if code < 0:
                if count == room:
                    words = np.concatenate((words, np.empty((room, 3), np.uint64)))
                    room *= 2
                    slots, mask = _larger_table(4 * room, words, count), np.uint64(4 * room - 1)
                    place = (value ^ (value >> FOLD)) & mask
                    while slots[place] >= 0:
                        place = (place + ONE) & mask
                code = count
                slots[place] = code
                words[code, 0], words[code, 1], words[code, 2] = value, start, length
                count += 1
            codes[found] = code
            found += 1
        stops[d] = found
    return codes[:found], stops, words[:count]


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
