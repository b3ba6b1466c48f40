"""A morning of a model that writes as much as a large one does: no prompt loses what matters."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader
from genagents_env.record.rows import CallRow
from genagents_env.run import PolicySpec, RunOptions, run
from tests.policies.smallville.verbose import reply_at_length
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
