"""What the page is given is what protocol.ts says, and what is recorded."""

import base64
import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import genagents_env
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.scenario.town import lay_out
from genagents_env.show.render.ground import find_walls
from genagents_env.show.view.head import RunView
from genagents_env.show.view.resources import (
    UnknownResource,
    encode_json,
    list_keys,
    make_resource,
    parse_key,
)
from genagents_env.show.view.timeline import PART

PROTOCOL = Path(genagents_env.__file__).parent / "show" / "view" / "web" / "src" / "protocol.ts"


@cache
def read_interfaces() -> dict[str, tuple[str, ...]]:
    text = PROTOCOL.read_text("utf-8")
    found = re.findall(r"^export interface (\w+) \{(.*?)^\}", text, re.M | re.S)
    return {name: tuple(re.findall(r"^  (\w+)\??: ", body, re.M)) for name, body in found}


def read_part() -> int:
    found = re.search(r"^export const PART = (\d+);", PROTOCOL.read_text("utf-8"), re.M)
    assert found is not None
    return int(found[1])


def check_keys(value: object, interface: str) -> None:
    """Fail unless a JSON object has the keys of an interface, all and no other."""
    assert isinstance(value, dict)
    assert sorted(value) == sorted(read_interfaces()[interface])


def get(path: Path, name: str) -> JSON:
    return json.loads(get_bytes(path, name))


def get_bytes(path: Path, name: str) -> bytes:
    with RunReader(path) as run:
        return make_resource(RunView(run), parse_key(name))


def test_a_part_has_as_many_ticks_here_as_there() -> None:
    assert read_part() == PART


def test_the_head_lists_the_people(short_run: Path) -> None:
    head = get(short_run, "head")
    check_keys(head, "Head")
    check_keys(head["status"], "Status")
    check_keys(head["people"][0], "Person")
    check_keys(head["facts"][0], "Fact")
    with RunReader(short_run) as run:
        assert tuple(person["name"] for person in head["people"]) == run.meta.names
        facts = run.meta.scenario.facts
        for person in head["people"]:
            assert [facts[k].id for k in person["knows"]] == [
                fact.id for fact in facts if person["name"] in fact.known_by
            ]
    assert any(person["knows"] for person in head["people"])
    assert head["status"] == get(short_run, "status")


def test_the_status_counts_what_is_recorded(short_run: Path) -> None:
    with RunReader(short_run) as run:
        expected = {
            "state": "finished",
            "lastTick": 40,
            "events": len(list(run.events())),
            "calls": len(list(run.calls())),
            "revision": 0,
        }
    assert get(short_run, "status") == expected
    assert expected["calls"]
    assert expected["events"]


def test_the_town_is_the_ground_of_pictures(short_run: Path) -> None:
    town = get(short_run, "town")
    check_keys(town, "Town")
    check_keys(town["objects"][0], "TownObject")
    with RunReader(short_run) as run:
        plan = lay_out(run.meta.scenario)
    shape = (town["height"], town["width"])
    arena = np.frombuffer(base64.b64decode(town["arena"]), "<u2").reshape(shape)
    blocked = np.frombuffer(base64.b64decode(town["blocked"]), np.uint8).reshape(shape)
    assert np.array_equal(arena, plan.arena)
    assert np.array_equal(blocked > 0, plan.blocked)
    assert np.array_equal(blocked == 2, find_walls(plan))
    assert [one["id"] for one in town["arenas"]] == [
        plan.arena_id(k) for k in range(len(plan.arenas))
    ]
    assert [one["id"] for one in town["objects"]] == [
        plan.object_id(k) for k in range(len(plan.objects))
    ]
    assert len({one["color"] for one in town["arenas"]}) > 1


