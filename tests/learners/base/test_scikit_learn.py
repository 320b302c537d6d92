"""Estimators without scikit-learn, and as heirs of its classes once it is loaded; each in a process of its own."""

from __future__ import annotations

import pickle
import subprocess
import sys
import textwrap
from collections.abc import Iterable

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import _param_validation as scikit_learn
from sklearn.utils import get_tags

import crake
from crake.learners import registry
from crake.learners.base.parameters import HasMethods, Interval, StrOptions, check_parameters


def printed(code: str) -> list[str]:
    """Run the code in a new process; return the lines it prints."""
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False, timeout=120
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


FITTED = """
import sys
import crake
from crake.table.convert.frames import from_frame
import pyarrow as pa
table = from_frame(pa.table({"a": pa.array(["x", "y", "x", "y"] * 5), "n": pa.array([1.0, 2.0, 3.0, 4.0] * 5),
                             "t": pa.array(["no", "yes", "no", "yes"] * 5)}), target="t")
model = crake.C45Classifier().fit(table)
assert "sklearn" not in sys.modules, "fit loads it"
"""


def test_a_model_is_fitted_and_predicts_without_scikit_learn() -> None:
    assert printed(FITTED + "print(*model.predict(table)[:2]); print('sklearn' in sys.modules)") == ["no yes", "False"]


def test_learners_are_compared_without_scikit_learn() -> None:
    """LIBSVM comes with scikit-learn: an SVM loads it, most others do not."""
    code = (
        "compared = crake.compare(table, learners=['c4.5', 'naive-bayes', 'knn', 'adaboost'], plan='cv2')\n"
        "print(len(compared), 'sklearn' in sys.modules)"
    )
    assert printed(FITTED + code) == ["4 False"]


def test_learners_are_cloned_without_scikit_learn_as_with_it() -> None:
    code = (
        "import sys, crake\nfrom crake.learners.base.scikit_learn import clone\n"
        "tuned = crake.Tuned(crake.CARTClassifier(), {'max_depth': [1, 3]}, plan=crake.CrossValidation(2))\n"
        "own = clone(tuned.set_params(random_state=7))\n"
        "print(own.learner is tuned.learner, own.grid is tuned.grid)\n"
        "print(own.plan == tuned.plan, 'sklearn' in sys.modules)\n"
        "print(repr(own) == repr(tuned) == repr(clone(tuned)), own.random_state)\n"
        "try:\n    crake.C45Classifier().set_params(unknown=1)\nexcept ValueError as error:\n    print('refused')"
    )
    assert printed(code) == ["False False", "True False", "True 7", "refused"]


def test_a_model_is_an_heir_as_soon_as_scikit_learn_is_imported() -> None:
    code = FITTED + (
        "from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_classifier\n"
        "print(isinstance(model, BaseEstimator), isinstance(model, ClassifierMixin), is_classifier(model))\n"
        "print(isinstance(crake.LinearRegressor(), RegressorMixin), hasattr(crake.CARTRegressor, 'set_fit_request'))\n"
        "print(any('crake' in type(finder).__module__ for finder in sys.meta_path))"
    )
    assert printed(code) == ["True True True", "True True", "False"]


def printed_by_each(code: str, expressions: Iterable[str]) -> list[str]:
    """Evaluate each expression in a child of its own, so that each is the first to need scikit-learn.

    What scikit-learn itself imports is loaded before the children part: it takes a second, and is not the point.
    """
    return printed(
        f"{code}\nimport os, sys, joblib, narwhals, pandas, scipy.linalg, scipy.sparse.linalg, scipy.stats\n"
        f"assert 'sklearn' not in sys.modules\nfor asked in {list(expressions)!r}:\n    child = os.fork()\n"
        "    if child == 0:\n        print(eval(asked), 'sklearn' in sys.modules, flush=True)\n        os._exit(0)\n"
        "    os.waitpid(child, 0)"
    )


def test_a_learner_that_is_looked_up_first_joins_scikit_learn() -> None:
    names = ("NeighborsRegressor", "NeighborsClassifier", "CARTRegressor", "Tuned", "Discretizer")
    code = (
        "import crake\ndef joins(name):\n    learner = getattr(crake, name)\n"
        "    from sklearn.base import BaseEstimator\n    return name, issubclass(learner, BaseEstimator)"
    )
    found = printed_by_each(code, [f"joins({name!r})" for name in names])
    assert found == [f"({name!r}, True) True" for name in names]


LOADED_BY = {
    "repr(model)": "C45Classifier()",
    "repr(model.set_params(confidence=0.1))": "C45Classifier(confidence=0.1)",
    "model.score(*table.to_xy())": "1.0",
    "model.__sklearn_tags__().estimator_type": "classifier",
    "crake.OneRuleClassifier().__sklearn_tags__().estimator_type": "classifier",
    "crake.Discretizer('width', bins=2).fit_transform([[1.0], [2.0]]).tolist()": "[['≤ 1.5'], ['> 1.5']]",
    "crake.Discretizer('width').set_output(transform='default').method": "width",
    "'<style' in crake.ID3Classifier()._repr_html_()": "True",
    "'<details' in model._repr_mimebundle_()['text/html']": "True",
    "type(model.set_fit_request).__name__": "function",
}


