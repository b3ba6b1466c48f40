"""`genagents export`: a run in another form: its page, JSON Lines, or chats to learn from."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from genagents_env.cli.options import Trust, parse_trust
from genagents_env.cli.progress import show_count
from genagents_env.cli.screen import say
from genagents_env.errors import ConfigError
from genagents_env.record import RunReader
from genagents_env.record import export as write_lines
from genagents_env.run import RunOptions
from genagents_env.show.view.single_file import write_single_file
from genagents_env.train.language.chat_export import export_chats

ExportFormat: TypeAlias = Literal["html", "jsonl", "chat"]
_PAGES = (".html", ".htm")
app = typer.Typer()


@app.command()
def export(
    run_files: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN... [OUT]",
            help="The run file; for chats several, or the folder of a sweep. A last argument that "
            "ends in .html is the page to write.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="An .html file to write, or a folder, created if missing.")
    ] = None,
    form: Annotated[
        ExportFormat | None,
        typer.Option("--format", help="By default html for an .html file, else jsonl."),
    ] = None,
    best: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="For chats: keep this many episodes of each agent, those of the highest return.",
        ),
    ] = None,
    success: Annotated[
        bool,
        typer.Option("--success", help="For chats: keep only episodes in which the task was done."),
    ] = False,
    trust: Trust = None,
) -> None:
    """Write a run as a web page in one file, its record as JSON Lines, or chats to learn from.

    Example: genagents export run.sqlite run.html
    """
    if out is None and len(run_files) > 1 and run_files[-1].suffix in _PAGES:
        *run_files, out = run_files
    if out is None:
        raise ConfigError("where to? Name a file, such as run.html, or a folder by --out")
    form = form or ("html" if out.suffix in _PAGES else "jsonl")
    if form == "chat":
        _export_chats(run_files, out, best, success, trust)
        return
    if len(run_files) > 1 or best is not None or success or trust:
        raise ConfigError("several runs, --best, --success and --trust go with --format chat")

    with RunReader(run_files[0]) as record:
        if form == "jsonl":
            for path in write_lines(record, out):
                say(str(path))
            return

        with show_count("writing") as watch:
            path = write_single_file(record, out, watch)
    say(f"{path}  ({path.stat().st_size / 1e6:.1f} MB; opens by double click)")


def _export_chats(
    paths: list[Path], out: Path, best: int | None, success: bool, trust: list[str] | None
) -> None:
    files = [file for path in paths for file in _find_runs(path)]
    options = RunOptions(**parse_trust(trust))
    path = export_chats(files, out, best=best, success=success, options=options)
    say(str(path))
    if not path.stat().st_size:
        say("it is empty: no model was asked" + (", or nothing was done" if success else ""))


def _find_runs(path: Path) -> list[Path]:
    """Return a run file, or the run files of a folder, a sweep's or any other."""
    if not path.is_dir():
        return [path]
    folder = path / "runs" if (path / "runs").is_dir() else path
    run_files = sorted(folder.glob("*.sqlite"))
    if not run_files:
        raise ConfigError(f"{folder}: there are no run files (*.sqlite) in it")
    return run_files
