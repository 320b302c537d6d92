"""`crake predict`: rows out as they came in, matched to the model by name and as written."""

from __future__ import annotations

import csv
import gzip
import io
import random
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake as library

ROWS = 300


def _line(generator: random.Random) -> dict[str, object]:
    label = generator.choice(["no", "yes"])
    code = generator.choice(["1", "2", "x"] if label == "no" else ["1", "2", "2"])
    size = round(generator.gauss(0 if label == "no" else 2, 1), 3)
    return {"size": size, "code": code, "city": generator.choice(["Ulm", "Bonn, Süd"]), "y": label}


def _csv(rows: list[dict[str, object]], names: list[str]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([row[name] for name in names] for row in rows)
    return text.getvalue()


@pytest.fixture
def rows() -> list[dict[str, object]]:
    generator = random.Random(1)
    return [_line(generator) for _ in range(ROWS)]


@pytest.fixture
def model(rows, tmp_path):
    """Trained on a column `code` whose values are 1, 2 and x: texts, though most are whole numbers."""
    table = tmp_path / "train.csv"
    table.write_text(_csv(rows, ["size", "code", "city", "y"]))
    file = tmp_path / "m.crake"
    library.save(library.NaiveBayesClassifier().fit(library.read(table, target="y")), file)
    return file


def _read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def _expected(model, rows):
    """The probabilities by the Python interface, each column as the model knows it."""
    names = ["size", "code", "city"]
    frame = pa.table({name: [row[name] for row in rows] for name in names})
    return library.load(model).predict_proba(frame)


def _assert_predicts(out: str, model, rows):
    found = _read(out)
    probabilities = _expected(model, rows)
    assert len(found) == len(rows)
    for line, p in zip(found, probabilities, strict=True):
        assert (line["p(no)"], line["p(yes)"]) == (f"{p[0]:.6g}", f"{p[1]:.6g}")
        assert line["predicted"] == ("no" if p[0] >= p[1] else "yes")


def test_probabilities_and_the_predicted_class(crake, model, rows, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text(_csv(rows, ["size", "code", "city"]))
    ended = crake("predict", model, new)
    assert ended.code == 0
    assert ended.out.splitlines()[0] == "p(no),p(yes),predicted"
    _assert_predicts(ended.out, model, rows)
    assert ended.err.startswith("predicted 300 rows: no ")


def test_columns_are_matched_by_name_and_values_as_written(crake, model, rows, tmp_path):
    """Reordered, with a column more, the target among them, and `code` looking like whole numbers only."""
    rows = [{**row, "note": "n"} for row in rows if row["code"] != "x"]
    new = tmp_path / "new.csv"
    new.write_text(_csv(rows, ["note", "y", "code", "city", "size"]))
    ended = crake("predict", model, new)
    _assert_predicts(ended.out, model, rows)
    assert "note: columns the model does not know, not used: note\n" in ended.err
    assert "never seen" not in ended.err


@pytest.mark.parametrize("kind", [pa.int64(), pa.int32(), pa.float64(), pa.string()])
def test_another_type_of_column_is_matched_too(crake, model, rows, tmp_path, kind):
    rows = [row for row in rows if row["code"] != "x"]
    numbers = [int(row["code"]) for row in rows]
    new = tmp_path / "new.parquet"
    sizes = pa.array([str(row["size"]) for row in rows]) if kind == pa.string() else [row["size"] for row in rows]
    code = pa.array(numbers).cast(kind)
    pq.write_table(pa.table({"city": [row["city"] for row in rows], "size": sizes, "code": code}), new)
    _assert_predicts(crake("predict", model, new).out, model, rows)


def test_a_missing_column_is_named(crake, model, rows, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text(_csv(rows, ["size", "city", "y"]))
    ended = crake("predict", model, new)
    assert (ended.code, ended.out) == (2, "")
    assert "there is no column 'code' in new.csv, which the model reads. Columns: size, city, y" in ended.err
    new.write_text(_csv(rows, ["city", "y"]))
    assert "columns are missing: size, code" in crake("predict", model, new).err


def test_text_where_the_model_wants_numbers_is_an_error_with_its_place(crake, model, rows, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text(_csv([*rows[:4], {**rows[4], "size": "big"}, *rows[5:]], ["size", "code", "city"]))
    ended = crake("predict", model, new, "-o", tmp_path / "out.csv")
    assert (ended.code, ended.out) == (2, "")
    assert "new.csv, line 6, column 'size': 'big' is no number; the model was trained on numbers there" in ended.err
    assert not (tmp_path / "out.csv").exists()


def test_new_values_are_counted(crake, model, rows, tmp_path):
    new = tmp_path / "new.csv"
    changed = [{**row, "city": "Köln"} if i < 12 else row for i, row in enumerate(rows)]
    changed[20] = {**changed[20], "code": "7"}
    new.write_text(_csv(changed, ["size", "code", "city"]))
    ended = crake("predict", model, new)
    assert "warning: 12 values of 'city' were never seen in training\n" in ended.err
    assert "warning: 1 value of 'code' was never seen in training\n" in ended.err
    assert crake("predict", model, new, "-q").err == ""


def test_missing_cells_are_missing_as_in_training(crake, model, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text("size,code,city\n?,NA,\n1.5,x,Ulm\n")
    found = _read(crake("predict", model, new).out)
    prior = library.load(model).class_prior_
    assert found[0]["p(no)"] == f"{prior[0]:.6g}"


def test_keep_repeats_the_table(crake, model, rows, tmp_path):
    new = tmp_path / "new.csv"
    rows = [{**row, "predicted": "=cmd()", "id": f"0{i}"} for i, row in enumerate(rows)]
    names = ["id", "size", "predicted", "city", "code", "y"]
    new.write_text(_csv(rows, names))
    ended = crake("predict", model, new, "--keep")
    found = list(csv.reader(io.StringIO(ended.out)))
    assert found[0] == [*names, "p(no)", "p(yes)", "predicted_2"]
    assert [line[0] for line in found[1:]] == [row["id"] for row in rows]
    assert [float(line[1]) for line in found[1:]] == [row["size"] for row in rows]
    assert {line[2] for line in found[1:]} == {"'=cmd()"}
    assert [line[3] for line in found[1:]] == [row["city"] for row in rows]
    raw = list(csv.reader(io.StringIO(crake("predict", model, new, "--keep", "--raw").out)))
    assert {line[2] for line in raw[1:]} == {"=cmd()"}
    assert [line[6:] for line in raw] == [line[6:] for line in found]


def test_hostile_class_names_are_guarded(crake, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("x,y\n" + '1,"=HYPERLINK(""http://a"",""b"")"\n2,@b\n' * 5)
    crake("train", table, "-t", "y", "-l", "majority", "--no-estimate", "-o", tmp_path / "m.crake")
    found = list(csv.reader(io.StringIO(crake("predict", tmp_path / "m.crake", table).out)))
    assert found[0] == ['p(=HYPERLINK("http://a","b"))', "p(@b)", "predicted"]
    assert found[1][2] == '\'=HYPERLINK("http://a","b")'


@pytest.mark.parametrize("keep", [[], ["--keep"]])
def test_files_by_their_ending(crake, model, rows, tmp_path, keep):
    new = tmp_path / "new.parquet"
    pq.write_table(pa.Table.from_pylist(rows), new, row_group_size=70)
    out = crake("predict", model, new, *keep).out
    for name in ("s.csv", "s.csv.gz", "s.parquet"):
        assert crake("predict", model, new, *keep, "-o", tmp_path / name).code == 0
    assert (tmp_path / "s.csv").read_bytes().decode() == out
    assert gzip.decompress((tmp_path / "s.csv.gz").read_bytes()).decode() == out
    table = pq.read_table(tmp_path / "s.parquet")
    assert table.column_names == next(csv.reader(io.StringIO(out)))
    exact = np.column_stack([table.column("p(no)").to_numpy(), table.column("p(yes)").to_numpy()])
    assert np.array_equal(exact, _expected(model, rows))
    assert table.column("predicted").to_pylist() == [line["predicted"] for line in _read(out)]
    if keep:
        assert table.select(["size", "code", "city", "y"]).to_pylist() == rows
        assert [line["city"] for line in _read(out)] == [row["city"] for row in rows]


def test_many_rows_keep_their_order(crake, model, tmp_path):
    """More rows than one part: parts are worked on in threads and put together again."""
    generator = np.random.default_rng(1)
    count = 200_000
    new = tmp_path / "new.parquet"
    columns = {"size": generator.normal(0, 2, count), "code": ["1"] * count, "city": ["Ulm"] * count}
    pq.write_table(pa.table({**columns, "row": np.arange(count)}), new)
    crake("predict", model, new, "--keep", "-o", tmp_path / "s.parquet")
    table = pq.read_table(tmp_path / "s.parquet")
    assert np.array_equal(table.column("row").to_numpy(), np.arange(count))
    assert np.array_equal(table.column("size").to_numpy(), columns["size"])
    scores = table.column("p(yes)").to_numpy()
    order = np.argsort(columns["size"])
    middle = scores[order][(columns["size"][order] > -1) & (columns["size"][order] < 3)]
    assert (np.diff(middle) >= 0).all()


def test_standard_input(process, model, rows, tmp_path):
    text = _csv(rows, ["size", "code", "city"])
    ended = process("predict", str(model), "-", input=text)
    _assert_predicts(ended.stdout, model, rows)
    apart = process("predict", str(model), "-", "--untrusted", input=text)
    assert (apart.returncode, apart.stdout) == (0, ended.stdout)


def test_untrusted_files_are_read_apart(crake, model, rows, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text(_csv(rows, ["city", "code", "size"]))
    assert crake("predict", model, new, "--untrusted").out == crake("predict", model, new).out
    ended = crake("predict", model, new, "--untrusted", "--max-seconds", "0.001")
    assert (ended.code, ended.out) == (2, "")
    assert "new.csv: reading took longer than 0.001 s and was stopped" in ended.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such.crake", "golf"], "no-such.crake: there is no such file"),
        (["{table}", "golf"], "not a model file"),
        (["{model}", "no-such.csv"], "no-such.csv: there is no such file"),
        (["{model}", "golf", "-o", "x.xls"], "expected a name that ends in .csv, .csv.gz, .parquet"),
        (["{model}", "golf", "-o", "no/x.csv"], "there is no folder no"),
        (["{model}"], "Missing argument 'TABLE'"),
    ],
)
def test_errors_are_one_line_and_nothing_is_written(crake, model, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    places = {"model": model, "table": tmp_path / "train.csv"}
    ended = crake("predict", *(argument.format(**places) for argument in arguments))
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_a_reader_that_leaves_early_is_no_error(process, model, rows, tmp_path):
    new = tmp_path / "new.parquet"
    pq.write_table(pa.Table.from_pylist(rows * 1000), new)
    command = f"{sys.executable} -m crake predict {model} {new} -q | head -n 1; echo ${{PIPESTATUS[0]}}"
    ended = subprocess.run(command, shell=True, executable="/bin/bash", capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr) == ("p(no),p(yes),predicted\n0\n", "")


def test_cells_cannot_steer_a_terminal(crake, model, rows, tmp_path, monkeypatch):
    """To a file or a pipe the cells are as they are; to a terminal controls are written out."""
    new = tmp_path / "new.csv"
    new.write_text(_csv([{**rows[0], "note": "\x1b[2J\x07\u202edanger"}], ["size", "code", "city", "note"]))
    assert "\x1b[2J\x07" in crake("predict", model, new, "--keep").out
    monkeypatch.setattr("crake.cli.output.is_terminal", lambda _: True)
    shown = crake("predict", model, new, "--keep").out
    assert r"\x1b[2J\x07\u202edanger" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)
    assert len(shown.splitlines()) == 2


def test_one_row_and_one_column_are_not_many(crake, tmp_path):
    file, rows, one = tmp_path / "m.crake", tmp_path / "rows.csv", tmp_path / "one.csv"
    rows.write_text("x,y\n" + "1,a\n2,b\n" * 10)
    one.write_text("x\n1\n")
    crake("train", rows, "-t", "y", "-l", "naive-bayes", "--no-estimate", "-o", file)
    assert "predicted 1 row: a 1\n" in crake("predict", file, one).err
    assert "naive Bayes, 1 column; predicts y" in crake("describe", file).out
