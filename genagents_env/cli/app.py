"""Wires the commands together and turns errors into one line and an exit code."""

import os
import sys

import typer

from genagents_env.cli import interviews, judge, lists, look, rate, report, runs, sweep
from genagents_env.cli.crash import write_crash_report
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


def main() -> None:
    """Run the command line; exits with the codes that `genagents --help` tells."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without emoji shows a mark instead
    try:
        app()
    except GenagentsError as error:
        say(f"genagents: {_redacted(str(error))}", error=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # Whoever read our output has enough; the interpreter must not complain at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    # The last line of defence: a bug becomes a report without keys, not a wall of text with them.
    except Exception as error:
        path = write_crash_report(error)
        kind = type(error).__name__
        say(f"genagents: unexpected {kind}; {path} tells where, with keys left out", error=True)
        sys.exit(70)


def _redacted(text: str) -> str:
    from genagents_env.llm.redact import redact_environment

    return redact_environment(text)
