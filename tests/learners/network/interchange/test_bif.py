"""BIF and XMLBIF: what other programs write is read, hostile files are refused, and a round trip changes no bit."""

from __future__ import annotations

import os

import numpy as np
import pytest
from tests.learners.network.networks import ASIA, CANCER, CHILD, network

import crake
from crake.errors import CrakeError, ReadError

PYAGRUM = """network "unnamedBN" {
// written by aGrUM 3.3.1
}

variable a {
   type discrete[2] {yes, no};
}
variable b { type discrete[3] {p, q, r}; }

probability (a) {
   default 0.25 0.75;
}
probability (b | a) {
   (yes) 0.1 0.3 0.6;
   (no) 0.2 0.4 0.4;
}
"""
PGMPY = """network unknown {
}
variable a {
    type discrete [ 2 ] { yes, no };
}
variable b {
    type discrete [ 3 ] { p, q, r };
}
probability ( a ) {
    table 0.25, 0.75 ;
}
probability ( b | a ) {
    ( yes ) 0.1, 0.3, 0.6;
    ( no ) 0.2, 0.4, 0.4;

}
"""
OLD = """/* JavaBayes, with a comment
over lines */
network "n" { property "version 1" ; }
variable "a" { type discrete[2] { "yes" "no" }; property "position = (1, 2)" ; }
variable "b" { type discrete[3] { p q r }; }
probability ( "a" ) { table 0.25 0.75 ; }
probability ( "b" | "a" ) { # the variable's own levels in the outer loop
  table 0.1 0.2 0.3 0.4 0.6 0.4 ;
}
"""
DEFAULT = PGMPY.replace("( yes ) 0.1, 0.3, 0.6;", "default 0.1, 0.3, 0.6;")
WEKA = """<?xml version="1.0"?>
<!-- DTD for the XMLBIF 0.3 format -->
<!DOCTYPE BIF [
<!ELEMENT BIF ( NETWORK )*>
      <!ATTLIST BIF VERSION CDATA #REQUIRED>
<!ELEMENT NETWORK ( NAME, ( PROPERTY | VARIABLE | DEFINITION )* )>
]>
<BIF VERSION="0.3">
<NETWORK>
<NAME>weather</NAME>
<VARIABLE TYPE="nature">
<NAME>a</NAME>
<OUTCOME>yes</OUTCOME>
<OUTCOME>no</OUTCOME>
<PROPERTY>position = (0,0)</PROPERTY>
</VARIABLE>
<VARIABLE TYPE="nature"><NAME>b</NAME><OUTCOME>p</OUTCOME><OUTCOME>q</OUTCOME><OUTCOME>r</OUTCOME></VARIABLE>
<DEFINITION>
<FOR>a</FOR>
<TABLE>
0.25 0.75
</TABLE>
</DEFINITION>
<DEFINITION>
<FOR>b</FOR>
<GIVEN>a</GIVEN>
<TABLE>
0.1 0.3 0.6
0.2 0.4 0.4
</TABLE>
</DEFINITION>
</NETWORK>
</BIF>
"""


@pytest.mark.parametrize("text", [PYAGRUM, PGMPY, OLD, DEFAULT, WEKA, "\ufeff" + PGMPY], ids=str.split)
def test_files_of_other_programs_are_one_network(text, tmp_path):
    path = tmp_path / "network.bif"
    path.write_text(text, "utf-8")
    for net in (crake.BayesNetwork.from_bif(path), crake.BayesNetwork.from_bif(str(path)), crake.read_bif(text)):
        assert net.graph.arcs == (("a", "b"),)
        assert net.levels("b") == ("p", "q", "r")
        assert net.conditional("b").probabilities.tolist() == [[0.1, 0.3, 0.6], [0.2, 0.4, 0.4]]


@pytest.mark.parametrize("facts", [CANCER, ASIA, CHILD])
def test_a_round_trip_changes_no_bit(facts, tmp_path):
    net = network(facts)
    for text in (net.to_bif(tmp_path / "a.bif"), net.to_xmlbif()):
        again = crake.read_bif(text)
        assert again.graph == net.graph
        assert [again.levels(name) for name in net.graph.names] == [net.levels(name) for name in net.graph.names]
        assert all((a == b).all() for a, b in zip(again.model_.tables, net.model_.tables, strict=True))
        assert (again.to_bif() if text.startswith("network") else again.to_xmlbif()) == text
    assert (tmp_path / "a.bif").read_text() == net.to_bif()


