"""A process that serves the page of a run beside the process that runs it.

`python -m genagents_env.show.view.beside RUN` reads a line of JSON (see `Setting`), prints the
address of the page and those of the people who play, a line each, and ends when nobody can write to
its input any more. Commands of the page are printed as lines of JSON, and further lines of the
input are news of the town. The run file may come later.
"""

import os
import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread

from pydantic import TypeAdapter

from genagents_env.errors import ConfigError
from genagents_env.show.view.admission import LOOPBACK, Admission
from genagents_env.show.view.live import LiveLink, LiveServer
from genagents_env.show.view.open_run import OpenRun
from genagents_env.text import clean

_NICE = 10  # the run comes first


@dataclass(frozen=True)
class Setting:
    """What the page is given at its start.

    Attributes:
        token: of who may look and give commands.
        seats: the agents that people play, by the token of each.
        host: on which it listens.
    """

    token: str
    seats: dict[str, str] = field(default_factory=dict)
    host: str = LOOPBACK[0]


def serve_beside(path: Path, setting: Setting) -> None:
    """Serve the page of the run in `path` until the input ends."""
    turn = Lock()

    def send(line: str) -> None:
        with turn:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()

    link, admission = LiveLink(setting.seats, send), Admission(setting.host, setting.token)
    with (
        closing(OpenRun(path, wait=True, steered=True)) as run,
        LiveServer(run, admission, link) as server,
    ):
        for address in (server.address, *map(server.find_place, setting.seats)):
            send(address)
        Thread(target=_listen, args=[server], daemon=True).start()
        server.serve_forever()


def _listen(server: LiveServer) -> None:
    """Take news of the town until there are no more."""
    for line in sys.stdin:
        server.link.take(line)
    server.shutdown()


def main() -> None:
    """Serve the run that the command line names, as the first line of the input says."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    setting = TypeAdapter(Setting).validate_json(sys.stdin.readline())
    try:
        serve_beside(Path(sys.argv[1]), setting)
    except ConfigError as error:
        print(clean(str(error)), file=sys.stderr)


if __name__ == "__main__":
    main()
