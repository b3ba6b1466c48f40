"""The page of a run while it runs, served by a process beside it; and opening a browser.

The process reads the run file, as `genagents view` does; so it neither slows the run down nor ends
it where it fails. It is started at once, to be ready, and shown when there is a first tick: a
mistake in the request is reported before any page.
"""

import os
import subprocess
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from genagents_env.cli.screen import say, warn

_MODULE = "genagents_env.show.view.beside"
_GRACE = 5.0  # seconds in which the process ends


def open_browser(address: str) -> bool:
    """Open an address in the user's browser; return whether there is one.

    One that would take the terminal, as there are on machines without a screen, is not opened.
    """
    windows = sys.platform in ("win32", "darwin")
    shown = windows or any(os.environ.get(key) for key in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
    try:
        return bool(shown) and webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False


class LivePage:
    """The page of the run that will be in `path`; use it in a `with` block.

    Args:
        path: of the run file.
        wanted: else nothing is started, and nothing listens.
    """

    def __init__(self, path: Path, *, wanted: bool) -> None:
        self._path, self._wanted, self._address = path, wanted, ""
        self._process: subprocess.Popen[str] | None = None
        self._begun, self._ended = Event(), False
        self._opener = Thread(target=self._open, daemon=True)

    def begin(self, phase: str, tick: int) -> None:
        """Show the page once there is a tick; takes what `RunOptions.on_phase` gives."""
        self._begun.set()

    def keep(self) -> None:
        """Keep the page until Ctrl-C, where somebody sits at a terminal to press it."""
        if self._process is None or not self._begun.is_set() or not sys.stdin.isatty():
            return
        self._opener.join()
        if self._address:
            say(f"The page stays open: {self._address}  (Ctrl-C ends)", error=True)
            with suppress(KeyboardInterrupt):
                self._process.wait()

    def __enter__(self) -> "LivePage":
        if self._wanted:
            self._process = subprocess.Popen(  # noqa: S603 (this package)
                [sys.executable, "-P", "-m", _MODULE, str(self._path.absolute())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                start_new_session=True,  # Ctrl-C is for the run
            )
            self._opener.start()
        return self

    def __exit__(self, *_: object) -> None:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return
        self._ended = not self._begun.is_set()
        self._begun.set()
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._opener.join()
        process.stdout.close()

    def _open(self) -> None:
        """Read the address from the process; print it and open it, once the run has begun."""
        if self._process is None or self._process.stdout is None:
            return
        address = self._process.stdout.readline().strip()
        self._begun.wait()
        if self._ended:
            return
        self._address = address
        if not address:
            warn("its page is not served")
            return
        opened = open_browser(address)
        warn(f"watch it live{'' if opened else ' in a browser'}: {address}")
