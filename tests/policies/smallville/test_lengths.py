"""A morning of a model that writes as much as a large one does: no prompt loses what matters."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import ScriptedEndpoint, sample_schema
from genagents_env.record import RunReader
from genagents_env.record.rows import CallRow
from genagents_env.run import PolicySpec, RunOptions, run
from tests.policies.percepts import Value
from tests.run.towns import FOUR, make_spec

HOURS = 2
FENCE = re.compile(r"<<<DATA (\S*)\n(.*?)\n?\1 END>>>", re.DOTALL)
# What the faculties need besides date, clock and place, by the heads of their lines.
NEEDS = {
    "plan.hours": ("these days", "today"),
    "plan.pieces": ("these days",),
    "react.decide": ("these days", "here with you", "you are"),
    "converse.speak": ("these days", "here with you"),
    "converse.memo": ("these days",),
    "reflect.questions": ("these days",),
    "reflect.insights": ("these days", "question"),
    "interview": ("these days", "question"),
}
AWAKE = ("converse.", "react.", "ground.", "plan.pieces")

AIMLESS = ("ground.", "perceive.", "converse.relate")  # what one is up to has no part in these


# Characters of a field for words that holds at least so many. In the recorded day of Park et al.'s
# public code 39 % of activities have over 60 characters and a thought has 100 to 250.
_LENGTHS = ((450, 300), (350, 220), (150, 90))
_MORE = (
    "It is worth a thought that somebody from the other side of town came by this morning.",
    "Nobody had asked about the garlands before the bell of the cafe rang twice.",
    "By the evening all of it will be told once more at the counter, with coffee and a smile.",
    "The books on the table by the window are still where they were left on Sunday.",
)


def reply_at_length(request: CompletionRequest) -> str:
    """Return a reply that fits the schema, whose texts are as long as those of a large model."""
    reply = json.loads(sample_schema(request))
    return json.dumps(_lengthen(reply, request.schema or {}, request.schema or {}, request.seed))


def _lengthen(value: Value, schema: Value, root: Value, seed: int) -> Value:
    part = _resolve(schema, root)
    if isinstance(value, dict):
        fields = part.get("properties", {})
        return {
            key: _lengthen(inner, fields.get(key, {}), root, seed + k)
            for k, (key, inner) in enumerate(value.items())
        }
    if isinstance(value, list):
        return [
            _lengthen(inner, part.get("items", {}), root, seed + k) for k, inner in enumerate(value)
        ]
    if isinstance(value, str) and "maxLength" in part and "enum" not in part:
        return _write(value, int(part["maxLength"]), seed)
    return value


def _write(text: str, most: int, seed: int) -> str:
    goal = next((length for least, length in _LENGTHS if most >= least), 0)
    told = f"{text[:1].upper()}{text[1:]}."
    for k in range(len(_MORE)):
        more = _MORE[(seed + k) % len(_MORE)]
        if len(told) >= goal or len(told) + len(more) >= most:
            break
        told = f"{told} {more}"
    return told if goal else text


def _resolve(schema: Value, root: Value) -> dict[str, Value]:
    while isinstance(schema, dict) and "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        schema = root["$defs"][name] if isinstance(root, dict) else {}
    if isinstance(schema, dict) and "anyOf" in schema:
        options = schema["anyOf"]
        texts = [one for one in options if isinstance(one, dict) and "maxLength" in one]
        return texts[0] if texts else {}
    return schema if isinstance(schema, dict) else {}


class SmallEndpoint(ScriptedEndpoint):
    """A model that says of itself that it is a small one."""

    small = True
    context_tokens: int | None = 2048


def list_heads(row: CallRow) -> Counter[str]:
    """Return how many lines of a prompt's data begin with each head; memories are `#`."""
    fenced = FENCE.search(json.loads(row.messages)[1]["content"])
    assert fenced is not None
    lines = [json.loads(line) for line in fenced[2].splitlines()]
    return Counter("#" if line[0].startswith("#") else line[0] for line in lines)


def live(path: Path, endpoint: ScriptedEndpoint) -> list[CallRow]:
    spec = make_spec(
        "valentines_party",
        HOURS * 360,
        people=FOUR[:3],
        start="12:00",
        place="Hobbs Cafe/cafe",
        policy=PolicySpec("smallville"),
        seed=1,
    )
    run(spec, path, RunOptions(endpoint=endpoint, embedder="hashed"))
    with RunReader(path) as reader:
        rows = list(reader.calls())
        assert [note for note in reader.notes() if note.kind == "cut"] == [] or isinstance(
            endpoint, SmallEndpoint
        )
    return rows


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[CallRow]:
    endpoint = ScriptedEndpoint(reply_at_length, "verbose")
    return live(tmp_path_factory.mktemp("long") / "run.sqlite", endpoint)


def test_nothing_is_cut_and_no_reply_is_too_long(rows: list[CallRow]) -> None:
    assert {row.purpose for row in rows} >= set(NEEDS) - {"reflect.questions", "reflect.insights"}
    assert all(row.outcome == "reply" and not row.truncated for row in rows)
    longest = max(len(row.reply) for row in rows if row.purpose == "plan.hours")
    assert longest > 15 * 60


def test_date_place_company_goal_and_plan_stand_in_every_prompt(rows: list[CallRow]) -> None:
    for row in rows:
        heads = list_heads(row)
        assert heads["now"] == 1, row.purpose
        assert heads["you are at"] == 1 or row.purpose == "interview"
        missing = [head for head in NEEDS.get(row.purpose, ()) if not heads[head]]
        assert missing == [], row.purpose
        if row.purpose.startswith(AWAKE):
            assert heads["here with you"] >= 1 or heads["you are"] >= 1, row.purpose


def test_replies_rest_on_many_memories(rows: list[CallRow]) -> None:
    said = [list_heads(row)["#"] for row in rows if row.purpose == "converse.speak"]
    assert said
    assert min(said) >= 15


def test_a_small_model_is_told_date_place_and_goal_in_every_prompt(tmp_path: Path) -> None:
    rows = live(tmp_path / "run.sqlite", SmallEndpoint(model="small"))
    for row in rows:
        heads = list_heads(row)
        assert heads["now"] == 1, row.purpose
        assert heads["you are at"] == 1 or row.purpose == "interview", row.purpose
        goal = heads["these days"] or heads["your goal"]
        assert goal or row.purpose.startswith(AIMLESS), row.purpose
