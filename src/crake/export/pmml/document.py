"""A model as a document of PMML 4.4: which element says it, and chains of models where one does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.export.exported import Exported
from crake.export.forms import (
    Additive,
    Form,
    Levels,
    Logistic,
    LogSum,
    Mixture,
    Node,
    PairVotes,
    Part,
    Placed,
    Rules,
    Shares,
    Softmax,
    Sum,
    Tree,
)  # fmt: skip
from crake.export.pmml.bayes import bayes_model
from crake.export.pmml.elements import Element, Fields, document, element
from crake.export.pmml.shares import leaf_scores, model_of, rule_scores
from crake.export.pmml.sums import (
    IMPOSSIBLE,
    Scores,
    apply,
    constant,
    derived,
    is_ever_impossible,
    one_output,
    reference,
)  # fmt: skip
from crake.export.pmml.trees import rule_model, tree_model
from crake.export.ways import counted, without_mixing

MISSING = (None, "heaviest", "fails")
NO_ELEMENT: dict[type, str] = {
    Levels: "PMML has no element for sums of products of tables",
    LogSum: "PMML has no element for sums of products of tables",
    Mixture: "PMML has no element for a tree with models in its leaves",
}
"""Reasons for which some forms have no counterpart."""


def to_pmml(model: Exported, *, missing: str | None = None) -> str:
    """Return the text of the document."""
    if missing not in MISSING:
        raise CrakeError(f"missing={missing!r}; expected None, 'heaviest' (trees) or 'fails' (rules)")
    form = model.form if missing is None else without_mixing(model.form)
    fields = Fields(model)
    dictionary = fields.dictionary()
    return document(model.title, dictionary, _top(fields, form, model.classes))


def _top(fields: Fields, form: Form, classes: Sequence[object]) -> Element:
    head = [fields.schema(), fields.output()]
    own = _by_paths(fields, form, classes, head)
    if own is None:
        own = _by_equations(fields, form, classes, head)
    return _chain(fields, form, classes, head) if own is None else own


def _by_paths(fields: Fields, form: Form, classes: Sequence[object], head: Sequence[Element]) -> Element | None:
    """Return trees and rules in which a row takes one path, and means of such trees."""
    match form:
        case Tree(mixes=False):
            return tree_model(fields, form, form.answers, classes, head[1])
        case Rules(mixes=False):
            return rule_model(fields, form, classes, head)
        case Additive(terms=()) if classes:
            return tree_model(fields, Tree((Node(),), form.constant[None]), form.constant[None], classes, head[1])
        case Shares(form=Sum() as inner, factor=1.0, constant=0.0) if not inner.constant.any():
            return _average(fields, inner.parts, classes, head)
    return None


def _by_equations(fields: Fields, form: Form, classes: Sequence[object], head: Sequence[Element]) -> Element | None:
    """Return sums, and trees and rules that divide rows."""
    match form:
        case Tree():
            return model_of(leaf_scores(fields, form, form.answers), classes, head, "simplemax" if classes else None)
        case Rules():
            return model_of(rule_scores(fields, form), classes, head, "simplemax")
        case Softmax(form=Additive() as inner) if form.fallback is None or not is_ever_impossible(inner):
            own = bayes_model(fields, form, classes, head)
            return model_of(Scores.of(fields, inner), classes, head, "softmax") if own is None else own
        case Additive():
            return model_of(Scores.of(fields, form), (), head)
        case Sum() if not classes:
            return _added(fields, form, 0, head)
    return None


def _average(
    fields: Fields, parts: Sequence[Part], classes: Sequence[object], head: Sequence[Element]
) -> Element | None:
    """Return the mean of the trees' probabilities; None if members are others, or vote."""
    models = [
        tree_model(fields, part.form, part.form.answers, classes)
        for part in parts
        if isinstance(part.form, Tree) and not part.form.mixes and part.weight == 1 and not part.is_vote
    ]
    return _segments(models, "average", "classification", head) if len(models) == len(parts) else None


def _segments(models: Sequence[Element], method: str, function: str, head: Sequence[Element]) -> Element:
    own = [element("Segment", element("True"), model, id=at + 1) for at, model in enumerate(models)]
    return element(
        "MiningModel", *head, element("Segmentation", *own, multipleModelMethod=method), functionName=function
    )  # fmt: skip


def _added(fields: Fields, form: Sum, output: int, head: Sequence[Element]) -> Element:
    """Return one number of a sum of trees."""
    constant_, models = float(form.constant[output]), []
    for part in form.parts:
        if not isinstance(part.form, Tree):
            raise CrakeError(_refusal(part.form))
        if part.form.mixes and part.is_vote:
            raise CrakeError(
                "votes of trees that divide rows with missing values cannot be exported to PMML; pass "
                "missing='heaviest'"
            )
        answers = counted(part, part.form.answers, form.width)[:, [output]]
        if len(answers) == 1:
            constant_ += float(answers[0, 0])
        elif part.form.mixes:
            models.append(model_of(leaf_scores(fields, part.form, answers), (), [fields.schema(has_target=False)]))
        elif answers.any():
            models.append(tree_model(fields, part.form, answers, ()))
    if constant_ or not models:
        models.append(tree_model(fields, Tree((Node(),), np.array([[constant_]])), np.array([[constant_]]), ()))
    return _segments(models, "sum", "regression", head)


