"""Reading memories in the public layout, from synthetic folders of that form."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genagents_env.errors import FileError
from genagents_env.memory.public_layout import MODEL, find_public_people, read_public_person
from genagents_env.memory.vector_file import TextVectors, read_vectors, write_vectors

WIDTH = 1536


def make_node(number: int, kind: str, time: str, about: str, **more: Any) -> dict[str, Any]:
    """Return a node; `about` is subject, predicate and object, parted by bars."""
    subject, predicate, object_ = about.split("|")
    node = {
        **{"node_count": number, "type": kind, "depth": 0, "created": f"2023-02-13 {time}"},
        **{"expiration": None, "subject": subject, "predicate": predicate, "object": object_},
        **{"poignancy": 4, "filling": [], **more},
    }
    return {f"node_{number}": {**node, "embedding_key": node["description"]}}


TALK = "Ada Brook|chat with|Ben Carver"
NODES = {  # written newest first, as the public code does
    **make_node(
        4, "thought", "09:30:00", "Ada Brook|likes|tea", depth=1, poignancy=6,
        expiration="2023-03-15 09:30:00", description="Ada Brook likes tea",
        filling=["node_1", "node_3", "node_9"],
    ),
    **make_node(
        3, "event", "09:20:00", TALK, description="talking about tea", filling=["node_2"]
    ),
    **make_node(
        2, "chat", "09:20:00", TALK, description="conversing about tea",
        filling=[["Ada Brook", "Tea?"], ["Ben Carver", "Please."]],
    ),
    **make_node(
        1, "event", "09:00:10", "the Ville:cottage:kitchen:kettle|is|idle", poignancy=1,
        description="kettle is idle",
    ),
}  # fmt: skip
SCRATCH = {
    "name": "Ada Brook",
    "curr_time": "February 13, 2023, 10:00:00",
    "currently": "Ada Brook is writing a cookbook",
    "daily_plan_req": "Ada Brook cooks at noon",
    "vision_r": 8,
}


def write_person(parent: Path, folder: str = "Ada Brook", **scratch: object) -> Path:
    memory = parent / folder / "bootstrap_memory" / "associative_memory"
    memory.mkdir(parents=True)
    nodes = {id_: {"node_id": id_, **node} for id_, node in NODES.items()}
    rng = np.random.default_rng(1)
    vectors = {node["embedding_key"]: rng.normal(size=WIDTH).tolist() for node in NODES.values()}
    (memory / "nodes.json").write_text(json.dumps(nodes))
    (memory / "embeddings.json").write_text(json.dumps(vectors))
    (memory.parent / "scratch.json").write_text(json.dumps(SCRATCH | scratch))
    return parent / folder


def test_every_node_becomes_a_memory_in_the_order_of_its_making(tmp_path: Path) -> None:
    name, past, _ = read_public_person(write_person(tmp_path))
    assert (name, past.until) == ("Ada Brook", datetime(2023, 2, 13, 10))  # noqa: DTZ001
    assert [(memory.kind, memory.text, memory.importance) for memory in past.memories] == [
        ("event", "kettle is idle", 1.0),
        ("chat", "conversing about tea", 4.0),
        ("event", "talking about tea", 4.0),
        ("thought", "Ada Brook likes tea", 6.0),
    ]
    first, chat, event, thought = past.memories
    assert first.about == ("kettle", "is", "idle")
    assert (chat.evidence, event.evidence, thought.evidence) == ((), (1,), (0, 2))
    assert thought.expires == datetime(2023, 3, 15, 9, 30)  # noqa: DTZ001
    assert first.time == datetime(2023, 2, 13, 9, 0, 10)  # noqa: DTZ001
    assert {memory.accessed for memory in past.memories} == {None}  # not saved in that layout
    assert past.status == "Ada Brook is writing a cookbook"
    assert past.requirements == ("Ada Brook cooks at noon",)
    assert past.talks == {"Ben Carver": chat.time}


def test_vectors_are_kept_by_text(tmp_path: Path) -> None:
    folder = write_person(tmp_path)
    _, past, kept = read_public_person(folder)
    assert kept.model == MODEL
    assert list(kept.vectors) == [memory.text for memory in past.memories]
    file = folder / "bootstrap_memory/associative_memory/embeddings.json"
    for text, given in json.loads(file.read_text()).items():
        row = np.frombuffer(kept.vectors[text], dtype="<f2")
        assert row == pytest.approx(np.asarray(given) / np.linalg.norm(given), abs=1e-3)


def test_a_folder_of_people_is_found_as_one_person_is(tmp_path: Path) -> None:
    for name in ("Ada Brook", "Ben Carver"):
        write_person(tmp_path, name, name=name)
    assert [folder.name for folder in find_public_people(tmp_path)] == ["Ada Brook", "Ben Carver"]
    assert find_public_people(tmp_path / "Ada Brook") == [tmp_path / "Ada Brook"]
    inner = tmp_path / "Ada Brook" / "bootstrap_memory"
    assert find_public_people(inner) == [inner]


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("associative_memory/nodes.json", "[]", "valid dictionary"),
        ("associative_memory/nodes.json", '{"node_1": {"type": "dream"}}', "node_1"),
        (
            "associative_memory/embeddings.json",
            '{"kettle is idle": [0, 0]}',
            "embeddings are damaged",
        ),
        ("associative_memory/embeddings.json", "{", "no JSON"),
        ("scratch.json", '{"name": ""}', "name"),
        ("scratch.json", "[" * 100_000, "scratch.json"),
    ],
)
def test_a_broken_folder_is_refused_by_its_file(
    tmp_path: Path, file: str, text: str, says: str
) -> None:
    folder = write_person(tmp_path)
    (folder / "bootstrap_memory" / file).write_text(text)
    with pytest.raises(FileError, match=says):
        read_public_person(folder)


def test_a_folder_without_memories_and_time_is_refused(tmp_path: Path) -> None:
    folder = write_person(tmp_path, curr_time=None)
    (folder / "bootstrap_memory/associative_memory/nodes.json").write_text("{}")
    with pytest.raises(FileError, match="there are no memories and no"):
        read_public_person(folder)


def test_vectors_are_read_bit_for_bit(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(2, 384)).astype("<f2")
    kept = TextVectors("minilm", {"one": rows[0].tobytes(), "zwei 🍵": rows[1].tobytes()})
    write_vectors(tmp_path / "v.npz", kept)
    assert read_vectors(tmp_path / "v.npz") == kept
    write_vectors(tmp_path / "none.npz", TextVectors("minilm"))
    assert read_vectors(tmp_path / "none.npz") == TextVectors("minilm")


def test_a_file_without_vectors_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    path.write_bytes(b"no archive")
    with pytest.raises(FileError, match="no vectors of texts"):
        read_vectors(path)
    np.savez(path, names=np.frombuffer(b'{"model": "m", "texts": ["a"]}', dtype=np.uint8))
    with pytest.raises(FileError, match="no vectors of texts"):
        read_vectors(path)
    write_vectors(path, TextVectors("m", {"a": np.zeros(4, dtype="<f2").tobytes()}))
    with pytest.raises(FileError, match="its vectors are damaged"):
        read_vectors(path)
