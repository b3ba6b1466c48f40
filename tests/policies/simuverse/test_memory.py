"""Memory by retrieval: what is stored, what comes to mind, and what answers rest on."""

from datetime import timedelta
from pathlib import Path

from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import ScriptedEndpoint, find_rule
from genagents_env.llm.scripted.prompt import Prompt
from genagents_env.policies.simuverse import SimuversePolicy, memory
from genagents_env.policy import Context
from genagents_env.scenario.schema import PastMemory
from tests.policies.percepts import PARTY, START, Moment, Value, infos, profile, wait_for
from tests.policies.simuverse.town import ANN, BEN, Quarter, play

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


def test_without_memory_nothing_is_embedded_or_recalled(tmp_path: Path) -> None:
    town = tell(tmp_path, memory="off")
    assert not town.policy.uses_embedder
    assert len(town.mind(ANN).memory) == 0
    assert all(remembered(prompt) == [] for _, prompt in town.asked)
    assert any("pump" in one.text for one in town.policy.memories(BEN))


def test_an_answer_rests_on_the_events_of_what_it_names(tmp_path: Path) -> None:
    rule = find_rule("neighbour", [SimuversePolicy.scripted_replies])
    town = tell(tmp_path)
    endpoint: Value = town.policy.services.model.endpoint
    endpoint.rule = rule
    before = town.policy.state()
    (answer,) = town.policy.interview(BEN, ["Do you know of Ann Ash?"])
    said = {event.id for event in town.events if event.kind == "say" and event.agent == ANN}
    assert answer.text == "Yes, I know of Ann Ash."
    assert said & set(answer.evidence)
    assert town.policy.state() == before


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
