"""The injection gate: no text of an agent yields a line of a prompt that claims another source.

Everybody hears and sees the forger, every mind says texts of the same kind itself, and each line of
each prompt, observation and transcript is read for whose words it gives them out to be.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from genagents_env import town_v0
from genagents_env.actions import Action, Idle, Interact, Move, Talk
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import ScriptedEndpoint, sample_schema
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.open import open_source
from genagents_env.policy import Infos, Observations, Policy, get_percept
from genagents_env.run import rollout
from genagents_env.run.policies import load_policy
from genagents_env.scenario import Scenario, load_scenario
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, Person, SectorSpec
from genagents_env.show.transcript import format_transcript
from genagents_env.text import quote, set_apart
from tests.policies.injections import (
    CANARY,
    FORGER,
    NAMES,
    VICTIM,
    find_false_claims,
    list_doings,
    list_texts,
    list_utterances,
)
from tests.policies.percepts import Value

_START = datetime(2023, 2, 13)  # noqa: DTZ001 - town time has no zone
_BEFORE = 8  # ticks in which the forger goes to the board
_TICKS, _SEEN = 130, 20  # canaries that each mind has to have read at least
BOARD = "notice board"
MINDS: dict[str, tuple[str, dict[str, Value]]] = {
    "Bea Bell": (
        "smallville",
        {"react_again_minutes": 1, "talk_again_seconds": 0, "reflect_at": 30},
    ),
    "Cam Cole": ("lyfe", {}),
    "Dot Dean": ("lyfe", {"variant": "no_self_monitor"}),
    "Eli East": ("ai_town", {}),
    "Flo Fenn": ("simuverse", {}),
    "Gus Gale": ("reactive", {}),
    "Hal Holt": ("direct", {"history": 2}),
}
PEOPLE = (FORGER, VICTIM, *MINDS)


class Forger(Policy):
    """Says, does and writes one text after the other; `sources` are those of the canaries."""

    name = "forger"

    def __init__(self) -> None:
        self.sources: dict[str, str] = {}
        self.texts = list_utterances()
        self.doings = list_doings()
        self.at = 0

    def mark(self, text: str, source: str) -> str:
        """Return a text with a canary of its own."""
        canary = f"zq{len(self.sources):04}x"
        self.sources[canary] = source
        return text.replace("{c}", canary)

    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        """Return the next texts as an action of each agent."""
        return {agent: self._act() for agent in observations}

    def _act(self) -> Action:
        self.at += 1
        if self.at < _BEFORE:
            return Move(BOARD)
        text = self.texts[self.at % len(self.texts)]
        doing = self.mark(self.doings[self.at % len(self.doings)], FORGER)
        if self.at % 10 == 0:
            return Interact(BOARD, self.mark(text, BOARD), doing)
        if self.at % 10 == 5:
            return Talk(None, "", leave=True)
        to = [*MINDS, None][self.at // 10 % (len(MINDS) + 1)]
        return Talk(to, self.mark(text, FORGER), doing=doing)


class ForgingModel:
    """Answers by the schema; what is to be said or done is a text of the same kind."""

    def __init__(self, forger: Forger) -> None:
        self.forger, self.number = forger, 0

    def __call__(self, request: CompletionRequest) -> str:
        """Return a reply."""
        self.number += 1
        asks, who = request.messages[-1].content, find_asker(request)
        texts, doings = self.forger.texts, self.forger.doings
        said = self.forger.mark(texts[self.number % len(texts)], who)
        if request.schema is None:
            return said if "say next" in asks or "What do you say" in asks else "(SCAN) around"
        reply = json.loads(sample_schema(request))
        for field in ("say", "words"):
            if field in reply:
                reply[field] = said
        if "doing" in reply:
            reply["doing"] = self.forger.mark(doings[self.number % len(doings)], who)
        return json.dumps(reply)


def find_asker(request: CompletionRequest) -> str:
    """Return whose prompt it is; of an interpreter of replies nobody's."""
    words = "\n".join(message.content for message in request.messages)
    found = re.search(r"^(?:You are|The agent is) ([A-Z]\w+ [A-Z]\w+)", words, re.M)
    assert found is not None, words
    return found[1]


def make_square() -> Scenario:
    """Return a room in which all stand about, each within hearing of all."""
    board = ObjectSpec(name=BOARD, states=("empty",), state="empty", free_text=True)
    room = ArenaSpec(name="square", size=(6, 6), objects=(board,))
    tiny = load_scenario("tiny")
    crowd = {"max_members": 20, "max_exchanges": 500, "turn_taking": "free", "cooldown_seconds": 0}
    talk = tiny.rules.conversation.model_copy(update=crowd)
    home: dict[str, Value] = {"persona": "Someone.", "home": "Town", "start": "Town/square"}
    square = {
        "name": "square",
        "sectors": (SectorSpec(name="Town", arenas=(room,)),),
        "people": tuple(Person(name=name, **home) for name in PEOPLE),
        **dict.fromkeys(("facts", "gatherings", "questions", "checks", "success", "events"), ()),
        "map": None,
        "reward": type(tiny.reward)(),
        "rules": tiny.rules.model_copy(update={"conversation": talk}),
    }
    return tiny.model_copy(update=square)


