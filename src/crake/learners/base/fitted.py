"""Guards of methods: fitted models only, methods that only some parameters have, models kept where fitting fails.

Without scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import MethodType
from typing import Any, TypeVar, cast

from crake.errors import CrakeError

Method = TypeVar("Method", bound=Callable[..., Any])


def is_fitted(model: Any, attribute: str | None = None) -> bool:
    """Return True if the model has the attribute, or any that fitting sets: its name ends in an underscore."""
    if attribute is not None:
        return hasattr(model, attribute)
    return any(name.endswith("_") and not name.startswith("__") for name in vars(model))


def check_is_fitted(model: Any, attribute: str | None = None) -> None:
    """Raise scikit-learn's NotFittedError if a model is not fitted."""
    if not is_fitted(model, attribute):
        from sklearn.utils.validation import check_is_fitted as check  # noqa: PLC0415 (slow to import)

        check(model, attribute)


@contextmanager
def unchanged_on_error(model: Any) -> Iterator[None]:
    """Restore a model's attributes if what sets them raises, or is interrupted: no model is fitted by half."""
    before = dict(vars(model))
    try:
        yield
    except BaseException:
        vars(model).clear()
        vars(model).update(before)
        raise


def available_if(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """Decorate a method that only models have for which `check(model)` is True; for others it does not exist.

    A CrakeError that the check raises is the reason why it does not exist.
    """

    def decorate(method: Method) -> Method:
        return cast(Method, _AvailableIf(method, check))

    return decorate


class _AvailableIf:
    """The descriptor of such a method."""

    def __init__(self, method: Callable[..., Any], check: Callable[[Any], bool]) -> None:
        self.method = method
        self.check = check
        self.__doc__ = method.__doc__

    def __get__(self, model: Any, owner: type) -> Callable[..., Any]:
        if model is not None:
            self._refuse_others(model, owner)
            return MethodType(self.method, model)

        @wraps(self.method)
        def unbound(model: Any, *arguments: Any, **options: Any) -> Any:
            self._refuse_others(model, owner)
            return self.method(model, *arguments, **options)

        return unbound

    def _refuse_others(self, model: Any, owner: type) -> None:
        message = f"This {owner.__name__!r} has no attribute {self.method.__name__!r}"
        try:
            is_available = self.check(model)
        except CrakeError as error:
            raise AttributeError(message) from error
        if not is_available:
            raise AttributeError(message)
