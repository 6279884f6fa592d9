"""Who made a container: told by a label, so that what a killed run left is found, and nobody else's is touched."""

from __future__ import annotations

import os
import socket
from pathlib import Path

LABEL = "longhaul.owner"


def me() -> str:
    """This process: host, process namespace, boot, number, and the tick at which it began (numbers are used again)."""
    return "/".join((*_place(), str(os.getpid()), _began(os.getpid()) or "0"))


def gone(owner: str) -> bool:
    """Whether the owner was a process of this host that has ended. Of other hosts and namespaces nothing is known."""
    parts = owner.split("/")
    if len(parts) != 5:
        return False
    host, space, boot, number, began = parts
    here = _place()
    if (host, space) != here[:2]:
        return False
    return boot != here[2] or not number.isdigit() or _began(int(number)) != began


def _place() -> tuple[str, str, str]:
    space = os.readlink("/proc/self/ns/pid") if Path("/proc/self/ns/pid").exists() else "-"
    boot = Path("/proc/sys/kernel/random/boot_id")
    return socket.gethostname(), space.replace("/", "-"), boot.read_text().strip() if boot.is_file() else "-"


def _began(process: int) -> str | None:
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] == "Z" else fields[19]