def _refusal(form: Form) -> str:
    """Return why a form cannot be a member of a sum."""
    return NO_ELEMENT.get(type(form), f"PMML has no element for a sum of models that are {type(form).__name__}")


@dataclass
class _Chain:
    """Models whose results are fields, and fields derived from them for the last model."""

    fields: Fields
    models: list[Element] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    derived: list[Element] = field(default_factory=list)

    def numbers(self, form: Form) -> list[str]:
        """Return the names of the fields that hold the numbers of a form."""
        match form:
            case Additive():
                each = [Scores.of(self.fields, one_output(form, k)) for k in range(form.width)]
                return [self._result(model_of(scores, (), self._head(k))) for k, scores in enumerate(each)]
            case Sum():
                return [self._result(_added(self.fields, form, k, self._head(k))) for k in range(form.width)]
            case Logistic():
                score = apply("+", apply("*", reference(self.numbers(form.form)[0]), form.a), form.b)
                p = apply("/", 1.0, apply("+", 1.0, apply("exp", apply("*", -1.0, score))))
                p = apply("max", apply("min", p, 1.0 - form.least), form.least) if form.least else p
                second = self._derive(p)
                return [self._derive(apply("-", 1.0, reference(second))), second]
            case Shares():
                own = self.numbers(form.form)
                total = self._derive(apply("sum", *map(reference, own)))
                shares = [apply("/", reference(name), reference(total)) for name in own]
                return [self._derive(apply("+", apply("*", share, form.factor), form.constant)) for share in shares]
            case PairVotes():
                return self._votes(form, self.numbers(form.form))
            case Placed():
                own, names = self.numbers(form.form), [""] * form.width
                for at, k in enumerate(form.places):
                    names[k] = own[at]
                return [name or self._derive(constant(0.0)) for name in names]
        raise CrakeError(_refusal(form))

    def possible(self, own: list[str], fallback: Floats) -> list[str]:
        """Return the scores; `fallback` where every one of them is impossible."""
        top = self._derive(apply("max", *map(reference, own)))
        is_nowhere = apply("lessThan", reference(top), IMPOSSIBLE / 10)
        ends = [max(float(each), IMPOSSIBLE) for each in fallback]
        return [
            self._derive(apply("if", is_nowhere, end, reference(name))) for name, end in zip(own, ends, strict=True)
        ]

    def _votes(self, form: PairVotes, own: list[str]) -> list[str]:
        votes: list[list[Element | float]] = [[0.0] for _ in range(form.width)]
        for name, (i, j) in zip(own, form.pairs, strict=True):
            wins = apply("greaterThan", reference(name), 0.0)
            votes[i].append(apply("if", wins, 0.0, 1.0))
            votes[j].append(apply("if", wins, 1.0, 0.0))
        return [self._derive(apply("/", apply("sum", *each), float(len(form.pairs)))) for each in votes]

    def _head(self, output: int) -> list[Element]:
        name = self.fields.free(f"score {output}")
        out = element("OutputField", name=name, optype="continuous", dataType="double", feature="predictedValue")
        self.results.append(name)
        return [self.fields.schema(has_target=False), element("Output", out)]

    def _result(self, model: Element) -> str:
        self.models.append(model)
        return self.results[-1]

    def _derive(self, expression: Element) -> str:
        name = self.fields.free("step")
        self.derived.append(derived(name, expression))
        return name


def _chain(fields: Fields, form: Form, classes: Sequence[object], head: Sequence[Element]) -> Element:
    """Return models that compute scores, and a last one that turns them into probabilities."""
    chain = _Chain(fields)
    is_softmax = isinstance(form, Softmax)
    names = chain.numbers(form.form if isinstance(form, Softmax) else form)
    if isinstance(form, Softmax) and form.fallback is not None:
        names = chain.possible(names, np.log(form.fallback))
    predictors = [element("NumericPredictor", name=name, exponent=1, coefficient=1.0) for name in names]
    tables = [
        element("RegressionTable", predictor, intercept=0.0, targetCategory=label)
        for predictor, label in zip(predictors, classes, strict=True)
    ]
    steps = element("LocalTransformations", *chain.derived) if chain.derived else None
    last = element(
        "RegressionModel", fields.schema(*chain.results), steps, *tables, functionName="classification",
        normalizationMethod="softmax" if is_softmax else "simplemax",
    )  # fmt: skip
    return _segments([*chain.models, last], "modelChain", "classification", head)
