"""Forms as procedures: what Python, C and JavaScript share. A target adds its syntax and its helping functions.

A procedure takes a row x (numbers, codes of levels) and adds to the numbers of `out`. No text of a table is in it:
names and levels stand in tables of strings that each target escapes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.export.exported import Exported
from crake.export.forms import (
    Additive,
    Among,
    Compare,
    Condition,
    Form,
    Known,
    LevelOf,
    Levels,
    LevelTerm,
    Logistic,
    LogSum,
    Mixture,
    Node,
    NormalTerm,
    NumberTerm,
    PairVotes,
    Placed,
    Question,
    RuleCondition,
    Rules,
    Shares,
    Softmax,
    StepTerm,
    Sum,
    Term,
    Tree,
)  # fmt: skip
from crake.export.syntax import Syntax
from crake.table.schema import Kind

DEEPEST = 40
"""Nested questions before a procedure of its own begins: Python takes 100 levels of indentation, C compilers 127."""
FEW = 4
"""Levels up to which a split on a name is written as comparisons; more are looked up in a table."""


class Procedures:
    """Writes the procedures of a model; `parts` are the pieces of text in their order."""

    def __init__(self, syntax: Syntax, model: Exported, prefix: str = "") -> None:
        self.syntax, self.model, self.prefix = syntax, model, prefix
        self.parts: list[str] = []
        self.known: dict[Form, str] = {}
        self.place = {feature: at for at, feature in enumerate(model.features)}
        self.count = 0

    def write(self, form: Form) -> str:
        """Write a form, unless it is written already, and return the name of its procedure."""
        ways: dict[type, Callable[[Any], list[str]]] = {
            Tree: self._tree,
            Rules: self._rules,
            Additive: self._additive,
            Sum: self._sum,
            Softmax: self._softmax,
            Logistic: self._logistic,
            Shares: self._shares,
            PairVotes: self._pair_votes,
            Placed: self._placed,
            Levels: self._levels,
            LogSum: self._log_sum,
            Mixture: self._mixture,
        }
        if form not in self.known:
            body = ways[type(form)](form)
            name = self._name("form")
            self.parts.append(self.syntax.procedure(name, body))
            self.known[form] = name
        return self.known[form]

    def _name(self, kind: str) -> str:
        self.count += 1
        return f"{self.prefix}{kind}_{self.count}"

    def _helper(self, name: str) -> str:
        return f"{self.prefix}{name}"

    def _table(self, lines: Floats) -> str:
        name = self._name("table")
        self.parts.append(self.syntax.table(name, np.atleast_2d(np.asarray(lines, np.float64))))
        return name

    def _list(self, values: Sequence[int]) -> str:
        name = self._name("list")
        self.parts.append(self.syntax.whole_numbers(name, values))
        return name

    def _inner(self, form: Form) -> tuple[list[str], str]:
        """Return lines that compute another form into a list of its own, and the name of the list."""
        name, own = self.write(form), self._name("own")
        return [self.syntax.array(own, form.width), self.syntax.call(name, "x", own)], own

    def _sum(self, form: Sum) -> list[str]:
        width = form.width
        lines = [self.syntax.call(self._helper("add"), "out", f"{self._table(form.constant)}[0]", "1.0", width)]
        for part in form.parts:
            more, own = self._inner(part.form)
            lines += more
            weight = self.syntax.number(part.weight)
            if part.is_vote:
                tie = self.syntax.number(part.tie)
                lines.append(self.syntax.call(self._helper("vote"), "out", own, weight, tie, part.form.width))
            elif part.output is not None:
                lines.append(f"out[{part.output}] += {own}[0] * {weight}{self.syntax.end}")
            else:
                lines.append(self.syntax.call(self._helper("add"), "out", own, weight, width))
        return lines

    def _softmax(self, form: Softmax) -> list[str]:
        fallback = np.full(form.width, 1.0 / form.width) if form.fallback is None else form.fallback
        name = self.write(form.form)
        return [
            self.syntax.call(name, "x", "out"),
            self.syntax.call(self._helper("softmax"), "out", f"{self._table(fallback)}[0]", form.width),
        ]

    def _logistic(self, form: Logistic) -> list[str]:
        lines, own = self._inner(form.form)
        a, b, least = map(self.syntax.number, (form.a, form.b, form.least))
        return [*lines, self.syntax.call(self._helper("logistic"), "out", f"{own}[0]", a, b, least)]

    def _shares(self, form: Shares) -> list[str]:
        factor, constant = self.syntax.number(form.factor), self.syntax.number(form.constant)
        name = self.write(form.form)
        return [
            self.syntax.call(name, "x", "out"),
            self.syntax.call(self._helper("shares"), "out", factor, constant, form.width),
        ]

    def _pair_votes(self, form: PairVotes) -> list[str]:
        lines, own = self._inner(form.form)
        vote = self.syntax.number(1.0 / len(form.pairs))
        for at, (i, j) in enumerate(form.pairs):
            winner = self.syntax.choice(f"{own}[{at}] > 0.0", str(j), str(i))
            lines.append(self.syntax.call(self._helper("win"), "out", winner, vote))
        return lines

    def _placed(self, form: Placed) -> list[str]:
        lines, own = self._inner(form.form)
        return [*lines, *(f"out[{k}] = {own}[{at}]{self.syntax.end}" for at, k in enumerate(form.places))]

    def _level(self, name: str, level: LevelOf) -> str:
        """Write a variable that holds the level or interval of a row; −1 and other numbers: none."""
        cell = self._cell(level.feature)
        if level.cuts is None:
            return self.syntax.whole(name, self.syntax.whole_number(cell))
        cuts = f"{self._table(level.cuts)}[0]"
        return self.syntax.whole(name, f"{self._helper('interval')}({cell}, {cuts}, {len(level.cuts)})")

    def _levels(self, form: Levels) -> list[str]:
        calls = [self.syntax.call(self.write(case), "x", "out") for case in form.cases]
        if form.unknown >= 0:
            others = [calls[form.unknown]]
        else:
            others, total = self._nowhere(form.width)
            for case in form.cases:
                others += self._joined(case, total)
            others.append(self.syntax.call(self._helper("add"), "out", total, "1.0", form.width))
        cases = [(f"level == {at}", [call]) for at, call in enumerate(calls)]
        return [self._level("level", form.level), *self.syntax.branches([*cases, ("", others)])]

    def _nowhere(self, width: int) -> tuple[list[str], str]:
        """Return lines that make a list of −∞, and its name."""
        total = self._name("total")
        return [self.syntax.array(total, width), self.syntax.call(self._helper("empty"), total, width)], total

    def _joined(self, form: Form, total: str) -> list[str]:
        """Return lines that change a total to log(exp(total) + exp(numbers of the form))."""
        lines, own = self._inner(form)
        return [*lines, self.syntax.call(self._helper("join"), total, own, form.width)]

    def _log_sum(self, form: LogSum) -> list[str]:
        lines, total = self._nowhere(form.width)
        lines.append(self.syntax.whole("parents", "0"))
        found = self.syntax.whole("parents", "parents + 1", is_new=False)
        for level, cases in form.parents:
            name = self._name("level")
            joined = [
                (f"{name} == {at}", [*self._joined(case, total), found])
                for at, case in enumerate(cases)
                if case is not None
            ]
            lines += [self._level(name, level), *self.syntax.branches(joined)] if joined else []
        none = self.syntax.call(self.write(form.otherwise), "x", "out")
        add = self.syntax.call(self._helper("add"), "out", total, "1.0", form.width)
        return [*lines, *self.syntax.branches([("parents == 0", [none]), ("", [add])])]

    def _mixture(self, form: Mixture) -> list[str]:
        lines, share = self._inner(form.tree)
        for at, each in enumerate(form.forms):
            more, own = self._inner(each)
            add = self.syntax.call(self._helper("add"), "out", own, f"{share}[{at}]", form.width)
            lines += self.syntax.branches([(f"{share}[{at}] > 0.0", [*more, add])])
        return lines

    def _additive(self, form: Additive) -> list[str]:
        width = form.width
        lines = [self.syntax.call(self._helper("add"), "out", f"{self._table(form.constant)}[0]", "1.0", width)]
        return lines + [self._term(term, width) for term in form.terms]

    def _term(self, term: Term, width: int) -> str:
        x, number, call = self._cell(term.feature), self.syntax.number, self.syntax.call
        match term:
            case LevelTerm():
                table = self._table(np.vstack([term.unseen, term.missing, term.values]))
                return call(self._helper("level_term"), "out", x, table, width)
            case NumberTerm():
                table = self._table(np.vstack([term.coefficient, term.missing]))
                numbers = map(number, (term.unit, term.centre, term.rest, term.scale, term.farthest))
                return call(self._helper("number_term"), "out", x, *numbers, table, width)
            case NormalTerm():
                table = self._table(np.vstack([term.mean, term.rest, term.precision, term.log_norm]))
                return call(
                    self._helper("normal_term"), "out", x, number(term.scale), number(term.log_floor), table, width
                )
            case StepTerm():
                cuts, table = self._table(term.cuts), self._table(np.vstack([term.values, term.missing]))
                return call(self._helper("step_term"), "out", x, f"{cuts}[0]", len(term.cuts), table, width)

    def _cell(self, feature: int) -> str:
        return f"x[{self.place[feature]}]"

    def _rules(self, rules: Rules) -> list[str]:
        table = self._table(rules.answers)
        lines = [self.syntax.real("left", "1.0")]
        for at, rule in enumerate(rules.rules):
            part = " * ".join(map(self._satisfied, rule)) or "1.0"
            lines.append(self._taken(table, at, part, rules.width))
        return [*lines, self._taken(table, len(rules.rules), "1.0", rules.width)]

    def _taken(self, table: str, at: int, part: str, width: int) -> str:
        call = f"{self._helper('take')}(out, left, {part}, {table}[{at}], {width})"
        return self.syntax.real("left", call, is_new=False)

    def _satisfied(self, each: RuleCondition) -> str:
        held, share = self._condition(each.condition), self.syntax.number(each.share)
        x = self._cell(each.condition.feature)
        unknown = f"{x} < 0" if isinstance(each.condition, Among) else f"{x} != {x}"
        choice = self.syntax.choice
        return choice(self.syntax.condition(held), "1.0", choice(unknown, share, "0.0") if each.share else "0.0")

    def _condition(self, condition: Condition) -> str:
        x = self._cell(condition.feature)
        if isinstance(condition, Compare):
            return f"{x} {condition.sign} {self.syntax.number(condition.value)}"
        if isinstance(condition, Among):
            return " || ".join(f"{x} == {code}" for code in condition.codes)
        return f"{x} == {x}" if isinstance(condition, Known) else f"{x} == -1"

    def _tree(self, tree: Tree) -> list[str]:
        leaves = tree.leaves
        table = self._table(tree.answers[leaves])
        asked, size = self._name("tree"), len(tree.nodes)
        self._questions(tree, asked, {leaf: at for at, leaf in enumerate(leaves)})
        add = self._helper("add")
        none = self._list([0] * size) if tree.mixes else self._helper("none")
        found = self.syntax.whole("leaf", f"{asked}(x, {none})")
        lines = [found, self.syntax.call(add, "out", f"{table}[leaf]", "1.0", tree.width)]
        if not tree.mixes:
            return lines
        share = np.zeros(size)
        for node in tree.nodes:
            share[list(node.children)] = node.shares
        first = self._list([node.children[0] if node.children else 0 for node in tree.nodes])
        count = self._list([len(node.children) for node in tree.nodes])
        forced, shares = self._name("forced"), self._table(share)
        mix = self.syntax.call(
            self._helper("mix"), asked, "x", forced, "1.0", first, count, f"{shares}[0]", table, tree.width, "out"
        )
        divided = [self.syntax.array(forced, size), mix]
        return [found, *self.syntax.branches([("leaf >= 0", [lines[1]]), ("", divided)])]

    def _questions(self, tree: Tree, name: str, rank: dict[int, int]) -> None:
        """Write the nested questions of a tree; deep parts are functions of their own, written first."""
        heads = [0]
        names = {0: name}
        bodies: list[tuple[str, list[str]]] = []
        while heads:
            head = heads.pop()
            bodies.append((names[head], self._nested(tree, head, rank, names, heads, 0)))
        for own, body in reversed(bodies):
            self.parts.append(self.syntax.question(own, body))

    def _nested(
        self, tree: Tree, number: int, rank: dict[int, int], names: dict[int, str], heads: list[int], depth: int
    ) -> list[str]:
        node = tree.nodes[number]
        if not node.children:
            return [f"return {rank[number]}{self.syntax.end}"]
        if depth >= DEEPEST:
            names[number] = self._name("tree")
            heads.append(number)
            return [f"return {names[number]}(x, forced){self.syntax.end}"]
        cases: list[tuple[str, list[str]]] = [
            (f"b{depth} == {branch}", self._nested(tree, child, rank, names, heads, depth + 1))
            for branch, child in enumerate(node.children)
        ]
        if node.fallback < 0:
            cases.append(("", [f"return {-1 - number}{self.syntax.end}"]))
        else:
            cases[-1] = ("", cases[-1][1])
        return [*self._branch(node, number, depth), *self.syntax.branches(cases)]

    def _branch(self, node: Node, number: int, depth: int) -> list[str]:
        """Write the branch of a row: by the first question that it answers, by force, or the fallback."""
        name = f"b{depth}"
        lines = [self.syntax.whole(name, self._answer(node.questions[0]))]
        for question in node.questions[1:]:
            more = self.syntax.whole(name, self._answer(question), is_new=False)
            lines += self.syntax.branches([(f"{name} < 0", [more])])
        last = f"forced[{number}] - 1" if node.fallback < 0 else str(node.fallback)
        return [*lines, *self.syntax.branches([(f"{name} < 0", [self.syntax.whole(name, last, is_new=False)])])]

    def _answer(self, question: Question) -> str:
        """Write the branch that a question tells, −1 for none."""
        tests = [(branch, test) for branch, test in enumerate(question) if test is not None]
        names = [test[0] for _, test in tests if isinstance(test[0], Among)]
        if len(names) == len(tests) and sum(len(each.codes) for each in names) > FEW:
            levels = len(self.model.schema.features[names[0].feature].levels)
            branch_of = [-1] * levels
            for branch, test in tests:
                for code in test[0].codes:  # type: ignore[union-attr]
                    branch_of[code] = branch
            return f"{self._helper('look_up')}({self._list(branch_of)}, {self._cell(names[0].feature)})"
        text = "-1"
        for branch, test in reversed(tests):
            held = " && ".join(f"({self._condition(each)})" for each in test)
            text = self.syntax.choice(self.syntax.condition(held), str(branch), text)
        return text


def features_text(model: Exported) -> list[tuple[str, tuple[Any, ...] | None]]:
    """Return the names of the columns that the model reads, with the levels of those that hold names."""
    columns = [model.schema.features[at] for at in model.features]
    return [(column.name, column.levels if column.kind is Kind.NOMINAL else None) for column in columns]
