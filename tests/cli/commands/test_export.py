"""`crake export` writes a model, and refuses with the reason what it cannot write."""

from __future__ import annotations

import crake as library


def test_exports_are_written(crake, tmp_path):
    golf = library.read("golf")
    library.save(library.C45Classifier().fit(golf), tmp_path / "golf.crake")
    ended = crake("export", tmp_path / "golf.crake", "--to", "sql", "--dialect", "sqlite", "--table-name", "days")
    assert ended.code == 0
    assert 'FROM "days"' in ended.out
    ended = crake("export", tmp_path / "golf.crake", "--to", "c", "--name", "golf", "-o", tmp_path / "golf.h")
    assert (ended.code, ended.out) == (0, "")
    assert "golf_predict" in (tmp_path / "golf.h").read_text()
    for target in ("python", "javascript"):
        assert "predict" in crake("export", tmp_path / "golf.crake", "--to", target).out
    assert "<PMML" in crake("export", tmp_path / "golf.crake", "--to", "pmml").out
    assert "give a file, -o model.onnx" in crake("export", tmp_path / "golf.crake", "--to", "onnx").err
    ended = crake(
        "export", tmp_path / "golf.crake", "--to", "onnx", "--missing-text", "?", "-o", tmp_path / "golf.onnx"
    )
    assert (ended.code, ended.out) == (0, "")
    assert b"crake" in (tmp_path / "golf.onnx").read_bytes()
    shown = crake("export", tmp_path / "golf.crake", "--to", "onnx", "-o", tmp_path / "golf.onnx", "--python").out
    assert ".write_bytes(model.to_onnx())" in shown
    assert "print(model.to_c())" in crake("export", tmp_path / "golf.crake", "--to", "c", "--python").out


def test_refusals_say_why(crake, tmp_path):
    golf = library.read("golf")
    library.save(library.ArbiterTreeClassifier(n_partitions=2).fit(golf), tmp_path / "tree.crake")
    ended = crake("export", tmp_path / "tree.crake", "--to", "python")
    assert ended.code != 0
    assert "arbiter tree cannot be exported: further learners join the answers of its members" in ended.err
    assert "expected one of sql, python" in crake("export", tmp_path / "tree.crake", "--to", "cobol").err
    assert "--dialect is an option of --to sql" in crake("export", "m.crake", "--to", "c", "--dialect", "duckdb").err
