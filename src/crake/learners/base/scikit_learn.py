"""scikit-learn's base classes, which crake's estimators inherit from as soon as scikit-learn is loaded.

scikit-learn takes longer to import than a model takes to load and predict, and a loaded model needs none of it. So
crake's estimators are defined on the place-holders below. When anybody imports scikit-learn, the place-holders
among the bases are replaced by the classes that they stand for: `isinstance(model, BaseEstimator)` is True from the
moment that it can be asked. Whatever only scikit-learn can do loads it: `repr`, HTML, routing, a regressor's `score`.
"""

from __future__ import annotations

import copy
import functools
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

__all__ = ["Classifier", "Estimator", "OneToOneFeatures", "Regressor", "Transformer", "clone", "is_loaded", "load"]

HOME = "sklearn.base"


@functools.cache
def _parameter_names(initialise: Callable[..., None]) -> tuple[str, ...]:
    """Return the parameters of an estimator; every fit asks for them."""
    return tuple(sorted(list(inspect.signature(initialise).parameters)[1:]))


if TYPE_CHECKING:
    from sklearn.base import BaseEstimator as Estimator
    from sklearn.base import ClassifierMixin as Classifier
    from sklearn.base import OneToOneFeatureMixin as OneToOneFeatures
    from sklearn.base import RegressorMixin as Regressor
    from sklearn.base import TransformerMixin as Transformer
else:

    class _LoadsFirst:
        """An attribute that scikit-learn's class has: looked up, it loads scikit-learn and is looked up again."""

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type) -> Any:
            load()
            return getattr(owner if instance is None else instance, self.name)

    class Estimator:
        stands_for = "BaseEstimator"

        __repr__ = _LoadsFirst()
        __sklearn_clone__ = _LoadsFirst()
        __sklearn_tags__ = _LoadsFirst()
        _html_repr = _LoadsFirst()
        _repr_html_ = _LoadsFirst()
        _repr_mimebundle_ = _LoadsFirst()
        get_metadata_routing = _LoadsFirst()
        set_fit_request = _LoadsFirst()
        set_partial_fit_request = _LoadsFirst()
        set_score_request = _LoadsFirst()

        def __init_subclass__(cls, **options: Any) -> None:
            super().__init_subclass__(**options)
            join(cls)

        @classmethod
        def _get_param_names(cls) -> list[str]:
            return list(_parameter_names(cls.__init__)) if cls.__init__ is not object.__init__ else []

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters by name; `deep` adds those of inner learners as `estimator__name`."""
            params: dict[str, Any] = {}
            for name in self._get_param_names():
                value = params[name] = getattr(self, name)
                if deep and hasattr(value, "get_params") and not isinstance(value, type):
                    params.update((f"{name}__{inner}", each) for inner, each in value.get_params().items())
            return params

        def set_params(self, **params: Any) -> Any:
            """Set parameters of its own; scikit-learn sets those of inner learners and refuses unknown ones."""
            if not params.keys() <= set(self._get_param_names()):
                load()
                return self.set_params(**params)
            for name, value in params.items():
                setattr(self, name, value)
            return self

    class Classifier:
        stands_for = "ClassifierMixin"
        __sklearn_tags__ = _LoadsFirst()

        def __init_subclass__(cls, **options: Any) -> None:
            super().__init_subclass__(**options)
            join(cls)

    class Regressor:
        stands_for = "RegressorMixin"
        __sklearn_tags__ = _LoadsFirst()
        score = _LoadsFirst()

        def __init_subclass__(cls, **options: Any) -> None:
            super().__init_subclass__(**options)
            join(cls)

    class Transformer:
        stands_for = "TransformerMixin"
        __sklearn_tags__ = _LoadsFirst()
        fit_transform = _LoadsFirst()
        set_output = _LoadsFirst()

        def __init_subclass__(cls, **options: Any) -> None:
            super().__init_subclass__(**options)
            join(cls)

    class OneToOneFeatures:
        stands_for = "OneToOneFeatureMixin"
        get_feature_names_out = _LoadsFirst()

        def __init_subclass__(cls, **options: Any) -> None:
            super().__init_subclass__(**options)
            join(cls)


# They have no base in common: while Python works out the bases of one class after the other, some have been joined
# already and others not, and a common base would stand in two orders.
_PLACE_HOLDERS: tuple[Any, ...] = (Estimator, Classifier, Regressor, Transformer, OneToOneFeatures)


def is_loaded() -> bool:
    """Return True if scikit-learn's base classes are there to be inherited from."""
    module = sys.modules.get(HOME)  # while it is being imported, some of its classes are not there yet
    return all(hasattr(module, place_holder.stands_for) for place_holder in _PLACE_HOLDERS)


def load() -> None:
    """Import scikit-learn's base classes, and let all estimators inherit from them."""
    importlib.import_module(HOME)
    join_all()


def clone(learner: Any) -> Any:
    """Return an unfitted copy with the same parameters, as scikit-learn's `clone` does; if loaded, that one does it."""
    if is_loaded() or not isinstance(learner, Estimator):
        load()
        return sys.modules[HOME].clone(learner)
    return type(learner)(**{name: _copied(value) for name, value in learner.get_params(deep=False).items()})


def _copied(value: Any) -> Any:
    if isinstance(value, Estimator) or (hasattr(value, "get_params") and not isinstance(value, type)):
        return clone(value)
    if type(value) is dict:
        return {name: _copied(each) for name, each in value.items()}
    if type(value) in {list, tuple, set, frozenset}:
        return type(value)(_copied(each) for each in value)
    return copy.deepcopy(value)


def join_all() -> None:
    """Put scikit-learn's classes in the place of the place-holders."""
    for place_holder in _PLACE_HOLDERS:
        for subclass in place_holder.__subclasses__():
            join(subclass)


def join(cls: Any) -> None:
    """Put scikit-learn's classes in the place of the place-holders among the bases of one class, if they are loaded."""
    if not is_loaded():
        return
    home = sys.modules[HOME]
    bases = tuple(getattr(home, base.stands_for) if base in _PLACE_HOLDERS else base for base in cls.__bases__)
    if bases != cls.__bases__:
        cls.__bases__ = bases
        _tell(cls)


def _tell(cls: Any) -> None:
    """Call the hooks that scikit-learn's classes have for new subclasses: they add `set_fit_request` and others."""
    super(cls, cls).__init_subclass__()
    for subclass in cls.__subclasses__():
        _tell(subclass)


class _Finder:
    """Waits for the import of scikit-learn's base classes, and is out of the way of all other imports."""

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec that the other finders give, with a loader that lets the estimators join."""
        del path, target
        if name != HOME or self not in sys.meta_path:
            return None
        place = sys.meta_path.index(self)
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(place, self)
        if spec is not None and spec.loader is not None:
            _join_after(spec.loader)
        return spec


def _join_after(loader: Any) -> None:
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        execute(module)
        join_all()
        sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]

    loader.exec_module = exec_module


if not is_loaded():
    sys.meta_path.insert(0, _Finder())
