"""The report's script: small ES modules made one, so that the page needs no address; and the hash that allows it."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from importlib import resources

from markupsafe import Markup

MODULES = (
    "numbers.js",
    "counts.js",
    "curves.js",
    "state.js",
    "words.js",
    "pictures.js",
    "controls.js",
    "panel.js",
    "report.js",
)
"""In the order of their needs: a module imports those before it only."""


@functools.cache
def script() -> Markup:
    """Return all modules in one, without `import` and `export`, which need addresses, and without comments."""
    folder = resources.files("crake.render").joinpath("static")
    return Markup("".join(_bare(folder.joinpath(name).read_text("utf-8")) for name in MODULES))  # noqa: S704 (ours)


@functools.cache
def script_hash() -> str:
    """For the page's Content-Security-Policy: this script may run and no other."""
    digest = hashlib.sha256(str(script()).encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _bare(module: str) -> str:
    r"""Return the module's statements, to stand in one scope with those of others.

    >>> _bare('// why\nimport { a } from "./a.js";\n\nexport const b = a;  // c\n')
    'const b = a;  // c\n'
    """
    lines = (line.strip() for line in module.splitlines())
    kept = [line for line in lines if line and not re.match(r"import |//|/\*\*.*\*/$", line)]
    return "".join(f"{line.removeprefix('export ')}\n" for line in kept)
