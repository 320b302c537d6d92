"""Edits in a model file, and the checks on the way back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crake.arrays import Longs
from crake.learners.base.state import Labels, State, StateReader
from crake.learners.tree.editing.edit import Edit
from crake.learners.tree.state import tree_of, tree_state
from crake.learners.tree.tree import Tree
from crake.table.schema import Kind, Label, Schema

LEAF, WHOLE_COLUMN, AT, LEVELS = range(4)
"""Changes of a node: made a leaf, split as the learner splits the column, at a number, at some values."""
MOST_NODES = 2**31 - 2
MOST_EDITS = 10_000
LONGEST = 2000
"""Characters of the words for an edit."""


def edited_tree_state(tree: Tree, edits: Sequence[Edit], schema: Schema) -> State:
    """Return a tree, and its edits where there are some: a tree that nobody changed is stored as it always was."""
    return {"tree": tree_state(tree), **({"edits": edits_state(edits, schema)} if edits else {})}


def edited_tree_of(reader: StateReader, schema: Schema) -> tuple[Tree, tuple[Edit, ...]]:
    """Return the stored tree and its edits."""
    tree = tree_of(reader.part("tree"), schema)
    return tree, edits_of(reader.part("edits"), schema) if "edits" in reader else ()


def edits_state(edits: Sequence[Edit], schema: Schema) -> State:
    """Return the edits as arrays: one entry for each, the branches and levels of all after each other."""
    features = [column.name for column in schema.features]
    branches = [edit.branches or () for edit in edits]
    return {
        "how": np.array([_how(edit) for edit in edits], np.int32),
        "node": np.array([edit.node for edit in edits], np.int64),
        "is_placed": np.array([edit.branches is not None for edit in edits], np.uint8),
        "branches": np.array([branch for each in branches for branch in each], np.int64),
        "branch_ends": np.cumsum([len(each) for each in branches], dtype=np.int64),
        "feature": np.array([-1 if edit.column is None else features.index(edit.column) for edit in edits], np.int32),
        "at": np.array([0.0 if edit.at is None else edit.at for edit in edits]),
        "levels": Labels(tuple(level for edit in edits for level in edit.levels)),
        "level_ends": np.cumsum([len(edit.levels) for edit in edits], dtype=np.int64),
        "text": Labels(tuple(edit.text for edit in edits)),
    }


def edits_of(reader: StateReader, schema: Schema) -> tuple[Edit, ...]:
    """Return the edits of a stored state; anything that is none is refused."""
    how = reader.integers("how", np.int32, (None,), LEAF, LEVELS)
    each = (len(how),)
    if not 1 <= len(how) <= MOST_EDITS:
        raise reader.refusal("how", f"has {len(how)} entries", f"1 to {MOST_EDITS:,} edits")
    node = reader.integers("node", np.int64, each, 0, MOST_NODES)
    is_placed = reader.integers("is_placed", np.uint8, each, 0, 1)
    branches = reader.integers("branches", np.int64, (None,), 0, MOST_NODES)
    branch_ends = _ends(reader, "branch_ends", len(how), len(branches))
    feature = reader.integers("feature", np.int32, each, -1, len(schema.features) - 1)
    at = reader.floats("at", each)
    levels, text = reader.labels("levels"), reader.names("text")
    level_ends = _ends(reader, "level_ends", len(how), len(levels))
    if len(text) != len(how) or any(len(words) > LONGEST for words in text):
        raise reader.refusal("text", f"has {len(text)} entries", f"one an edit, of up to {LONGEST:,} characters")
    edits = []
    for place in range(len(how)):
        column = None if feature[place] < 0 else schema.features[feature[place]]
        own = levels[level_ends[place] : level_ends[place + 1]]
        _check(reader, int(how[place]), column, own)
        edits.append(
            Edit(
                int(node[place]),
                tuple(branches[branch_ends[place] : branch_ends[place + 1]].tolist()) if is_placed[place] else None,
                text[place],
                None if column is None else column.name,
                float(at[place]) if how[place] == AT else None,
                own,
            )
        )
    return tuple(edits)


def _how(edit: Edit) -> int:
    if edit.is_leaf:
        return LEAF
    return AT if edit.at is not None else LEVELS if edit.levels else WHOLE_COLUMN


def _ends(reader: StateReader, name: str, entries: int, total: int) -> Longs:
    """Return where the parts of each edit begin and end."""
    ends: Longs = np.concatenate([[0], reader.integers(name, np.int64, (entries,), 0, total)])
    if np.any(ends[1:] < ends[:-1]) or ends[-1] != total:
        raise reader.refusal(name, "does not ascend to the end", f"ascending numbers, the last one {total}")
    return ends


def _check(reader: StateReader, how: int, column: object, levels: tuple[Label, ...]) -> None:
    """Raise unless an edit has what its kind asks for, and nothing else."""
    if (how == LEAF) != (column is None):
        raise reader.refusal("feature", "does not fit the edit", "a column for each split and none for a leaf")
    is_numeric = getattr(column, "kind", None) is Kind.NUMERIC
    if (how == AT and not is_numeric) or (how == LEVELS and is_numeric):
        raise reader.refusal("how", "does not fit the column", "a cut of a number, or levels of names")
    known = set(getattr(column, "levels", ()))
    if (how == LEVELS) != bool(levels) or any(level not in known for level in levels):
        raise reader.refusal("levels", "do not fit the edit", "levels of the column for a split of levels")
