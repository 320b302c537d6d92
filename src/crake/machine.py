"""The memory of the machine, or of the container that the process runs in."""

from __future__ import annotations

import os
from pathlib import Path

LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Files in which a container's limit stands, where there is one."""


def machine_memory() -> float:
    """Return the bytes of memory of this machine, or of its container; ∞ where the system does not say."""
    try:
        physical = float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        physical = float("inf")
    return min([physical, *(limit for name in LIMITS if (limit := _limit(Path(name))) > 0)])


def _limit(path: Path) -> float:
    """Return the number in a file; 0 if there is none."""
    try:
        text = path.read_text("ascii").strip()
    except (OSError, ValueError):
        return 0.0
    return float(text) if text.isdigit() else 0.0
