"""What a mind remembers and carries, what its answers rest on, and how its replies were read."""

import json
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from genagents_env.actions import Idle, Move, Talk
from genagents_env.config import TownConfig
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.client import ModelClient
from genagents_env.llm.schemas import make_schema
from genagents_env.llm.scripted import ScriptedEndpoint, find_rule
from genagents_env.llm.scripted.prompt import Prompt, read_prompt
from genagents_env.llm.tokens import bound_prompt_tokens
from genagents_env.memory.embed import HashedSource
from genagents_env.memory.embedder import Embedder
from genagents_env.percept import HeardWords
from genagents_env.policies.simuverse import SimuversePolicy, memory
from genagents_env.policies.simuverse.grammar import SIGNALS
from genagents_env.policies.simuverse.interpret import InterpretedReply
from genagents_env.policies.simuverse.mind import TalkSession
from genagents_env.policy import Context
from genagents_env.record import RunReader
from genagents_env.rng import draw_index
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.scenario.schema import PastMemory
from genagents_env.show.summary import describe_run, run_as_json
from genagents_env.study.evaluate.measures import load_measure
from genagents_env.study.evaluate.measures.tools import ToolUse, count_tool_use, list_turns
from genagents_env.study.evaluate.run_data import RunData
from tests.policies.harness import uneven
from tests.policies.percepts import (
    PARTY,
    START,
    Moment,
    Value,
    body,
    infos,
    person,
    profile,
    wait_for,
)
from tests.policies.simuverse.test_replies import CORPUS
from tests.policies.simuverse.town import ANN, BEN, CAT, Quarter, Reply, find, follow, play, quarter

PAIR = {ANN: "hall", BEN: "hall"}


def remembered(prompt: Prompt) -> list[str]:
    return [line.text for line in prompt.lines if line.number is not None]


def tell(folder: Path, **config: Value) -> Quarter:
    """Ann tells Ben something, both leave, and Ann scans on."""
    words = {"Ann": ["The pump in the yard is broken. (LEAVE CONVERSATION)"] * 12}
    return play(folder, PAIR, {ANN: ["(CONVERSE) Ben"]}, 12, words, **config)


def test_choices_results_and_utterances_are_remembered_with_their_events(tmp_path: Path) -> None:
    town = tell(tmp_path)
    mine = town.policy.memories(ANN)
    theirs = town.policy.memories(BEN)
    said = next(event for event in town.events if event.kind == "say" and event.agent == ANN)
    assert any(one.text.startswith("I chose (SCAN). Your scan at") for one in mine)
    assert 'I said to Ben Birch: "The pump in the yard is broken."' in [one.text for one in mine]
    heard = next(one for one in theirs if "pump in the yard" in one.text)
    assert heard.text == 'Ann Ash said: "The pump in the yard is broken."'
    assert heard.events == (said.id,)
    assert "I know Ann Ash: a neighbour" in [one.text for one in theirs]


def test_the_nearest_three_come_to_mind_and_none_that_is_too_far(tmp_path: Path) -> None:
    mind = tell(tmp_path).mind(BEN)
    for number in range(9):
        memory.remember(mind, f"The pump in the yard is broken, they say {number}", 100)
    about = "Is the pump in the yard broken?"
    found = wait_for(memory.recall(mind, about))
    assert len(found) == 3
    assert all("pump in the yard is broken" in item.text for _, item in found)
    assert wait_for(memory.recall(mind, "zzz qqq xxx")) == []
    assert wait_for(memory.recall(mind, "")) == []
    texts = [item.text for _, item in wait_for(memory.recall(mind, about, 50, -1.0))]
    assert sorted(texts) == sorted({item.text for item in mind.memory})


