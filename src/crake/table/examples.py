"""Tables that come with crake: three small ones of the textbooks, and four of scikit-learn's."""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.table.convert.frames import from_frame
from crake.table.table import Table

_WEATHER = """
outlook   temp  humidity  windy  play
Sunny     Hot   High      False  No
Sunny     Hot   High      True   No
Overcast  Hot   High      False  Yes
Rainy     Mild  High      False  Yes
Rainy     Cool  Normal    False  Yes
Rainy     Cool  Normal    True   No
Overcast  Cool  Normal    True   Yes
Sunny     Mild  High      False  No
Sunny     Cool  Normal    False  Yes
Rainy     Mild  Normal    False  Yes
Sunny     Mild  Normal    True   Yes
Overcast  Mild  High      True   Yes
Overcast  Hot   Normal    False  Yes
Rainy     Mild  High      True   No
"""

_TAX = """
refund  marital_status  taxable_income  evade
Yes     Single          125             No
No      Married         100             No
No      Single          70              No
Yes     Married         120             No
No      Divorced        95              Yes
No      Married         60              No
Yes     Divorced        220             No
No      Single          85              Yes
No      Married         75              No
No      Single          90              Yes
"""

_MEASURES = ("sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)")


@dataclass(frozen=True)
class Example:
    """An example: what it is about, the column to predict, and how to make it."""

    about: str
    target: str
    make: Callable[[], Table]


def names() -> tuple[str, ...]:
    """Return the names `load` knows.

    >>> names()
    ('golf', 'weather', 'tax', 'iris', 'breast-cancer', 'wine', 'digits')
    """
    return tuple(_EXAMPLES)


def about(name: str) -> str:
    """Return one line on an example.

    >>> about("tax")
    'Ten taxpayers, income in thousands: who evades tax?'
    """
    return _find(name).about


def load(name: str, target: str | None = None) -> Table:
    """Return an example as a Table; `target` is its own unless another column is named.

    >>> load("golf")
    <Table 'golf': 14 rows, 4 nominal and 0 numeric features, target 'play'>
    """
    example = _find(name)
    table = replace(example.make(), name=name)
    return table.with_target(example.target if target is None else target)


def _find(name: str) -> Example:
    if name in _EXAMPLES:
        return _EXAMPLES[name]
    close = difflib.get_close_matches(str(name), names(), n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise CrakeError(f"there is no example called {name!r}.{hint} Examples: {', '.join(names())}")


def _typed(text: str, *, numeric: tuple[str, ...] = ()) -> Table:
    header, *rows = (line.split() for line in text.strip().splitlines())
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    return from_frame(pa.table({name: list(cells) for name, cells in columns.items()}), numeric=numeric)


def _golf() -> Table:
    """Return the weather table with Sunny and Rainy exchanged."""
    exchanged = _WEATHER.replace("Sunny", "*").replace("Rainy", "Sunny").replace("*", "Rainy")
    return _typed(exchanged)


def _iris() -> Table:
    """Return the flowers, from scikit-learn's file and without scikit-learn, which takes a second to import."""
    package = importlib.util.find_spec("sklearn")
    home = Path(package.submodule_search_locations[0] if package and package.submodule_search_locations else "")
    file = home / "datasets" / "data" / "iris.csv"
    if not file.is_file():  # scikit-learn itself knows where its files are
        return _of_sklearn("load_iris", "species")()
    header, *rows = (line.split(",") for line in file.read_text(encoding="utf-8").splitlines())
    *measures, species = zip(*rows, strict=True)
    columns: dict[str, NDArray[Any]] = {
        name: np.array(cells, np.float64) for name, cells in zip(_MEASURES, measures, strict=True)
    }
    columns["species"] = np.array(header[2:])[np.array(species, np.intp)]
    return from_frame(pa.table(columns), nominal=["species"])


def _of_sklearn(loader: str, target: str) -> Callable[[], Table]:
    def make() -> Table:
        from sklearn import datasets  # noqa: PLC0415  # heavy, and only these examples need it

        bunch: Any = getattr(datasets, loader)()
        columns = dict(zip(map(str, bunch.feature_names), bunch.data.T, strict=True))
        return from_frame(pa.table({**columns, target: bunch.target_names[bunch.target]}), nominal=[target])

    return make


_EXAMPLES = {
    "golf": Example("Fourteen days and their weather: was golf played? Sunny 3 yes, 2 no", "play", _golf),
    "weather": Example(
        "The same days with Sunny and Rainy exchanged: Sunny 2 yes, 3 no", "play", lambda: _typed(_WEATHER)
    ),
    "tax": Example(
        "Ten taxpayers, income in thousands: who evades tax?",
        "evade",
        lambda: _typed(_TAX, numeric=("taxable_income",)),
    ),
    "iris": Example(
        "150 flowers of three species, four measures in cm (Fisher 1936)",
        "species",
        _iris,
    ),
    "breast-cancer": Example(
        "569 tumours, 30 measures of their cell nuclei: malignant or benign? (Wisconsin)",
        "diagnosis",
        _of_sklearn("load_breast_cancer", "diagnosis"),
    ),
    "wine": Example(
        "178 Italian wines of three cultivars, 13 chemical measures",
        "cultivar",
        _of_sklearn("load_wine", "cultivar"),
    ),
    "digits": Example("1797 handwritten digits, 8 by 8 pixels", "digit", _of_sklearn("load_digits", "digit")),
}
