"""One renaming rule for the columns of every kind of file and frame."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

_NOTES_SHOWN = 5


def unique_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    r"""Return names that are all different and never empty, and a note for each change.

    An empty name (or one of spaces only) becomes `column_3`, where 3 is its position counted from 1. Of equal names
    the first stays, the next become `name_2`, `name_3` …, passing over names the header already has.
    Names that differ only by case stay as they are: names are case-sensitive; a note says so.

    >>> names, notes = unique_names(["a", "", "a", "a_2", "A"])
    >>> names
    ['a', 'column_2', 'a_3', 'a_2', 'A']
    >>> print(*notes, sep="\n")
    column 2 has no name; it is called 'column_2'
    column 3 is a second 'a'; it is called 'a_3'
    columns 'a' and 'A' differ only by upper and lower case; they are kept apart
    """
    candidates = [name if name.strip() else f"column_{place}" for place, name in enumerate(names, 1)]
    taken_names = set(candidates)
    counts: Counter[str] = Counter()
    unique: list[str] = []
    notes: list[str] = []
    for place, (name, candidate) in enumerate(zip(names, candidates, strict=True), 1):
        counts[candidate] += 1
        chosen = candidate
        while counts[candidate] > 1 and chosen in taken_names:
            chosen = f"{candidate}_{counts[candidate]}"
            counts[candidate] += chosen in taken_names
        taken_names.add(chosen)
        unique.append(chosen)
        if not name.strip():
            notes.append(f"column {place} has no name; it is called {shortened(chosen)}")
        elif chosen != name:
            notes.append(f"column {place} is a second {shortened(name)}; it is called {shortened(chosen)}")
    return unique, [*_first(notes, "columns renamed"), *_first(_case_notes(unique), "such groups of names")]


def file_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names of a file's columns, as `unique_names` does: spaces around a name are not part of it.

    CSV pads with spaces, and a table must have the same names whichever format it is stored in. Frames keep theirs.

    >>> file_names(["a", " b ", "b"])
    (['a', 'b', 'b_2'], ["column 3 is a second 'b'; it is called 'b_2'"])
    """
    return unique_names([name.strip() for name in names])


def _case_notes(names: Sequence[str]) -> list[str]:
    folded: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        folded[name.casefold()].append(name)
    return [
        f"columns {' and '.join(map(shortened, group))} differ only by upper and lower case; they are kept apart"
        for group in folded.values()
        if len(group) > 1
    ]


def _first(notes: list[str], what: str) -> list[str]:
    hidden = len(notes) - _NOTES_SHOWN
    return notes if hidden <= 0 else [*notes[:_NOTES_SHOWN], f"and {hidden} more {what}"]


def shortened(name: str) -> str:
    """Return a name or a cell in quotes, as messages show it: a long one cut.

    >>> shortened("a" * 100)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…'"
    """
    return repr(name if len(name) <= 60 else f"{name[:57]}…")
