"""The split of every node of a level on one nominal column: a branch per value, or one value against the others."""

from __future__ import annotations

from crake.arrays import Flags, Floats
from crake.kernels import kernel
from crake.kernels.tree.arrays import LevelArrays, NominalColumn, Scoring, SplitRecords
from crake.kernels.tree.impurity import ENTROPY, LN2, NOTHING, impurity, sum_of_terms, term
from crake.kernels.tree.value_table import add_values, count_values, empty_table, forget_values


@kernel
def scan_multiway(
    level: LevelArrays, column: NominalColumn, is_open: Flags, scoring: Scoring, out: SplitRecords
) -> None:
    """Find for each open node the decrease of weight × impurity when every value of the column gets its branch.

    `branch_terms` is Σ W_v·ln W_v, for the split information. Usable: at least two branches of the smallest weight.
    """
    criterion, logs = scoring.criterion, scoring.logs
    table = empty_table(column.levels, scoring.classes)
    present, weights, counts, classes = table.present, table.weight, table.counts, scoring.classes
    for s in range(level.start.shape[0]):
        out[s].decrease, out[s].known_weight, out[s].branch_terms = 0.0, 0.0, 0.0
        out[s].usable = False
        if not is_open[s]:
            continue
        values = count_values(table, level, s, column.codes)
        total = add_values(table, values)
        enough, after = 0, 0.0
        for t in range(values):
            v = present[t]
            weight = weights[v]
            if weight + scoring.tolerance >= scoring.smallest:
                enough += 1
            terms = 0.0
            for k in range(classes):
                terms += term(counts[v, k], criterion, logs)
            after += impurity(weight, terms, criterion, logs)
            out[s].branch_terms += term(weight, ENTROPY, logs)
        before = impurity(total, sum_of_terms(table.known, table.missing, 0.0, criterion, logs), criterion, logs)
        out[s].known_weight, out[s].usable, out[s].decrease = total, enough >= 2, before - after
        forget_values(table, values)


@kernel
def scan_one_value(
    level: LevelArrays,
    node_weight: Floats,
    column: NominalColumn,
    is_open: Flags,
    scoring: Scoring,
    out: SplitRecords,
) -> None:
    """Find for each open node the value that splits best against all other known rows; −1: none has enough rows.

    Best by the gain ratio (C4.5 with binary splits) or by the decrease itself.
    """
    criterion, logs, smallest, tolerance = scoring.criterion, scoring.logs, scoring.smallest, scoring.tolerance
    table = empty_table(column.levels, scoring.classes)
    present, weights, counts, classes = table.present, table.weight, table.counts, scoring.classes
    known = table.known
    for s in range(level.start.shape[0]):
        out[s].decrease, out[s].known_weight, out[s].branch_terms = 0.0, 0.0, 0.0
        out[s].choice = -1
        if not is_open[s]:
            continue
        values = count_values(table, level, s, column.codes)
        total = add_values(table, values)
        out[s].known_weight = total
        before = impurity(total, sum_of_terms(table.known, table.missing, 0.0, criterion, logs), criterion, logs)
        node = node_weight[s]
        best = 0.0
        for t in range(values):
            v = present[t]
            weight = weights[v]
            rest = total - weight
            if weight + tolerance < smallest or rest + tolerance < smallest or rest <= 0.0:
                continue
            inside, outside = 0.0, 0.0
            for k in range(classes):
                inside += term(counts[v, k], criterion, logs)
                outside += term(known[k] - counts[v, k], criterion, logs)
            gained = before - impurity(weight, inside, criterion, logs) - impurity(rest, outside, criterion, logs)
            branches = term(weight, ENTROPY, logs) + term(rest, ENTROPY, logs)
            score = gained
            if scoring.by_ratio:
                if (total / node) * gained / LN2 < tolerance:
                    gained = 0.0
                information = (term(node, ENTROPY, logs) - branches - term(node - total, ENTROPY, logs)) / LN2
                score = gained / LN2 / information if information >= NOTHING else 0.0
            if out[s].choice < 0 or score > best + tolerance:
                out[s].choice = v
                best = score
                out[s].decrease = gained
                out[s].branch_terms = branches
        forget_values(table, values)
