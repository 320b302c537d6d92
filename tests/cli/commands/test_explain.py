"""`crake explain`: a row's arithmetic in five forms, what would change it, a measure's counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import crake as library
from crake.table.examples import load


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "golf.crake"
    library.save(library.NaiveBayesClassifier().fit(load("golf")), file)
    return file


def test_a_row_as_text(crake, golf, model):
    ended = crake("explain", model, golf, "--row", 3)
    assert (ended.code, ended.err) == (0, "")
    assert "Row 3 of golf.csv; play is Yes" in ended.out
    assert "P(outlook = Sunny | No) = (2 + 1)/(5 + 3) = 0.375  ← 2 of 5 rows of No" in ended.out
    assert "What would change it: the answer is Yes, P = 0.5734" in ended.out
    assert ended.out.index("Answer") < ended.out.index("What would change it")


def test_rows_may_be_given_again(crake, golf, model):
    found = json.loads(crake("explain", model, golf, "--row", 3, "--row", 0, "--json").out)
    assert found["schema"] == "crake-explain/1"
    assert [row["row"] for row in found["rows"]] == [3, 0]
    p = library.load(model).predict_proba(library.read(golf, target="play"))
    for row in found["rows"]:
        assert [answer["value"] for answer in row["workings"]["answer"]] == p[row["row"]].tolist()
        assert row["changes"]["answer"] in ("No", "Yes")


def test_other_forms(crake, golf, model, tmp_path):
    assert crake("explain", model, golf, "--row", 3, "--markdown").out.startswith("## Naive Bayes")
    assert r"\begin{align*}" in crake("explain", model, golf, "--row", 3, "--latex").out
    page = tmp_path / "page.html"
    ended = crake("explain", model, golf, "--row", 3, "--html", page)
    assert ended.err == f"written: {page}\n"
    text = page.read_text("utf-8")
    assert "<article" in text
    assert "http" not in text.split("<body", 1)[1]
    assert crake("explain", model, golf, "--row", 3, "--html", "-").out.startswith("<!doctype html>")


def test_a_measure(crake, golf, model):
    ended = crake("explain", model, golf, "--measure", "kappa", "--measure", "recall", "--positive", "Yes")
    assert "kappa = (p_o − p_e) / (1 − p_e) = (0.9286 − 0.5612) / (1 − 0.5612) = 0.8372" in ended.out
    assert "recall(Yes) = TP / (TP + FN) = 9/(9 + 0) = 1" in ended.out


def test_a_table_of_one_row_needs_no_number(crake, model, tmp_path):
    one = tmp_path / "one.csv"
    one.write_text("outlook,temp,humidity,windy\nNew,Mild,,True\n")
    ended = crake("explain", model, one)
    assert ended.code == 0
    assert "Row 0 of one.csv\n" in ended.out
    assert "outlook is skipped: this value was never seen in training" in ended.out
    assert "humidity is skipped: missing" in ended.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "golf.csv has 14 rows: say which to explain, --row 0 is the first"),
        (["--row", 14], "there is no row 14 in golf.csv; it has the rows 0 (the first) to 13"),
        (["--row", 1, "--json", "--latex"], "give one of them"),
        (["--row", 1, "--measure", "auc"], "give one of them"),
        (["--measure", "acuracy"], "Did you mean 'accuracy'?"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(crake, golf, model, options, said):
    ended = crake("explain", model, golf, *options)
    assert ended.code == 2
    assert said in ended.err
    assert ended.err.count("\n") == 1


def test_a_regressor_is_explained_too(crake, tmp_path):
    rows = "\n".join(f"{x},{2 * x + 1}" for x in range(9))
    data, file = tmp_path / "line.csv", tmp_path / "line.crake"
    data.write_text(f"x,y\n{rows}\n")
    library.save(library.LinearRegressor().fit(library.read(data, target="y", numeric=["y"])), file)
    ended = crake("explain", file, data, "--row", 4)
    assert (ended.code, ended.err) == (0, "")
    assert "Answer\n  y: 9\n" in ended.out
    assert "What would change it" not in ended.out


def test_names_stay_text(crake, tmp_path):
    data, file, page = tmp_path / "evil.csv", tmp_path / "evil.crake", tmp_path / "evil.html"
    rows = '<script>x</script>,"a|b",yes\n\\input{x},c,no\n' * 5
    data.write_text(f'"<img src=x onerror=y>",two,"</script>"\n{rows}')
    library.save(library.C45Classifier(min_samples_leaf=1).fit(library.read(data, target="</script>")), file)
    assert crake("explain", file, data, "--row", 0, "--html", page).code == 0
    text = page.read_text("utf-8")
    assert "<script" not in text
    assert "<img" not in text
    assert "\\input{" not in crake("explain", file, data, "--row", 1, "--latex").out
    assert "<script" not in crake("explain", file, data, "--row", 0, "--markdown").out


def test_explain_of_a_scanned_table(crake, golf, model, tmp_path, monkeypatch):
    import pyarrow.parquet as pq  # noqa: PLC0415

    file = tmp_path / "golf.parquet"
    pq.write_table(load("golf").to_arrow(), file)
    in_memory = crake("explain", model, file, "--row", 5).out
    monkeypatch.setattr("crake.table.sources.scanned_table.LARGEST_LOADED", 1)
    assert not library.read(file).in_memory
    scanned = crake("explain", model, file, "--row", 5).out
    assert (
        scanned.split("Likelihood")[1].split("What would")[0] == in_memory.split("Likelihood")[1].split("What would")[0]
    )
    assert "the range that the model knows of" in scanned


def test_a_long_text_is_shortened_and_not_said_to_be_unchangeable(crake, tmp_path):
    data, file = tmp_path / "mails.csv", tmp_path / "mails.crake"
    words = {"good": "meet me for lunch today " * 20, "bad": "win a free prize now " * 20}
    data.write_text("mail,class\n" + "\n".join(f"{words[name]}{k},{name}" for k in range(6) for name in words))
    library.save(library.NaiveBayesClassifier().fit(library.read(data, "class", text=["mail"])), file)
    ended = crake("explain", file, data, "--row", 0)
    row = next(line for line in ended.out.splitlines() if line.lstrip().startswith("mail "))
    assert (ended.code, len(row) < 120) == (0, True)
    assert "What would change it" not in ended.out
