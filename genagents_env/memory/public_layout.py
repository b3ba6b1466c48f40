"""The memories of a person in the layout of the public generative_agents code.

A folder has `bootstrap_memory` with `scratch.json` and, in `associative_memory`, `nodes.json` and
`embeddings.json`. Last accesses are not saved there, so the time of making stands for them; the
lines of conversations are dropped.
Source: github.com/joonspk-research/generative_agents, `associative_memory.py` and `scratch.py`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import numpy as np
from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
)

from genagents_env.errors import FileError
from genagents_env.files import parse_json, read_text
from genagents_env.memory.columns import unit_rows
from genagents_env.memory.vector_file import TextVectors
from genagents_env.scenario.schema import Past, PastMemory
from genagents_env.text import clean

T = TypeVar("T")

MODEL = "text-embedding-ada-002"  # of the public code
_LIMIT = 1 << 30  # bytes of a file; a vector takes 34 kB as text
_NODE_TIME, _SCRATCH_TIME = "%Y-%m-%d %H:%M:%S", "%B %d, %Y, %H:%M:%S"
_TEXT, _SHORT = 4000, 300
_LOWEST, _HIGHEST = 1.0, 10.0


def _parse_time(layout: str) -> BeforeValidator:
    def parse(value: object) -> object:
        return datetime.strptime(value, layout) if isinstance(value, str) else value  # noqa: DTZ007

    return BeforeValidator(parse)


NodeTime = Annotated[datetime, _parse_time(_NODE_TIME)]
ScratchTime = Annotated[datetime, _parse_time(_SCRATCH_TIME)]


class PublicNode(BaseModel):
    """An entry of `nodes.json`. `filling`: of a thought the ids of its evidence."""

    node_count: int
    type: Literal["event", "thought", "chat"]
    created: NodeTime
    expiration: NodeTime | None = None
    subject: str
    predicate: str
    target: Annotated[str, Field(alias="object")]
    description: str
    embedding_key: str
    poignancy: float
    filling: JsonValue = None


class PublicScratch(BaseModel):
    """The fields of `scratch.json` that are read."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    curr_time: ScratchTime | None = None
    currently: str | None = None
    daily_plan_req: str | None = None


_NODES = TypeAdapter(dict[str, PublicNode])
_EMBEDDINGS = TypeAdapter(dict[str, list[float]])


def read_public_person(folder: Path) -> tuple[str, Past, TextVectors]:
    """Return the name of the person in `folder`, the past, and the vectors of its memories.

    Raises:
        FileError: a file is missing, too large, or not as the public code writes it.
    """
    inner = folder / "bootstrap_memory"
    root = inner if inner.is_dir() else folder
    scratch = _read(root / "scratch.json", TypeAdapter(PublicScratch))
    memory = root / "associative_memory"
    nodes = _read(memory / "nodes.json", _NODES)
    embeddings = _read(memory / "embeddings.json", _EMBEDDINGS)
    order = sorted(nodes, key=lambda id_: nodes[id_].node_count)
    made = [nodes[id_] for id_ in order]
    until = max([node.created for node in made] + [scratch.curr_time or datetime.min])  # noqa: DTZ901
    if until == datetime.min:  # noqa: DTZ901
        raise FileError(f"{root}: there are no memories and no `curr_time` yet")
    name = clean(scratch.name, 60)
    past = Past(
        until=until,
        source=clean(f"the public layout, {folder.name}", _SHORT),
        memories=tuple(_make_memories(order, nodes)),
        status=clean(scratch.currently or "", _TEXT),
        requirements=tuple(filter(None, [clean(scratch.daily_plan_req or "", _TEXT)])),
        people=tuple(dict.fromkeys(_list_partners(made, name))),
        talks=_find_talks(made, name),
    )
    return name, past, _collect_vectors(made, embeddings, root)


def find_public_people(folder: Path) -> list[Path]:
    """Return the folders of people: `folder` itself, or those in it."""
    if (folder / "bootstrap_memory").is_dir() or (folder / "scratch.json").is_file():
        return [folder]
    return sorted(path for path in folder.iterdir() if (path / "bootstrap_memory").is_dir())


def _make_memories(order: Sequence[str], nodes: Mapping[str, PublicNode]) -> list[PastMemory]:
    place = {id_: number for number, id_ in enumerate(order)}
    return [
        PastMemory(
            time=node.created,
            kind=node.type,
            text=clean(node.description, _TEXT),
            importance=min(_HIGHEST, max(_LOWEST, node.poignancy)),
            expires=node.expiration,
            about=tuple(clean(part, _SHORT) for part in _list_about(node)),
            evidence=tuple(_find_evidence(node, number, place)),
            cause=_find_cause(node),
        )
        for number, node in enumerate(nodes[id_] for id_ in order)
    ]


def _find_cause(node: PublicNode) -> str:
    """Return the cause of a node: a thought is a reflection or a plan."""
    if node.type != "thought":
        return ""
    plans = node.predicate == "plan" or "planning:" in node.description.casefold()
    return "plan" if plans else "reflect"


def _list_about(node: PublicNode) -> tuple[str, str, str]:
    # Objects have their whole address there; the last part is the object.
    return (node.subject.split(":")[-1], node.predicate, node.target.split(":")[-1])


def _find_evidence(node: PublicNode, number: int, place: Mapping[str, int]) -> list[int]:
    """Return the earlier memories that a node names as evidence."""
    named = node.filling if isinstance(node.filling, list) and node.type != "chat" else []
    known = {place[id_] for id_ in named if isinstance(id_, str) and id_ in place}
    return sorted(other for other in known if other < number)


def _find_talks(nodes: Sequence[PublicNode], name: str) -> dict[str, datetime]:
    chats = [node for node in nodes if node.type == "chat"]
    return {other: node.created for node in chats for other in _list_partners([node], name)}


def _list_partners(nodes: Sequence[PublicNode], name: str) -> list[str]:
    names = [clean(part, 60) for n in nodes if n.type == "chat" for part in (n.subject, n.target)]
    return [other for other in names if other and other != name and "/" not in other]


def _collect_vectors(
    nodes: Sequence[PublicNode], embeddings: Mapping[str, Sequence[float]], root: Path
) -> TextVectors:
    """Return the vectors by text; in the file they are keyed by the text or an inner part."""
    keys = {clean(node.description, _TEXT): node.embedding_key for node in nodes}
    known = {text: embeddings[key] for text, key in keys.items() if key in embeddings}
    if not known:
        return TextVectors(MODEL)
    try:
        rows = unit_rows(np.asarray(list(known.values()), dtype=np.float32)).astype("<f2")
    except ValueError as error:
        raise FileError(f"{root}: its embeddings are damaged: {error}") from None
    return TextVectors(MODEL, {text: row.tobytes() for text, row in zip(known, rows, strict=True)})


def _read(path: Path, adapter: TypeAdapter[T]) -> T:
    text = read_text(path, _LIMIT)
    try:
        return adapter.validate_python(parse_json(text))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise FileError(f"{path}: {where}: {first['msg']}"[:300]) from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path} cannot be read: it is no JSON ({error})"[:300]) from None
