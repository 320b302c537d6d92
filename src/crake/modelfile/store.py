"""Saving and loading fitted learners."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from crake.errors import CrakeError, ModelFileError
from crake.files import replacing
from crake.modelfile import container
from crake.modelfile.reading import Reader
from crake.modelfile.writing import written
from crake.notices import warn

KEYS = {"format", "model", "needs", "sha256"}


def save(model: Any, path: str | Path) -> None:
    """Write a fitted learner to one file that is safe to share: it holds no code and no row it was trained on.

    Nearest neighbours and kernel machines are their rows: a warning says so when such a file is written. Equal models
    give equal bytes. An older file of that name is replaced whole, or stays whole.
    """
    pieces, rows = written(model)
    begin = next(pieces)  # whatever cannot be saved is told before a file is opened
    with replacing(path) as file:
        file.write(begin)
        file.writelines(pieces)
    if rows:
        warn(
            f"{path} holds {rows} that the model was trained on, with every value: share it only with "
            "those who may see them"
        )


def load(path: str | Path) -> Any:
    """Return the fitted learner of a file, which predicts bit for bit as the one that was saved. Never run code.

    Everything in the file is checked before it is used; whatever is wrong with it is a CrakeError.

    >>> import tempfile, crake
    >>> model = crake.OneRuleClassifier().fit(crake.read("weather"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     crake.save(model, f"{folder}/weather.crake")
    ...     print(crake.load(f"{folder}/weather.crake"))
    1R: outlook (4/14 errors)
      rule            errors
      Overcast → Yes     0/4
      Rainy → Yes        2/5
      Sunny → No         2/5
      total             4/14
    """
    return load_with_checksum(path)[0]


def load_with_checksum(path: str | Path) -> tuple[Any, str]:
    """Return the fitted learner of a file, as `load` does, and the SHA-256 that the file carries."""
    return _checked(lambda: container.read(Path(path)), path)


def loaded(data: bytes, name: str) -> Any:
    """Return the fitted learner of the bytes of a file, as `load` does; messages call it by this name."""
    return _checked(lambda: data, name)[0]


def _checked(read: Callable[[], bytes], path: str | Path) -> tuple[Any, str]:
    try:
        document, tensors = opened(read())
        reader = Reader(tensors)
        model = reader.model(document["model"])
        reader.done()
    except CrakeError as error:
        raise ModelFileError(f"{path}: {error}") from error
    except Exception as error:
        raise unexpected(path, error) from error
    return model, str(document["sha256"])


def unexpected(path: str | Path, error: Exception) -> ModelFileError:
    """Return the error for a file that no check refused, and that cannot be read all the same: the last resort."""
    reason = " ".join(str(error).split())[:200]
    return ModelFileError(f"{path}: it cannot be read ({type(error).__name__}: {reason}); it is damaged or hostile")


def opened(data: bytes) -> tuple[dict[str, Any], container.Tensors]:
    """Return the document and tensors of a file, the document's own keys checked."""
    document, tensors = container.unpacked(data)
    if set(document) != KEYS:
        raise ModelFileError(f"its description has the keys {sorted(document)[:10]}; expected {sorted(KEYS)}")
    return document, tensors
