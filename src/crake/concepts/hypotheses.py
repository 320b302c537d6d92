"""Hypotheses with probabilities: brute-force MAP, the Bayes-optimal answer, Gibbs' draw."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crake.errors import CrakeError
from crake.render.workings import Section, Step, Workings, added_up, number, scientific

TOLERANCE = 1e-9
Vote = Any
"""What a hypothesis answers: a class, or the probability of each class."""


def brute_force_map(
    hypotheses: Mapping[str, Callable[[Any], Any]],
    rows: Sequence[Any],
    labels: Sequence[Any],
    *,
    priors: Mapping[str, float] | None = None,
    noise: float = 0.0,
) -> Workings:
    """Return P(h given D) ∝ P(D given h) · P(h) of every hypothesis; the largest is h_MAP.

    hypotheses : functions of a row, or fitted models' `predict` wrapped in one.
    priors : P(h), equal by default.
    noise : the probability that a label is not what the true hypothesis says; at 0 one miss rules a hypothesis out.

    >>> worked = brute_force_map({"all": lambda x: True, "large": lambda x: x > 2}, [1, 3], [False, True])
    >>> worked["large"]
    1.0
    """
    if not hypotheses or len(rows) != len(labels):
        raise CrakeError("expected at least one hypothesis, and a label for each row")
    if not 0 <= noise < 1:
        raise CrakeError(f"noise is {noise}; expected a probability below 1")
    prior = _probabilities(priors or {name: 1 / len(hypotheses) for name in hypotheses}, "P(h)")
    _refuse_others(prior, hypotheses)
    steps, joint = [], {}
    for name, h in hypotheses.items():
        right = sum(h(row) == label for row, label in zip(rows, labels, strict=True))
        wrong = len(labels) - right
        likelihood = right * _log(1 - noise) + (wrong * _log(noise) if wrong else 0.0)
        joint[name] = likelihood + _log(prior[name])
        source = f"{right} of {len(labels)} examples fit"
        written = f"{scientific(likelihood)} × {number(prior[name])}"
        steps.append(Step(f"P(D | {name}) × P({name})", "", written, scientific(joint[name]), source))
    top = max(joint.values())
    if top == -math.inf:
        raise CrakeError("no hypothesis fits all examples, so P(D) is 0; allow noise: noise=0.1")
    total = sum(math.exp(value - top) for value in joint.values())
    posterior = {name: math.exp(value - top) / total for name, value in joint.items()}
    evidence = scientific(top + math.log(total))
    normed = tuple(
        Step(f"P({name} | D)", "", f"{scientific(joint[name])} / {evidence}", number(value))
        for name, value in posterior.items()
    )
    best = max(posterior, key=posterior.__getitem__)
    sections = (Section("Each hypothesis", tuple(steps)), Section("Normalised to sum to 1", normed))
    return Workings("Brute-force MAP", sections, tuple(posterior.items()), (f"h_MAP = {best}",))


def bayes_optimal(posteriors: Mapping[str, float], votes: Mapping[str, Vote]) -> Workings:
    """Return P(class) = Σ_h P(class given h) · P(h given D): no other way to answer errs less on average.

    posteriors : P(h given D).
    votes : the class that each hypothesis answers, or the probability of each class.

    >>> worked = bayes_optimal({"h1": 0.4, "h2": 0.3, "h3": 0.3}, {"h1": "+", "h2": "-", "h3": "-"})
    >>> worked["-"], worked.notes[0]
    (0.6, 'the most probable hypothesis, h1, answers +; all together answer -')
    """
    posterior = _probabilities(posteriors, "P(h | D)")
    shares = _shares(posterior, votes)
    classes = list(dict.fromkeys(label for own in shares.values() for label in own))
    steps, answer = [], {}
    for label in classes:
        terms = {name: own.get(label, 0.0) * posterior[name] for name, own in shares.items()}
        answer[str(label)] = sum(terms.values())
        written = added_up([term for term in terms.values() if term > 0] or [0.0])
        steps.append(Step(f"P({label})", "Σ P(class | h) × P(h | D)", written, number(answer[str(label)])))
    best = max(answer, key=answer.__getitem__)
    h = max(posterior, key=posterior.__getitem__)
    own = max(shares[h], key=shares[h].__getitem__)
    agree = "the same" if str(own) == best else best
    note = f"the most probable hypothesis, {h}, answers {own}; all together answer {agree}"
    return Workings("Bayes-optimal answer", (Section("Each class", tuple(steps)),), tuple(answer.items()), (note,))


def gibbs(posteriors: Mapping[str, float], votes: Mapping[str, Vote], random_state: int = 1) -> Workings:
    """Return the answer of one hypothesis, drawn by P(h given D): its expected error is at most twice the optimal one.

    >>> print(gibbs({"h1": 0.4, "h2": 0.3, "h3": 0.3}, {"h1": "+", "h2": "-", "h3": "-"}).notes[0])
    drawn: h1, which answers +
    """
    posterior = _probabilities(posteriors, "P(h | D)")
    shares = _shares(posterior, votes)
    drawn = random.Random(random_state).choices(list(posterior), list(posterior.values()))[0]  # noqa: S311 (no secret)
    own = max(shares[drawn], key=shares[drawn].__getitem__)
    steps = tuple(Step(f"P({name} | D)", "", "", number(value)) for name, value in posterior.items())
    answer = tuple((str(label), float(share)) for label, share in shares[drawn].items())
    note = f"drawn: {drawn}, which answers {own}"
    return Workings("Gibbs' answer", (Section("One hypothesis is drawn", steps),), answer, (note,))


def _log(probability: float) -> float:
    return math.log(probability) if probability > 0 else -math.inf


def _probabilities(given: Mapping[str, float], what: str) -> dict[str, float]:
    """Return probabilities that sum to 1; raise if they do not."""
    values = {str(name): float(value) for name, value in given.items()}
    if not values or any(not 0 <= value <= 1 for value in values.values()):
        raise CrakeError(f"{what} is {values}; expected numbers from 0 to 1")
    if abs(sum(values.values()) - 1) > TOLERANCE:
        raise CrakeError(f"{what} sum to {number(sum(values.values()))}; expected 1")
    return values


def _shares(posterior: Mapping[str, float], votes: Mapping[str, Vote]) -> dict[str, dict[Any, float]]:
    """Return the probability of each class under each hypothesis."""
    _refuse_others(posterior, votes)
    return {
        name: _probabilities(votes[name], f"the votes of {name}")
        if isinstance(votes[name], Mapping)
        else {votes[name]: 1.0}
        for name in posterior
    }


def _refuse_others(posterior: Mapping[str, float], others: Mapping[str, Any]) -> None:
    if set(posterior) != set(others):
        raise CrakeError(f"expected the same hypotheses twice, got {sorted(posterior)} and {sorted(others)}")
