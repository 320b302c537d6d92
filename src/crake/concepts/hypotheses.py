"""Hypotheses with probabilities: brute-force MAP, the Bayes-optimal answer, Gibbs' draw."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from crake.errors import CrakeError
from crake.render.workings import Section, Step, Workings, added_up, number, scientific

TOLERANCE = 1e-9
Vote = Any
"""The answer of a hypothesis: a class, or the probability of each class."""


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
        Of K classes each of the K − 1 others then has noise/(K − 1). The classes are all labels and all answers.

    >>> worked = brute_force_map({"all": lambda x: True, "large": lambda x: x > 2}, [1, 3], [False, True])
    >>> worked["large"]
    1.0
    """
    if not hypotheses:
        raise CrakeError("expected at least one hypothesis, got none; give a name and a function of a row for each")
    if len(rows) != len(labels):
        raise CrakeError(f"expected a label for each row, got {len(rows)} rows and {len(labels)} labels")
    if not 0 <= noise < 1:
        raise CrakeError(f"expected noise from 0 to below 1, got {noise}; it is a probability, such as 0.1")
    prior = _probabilities(priors or {name: 1 / len(hypotheses) for name in hypotheses}, "P(h)")
    _refuse_others(prior, hypotheses)
    answers = {name: [_one_class(name, h(row)) for row in rows] for name, h in hypotheses.items()}
    others = max(1, len({*labels}.union(*answers.values())) - 1)
    steps, joint = [], {}
    for name, own in answers.items():
        right = sum(answer == label for answer, label in zip(own, labels, strict=True))
        wrong = len(labels) - right
        likelihood = right * _log(1 - noise) + (wrong * _log(noise / others) if wrong else 0.0)
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
    answer = tuple((str(name), value) for name, value in posterior.items())
    return Workings("Brute-force MAP", sections, answer, (f"h_MAP = {best}",))


def bayes_optimal(posteriors: Mapping[str, float], votes: Mapping[str, Vote]) -> Workings:
    """Return P(class) = Σ_h P(class given h) · P(h given D): no other way to answer errs less on average.

    posteriors : P(h given D).
    votes : the class that each hypothesis answers, or the probability of each class. Classes of one text are one.

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
        answer[label] = sum(terms.values())
        written = added_up([term for term in terms.values() if term > 0] or [0.0])
        steps.append(Step(f"P({label})", "Σ P(class | h) × P(h | D)", written, number(answer[label])))
    best = max(answer, key=answer.__getitem__)
    h = max(posterior, key=posterior.__getitem__)
    own = max(shares[h], key=shares[h].__getitem__)
    agree = "the same" if own == best else best
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
    answer = tuple(shares[drawn].items())
    note = f"drawn: {drawn}, which answers {own}"
    return Workings("Gibbs' answer", (Section("One hypothesis is drawn", steps),), answer, (note,))


def _log(probability: float) -> float:
    return math.log(probability) if probability > 0 else -math.inf


def _one_class(name: str, answer: Any) -> Any:
    """Return the answer of a hypothesis; raise if it is no single class."""
    if not isinstance(answer, Hashable):
        raise CrakeError(f"expected one class for a row from {name}, got {answer!r}; take it out: predict([row])[0]")
    return answer


def _probabilities(given: Mapping[Any, float], what: str) -> dict[Any, float]:
    """Return probabilities that sum to 1; raise if they do not."""
    values = {name: float(value) for name, value in given.items()}
    if not values or any(not 0 <= value <= 1 for value in values.values()):
        raise CrakeError(f"expected {what} from 0 to 1, got {values or 'none'}; give a number for each")
    if abs(sum(values.values()) - 1) > TOLERANCE:
        raise CrakeError(f"expected {what} that sum to 1, got {number(sum(values.values()))}; divide them by their sum")
    return values


def _shares(posterior: Mapping[str, float], votes: Mapping[str, Vote]) -> dict[str, dict[str, float]]:
    """Return the probability of each class, by its text, under each hypothesis."""
    _refuse_others(posterior, votes)
    shares: dict[str, dict[str, float]] = {}
    for name in posterior:
        vote = votes[name]
        given = _probabilities(vote, f"votes of {name}") if isinstance(vote, Mapping) else {vote: 1.0}
        own = shares.setdefault(name, {})
        for label, share in given.items():
            own[str(label)] = own.get(str(label), 0.0) + share
    return shares


def _refuse_others(posterior: Mapping[str, float], others: Mapping[str, Any]) -> None:
    if set(posterior) != set(others):
        names = sorted(map(str, posterior)), sorted(map(str, others))
        raise CrakeError(f"expected the same hypotheses twice, got {names[0]} and {names[1]}")