def test_what_only_scikit_learn_can_do_loads_it() -> None:
    assert printed_by_each(FITTED, LOADED_BY) == [f"{expected} True" for expected in LOADED_BY.values()]


def test_all_classes_become_heirs_at_once() -> None:
    """Classes with several bases, of which some have been joined already and others not, are no obstacle."""
    code = (
        "import crake\nfrom crake.learners import registry\nclasses = list(registry.stored().values())\n"
        "from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin\n"
        "print(len(classes), all(issubclass(each, BaseEstimator) for each in classes))\n"
        "print(all(issubclass(each, (ClassifierMixin, RegressorMixin, TransformerMixin)) for each in classes))\n"
        "print(any('scikit_learn' in base.__module__ for each in classes for base in each.__mro__))"
    )
    assert printed(code) == [f"{len(registry.stored())} True", "True", "False"]


def test_a_failed_import_of_scikit_learn_can_be_repeated() -> None:
    code = (
        "import sys, crake\ncrake.MajorityClassifier\n"
        "sys.modules['joblib'] = None\n"
        "try:\n    import sklearn.base\nexcept ImportError:\n    print('failed')\n"
        "del sys.modules['joblib']\n"
        "from sklearn.base import BaseEstimator\nprint(issubclass(crake.MajorityClassifier, BaseEstimator))"
    )
    assert printed(code) == ["failed", "True"]


def test_models_are_unpickled_before_scikit_learn_is_loaded() -> None:
    model = crake.NaiveBayesClassifier(alpha=0.5).fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    code = f"import pickle, sys\nmodel = pickle.loads({pickle.dumps(model)!r})\n"
    assert printed(f"{code}print(model.alpha, 'sklearn' in sys.modules); print(model.predict([[4.0]]))") == [
        "0.5 False",
        "[1]",
    ]


@pytest.mark.parametrize("name", [*registry.CLASSIFIERS, *registry.REGRESSORS])
def test_every_learner_is_an_heir(name: str) -> None:
    for family, mixin in ((registry.CLASSIFIERS, ClassifierMixin), (registry.REGRESSORS, RegressorMixin)):
        if name in family:
            learner = family[name]()
            assert isinstance(learner, BaseEstimator)
            assert isinstance(learner, mixin)
            assert get_tags(learner).input_tags.string
            assert type(clone(learner)) is type(learner)


def test_weights_are_routed_through_pipelines_and_searches() -> None:
    X, y, w = np.arange(40.0)[:, None] % 7, np.arange(40) % 2, np.arange(40.0) % 3
    with config_context(enable_metadata_routing=True):
        learner = crake.C45Classifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(make_pipeline(learner), {"c45classifier__confidence": [0.1, 0.25]}, cv=2)
        search.fit(X, y, sample_weight=w)
        routed = search.best_estimator_.predict_proba(X)
    plain = crake.C45Classifier(**learner.set_params(**_own(search.best_params_)).get_params()).fit(X, y, w)
    np.testing.assert_array_equal(routed, plain.predict_proba(X))


def _own(parameters: dict[str, float]) -> dict[str, float]:
    return {name.partition("__")[2]: value for name, value in parameters.items()}


def test_methods_of_models_that_are_not_fitted() -> None:
    with pytest.raises(NotFittedError, match="C45Classifier instance is not fitted"):
        crake.C45Classifier().predict([[1.0]])
    assert hasattr(crake.NaiveBayesClassifier(), "partial_fit")


@pytest.mark.parametrize(
    ("constraint", "twin"),
    [
        (StrOptions({"a", "b"}), scikit_learn.StrOptions({"a", "b"})),
        (HasMethods(["fit", "keys"]), scikit_learn.HasMethods(["fit", "keys"])),
        (HasMethods(["keys"]), scikit_learn.HasMethods(["keys"])),
        ("boolean", "boolean"),
        ("array-like", "array-like"),
        (None, None),
        (dict, dict),
        (callable, callable),
        *(
            (
                Interval(kind, left, right, closed),
                scikit_learn.Interval(kind, left, right, closed=closed),
            )
            for kind in (scikit_learn.Integral, scikit_learn.Real)
            for left, right in ((0, 2), (None, 2), (0, None))
            for closed in ("left", "right", "both", "neither")
            if not (kind is scikit_learn.Integral and (left is None or right is None) and closed != "neither")
        ),
    ],
)
def test_constraints_hold_as_scikit_learns_do(constraint: object, twin: object) -> None:
    numbers = [0, 1, 2, 3, -1, 0.0, 0.5, 2.0, 2.5, float("nan"), float("inf"), np.float64(1), np.int32(2)]
    for value in [*numbers, True, np.bool_(1), None, "a", "c", [1], (1,), np.array([1]), np.array(1), {}, len]:
        if scikit_learn.make_constraint(twin).is_satisfied_by(value):
            check_parameters({"p": [constraint]}, {"p": value}, "Owner")
        else:
            with pytest.raises(scikit_learn.InvalidParameterError, match="The 'p' parameter of Owner must be "):
                check_parameters({"p": [constraint]}, {"p": value}, "Owner")
