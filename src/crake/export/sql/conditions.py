"""Trees and rules in SQL: which leaf or rule takes a row, and the part of a row that comes to each."""

from __future__ import annotations

from collections.abc import Sequence

from crake.errors import CrakeError
from crake.export.forms import (
    Among,
    Compare,
    Condition,
    LevelOf,
    Missing,
    Node,
    Question,
    RuleCondition,
    Rules,
    Test,
    Tree,
)
from crake.export.sql.text import Words, one_of
from crake.table.schema import Schema

DEEPEST = 200
"""Engines refuse expressions that are nested much deeper."""
MOST_FACTORS = 500_000
"""The most conditions of a query that divides rows: some 50 MB of text."""
MANY_FACTORS = 3_000
"""Conditions from which on those of a tree are nested, and not written for every leaf."""
MOST_RULES = 400
"""The most rules among which a row is divided: the parts left by the rules before are products."""

ELSE = "ELSE "
END, NONE = -1, -2
"""Numbers of no node: the end of a CASE, and the leaf of a row that goes down several branches."""


class Conditions:
    """Conditions on the columns of a schema, in one dialect."""

    def __init__(self, words: Words, schema: Schema) -> None:
        self.words, self.schema, self.factors = words, schema, 0

    def condition(self, condition: Condition) -> str:
        """Write a condition on a known value; NULL never satisfies it."""
        column = self.schema.features[condition.feature]
        if isinstance(condition, Among):
            return f"{self.words.column(column)} {one_of([self.words.level(column, c) for c in condition.codes])}"
        if isinstance(condition, Compare):
            return self.words.compared(column, condition.sign, condition.value)
        return f"{self.words.column(column)} IS {'NULL' if isinstance(condition, Missing) else 'NOT NULL'}"

    def test(self, test: Test) -> str:
        """Write conditions that must all hold."""
        return " AND ".join(map(self.condition, test))

    def levels(self, level: LevelOf) -> list[str]:
        """Write a condition for each level of a column of names, or for each interval of a number."""
        column = self.schema.features[level.feature]
        if level.cuts is None:
            return [self.condition(Among(level.feature, (code,))) for code in range(len(column.levels))]
        below = [self.words.compared(column, "<=", float(cut)) for cut in level.cuts]
        above = [self.words.compared(column, ">", float(cut)) for cut in level.cuts]
        return [below[0], *(f"{low} AND {high}" for low, high in zip(above, below[1:], strict=False)), above[-1]]

    def leaf(self, tree: Tree) -> str:
        """Write nested CASEs that give the number of the leaf; NULL for a row that goes down several branches.

        The last branch of a node stands in the same CASE: engines look at fewer CASEs, and people at fewer indents.
        """
        if tree.depth > DEEPEST:
            raise CrakeError(
                f"the tree asks up to {tree.depth} questions, and SQL engines refuse CASEs nested that deep "
                f"(here: {DEEPEST}); prune it, or fit it with max_depth"
            )
        lines: list[str] = []
        waiting: list[tuple[str, int, int]] = [("", 0, 2)]
        while waiting:
            before, number, indent = waiting.pop()
            space = "  " * indent
            if number == END:
                lines.append(f"{space}END")
            elif number == NONE:
                lines.append(f"{space}{before}NULL")
            elif not tree.nodes[number].children:
                lines.append(f"{space}{before}{number}")
            else:
                lines.append(f"{space}{before}CASE")
                waiting.append(("", END, indent))
                waiting.extend(reversed([(text, at, indent + 1) for text, at in self._in_one_case(tree, number)]))
        return "\n".join(lines).lstrip()

    def _in_one_case(self, tree: Tree, number: int) -> list[tuple[str, int]]:
        """Return the branches of a node, and of those below it that are reached by ELSE alone."""
        branches = self._branches(tree.nodes[number])
        while branches[-1][0] == ELSE and branches[-1][1] >= 0 and tree.nodes[branches[-1][1]].children:
            branches[-1:] = self._branches(tree.nodes[branches[-1][1]])
        return branches

    def _branches(self, node: Node) -> list[tuple[str, int]]:
        """Return the beginning of each branch in a CASE, and the node that it leads to; NONE: several."""
        if len(node.questions) > 1:
            decided = self._decided(node)
            last = max(node.fallback, 0)
            others = [branch for branch in range(len(node.children)) if branch != last]
            return [
                *((f"WHEN {decided} = {branch} THEN ", node.children[branch]) for branch in others),
                (ELSE, node.children[last]),
            ]
        (question,) = node.questions
        if node.fallback < 0 and (cut := _cut_of(question)) is not None:
            name = self.words.column(self.schema.features[cut.feature])
            below, above = node.children
            return [(f"WHEN {self.condition(cut)} THEN ", below), (f"WHEN {name} IS NULL THEN ", NONE), (ELSE, above)]
        named = [(b, test) for b, test in enumerate(question) if test is not None and b != node.fallback]
        branches = [(f"WHEN {self.test(test)} THEN ", node.children[b]) for b, test in named]
        return branches if node.fallback < 0 else [*branches, (ELSE, node.children[node.fallback])]

    def _decided(self, node: Node) -> str:
        """Write the branch by the node's own column, or by the first that stands in and is known."""
        cases = [
            f"WHEN {self.test(test)} THEN {branch}"
            for question in node.questions
            for branch, test in enumerate(question)
            if test is not None
        ]
        return f"CASE {' '.join(cases)} ELSE {node.fallback} END"

    def mixtures(self, tree: Tree) -> list[str]:
        """Write each number of a row that is divided among leaves: Σ of the part that comes to a leaf × its number.

        A part is a product of 1, 0, or a share where a value is missing. Few are written leaf by leaf, which `predict`
        adds up in the same order. Many are nested as the tree is, each condition once: engines take minutes to plan a
        query that writes them for every leaf.
        """
        paths = tree.paths()
        written = sum(map(len, paths.values())) * tree.width
        is_nested = written > MANY_FACTORS
        self.factors += (len(tree.nodes) - 1) * tree.width if is_nested else written
        if self.factors > MOST_FACTORS:
            raise CrakeError(
                f"a query that divides rows with NULL as predict does needs {self.factors:,} conditions here, "
                f"more than {MOST_FACTORS:,}; prune it, or take missing='heaviest' (NULL takes the heaviest branch)"
            )
        return [self._nested(tree, k) for k in range(tree.width)] if is_nested else self._leaf_by_leaf(tree, paths)

    def _leaf_by_leaf(self, tree: Tree, paths: dict[int, list[tuple[int, int]]]) -> list[str]:
        parts = {
            leaf: " * ".join(self._factor(tree.nodes[number], branch) for number, branch in path)
            for leaf, path in paths.items()
        }
        return [
            " +\n    ".join(
                f"{parts[leaf]} * {self.words.number(tree.answers[leaf, k])}"
                for leaf in tree.leaves
                if tree.answers[leaf, k]
            )
            or self.words.number(0.0)
            for k in range(tree.width)
        ]

    def _nested(self, tree: Tree, output: int) -> str:
        """Write Σ_branches factor × what the branch gives, from the leaves upwards; nothing where all of it is 0."""
        texts = [self.words.number(value) if value else "" for value in tree.answers[:, output].tolist()]
        for number in range(len(tree.nodes) - 1, -1, -1):
            node = tree.nodes[number]
            if node.children:
                terms = [
                    f"{self._factor(node, branch)} * {texts[child]}"
                    for branch, child in enumerate(node.children)
                    if texts[child]
                ]
                texts[number] = f"({' + '.join(terms)})" if terms else ""
        return texts[0] or self.words.number(0.0)

    def _factor(self, node: Node, branch: int) -> str:
        one, none = self.words.number(1.0), self.words.number(0.0)
        if len(node.questions) > 1:
            return f"CASE WHEN {self._decided(node)} = {branch} THEN {one} ELSE {none} END"
        (question,) = node.questions
        share = node.shares[branch] if node.fallback < 0 else float(node.fallback == branch)
        return self._three_ways(question, branch, one, none, self.words.number(share))

    def _three_ways(self, question: Question, branch: int, one: str, none: str, share: str) -> str:
        own = question[branch]
        others = [self.test(test) for b, test in enumerate(question) if test is not None and b != branch]
        held = "" if own is None else f"WHEN {self.test(own)} THEN {one} "
        failed = f"WHEN {' OR '.join(others)} THEN {none} " if others else ""
        return f"CASE {held}{failed}ELSE {share} END" if held or failed else share

    def rule(self, rules: Rules) -> str:
        """Write the number of the first rule that holds, 1 for the first; NULL for a row that is divided among rules.

        The number after the last is for a row that no rule takes.
        """
        lines: list[str] = []
        for number, rule in enumerate(rules.rules, 1):
            lines.append(f"WHEN {' AND '.join(self.condition(each.condition) for each in rule)} THEN {number}")
            if any(each.share > 0 for each in rule):
                lines.append(f"WHEN {' AND '.join(map(self._may_hold, rule))} THEN NULL")
        return _case(lines, len(rules.rules) + 1)

    def _may_hold(self, each: RuleCondition) -> str:
        held = self.condition(each.condition)
        return f"({held} OR {self._unknown(each.condition)})" if each.share > 0 else held

    def _unknown(self, condition: Condition) -> str:
        column = self.schema.features[condition.feature]
        name = self.words.column(column)
        if not isinstance(condition, Among):
            return f"{name} IS NULL"
        levels = ", ".join(self.words.level(column, code) for code in range(len(column.levels)))
        return f"{name} IS NULL OR {name} NOT IN ({levels})"

    def satisfied(self, rule: Sequence[RuleCondition]) -> str:
        """Write the part of a row that satisfies a rule."""
        one, none = self.words.number(1.0), self.words.number(0.0)
        factors = [
            f"CASE WHEN {self.condition(each.condition)} THEN {one} "
            f"WHEN {self._unknown(each.condition)} THEN {self.words.number(each.share)} ELSE {none} END"
            for each in rule
        ]
        return " * ".join(factors) or one


def _cut_of(question: Question) -> Compare | None:
    """Return the condition of the first branch if the branches are x ≤ cut and x > cut."""
    match question:
        case ((Compare(sign="<=") as below,), (Compare(sign=">") as above,)) if below.value == above.value:
            return below
    return None


def _case(lines: Sequence[str], otherwise: int) -> str:
    if not lines:
        return str(otherwise)
    return "\n".join(["CASE", *(f"      {line}" for line in lines), f"      ELSE {otherwise}", "    END"])