def test_ticks_events_and_calls_are_those_recorded(short_run: Path) -> None:
    at = np.frombuffer(get_bytes(short_run, "ticks/0"), "<i2")
    events, calls = get(short_run, "events/0"), get(short_run, "calls/0")
    check_keys(events, "Events")
    check_keys(calls, "Calls")
    check_keys(calls["calls"][0], "CallRow")
    with RunReader(short_run) as run:
        names = run.meta.names
        where = np.stack([positions for _, positions in run.ticks()])
        assert np.array_equal(at.reshape(41, len(names), 2), where)
        assert events["events"] == [
            [e.id, e.tick, e.kind, -1 if e.agent is None else names.index(e.agent), dict(e.data)]
            for e in run.events()
        ]
        recorded = sorted(run.calls(), key=lambda c: (c.tick, c.agent, c.purpose, c.number))
    assert [(names[c["agent"]], c["tick"], c["purpose"], c["number"]) for c in calls["calls"]] == [
        (c.agent, c.tick, c.purpose, c.number) for c in recorded
    ]


def test_prompts_are_those_of_the_agents_calls(short_run: Path) -> None:
    prompts = get(short_run, "prompts/1/0")
    check_keys(prompts, "Prompts")
    with RunReader(short_run) as run:
        name = run.meta.names[1]
        recorded = [(call, texts) for call, texts in run.prompts() if call.agent == name]
    assert [(p["tick"], p["purpose"], p["number"], p["reply"]) for p in prompts["prompts"]] == [
        (call.tick, call.purpose, call.number, call.reply) for call, _ in recorded
    ]
    assert [p["messages"] for p in prompts["prompts"]] == [
        [{"role": text.role, "content": text.content} for text in texts] for _, texts in recorded
    ]
    assert recorded


def test_the_story_and_what_a_mind_holds_have_the_form_agreed_on(short_run: Path) -> None:
    story, mind = get(short_run, "story"), get(short_run, "person/0")
    check_keys(story, "Story")
    check_keys(story["scenes"][0], "Scene")
    check_keys(story["scenes"][0]["lines"][0], "SceneLine")
    check_keys(get(short_run, "gatherings"), "Gatherings")
    check_keys(get(short_run, "notices"), "Notices")
    check_keys(mind, "Mind")
    check_keys(get(short_run, "why/0/20"), "Why")
    check_keys(get(short_run, "percept/0/20"), "Percept")
    check_keys(get(short_run, "whys/0"), "Whys")


def test_all_that_is_listed_can_be_made(short_run: Path) -> None:
    with RunReader(short_run) as run:
        keys = list(list_keys(run))
        assert {str(key) for key in keys} >= {"head", "status", "town", "ticks/0", "prompts/0/0"}
        assert not any(key.resource == "why" for key in keys)
        for key in keys:
            assert parse_key(str(key)) == key
            make_resource(RunView(run), key)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b\x00\x7f\x85\x9b\u202e\u2028\u2066\u061c\ufeff", "a" + 10 * "\ufffd"),
        ('line\nand\ttab "\\ é … \u05d0 😀', 'line\nand\ttab "\\ é … \u05d0 😀'),
        ("\ud83d \ude00", "\ufffd \ufffd"),
        ("\\u202e \\ud83d\ude00 \\\\u0000", "\\u202e \\ud83d\ufffd \\\\u0000"),
    ],
)
def test_what_nobody_sees_is_shown_by_a_sign(text: str, shown: str) -> None:
    assert json.loads(encode_json({text: [text]})) == {shown: [shown]}


@pytest.mark.parametrize(
    "name",
    [
        *("heads", "head/", "head/0", "/head", "../head", "head%2f", "Head", "head "),
        *("ticks", "ticks/", "ticks/-1", "ticks/00", "ticks/0x1", "ticks/1/2", "ticks/\u0661"),
        *("ticks/1", "ticks/9999999999", "prompts/0", "prompts/99/0", "prompts/0/7"),
    ],
)
def test_other_names_mean_nothing(short_run: Path, name: str) -> None:
    with pytest.raises(UnknownResource):
        get_bytes(short_run, name)
