"""The first three lines of `crake compare` say what matters: a leak, an id, dates, repeats, a rare class."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

LEARNERS = ("-l", "majority,1r,naive-bayes", "--plan", "cv5", "--no-progress")
ROWS = 240


def _columns(share: float = 0.4, gap: float = 1.2) -> dict[str, np.ndarray]:
    """Return two columns and a target that one of them tells a little."""
    rng = np.random.default_rng(8)
    y = rng.permutation(ROWS) < share * ROWS
    a, b = gap * y + rng.normal(size=ROWS), rng.normal(size=ROWS)
    return {"a": a.round(3), "b": b.round(3), "default": np.where(y, "yes", "no")}


@pytest.fixture
def written(tmp_path):
    """Write columns to a CSV file, the target last."""

    def write(name: str = "loans.csv", **columns: np.ndarray) -> Path:
        target = columns.pop("default")
        table = {**columns, "default": target}
        lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


@pytest.fixture
def first_lines(crake):
    """Return the first three lines of a comparison as one text, and all of it."""

    def lines(file: Path, *options: object) -> tuple[str, str]:
        ended = crake("compare", file, "-t", "default", *(options or LEARNERS))
        assert ended.code == 0, ended.err
        assert "\x1b" not in ended.out
        return " ".join(line.strip() for line in ended.out.splitlines()[:3]), ended.out

    return lines


def test_a_leak_comes_before_the_praise(written, first_lines):
    columns = _columns()
    known_late = np.where(columns["default"] == "yes", 90 + np.arange(ROWS) % 30, np.arange(ROWS) % 30)
    known_late[5] = 45
    first, text = first_lines(written(days_late=known_late, **columns))
    assert first.startswith("Suspicious: 'days_late' alone tells the target in ")
    assert first.index("Suspicious") < first.index(" is best of 3")
    assert "--ignore days_late" in text


def test_a_column_without_an_error_is_suspicious_with_fewer_rows_of_each_value(written, first_lines):
    columns = _columns()
    month = np.arange(ROWS) % 30 * 2 + (columns["default"] == "yes")  # 60 values of 4 rows and fewer
    assert "Suspicious" not in first_lines(written(month=np.char.add("m", month.astype(str)), **columns))[0]
    month = np.arange(ROWS) % 20 * 2 + (columns["default"] == "yes")  # 40 values, 6 rows each on average
    first, _ = first_lines(written(month=np.char.add("m", month.astype(str)), **columns))
    assert first.startswith("Suspicious: 'month' alone tells the target in 100 % of the rows")


def test_a_near_copy_is_named(written, first_lines):
    columns = _columns()
    copy = np.where(columns["default"] == "yes", "bad", "good")
    copy[np.flatnonzero(copy == "bad")[:4]] = "good"  # 1.7 % of the rows differ
    first, _ = first_lines(written(result=copy, **columns))
    assert first.startswith("Suspicious: 'result' alone tells the target in 98.")


def test_a_leak_of_a_rare_class_is_seen_by_its_ranks(written, first_lines):
    columns = _columns(share=0.06)
    is_yes = columns["default"] == "yes"
    amount = np.where(is_yes, 1000 + np.arange(ROWS), np.arange(ROWS) * 4)
    first, _ = first_lines(written(amount=amount, **columns))
    assert first.startswith("Suspicious: 'amount' alone ranks the target with an AUC of ")


def test_an_id_is_named_with_the_option_that_keeps_it(written, first_lines):
    first, _ = first_lines(written(customer_id=7000 + 3 * np.arange(ROWS), **_columns()))
    assert "Left out: 'customer_id' (an id). --keep customer_id keeps it." in first


def test_dates_name_the_plan_that_goes_by_them(written, first_lines):
    days = np.datetime64("2024-01-01") + np.arange(ROWS)
    file = written(day=days, **_columns())
    first, _ = first_lines(file)
    assert "Folds mix the times of 'day'; --plan time:day learns from earlier rows only." in first
    first, text = first_lines(file, "-l", "majority,1r", "--plan", "time:day")
    assert "Folds mix" not in text


def test_a_rare_class_names_its_measure_and_no_advice_is_wrong(written, first_lines):
    first, text = first_lines(written(**_columns(share=0.08, gap=2.0)))
    assert "is best of 3: AUC 0." in first
    assert "By AUC, as class 'yes' has 8.3 % of the rows; --measure accuracy changes that." in first
    assert "may say nothing" not in text


def test_repeated_rows_are_as_loud_as_their_share_and_kept_together_by_a_plan(written, first_lines):
    columns = {name: np.tile(values[:80], 3) for name, values in _columns(gap=0.5).items()}
    file = written(**columns)
    first, text = first_lines(file, "-l", "majority,1r,knn", "--set", "knn.n_neighbors=1", "--plan", "cv5")
    assert "66.7 % of the rows are repeats, learned and tested; --plan grouped prevents it." in first
    assert "is best of 3: accuracy 0.97" in first  # the neighbour is mostly the row itself
    _, text = first_lines(file, "-l", "majority,1r,knn", "--set", "knn.n_neighbors=1", "--plan", "grouped5")
    assert "repeats" not in text
    assert "accuracy 0.97" not in text
    assert "5-fold cross-validation, equal rows together, seed 1" in text
    assert "plan=crake.GroupedCrossValidation(by=None, folds=5, random_state=1)" in text


def test_a_plain_table_has_nothing_but_its_headline(written, first_lines):
    first, text = first_lines(written(**_columns()))
    assert "is best of 3: accuracy 0." in first
    assert "Suspicious" not in text
    assert text.splitlines()[2] == "" or text.splitlines()[1] == ""  # two lines at most


def test_one_learner_and_a_model_file_are_headed_as_a_comparison_is(written, crake, tmp_path):
    columns = _columns(share=0.05, gap=3.2)
    file = written(result=np.where(columns["default"] == "yes", 7 + columns["a"] % 1, columns["a"] % 1), **columns)
    ended = crake("evaluate", "naive-bayes", file, "--ignore", "result", "--plan", "cv3")
    text = " ".join(ended.out.split())
    assert text.startswith("Naive Bayes on loans.csv: AUC 0.9")
    assert "By AUC, as class 'yes' has 5.0 % of the rows; --measure accuracy changes that." in text
    assert "; majority class 0.500." in text
    assert "better than the majority class (p < 0.001)" in text
    named = crake("evaluate", "naive-bayes", file, "--ignore", "result", "--plan", "cv3", "--measure", "accuracy")
    assert " ".join(named.out.split()).startswith("Naive Bayes on loans.csv: accuracy 0.9")
    assert 'print(result.estimate("accuracy"))' in named.out
    suspicious = crake("evaluate", "naive-bayes", file, "--plan", "cv3")
    assert suspicious.out.startswith("Suspicious: 'result' alone ranks the target with an AUC of 1.000.")
    model = tmp_path / "m.crake"
    assert crake("train", file, "--ignore", "result", "-l", "naive-bayes", "--plan", "cv3", "-o", model).code == 0
    document = json.loads(crake("evaluate", model, file, "--json").out)
    assert (document["measure"], document["p_against_majority_class"] < 0.001) == ("auc", True)
    assert document["headline"].startswith("Naive Bayes on loans.csv: AUC 0.9")
    by_f1 = json.loads(crake("evaluate", model, file, "--measure", "f1", "--json").out)
    assert by_f1["lead"] == ["F1 is that of class 'yes', the rarer one; --positive names another."]
    assert (
        "; constant yes 0.095. Too good for new rows: it seems to be trained on these" in by_f1["headline"]
    )  # 2·0.05 / 1.05
