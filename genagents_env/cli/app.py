"""The commands of `genagents`, loaded when they are used; errors become a line and an exit code."""

import logging
import os
import platform
import sys
import tempfile
import traceback
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from genagents_env.cli.logs import start_logging
from genagents_env.cli.screen import set_quiet, warn
from genagents_env.errors import FileError, GenagentsError, RecordError
from genagents_env.files import explain

# By heading of `--help`: command, its module in this folder, what it does.
COMMANDS = {
    "Run a town": (
        ("run", "runs", "Run a scenario and record it."),
        ("resume", "runs", "Continue a run: after a crash, an outage or Ctrl-C, or past its end."),
        ("fork", "fork", "Continue a run from any moment with something changed: what if?"),
        ("import-memories", "memories", "Take people's memories from a run into another."),
        ("doctor", "doctor", "Check this machine and the model, and print what to do."),
    ),
    "Look at a run": (
        ("demo", "view", "Open a run that comes with the package in the browser."),
        ("view", "view", "Open a run in the browser: map, story, people, costs."),
        ("show", "show", "Print what happened, event by event or as a story."),
        ("interview", "interview", "Ask people of a run anything, at any moment of it."),
        ("film", "film", "Make a film or a picture of a run: GIF, MP4 or PNG."),
        (
            "export",
            "export",
            "Write a run as a web page, as JSON Lines, or as chats for training.",
        ),
        ("prompts", "show", "Show the contents of prompts, and what was cut from them."),
        ("hash", "checks", "Print the canonical hash of a run; equal runs have equal hashes."),
        ("verify", "checks", "Check run files for damage, table by table."),
    ),
    "Study many runs": (
        ("report", "report", "Summarize a run, several runs or a sweep."),
        ("compare", "compare", "Run the same hours with several policies; print a table."),
        ("sweep", "sweep", "Run an experiment and write its report."),
        ("judge", "judge", "Let a model, or people, judge, rate or compare answers."),
    ),
    "Make your own": (
        ("new", "new", "Make a scenario to edit."),
        ("new-policy", "new", "Make a policy to edit."),
        ("validate", "checks", "Check a scenario for faults."),
        ("list", "lists", "List scenarios, policies, tasks, measures or scenario keys."),
        ("map", "maps", "Draw a map, or import one from elsewhere."),
    ),
}
_QUIET = ("--quiet", "-q")
EXIT_CODES = {
    0: "done",
    1: "some runs of a sweep failed, or a verified file is damaged",
    2: "a mistake in the request",
    3: "a limit is reached",
    4: "finished, but degraded: a policy failed, or too many model calls had no usable reply",
    70: "a fault of the program; a crash report is written",
    73: "the run file is being written by another process",
    75: "the model gives no usable answers: resume later",
    130: "interrupted",
}


class _LazyCommand(TyperCommand):
    """A command that knows its summary, and is imported once it is called."""

    def __init__(self, name: str, module: str, summary: str, panel: str) -> None:
        super().__init__(name, help=summary, rich_help_panel=panel)
        self._name, self._module = name, module

    def load(self) -> Any:
        """Import the command, and return it."""
        module = import_module(f"genagents_env.cli.{self._module}")
        command = typer.main.get_group(module.app).commands[self._name]
        for one in (command, *getattr(command, "commands", {}).values()):
            one.help = _join_lines(one.help or "")
        return command

    def make_context(self, *given: Any, **more: Any) -> Any:
        """Return the context of the imported command."""
        return self.load().make_context(*given, **more)


def _join_lines(text: str) -> str:
    """Return paragraphs without the ends of lines that the source has: a terminal wraps anew."""
    return "\n\n".join(part.replace("\n", " ") for part in text.split("\n\n"))


class _Commands(TyperGroup):
    """All commands of the table."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        for panel, rows in COMMANDS.items():
            for name, module, summary in rows:
                self.add_command(_LazyCommand(name, module, summary, panel))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take --quiet from wherever it stands: every command knows it."""
        rest = [arg for arg in args if arg not in _QUIET]
        return super().parse_args(ctx, rest if len(rest) == len(args) else [_QUIET[0], *rest])


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="A town of generative agents: run it, look at it, study it.\n\n"
    "Begin with: genagents run tiny; with a scenario of your own: genagents new my_town; with a "
    "study: genagents sweep examples/studies/gossip.toml",
    epilog="\n".join(["Exit codes", *(f"{code:>5}  {text}" for code, text in EXIT_CODES.items())]),
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from genagents_env import __version__

        typer.echo(f"genagents-env {__version__}")
        raise typer.Exit


@app.callback()
def show_version(
    context: typer.Context,
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
            help="Log events of the program on stderr; -vv also every model call. Or set "
            "GENAGENTS_LOG to debug, info, warning or error.",
        ),
    ] = 0,
    quiet: Annotated[
        bool,
        typer.Option(*_QUIET, help="Show no progress and no transcript, only results."),
    ] = False,
) -> None:
    """Take the options that stand before a command."""
    start_logging(verbose)
    set_quiet(quiet)
    context.call_on_close(partial(set_quiet, False))


def main() -> None:
    """Run the command line; exits with one of `EXIT_CODES`."""
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
        code, text = _explain_ending(error)
        warn(_redact(text))
        sys.exit(code)


def _explain_ending(error: Exception) -> tuple[int, str]:
    """Return the exit code of a command that ended with `error`, and the sentence about it."""
    if isinstance(error, OSError | FileError | RecordError) and not _has_folder():
        gone = "the current folder does not exist any more; go to another (cd ~)"
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
    return 70, f"unexpected {type(error).__name__}; {path} has the traceback, with keys left out"


def _has_folder() -> bool:
    """Return True if the current folder still exists."""
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
