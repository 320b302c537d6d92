"""Sentences of what was found: how they begin, and how they list names."""

from __future__ import annotations

import re
from collections.abc import Sequence


def capital(text: object) -> str:
    """Return the text as the beginning of a sentence; names such as kNN keep their other letters, names in quotes all.

    >>> capital("naive Bayes"), capital("'b' is rare"), capital("")
    ('Naive Bayes', "'b' is rare", '')
    """
    return f"{str(text)[:1].upper()}{str(text)[1:]}"


def first_word(name: str, titles: Sequence[str]) -> str:
    """Return a name as the beginning of a sentence: a title has a capital there, a name that somebody gave stays.

    >>> first_word("naive Bayes, on a sample", ["naive Bayes"]), first_word("nb", ["naive Bayes"])
    ('Naive Bayes, on a sample', 'nb')
    """
    return capital(name) if any(name == title or name.startswith(f"{title},") for title in titles) else name


def counted(number: int, one: str, many: str = "") -> str:
    """Write a number of things, in groups of three digits; one is not many.

    >>> counted(1, "row"), counted(1402, "row"), counted(3, "leaf", "leaves")
    ('1 row', '1,402 rows', '3 leaves')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(names: Sequence[str]) -> str:
    """Return all names, the last after "and"; one name at least.

    >>> listed(["1R"]), listed(["1R", "ID3", "C4.5"])
    ('1R', '1R, ID3 and C4.5')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def class_words(label: str) -> str:
    """Return the name of a class as it stands in a sentence: a number alone would read as a count.

    >>> class_words("yes"), class_words("1"), class_words("-2.5")
    ('yes', 'class 1', 'class -2.5')
    """
    return f"class {label}" if re.fullmatch(r"[-+]?[0-9]+([.][0-9]+)?", label) else label
