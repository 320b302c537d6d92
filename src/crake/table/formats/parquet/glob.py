"""Which files a folder or a pattern such as `clicks/*.parquet` names."""

from __future__ import annotations

import glob
from pathlib import Path

from crake.errors import ReadError


def is_pattern(name: str) -> bool:
    """Whether the name has the signs of a pattern.

    >>> is_pattern("clicks/*.parquet"), is_pattern("clicks.parquet")
    (True, False)
    """
    return any(sign in name for sign in "*?[")


def parquet_files(path: Path) -> list[Path]:
    """The Parquet files of a folder and the folders in it, or those a pattern names, in the order of their names.

    Files and folders whose names begin with . or _ are passed over, as other programs do.
    """
    if path.is_dir():
        found = [file for file in path.rglob("*") if file.suffix.lower() == ".parquet"]
        found = [file for file in found if not any(part[0] in "._" for part in file.relative_to(path).parts)]
    else:
        found = _matching(str(path))
    files = sorted(file for file in found if file.is_file())
    if not files:
        what = "this is a folder without Parquet files" if path.is_dir() else "no file has a name of this pattern"
        raise ReadError(f"{what}; name a file", file=str(path))
    odd = next((file for file in files if file.suffix.lower() != ".parquet"), None)
    if odd is not None:
        raise ReadError(
            f"{odd.name} is no Parquet file; of several files only Parquet is read together: name them *.parquet",
            file=str(path),
        )
    return files


def _matching(pattern: str) -> list[Path]:
    try:
        return [Path(name) for name in glob.glob(pattern, recursive=True)]  # noqa: PTH207 (a pattern with folders)
    except (OSError, ValueError):
        return []
