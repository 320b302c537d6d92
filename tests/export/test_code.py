"""Plain Python, C and JavaScript answer as the library, and hostile names stay text."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.export.cases import Case, assert_same, exported_cases


def loaded(path: Path) -> Any:
    """Import a written file, as any program would."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_python_answers_as_the_library(tmp_path: Path) -> None:
    for at, case in enumerate(exported_cases()):
        path = tmp_path / f"model_{at}.py"
        path.write_text(case.model.to_python(), encoding="ascii")
        assert "import" not in path.read_text()
        module, rows = loaded(path), case.rows.to_pylist()
        answers = [module.predict(row) for row in rows]
        assert_same(
            case, answers, [module.predict_proba(row) for row in rows] if case.classes else [[a] for a in answers]
        )
    with pytest.raises(KeyError, match="expected a value, or None, for the column"):
        module.predict({})


def cell(case: Case, at: int, name: str, value: Any) -> str:
    """Write a cell as a C program takes it."""
    if case.exported.schema[name].levels:
        return f"m{at}_level({case.names.index(name)}, {literal(value)})"
    return "NAN" if value is None else repr(value)


def literal(value: str | None) -> str:
    return "NULL" if value is None else '"' + "".join(f"\\{b:03o}" for b in value.encode()) + '"'


def program(case: Case, at: int) -> str:
    """Write a function that prints the answer to every row."""
    lines = [f"static void run_{at}(void) {{"]
    for row in case.rows.to_pylist():
        cells = ", ".join(cell(case, at, name, row[name]) for name in case.names) or "0.0"
        lines.append(f"{{ double x[] = {{{cells}}}; show_{at}(x); }}")
    shown = (
        f'double out[m{at}_CLASSES]; m{at}_probabilities(x, out); printf("%d", m{at}_predict(x)); '
        f'for (int k = 0; k < m{at}_CLASSES; k++) printf(" %.17g", out[k]); printf("\\n");'
        if case.classes
        else f'printf("0 %.17g\\n", m{at}_predict(x));'
    )
    return "\n".join([f"static void show_{at}(const double *x) {{ {shown} }}", *lines, "}"])


def test_c_answers_as_the_library(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler (cc)")
    cases = exported_cases()
    parts = ["#include <stdio.h>"]
    for at, case in enumerate(cases):
        (tmp_path / f"m{at}.h").write_text(case.model.to_c(f"m{at}"), encoding="ascii")
        parts += [f'#include "m{at}.h"', program(case, at)]
    parts.append(f"int main(void) {{ {' '.join(f'run_{at}();' for at in range(len(cases)))} return 0; }}")
    (tmp_path / "all.c").write_text("\n".join(parts))
    flags = ["-std=c99", "-Wall", "-Werror", "-Wno-unused", "-pedantic", "-O0", "-o", "all", "all.c", "-lm"]
    built = subprocess.run([compiler, *flags], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[:3000]
    printed = subprocess.run([tmp_path / "all"], capture_output=True, text=True, check=True).stdout.splitlines()
    begin = 0
    for case in cases:
        lines = [line.split() for line in printed[begin : begin + len(case.rows)]]
        begin += len(case.rows)
        answers = [case.classes[int(line[0])] for line in lines] if case.classes else []
        assert_same(case, answers, [list(map(float, line[1:])) for line in lines])
    assert begin == len(printed)


def test_javascript_answers_as_the_library(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    cases = exported_cases()
    for at, case in enumerate(cases):
        (tmp_path / f"m{at}.mjs").write_text(case.model.to_javascript(), encoding="ascii")
    asked = [[at, case.rows.to_pylist()] for at, case in enumerate(cases)]
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    (tmp_path / "run.mjs").write_text(
        "import fs from 'node:fs';\n"
        "const asked = JSON.parse(fs.readFileSync('asked.json'));\n"
        "for (const [at, rows] of asked) {\n"
        "  const model = await import(`./m${at}.mjs`);\n"
        "  const shares = (row) => (model.predictProba ? model.predictProba(row) : null);\n"
        "  const answers = rows.map((row) => [model.predict(row), shares(row)]);\n"
        "  console.log(JSON.stringify(answers));\n"
        "  let refused = '';\n"
        "  try { model.predict({}); } catch (error) { refused = error.message; }\n"
        "  if (model.COLUMNS.length && !refused.startsWith('expected a value')) throw new Error(refused);\n"
        "}\n"
    )
    ran = subprocess.run([node, "run.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[:3000]
    for case, line in zip(cases, ran.stdout.splitlines(), strict=True):
        answers = json.loads(line)
        assert_same(case, [answer for answer, _ in answers], [shares or [answer] for answer, shares in answers])


def test_rows_are_awkward() -> None:
    rows: pa.Table = exported_cases()[0].rows
    cells = [value for column in rows.columns for value in column.to_pylist()]
    assert {None, "", "new; --", 1e308}.issubset(cells)
    assert any(str(value) == "-0.0" for value in cells)