def test_odd_names_and_digits_survive():
    levels = ["a b", 'say "no"', "back\\slash", "{x};", "//y", "ünï", "<&>"]
    shares = np.random.default_rng(1).dirichlet(np.ones(len(levels)))
    net = crake.BayesNetwork.from_tables([], {"odd name|": shares}, levels={"odd name|": levels})
    for text in (net.to_bif(), net.to_xmlbif()):
        again = crake.read_bif(text)
        assert again.levels("odd name|") == tuple(levels)
        assert (again.model_.tables[0] == net.model_.tables[0]).all()


def test_names_and_digits_as_the_repository_of_bnlearn_has_them():
    text = """network unknown {
}
variable CKNI_12.00 {
  type discrete [ 3 ] { 0_5_MG_L, 20_MG/L, >=7.5 };
}
variable Age {
  type discrete [ 2 ] { <5, 12+ };
}
probability ( CKNI_12.00 ) {
  table 0.3333333, 0.3333333, 0.3333333;
}
probability ( Age | CKNI_12.00 ) {
  (>=7.5) 0.25, 7.5e-1;
  (0_5_MG_L) 1.0, 0.0;
  (20_MG/L) .04, .96;
}
"""
    net = crake.read_bif(text)
    assert net.levels("CKNI_12.00") == ("0_5_MG_L", "20_MG/L", ">=7.5")
    assert net.conditional("CKNI_12.00").probabilities.tolist() == pytest.approx([1 / 3] * 3)
    assert net.conditional("Age").probabilities.tolist() == [[1, 0], [0.04, 0.96], [0.25, 0.75]]


def block(child: str, given: str, body: str) -> str:
    return f"probability ( {child}{given} ) {{ {body} }}\n"


VARIABLES = PGMPY.split("probability", maxsplit=1)[0]
A, B = block("a", "", "table 0.25, 0.75;"), block("b", " | a", "(yes) 0.1, 0.3, 0.6; (no) 0.2, 0.4, 0.4;")
WIDE = "".join(f"variable v{i} {{ type discrete [ 2 ] {{ t, f }}; }}\n" for i in range(40))
MANY = " | " + ", ".join(f"v{i}" for i in range(1, 40))
HALVES = "".join(block(f"v{i}", "", "table .5 .5;") for i in range(1, 40))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n", "no variable"),
        ("hello {", "line 1: expected network, variable or probability, got 'hello'"),
        (VARIABLES + A, "none of 'b'"),
        (VARIABLES + A + block("b", " | a", "(yes) 0.1, 0.3, 0.6;"), r"expected 2 lines .* lacks is \(no\)"),
        (VARIABLES + A + B.replace("0.6", "0.7"), "line 10: expected .* sum to 1 .* got 1.1 in line 1"),
        (VARIABLES + A + B.replace("0.6", "-0.6"), "expected probabilities from 0 to 1, got '-0.6'"),
        (VARIABLES + A + B.replace("0.6", "nan"), "got 'nan'"),
        (VARIABLES + A + B.replace("0.6", "1e999"), "got '1e999'"),
        (VARIABLES + A + B.replace("0.3,", ""), "expected 3 numbers in each line"),
        (VARIABLES + A + A + B, "expected one table of 'a', got a second"),
        (VARIABLES + A + B.replace("(no)", "(yes)"), r"each line of 'b' once, got '\(yes\) again'"),
        (VARIABLES + A + B.replace("(yes)", "(yse)"), "a level of 'a' .* got 'yse'. Did you mean 'yes'"),
        (VARIABLES + A + B.replace("| a", "| aa"), "variable that is declared, got 'aa'"),
        (VARIABLES + A + B.replace("| a", "| a, a"), "a level of each of 2 parents"),
        (VARIABLES + block("a", " | b", "default .5 .5;") + B, "without a cycle"),
        (VARIABLES + VARIABLES, "'a' twice"),
        (VARIABLES.replace("{ yes, no }", "{ yes, yes }"), "each once"),
        (VARIABLES.replace("[ 2 ]", "[ 99999999999 ]"), "expected 99999999999 levels"),
        (VARIABLES.replace("discrete", "continuous", 1), "type discrete"),
        (VARIABLES.replace("{ yes, no }", "{ " + "x " * 20_000), "at most 10,000 words and }, got 'more'"),
        (VARIABLES + 'variable "x', "closed quote"),
        (VARIABLES + "/* x", "closed comment"),
        (VARIABLES + "property x", "expected network"),
        ("network x { property y", "end of the file"),
        ("network x {", "line 1: expected property or }, got 'the end of the file'"),
        (VARIABLES + A.rstrip().rstrip("}"), "expected table, default or .* got 'the end of the file'"),
        (VARIABLES.replace("yes", "y\0es"), "expected names without NUL bytes, got 'a' and its levels"),
        (VARIABLES + A + block("b", " | a, a", "default 0.1, 0.3, 0.6;"), "each parent of 'b' once, got 'a' twice"),
        (WEKA.replace('TYPE="nature"', 'TYPE="decision"', 1), "variables of the type nature, got 'decision'"),
        ("network x " + "{" * 100_000, "expected property or }"),
        (WIDE + block("v0", MANY, "default .5 .5;") + HALVES, "1,099,511,627,776 cells"),
        ("".join(f"variable v{i} {{ type discrete [ 1 ] {{ t }}; }}\n" for i in range(10_001)), "at most 10,000"),
        (WEKA.replace("<!ELEMENT BIF ( NETWORK )*>", '<!ENTITY a "aa"><!ENTITY b "&a;&a;">'), "of entities, got 'a'"),
        (WEKA.replace("<FOR>b</FOR>", ""), "one element FOR, got 0"),
        (WEKA.replace("0.6", ""), "expected 6 numbers in the table of 'b', got 5"),
        (WEKA[:600], "expected XML"),
        (WEKA.replace('"1.0"', '"1.0" encoding="UTF-88"'), "XML in UTF-8, got unknown encoding"),
        ("<html><body>" + "<p>" * 50, "the element BIF, got 'html'"),
        ("<BIF>" + "<p>" * 1000, "at most 16 deep"),
    ],
    ids=lambda each: str(each)[-30:],
)  # fmt: skip
def test_a_hostile_file_is_refused_with_its_fault(text, message):
    with pytest.raises(ReadError, match=message):
        crake.read_bif(text)


