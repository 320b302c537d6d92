"""Hooks of the site: the pages outside docs/, the site's own files, and a check that nothing comes from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
"""Pages at the top of the repository, and their names in the site."""
LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*?\bsrc=["']?(?:https?:)?//"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|preconnect|preload|icon))[^>]*?\bhref=["']?(?:https?:)?//"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//|url\(["']?(?:https?:)?//""",
    re.IGNORECASE,
)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages and files that are not in docs/."""
    for source, place in PAGES.items():
        files.append(File.generated(config, place, content=relinked((ROOT / source).read_text("utf-8"))))
    for asset in sorted((ROOT / "website" / "assets").iterdir()):
        files.append(File.generated(config, f"assets/{asset.name}", abs_src_path=str(asset)))
    return files


def relinked(text: str) -> str:
    """Return a page with its links as they are inside the site.

    >>> relinked("[a](docs/tables.md), [b](CONTRIBUTING.md), [c](https://x.org/docs/)")
    '[a](tables.md), [b](contributing.md), [c](https://x.org/docs/)'
    """
    text = text.replace("](docs/", "](")
    for source, place in PAGES.items():
        text = text.replace(f"]({source})", f"]({place})")
    return text


def on_post_build(config: Any) -> None:
    """Raise an error if a page or a style sheet loads anything from another machine."""
    for file in sorted(Path(config.site_dir).rglob("*")):
        if file.suffix in {".html", ".css"}:
            match = LOADED.search(file.read_text("utf-8"))
            if match:
                raise PluginError(f"{file} loads from elsewhere: {match[0]}")