def test_without_memory_prompts_and_interviews_have_all_that_was_known_at_the_start() -> None:
    rule = find_rule("neighbour", [SimuversePolicy.scripted_replies])
    endpoint = ScriptedEndpoint(rule)
    policy = SimuversePolicy(memory="off", interpreter="regex")
    past = PastMemory(time=START - timedelta(days=1), text="The pump broke.")
    ann = profile(relationships={"Bob Birch": "a friend"}, facts=(PARTY,), dated=(past,))
    context = Context("Town", START, 10, ModelClient(endpoint, run_seed=3), None)
    policy.reset({ANN: ann}, 3, context)
    policy.act({ANN: {}}, infos(Moment()))
    policy.interview(ANN, ["What do you know?"])
    first, last = (request.messages[1].content for request in endpoint.requests)
    assert "The pump broke." in first
    assert all(text in last for text in ("The pump broke.", PARTY.statement, "I know Bob Birch"))


WORDS = [text for text, _ in CORPUS]
GIVEN: Mapping[str, Value] = {"goal": "See the park.", "phone": True}


def restless(request: CompletionRequest) -> str:
    """Answer with anything of the corpus; triples are now right and now wrong."""
    text: str = WORDS[draw_index(request.seed, len(WORDS), "text")]
    if request.schema is None:
        return text
    fields: Value = request.schema["properties"]
    if "answer" in fields:
        return json.dumps({"answer": text or "No.", "because": [1, 9]})
    return json.dumps({"triple": ["x", ["MOVE", "SCAN", "CALL", "ERROR"][len(text) % 4], text]})


def make_policy(who: Mapping[str, Value] = GIVEN, **config: Value) -> SimuversePolicy:
    policy = SimuversePolicy(**config)
    model = ModelClient(ScriptedEndpoint(restless), run_seed=3)
    ann = profile(relationships={"Bob Birch": "a friend"}, **who)
    context = Context("Town", START, 10, model, Embedder(HashedSource()))
    policy.reset({ann.agent: ann}, 3, context)
    return policy


NAMES = ("Bob Birch", "Cat Cole", "\u5f20\u4f1f", "Dr. O'Neil-Smith")


def test_what_is_carried_and_asked_stays_bounded() -> None:
    policy = make_policy(turn_seconds=10, memory_items=50, interpreter="regex")
    for tick in range(120):
        said = HeardWords("speech", NAMES[tick % 4], f"{tick} " * 90, True, True, (), tick)
        policy.act({ANN: {}}, infos(Moment(tick=tick, heard=(said,), me=body("Cafe"))))
    mind = policy.minds[ANN]
    assert (len(mind.history), len(mind.memory), len(mind.invitations)) == (20, 50, 4)
    asked: Value = policy.services.model.endpoint
    longest = max(bound_prompt_tokens(list(request.messages)) for request in asked.requests)
    assert longest <= policy.services.prompts.limit


def test_a_small_model_is_held_to_the_tools_and_shown_what_would_do() -> None:
    parts: Value = make_schema(InterpretedReply, small=True)["properties"]
    assert parts["triple"]["items"][1]["enum"] == [*SIGNALS[:5], "ERROR"]
    plain: Value = make_schema(InterpretedReply)["properties"]
    assert plain["triple"]["items"]["type"] == "string"
    policy = make_policy()
    policy.services.prompts.small = True
    policy.act({ANN: {}}, infos(Moment(me=body("Cafe"), people=(person("Bob Birch"),))))
    asked: Value = policy.services.model.endpoint
    shown = asked.requests[0].messages[1].content
    assert "such as: (CONVERSE) Bob Birch; (MOVE) Park" in shown
    assert "(SCAN)." in shown


@pytest.mark.parametrize("sleeps", [True, False])
def test_one_who_knows_no_night_gets_up_at_once(sleeps: bool) -> None:
    policy = make_policy(sleeps=sleeps, interpreter="regex", prompt_tokens=400)
    night = Moment(time=START.replace(hour=2), me=body("Ann's house/bedroom", asleep=True))
    step = policy.act({ANN: {}}, infos(night))[ANN]
    assert step == (Idle() if sleeps else Move("Ann's house/bedroom"))


