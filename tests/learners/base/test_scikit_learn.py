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

END = "\x1e"
"""The line that ends the output of a child."""

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


def printed_by_each(*stages: tuple[str, Iterable[str]]) -> list[list[list[str]]]:
    """Run the code of each stage in one new process, and then its snippets, each in a child of it.

    Return the lines that each snippet prints. So each snippet is the first to need scikit-learn. What scikit-learn
    itself imports is loaded before the children part: it takes a second, and is not the point.
    """
    written = [(code, [textwrap.dedent(each) for each in snippets]) for code, snippets in stages]
    program = (
        "import os, sys, joblib, narwhals, pandas, scipy.linalg, scipy.sparse.linalg, scipy.stats\n"
        f"for code, snippets in {written!r}:\n"
        "    exec(code, globals())\n    assert 'sklearn' not in sys.modules\n    for snippet in snippets:\n"
        "        child = os.fork()\n        if child == 0:\n            exec(snippet, {**globals()})\n"
        f"            print({END!r}, flush=True)\n            os._exit(0)\n"
        "        assert os.waitpid(child, 0)[1] == 0, snippet"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stderr
    printed = iter([lines.splitlines() for lines in run.stdout.split(f"{END}\n")])
    return [[next(printed) for _ in snippets] for _, snippets in stages]


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


LOOKED_UP_FIRST = ("NeighborsRegressor", "NeighborsClassifier", "CARTRegressor", "Tuned", "Discretizer")
BEFORE_FITTING = (
    """
    from crake.learners.base.scikit_learn import clone
    tuned = crake.Tuned(crake.CARTClassifier(), {'max_depth': [1, 3]}, plan=crake.CrossValidation(2))
    own = clone(tuned.set_params(random_state=7))
    print(own.estimator is tuned.estimator, own.grid is tuned.grid)
    print(own.plan == tuned.plan, 'sklearn' in sys.modules)
    print(repr(own) == repr(tuned) == repr(clone(tuned)), own.random_state)
    try:
        crake.C45Classifier().set_params(unknown=1)
    except ValueError as error:
        print('refused')
    """,
    """
    crake.MajorityClassifier
    sys.modules['joblib'] = None
    try:
        import sklearn.base
    except ImportError:
        print('failed')
    del sys.modules['joblib']
    from sklearn.base import BaseEstimator
    print(issubclass(crake.MajorityClassifier, BaseEstimator))
    """,
    """
    from crake.learners import registry
    classes = list(registry.stored().values())
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
    print(len(classes), all(issubclass(each, BaseEstimator) for each in classes))
    print(all(issubclass(each, (ClassifierMixin, RegressorMixin, TransformerMixin)) for each in classes))
    print(any('scikit_learn' in base.__module__ for each in classes for base in each.__mro__))
    """,
    *(
        f"""
        learner = crake.{name}
        from sklearn.base import BaseEstimator
        print(issubclass(learner, BaseEstimator))
        """
        for name in LOOKED_UP_FIRST
    ),
)
AFTER_FITTING = (
    "print(*model.predict(table)[:2]); print('sklearn' in sys.modules)",
    """
    compared = crake.compare(table, learners=['c4.5', 'naive-bayes', 'knn', 'adaboost'], plan='cv2')
    print(len(compared), 'sklearn' in sys.modules)
    """,
    """
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_classifier
    print(isinstance(model, BaseEstimator), isinstance(model, ClassifierMixin), is_classifier(model))
    print(isinstance(crake.LinearRegressor(), RegressorMixin), hasattr(crake.CARTRegressor, 'set_fit_request'))
    print(any('crake' in type(finder).__module__ for finder in sys.meta_path))
    """,
    *(f"print({asked}, 'sklearn' in sys.modules)" for asked in LOADED_BY),
)


@pytest.fixture(scope="module")
def printed() -> list[list[list[str]]]:
    model = crake.NaiveBayesClassifier(alpha=0.5).fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    unpickle = f"""
        import pickle
        model = pickle.loads({pickle.dumps(model)!r})
        print(model.alpha, 'sklearn' in sys.modules)
        print(model.predict([[4.0]]))
        """
    return printed_by_each(("import crake", (unpickle, *BEFORE_FITTING)), (FITTED, AFTER_FITTING))


def test_a_fitted_model_before_and_after_scikit_learn_is_loaded(printed: list[list[list[str]]]) -> None:
    """LIBSVM comes with scikit-learn: an SVM loads it, most other learners do not."""
    predicts, compares, inherits, *loaded = printed[1]
    assert predicts == ["no yes", "False"]
    assert compares == ["4 False"]
    assert inherits == ["True True True", "True True", "False"]
    assert loaded == [[f"{expected} True"] for expected in LOADED_BY.values()]  # what only scikit-learn can do loads it


def test_learners_before_and_after_scikit_learn_is_loaded(printed: list[list[list[str]]]) -> None:
    """Classes with several bases, of which some have been joined already and others not, are no obstacle."""
    unpickled, cloned, repeated, every, *joined = printed[0]
    assert unpickled == ["0.5 False", "[1]"]
    assert cloned == ["False False", "True False", "True 7", "refused"]
    assert repeated == ["failed", "True"]
    assert every == [f"{len(registry.stored())} True", "True", "False"]
    assert joined == [["True"]] * len(LOOKED_UP_FIRST)


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
