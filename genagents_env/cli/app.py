"""Wires the commands together and turns errors into one line and an exit code."""

import os
import platform
import sys
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from genagents_env.cli import interviews, judge, lists, look, rate, report, runs, sweep
from genagents_env.cli.screen import say
from genagents_env.errors import GenagentsError

# Modules that take long to import (scipy, networkx, pydantic, openai) are imported inside the
# functions of the commands that use them, so that `--help` and mistakes are answered at once.
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A town of generative agents: live it, look at it, study it.\n\n"
    "Begin with: genagents run tiny, or genagents sweep examples/studies/gossip.toml",
    epilog="Exit codes: 0 done; 1 some runs of a sweep failed; 2 a mistake in the request; 3 the "
    "budget is used up; 73 the run file is being written; 75 the model does not answer, resume "
    "later; 130 interrupted.",
)
for group in (runs, look, report, interviews, judge, sweep, rate, lists):
    group.add_to(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        from genagents_env import __version__

        typer.echo(f"genagents-env {__version__}")
        raise typer.Exit


@app.callback()
def show_version(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Take the options that stand before a command."""


def main() -> None:
    """Run the command line; exits with the codes that `genagents --help` lists."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without emoji shows a mark instead
    try:
        app()
    except GenagentsError as error:
        say(f"genagents: {_redact(str(error))}", error=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output has closed it; the interpreter must not report that at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    # The last line of defence: a bug becomes a report without keys, not a wall of text with them.
    except Exception as error:
        path = write_crash_report(error)
        kind = type(error).__name__
        say(f"genagents: unexpected {kind}; {path} tells where, with keys left out", error=True)
        sys.exit(70)


def write_crash_report(error: BaseException) -> Path:
    """Write the traceback of `error`, without local variables or keys, and return the path.

    In the current folder, else in the one for temporary files, else on stderr.
    """
    from genagents_env import __version__

    lines = [
        f"genagents-env {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"command: {' '.join(sys.argv)}",
        "".join(traceback.format_exception(error)),
    ]
    text = _redact("\n".join(lines))
    name = f"genagents-crash-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}.txt"
    for folder in (Path.cwd(), Path(tempfile.gettempdir())):
        try:
            (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError:
            continue
        return folder / name
    sys.stderr.write(text)
    return Path(os.devnull)


def _redact(text: str) -> str:
    from genagents_env.llm.redact import redact_environment

    return redact_environment(text)
