"""`crake edit`: a tree changed at one node, in a file of its own."""

from __future__ import annotations

import json

import crake as library


def test_a_tree_is_edited_as_in_python(crake, tmp_path):
    golf = library.read("golf")
    model, edited = tmp_path / "golf.crake", tmp_path / "edited.crake"
    library.save(library.ID3Classifier().fit(golf), model)
    ended = crake("edit", model, "golf", "--node", 3, "--split", "temp", "--level", "Cool", "-o", edited)
    assert ended.code == 0, ended.err
    own = library.load(model).with_split(3, "temp", golf, levels=["Cool"])
    assert str(library.load(edited)) == str(own)
    assert "there is no estimate of an edited tree" in ended.out
    document = json.loads(crake("edit", edited, "golf", "--node", 2, "-o", tmp_path / "b.crake", "--json").out)
    assert [edit["kind"] for edit in document["edits"]] == ["split", "leaf"]
    assert document["estimate"] is None
    assert 'with_split(3, "temp", table, levels=["Cool"])' in crake(
        "edit", model, "golf", "--node", 3, "--split", "temp", "--level", "Cool", "-o", edited, "--python"
    ).out  # fmt: skip
    assert "Edited by hand" in crake("describe", edited).out


def test_a_leaf_needs_no_table(crake, tmp_path):
    model, edited = tmp_path / "golf.crake", tmp_path / "edited.crake"
    library.save(library.ID3Classifier().fit(library.read("golf")), model)
    ended = crake("edit", model, "--node", 2, "-o", edited)
    assert ended.code == 0, ended.err
    assert str(library.load(edited)) == str(library.load(model).with_leaf(2))
    assert "expected TABLE beside --split" in crake("edit", model, "--node", 3, "--split", "temp", "-o", edited).err
    assert (
        "expected a TABLE beside --encoding"
        in crake("edit", model, "--node", 2, "--encoding", "utf-8", "-o", edited).err
    )


def test_exports_of_an_edited_tree_say_so(crake, tmp_path):
    model, edited = tmp_path / "golf.crake", tmp_path / "edited.crake"
    library.save(library.ID3Classifier().fit(library.read("golf")), model)
    crake("edit", model, "--node", 2, "-o", edited)
    for target in ("sql", "python", "c", "javascript", "pmml"):
        assert "ID3, edited by hand at 1 node" in crake("export", edited, "--to", target).out
        assert "edited" not in crake("export", model, "--to", target).out


def test_refusals_say_why(crake, tmp_path):
    golf = library.read("golf")
    library.save(library.NaiveBayesClassifier().fit(golf), tmp_path / "bayes.crake")
    to = ("-o", tmp_path / "x.crake")
    assert "no tree that can be edited" in crake("edit", tmp_path / "bayes.crake", "golf", "--node", 0, *to).err
    same = ("-o", tmp_path / "bayes.crake")
    assert "is the model itself" in crake("edit", tmp_path / "bayes.crake", "golf", "--node", 0, *same).err
    assert "name it with --split" in crake("edit", tmp_path / "bayes.crake", "golf", "--node", 0, "--at", 3, *to).err
