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


def test_refusals_say_why(crake, tmp_path):
    golf = library.read("golf")
    library.save(library.NaiveBayesClassifier().fit(golf), tmp_path / "bayes.crake")
    to = ("-o", tmp_path / "x.crake")
    assert "no tree that can be edited" in crake("edit", tmp_path / "bayes.crake", "golf", "--node", 0, *to).err
    same = ("-o", tmp_path / "bayes.crake")
    assert "is the model itself" in crake("edit", tmp_path / "bayes.crake", "golf", "--node", 0, *same).err
    assert "name it with --split" in crake("edit", tmp_path / "bayes.crake", "golf", "--node", 0, "--at", 3, *to).err
