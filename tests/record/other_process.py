"""Another process that opens and begins run files by commands: `ACTION PATH`, line by line."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Self

from genagents_env.errors import RecordError
from genagents_env.record import RunWriter
from genagents_env.record import meta as heads
from tests.record.lived import live, make_meta

ROOT = Path(__file__).parents[2]


class OtherProcess:
    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "tests.record.other_process"]
        self._process = subprocess.Popen(
            command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.communicate()

    def tell(self, action: str, path: Path) -> None:
        """Let it do something to a file: one of the functions below."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{action} {path}\n")
        self._process.stdin.flush()

    def hear(self) -> str:
        """Return what came of it: `done`, or the error and its text."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def ask(self, action: str, path: Path) -> str:
        """Let it do something, and return what came of it."""
        self.tell(action, path)
        return self.hear()


def reopen(path: Path) -> None:
    RunWriter.open(path).close()


def begin(path: Path) -> None:
    with RunWriter.create(path, META) as writer:
        live(writer, 1)


def _be_killed(call: Callable[[], object]) -> None:
    pid = os.fork()
    if pid == 0:
        call()
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL


def _kill(*arguments: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def be_killed_beginning(path: Path) -> None:

    def call() -> None:
        heads.write_rows = _kill  # type: ignore[assignment]  # so it dies there
        begin(path)

    _be_killed(call)


ACTIONS: dict[str, Callable[[Path], None]] = {
    action.__name__: action for action in (reopen, begin, be_killed_beginning)
}

if __name__ == "__main__":
    META = make_meta()
    for line in sys.stdin:
        name, _, file = line.strip().partition(" ")
        try:
            ACTIONS[name](Path(file))
        except RecordError as error:
            print(type(error).__name__, error, flush=True)
        else:
            print("done", flush=True)
