"""Out to Arrow and scikit-learn, and back the same."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import _get_feature_names

from crake.errors import SchemaError
from crake.table.convert.frames import encode, from_frame, from_xy
from crake.table.examples import load, names


@pytest.mark.parametrize("name", names())
def test_out_and_in_again_is_the_same_table(name: str) -> None:
    table = load(name)
    X, y = table.to_xy()
    again = from_xy(X, y, target_name=str(table.schema.target))
    assert again.schema.names == table.schema.names
    assert [c.levels for c in again.schema.columns] == [c.levels for c in table.schema.columns]
    (before,), (after,) = table.batches(), again.batches()
    assert np.array_equal(before.codes, after.codes)
    assert np.array_equal(before.values, after.values)
    assert np.array_equal(before.target, after.target)


def test_folds_bring_column_names_and_all_levels() -> None:
    X, y = load("golf").to_xy()
    train, test, y_train, _ = train_test_split(X, y, train_size=2, random_state=0)
    assert list(_get_feature_names(train)) == ["outlook", "temp", "humidity", "windy"]
    assert from_xy(train, y_train).schema["outlook"].levels == ("Overcast", "Rainy", "Sunny")
    assert len(encode(test, from_xy(train, y_train).schema)) == 12


def test_rows_without_target_are_left_out_and_labels_keep_their_type() -> None:
    table = from_frame(pa.table({"a": ["x", None, "z"], "y": [True, None, False]}), target="y")
    X, y = table.to_xy()
    assert X.column("a").to_pylist() == ["x", "z"]
    assert y.dtype == bool
    assert y.tolist() == [True, False]


def test_a_numeric_target_stays_a_number() -> None:
    X, y = from_frame(pa.table({"a": [1.0, 2.0], "y": [0.5, None]}), target="y").to_xy()
    assert y.tolist() == [0.5]
    assert X.num_rows == 1


def test_missing_values_are_nulls_and_levels_dictionaries() -> None:
    table = from_frame(pa.table({"a": ["x", None], "b": [None, 1.5], "t": ["word", None]}), text=["t"], target="a")
    arrow = table.to_arrow()
    assert arrow.to_pydict() == {"a": ["x", None], "b": [None, 1.5], "t": ["word", None]}
    assert pa.types.is_dictionary(arrow.schema.field("a").type)


def test_levels_of_several_types() -> None:
    mixed = from_xy(np.array([["a"], [1], [None]], dtype=object))
    assert mixed.to_arrow().column("x0").to_pylist() == ["a", "1", None]
    numbers = from_xy(np.array([[1], [2.5]], dtype=object), nominal="all")
    assert numbers.to_arrow().column("x0").to_pylist() == [1.0, 2.5]
    with pytest.raises(SchemaError, match="'x0' has levels of several types"):
        from_xy(np.array([["1"], [1]], dtype=object)).to_arrow()


def test_unseen_values_cannot_go_out_as_missing() -> None:
    schema = from_xy(np.array([["a"]])).schema
    with pytest.raises(SchemaError, match="'x0' holds values that are not among its levels"):
        encode(np.array([["b"]]), schema).to_arrow()


def test_a_table_without_target_says_so() -> None:
    with pytest.raises(SchemaError, match="has no target"):
        load("golf").with_target(None).to_xy()


def test_repr_says_what_it_is() -> None:
    assert repr(load("tax")) == "<Table 'tax': 10 rows, 2 nominal and 1 numeric features, target 'evade'>"
