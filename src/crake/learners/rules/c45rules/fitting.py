"""C4.5rules: paths of a tree, generalised; a subset for each class; the classes in order; a class for the rest."""

from __future__ import annotations

import numpy as np

from crake.arrays import Flags, Floats
from crake.kernels.rules.arrays import ABOVE, AT_LEAST, CodedArrays
from crake.kernels.rules.rule_sets import cover_matrix, first_two
from crake.learners.rules.c45rules.choosing import Choice, bits_of_rule
from crake.learners.rules.c45rules.generalising import Candidate, Generaliser, paths_of
from crake.learners.rules.coded_rows import coded_rows
from crake.learners.rules.conditions import Question
from crake.learners.rules.drafts import Draft, coded_rules, questions_of
from crake.learners.rules.rule_list import RuleList
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import Tree


def rules_of_tree(tree: Tree, training: Training, confidence: float) -> RuleList:
    """Return the rules of a tree that was grown from these rows, and last one that answers the class of the rest."""
    coded, weights = coded_rows(training), training.row_weights
    candidates = Generaliser(coded, weights, confidence).candidates(paths_of(tree, coded))
    candidates.sort(key=lambda rule: rule.error)
    matrix = cover_matrix(coded, coded_rules([rule.draft for rule in candidates]))
    groups = _groups(candidates, matrix, coded, weights)
    order = [rule for group in _ordered(groups, matrix, coded, weights) for rule in group]
    default = _default(matrix[order], coded, weights, training.classes)
    kept = _without_harm(candidates, order, matrix, coded, weights, default)
    questions = [_questions(coded, candidates[rule].draft) for rule in kept]
    answers = [candidates[rule].answer for rule in kept]
    return RuleList.counted_on([*questions, []], [*answers, default], training)


def _groups(candidates: list[Candidate], matrix: Flags, coded: CodedArrays, weights: Floats) -> dict[int, list[int]]:
    """Return, by class, the places of the rules that describe it shortest."""
    groups = {}
    for answer in sorted({rule.answer for rule in candidates}):
        mine = [place for place, rule in enumerate(candidates) if rule.answer == answer]
        bits = np.array([bits_of_rule(candidates[place].draft, coded) for place in mine])
        is_in = Choice(np.ascontiguousarray(matrix[mine]), bits, coded.target == answer, weights).best()
        groups[answer] = [place for place, is_taken in zip(mine, is_in, strict=True) if is_taken]
    return groups


def _ordered(groups: dict[int, list[int]], matrix: Flags, coded: CodedArrays, weights: Floats) -> list[list[int]]:
    """Return the rules by class: next comes the class whose rules err least on the rows that are left."""
    waiting, order = {answer: group for answer, group in groups.items() if group}, []
    is_left = np.ones(matrix.shape[1], bool)
    while waiting:
        covers = {answer: matrix[group].any(axis=0) & is_left for answer, group in waiting.items()}
        wrong = {answer: float(weights[cover & (coded.target != answer)].sum()) for answer, cover in covers.items()}
        best = min(waiting, key=lambda answer: wrong[answer])
        order.append(waiting.pop(best))
        is_left &= ~covers[best]
    return order


def _default(matrix: Flags, coded: CodedArrays, weights: Floats, classes: int) -> int:
    """Return the class of most rows that no rule covers; of equals the one of most rows."""
    is_left = ~matrix.any(axis=0)
    of_rest = np.bincount(coded.target[is_left], weights[is_left], classes)
    of_all = np.bincount(coded.target, weights, classes)
    return int(np.lexsort((-of_all, -of_rest))[0])


def _without_harm(
    candidates: list[Candidate], order: list[int], matrix: Flags, coded: CodedArrays, weights: Floats, default: int
) -> list[int]:
    """Return the rules without those whose omission lowers the number of errors, the most harmful first."""
    answers = np.array([*(candidates[rule].answer for rule in order), default], np.int64)
    own, is_in = np.ascontiguousarray(matrix[order]), np.ones(len(order), bool)
    while is_in.any():
        first, second = first_two(own, is_in)
        right = np.where(answers[first] == coded.target, weights, 0.0)
        right_without = np.where(answers[second] == coded.target, weights, 0.0)
        gain = np.bincount(first, right_without - right, len(order) + 1)[:-1]
        worst = int(np.argmax(np.where(is_in, gain, -np.inf)))
        if gain[worst] <= 1e-9:
            break
        is_in[worst] = False
    return [rule for rule, is_kept in zip(order, is_in, strict=True) if is_kept]


def _questions(coded: CodedArrays, draft: Draft) -> list[Question]:
    """Return the conditions of a rule; at least the next rank is written as above the threshold of the tree."""
    return [
        question._replace(kind=ABOVE, threshold=float(coded.values[coded.start[attribute] + code - 1]))
        if kind == AT_LEAST
        else question
        for question, (attribute, kind, code) in zip(questions_of(coded, draft), draft, strict=True)
    ]
