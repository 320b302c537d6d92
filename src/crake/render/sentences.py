"""Sentences of what was found: how they begin, and how they list names."""

from __future__ import annotations

from collections.abc import Sequence


def capital(text: str) -> str:
    """The text as the beginning of a sentence; names such as kNN keep their other letters.

    >>> capital("naive Bayes"), capital("")
    ('Naive Bayes', '')
    """
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str]) -> str:
    """All names, the last after "and"; one name at least.

    >>> listed(["1R"]), listed(["1R", "ID3", "C4.5"])
    ('1R', '1R, ID3 and C4.5')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
