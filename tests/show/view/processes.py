"""Commands in processes of their own, as a user has them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def start(*arguments: str, folder: Path, **changes: str) -> Iterator["subprocess.Popen[str]"]:
    """Run a command of `genagents` until it ends, or the block does."""
    surroundings = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    process = subprocess.Popen(
        [sys.executable, "-m", "genagents_env", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**surroundings, "PYTHONPATH": str(ROOT), "COLUMNS": "80", **changes},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for(condition: object, seconds: float = 60.0) -> None:
    until = monotonic() + seconds
    while not condition():  # type: ignore[operator]  # any function
        assert monotonic() < until, "it did not come"
        sleep(0.02)


def list_ports(process: int) -> set[int]:
    """Return the ports on which a process of Linux, or one of its children, listens."""
    sockets: set[str] = set()
    for one in (process, *list_children(process)):
        folder = Path(f"/proc/{one}/fd")
        for entry in folder.iterdir():
            try:
                target = os.readlink(entry)
            except OSError:
                continue
            if target.startswith("socket:["):
                sockets.add(target[8:-1])
    ports = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in sockets:  # 0A: listening
                ports.add(int(fields[1].rpartition(":")[2], 16))
    return ports


def list_children(process: int) -> list[int]:
    """Return the processes that a process of Linux has begun, and those that they have."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if parent == process:
            found += [int(folder.name), *list_children(int(folder.name))]
    return found
