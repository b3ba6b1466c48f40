"""Wires the commands together and turns errors into one line and an exit code."""

import logging
import os
import platform
import sys
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from genagents_env.cli import (
    compare,
    doctor,
    export,
    files,
    film,
    interviews,
    judge,
    lists,
    look,
    maps,
    memories,
    new,
    prompts,
    rate,
    report,
    runs,
    sweep,
    tasks,
    view,
)
from genagents_env.cli.logs import start_logging
from genagents_env.cli.screen import say
from genagents_env.errors import FileError, GenagentsError, RecordError
from genagents_env.files import explain

# Modules that take long to import (scipy, networkx, pydantic, openai) are imported inside the
# functions of the commands that use them, so that `--help` and mistakes are answered at once.
app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="A town of generative agents: live it, look at it, study it.\n\n"
    "Begin with: genagents run tiny; with a scenario of your own: genagents new my_town; with a "
    "study: genagents sweep examples/studies/gossip.toml",
    epilog="Exit codes: 0 done; 1 some runs of a sweep failed, or a verified file is damaged; 2 a "
    "mistake in the request; 3 the budget is used up; 4 finished, but degraded: a policy failed in "
    "some decisions (with --strict: stopped there), or too many model calls had no usable reply "
    "(--max-fallbacks); 70 a fault of the program, with a report of it; 73 the run file is being "
    "written; 75 the model gives no answers, or none that can be used: resume later; 130 "
    "interrupted.",
)
for group in (
    *(runs, view, doctor, look, film, export, prompts, files, report, interviews, memories),
    *(judge, sweep, compare, rate, lists, new, maps, tasks),
):
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
    verbose: Annotated[
        int,
        typer.Option(
            "--verbose",
            "-v",
            count=True,
            show_default=False,
            help="Say on stderr what happens; twice also every model call. Or set GENAGENTS_LOG "
            "to debug, info, warning or error.",
        ),
    ] = 0,
) -> None:
    """Take the options that stand before a command."""
    start_logging(verbose)


def main() -> None:
    """Run the command line; exits with the codes that `genagents --help` lists."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without emoji shows a mark instead
    logging.setLogRecordFactory(_make_log_record)  # OPENAI_LOG=debug shows addresses and headers
    try:
        app()
    except BrokenPipeError:
        _abandon_output()
        sys.exit(0)
    except Exception as error:
        code, told = _explain_ending(error)
        say(f"genagents: {_redact(told)}", error=True)
        sys.exit(code)


def _explain_ending(error: Exception) -> tuple[int, str]:
    """Return the exit code of a command that ended with `error`, and the sentence about it."""
    if isinstance(error, OSError | FileError | RecordError) and not _has_folder():
        gone = "the folder in which this was started is not there any more; go to another (cd ~)"
        return FileError.exit_code, gone
    if isinstance(error, GenagentsError):
        return error.exit_code, str(error)
    if isinstance(error, MemoryError):
        return FileError.exit_code, "memory is used up; do less at once, or use a larger machine"
    if isinstance(error, OSError):
        _abandon_output()
        refused = explain(error)
        if refused is not None:
            return FileError.exit_code, refused
    # The last line of defence: a bug becomes a report without keys, not a wall of text with them.
    path = write_crash_report(error)
    kind = type(error).__name__
    return 70, f"unexpected {kind}; {path} tells where, with keys left out"


def _has_folder() -> bool:
    """Return whether the current folder is still there."""
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _abandon_output() -> None:
    """Drop what could not be written to stdout, so that the interpreter does not try at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
    for find_folder in (Path.cwd, lambda: Path(tempfile.gettempdir())):
        try:
            folder = find_folder()
            with (folder / name).open("x", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError:
            continue
        return folder / name
    sys.stderr.write(text)
    return Path(os.devnull)


def _make_log_record(*given: object, **more: object) -> logging.LogRecord:
    """Return a record of what a library logs, its words without keys."""
    record = logging.LogRecord(*given, **more)  # type: ignore[arg-type]  # as its caller has them
    record.msg, record.args = _redact(record.getMessage()), ()
    return record


def _redact(text: str) -> str:
    from genagents_env.llm.redact import redact_environment

    return redact_environment(text)
