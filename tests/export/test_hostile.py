"""Names that are keywords, code, newlines or long stay names in every target; bad requests are refused."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pyarrow as pa
import pytest
from tests.export.test_code import loaded
from tests.export.test_onnx import GAP, ran
from tests.export.test_sql import in_duckdb, in_sqlite

import crake

LONG = "x" * 1024
NAMES = (
    "select", '"; drop table t; --', "*/ abort(); /*", "${process.exit(1)}", "'''\n__import__('os')", "??/", "\u2028",
    LONG,
)  # fmt: skip


@pytest.fixture(scope="module", params=range(2))
def model(request: pytest.FixtureRequest) -> crake.C45Classifier:
    rows = 40
    columns = {
        name: [NAMES[(at * 7 + j) % 3] for at in range(rows)] for j, name in enumerate(NAMES[request.param :: 2])
    }
    label = [NAMES[(at * 7 + 1) % 3] for at in range(rows)]
    table = crake.read(pa.table({**columns, "y\n--": label}), target="y\n--")
    return (crake.C45Classifier(), crake.NaiveBayesClassifier())[request.param].fit(table)


def rows_of(model: crake.C45Classifier) -> pa.Table:
    names = [column.name for column in model.schema_.features]
    return pa.table({name: [NAMES[j % 3], NAMES[(j + 1) % 3], "\0new"[1:]] for j, name in enumerate(names)})


def test_hostile_names(model: crake.C45Classifier, tmp_path: Path) -> None:
    rows = rows_of(model)
    expected = model.predict(rows).tolist()
    for engine, dialect in ((in_duckdb, "duckdb"), (in_sqlite, "sqlite")):
        names, lines = engine(model.to_sql(dialect=dialect), rows)
        assert [line[names.index("predicted y\n--")] for line in lines] == expected
    (tmp_path / "hostile.py").write_text(model.to_python(), encoding="ascii")
    module = loaded(tmp_path / "hostile.py")
    assert [module.predict(row) for row in rows.to_pylist()] == expected
    (tmp_path / "hostile.h").write_text(model.to_c(), encoding="ascii")
    (tmp_path / "main.c").write_text('#include "hostile.h"\nint main(void) { return 0; }\n')
    if shutil.which("cc"):
        flags = ["-std=c99", "-Wall", "-Werror", "-Wno-unused", "-pedantic", "main.c", "-o", "main", "-lm"]
        subprocess.run(["cc", *flags], cwd=tmp_path, check=True)
    assert all(ord(letter) < 128 for letter in model.to_javascript())
    document = ET.fromstring(model.to_pmml())
    fields = [field.attrib["name"] for field in document.iter("{http://www.dmg.org/PMML-4_4}DataField")]
    assert set(fields) <= {*rows.column_names, "y\n--"}
    assert len(fields) == len(set(fields))


def test_hostile_names_in_onnx(model: crake.C45Classifier) -> None:
    rows = rows_of(model)
    names = [model.exported().schema.features[at].name for at in model.exported().features]
    assert all(name.encode() in model.to_onnx(missing_text=GAP) for name in names)
    answers, shares = ran(model.to_onnx(missing_text=GAP), rows, names)
    assert answers.tolist() == model.predict(rows).tolist()
    np.testing.assert_allclose(shares, model.predict_proba(rows), rtol=0, atol=1e-12)


def test_a_column_may_have_the_name_of_a_result() -> None:
    rows = pa.table(
        {"prediction": [1.0, 2.0, 3.0, 4.0] * 3, "constant_1": ["a", "b", "b", "b"] * 3, "y": ["n", "p"] * 6}
    )
    model = crake.NaiveBayesClassifier().fit(crake.read(rows, target="y"))
    answers, _ = ran(model.to_onnx(), rows, ["prediction", "constant_1"])
    assert answers.tolist() == model.predict(rows).tolist()


def test_postgres_reads_63_bytes(model: crake.C45Classifier) -> None:
    query = model.to_sql(dialect="postgres")
    assert all(len(name.encode()) <= 63 for name in query.split('AS "')[1:] for name in [name.split('"')[0]])
    table = crake.read(pa.table({LONG: ["a", "b"], f"{LONG}y": ["a", "b"], "y": ["a", "b"]}), target="y")
    with pytest.raises(crake.CrakeError, match="first 63 bytes"):
        crake.MajorityClassifier().fit(table).to_sql(dialect="postgres")


def test_bad_requests(model: crake.C45Classifier) -> None:
    with pytest.raises(crake.CrakeError, match="dialect='mysql'; expected one of 'standard', 'duckdb'"):
        model.to_sql(dialect="mysql")
    with pytest.raises(crake.CrakeError, match="expected a letter, then up to 40"):
        model.to_c("a b")
    table = crake.read(pa.table({"a\0b": ["a", "b"] * 4, "y": ["a", "b"] * 4}), target="y")
    own = crake.C45Classifier(min_samples_leaf=1).fit(table)
    for write in (own.to_sql, own.to_c, own.to_onnx):
        with pytest.raises(crake.CrakeError, match="code 0"):
            write()


def test_votes_for_one_class_are_a_query() -> None:
    rows = pa.table({"a": [1.0, 2.0, 3.0], "y": ["only"] * 3})
    model = crake.AdaBoostClassifier(n_estimators=2).fit(crake.read(rows, "y"))
    names, lines = in_duckdb(model.to_sql(dialect="duckdb"), rows)
    assert [(line[names.index("predicted y")], line[names.index("P(only)")]) for line in lines] == [("only", 1.0)] * 3


def test_an_absent_column_is_an_error_that_names_it(model: crake.C45Classifier) -> None:
    with pytest.raises(Exception, match=r"(?i)not found|no such column|referenced column"):
        in_duckdb(model.to_sql(dialect="duckdb"), pa.table({"other": [1]}))


def test_sqlite_does_not_take_an_absent_column_for_a_text(model: crake.C45Classifier) -> None:
    rows = rows_of(model)
    read = model.exported().schema.features[model.exported().features[-1]].name
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        in_sqlite(model.to_sql(dialect="sqlite"), rows.drop_columns([read]))
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        in_sqlite(model.to_sql(dialect="sqlite", columns=["absent"]), rows)


def test_pmml_keeps_the_ends_of_lines_apart() -> None:
    levels = ["x\ry", "x\ny", " z", "z"]
    rows = pa.table({"a": levels * 5, "y": ["n", "p", "p", "n"] * 5})
    model = crake.C45Classifier(min_samples_leaf=1).fit(crake.read(rows, target="y"))
    texts = {each.text for each in ET.fromstring(model.to_pmml()).iter("{http://www.dmg.org/PMML-4_4}Constant")}
    assert set(levels) <= texts


def test_javascript_refuses_numbers_that_it_cannot_tell_apart() -> None:
    rows = pa.table({"a": [2**53, 2**53 + 1] * 6, "y": ["n", "p"] * 6})
    model = crake.C45Classifier(min_samples_leaf=1, nominal="all").fit(crake.read(rows, target="y", nominal=["a"]))
    with pytest.raises(crake.CrakeError, match="9007199254740992 cannot be exported to JavaScript"):
        model.to_javascript()


def test_c_reads_no_table_beyond_its_ends(tmp_path: Path) -> None:
    """A number that is no code of a level, such as NAN, counts as missing."""
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler (cc)")
    letters = [chr(97 + at) for at in range(8)]
    rows = pa.table({"a": letters * 3, "b": letters[::-1] * 3, "y": (["n"] * 5 + ["p"] * 3) * 3})
    table = crake.read(rows, target="y")
    learners = (crake.NaiveBayesClassifier(), crake.TANClassifier(), crake.C45Classifier(min_samples_leaf=1))
    for at, learner in enumerate(learners):
        (tmp_path / f"m{at}.h").write_text(learner.fit(table).to_c(f"m{at}"), encoding="ascii")
    tried = [
        f'{{ double x[] = {{{value}, {value}}}, out[2]; m{at}_probabilities(x, out); printf("%.12g ", out[0]); }}'
        for at in range(len(learners))
        for value in ("-1", "NAN", "1e300", "-1e300", "8")
    ]
    heads = "".join(f'#include "m{at}.h"\n' for at in range(len(learners)))
    (tmp_path / "main.c").write_text(f"#include <stdio.h>\n{heads}int main(void) {{ {' '.join(tried)} return 0; }}\n")
    flags = ["-std=c99", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "main.c", "-o", "main", "-lm"]
    subprocess.run(["cc", *flags], cwd=tmp_path, check=True)
    found = subprocess.run([tmp_path / "main"], check=True, capture_output=True, text=True).stdout.split()
    assert [len(set(found[at : at + 5])) for at in (0, 5, 10)] == [1, 1, 1]