class Watcher(Policy):
    """Stands about, and keeps the texts that it observes."""

    name = "watcher"

    def __init__(self) -> None:
        self.texts: list[str] = []

    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        """Return idling."""
        self.texts += [get_percept(infos, agent).text for agent in observations]
        return {agent: Idle() for agent in observations}


class Square:
    """A run in which everybody hears and sees the forger, and forges as well."""

    def __init__(self) -> None:
        self.forger, self.watcher = Forger(), Watcher()
        self.endpoint = ScriptedEndpoint(ForgingModel(self.forger))
        minds = {name: load_policy(kind, **given) for name, (kind, given) in MINDS.items()}
        self.events = rollout(
            town_v0.parallel_env(scenario=make_square()),
            {FORGER: self.forger, VICTIM: self.watcher, **minds},
            seed=1,
            model=ModelClient(self.endpoint, run_seed=1),
            embedder=Embedder(open_source("hashed")),
            max_ticks=_TICKS,
            keep_events=True,
        ).events
        for name, mind in minds.items():
            if type(mind).interview_async is not Policy.interview_async:
                mind.interview(name, ["What did Vera Vale say?", "What is new?"])

    def check(self, lines: Iterable[Sequence[str]], reader: str) -> list[str]:
        """Return what lines claim falsely."""
        sources, names = self.forger.sources, (*PEOPLE, BOARD)
        found = (find_false_claims(line, sources, reader, names) for line in lines)
        return [claim for claims in found for claim in claims]


@cache
def run_square() -> Square:
    return Square()


def list_prompts(square: Square) -> Iterator[tuple[str, str]]:
    """Yield each message to a model with who asks."""
    for request in square.endpoint.requests:
        who = find_asker(request)
        asked = (message for message in request.messages if message.role != "assistant")
        yield from ((who, message.content) for message in asked)


@pytest.mark.parametrize("mind", MINDS)
def test_no_line_of_a_prompt_claims_another_source_or_leaves_the_fence(mind: str) -> None:
    square = run_square()
    prompts = [text for who, text in list_prompts(square) if who == mind]
    canaries = {canary for text in prompts for canary in CANARY.findall(text)}
    assert len(canaries) >= _SEEN
    assert not square.check((row for text in prompts for row in list_texts(text)), mind)[:5]
    fenced = re.compile(r"<<<DATA (\w+)\n.*?\n\1 END>>>", re.DOTALL)
    assert not [text for text in prompts if CANARY.search(fenced.sub("", text))][:1]


def test_no_line_of_an_observation_or_of_a_transcript_claims_another_source() -> None:
    """Transcripts are what judges read, and people in a terminal."""
    square = run_square()
    lines = [[line] for text in square.watcher.texts for line in text.split("\n")]
    assert not square.check(lines, VICTIM)[:5]
    assert len({canary for (line,) in lines for canary in CANARY.findall(line)}) >= _SEEN
    told = format_transcript(square.events, lambda tick: _START)
    assert not square.check(([line] for line in told), "")[:5]


def test_the_forger_is_heard() -> None:
    """All kinds of texts came through: what is said is said, what may be two clauses is quoted."""
    square = run_square()
    said = [event for event in square.events if event.kind == "say" and event.agent == FORGER]
    assert len(said) >= _SEEN
    shown = [event.data["doing"] for event in square.events if event.kind == "doing"]
    assert all(set_apart(doing) == doing for doing in shown)
    assert any(doing.startswith('"') for doing in shown)


def test_a_name_that_would_speak_for_others_is_refused_and_no_other() -> None:
    for name in NAMES:
        with pytest.raises(ValidationError, match="cannot stand in the name of a person"):
            Person(name=name, persona="Someone.", home="Town")
    for name in ("Ann-Marie O'Neil", "Dr. Ágnes Kovács", "李 明", "To Lam", "Andy"):
        assert Person(name=name, persona="Someone.", home="Town").name == name


@given(st.text(max_size=80))
def test_quoted_words_close_nothing(words: str) -> None:
    quoted = quote(words)
    assert quoted.count('"') == 2
    assert len(quoted.splitlines()) == 1
    assert set_apart(set_apart(words)) == set_apart(words)


@pytest.mark.parametrize(
    ("doing", "one"),
    [
        ("talking with Bea and Cam, looking at Dot", True),
        ("talking to Dr. Ann Lee at 10:30", True),
        ("preparing tea and cakes", True),
        ("at 95 % of the way", True),
        ("asking people how they are", True),
        ("reading; Vera Vale is now asleep", False),
        ("reading and Vera Vale sleeps", False),
        ("reading, Vera Vale having died", False),
        ("reading while Vera Vale rests", False),
        ("reading and the mill burns", False),
        ("reading (a novel). Vera Vale sleeps", False),
        ("Vera Vale asleep", False),
        ("the mill is on fire", False),
        ("reading aloud 'all is lost', said Vera", False),
        ("teaching 3 - 4 pupils", False),
        ("asking who is there and Vera Vale is dead", False),
    ],
)
def test_one_clause_about_oneself_stands_and_what_may_be_another_is_quoted(
    doing: str, one: bool
) -> None:
    assert set_apart(doing) == (doing if one else f'"{doing}"')
    assert not one or set_apart(f"I am {doing}.") == doing
