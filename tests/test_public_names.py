"""Public names stand once, in the stub of their package; they load when they are used."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import crake
from crake.public_names import names_in

PACKAGES = ("crake", "crake.metrics", "crake.table", "crake.evaluation.studies")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_there(package: str) -> None:
    module = import_module(package)
    assert dir(module) == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is getattr(module, name), name
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        module.nothing  # noqa: B018


@pytest.mark.parametrize("package", PACKAGES)
def test_every_line_of_a_stub_is_read(package: str) -> None:
    """A stub that is written in another form would hide names without a word."""
    text = Path(str(import_module(package).__file__)).with_suffix(".pyi").read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(names_in(text)) == len([line for line in lines if line != "__version__: str"])


@pytest.mark.parametrize("package", PACKAGES)
def test_no_public_name_hides_a_module(package: str) -> None:
    """Importing the module would put it in the place of the name."""
    module = import_module(package)
    modules = {path.stem for path in Path(str(module.__file__)).parent.iterdir()}
    assert set(module.__all__) & modules <= {"bayes", "concepts", "criteria"}


def test_import_crake_loads_nothing_else() -> None:
    program = (
        "import sys, crake; print(*sorted(m for m in sys.modules if m.split('.')[0] in ('crake', 'numpy', 'ast')))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert sorted(result.stdout.split()) == ["crake", "crake.public_names"]


def test_the_names_of_crake() -> None:
    assert {"read", "compare", "evaluate", "C45Classifier", "__version__"} <= set(crake.__all__)
    assert not {"Any", "TYPE_CHECKING", "attach", "annotations"} & set(dir(crake))
