"""Learners of other libraries, named by their import path: sklearn.ensemble.RandomForestClassifier.

A module is imported only if the user typed its path, and only when the request is checked.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from typing import Any

from crake.errors import CrakeError, did_you_mean
from crake.workbench.calls import Call, imported

_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")


def refuse_in_model_file(path: str) -> None:
    """Raise an error for a learner of another library, which no model file can hold."""
    if is_import_path(path):
        raise CrakeError(
            f"{path} cannot be saved: a model file holds crake's learners only, since one of another library needs a "
            "pickle, and a pickle can run any code; compare or evaluate it, and keep it in Python"
        )


def is_import_path(name: str) -> bool:
    """Return True for names joined by dots, such as a class in a module; c4.5 is none.

    >>> is_import_path("sklearn.svm.SVC"), is_import_path("c4.5"), is_import_path("knn")
    (True, False, False)
    """
    return _PATH.fullmatch(name) is not None


def learner_class(path: str) -> Any:
    """Import the class of a path; raise if it does not exist or does not learn.

    >>> learner_class("sklearn.tree.DecisionTreeClasifier")
    Traceback (most recent call last):
    crake.errors.CrakeError: sklearn.tree has no 'DecisionTreeClasifier'. Did you mean 'DecisionTreeClassifier'?
    """
    module, _, name = path.rpartition(".")
    try:
        place = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise CrakeError(f"-l {path}: there is no module {error.name!r} here; install it, or name another") from None
    except Exception as error:
        raise CrakeError(f"-l {path}: importing {module} failed: {type(error).__name__}: {error}") from error
    kind = getattr(place, name, None)
    if kind is None:
        raise CrakeError(f"{module} has no {name!r}.{did_you_mean(name, dir(place))}")
    if not (isinstance(kind, type) and all(hasattr(kind, each) for each in ("fit", "predict", "get_params"))):
        raise CrakeError(f"{path} is no learner: expected a class with fit, predict and get_params, as scikit-learn's")
    return kind


def learner_at(path: str, parameters: Mapping[str, Any], seed: int) -> Any:
    """Return a new learner with these parameters; its random_state is the seed, unless it is set.

    >>> learner_at("sklearn.tree.DecisionTreeClassifier", {"max_depth": 2}, 1)
    DecisionTreeClassifier(max_depth=2, random_state=1)
    """
    from sklearn.base import is_classifier, is_regressor  # noqa: PLC0415 (only for those who name such a learner)

    kind = learner_class(path)
    try:
        learner = kind()
    except TypeError as error:
        raise CrakeError(f"{path} cannot be made without arguments ({error}); make it in Python") from None
    if not (is_classifier(learner) or is_regressor(learner)):
        raise CrakeError(f"{path} is neither a classifier nor a regressor of scikit-learn")
    known = learner.get_params(deep=False)
    for each in parameters:
        if each not in known:
            raise CrakeError(
                f"{path} has no parameter {each!r}.{did_you_mean(each, known)} Parameters: {', '.join(known)}"
            )
    return learner.set_params(**_with_seed(parameters, known, seed))


def call_of(path: str, parameters: Mapping[str, Any], learner: Any, seed: int) -> Call:
    """Return the call that makes the learner in Python.

    >>> learner = learner_at("sklearn.svm.SVC", {"C": 2}, 1)
    >>> print(call_of("sklearn.svm.SVC", {"C": 2}, learner, 1))
    SVC(C=2, random_state=1)
    """
    module, _, name = path.rpartition(".")
    return Call(imported(module, name), (), _with_seed(parameters, learner.get_params(deep=False), seed))


def _with_seed(parameters: Mapping[str, Any], known: Mapping[str, Any], seed: int) -> dict[str, Any]:
    own = {"random_state": seed} if "random_state" in known and "random_state" not in parameters else {}
    return {**parameters, **own}
