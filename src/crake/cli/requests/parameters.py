"""`--set alpha=0`: a learner's parameters from the command line, checked by the learner's own constraints."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from crake.errors import CrakeError, did_you_mean


def parameter(text: str) -> tuple[str, Any]:
    """A name and its value: JSON where it is JSON, the text itself otherwise.

    >>> parameter("alpha=0.5"), parameter("prior=laplace"), parameter("prior=[0.5, 0.5]"), parameter("m=null")
    (('alpha', 0.5), ('prior', 'laplace'), ('prior', [0.5, 0.5]), ('m', None))
    >>> parameter("alpha")
    Traceback (most recent call last):
    crake.errors.CrakeError: --set alpha: expected NAME=VALUE, such as alpha=0
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise CrakeError(f"--set {text}: expected NAME=VALUE, such as alpha=0")
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value.strip()


def configured(name: str, settings: Sequence[str], *, numbers: bool = False) -> Any:
    """The learner of this name with these parameters; with `numbers`, the regressor where a name stands for two.

    >>> configured("naive-bayes", ["alpha=0"])
    NaiveBayesClassifier(alpha=0)
    >>> configured("naive-bayes", ["alhpa=0"])
    Traceback (most recent call last):
    crake.errors.CrakeError: naive-bayes has no parameter 'alhpa'. Did you mean 'alpha'? Parameters: alpha, ...
    """
    return with_parameters(name, dict(map(parameter, settings)), "--set: ", numbers=numbers)


def with_parameters(name: str, given: Mapping[str, Any], where: str = "", *, numbers: bool = False) -> Any:
    """The learner of this name with these parameters, checked by its own constraints; `where` begins the error."""
    from crake.learners import registry  # noqa: PLC0415 (scikit-learn and numba only when there is work)

    learner = registry.by_name(name, numbers=numbers)
    known = learner.get_params(deep=False)
    for each in given:
        if each not in known:
            hint = did_you_mean(each, known)
            raise CrakeError(f"{name} has no parameter {each!r}.{hint} Parameters: {', '.join(known)}")
    return checked(learner.set_params(**given), where)


def checked(learner: Any, where: str) -> Any:
    """The learner, once its own constraints have been asked; `where` begins the error."""
    try:
        learner._validate_params()  # noqa: SLF001 (scikit-learn's own name for it; before any row is read)
    except CrakeError:
        raise
    except ValueError as error:
        raise CrakeError(f"{where}{error}") from None
    return learner
