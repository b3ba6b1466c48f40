"""`genagents import-memories`: what people of one run remember, for another run to begin with."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from genagents_env.cli.options import At, Trust, parse_trust
from genagents_env.cli.progress import show_progress
from genagents_env.cli.screen import say
from genagents_env.errors import ConfigError
from genagents_env.files import find_inside
from genagents_env.memory.public_layout import MODEL, find_public_people, read_public_person
from genagents_env.memory.vector_file import TextVectors, write_vectors
from genagents_env.name_search import find_person
from genagents_env.record import RunReader
from genagents_env.record.town_times import find_tick
from genagents_env.run import RunOptions
from genagents_env.run.past import VECTORS, collect_run_pasts
from genagents_env.scenario.past import write_pasts
from genagents_env.scenario.schema import Past

app = typer.Typer()


@app.command()
def import_memories(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN|FOLDER...",
            help="A run file; or folders of people of the public generative_agents code, each "
            "with a bootstrap_memory.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder to write; created if missing.")],
    agent: Annotated[
        list[str] | None,
        typer.Option(help="A person; may be repeated. Else everyone with memories."),
    ] = None,
    at: At = None,
    trust: Trust = None,
) -> None:
    """Write the memories, traits and plans of people, for another run to begin with.

    A run is replayed up to its end, or `--at`, with the stored replies; no model is called. The
    folder gets a file for each person, and the embeddings of all texts.

    Example: genagents import-memories first.sqlite --out memories; then
    genagents run valentines_party --policy smallville --memories memories --start 2023-02-14T16:00
    """
    if all(source.is_dir() for source in sources):
        if at is not None:
            raise ConfigError("--at: only of a run; the public layout is of one moment")
        pasts, vectors = _read_folders(sources, agent or ())
    elif len(sources) == 1:
        with show_progress(quiet=not sys.stderr.isatty()) as watch:
            options = RunOptions(**parse_trust(trust), watch=watch)
            pasts, vectors = _collect(sources[0], agent or (), at, options)
    else:
        raise ConfigError("name one run file, or folders of people; not both")
    write_pasts(out, pasts)
    if vectors.vectors:
        write_vectors(find_inside(out, VECTORS), vectors)
    for name, past in pasts.items():
        say(f"{name}: {len(past.memories):,} memories of up to {past.until:%a %d %b %Y %H:%M}")
    kept = f"; {len(vectors.vectors):,} vectors by {vectors.model}" if vectors.vectors else ""
    say(f"{out}: {len(pasts)} people{kept}")


def _read_folders(
    folders: Sequence[Path], agents: Sequence[str]
) -> tuple[dict[str, Past], TextVectors]:
    pasts: dict[str, Past] = {}
    vectors: dict[str, Mapping[str, bytes]] = {}
    for folder in folders:
        people = find_public_people(folder)
        if not people:
            raise ConfigError(f"{folder}: no person in it; one has a folder `bootstrap_memory`")
        for person in people:
            name, past, more = read_public_person(person)
            if name in pasts:
                raise ConfigError(f"{person}: a second folder of {name}")
            pasts[name], vectors[name] = past, more.vectors
    whom = dict.fromkeys(find_person(name, pasts) for name in agents) or pasts
    chosen = {text: vector for name in whom for text, vector in vectors[name].items()}
    return {name: pasts[name] for name in pasts if name in whom}, TextVectors(MODEL, chosen)


def _collect(
    path: Path, agent: Sequence[str], at: str | None, options: RunOptions
) -> tuple[dict[str, Past], TextVectors]:
    with RunReader(path) as record:
        tick = None if at is None else find_tick(record, at, "--at")
    return collect_run_pasts(path, agent, tick, options)
