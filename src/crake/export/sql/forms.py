"""Each form as SQL: one expression for each number that a row gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from crake.errors import CrakeError
from crake.export.forms import (
    Additive,
    Form,
    Levels,
    Logistic,
    LogSum,
    Mixture,
    PairVotes,
    Part,
    Placed,
    Rules,
    Shares,
    Softmax,
    Sum,
    Tree,
)  # fmt: skip
from crake.export.sql.conditions import MOST_RULES, Conditions
from crake.export.sql.layers import Expression, Layers
from crake.export.sql.lookups import by_number, first_largest
from crake.export.sql.terms import term_expressions
from crake.export.sql.text import IMPOSSIBLE, Words
from crake.table.schema import Schema

MOST_ADDED = 200
"""Engines refuse deep expressions: longer sums are taken in several layers."""
LEAST_LOG = -700.0
"""exp of less is taken for 0: PostgreSQL raises an error where it underflows."""


class Writer:
    """Writes forms into the layers of one query."""

    def __init__(self, words: Words, schema: Schema) -> None:
        self.words, self.schema = words, schema
        self.layers, self.conditions = Layers(words), Conditions(words, schema)
        self.shared: dict[Form, list[Expression]] = {}

    def write(self, form: Form) -> list[Expression]:
        """Return an expression for each number of a form."""
        if form in self.shared:
            return self.shared[form]
        ways: dict[type, Callable[[Any], list[Expression]]] = {
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
        return ways[type(form)](form)

    def leaf(self, tree: Tree, *, is_answer: bool = False) -> Expression:
        """Return the column that holds the number of the leaf."""
        return self.layers.define("leaf", Expression(self.conditions.leaf(tree)), is_answer=is_answer)

    def rule(self, rules: Rules, *, is_answer: bool = False) -> Expression:
        """Return the column that holds the number of the rule."""
        return self.layers.define("rule", Expression(self.conditions.rule(rules)), is_answer=is_answer)

    def _tree(self, tree: Tree) -> list[Expression]:
        if len(tree.nodes) == 1:
            return [Expression(self.words.number(value)) for value in tree.answers[0]]
        leaf, leaves = self.leaf(tree), tree.leaves
        known = [
            by_number(self.words, leaf.text, leaves, list(map(self.words.number, line)))
            for line in tree.answers[leaves].T
        ]
        if not tree.mixes:
            return [Expression(text, leaf.layer) for text in known]
        mixed = self.conditions.mixtures(tree)
        return [_where_divided(leaf, mix, text) for mix, text in zip(mixed, known, strict=True)]

    def _rules(self, rules: Rules) -> list[Expression]:
        rule, numbers = self.rule(rules), list(range(1, len(rules.answers) + 1))
        known = [
            by_number(self.words, rule.text, numbers, list(map(self.words.number, line))) for line in rules.answers.T
        ]
        if not rules.mixes:
            return [Expression(text, rule.layer) for text in known]
        if len(rules.rules) > MOST_RULES:
            raise CrakeError(
                f"a query that divides rows with NULL as predict does can hold {MOST_RULES} rules, got "
                f"{len(rules.rules)}: take missing='fails' (NULL satisfies no condition), or a larger min_samples_leaf"
            )
        parts = [self.layers.define("part", Expression(self.conditions.satisfied(each))) for each in rules.rules]
        one = self.words.number(1.0)
        left = [f"({one} - {part.text})" for part in parts]
        taken = [" * ".join([*left[:at], part.text]) for at, part in enumerate(parts)] + [" * ".join(left) or one]
        held = [self.layers.define("taken", Expression(each, 1)) for each in taken]
        mixed = [
            self._total([f"{part.text} * {self.words.number(p)}" for part, p in zip(held, line, strict=True) if p])
            for line in rules.answers.T
        ]
        return [_where_divided(Expression(rule.text, 2), mix, text) for mix, text in zip(mixed, known, strict=True)]

    def _total(self, texts: Sequence[str]) -> str:
        return " +\n    ".join(texts) or self.words.number(0.0)

    def _additive(self, form: Additive) -> list[Expression]:
        columns = [term_expressions(self.words, self.layers, self.schema, term) for term in form.terms]
        return [self._added(float(form.constant[k]), [own[k] for own in columns]) for k in range(form.width)]

    def _added(self, constant: float, terms: Sequence[Expression]) -> Expression:
        """Write a sum from left to right, of many terms in several layers."""
        known = [each for each in terms if each.text != "0"]
        so_far = Expression(self.words.number(constant))
        for start in range(0, len(known), MOST_ADDED):
            some = known[start : start + MOST_ADDED]
            text = " + ".join([so_far.text, *(each.text for each in some)])
            so_far = Expression(text, max(so_far.layer, *(each.layer for each in some)))
            if start + MOST_ADDED < len(known):
                so_far = self.layers.define("sum", so_far)
        return so_far

    def _sum(self, form: Sum) -> list[Expression]:
        none = Expression("0")
        columns = []
        for part in form.parts:
            own = self._votes(part) if part.is_vote else self._weighted(part)
            columns.append(
                own if part.output is None else [own[0] if k == part.output else none for k in range(form.width)]
            )
        return [self._added(float(form.constant[k]), [own[k] for own in columns]) for k in range(form.width)]

    def _weighted(self, part: Part) -> list[Expression]:
        own = self.write(part.form)
        if part.weight == 1.0:
            return own
        return [Expression(f"({each.text}) * {self.words.number(part.weight)}", each.layer) for each in own]

    def _votes(self, part: Part) -> list[Expression]:
        weight, none = self.words.number(part.weight), self.words.number(0.0)
        if isinstance(part.form, Tree) and not part.form.mixes and len(part.form.nodes) > 1:
            leaf, leaves = self.leaf(part.form), part.form.leaves
            chosen = first_largest(part.form.answers[leaves], part.tie)
            return [
                Expression(
                    by_number(self.words, leaf.text, leaves, [weight if c == k else none for c in chosen]), leaf.layer
                )
                for k in range(part.form.width)
            ]
        if part.form.width == 1:
            return [Expression(weight)]
        own = self.layers.columns_of("share", self.write(part.form))
        layer = max(each.layer for each in own)
        cases = [f"WHEN {held} THEN {k}" for k, held in enumerate(self._is_first([e.text for e in own], part.tie))]
        vote = self.layers.define("vote", Expression(f"CASE {' '.join(cases[:-1])} ELSE {len(own) - 1} END", layer))
        return [
            Expression(f"CASE WHEN {vote.text} = {k} THEN {weight} ELSE {none} END", vote.layer)
            for k in range(len(own))
        ]

    def _is_first(self, names: Sequence[str], tie: float) -> list[str]:
        """Write for each number that it is at least the largest less `tie`; asked in turn, the first has it."""
        margin = f" - {self.words.number(tie)}" if tie else ""
        others = [[*names[:k], *names[k + 1 :]] for k in range(len(names))]  # equal columns have one name
        return [
            " AND ".join(f"{name} >= {other}{margin}" for other in own) for name, own in zip(names, others, strict=True)
        ]

    def _softmax(self, form: Softmax) -> list[Expression]:
        scores = self.layers.columns_of("score", self.write(form.form))
        if len(scores) == 1:
            return [Expression(self.words.number(1.0))]
        texts, number = [each.text for each in scores], self.words.number
        layer = max(each.layer for each in scores)
        top = self.layers.define("top", Expression(self.words.greatest(texts), layer))
        raised = [
            self.layers.define("raised", Expression(self._exp(f"{text} - {top.text}"), top.layer)) for text in texts
        ]
        total = self._total_of(raised)
        shares = [f"{each.text} / ({total})" for each in raised]
        if form.fallback is not None:
            least = number(IMPOSSIBLE / 2.5)
            shares = [
                f"CASE WHEN {top.text} < {least} THEN {number(prior)} ELSE {share} END"
                for prior, share in zip(form.fallback, shares, strict=True)
            ]
        return [Expression(share, raised[0].layer) for share in shares]

    def _total_of(self, numbers: Sequence[Expression]) -> str:
        return " + ".join(each.text for each in numbers)

    def _exp(self, text: str) -> str:
        number = self.words.number
        return f"CASE WHEN {text} < {number(LEAST_LOG)} THEN {number(0.0)} ELSE EXP({text}) END"

    def _logistic(self, form: Logistic) -> list[Expression]:
        number, (score,) = self.words.number, self.write(form.form)
        if (form.a, form.b) != (1.0, 0.0):
            score = Expression(f"({score.text}) * {number(form.a)} + {number(form.b)}", score.layer)
        odds = self.layers.define("log odds", score)
        one, none = number(1.0), number(0.0)
        text = f"{one} / ({one} + EXP(-{odds.text}))"
        p = Expression(
            f"CASE WHEN {odds.text} < {number(LEAST_LOG)} THEN {none} WHEN {odds.text} > {number(-LEAST_LOG)} "
            f"THEN {one} ELSE {text} END",
            odds.layer,
        )
        if form.least:
            inner, least, most = self.layers.define("share", p), number(form.least), number(1.0 - form.least)
            p = Expression(
                f"CASE WHEN {inner.text} < {least} THEN {least} WHEN {inner.text} > {most} THEN {most} "
                f"ELSE {inner.text} END",
                inner.layer,
            )
        own = self.layers.define("share", p)
        return [Expression(f"{one} - {own.text}", own.layer), own]

    def _shares(self, form: Shares) -> list[Expression]:
        own = self.layers.columns_of("sum", self.write(form.form))
        layer, total = max(each.layer for each in own), self._total_of(own)
        texts = [f"{each.text} / ({total})" for each in own]
        if (form.factor, form.constant) != (1.0, 0.0):
            factor, constant = self.words.number(form.factor), self.words.number(form.constant)
            texts = [f"{text} * {factor} + {constant}" for text in texts]
        return [Expression(text, layer) for text in texts]

    def _levels(self, form: Levels) -> list[Expression]:
        self._hold_shared(form)
        held = self.conditions.levels(form.level)
        cases = [self.write(case) for case in form.cases]
        each = [[case[k] for case in cases] for k in range(form.width)]
        others = [own[form.unknown] for own in each] if form.unknown >= 0 else [self._log_added(own) for own in each]
        return [self._chosen(held, own, other) for own, other in zip(each, others, strict=True)]

    def _hold_shared(self, form: Levels) -> None:
        """Compute the members of sums in columns of their own: cases, and other forms, share them."""
        for case in form.cases:
            for part in case.parts if isinstance(case, Sum) else ():
                if part.form not in self.shared:
                    self.shared[part.form] = self.layers.columns_of("below", self.write(part.form))

    def _chosen(self, held: Sequence[str], cases: Sequence[Expression], other: Expression) -> Expression:
        """Write the case of the first condition that holds."""
        lines = " ".join(f"WHEN {test} THEN {own.text}" for test, own in zip(held, cases, strict=True))
        return Expression(f"CASE {lines} ELSE {other.text} END", max(each.layer for each in (*cases, other)))

    def _log_added(self, terms: Sequence[Expression]) -> Expression:
        """Write log Σ exp of some numbers."""
        layer = max(each.layer for each in terms)
        top = self.layers.define("top", Expression(self.words.greatest([each.text for each in terms]), layer))
        total = " + ".join(self._exp(f"({each.text} - {top.text})") for each in terms)
        return Expression(f"{top.text} + LN({total})", top.layer)

    def _log_sum(self, form: LogSum) -> list[Expression]:
        columns, tests = [], []
        for level, cases in form.parents:
            own = [(test, case) for test, case in zip(self.conditions.levels(level), cases, strict=True) if case]
            if own:
                tests += [test for test, _ in own]
                columns.append(self._parent([test for test, _ in own], [case for _, case in own]))
        others = self.write(form.otherwise)
        if not columns:
            return others
        found = []
        for k, other in enumerate(others):
            added = self._log_added([each[k] for each in columns])
            layer = max(added.layer, other.layer)
            found.append(Expression(f"CASE WHEN {' OR '.join(tests)} THEN {added.text} ELSE {other.text} END", layer))
        return found

    def _parent(self, tests: Sequence[str], cases: Sequence[Form]) -> list[Expression]:
        """Write the numbers of one column's cases, in columns; of a row without a case they are impossible."""
        written, none = [self.write(case) for case in cases], Expression(self.words.number(IMPOSSIBLE))
        own = [self._chosen(tests, [case[k] for case in written], none) for k in range(cases[0].width)]
        return self.layers.columns_of("score", own)

    def _mixture(self, form: Mixture) -> list[Expression]:
        shares = self.layers.columns_of("share", self.write(form.tree))
        answers = [self.layers.columns_of("answer", self.write(each)) for each in form.forms]
        return [
            Expression(
                " + ".join(f"{share.text} * {own[k].text}" for share, own in zip(shares, answers, strict=True)),
                max(each.layer for each in (*shares, *(own[k] for own in answers))),
            )
            for k in range(form.width)
        ]

    def _pair_votes(self, form: PairVotes) -> list[Expression]:
        own = self.layers.columns_of("score", self.write(form.form))
        number = self.words.number
        texts: list[list[str]] = [[] for _ in range(form.width)]
        for score, (i, j) in zip(own, form.pairs, strict=True):
            for k, sign in ((i, "<="), (j, ">")):
                held = f"{score.text} {sign} {number(0.0)}"
                texts[k].append(f"CASE WHEN {held} THEN {number(1.0)} ELSE {number(0.0)} END")
        layer = max(each.layer for each in own)
        return [Expression(f"({' + '.join(each)}) / {number(float(len(own)))}", layer) for each in texts]

    def _placed(self, form: Placed) -> list[Expression]:
        own = dict(zip(form.places, self.write(form.form), strict=True))
        return [own.get(k, Expression(self.words.number(0.0))) for k in range(form.width)]


def _where_divided(number: Expression, mixed: str, known: str) -> Expression:
    """Write the mixture for a row that has no leaf, or rule, of its own."""
    return Expression(f"CASE WHEN {number.text} IS NULL THEN {mixed} ELSE {known} END", number.layer)
