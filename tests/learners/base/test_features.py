"""What estimators refuse of a data frame, in words."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from crake import MajorityClassifier
from crake.errors import SchemaError


@pytest.mark.parametrize(
    "of", [pd.DataFrame, lambda frame, columns: pa.table([*zip(*frame, strict=True)], names=columns)]
)
def test_two_columns_of_one_name_are_refused_by_name(of) -> None:
    X = of([[1, 2.0], [2, 3.0], [3, 1.0]], columns=["a", "a"])
    with pytest.raises(SchemaError, match="2 columns of X are called 'a'"):
        MajorityClassifier().fit(X, ["x", "y", "x"])