def test_files_that_cannot_be_read_are_named(tmp_path):
    large = tmp_path / "large.bif"
    with large.open("wb") as file:
        file.truncate(2**24 + 1)
    (tmp_path / "latin.bif").write_bytes(b"network \xe4 { }")
    for name, message in (("large.bif", "16,777,216 bytes"), ("latin.bif", "UTF-8"), ("none.bif", "No such file")):
        with pytest.raises(CrakeError, match=f"{name}.*{message}"):
            crake.read_bif(tmp_path / name)
    with pytest.raises(CrakeError) as long_name:
        crake.read_bif("x" * 10_000)
    assert len(str(long_name.value)) < 500
    (tmp_path / "folder.bif").mkdir()
    if hasattr(os, "mkfifo"):  # not on Windows
        os.mkfifo(tmp_path / "pipe.bif")
    for special in (path for path in tmp_path.iterdir() if not path.is_file()):
        with pytest.raises(CrakeError, match="expected a file, got a folder, a pipe or a device"):
            crake.read_bif(special)
    for blank in ("", " "):
        with pytest.raises(CrakeError, match="got an empty text"):
            crake.read_bif(blank)
    with pytest.raises(CrakeError, match="a path to write to, got int"):
        crake.BayesNetwork.from_tables([], {"a": 0.5}).to_bif(3)
    with pytest.raises(CrakeError, match="names that BIF can hold"):
        crake.BayesNetwork.from_tables([], {"a\n": 0.5}).to_bif()


Q = "q" * 10_000
LONG, ONE = f"variable {Q} {{ type discrete [ 1 ] {{ {Q} }}; }}\n", "variable b { type discrete [ 1 ] { x }; }\n"


@pytest.mark.parametrize(
    "text",
    [
        LONG + LONG,
        LONG,
        LONG + block(Q + "z", "", "table 1;"),
        LONG + block(Q, "", "table .5;"),
        LONG + block(Q, f" | {Q}", "default 1;"),
        LONG + ONE + block(Q, "", "table 1;") + block("b", f" | {Q}", f"({Q}z) 1;"),
        LONG + ONE + block(Q, "", "table 1;") + block("b", f" | {Q}", ""),
        LONG + block(Q, "", ""),
    ],
    ids=range(8),
)
def test_a_long_name_makes_no_long_message(text):
    with pytest.raises(ReadError) as caught:
        crake.read_bif(text)
    assert len(str(caught.value)) < 400


def test_an_end_of_line_within_a_name_survives_xmlbif():
    net = crake.BayesNetwork.from_tables([], {"a": {"x\ry": 0.5, "x\ny": 0.5}})
    assert crake.read_bif(net.to_xmlbif()).levels("a") == ("x\ry", "x\ny")
