"""`genagents view` and `demo`: the page of a run, on loopback."""

import secrets
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated
from urllib.parse import quote, urlencode

import typer

from genagents_env.cli.options import LOOPBACK, RunFile
from genagents_env.cli.screen import open_browser, say
from genagents_env.name_search import find_person, find_word
from genagents_env.record import RunReader
from genagents_env.record.town_times import find_tick
from genagents_env.show.view.admission import Admission
from genagents_env.show.view.open_run import OpenRun
from genagents_env.show.view.server import ViewServer

_NEW = "new"  # as a token: one is drawn
app = typer.Typer()


@dataclass(frozen=True, slots=True)
class DemoRun:
    """A run that comes with the package.

    Attributes:
        file: its name in the folder of shipped runs.
        about: what one sees, in a line.
        moment: what an address says behind `#`.
    """

    file: str
    about: str
    moment: str

    @property
    def path(self) -> Path:
        """The run file."""
        return Path(str(files("genagents_env.show.view") / "runs" / self.file))


DEMOS: Mapping[str, DemoRun] = {
    "mystery": DemoRun(
        "murder_mystery.sqlite.xz",
        "Who murdered Ahmed Khan? Two who know a little and one who investigates put together "
        "what each has seen.",
        "t=1&play=5&z=26&p=Dmitri&follow=1&f=testimony",
    ),
    "day": DemoRun(
        "smallville_13_february.sqlite.xz",
        "A morning in Smallville: Isabella invites Klaus to a party, then Maria.",
        "t=204&play=20&z=26&p=Isabella&follow=1&f=party",
    ),
    "party": DemoRun(
        "smallville_14_february.sqlite.xz",
        "The party at Hobbs Cafe, on 14 February from five o'clock on.",
        "t=90&play=20&z=26&p=Klaus&follow=1",
    ),
}


@app.command()
def view(
    run_file: RunFile,
    at: Annotated[str | None, typer.Option(help="Open at this town time, such as 17:10.")] = None,
    person: Annotated[str | None, typer.Option(help="Open with this person selected.")] = None,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print the address; open no browser.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the page; 0 takes a free one.")
    ] = 0,
    host: Annotated[
        str, typer.Option(help="Address to listen on; other than loopback needs --token.")
    ] = LOOPBACK,
    token: Annotated[
        str | None,
        typer.Option(help="Secret that readers must give in the address; `new` makes one."),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait for a run file that does not exist yet.")
    ] = False,
) -> None:
    """Open a run in the browser: its map, its story, its people, why they did what they did.

    The run may still be going on. Ctrl-C ends the page.

    Example: genagents view run.sqlite --at 17:10 --person klaus
    """
    admission = Admission(host, secrets.token_urlsafe(24) if token == _NEW else token)
    with closing(OpenRun(run_file, wait=wait)) as run:
        moment = make_moment(run_file, at, person) if at or person else ""
        _serve_page(run, admission, port, moment, no_open)


@app.command()
def demo(
    name: Annotated[
        str, typer.Argument(metavar="[mystery|day|party]", help="Which of them.")
    ] = "mystery",
) -> None:
    """Open a run that comes with the package: no model, no key, nothing to wait for.

    `mystery`: who murdered Ahmed Khan? `day`: a morning in Smallville, with an invitation to pass
    on. `party`: the evening after it. Their replies were written by a capable reader.
    """
    shipped = DEMOS[find_word(name, DEMOS, "demo")]
    say(shipped.about)
    with closing(OpenRun(shipped.path)) as run:
        _serve_page(run, Admission(LOOPBACK), 0, f"#{shipped.moment}", no_open=False)


def make_moment(run_file: Path, at: str | None, person: str | None) -> str:
    """Return the part of an address that names a moment of a run and a person in it.

    Raises:
        ConfigError: the time is none, or nobody or more than one is called so.
    """
    with RunReader(run_file) as run:
        parts = {} if at is None else {"t": str(find_tick(run, at, "--at"))}
        if person is not None:
            parts["p"] = find_person(person, run.meta.names)
    return f"#{urlencode(parts, quote_via=quote)}"


def _serve_page(run: OpenRun, admission: Admission, port: int, moment: str, no_open: bool) -> None:
    with ViewServer(run, admission, port) as server:
        address = server.address + moment
        say(f"{address}  (Ctrl-C ends)")
        if not no_open and not open_browser(address):
            say("No browser was found; open the address in one.")
        sys.stdout.flush()
        with _end_quietly():
            server.serve_forever()


@contextmanager
def _end_quietly() -> Iterator[None]:
    """End by Ctrl-C or SIGTERM, without a word."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    former = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, former)