def test_one_whose_partner_is_gone_at_once_is_told_so_and_chooses_anew() -> None:
    policy = make_policy(interpreter="regex")
    endpoint: Value = policy.services.model.endpoint
    replies = ["(CONVERSE) Bob Birch", "Hello Bob!", "(SCAN)"]
    endpoint.rule = lambda request: replies.pop(0)
    here = Moment(me=body("Cafe"), people=(person("Bob Birch"),))
    assert isinstance(policy.act({ANN: {}}, infos(here))[ANN], Talk)
    policy.act({ANN: {}}, infos(here.later(10, people=())))
    shown = endpoint.requests[-1].messages[1].content
    assert "Bob Birch heard you and was gone." in shown
    assert replies == []
    assert policy.minds[ANN].talk == TalkSession()


def live(folder: Path, rule: Value, config: dict[str, Value], ticks: int, **how: Value) -> Path:
    path = folder / "run.sqlite"
    homes = {ANN: "hall", BEN: "hall", CAT: "yard"}
    town = TownConfig(quarter(folder, homes), hours=ticks / 360)
    spec = RunSpec(town, 3, policy=PolicySpec("simuverse", config))
    options = RunOptions(endpoint=ScriptedEndpoint(rule, delay=uneven), embedder="hashed", **how)
    assert run(spec, path, options).status == "finished"
    return path


def to_rule(reply: Reply) -> Value:
    """Return the rule of an endpoint: people answer by `reply`, and the interpreter errs at times.

    People are asked for words without a schema, the interpreter with one.
    """

    def rule(request: CompletionRequest) -> str:
        prompt = read_prompt(request)
        assert (request.schema_name == "Triple") is (request.schema is not None)
        if "triple" not in prompt.fields:
            return reply(prompt.name, prompt)
        said = find(prompt, "reply")[0]
        if "misread" in said:
            return json.dumps({"triple": ["Zed", "MOVE", "yard"]})
        if "unread" in said:
            return "I cannot say."
        tool = said.partition(")")[0].strip("( ") if said.startswith("(") else "ERROR"
        return json.dumps({"triple": ["?", tool, said.partition(")")[2]]})

    return rule


def take_measures(path: Path) -> dict[str, float | None]:
    names = ("invalid_replies", "resets", "interpreter_disagreement", "exchanges", "early_leaves")
    with RunReader(path) as record:
        data = RunData(record)
        return {name: load_measure(name).take(data)[name] for name in names}


def test_measures_count_how_replies_were_read(tmp_path: Path) -> None:
    scans = ["(SCAN)"] * 20
    odd = ["(SCAN) misread", "Hm.", "Hm.", "(MOVE) the moon", "(SCAN) unread"]
    rule = to_rule(follow({ANN: odd, BEN: scans, CAT: scans}))
    path = live(tmp_path, rule, {"turn_seconds": 10}, 8, interviews=False)
    with RunReader(path) as record:
        data = RunData(record)
        kinds = Counter(turn["kind"] for turn in list_turns(data))
        assert (kinds["strike"], kinds["fault"], kinds["failure"]) == (2, 1, 1)
        asked = kinds.total() - kinds["fault"]
        assert count_tool_use(data) == ToolUse(asked, 2, 1, 1, asked, 1, 1)
        told = next(line for line in describe_run(data) if line.startswith("Tools: "))
        assert run_as_json(data)["tool_use"]["strikes"] == 2
    assert told.startswith(f"Tools: {asked} choices, 2 without one, 1 in vain, 1 reset; of {asked}")
    assert take_measures(path) == {
        "invalid_replies": pytest.approx(2 / asked),
        "resets": pytest.approx(100 / asked),
        "interpreter_disagreement": pytest.approx(1 / asked),
        "exchanges": None,
        "early_leaves": None,
    }


def test_the_grammar_alone_disagrees_with_nobody(tmp_path: Path) -> None:
    rule = to_rule(follow({ANN: ["(CONVERSE) Ben"]}))
    path = live(tmp_path, rule, {"interpreter": "regex", "exchanges": 3}, 14, interviews=False)
    found = take_measures(path)
    assert (found["interpreter_disagreement"], found["invalid_replies"]) == (None, 0)
    assert found["exchanges"] == 3
    with RunReader(path) as record:
        assert {call.purpose for call in record.calls()} == {"act.choose", "talk.speak"}
