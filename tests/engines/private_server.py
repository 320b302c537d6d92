"""A PostgreSQL server for the tests: in a folder of its own, reached through a socket there, gone afterwards."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from tests.engines.required import missing

GUARDED = "local all guarded scram-sha-256\n"
"""The role `guarded` needs its password; the others need none."""


def binaries() -> Path | None:
    """Return the folder of the server's programs."""
    found = shutil.which("pg_ctl")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists() and (place / "postgres").exists()), None)


@contextlib.contextmanager
def started() -> Iterator[str]:
    """Start a server and yield the address of its database; skip where there is none."""
    place = binaries()
    if place is None:
        missing("the programs of a PostgreSQL server (initdb, pg_ctl) are not installed", "postgres")
    # A server does not run as root, and the folders of pytest are root's.
    owner = next((name for name in ("postgres", "nobody") if _exists(name)), None) if os.getuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="crake-pg-", dir="/tmp"))
    if owner is not None:
        shutil.chown(folder, owner)

    def run(*command: object) -> None:
        result = subprocess.run(
            list(map(str, command)), user=owner, cwd=folder, capture_output=True, text=True, check=False, timeout=120
        )
        if result.returncode:
            missing(f"a PostgreSQL server could not be started: {result.stdout} {result.stderr}", "postgres")

    data, log = folder / "data", folder / "log"
    try:
        run(place / "initdb", "-D", data, "-U", "crake", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")
        rules = data / "pg_hba.conf"
        rules.write_text(GUARDED + rules.read_text())
        settings = f"-k {folder} -c listen_addresses= -c fsync=off -c timezone=Asia/Kolkata -c extra_float_digits=0"
        run(place / "pg_ctl", "-D", data, "-o", settings, "-l", log, "-w", "start")
        try:
            yield f"postgresql://crake@/postgres?host={quote(str(folder), safe='')}"
        finally:
            run(place / "pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
