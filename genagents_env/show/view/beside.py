"""A process that serves the page of a run beside the process that runs it.

`python -m genagents_env.show.view.beside RUN` prints its address, and ends when nobody
can write to its input any more. The run file may come later.
"""

import sys
from contextlib import closing
from pathlib import Path
from threading import Thread

from genagents_env.show.view.admission import LOOPBACK, Admission
from genagents_env.show.view.open_run import OpenRun
from genagents_env.show.view.server import ViewServer


def serve_beside(path: Path) -> None:
    """Serve the page of the run in `path` until the input ends."""
    with (
        closing(OpenRun(path, wait=True)) as run,
        ViewServer(run, Admission(LOOPBACK[0])) as server,
    ):
        sys.stdout.write(f"{server.address}\n")
        sys.stdout.flush()
        Thread(target=_await_end, args=[server], daemon=True).start()
        server.serve_forever()


def _await_end(server: ViewServer) -> None:
    sys.stdin.read()
    server.shutdown()


if __name__ == "__main__":
    serve_beside(Path(sys.argv[1]))
